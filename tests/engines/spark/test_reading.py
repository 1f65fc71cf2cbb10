"""Scans as DataFrames: the rows that the core reads with the Arrow engine, whoever reads the files.

Also covers: `reading/remote.py`.
"""

from __future__ import annotations

import json
import pickle
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hudi_core
from hudi_core.front.opening import open_table
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.file_schemas import read_file_schemas, read_file_schemas_by
from hudi_core.reading.selection import Selection
from hudi_core.types import nodes as t
from tests.conformance.test_tables import named, readable
from tests.support.commands import ran, rides
from tests.support.conformance import TableEntry, tables
from tests.support.ledger import settle_rows
from tests.support.mislabelled import mislabelled

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark.sql.types import LongType, StructType

import hudi_spark
from hudi_spark import arrow_form, engine, native, reading, relations
from hudi_spark.runner import SparkRunner

ONE_CITY = {"where": "city = 'oslo'"}
"""A sixth of the files: enough where each file is read alike. No row of them is left to a filter."""


def in_order(rows: Iterable[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def rows_of(scan: Any) -> list[str]:
    """The rows of a Spark scan in the form of `values.json`."""
    return shown(scan.scan.sources.snapshot.engine.rows, scan.schema, scan.to_spark())


def shown(arrow: Any, schema: Any, frame: Any) -> list[str]:
    kind = pa.struct(arrow.stream(schema, []).schema)
    found: list[dict[str, Any]] = []
    for batch in engine.arrow_batches(frame):
        array = arrow_form.from_form(batch.to_struct_array(), schema.record, kind)
        found += arrow.to_json(pa.RecordBatch.from_struct_array(array), schema)
    return in_order(found)


@pytest.mark.one_of(4)
@pytest.mark.one_spark
@pytest.mark.parametrize("entry", readable(), ids=named)
def test_recorded_tables_have_the_recorded_rows(spark: Any, entry: TableEntry | None) -> None:
    """AWAY-2."""
    if entry is None:
        pytest.skip("corpus and golden tables not present")
    rows = [json.loads(row) for row in rows_of(hudi_spark.open(spark, str(entry.unpacked())).scan())]
    settle_rows(entry, "snapshot", rows, entry.expected["snapshot"]["rows"])


@pytest.fixture(scope="module")
def table(spark: Any) -> Any:
    return hudi_spark.open(spark, str(rides()))


@pytest.mark.parametrize(
    "requested",
    [
        {"where": "fare > 20"},
        {"where": "fare > 20 and driver like '%a%'", "columns": ["driver", "fare"]},
        {"columns": ["fare"], "meta": False},
        {"where": "fare is null"},
        {"where": "fare < -1"},
    ],
)
def test_answers_equal_those_of_the_core(table: Any, requested: dict[str, Any]) -> None:
    names = {field.name for field in table.schema.fields}
    if not {"fare", "driver"} <= names:
        requested = _in_terms_of(table, requested)
    assert rows_of(table.scan(**requested)) == in_order(table.table.scan(**requested).to_json_rows())


def test_arguments_have_their_places(table: Any) -> None:
    """ENGINE-1622."""
    names = ["ride_id", "fare"]
    assert table.scan("fare > 95", names).schema == table.table.scan("fare > 95", names).schema
    assert table.changes("earliest", None, "op = 'u'", ["op"]).columns == ["op"]


@pytest.mark.parametrize("engine_name", ["arrow", "spark"])
def test_a_scan_of_the_core_is_a_frame_in_a_session(spark: Any, engine_name: str) -> None:
    """TABLE-1559."""
    scan = hudi_core.open(rides(), engine=engine_name).scan(where="fare > 95", columns=["ride_id", "fare"])
    rows = in_order(open_table(rides()).scan(where="fare > 95", columns=["ride_id", "fare"]).to_json_rows())
    arrow = open_table(rides()).engine.rows
    assert shown(arrow, scan.schema, scan.to_spark(spark)) == shown(arrow, scan.schema, scan.to_spark()) == rows


def _in_terms_of(table: Any, requested: dict[str, Any]) -> dict[str, Any]:
    """The question with columns of the packaged table: a number and a text of it."""
    kinds = {type(field.type).__name__: field.name for field in table.schema.fields}
    number = kinds.get("Double") or kinds.get("Decimal") or kinds["Int"]
    answer = json.dumps(requested).replace("fare", number).replace("driver", kinds["String"])
    found: dict[str, Any] = json.loads(answer)
    return found


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    "requested", [{}, {"where": "op = 'u'", "columns": ["op", "after"], "meta": False}, {"limit": 3}]
)
def test_changes_are_those_of_the_core(table: Any, requested: dict[str, Any]) -> None:
    reported = table.table.changes(since="earliest", **requested)
    frame = table.changes(since="earliest", **requested)
    expected = in_order(reported.to_json_rows())
    if "limit" in requested:
        assert frame.count() == len(expected) == requested["limit"]
    else:
        assert shown(table.table.engine.rows, reported.schema, frame) == expected


def test_rows_between_two_times_are_those_of_the_core(table: Any) -> None:
    first, *_ = [instant.requested_time for instant in table.table.timeline.commits]
    for requested in ({"since": first}, {"as_of": first}):
        expected = table.table.scan(**requested, **ONE_CITY).to_json_rows()
        assert rows_of(table.scan(**requested, **ONE_CITY)) == in_order(expected)
    optimized = table.scan(read_optimized=True, **ONE_CITY)
    assert rows_of(optimized) == in_order(optimized.scan.to_json_rows())


def test_a_limit_is_kept(table: Any) -> None:
    """AWAY-2."""
    assert table.scan(limit=7).to_spark().count() == 7
    assert table.scan(limit=0).to_spark().count() == 0
    everything = table.scan().to_spark().count()
    assert table.scan(limit=everything + 1).to_spark().count() == everything
    assert table.scan(limit=5, where="fare > 20").to_spark().count() == 5


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_rows_without_columns_are_counted(spark: Any, tmp_path: Path, kind: Any) -> None:
    """ENGINE-1615: of files that Spark reads, of others, and of changes."""
    rows = pa.table({"id": ["a", "b", "c"], "v": [1, 2, 3]})
    hudi_core.create(tmp_path / "t", rows, key="id", type=kind).insert(rows)
    hudi_core.open(tmp_path / "t").upsert(rows.slice(1).set_column(1, "v", pa.array([20, 30])))
    table = hudi_spark.open(spark, str(tmp_path / "t"))
    for where, count in ((None, 3), ("v > 1", 2)):
        frame = table.scan(columns=[], where=where).to_spark()
        assert (frame.columns, frame.count(), len(frame.collect())) == ([], count, count)
    assert table.changes(since="earliest", columns=[]).count() == 5


def test_a_limit_leaves_files_out_that_are_not_needed(spark: Any) -> None:
    entry = next((e for e in tables() if e.expected["table"]["table_type"] == "COPY_ON_WRITE"), None)
    if entry is None:
        pytest.skip("corpus and golden tables not present")
    scan = hudi_spark.open(spark, str(entry.unpacked())).scan(limit=1)
    assert len(scan.scan.parts()) > 1
    assert len(scan.to_spark().inputFiles()) == 1


def test_columns_have_their_ids_and_names(table: Any) -> None:
    frame = table.scan().to_spark()
    assert frame.columns == [field.name for field in table.schema.fields]
    ids = [field.metadata["parquet.field.id"] for field in frame.schema.fields]
    assert ids == [field.id for field in table.schema.fields]


def test_files_without_logs_are_read_by_spark_and_the_others_by_arrow(table: Any) -> None:
    """AWAY-3."""
    scan = table.scan().scan
    parts = scan.parts()
    groups, others = native_reading(scan).groups(parts, schemas_of(scan))
    taken = [item for group in groups for item in group.slices]
    assert taken and len(taken) + len(others) == len(parts)
    assert all(part.slice.logs for part in others)


def readings(scan: Any) -> Any:
    snapshot = scan.sources.snapshot
    return BaseFiles(scan.sources), Selection(snapshot.engine, snapshot.schema, scan.schema, scan.predicate)


def native_reading(scan: Any) -> Any:
    return native.NativeReading(*readings(scan))


def schemas_of(scan: Any) -> Any:
    return read_file_schemas(*readings(scan), scan.parts())


def test_all_slices_read_by_arrow_give_the_same_rows(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rows_of(table.scan(**ONE_CITY))
    monkeypatch.setattr(native, "_is_able", lambda _: False)
    assert rows_of(table.scan(**ONE_CITY)) == expected


@pytest.mark.parametrize("requested", [pytest.param({}, marks=pytest.mark.soak), {"where": "fare > 20"}])
def test_footers_of_many_files_are_read_on_executors_with_the_same_statistics(
    table: Any, requested: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "fare" not in {field.name for field in table.schema.fields}:
        requested = _in_terms_of(table, requested)
    requested = {**requested, "read_optimized": True}
    scan = table.scan(**requested)
    expected, parts, by_driver = rows_of(scan), scan.scan.parts(), schemas_of(scan.scan)
    monkeypatch.setattr(reading, "MAX_FOOTERS", 0)
    by_executors = read_file_schemas_by(SparkRunner(table.spark), scan.scan.remote_scan(), parts, footers_per_task=40)
    assert by_executors.schemas == by_driver.schemas
    assert by_executors.indexes.tolist() == by_driver.indexes.tolist()
    assert min(by_executors.indexes) >= 0
    again = table.scan(**requested)
    assert rows_of(again) == expected
    assert "MapInArrow" not in again.to_spark()._jdf.queryExecution().executedPlan().toString()


@pytest.fixture
def by_own_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A session whose classes cannot be reached, as over Spark Connect."""
    monkeypatch.setattr(native, "relations_of", lambda _: None)
    native.forms_of.cache_clear()
    yield
    native.forms_of.cache_clear()


@pytest.mark.parametrize(
    "requested",
    [
        pytest.param(ONE_CITY, marks=pytest.mark.one_spark),
        {"where": "fare > 20", "columns": ["driver"], "read_optimized": True},
    ],
)
def test_relations_are_read_as_by_the_own_reader_of_spark(
    table: Any, requested: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    if not {"fare", "driver"} <= {field.name for field in table.schema.fields}:
        requested = _in_terms_of(table, requested)
    made = table.scan(**requested)
    schema, expected = made.to_spark().schema, rows_of(made)
    request.getfixturevalue("by_own_reader")
    scan = table.scan(**requested)
    assert rows_of(scan) == expected
    assert scan.to_spark().schema == schema == scan.spark_schema


def reported(*files: Path) -> dict[str, int]:
    """Files by URI, with their sizes."""
    return {f"file://{file}": file.stat().st_size for file in files}


def long_columns(*names: str) -> Any:
    """Columns with the ids 1, 2, ..."""
    columns = StructType()
    for number, name in enumerate(names, start=1):
        columns = columns.add(name, LongType(), metadata={"parquet.field.id": number})
    return columns


@pytest.mark.parametrize("ids_are_read", ["true", "false"])
def test_columns_are_found_by_name_whatever_ids_the_file_has(spark: Any, tmp_path: Path, ids_are_read: str) -> None:
    stored = pa.schema([pa.field(name, pa.int64(), metadata={"PARQUET:field_id": number}) for name, number in
                        (("a", "2"), ("b", "1"))])  # fmt: skip
    pq.write_table(pa.table([[1], [2]], schema=stored), tmp_path / "x.parquet")
    pq.write_table(pa.table({"a": [3], "b": [4]}), tmp_path / "y.parquet")
    before = spark.conf.get("spark.sql.parquet.fieldId.read.enabled")
    spark.conf.set("spark.sql.parquet.fieldId.read.enabled", ids_are_read)
    try:
        frame = (
            relations.relations_of(spark)
            .reader(long_columns("a", "b"))(reported(*(tmp_path / f"{name}.parquet" for name in "xy")))
            .rows()
        )
        assert sorted(map(tuple, frame.where("b > 1").collect())) == [(1, 2), (3, 4)]
    finally:
        spark.conf.set("spark.sql.parquet.fieldId.read.enabled", before)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("way", ["known", "by_own_reader"])
def test_a_file_deleted_after_planning_is_an_error(
    spark: Any, tmp_path: Path, way: str, request: pytest.FixtureRequest
) -> None:
    copied = Path(shutil.copytree(rides(), tmp_path / "rides"))
    if way != "known":
        request.getfixturevalue(way)
    spark.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    try:
        scan = hudi_spark.open(spark, str(copied)).scan(read_optimized=True)
        frame = scan.to_spark()
        assert frame.count() == scan.scan.count()
        (copied / scan.scan.parts()[0].slice.base.path).unlink()
        with pytest.raises(Exception, match=r"(?i)does not exist|not_exist"):
            frame.count()
    finally:
        spark.conf.unset("spark.sql.files.ignoreMissingFiles")


@pytest.mark.parametrize("size", [10, pytest.param(1 << 20, marks=pytest.mark.one_spark)])
def test_rows_are_the_same_when_the_table_records_wrong_sizes(
    table: Any, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested = {"read_optimized": True, **ONE_CITY}
    expected = rows_of(table.scan(**requested))
    scan = table.scan(**requested)
    parts = [
        replace(part, slice=replace(part.slice, base=replace(part.slice.base, size=size))) for part in scan.scan.parts()
    ]
    monkeypatch.setattr(type(scan.scan), "parts", lambda _: parts)
    assert rows_of(scan) == expected


def test_a_relation_takes_one_call_however_many_files_it_has(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "xyz":
        pq.write_table(pa.table({"a": [3]}), tmp_path / f"{name}.parquet")
    read = relations.relations_of(spark).reader(long_columns("a"))
    client = type(spark.sparkContext._gateway._gateway_client)
    send, answer = client.send_command, []

    def noted(self: Any, command: str, *others: Any, **options: Any) -> Any:
        answer.append(command)
        return send(self, command, *others, **options)

    monkeypatch.setattr(client, "send_command", noted)
    for names in ("x", "xyz"):
        answer.clear()
        read(reported(*(tmp_path / f"{name}.parquet" for name in names)))
        assert len([command for command in answer if not command.startswith("m")]) == 1  # others let objects go


def test_dataframes_of_the_same_files_are_joined_by_the_columns_of_each(spark: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3], "b": [2, 3, 4]}), tmp_path / "x.parquet")
    read = relations.relations_of(spark).reader(long_columns("a", "b"))
    one, other = (read(reported(tmp_path / "x.parquet")).rows() for _ in range(2))
    found = one.join(other, one["a"] == other["b"]).select(one["b"], other["a"])
    assert sorted(map(tuple, found.collect())) == [(3, 1), (4, 2)]
    assert one.join(one.where("b > 3"), "a").count() == 1


def analyzed(frame: Any) -> str:
    """The plan as it was analyzed, without the numbers of its columns."""
    return re.sub(r"#\d+L?", "", frame._jdf.queryExecution().analyzed().toString())


@pytest.mark.parametrize(
    "where",
    [
        "{number} > {middle}",
        "{text} like '%a%' or {text} in ('x', 'y')",
        "not {text} = 'x' and {number} between {middle} and {middle} + 1",
        "{number} > {middle} and cast({number} as string) <> '7'",
        "lower({text}) <> 'x' and {number} + 1 > {middle}",
    ],
)
def test_a_plan_taken_for_analyzed_is_the_one_that_the_analyzer_makes(
    table: Any, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {type(f.type): f.name for f in reversed(table.schema.fields) if not f.name.startswith("_")}
    number, text = kinds.get(t.Double) or kinds[t.Int], kinds[t.String]
    values = [row[number] for row in table.table.scan(columns=[number]).to_json_rows()]
    known = sorted(value for value in values if isinstance(value, float | int))
    requested = where.format(number=number, text=text, middle=known[len(known) // 2])
    scan = table.scan(where=requested, read_optimized=True)
    made = native_reading(scan.scan)
    groups, _ = made.groups(scan.scan.parts(), schemas_of(scan.scan))
    group, forms = next(group for group in groups if group.filtered), native.forms_of(table.spark)
    assert not forms.relations.has_own_rules
    found = analyzed(made.rows(forms, group))
    monkeypatch.setitem(vars(forms.relations), "has_own_rules", True)
    assert found == analyzed(made.rows(forms, group))


def test_a_predicate_is_pushed_down_to_files(spark: Any) -> None:
    entry = next((e for e in tables() if e.expected["table"]["table_type"] == "COPY_ON_WRITE"), None)
    if entry is None:
        pytest.skip("corpus and golden tables not present")
    opened = hudi_spark.open(spark, str(entry.unpacked()))
    keys = sorted(row["_hoodie_record_key"] for row in opened.table.scan().to_json_rows())
    scan = opened.scan(where=f"_hoodie_record_key > '{keys[len(keys) // 2]}'")
    assert any(part.filtered for part in scan.scan.parts())
    plan = scan.to_spark()._jdf.queryExecution().executedPlan().toString()
    assert "GreaterThan(_hoodie_record_key," in plan


@pytest.mark.one_spark
def test_a_shipment_survives_the_way_and_reads_the_same(table: Any) -> None:
    """AWAY-1."""
    scan = open_table(str(rides())).scan()
    remote_scan = pickle.loads(pickle.dumps(scan.remote_scan()))
    rows = scan.sources.snapshot.engine.rows
    there = [row for batch in remote_scan.read(scan.parts()) for row in rows.to_json(batch, scan.schema)]
    assert in_order(there) == in_order(scan.to_json_rows())


def test_lists_without_rows_need_no_offset() -> None:
    of = t.Array(t.Field(1, "element", t.Array(t.Field(2, "element", t.Int()))))
    kind = pa.list_(pa.list_(pa.int32()))
    nothing = pa.py_buffer(b"\xff" * 8).slice(0, 0)  # what lies behind it is no offset
    inner = pa.Array.from_buffers(kind.value_type, 0, [None, nothing], children=[pa.array([], pa.int32())])
    rows = pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(bytes(12))], children=[inner])
    found = arrow_form.from_form(rows, of, kind)
    found.validate(full=True)
    assert found.to_pylist() == [[], []]


def test_the_command_line_reads_with_spark(spark: Any) -> None:
    by_spark = ran("read", rides(), "--engine", "spark", "--json")
    by_arrow = ran("read", rides(), "--json")
    assert by_spark.status == 0, by_spark.err
    assert sorted(by_spark.out.splitlines()) == sorted(by_arrow.out.splitlines())
    files = ran("files", rides(), "--engine", "spark", "--json")
    assert files.out == ran("files", rides(), "--json").out


def test_a_path_is_made_a_uri_of_its_file_system(tmp_path: Path) -> None:
    assert native._uri(str(tmp_path), "a/b c.parquet") == f"file://{tmp_path}/a/b c.parquet"
    assert native._uri("file:///tmp/a%20b", "c%2Fd.parquet") == "file:///tmp/a b/c%2Fd.parquet"
    assert native._uri("s3a://bucket/t/", "x") == "s3a://bucket/t/x"


def test_times_under_a_wrong_label_are_read_by_spark_itself(spark: Any, tmp_path: Path) -> None:
    """RECON-260."""
    kinds = {"t": pa.timestamp("ms", "UTC"), "w": pa.timestamp("ms")}
    data = pa.table({"id": ["a"], **{name: pa.array([1_720_631_224_939], kind) for name, kind in kinds.items()}})
    hudi_core.create(tmp_path / "t", data, key="id").insert(data)
    table = mislabelled(open_table(tmp_path / "t"), tmp_path / "t")
    opened = hudi_spark.open(spark, str(tmp_path / "t"))
    for where in (None, "t > '2024-07-01' AND w < '2024-08-01'"):
        scan = opened.scan(where=where)
        assert rows_of(scan) == in_order(table.scan(where=where).to_json_rows())
        assert "PythonUDF" not in scan.to_spark()._jdf.queryExecution().toString()
        assert len(rows_of(scan)) == 1
    assert opened.scan(where="t < '2000-01-01'").scan.plan.kept() == []

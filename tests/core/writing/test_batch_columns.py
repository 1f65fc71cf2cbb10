"""Columns that only a batch or only its table has.

Also covers: `writing/write_properties.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import HudiError, RowError, SchemaError, UnknownColumnError, UnsupportedError, UsageError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.options import PROPERTIES_PATH
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from tests.support.drawing import each_pair

TYPES = pa.schema(
    [
        ("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("city", pa.string()), ("fare", pa.int64()),
        ("inner", pa.struct([("a", pa.int64()), ("b", pa.string())])), ("items", pa.list_(pa.int32())),
    ]
)  # fmt: skip
KINDS = pytest.mark.parametrize(("kind", "version"), [(k, v) for k in ("cow", "mor") for v in (6, 8, 9)])


def rows(ids: str, ts: int = 1) -> pa.Table:
    listed = [
        {
            "id": name, "p": "x" if name < "c" else "y", "ts": ts, "city": f"{name}{ts}", "fare": ts,
            "inner": {"a": ts, "b": name}, "items": [ts],
        }
        for name in ids
    ]  # fmt: skip
    return pa.Table.from_pylist(listed, TYPES)


def new_table(folder: Path, kind: str = "cow", version: int = 9, **named: Any) -> hudi_core.Table:
    hudi_core.create(folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, **named).insert(
        rows("abcd")
    )
    return hudi_core.open(folder / "t")


def stored(folder: Path) -> dict[str, Any]:
    return {row.pop("id"): row for row in hudi_core.open(folder / "t").scan(meta=False).to_arrow().to_pylist()}


def renamed(batch: pa.Table, old: str, new: str) -> pa.Table:
    return batch.rename_columns([new if name == old else name for name in batch.column_names])


@pytest.mark.parametrize("op", ["upsert", "insert_overwrite", "insert_overwrite_table"])
def test_a_mistyped_column_is_refused_where_rows_are_replaced(tmp_path: Path, op: str) -> None:
    """WRITE-202, WRITE-204."""
    table = new_table(tmp_path)
    before, files = stored(tmp_path), sorted((tmp_path / "t").rglob("*"))
    typo = renamed(rows("a", 2), "fare", "fair")
    with pytest.raises(UnknownColumnError, match=r"^fare: expected a column of the rows .* did you mean fair"):
        table.write(typo, op)
    with pytest.raises(UnknownColumnError, match=r"^fair: expected a column of the table, or add_columns.*mean fare"):
        table.write(typo, op, missing_columns="null")
    assert (stored(tmp_path), sorted((tmp_path / "t").rglob("*"))) == (before, files)
    table.write(typo, op, missing_columns="null", add_columns=True)
    assert (stored(tmp_path)["a"]["fare"], stored(tmp_path)["a"]["fair"]) == (None, 2)


@pytest.mark.parametrize("op", ["append", "insert", "bulk_insert"])
def test_rows_that_are_added_may_lack_columns_but_a_typo_adds_none(tmp_path: Path, op: str) -> None:
    """WRITE-202, WRITE-204."""
    table = new_table(tmp_path)
    with pytest.raises(UnknownColumnError, match=r"^fair: expected a column of the table"):
        table.write(renamed(rows("e", 2), "fare", "fair"), op)
    table.write(rows("e", 2).drop_columns(["fare", "inner"]), op)
    assert stored(tmp_path)["e"] == {"p": "y", "ts": 2, "city": "e2", "fare": None, "inner": None, "items": [2]}


def test_a_whole_batch_adds_columns_unless_it_must_not(tmp_path: Path) -> None:
    """WRITE-204."""
    table = new_table(tmp_path)
    more = rows("a", 2).append_column("tip", pa.array([1]))
    with pytest.raises(UnknownColumnError, match=r"^tip: "):
        table.upsert(more, add_columns=False)
    table.upsert(more)
    assert [stored(tmp_path)[name]["tip"] for name in "ab"] == [1, None]


def test_parts_of_nested_columns_count(tmp_path: Path) -> None:
    """WRITE-202, WRITE-203."""
    table = new_table(tmp_path)
    narrow = pa.table(
        {**{name: rows("a", 2)[name] for name in TYPES.names}, "inner": pa.array([{"a": 7}])}
    )  # fmt: skip
    with pytest.raises(UnknownColumnError, match=r"^inner\.b: "):
        table.upsert(narrow)
    with pytest.raises(UnsupportedError, match=r"^inner\.b: expected only whole columns"):
        table.upsert(narrow, missing_columns="keep")
    table.upsert(narrow, missing_columns="null")
    assert stored(tmp_path)["a"]["inner"] == {"a": 7, "b": None}


def test_a_missing_delete_marker_says_that_rows_are_not_deleted(tmp_path: Path) -> None:
    """WRITE-202."""
    marked = rows("ab").append_column("_hoodie_is_deleted", pa.array([False, False]))
    hudi_core.create(tmp_path / "t", marked, "id").insert(marked)
    hudi_core.open(tmp_path / "t").upsert(rows("a", 2))
    assert stored(tmp_path)["a"]["ts"] == 2


@pytest.mark.each_value
@each_pair(
    kind=["cow", "mor"],
    version=[6, 8, 9],
    ordering=[(), "ts"],
    options=[{}, {"hoodie.table.cdc.enabled": "true"}, {"hoodie.populate.meta.fields": "false"}],
)
def test_stored_values_of_missing_columns_are_kept(
    tmp_path: Path, kind: str, version: int, ordering: Any, options: dict[str, str]
) -> None:
    """WRITE-203: in base files and in log files, for new rows, late rows, and rows of one key."""
    table = new_table(tmp_path, kind, version, ordering=ordering, options=options)
    newer = pa.concat_tables([rows("bce", 5), rows("b", 6), rows("a", 0)]).select(["id", "p", "ts", "fare"])
    table.upsert(newer, missing_columns="keep")
    found, late = stored(tmp_path), ("a1", 1, 1) if ordering else ("a1", 0, 0)
    assert {name: (row["city"], row["ts"], row["fare"]) for name, row in found.items()} == {
        "a": late, "b": ("b1", 6, 6), "c": ("c1", 5, 5), "d": ("d1", 1, 1), "e": (None, 5, 5)
    }  # fmt: skip
    assert (found["b"]["inner"], found["b"]["items"]) == ({"a": 1, "b": "b"}, [1])
    table.upsert(rows("be", 7).select(["id", "p", "ts", "city"]), missing_columns="keep")  # onto log files
    assert [(stored(tmp_path)[name]["city"], stored(tmp_path)[name]["fare"]) for name in "be"] == [("b7", 6), ("e7", 5)]
    table.delete(pa.table({"id": ["a", "b"], "p": ["x", "x"]}))
    table.upsert(rows("b", 8).select(["id", "p", "ts", "city"]), missing_columns="keep")
    assert (stored(tmp_path)["b"]["city"], stored(tmp_path)["b"]["fare"]) == ("b8", None)
    assert sorted(stored(tmp_path)) == ["b", "c", "d", "e"]


@pytest.mark.each_value
@KINDS
def test_indexes_follow_rows_with_kept_values(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-203."""
    table = new_table(tmp_path, kind, version, ordering="ts", indexes=["column_stats", "record_index"])
    table.upsert(rows("bce", 5).select(["id", "p", "ts", "fare"]), missing_columns="keep")
    table = hudi_core.open(tmp_path / "t")
    assert table.scan("city = 'b1' AND fare = 5", columns=["id"]).to_arrow()["id"].to_pylist() == ["b"]
    assert [str(finding) for finding in validate(table)] == []
    moved = rows("a", 6).select(["id", "ts"]).append_column("p", pa.array(["y"]))
    with pytest.raises(UnsupportedError, match="rows that stay in their partitions"):
        table.upsert(moved, missing_columns="keep")


def test_a_late_row_is_not_written_to_a_log_file(tmp_path: Path) -> None:
    """WRITE-203: what it loses to stays as it is, with its commit time."""
    table = new_table(tmp_path, "mor", ordering="ts")
    times = hudi_core.open(tmp_path / "t").scan(columns=["_hoodie_commit_time"]).to_arrow()
    table.upsert(rows("a", 0).select(["id", "p", "ts"]), missing_columns="keep")
    assert hudi_core.open(tmp_path / "t").scan(columns=["_hoodie_commit_time"]).to_arrow() == times


def test_partial_rows_are_written_where_readers_merge_them(tmp_path: Path) -> None:
    """WRITE-203, WRITE-55."""
    table = new_table(tmp_path, "mor")
    few = rows("ab", 5).select(["id", "p", "fare"])
    table.upsert(few, missing_columns="keep", partial_updates=True)
    (log,) = [log for file_slice in hudi_core.open(tmp_path / "t").slices() for log in file_slice.logs]
    (block,) = read_blocks(table.storage.open(log.path))
    assert block.header[HeaderKey.IS_PARTIAL] == "true"
    assert [(stored(tmp_path)[name]["city"], stored(tmp_path)[name]["fare"]) for name in "ab"] == [("a1", 5), ("b1", 5)]


@pytest.mark.parametrize(
    "name", ["hoodie.write.set.null.for.missing.columns", "hoodie.datasource.write.reconcile.schema"]
)
def test_properties_of_the_table_or_the_writer_make_missing_columns_null(tmp_path: Path, name: str) -> None:
    """WRITE-206."""
    table = new_table(tmp_path)
    few = rows("a", 2).select(["id", "p", "ts"])
    table.upsert(few, properties={name: "TRUE"})
    assert stored(tmp_path)["a"]["city"] is None
    with (tmp_path / "t" / PROPERTIES_PATH).open("a") as properties:
        properties.write(f"{name}=true\n")
    table.upsert(rows("b", 2).select(["id", "p", "ts"]))
    assert stored(tmp_path)["b"]["city"] is None
    table.upsert(rows("c", 2).select(["id", "p", "ts"]), missing_columns="keep")
    assert stored(tmp_path)["c"]["city"] == "c1"
    with pytest.raises(UnknownColumnError, match=r"^city, fare, inner, items: "):
        table.upsert(few, properties={name: "false"})


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"missing_columns": "nul"}, "missing_columns: expected one of null, keep, found 'nul'"),
        ({"properties": {"hoodie.write.set.null.for.missing.column": "true"}}, "one of hoodie.write.set.null"),
        ({"properties": {"hoodie.write.set.null.for.missing.columns": "yes"}}, "expected true or false, found 'yes'"),
    ],
)  # fmt: skip
def test_options_that_are_none_are_refused(named: dict[str, Any], message: str) -> None:
    """WRITE-206."""
    with pytest.raises(UsageError, match=re.escape(message)):
        WriteOptions(**named)


def test_values_are_kept_by_upserts_alone(tmp_path: Path) -> None:
    """WRITE-203."""
    table = new_table(tmp_path)
    with pytest.raises(
        UsageError, match="missing_columns: expected null: only upsert can keep stored values, found keep for append"
    ):
        table.append(rows("e"), missing_columns="keep")


def test_rules_that_merge_column_by_column_take_missing_columns_as_missing_values(tmp_path: Path) -> None:
    """WRITE-202."""
    payload = "org.apache.hudi.common.model.PartialUpdateAvroPayload"
    table = hudi_core.create(tmp_path / "t", TYPES, "id", ordering="ts", version=8)
    path = tmp_path / "t" / PROPERTIES_PATH
    kept = [line for line in path.read_text().splitlines() if ".merge." not in line and "payload.class" not in line]
    path.write_text(
        "\n".join([*kept, f"hoodie.compaction.payload.class={payload}", "hoodie.record.merge.mode=CUSTOM"]) + "\n"
    )
    table = hudi_core.open(tmp_path / "t")
    table.insert(rows("ab"))
    table.upsert(rows("a", 2).select(["id", "ts", "fare"]))
    assert (stored(tmp_path)["a"]["city"], stored(tmp_path)["a"]["fare"]) == ("a1", 2)


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("missing", [None, "null", "keep"])
def test_rows_to_merge_have_the_ordering_column(tmp_path: Path, kind: str, missing: Any) -> None:
    """WRITE-207."""
    table = new_table(tmp_path, kind, ordering=["ts", "inner.a"])
    before = stored(tmp_path)
    with pytest.raises(UnknownColumnError, match=r"^ts: expected the ordering column in the rows to merge"):
        table.upsert(rows("ae", 5).drop_columns(["ts"]), missing_columns=missing)
    with pytest.raises(UnknownColumnError, match=r"^inner\.a: expected the ordering column"):
        table.upsert(rows("ae", 5).drop_columns(["inner"]), missing_columns=missing)
    assert stored(tmp_path) == before
    table.append(rows("e", 5).drop_columns(["ts"]))
    assert stored(tmp_path)["e"]["ts"] is None


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_commits_order_rows_without_their_ordering_column(tmp_path: Path, kind: str) -> None:
    """WRITE-207: the table's merge mode, not its ordering column, decides."""
    options = {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}
    table = new_table(tmp_path, kind, ordering="ts", options=options)
    table.upsert(rows("a", 5).drop_columns(["ts"]), missing_columns="keep")
    assert (stored(tmp_path)["a"]["ts"], stored(tmp_path)["a"]["fare"]) == (1, 5)


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("field", ["_hoodie_commit_time", "_hoodie_commit_seqno"])
def test_ordering_by_the_commit_is_commit_time_order(tmp_path: Path, kind: str, version: int, field: str) -> None:
    """MERGE-200."""
    hudi_core.create(tmp_path / "t", TYPES, "id", ordering="ts", type=kind, version=version)
    path = tmp_path / "t" / PROPERTIES_PATH
    path.write_text(
        path.read_text().replace("hoodie.table.ordering.fields=ts", f"hoodie.table.precombine.field={field}")
    )
    table = hudi_core.open(tmp_path / "t")
    table.insert(rows("ab", 5))
    table.upsert(rows("a", 1))
    table.upsert(rows("a", 2))
    assert [(stored(tmp_path)[name]["ts"]) for name in "ab"] == [2, 5]


@pytest.mark.each_value
@pytest.mark.parametrize("op", ["upsert", "insert_overwrite_table"])
@pytest.mark.parametrize("wider", [pa.float64(), pa.float32()])
def test_whole_numbers_in_floating_point_are_integers(tmp_path: Path, op: str, wider: pa.DataType) -> None:
    """WRITE-201: as pandas has a column of integers with a missing value."""
    table = new_table(tmp_path)
    batch = rows("ab", 2)
    for values, stored_values in (
        ([3.0, None], [3, None]),
        ([float("nan"), -4.0], [None, -4]),
        ([-0.0, 2.0**23], [0, 1 << 23]),
    ):
        table.write(batch.set_column(4, "fare", pa.array(values, wider, from_pandas=False)), op)
        assert [stored(tmp_path)[name]["fare"] for name in "ab"] == stored_values
    assert hudi_core.open(tmp_path / "t").scan(columns=["fare"]).to_arrow().schema.field("fare").type == pa.int64()


@pytest.mark.parametrize("value", [0.5, float("inf"), 1e300, 2.0**53, -(2.0**53)])
def test_other_numbers_in_a_column_of_integers_are_refused_with_their_row(tmp_path: Path, value: float) -> None:
    """WRITE-201."""
    table = new_table(tmp_path)
    before = stored(tmp_path)
    batch = pa.concat_tables([rows("a", 2), rows("b", 2).set_column(4, "fare", pa.array([2]))])
    batch = batch.set_column(4, "fare", pa.array([1.0, value]))
    with pytest.raises(RowError, match=rf"^fare: row 2: .* exact in long, found {re.escape(repr(value))}"):
        table.upsert(batch)
    assert stored(tmp_path) == before
    nested = rows("a", 2).set_column(6, "items", pa.array([[0.5]]))
    with pytest.raises((RowError, SchemaError), match="items"):
        table.upsert(nested)


@pytest.mark.parametrize("op", ["append", "insert", "bulk_insert"])
def test_rows_that_are_added_widen_integers_only_by_a_number_that_is_none(tmp_path: Path, op: str) -> None:
    """WRITE-201, WRITE-74."""
    table = new_table(tmp_path)
    table.write(rows("e", 2).set_column(4, "fare", pa.array([None], pa.float64())), op)
    table.write(rows("f", 2).set_column(4, "fare", pa.array([7.0])), op)
    assert hudi_core.open(tmp_path / "t").schema["fare"].type == table.schema["fare"].type
    with pytest.warns(UserWarning, match="widens long to double"):
        table.write(rows("g", 2).set_column(4, "fare", pa.array([0.5])), op)
    assert [stored(tmp_path)[name]["fare"] for name in "efg"] == [None, 7.0, 0.5]


@pytest.mark.each_value
@pytest.mark.parametrize("op", ["append", "insert", "bulk_insert"])
@pytest.mark.parametrize("values", [[0.5, None], [None, 0.5], [float("nan"), 0.5], [2.0**53, None]])
def test_a_batch_with_a_gap_widens_no_integers(tmp_path: Path, op: str, values: list[float | None]) -> None:
    """WRITE-201: the column may be a floating-point one for the gap alone."""
    table = new_table(tmp_path)
    before = stored(tmp_path)
    batch = pa.concat_tables([rows("e", 2), rows("f", 2)]).set_column(4, "fare", pa.array(values, from_pandas=False))
    empty = 1 + next(row for row, value in enumerate(values) if value is None or value != value)
    with (
        pytest.warns(UserWarning, match="widens"),
        pytest.raises(RowError, match=rf"^fare: row {empty}: expected a number, as every row has .*, found none"),
    ):
        table.write(batch, op)
    assert stored(tmp_path) == before


def test_a_gap_in_a_struct_counts(tmp_path: Path) -> None:
    """WRITE-201: at every depth outside of arrays and maps."""
    types = pa.schema([("id", pa.string()), ("s", pa.struct([("n", pa.int64())]))])
    table = hudi_core.create(tmp_path / "t", types, key="id")
    wide = pa.struct([("n", pa.float64())])
    with pytest.warns(UserWarning, match="widens"), pytest.raises(RowError, match=r"^s\.n: row 2: "):
        table.append(pa.table({"id": ["a", "b"], "s": pa.array([{"n": 0.5}, {"n": None}], wide)}))
    with pytest.warns(UserWarning, match="widens"):
        table.append(pa.table({"id": ["a", "b"], "s": pa.array([{"n": 0.5}, {"n": 1.0}], wide)}))


@pytest.mark.parametrize("op", ["append", "insert", "bulk_insert", "upsert"])
def test_frames_widen_no_integers(tmp_path: Path, op: str) -> None:
    """WRITE-201: pandas decides on their types."""
    table = new_table(tmp_path)
    frame = rows("e", 2).drop(["items"]).to_pandas().assign(fare=[0.5])
    with pytest.raises(RowError, match=r"^fare: row 1: expected a whole number"):
        table.write(frame, op, missing_columns="null")
    table.write(frame.assign(fare=[7.0]), op, missing_columns="null")
    table.evolve("ALTER COLUMN fare TYPE double")
    table.refresh().write(frame, op, missing_columns="null")
    assert hudi_core.open(tmp_path / "t").count("fare = 0.5") == 1


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("op", ["append", "upsert", "insert_overwrite_table"])
def test_texts_in_a_column_of_bytes_are_bytes(tmp_path: Path, kind: str, op: str) -> None:
    """WRITE-501: a column of texts could not have the bytes that are stored."""
    nested = pa.struct([("x", pa.list_(pa.binary()))])
    types = pa.schema([("id", pa.string()), ("b", pa.binary()), ("n", nested)])
    table = hudi_core.create(tmp_path / "t", types, key="id", type=kind)
    table.insert(pa.table({"id": ["a"], "b": [b"\xff"], "n": [{"x": [b"\xfe"]}]}, types))
    table.write(pa.table({"id": ["b", "c"], "b": ["ü", None], "n": [{"x": ["t", None]}, None]}), op)
    written = {row["id"]: (row["b"], row["n"]) for row in hudi_core.open(tmp_path / "t").to_arrow().to_pylist()}
    kept = {} if op == "insert_overwrite_table" else {"a": (b"\xff", {"x": [b"\xfe"]})}
    assert written == {**kept, "b": ("ü".encode(), {"x": [b"t", None]}), "c": (None, None)}


def test_errors_name_rows_of_the_input_whatever_its_numbers(tmp_path: Path) -> None:
    """WRITE-201: a row that is refused for another reason is refused where a column would be widened, too."""
    table = new_table(tmp_path)
    keyless = rows("e", 2).set_column(0, "id", pa.array([None], pa.string())).set_column(4, "fare", pa.array([0.5]))
    with pytest.raises(HudiError, match="row 1"), pytest.warns(UserWarning, match="widens"):
        table.append(keyless)


@pytest.mark.parametrize(("kind", "operation"), [("cow", "D"), ("mor", "-U"), ("cow", "x"), ("cow", 4)])
def test_rows_that_say_they_were_deleted_are_refused(tmp_path: Path, kind: str, operation: Any) -> None:
    """WRITE-1000."""
    table = new_table(tmp_path, kind)
    before, files = stored(tmp_path), sorted((tmp_path / "t").rglob("*"))
    given = rows("ab", 2).append_column("_hoodie_operation", pa.array([None, operation]))
    with pytest.raises(RowError, match=r"_hoodie_operation: row 2: expected I or U, or null, of a row to write"):
        table.upsert(given)
    assert (stored(tmp_path), sorted((tmp_path / "t").rglob("*"))) == (before, files)
    table.upsert(rows("ab", 2).append_column("_hoodie_operation", pa.array(["I", None])))
    assert stored(tmp_path)["a"]["fare"] == stored(tmp_path)["b"]["fare"] == 2

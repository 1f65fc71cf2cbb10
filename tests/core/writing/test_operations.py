"""Rows that are written and read back: a law against a dictionary of keys, and the operations one by one.

Also covers: `writing/incoming.py`, `writing/plan.py`, `writing/tasks.py`,
`writing/input_files.py`,
`writing/schema_on_write.py`, `writing/result.py`, `writing/row_size.py`, `writing/operation.py`,
`writing/operation_plans.py`.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_arrow.engine import ENGINE
from hudi_core.cluster.options import ClusterOptions
from hudi_core.data_files import spool as spool_module
from hudi_core.data_files.spool import spool
from hudi_core.errors import ConflictError, RowError, SchemaError, UnknownColumnError, UsageError
from hudi_core.formats.bloom import parse_bloom_filter
from hudi_core.front.opening import create_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.incoming import Incoming, incoming_rows
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.write_run import WriteRun
from tests.support.drawing import cases

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("v", pa.int64()), ("ts", pa.int64())])
KINDS = [(kind, version) for kind in ("cow", "mor") for version in (6, 8, 9)]
Row = tuple[str, str, int | None, int]


def new_table(folder: Path, kind: str = "cow", version: int = 9, **settings: Any) -> Table:
    given = {"partition_by": "p", "ordering": "ts", **settings}
    return create_table(folder / "t", TYPES, "id", type=kind, version=version, **given)


def arrow(rows: Iterable[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def keys(rows: Iterable[tuple[str, str]]) -> pa.Table:
    return pa.Table.from_pylist([{"id": key, "p": path} for key, path in rows], TYPES.remove(3).remove(2))


def rows_of(table: Table, *names: str) -> list[tuple[Any, ...]]:
    columns = names or tuple(TYPES.names)
    return sorted(tuple(row[name] for name in columns) for row in refreshed(table).scan(columns=columns).to_json_rows())


ROWS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xy"), st.none() | st.integers(0, 99), st.integers(0, 3)),
    max_size=8,
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["upsert", "delete", "insert_overwrite", "drop"]), ROWS), min_size=1, max_size=4
)


@settings(max_examples=cases(12), deadline=None)
@given(st.sampled_from(KINDS), st.booleans(), STEPS)
def test_a_table_is_a_dictionary_of_keys(
    kind: tuple[str, int], ordered: bool, steps: list[tuple[str, list[Row]]]
) -> None:
    """WRITE-5, WRITE-7, WRITE-16."""
    with tempfile.TemporaryDirectory() as folder:
        table = new_table(Path(folder), *kind, ordering="ts" if ordered else ())
        model: dict[tuple[str, str], Row] = {}
        for op, rows in steps:
            if op == "delete":
                write(table, keys((row[0], row[1]) for row in rows), op)
                for row in rows:
                    model.pop(row[:2], None)
            elif op == "drop":
                live = sorted({path for _, path in model})[:1]
                if live:
                    delete_partitions(table, live)
                    model = {key: row for key, row in model.items() if key[1] not in live}
            elif op == "insert_overwrite":
                distinct = {row[:2]: row for row in rows}
                write(table, arrow(distinct.values()), op)
                touched = {path for _, path in distinct}
                model = {key: row for key, row in model.items() if key[1] not in touched} | distinct
            else:
                write(table, arrow(rows), op)
                for row in rows:
                    older = model.get(row[:2])
                    if older is None or not ordered or row[3] >= older[3]:
                        model[row[:2]] = row
            assert rows_of(table) == sorted(model.values(), key=lambda row: (row[0], row[1]))


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_untouched_rows_keep_their_time_and_number(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-8."""
    table = new_table(tmp_path, kind, version)
    first = write(table, arrow([("a", "x", 1, 1), ("b", "x", 2, 2), ("c", "x", 3, 1)]))
    second = write(table, arrow([("a", "x", 5, 2), ("b", "x", 6, 1)]))
    meta = ("id", "v", "_hoodie_commit_time", "_hoodie_record_key", "_hoodie_partition_path")
    assert rows_of(table, *meta) == [
        ("a", 5, second.instant, "a", "x"), ("b", 2, first.instant, "b", "x"), ("c", 3, first.instant, "c", "x")
    ]  # fmt: skip
    numbers = [row[0] for row in rows_of(table, "_hoodie_commit_seqno")]
    assert len(set(numbers)) == 3
    if kind == "cow":
        assert sorted(numbers) == [f"{first.instant}_0_1", f"{first.instant}_0_2", f"{second.instant}_0_0"]
        names = {row[0] for row in rows_of(table, "_hoodie_file_name")}
        assert names == {refreshed(table).slices()[0].base.name}  # type: ignore[union-attr]


def test_files_are_in_the_order_of_keys_and_state_their_key_range(tmp_path: Path) -> None:
    """WRITE-9, WRITE-11, FORMAT-1042."""
    table = new_table(tmp_path)
    write(table, arrow([(key, "x", 1, 1) for key in ("d", "b", "a", "c")]))
    path = tmp_path / "t" / refreshed(table).slices()[0].base.path  # type: ignore[union-attr]
    parquet = pq.ParquetFile(path)
    assert parquet.read(["id"]).column(0).to_pylist() == ["a", "b", "c", "d"]
    pairs = parquet.metadata.metadata
    assert (pairs[b"hoodie_min_record_key"], pairs[b"hoodie_max_record_key"]) == (b"a", b"d")
    assert pairs[b"hoodie_bloom_filter_type_code"] == b"DYNAMIC_V0"
    assert len(parse_bloom_filter(pairs[b"org.apache.hudi.bloomfilter"].decode(), "here").rows) == 1
    assert len(pairs[b"org.apache.hudi.bloomfilter"]) < 200  # made for four keys, not for sixty thousand
    write(table, arrow([("e", "x", 1, 1), ("b", "x", 9, 2)]))
    path = tmp_path / "t" / refreshed(table).slices()[0].base.path  # type: ignore[union-attr]
    assert pq.read_table(path, columns=["id", "v"]).to_pydict() == {
        "id": ["a", "b", "c", "d", "e"], "v": [1, 9, 1, 1, 1]
    }  # fmt: skip


def test_keys_beyond_one_order_of_characters_get_no_range(tmp_path: Path) -> None:
    """WRITE-11."""
    table = new_table(tmp_path)
    write(table, arrow([("\U0001f600", "x", 1, 1), ("a", "x", 1, 1)]))
    path = tmp_path / "t" / refreshed(table).slices()[0].base.path  # type: ignore[union-attr]
    assert b"hoodie_min_record_key" not in pq.ParquetFile(path).metadata.metadata


def test_small_files_are_filled_before_new_ones_are_made(tmp_path: Path) -> None:
    """WRITE-17, WRITE-18."""
    table = new_table(tmp_path)
    for op, count in (("insert", 1), ("insert", 1), ("append", 2), ("upsert", 2), ("bulk_insert", 3)):
        write(table, arrow([(f"{op}-{n}", "x", n, 1) for n in range(3)]), op)
        assert len(refreshed(table).slices()) == count
    assert len(rows_of(table)) == 15


def test_new_files_are_cut_by_measured_sizes_and_keys_are_not_split(tmp_path: Path) -> None:
    """WRITE-18, WRITE-19."""
    table = new_table(tmp_path, ordering=())
    rng = np.random.default_rng(5)
    rows = pa.table({
        "id": [f"{n // 2:08d}" for n in range(20_000)], "p": ["x"] * 20_000,
        "v": rng.integers(0, 1 << 60, 20_000), "ts": np.arange(20_000),
    })  # fmt: skip
    write(table, rows, options=WriteOptions(sizes=FileSizes(target=60_000, small=0)))
    slices = refreshed(table).slices()
    sizes = [file_slice.base.size for file_slice in slices if file_slice.base is not None]
    assert len(sizes) > 2
    assert max(sizes) < 90_000
    values = dict(zip(rows["id"].to_pylist(), rows["v"].to_pylist(), strict=True))  # the last of each key
    assert {row[0]: row[2] for row in rows_of(table)} == values
    assert len(rows_of(table)) == 10_000


def test_inserts_keep_rows_of_one_key_and_appends_read_nothing(tmp_path: Path) -> None:
    """WRITE-6."""
    table = new_table(tmp_path)
    write(table, arrow([("a", "x", 1, 1)]), "insert")
    write(table, arrow([("a", "x", 2, 1)]), "insert")
    write(table, arrow([("a", "x", 3, 1)]), "append")
    assert [row[2] for row in rows_of(table)] == [1, 2, 3]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_rows_with_a_delete_marker_are_deleted(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-7, WRITE-14."""
    table = new_table(tmp_path, kind, version)
    write(table, arrow([("a", "x", 1, 5), ("b", "x", 1, 5), ("c", "x", 1, 5)]))
    marked = arrow([("a", "x", 1, 6), ("b", "x", 1, 4), ("d", "x", 1, 1)])
    write(table, marked.append_column("_hoodie_is_deleted", pa.array([True, True, True])))
    assert [row[0] for row in rows_of(table)] == ["b", "c"]


def test_new_keys_that_are_deleted_at_once_make_no_file(tmp_path: Path) -> None:
    """WRITE-7."""
    types = pa.schema([("id", pa.string()), ("_hoodie_is_deleted", pa.bool_())])
    table = create_table(tmp_path / "t", types, "id")
    written = table.upsert(pa.table({"id": ["a", "b"], "_hoodie_is_deleted": [True, True]}, types))
    assert (written.inserted, written.files_added) == (0, 0)
    assert not list((tmp_path / "t").glob("*.parquet"))


def test_a_batch_may_add_lack_and_widen_columns(tmp_path: Path) -> None:
    """WRITE-1, WRITE-2."""
    types = pa.schema([("id", pa.string()), ("n", pa.int32()), ("s", pa.string())])
    table = create_table(tmp_path / "t", types, "id")
    write(table, pa.Table.from_pylist([{"id": "a", "n": 1, "s": "x"}, {"id": "b", "n": 2, "s": "y"}], types))
    batch = pa.table({"id": ["b", "c"], "n": pa.array([1 << 40, 5], pa.int64()), "new": [1.5, None]})
    write(table, batch, options=WriteOptions(missing_columns="null", add_columns=True))
    assert rows_of(table, "id", "n", "s", "new") == [
        ("a", 1, "x", None), ("b", 1 << 40, None, 1.5), ("c", 5, None, None)
    ]  # fmt: skip


@pytest.mark.parametrize("wider", [pa.float64(), pa.float32()])
def test_a_batch_that_widens_a_column_to_a_type_that_rounds_its_values_warns(
    tmp_path: Path, wider: pa.DataType
) -> None:
    """WRITE-74."""
    types = pa.schema([("id", pa.string()), ("n", pa.int64())])
    table = create_table(tmp_path / "t", types, "id")
    large = (1 << 53) + 1
    write(table, pa.table({"id": ["a"], "n": [large]}, types))
    batch = pa.table({"id": ["b"], "n": pa.array([0.5], wider)})
    with pytest.warns(UserWarning, match=r"^n: the batch widens long to (double|float), which rounds large values$"):
        write(table, batch, "append")
    assert rows_of(table, "id", "n") == [("a", float(1 << 53)), ("b", 0.5)]
    write(table, pa.table({"id": ["c"], "n": pa.array([1.5], wider)}))  # the column has the type: nothing is widened


def test_rows_that_do_not_fit_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    """WRITE-3, WRITE-4."""
    table = new_table(tmp_path)
    write(table, arrow([("a", "x", 1, 1)]))
    before = sorted(path for path in (tmp_path / "t").rglob("*"))
    good, bad = arrow([("b", "x", 1, 1)] * 3), arrow([("c", "x", 1, 1), (None, "x", 1, 1)])  # type: ignore[list-item]
    with pytest.raises(RowError, match="row 5"):
        write(table, pa.concat_tables([good, bad]))
    with pytest.raises(SchemaError, match="v"):
        write(table, pa.table({"id": ["a"], "p": ["x"], "v": ["text"], "ts": [1]}))
    with pytest.raises(UnknownColumnError, match="id: "):
        write(table, pa.table({"p": ["x"], "v": [1], "ts": [1]}))
    with pytest.raises(UsageError, match="op"):
        write(table, good, "merge")
    with pytest.raises(UsageError, match="rows: expected an object"):
        write(table, object())
    assert sorted(path for path in (tmp_path / "t").rglob("*")) == before


def test_a_required_column_takes_no_null(tmp_path: Path) -> None:
    """WRITE-3."""
    types = pa.schema([pa.field("id", pa.string(), False), pa.field("n", pa.int64(), False)])
    table = create_table(tmp_path / "t", types, "id")
    with pytest.raises(RowError, match="n: row 2"):
        write(table, pa.table({"id": ["a", "b"], "n": [1, None]}))


def test_overwriting_leaves_other_partitions_or_nothing(tmp_path: Path) -> None:
    """WRITE-20."""
    table = new_table(tmp_path)
    write(table, arrow([("a", "x", 1, 1), ("b", "y", 1, 1)]))
    result = write(table, arrow([("c", "x", 2, 1)]), "insert_overwrite")
    assert (result.operation, result.files_added, result.files_replaced) == ("INSERT_OVERWRITE", 1, 1)
    assert [row[0] for row in rows_of(table)] == ["b", "c"]
    write(table, arrow([("d", "z", 2, 1)]), "insert_overwrite_table")
    assert [row[0] for row in rows_of(table)] == ["d"]
    with pytest.raises(UsageError, match="nowhere"):
        delete_partitions(table, ["nowhere"])
    delete_partitions(table, ["z"])
    assert rows_of(table) == []


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_virtual_keys(tmp_path: Path, kind: str) -> None:
    """WRITE-10."""
    table = new_table(tmp_path, kind, options={"hoodie.populate.meta.fields": "false"})
    write(table, arrow([("a", "x", 1, 1), ("b", "x", 1, 1)]))
    write(table, arrow([("a", "x", 2, 2), ("c", "x", 1, 1)]))
    write(table, keys([("b", "x")]), "delete")
    assert rows_of(table) == [("a", "x", 2, 2), ("c", "x", 1, 1)]
    path = tmp_path / "t" / next(s.base.path for s in refreshed(table).slices() if s.base is not None)
    assert pq.read_table(path, columns=["_hoodie_record_key"]).column(0).null_count > 0


@pytest.mark.each_value
@pytest.mark.parametrize("type", [pa.string(), pa.int64(), pa.list_(pa.int64())], ids=str)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_new_column_beside_virtual_keys_is_null_in_old_rows(tmp_path: Path, kind: str, type: pa.DataType) -> None:
    """TIME-230: also where files have values in the meta columns, as some writers leave them."""
    table = new_table(tmp_path, kind)
    write(table, arrow([("a", "x", 1, 1), ("b", "x", 1, 1)]))
    properties = tmp_path / "t" / ".hoodie" / "hoodie.properties"
    lines = [line for line in properties.read_text().splitlines() if not line.startswith("hoodie.populate.meta")]
    properties.write_text("\n".join([*lines, "hoodie.populate.meta.fields=false", ""]))
    value = {pa.string(): "n", pa.int64(): 7}.get(type, [7])
    more = arrow([("a", "x", 2, 2), ("c", "x", 1, 1)]).append_column("new", pa.array([value, value], type))
    write(table, more)
    shown = [("a", 2, value), ("b", 1, None), ("c", 1, value)]
    assert rows_of(table, "id", "v", "new") == shown
    refreshed(table).cluster(ClusterOptions(columns=("v",)))
    assert rows_of(table, "id", "v", "new") == shown


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)])
def test_a_record_index_of_virtual_keys_is_kept(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-72."""
    options = {"hoodie.populate.meta.fields": "false"}
    table = new_table(tmp_path, kind, version, indexes=["record_index"], options=options)
    write(table, arrow([("a", "x", 1, 1), ("b", "x", 1, 1), ("c", "y", 1, 1)]), "insert")
    assert list(refreshed(table).validate(["record_index"])) == []
    write(table, arrow([("d", "x", 1, 1)]), "insert")
    write(table, arrow([("a", "x", 2, 2), ("e", "x", 1, 1), ("f", "z", 1, 1)]))
    assert list(refreshed(table).validate(["record_index"])) == []
    write(table, arrow([("h", "z", 1, 1)]), "insert_overwrite")
    write(table, keys([("b", "x")]), "delete")
    refreshed(table).cluster(ClusterOptions(columns=("v",)))
    write(table, arrow([("a", "x", 3, 3), ("i", "x", 1, 1)]))
    assert list(refreshed(table).validate(["record_index"])) == []
    assert [row[0] for row in rows_of(table)] == ["a", "c", "d", "e", "h", "i"]


def test_rows_beyond_memory_wait_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-22."""
    paths = []
    with_limit = spool_module.spool

    def small(*arguments: Any) -> Any:
        made = with_limit(*arguments, max_rows=2)
        paths.append(made.path)
        return made

    monkeypatch.setattr("hudi_core.writing.incoming.spool", small)
    table = new_table(tmp_path)
    data = pa.Table.from_batches([batch for n in range(5) for batch in arrow([(f"{n}", "x", n, 1)]).to_batches()])
    write(table, data)
    assert len(rows_of(table)) == 5
    assert paths[0] is not None
    assert not Path(paths[0]).exists()


def test_a_spool_gives_any_rows_in_any_order(tmp_path: Path) -> None:
    data = arrow([(f"{n}", "x", n, 1) for n in range(10)])
    schema = ENGINE.rows.read_given(data).schema
    for limit in (3, 100):
        rows = spool(ENGINE, schema, data.to_batches(max_chunksize=2), limit)
        assert (rows.path is None) is (limit == 100)
        chosen = pa.Table.from_batches(rows.take(np.array([7, 0, 7])))
        assert chosen.column("v").to_pylist() == [7, 0, 7]
        assert rows.rows == 10
        rows.close()


def test_a_dry_run_writes_nothing_and_reports_what_it_would_write(tmp_path: Path) -> None:
    """WRITE-23."""
    table = new_table(tmp_path)
    write(table, arrow([("a", "x", 1, 1), ("b", "x", 1, 1)]))
    before = sorted(path for path in (tmp_path / "t").rglob("*"))
    result = write(table, arrow([("a", "x", 2, 2), ("c", "y", 1, 1)]), options=WriteOptions(dry_run=True))
    assert (result.instant, result.inserted, result.updated, result.files_added, result.files_replaced) == (
        None,
        1,
        1,
        2,
        1,
    )
    assert sorted(path for path in (tmp_path / "t").rglob("*")) == before


def test_progress_is_reported_task_by_task(tmp_path: Path) -> None:
    """WRITE-23."""
    reports: list[tuple[int, int]] = []
    table = new_table(tmp_path)
    options = WriteOptions(progress=lambda done, tasks: reports.append((done, tasks)))
    write(table, arrow([(f"{n}", f"p{n}", 1, 1) for n in range(20)]), options=options)
    assert reports[-1] == (20, 20)
    assert all(one[0] < other[0] for one, other in itertools.pairwise(reports))


def test_a_writer_that_loses_tries_again_and_gives_up_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-24."""
    monkeypatch.setattr("hudi_core.writing.write_run._WAIT_SECONDS", 0.0)
    table = new_table(tmp_path)
    write(table, arrow([("a", "x", 1, 1)]))
    statuses = WriteRun._write
    lost: list[int] = []

    def overtaken(run: WriteRun, *arguments: Any) -> Any:
        if len(lost) < 2:
            lost.append(1)
            with monkeypatch.context() as inner:
                inner.setattr(WriteRun, "_write", statuses)
                write(table, arrow([("a", "x", 10 + len(lost), 1)]))
        return statuses(run, *arguments)

    monkeypatch.setattr(WriteRun, "_write", overtaken)
    write(table, arrow([("a", "x", 5, 1)]))
    assert rows_of(table) == [("a", "x", 5, 1)]
    assert len(refreshed(table).timeline.commits) == 4
    lost.clear()
    with pytest.raises(ConflictError):
        write(table, arrow([("a", "x", 6, 1)]), options=replace(WriteOptions(), attempts=1))
    assert rows_of(table) == [("a", "x", 11, 1)]


class TestKeysOfAnAppend:
    """WRITE-1071."""

    ROWS = (("a", "x", 1, 1), ("b", "y", 2, 1), ("a", "x", 3, 2), ("c", "x", 4, 1))

    def given(self) -> pa.RecordBatchReader:
        """Batches that begin with different partitions."""
        rows = arrow(self.ROWS)
        return pa.RecordBatchReader.from_batches(TYPES, rows.to_batches(max_chunksize=1))

    def test_no_record_key_is_held_that_nothing_looks_at(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[Incoming] = []

        def watched(*arguments: Any, **named: Any) -> Incoming:
            made.append(incoming_rows(*arguments, **named))
            return made[-1]

        monkeypatch.setattr("hudi_core.writing.operations.incoming_rows", watched)
        table = new_table(tmp_path)
        write(table, self.given(), "append")
        write(table, self.given(), "upsert")
        assert [len(incoming.keys.records.offsets) - 1 for incoming in made] == [0, 4]
        assert [incoming.keys.paths for incoming in made] == [("x", "y")] * 2
        assert [incoming.keys.partitions.tolist() for incoming in made] == [[0, 1, 0, 0]] * 2

    def test_rows_go_to_their_partitions(self, tmp_path: Path) -> None:
        table = new_table(tmp_path)
        write(table, self.given(), "append")
        assert rows_of(table) == sorted(self.ROWS)

    def test_a_record_index_has_them_looked_at(self, tmp_path: Path) -> None:
        table = new_table(tmp_path, indexes=("record_index",))
        with pytest.raises(RowError, match="no earlier row has"):
            write(table, self.given(), "append")

"""Tables that have each key once: a law against a dictionary of keys, with rows that come in other partitions.

Also covers: `transactions/metadata_steps.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column
from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.options import PROPERTIES_PATH
from hudi_core.services.compaction.operations import compact
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.key_columns import NOWHERE
from hudi_core.tagging.key_reader import key_columns
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from tests.support.drawing import cases

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("v", pa.int64()), ("ts", pa.int64())])
MARKED = TYPES.append(pa.field("_hoodie_is_deleted", pa.bool_()))
KINDS = [(kind, version) for kind in ("cow", "mor") for version in (6, 8, 9)]
Row = tuple[str, str, int, int, bool]


def new_table(folder: Path, kind: str, version: int, ordered: bool, **settings: Any) -> Table:
    return create_table(
        folder / "t", TYPES, "id", partition_by="p", ordering="ts" if ordered else (), type=kind, version=version,
        indexes=["record_index", "column_stats"], **settings,
    )  # fmt: skip


def arrow(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(MARKED.names, row, strict=True)) for row in rows], MARKED)


def rows_of(table: Table) -> list[Row]:
    """As read with the metadata table, which must be usable, and without."""
    results = []
    for mode in (MetadataMode.REQUIRE, MetadataMode.OFF):
        scan = open_table(table.storage.uri, metadata=mode).scan(columns=MARKED.names)
        results.append(sorted(tuple(row[name] for name in MARKED.names) for row in scan.to_json_rows()))
    assert results[0] == results[1]
    return results[0]  # type: ignore[return-value]


ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.sampled_from("xyz"),
        st.integers(0, 99),
        st.integers(0, 3),
        st.sampled_from([False, False, True]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=cases(12), deadline=None)
@given(st.sampled_from(KINDS), st.booleans(), st.lists(ROWS, min_size=1, max_size=4))
def test_a_key_is_once_in_the_table(kind: tuple[str, int], ordered: bool, batches: list[list[Row]]) -> None:
    """WRITE-28."""
    with tempfile.TemporaryDirectory() as folder:
        table = new_table(Path(folder), *kind, ordered)
        model: dict[str, Row] = {}
        for rows in batches:
            write(table, arrow(rows))
            incoming: dict[str, Row] = {}
            for row in rows:
                older = incoming.get(row[0])
                if older is None or not ordered or row[3] >= older[3]:
                    incoming[row[0]] = row
            for key, row in incoming.items():
                stored = model.get(key)
                if stored is not None and ordered and row[3] < stored[3]:
                    continue
                model.pop(key, None)
                if not row[4]:
                    model[key] = row
            assert rows_of(table) == sorted(model.values())


def test_rows_merged_column_by_column_do_not_move(tmp_path: Path) -> None:
    """WRITE-29."""
    table = new_table(tmp_path, "cow", 9, True, options={"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"})
    write(table, arrow([("a", "x", 1, 1, False)]))
    write(table, arrow([("a", "x", 2, 2, False)]))
    with pytest.raises(UnsupportedError, match="other partitions"):
        write(table, arrow([("a", "y", 2, 2, False)]))
    assert rows_of(table) == [("a", "x", 2, 2, False)]


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_the_record_index_forgets_keys_of_replaced_file_groups(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-20."""
    table = new_table(tmp_path, kind, version, True)
    write(table, arrow([(key, "x", 1, 1, False) for key in "abc"] + [("d", "y", 1, 1, False)]))
    write(table, arrow([("b", "x", 2, 2, False), ("e", "x", 2, 2, False)]), "insert_overwrite")
    delete_partitions(table, ["y"])
    tagger = Tagger(open_table(table.storage.uri), TagOptions(IndexType.RECORD_INDEX, whole_table=True))
    keys = key_columns(string_column(list("abcde")), string_column(["x"] * 5))
    located = tagger.locate(keys)
    assert [slice_number != NOWHERE for slice_number in located.slices] == [False, True, False, False, True]
    assert tagger.work.counts["lost"] == 0


STAYS = {"hoodie.record.index.update.partition.path": "false"}


def stored_files(table: Table) -> dict[str, list[tuple[str, str, str, int]]]:
    """By partition the rows that the latest base files hold, each with the path and the value of its partition."""
    columns = ["id", "_hoodie_partition_path", "p", "v"]
    rows: dict[str, list[tuple[str, str, str, int]]] = {}
    for file_slice in open_table(table.storage.uri).slices():
        assert file_slice.base is not None
        file = pq.ParquetFile(Path(table.storage.uri) / file_slice.base.path)
        batch = file.read(columns).to_pylist()
        rows.setdefault(file_slice.partition, []).extend(tuple(row[name] for name in columns) for row in batch)  # type: ignore[misc]
    return rows


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_rows_stay_in_the_partition_of_their_key_where_they_are_not_to_move(
    tmp_path: Path, kind: str, version: int
) -> None:
    """WRITE-480."""
    table = new_table(tmp_path, kind, version, True)
    write(table, arrow([("a", "x", 1, 1, False), ("b", "x", 1, 1, False), ("c", "x", 1, 1, False)]))
    newer = [
        ("a", "y", 2, 2, False), ("b", "y", 2, 2, True), ("c", "y", 2, 0, False),
        ("d", "y", 2, 2, False), ("d", "z", 3, 3, False),
    ]  # fmt: skip
    write(table, arrow(newer), options=WriteOptions(properties=STAYS))
    assert rows_of(table) == [("a", "x", 2, 2, False), ("c", "x", 1, 1, False), ("d", "z", 3, 3, False)]
    assert open_table(table.storage.uri).scan("p = 'x'").count() == 2
    assert open_table(table.storage.uri).scan("p = 'y'").count() == 0
    if kind == "mor":
        compact(open_table(table.storage.uri))
    assert {path: sorted(rows) for path, rows in stored_files(table).items()} == {
        "x": [("a", "x", "y", 2), ("c", "x", "x", 1)],
        "z": [("d", "z", "z", 3)],
    }
    assert list(validate(open_table(table.storage.uri))) == []
    write(table, arrow([("a", "y", 4, 4, False)]))
    assert rows_of(table) == [("a", "y", 4, 4, False), ("c", "x", 1, 1, False), ("d", "z", 3, 3, False)]


def test_the_property_of_the_write_goes_before_that_of_the_table(tmp_path: Path) -> None:
    """WRITE-480."""
    table = new_table(tmp_path, "cow", 9, True)
    with (tmp_path / "t" / PROPERTIES_PATH).open("a") as properties:
        properties.write("hoodie.record.index.update.partition.path=false\n")
    table = open_table(table.storage.uri)
    write(table, arrow([("a", "x", 1, 1, False)]))
    write(table, arrow([("a", "y", 2, 2, False)]))
    assert rows_of(table) == [("a", "x", 2, 2, False)]
    assert [open_table(table.storage.uri).scan(f"p = '{path}'").count() for path in "xy"] == [1, 0]
    write(table, arrow([("a", "y", 3, 3, False)]), options=WriteOptions(properties=dict.fromkeys(STAYS, "true")))
    assert rows_of(table) == [("a", "y", 3, 3, False)]


@pytest.mark.parametrize("by", [["at"], ["p:SIMPLE", "at:TIMESTAMP"]])
def test_rows_do_not_stay_where_paths_do_not_give_their_columns(tmp_path: Path, by: list[str]) -> None:
    """WRITE-1700: the first row of the table would have another path than it is in, and each later write would be refused."""
    months = {
        "hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
        "hoodie.keygen.timebased.output.dateformat": "yyyy-MM",
        "hoodie.table.keygenerator.type": "TIMESTAMP" if by == ["at"] else "CUSTOM",
    }
    types = pa.schema([("id", pa.string()), ("p", pa.string()), ("at", pa.int64())])
    november, december = 1_700_000_000, 1_702_500_000

    def given(at: int) -> pa.Table:
        return pa.Table.from_pylist([{"id": "a", "p": "x", "at": at}], types)

    table = create_table(tmp_path / "t", types, "id", partition_by=by, indexes=["record_index"], options=months)
    write(table, given(november))
    with pytest.raises(UnsupportedError, match="whose paths do not give the value of at"):
        write(table, given(december), options=WriteOptions(properties=STAYS))
    write(table, given(november + 1), options=WriteOptions(properties=STAYS))
    write(table, given(december))
    assert open_table(tmp_path / "t").scan(columns=["at"]).to_arrow().to_pylist() == [{"at": december}]
    assert list(validate(open_table(tmp_path / "t"))) == []


def test_rows_merged_column_by_column_stay(tmp_path: Path) -> None:
    """WRITE-480, WRITE-29."""
    table = new_table(tmp_path, "cow", 9, True, options={"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"})
    write(table, arrow([("a", "x", 1, 1, False)]))
    write(table, arrow([("a", "y", 2, 2, False)]), options=WriteOptions(properties=STAYS))
    assert rows_of(table) == [("a", "x", 2, 2, False)]


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_partitioned_record_index_moves_and_deletes_no_row_of_another_partition(tmp_path: Path, kind: str) -> None:
    """WRITE-1537."""
    table = create_table(tmp_path / "t", TYPES.remove(3), "id", partition_by="p", type=kind, indexes=["files"])

    def given(*rows: tuple[str, str, int]) -> pa.Table:
        return pa.table(list(map(list, zip(*rows, strict=True))), TYPES.remove(3))

    def stored() -> list[tuple[str, str, int]]:
        rows = open_table(tmp_path / "t").scan(columns=["id", "p", "v"], meta=False).to_arrow().to_pylist()
        return sorted((row["id"], row["p"], row["v"]) for row in rows)

    write(table, given(("a", "x", 1), ("b", "x", 1)), "insert")
    build_indexes(table.refresh(), ["record_index"], IndexOptions(partitioned=True))
    assert table.refresh().upsert(given(("a", "y", 2))).inserted == 1
    assert table.refresh().upsert(given(("a", "x", 3), ("a", "y", 4))).updated == 2
    assert stored() == [("a", "x", 3), ("a", "y", 4), ("b", "x", 1)]
    merge = table.refresh().merge(given(("a", "z", 5), ("a", "y", 6)), on=["id", "p"])
    merge.when_matched_update().when_not_matched_insert().execute()
    assert stored() == [("a", "x", 3), ("a", "y", 6), ("a", "z", 5), ("b", "x", 1)]
    with table.refresh().transaction() as together:
        together.delete(given(("a", "x", 0)))
        together.upsert(given(("a", "y", 7)))
    assert table.refresh().delete(given(("a", "z", 0))).deleted == 1
    assert stored() == [("a", "y", 7), ("b", "x", 1)]
    assert not list(validate(open_table(tmp_path / "t")))
    with pytest.raises(UnsupportedError, match="a record index, which finds a key in any partition"):
        table.refresh().upsert(given(("a", "x", 1)), properties={"hoodie.index.type": "GLOBAL_RECORD_LEVEL_INDEX"})

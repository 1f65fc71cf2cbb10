"""Base files with several row groups: what is read of them, and that the rows are those of reading everything.

Also covers: `reading/selection.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.engine import ENGINE
from hudi_arrow.files.parquet import OpenedParquet, ParquetReader
from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.reading import base_files, small_files
from hudi_core.schema.schema import Path as Names
from hudi_core.table.table import Table
from tests.support.one_commit_tables import base_file_path, commit_base_files

GROUP, GROUPS, FILES = 100, 5, 3
AVRO = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "odd", "type": ["null", "long"]},
        {"name": "deep", "type": {"type": "record", "name": "deep", "fields": [
            {"name": "a", "type": "long"}, {"name": "b", "type": "string"}]}},
        {"name": "list", "type": {"type": "array", "items": "long"}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of three files of five row groups; ids ascend over all, `odd` repeats in each group."""
    folder = tmp_path_factory.mktemp("groups")
    for number in range(FILES):
        first = number * GROUP * GROUPS
        ids = range(first, first + GROUP * GROUPS)
        rows = pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "odd": pa.array([None if item % 7 == 0 else item % GROUP for item in ids], pa.int64()),
                "deep": [{"a": item, "b": str(item)} for item in ids],
                "list": [[item] * (item % 3) for item in ids],
            }
        )
        pq.write_table(rows, base_file_path(folder, number), row_group_size=GROUP)
    return commit_base_files(folder, AVRO)


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[Names] | None, Sequence[int] | None]]:
    """What is asked of the reader: file, columns, row groups. No file and no row group counts as small."""
    monkeypatch.setattr(base_files, "SMALL_ROW_GROUP_BYTES", 0)
    monkeypatch.setattr(small_files, "SMALL_FILE_BYTES", 0)
    found: list[tuple[str, list[Names] | None, Sequence[int] | None]] = []
    read = OpenedParquet.batches

    def noted(
        self: OpenedParquet,
        columns: Any = None,
        row_groups: Any = None,
        keep: Any = None,
    ) -> Iterator[pa.RecordBatch]:
        found.append((self.file.name[:3], columns, row_groups))
        return read(self, columns, row_groups, keep)

    monkeypatch.setattr(OpenedParquet, "batches", noted)
    assert isinstance(ENGINE.reader("parquet"), ParquetReader)
    return found


def rows(table: Table, **requested: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table.scan(**requested).to_arrow().to_pylist()
    return found


@pytest.mark.parametrize(
    "where", ["id = 731", "odd = 31 AND id > 700", "deep.b = '44'", "odd IS NULL", "odd > 20", "id < 0"]
)
def test_rows_are_those_of_reading_everything(root: Path, where: str) -> None:
    table = open_table(str(root))
    keep = {
        "id = 731": lambda row: row["id"] == 731,
        "odd = 31 AND id > 700": lambda row: row["odd"] == 31 and row["id"] > 700,
        "deep.b = '44'": lambda row: row["deep"]["b"] == "44",
        "odd IS NULL": lambda row: row["odd"] is None,
        "odd > 20": lambda row: row["odd"] is not None and row["odd"] > 20,
        "id < 0": lambda row: row["id"] < 0,
    }[where]
    assert rows(table, where=where) == [row for row in rows(table) if keep(row)]
    assert table.scan(where=where).count() == len(rows(table, where=where))


def test_only_row_groups_that_can_match_are_read_and_other_columns_only_where_a_row_does(
    root: Path, requested: list[Any]
) -> None:
    """TABLE-16."""
    assert rows(open_table(str(root)), where="id = 731", columns=["deep.a"]) == [{"deep": {"a": 731}}]
    assert requested == [("f01", [("id",)], [2]), ("f01", [("deep", "a")], [2])]
    requested.clear()
    assert rows(open_table(str(root)), where="deep.b = '5x'", columns=["list"]) == []
    assert {columns[0] for _, columns, _ in requested} == {("deep", "b")} and len(requested) <= FILES * GROUPS


@pytest.mark.parametrize("where", ["id = 731", "deep.b = '5x'", "odd >= 0"])
def test_small_row_groups_are_read_once(
    root: Path, requested: list[Any], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """TABLE-16."""
    wanted = rows(open_table(str(root)), where=where, columns=["deep.a"])
    requested.clear()
    monkeypatch.setattr(base_files, "SMALL_ROW_GROUP_BYTES", 1 << 19)
    assert rows(open_table(str(root)), where=where, columns=["deep.a"]) == wanted
    read = [(file, group) for file, _, groups in requested for group in groups]
    assert read and len(read) == len(set(read))


def test_only_the_wanted_fields_of_a_struct_are_read(root: Path, requested: list[Any]) -> None:
    """TABLE-16."""
    found = rows(open_table(str(root)), columns=["deep.b"], limit=2)
    assert found == [{"deep": {"b": "0"}}, {"deep": {"b": "1"}}]
    assert requested == [("f00", [("deep", "b")], None)]


def test_row_groups_of_a_single_file_are_read_side_by_side(root: Path, requested: list[Any]) -> None:
    """TABLE-14."""
    first, last = GROUP * GROUPS, 2 * GROUP * GROUPS - 1
    table = open_table(str(root))
    found = rows(table, where=f"id >= {first} AND id <= {last}", columns=["id"])
    assert [row["id"] for row in found] == list(range(first, last + 1))
    assert sorted(groups for _, _, groups in requested) == [[group] for group in range(GROUPS)]
    requested.clear()
    found = rows(table, where=f"id >= {first} AND id <= {last} AND odd < 30", columns=["deep.a"])
    assert [row["deep"]["a"] for row in found] == [n for n in range(first, last + 1) if n % 7 and n % GROUP < 30]
    assert {file for file, _, _ in requested} == {"f01"} and len(requested) == 2 * GROUPS


def test_a_limit_opens_no_more_files_than_it_needs(root: Path, requested: list[Any]) -> None:
    """TABLE-14."""
    assert len(rows(open_table(str(root)), limit=GROUP * GROUPS)) == GROUP * GROUPS
    assert {file for file, _, _ in requested} == {"f00"}


def test_rows_are_counted_without_being_read(root: Path, requested: list[Any]) -> None:
    """TABLE-17."""
    table = open_table(str(root))
    assert table.scan().count() == FILES * GROUPS * GROUP
    assert table.scan(where="id >= 0", limit=7).count() == 7
    assert requested == []
    assert table.scan(where="odd = 3").count() == sum(row["odd"] == 3 for row in rows(table))
    assert requested[0][1] == [("odd",)]


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("where", [None, "n > 0"])
def test_a_foreign_file_under_the_name_of_a_base_file_is_refused(tmp_path: Path, kind: str, where: str | None) -> None:
    """READ-1281: its rows would be null in all columns, in the place of those that are lost."""
    rows = pa.table({"id": ["a", "b"], "n": [1, 2]})
    table = create_table(tmp_path / "t", rows.schema, "id", type=kind)
    table.insert(rows)
    (file,) = (tmp_path / "t").glob("*.parquet")
    pq.write_table(pa.table({"other": [1]}), file)
    with pytest.raises(
        CorruptFileError, match=r"expected a base file, with columns of the table, found a file of other"
    ):
        table.refresh().scan(where=where).to_arrow()

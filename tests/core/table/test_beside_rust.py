"""Tables as hudi-rs leaves them: read, validated, written on, served. By hand from its sources: it was not run."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from tests.support.rust_tables import COLUMNS, KINDS, instant, rust_table

Row = tuple[str, str, int, int]
FIRST: dict[str, list[Row]] = {
    "COPY_ON_WRITE": [("a", "x", 1, 0), ("b", "x", 1, 1), ("c", "x", 1, 2)],
    "MERGE_ON_READ": [("a", "x", 1, 0), ("b", "x", 2, 11), ("d", "y", 1, 3)],
}
kinds = pytest.mark.parametrize("kind", FIRST)


def rows_of(table: Table, where: str | None = None) -> list[Row]:
    return sorted(tuple(row[name] for name in COLUMNS) for row in table.scan(where, meta=False).to_json_rows())


def rows(*given: Row) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(COLUMNS, row, strict=True)) for row in given], pa.schema(list(KINDS.items())))


def problems(table: Table) -> list[str]:
    return [str(finding) for finding in table.validate() if finding.severity.value == "error"]


@kinds
def test_they_are_read_and_validated(tmp_path: Path, kind: str) -> None:
    """TABLE-740."""
    table = open_table(rust_table(tmp_path / "t", kind))
    assert rows_of(table) == FIRST[kind]
    assert rows_of(table, "n > 1") == [row for row in FIRST[kind] if row[3] > 1]
    assert rows_of(table, "_hoodie_record_key = 'b'") == [row for row in FIRST[kind] if row[0] == "b"]
    assert problems(table) == []


@kinds
def test_a_write_that_died_there_is_rolled_back_by_its_markers(tmp_path: Path, kind: str) -> None:
    """TABLE-740: it has no heartbeat."""
    root = rust_table(tmp_path / "t", kind)
    open_table(root).upsert(rows(("a", "x", 5, 50), ("e", "y", 1, 4)))
    assert [path.name for path in root.rglob(f"*{instant(9)}*.parquet")] == []
    assert not (root / f".hoodie/.temp/{instant(9)}").exists()
    assert open_table(root).timeline.pending == ()


@pytest.mark.one_of(2)
@kinds
def test_they_are_written_on_and_served(tmp_path: Path, kind: str) -> None:
    """TABLE-740: upserts, deletes, indexes, clustering, compaction, clean and archive."""
    root = rust_table(tmp_path / "t", kind)
    open_table(root).upsert(rows(("a", "x", 5, 50), ("e", "y", 1, 4)))
    open_table(root).delete(where="id = 'b'")
    expected = sorted([row for row in FIRST[kind] if row[0] not in "ab"] + [("a", "x", 5, 50), ("e", "y", 1, 4)])
    assert rows_of(open_table(root)) == expected
    hudi_core.build_indexes(open_table(root), ["files", "column_stats", "record_index"])
    assert rows_of(open_table(root)) == expected
    open_table(root).upsert(rows(("e", "y", 2, 40)))
    expected = sorted([row for row in expected if row[0] != "e"] + [("e", "y", 2, 40)])
    if kind == "MERGE_ON_READ":
        open_table(root).compact()
    open_table(root).cluster(columns=["n"])
    open_table(root).clean()
    open_table(root).archive()
    table = open_table(root)
    assert rows_of(table) == expected
    assert rows_of(table, "_hoodie_record_key = 'e'") == [("e", "y", 2, 40)]
    assert problems(table) == []

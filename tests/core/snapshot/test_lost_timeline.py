"""A timeline without instants, where a table has files of writes: it is lost, and the table is not empty."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.validation.validate import validate

ROWS = pa.table({"id": ["a"], "p": ["x"]})


def new_table(folder: Path, version: int, type_: str = "cow") -> Table:
    made = create_table(folder / "t", ROWS, "id", partition_by="p", type=type_, version=version, indexes="files")
    made.append(ROWS)
    return made


def state_another_folder(root: Path) -> None:
    properties = root / ".hoodie" / "hoodie.properties"
    lines = [line for line in properties.read_text().splitlines() if not line.startswith("hoodie.timeline.path")]
    properties.write_text("\n".join([*lines, "hoodie.timeline.path=elsewhere", ""]))


def remove_folder(root: Path) -> None:
    shutil.rmtree(root / ".hoodie" / "timeline")


def remove_instants(root: Path) -> None:
    for file in (root / ".hoodie").glob("2*"):
        file.unlink()


@pytest.mark.parametrize(
    ("version", "lose"),
    [(9, state_another_folder), (8, state_another_folder), (9, remove_folder), (6, remove_instants)],
)
def test_a_table_whose_timeline_is_lost_is_not_empty(tmp_path: Path, version: int, lose: object) -> None:
    """TABLE-1370: no row would come, and a write would begin a second table over the first."""
    assert callable(lose)
    new_table(tmp_path, version, "mor" if version == 8 else "cow")
    lose(tmp_path / "t")
    before = sorted(tmp_path.rglob("*"))
    table = open_table(tmp_path / "t")
    for use in (table.count, table.slices, lambda: table.changes("earliest").count(), lambda: table.append(ROWS)):
        with pytest.raises(CorruptFileError, match=r"expected instants of the writes .* found none, beside x/"):
            use()
    assert sorted(tmp_path.rglob("*")) == before
    assert [finding.severity.value for finding in validate(table, ["timeline"])] == ["error"]


def test_files_of_others_are_no_lost_writes(tmp_path: Path) -> None:
    """TABLE-1370."""
    (tmp_path / "t").mkdir()
    for name in ("day_part_7.parquet", "rows.parquet", ".draft"):
        (tmp_path / "t" / name).write_bytes(b"of others")
    made = create_table(tmp_path / "t", ROWS, "id")
    assert made.count() == 0
    made.append(ROWS)
    assert made.refresh().count() == 1


def test_a_first_write_that_comes_between_is_no_lost_one(tmp_path: Path) -> None:
    """TABLE-1370: the timeline was listed before its first write."""
    opened = create_table(tmp_path / "t", ROWS, "id")
    open_table(tmp_path / "t").append(ROWS)
    assert opened.count() == 0

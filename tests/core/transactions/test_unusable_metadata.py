"""A metadata table that no commit could write to: a change is refused before its first byte, and goes on once it is mended."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from tests.support.drawing import SOAK

ROWS = pa.table({"id": ["a", "b"], "p": ["x", "y"], "v": [1, 1]})


def remove_folder(metadata: Path) -> None:
    shutil.rmtree(metadata)


def remove_properties(metadata: Path) -> None:
    (metadata / ".hoodie" / "hoodie.properties").unlink()


def damage_properties(metadata: Path) -> None:
    (metadata / ".hoodie" / "hoodie.properties").write_text("cut")


def remove_instants(metadata: Path) -> None:
    for file in (metadata / ".hoodie").rglob("[0-9]*"):
        file.unlink()


def remove_partition(metadata: Path) -> None:
    shutil.rmtree(metadata / "column_stats")


CHANGES: dict[str, Callable[[Table], object]] = {
    "upsert": lambda table: table.upsert(ROWS),
    "append": lambda table: table.append(ROWS),
    "delete": lambda table: table.delete(where="v = 1"),
    "overwrite": lambda table: table.overwrite(ROWS),
    "delete partitions": lambda table: table.delete_partitions(["x"]),
    "evolve": lambda table: table.evolve("ADD COLUMN w int"),
    "cluster": lambda table: table.cluster(columns=["v"]),
    "compact": lambda table: table.compact(),
    "clean": lambda table: table.clean(keep_commits=1),
    "archive": lambda table: table.archive(keep_min=1, keep_max=2),
    "services": lambda table: table.run_services(),
}
DAMAGES = [remove_folder, damage_properties, remove_partition, *([remove_properties, remove_instants] if SOAK else [])]


@pytest.mark.parametrize("number", range(len(DAMAGES)))
def test_a_change_is_refused_before_its_first_byte(tmp_path: Path, number: int) -> None:
    """META-1374."""
    version, root = (6, 9)[number % 2], tmp_path / "t"
    made = create_table(
        root, ROWS, "id", partition_by="p", type="mor", version=version, indexes=["column_stats", "record_index"]
    )
    for _ in range(3):
        made.upsert(ROWS)
    DAMAGES[number](root / ".hoodie" / "metadata")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.name != ".hoodie"}
    for name, change in CHANGES.items():
        with pytest.raises(CorruptFileError) as raised:
            change(open_table(root))
        assert ".hoodie/metadata" in str(raised.value), name
        assert any("--mend" in note for note in raised.value.__notes__), name
        after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.name != ".hoodie"}
        assert after == before, name
    assert open_table(root).count() == 2
    open_table(root).savepoint()
    table = open_table(root)
    mend(table, list(validate(table)))
    assert open_table(root).upsert(ROWS).updated == 2
    assert not list(open_table(root).validate())

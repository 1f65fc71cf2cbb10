"""META-86: a write that fails after its commit of the metadata table leaves nothing there, and neither does one rolled back."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.commit.steps import Create
from hudi_core.engine import Storage
from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import create_table
from hudi_core.metadata.record_index import locations
from hudi_core.metadata_writer.undo import undo_steps
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMMIT
from hudi_core.transactions import transaction as transactions
from hudi_core.transactions.rollback import roll_back_completed
from hudi_core.writing.operations import write

SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64())])
INDEXES = ["column_stats", "bloom_filters", "record_index"]
each_version = pytest.mark.parametrize("version", [6, 8, 9])


def rows(*numbers: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": f"k{number}", "n": number} for number in numbers], SCHEMA)


def new_table(folder: Path, version: int, kind: str = "cow") -> Table:
    table = create_table(folder, SCHEMA, "id", version=version, type=kind, indexes=INDEXES)
    write(table, rows(1, 2))
    return refreshed(table)


def stored(folder: Path) -> dict[str, bytes]:
    """All files of the metadata table."""
    root = folder / ".hoodie/metadata"
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@each_version
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_write_that_crashes_leaves_nothing_in_the_metadata_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int, kind: str
) -> None:
    table = new_table(tmp_path / "t", version, kind)
    before = stored(tmp_path / "t")

    def dies(_: Storage, completed: Create) -> None:
        assert completed.path.endswith((".commit", ".deltacommit"))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(transactions, "create_all_the_same", dies)
        patched.setattr(transactions, "_undo", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            write(table, rows(2, 3))
    assert len(stored(tmp_path / "t")) > len(before)
    dead = refreshed(table)
    assert not dead.warnings
    assert dead.scan("n >= 1").to_arrow().num_rows == 2
    write(dead, rows(4))
    healed = refreshed(table)
    assert sorted(healed.scan(columns=["n"]).to_arrow().column(0).to_pylist()) == [1, 2, 4]
    metadata = healed.snapshot().metadata
    assert metadata is not None
    assert {number for number, _ in locations(metadata.lookup("record_index", ["k1", "k2", "k3", "k4"]))} == {0, 1, 3}
    named = {name for sizes in metadata.files().by_name().values() for name in sizes}
    on_disk = {path.name for path in (tmp_path / "t").iterdir() if path.is_file()} - {".hoodie_partition_metadata"}
    assert named == on_disk


@each_version
def test_a_rollback_restores_the_metadata_table(tmp_path: Path, version: int) -> None:
    table = new_table(tmp_path / "t", version)
    before = stored(tmp_path / "t")
    write(table, rows(2, 3))
    latest = refreshed(table)
    roll_back_completed(latest, latest.timeline.commits[-1].requested_time)
    assert stored(tmp_path / "t") == before
    assert sorted(refreshed(table).scan(columns=["n"]).to_arrow().column(0).to_pylist()) == [1, 2]


def test_compacted_commits_cannot_be_rolled_back(tmp_path: Path) -> None:
    table = new_table(tmp_path / "t", 9)
    time = table.timeline.commits[-1].requested_time
    (tmp_path / f"t/.hoodie/metadata/.hoodie/timeline/29991231235959000_29991231235959001.{COMMIT}").write_bytes(b"")
    with pytest.raises(UnsupportedError, match="found 29991231235959000"):
        list(undo_steps(table.storage, time))


def test_a_table_without_a_metadata_table_has_nothing_to_take_out(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", SCHEMA, "id")
    assert not list(undo_steps(table.storage, "20240101000000000"))

"""What storage refuses when a write is complete: the write succeeds all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit.heartbeat import HEARTBEATS
from hudi_core.commit.lock import LOCK_PATH
from hudi_core.commit.markers import MARKERS
from hudi_core.errors import StorageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.transactions.rollback import roll_back_dead
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write
from tests.support.crashes import later
from tests.support.written_tables import TYPES, read, rows


class KeepingStorage(ArrowStorage):
    """Deletes nothing below a path once there are so many completed commits."""

    kept, commits = "", 0

    def delete(self, path: str) -> None:
        self._refuse(path)
        super().delete(path)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths:
            self.delete(path)

    def delete_folder(self, path: str) -> None:
        self._refuse(path)
        super().delete_folder(path)

    def _refuse(self, path: str) -> None:
        completed = [info for info in self.list(".hoodie/timeline") if info.path.endswith(".commit")]
        if len(completed) == self.commits and path.startswith(self.kept):
            raise StorageError(self.where(path), message="Read-only file system")


@pytest.mark.parametrize("kept", [LOCK_PATH, HEARTBEATS, MARKERS])
def test_a_write_is_told_complete_that_storage_keeps_something_of(tmp_path: Path, kept: str) -> None:
    """COMMIT-1478."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p")
    write(open_table(path), rows(("a", "x", 1)))
    storage = KeepingStorage(str(path))
    storage.kept, storage.commits = kept, 2
    with pytest.warns(UserWarning, match="is complete, but left something that a later write deletes.*Read-only"):
        result = write(replace(open_table(path), storage=storage), rows(("b", "x", 2)), "append")
    assert result.instant is not None and storage.exists(kept)
    assert read(path) == [("a", "x", 1), ("b", "x", 2)]
    if kept == LOCK_PATH:
        storage.commits = 0
        storage.delete(LOCK_PATH)  # this process is alive, so it counts for five minutes
    write(open_table(path), rows(("c", "x", 3)), "append")
    assert read(path) == [("a", "x", 1), ("b", "x", 2), ("c", "x", 3)]
    roll_back_dead(open_table(path), later)
    assert list(validate(open_table(path), clock=later)) == []


class DoubtfulStorage(ArrowStorage):
    """Raises once the completed instant of a write is there: at the sync of its folder, or in the place of an answer. With `lost`
    the instant is not there, or is that of somebody else."""

    raises, at_sync, lost = False, True, False

    def create(self, path: str, content: bytes = b"") -> None:
        is_completed = path.endswith("commit") and not path.startswith(".hoodie/metadata")
        self.raises = self.raises or is_completed
        if is_completed and self.lost:
            raise StorageError(self.where(path), message="Input/output error")
        super().create(path, content)
        if is_completed and not self.at_sync:
            raise StorageError(self.where(path), message="Input/output error")

    def sync(self) -> None:
        if self.raises and self.at_sync:
            self.raises = False
            raise StorageError(self.uri, message="Input/output error")
        super().sync()


@pytest.mark.parametrize("at_sync", [True, False])
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_write_whose_instant_is_there_is_told_complete(tmp_path: Path, kind: str, at_sync: bool) -> None:
    """COMMIT-1526: with an error a job would append its rows once more."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", type=kind, indexes=["record_index"])
    write(open_table(path), rows(("a", "x", 1)))
    storage = DoubtfulStorage(str(path))
    storage.at_sync = at_sync
    with pytest.warns(UserWarning, match="is complete, but may not outlive a loss of power: .*Input/output error"):
        result = write(replace(open_table(path), storage=storage), rows(("b", "x", 2)), "append")
    assert result.instant == open_table(path).timeline.commits[-1].requested_time
    assert read(path) == [("a", "x", 1), ("b", "x", 2)]
    assert list(validate(open_table(path))) == []


def test_a_write_whose_instant_is_not_there_fails(tmp_path: Path) -> None:
    """COMMIT-1526."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p")
    write(open_table(path), rows(("a", "x", 1)))
    storage = DoubtfulStorage(str(path))
    storage.lost = True
    with pytest.raises(StorageError, match="commit: Input/output error"):
        write(replace(open_table(path), storage=storage), rows(("b", "x", 2)), "append")
    assert read(path) == [("a", "x", 1)]
    write(open_table(path), rows(("b", "x", 2)), "append")
    assert read(path) == [("a", "x", 1), ("b", "x", 2)]

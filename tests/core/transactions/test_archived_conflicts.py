"""Conflicts with writes that completed and were archived while another write went on."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.removal import drop_index
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.overlapping import KINDS, held
from tests.support.written_tables import TYPES, read, rows


def new_table(folder: Path, kind: str, version: int) -> Path:
    """A table without a metadata table, whose compactions would hold back archives."""
    path = folder / "t"
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version)  # type: ignore[arg-type]
    if open_table(path).config.kept_partitions:
        drop_index(open_table(path), "files")
    write(open_table(path), rows(("a", "x", 1), ("b", "x", 1)), "append")
    return path


def append(path: Path, *keys: str) -> None:
    for key in keys:
        write(open_table(path), rows((key, "y", 1)), "append")


def overwrite(path: Path, options: WriteOptions) -> None:
    write(open_table(path), rows(("b", "x", 200)), "insert_overwrite", options)


def archive_most(path: Path) -> int:
    options = ArchiveOptions(2, properties={"hoodie.clean.commits.retained": "1"})
    return archive(open_table(path), options).instants


@pytest.mark.one_of(2)
@KINDS
def test_a_write_that_was_archived_since_is_not_overwritten(tmp_path: Path, kind: str, version: int) -> None:
    """CONFLICT-1430: the file group was changed by a write that was pending when this one began."""
    path = new_table(tmp_path, kind, version)
    with held(lambda options: write(open_table(path), rows(("a", "x", 100)), "upsert", options)) as complete_first:
        append(path, "c", "d", "e")
        with held(lambda options: overwrite(path, options)) as complete:
            complete_first()
            append(path, "f", "g", "h", "i")
            assert archive_most(path) >= 2
            with pytest.raises(ConflictError, match="nobody else changed"):
                complete()
    assert read(path)[:2] == [("a", "x", 100), ("b", "x", 1)]


def test_a_write_that_was_taken_back_since_is_none(tmp_path: Path) -> None:
    """CONFLICT-1430: it is gone from the timeline, and not in the history."""
    path = new_table(tmp_path, "cow", 9)
    with (
        held(lambda options: write(open_table(path), rows(("a", "x", 100)), "upsert", options)) as complete_first,
        held(lambda options: write(open_table(path), rows(("k", "y", 1)), "append", options)) as complete,
    ):
        overwrite(path, WriteOptions())
        with pytest.raises(ConflictError):
            complete_first()
        complete()
    assert read(path) == [("b", "x", 200), ("k", "y", 1)]

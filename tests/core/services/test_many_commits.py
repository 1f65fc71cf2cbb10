"""Tables of many commits: what a clean and an archive ask of the storage grows with their number, and no faster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from tests.support.many_commits import GROUPS, table_of_many_commits


class CountingStorage(ArrowStorage):
    """Counts files that are listed, read and deleted."""

    def __init__(self, uri: str) -> None:
        super().__init__(uri)
        self.counts: Counter[str] = Counter()

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        files = super().list(folder, recursive=recursive, without=without)
        self.counts["listed"] += len(files)
        return files

    def read(self, path: str) -> bytes:
        self.counts["read"] += 1
        return super().read(path)

    def delete(self, path: str) -> None:
        self.counts["deleted"] += 1
        super().delete(path)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        self.counts["deleted"] += len(paths)
        super().delete_files(paths, in_order=in_order)


def counted(path: Path, commits: int, version: int) -> Counter[str]:
    """What a clean and an archive of a table of so many commits ask for."""
    table, storage = table_of_many_commits(path, commits, version), CountingStorage(str(path))
    table = Table(table.engine, storage, table.config, table.timeline)
    assert clean(table, CleanOptions(keep_commits=10)).files == commits - GROUPS - 10
    assert archive(table, ArchiveOptions(keep_min=20, keep_max=30)).instants >= commits - 20
    assert len(open_table(path).timeline.with_archived().commits) == commits
    return storage.counts


@pytest.mark.parametrize("version", [6, 9])
def test_twice_the_commits_ask_for_twice_as_much(tmp_path: Path, version: int) -> None:
    """CLEAN-397, ARCHIVE-400."""
    once, twice = (counted(tmp_path / str(commits), commits, version) for commits in (300, 600))
    for what, count in twice.items():
        assert count <= 2.3 * once[what] + 20, what

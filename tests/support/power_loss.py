"""A disk that loses what was not synced, as a real one may when the power fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hudi_core import local_files

Inode = tuple[int, int]
"""Number and time of change: numbers are given again."""


def _inode(path: Path) -> Inode:
    state = path.stat()
    return state.st_ino, state.st_mtime_ns


@dataclass
class Disk:
    """What of a folder is durable: the content of files that were synced, and the names in folders that were synced."""

    root: Path
    contents: dict[Inode, bytes] = field(default_factory=dict)
    names: dict[Path, dict[str, Inode | None]] = field(default_factory=dict)
    """Of each folder its names: of files with the file, of folders with None."""
    syncs: int = 0
    before_sync: Callable[[], None] = lambda: None

    def keep_all(self) -> None:
        """All that is there is durable."""
        for path in (self.root, *self.root.rglob("*")):
            self._keep(path)

    def sync(self, path: Path) -> None:
        self.syncs += 1
        if path.exists():
            self._keep(path)

    def _keep(self, path: Path) -> None:
        if path.is_dir():
            self.names[path] = {entry.name: None if entry.is_dir() else _inode(entry) for entry in path.iterdir()}
        else:
            self.contents[_inode(path)] = path.read_bytes()

    def lose(self, target: Path) -> None:
        """The folder after the power failed: nothing that was not synced is there."""
        self._restore(self.root, target)

    def tear(self, target: Path) -> None:
        """The folder after the power failed, where names came to the disk earlier than contents, as some file systems do it."""
        for path in self.root.rglob("*"):
            copy = target / path.relative_to(self.root)
            if path.is_dir():
                copy.mkdir(parents=True, exist_ok=True)
            elif not path.name.endswith(".tmp"):
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(self.contents.get(_inode(path), b""))

    def _restore(self, folder: Path, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        for name, inode in self.names.get(folder, {}).items():
            if inode is None:
                self._restore(folder / name, target / name)
            elif not name.endswith(".tmp"):
                (target / name).write_bytes(self.contents.get(inode, b""))


@contextmanager
def disk_of(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """The disk below a folder, on which all is durable that is there now."""
    disk = Disk(root)
    disk.keep_all()
    whole = local_files.Unsynced.sync

    def sync(unsynced: local_files.Unsynced) -> None:
        disk.before_sync()
        whole(unsynced)

    with monkeypatch.context() as patched:
        patched.setattr(local_files, "sync_paths", lambda paths: [disk.sync(path) for path in paths])
        patched.setattr(local_files.Unsynced, "sync", sync)
        yield disk

"""Which files a storage is told of while slices are read: those of the next ones, each once, so many bytes ahead."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.engine import FileInfo
from hudi_core.reading.ahead import FETCHED_BYTES, MAX_BYTES, FilesAhead
from hudi_core.timeline.slices import FileSlice
from hudi_plain.storage import PlainStorage


class Expecting(PlainStorage):
    def __init__(self) -> None:
        super().__init__(".")
        self.paths: list[str] = []

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        self.paths += [file if isinstance(file, str) else file.path for file in files]


def slices(count: int, size: int) -> list[FileSlice]:
    return [FileSlice("", str(n), "1", FileInfo(f"base{n}", size), (FileInfo(f"log{n}", 1),)) for n in range(count)]


def test_the_next_slices_that_are_read_each_once() -> None:
    storage = Expecting()
    ahead = FilesAhead(storage, slices(10, 5), [1, 3, 5, 7], max_slices=2)
    ahead.reach(0)
    assert storage.paths == ["base1", "log1", "base3", "log3"]
    ahead.reach(1)
    ahead.reach(1)
    assert storage.paths[4:] == ["base5", "log5"]
    ahead.reach(3)
    assert storage.paths[6:] == ["base7", "log7"]


def test_so_many_bytes_ahead_of_the_one_that_is_read() -> None:
    storage = Expecting()
    ahead = FilesAhead(storage, slices(100, 10 * FETCHED_BYTES), range(100), max_slices=100)
    ahead.reach(0)
    assert len(storage.paths) == 2 * MAX_BYTES // FETCHED_BYTES
    ahead.reach(1)
    assert len(storage.paths) == 2 * MAX_BYTES // FETCHED_BYTES + 2


def test_a_slice_that_is_reached_late_is_still_reported() -> None:
    storage = Expecting()
    ahead = FilesAhead(storage, slices(5, 1), range(5), max_slices=1)
    ahead.reach(2)
    assert storage.paths == [f"{kind}{n}" for n in range(3) for kind in ("base", "log")]

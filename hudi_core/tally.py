"""How far work is, for whoever looks at it meanwhile: what its threads have done so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Final, TypeVar

from hudi_core.errors import UsageError, describe
from hudi_core.notebook import show_briefly

T = TypeVar("T")

READING: Final = "reading rows"
READING_FILES: Final = "reading files"
READING_FOOTERS: Final = "reading footers"
READING_COMMITS: Final = "reading commits"
READING_INDEXES: Final = "reading indexes"
LISTING_FILES: Final = "listing files"
DELETING_FILES: Final = "deleting files"
LOOKING_UP: Final = "looking up keys"
MAKING_KEYS: Final = "making keys"
WRITING: Final = "writing"
COMMITTING: Final = "committing"


@show_briefly
@dataclass(eq=False, repr=False)
class Tally:
    """What a write, a service or a scan has done so far. Its threads add to it; anybody may read it at any time.

    >>> tally = Tally()
    >>> tally.enter(WRITING, total=4)
    >>> tally.add(done=1, written=1_000, size=52_000)
    >>> tally.done, tally.total, tally.rows_written, tally.bytes_written
    (1, 4, 1000, 52000)
    """

    work: str = field(default="", init=False)
    """What is done, where several things follow each other, as services do."""
    stage: str = field(default="", init=False)
    """What is being done now."""
    done: int = field(default=0, init=False)
    """Tasks of this stage that are over."""
    total: int | None = field(default=None, init=False)
    """All tasks of this stage; None where they are not known."""
    rows_read: int = field(default=0, init=False)
    rows_written: int = field(default=0, init=False)
    bytes_written: int = field(default=0, init=False)
    """Bytes of the files that are complete."""
    all_rows: int | None = field(default=None, init=False)
    """The rows that there will be in the end; None where that is not known."""
    _lock: Lock = field(default_factory=Lock, init=False)
    _begun: float = field(default_factory=monotonic, init=False)

    def begin(self, work: str) -> None:
        """Begins the next of several things: it is in no stage yet."""
        self.work = work
        self.enter("")

    def enter(self, stage: str, total: int | None = None, all_rows: int | None = None) -> None:
        """Begins a stage: nothing of it is done yet."""
        with self._lock:
            self.stage, self.done, self.total, self.all_rows = stage, 0, total, all_rows
            self.rows_read = self.rows_written = self.bytes_written = 0
            self._begun = monotonic()

    def add(self, *, done: int = 0, read: int = 0, written: int = 0, size: int = 0) -> None:
        """Adds tasks, rows read, rows written and bytes written."""
        with self._lock:
            self.done += done
            self.rows_read += read
            self.rows_written += written
            self.bytes_written += size

    def reach(self, done: int, total: int) -> None:
        """Sets how many tasks of how many are over."""
        with self._lock:
            self.done, self.total = done, total

    def seconds_left(self) -> float | None:
        """About how long the stage still takes, at its pace so far; None where nothing tells."""
        done, total = self.done, self.total
        rows = max(self.rows_read, self.rows_written)
        if self.all_rows and rows:
            done, total = rows, self.all_rows
        if not total or not done:
            return None
        return (monotonic() - self._begun) * max(total - done, 0) / done

    def count_batches(self, batches: Iterable[T], count: Callable[[T], int]) -> Iterator[T]:
        """The batches, whose rows are added as they are read."""
        for batch in batches:
            self.add(read=count(batch))
            yield batch

    def count_stream(self, stream: Callable[[], Iterator[T]], count: Callable[[T], int]) -> Callable[[], Iterator[T]]:
        """The stream, whose rows are added as they are read, and which is a task that is over at its end."""

        def count_items() -> Iterator[T]:
            yield from self.count_batches(stream(), count)
            self.add(done=1)

        return count_items


def refuse_other_tally(tally: object) -> None:
    """Raises `UsageError` for what is no `Tally` and not None."""
    if tally is not None and not isinstance(tally, Tally):
        raise UsageError("tally", expected="a hudi_core.Tally", found=describe(tally))

"""Bounds of one run of a service that rewrites rows: by bytes read and written, and by memory. Rules UPKEEP-863, UPKEEP-864."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from hudi_core.arguments import take_fields
from hudi_core.errors import UsageError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkBounds:
    """How much is done at once; None for as much as there is."""

    bytes: int | None = None
    """Bytes read and written. The first piece of work is done whatever it has, so that each is done at last."""
    memory: int | None = None
    """Bytes in memory. A piece that needs more is never done."""

    def __post_init__(self) -> None:
        """Raises `UsageError` for bounds that are no whole numbers above 0."""
        take_fields(self)
        for name in ("bytes", "memory"):
            number = getattr(self, name)
            if number is not None and number <= 0:
                raise UsageError(name, expected="a number above 0", found=str(number))


NO_BOUNDS = WorkBounds()


@dataclass(frozen=True, slots=True)
class Work(Generic[T]):
    """A piece of work, the bytes that it reads and writes, and the memory that it needs."""

    piece: T
    bytes: int
    memory: int


@dataclass(frozen=True, slots=True)
class PutOff:
    """What bounds leave for later: how many pieces, their bytes, and the memory that would do for all of them that lack it."""

    pieces: int = 0
    bytes: int = 0
    memory: int = 0


def work_within(bounds: WorkBounds, pieces: Iterable[Work[T]]) -> tuple[list[T], PutOff]:
    """The pieces that are done, in order, and what is put off: after the first one that is too large all are."""
    done: list[T] = []
    late: list[Work[T]] = []
    large: list[Work[T]] = []
    size = 0
    for work in pieces:
        if bounds.memory is not None and work.memory > bounds.memory:
            large.append(work)
        elif bounds.bytes is not None and (late or (done and size + work.bytes > bounds.bytes)):
            late.append(work)
        else:
            done.append(work.piece)
            size += work.bytes
    put_off = [*late, *large]
    memory = max((work.memory for work in large), default=0)
    return done, PutOff(len(put_off), sum(work.bytes for work in put_off), memory)

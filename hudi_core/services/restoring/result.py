"""Results of savepoints and restores, as users get them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hudi_core.notebook import show_briefly


@show_briefly
@dataclass(frozen=True, slots=True)
class SavepointResult:
    """The result of saving a write, or of dropping its savepoint: `state` is `saved` or `dropped`, `instant` is the write's
    requested time, `files` counts the files that the savepoint keeps.
    """

    instant: str
    state: str
    by: str
    comment: str
    files: int

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RestoredPartition:
    """What a restore does in one partition: files deleted, and rows before and after; `rows_before` and `rows_after` are None
    unless they were counted, by a dry run."""

    partition: str
    files_deleted: int
    bytes_deleted: int
    rows_before: int | None = None
    rows_after: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class DeletedFile:
    """A data file that a restore deletes, and the instant that wrote it."""

    path: str
    instant: str
    bytes: int

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@show_briefly
@dataclass(frozen=True, slots=True)
class RestoreResult:
    """The result of a restore. `state` is `planned` after a dry run, whose `instant` is None, or `completed`.

    `target` is the last write that stays. `undone` are the instants after it, newest first; none of them can be brought back.
    """

    instant: str | None
    state: str
    target: str
    undone: tuple[str, ...]
    files_deleted: int
    files_kept: int
    """Files of the state that comes back: each was there before the first file was deleted."""
    bytes_deleted: int
    rebuilt: tuple[str, ...] = ()
    """Metadata partitions that were built anew."""
    seconds: float = 0.0
    partitions: tuple[RestoredPartition, ...] = ()
    files: tuple[DeletedFile, ...] = ()
    """With a dry run the files that would be deleted."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, without the files of a dry run."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "files"}
        return {
            **fields,
            "undone": list(self.undone),
            "rebuilt": list(self.rebuilt),
            "partitions": [partition.as_dict() for partition in self.partitions],
        }

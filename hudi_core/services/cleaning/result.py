"""The result of a clean, as users get it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hudi_core.notebook import show_briefly

NOTHING = "nothing to clean"


@dataclass(frozen=True, slots=True)
class CleanedFile:
    """A file that a clean deletes: the write that made it, its bytes, and why nobody needs it any more."""

    partition: str
    file: str
    instant: str
    bytes: int
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@show_briefly
@dataclass(frozen=True, slots=True)
class CleanResult:
    """The result of a clean. `state` is `completed` for a clean that ran, `planned` after a dry run, or `nothing to clean` with
    `instant` None.

    Queries from `earliest_retained` on answer as before: as of a time, since a time, and of changes. It is None where the
    policy counts versions: then only queries of the latest state are promised.
    """

    instant: str | None
    state: str
    policy: str
    earliest_retained: str | None
    files: int = 0
    bytes: int = 0
    files_kept: int = 0
    """Files of the plan that are needed again, by a savepoint or because later writes were undone: they stay."""
    partitions_deleted: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()
    """Cleans that died, and were finished first."""
    seconds: float = 0.0
    planned: tuple[CleanedFile, ...] = ()
    """With a dry run the files that would be deleted."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, without the files of a dry run."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "planned"}
        return {**fields, "partitions_deleted": list(self.partitions_deleted), "finished": list(self.finished)}

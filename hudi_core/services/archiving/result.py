"""The result of an archive, as users get it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hudi_core.notebook import show_briefly

NOTHING = "nothing to archive"


@dataclass(frozen=True, slots=True)
class ArchivedInstant:
    """An instant that leaves the active timeline, of the table or of its metadata table."""

    timeline: str
    requested_time: str
    completion_time: str | None
    action: str

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@show_briefly
@dataclass(frozen=True, slots=True)
class ArchiveResult:
    """The result of an archive. `state` is `completed`, `planned` after a dry run, or `nothing to archive`.

    `first_kept` is the first write that stays on the active timeline. `held_by` is the reason why more writes stay than the
    least number; it is None where that number alone decides.
    """

    state: str
    instants: int = 0
    metadata_instants: int = 0
    first_kept: str | None = None
    held_by: str | None = None
    files_merged: int = 0
    """Merges of files of the history."""
    seconds: float = 0.0
    planned: tuple[ArchivedInstant, ...] = ()
    """With a dry run the instants that would be archived."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, without the instants of a dry run."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "planned"}

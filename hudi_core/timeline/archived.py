"""What is asked of archived instants: `ArchivedTimeline`, the form of both layouts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from hudi_core.timeline.instants import Instant

Content = bytes | Mapping[str, Any]
"""What an instant says: bytes as the active timeline has them, or the record itself."""


class ArchivedTimeline(Protocol):
    """The completed instants that left the active timeline. Raises `CorruptFileError` and `StorageError`."""

    def instants(self) -> Sequence[Instant]:
        """All of them, in order; `Instant.file` is the path of the file that has it, from the table's root."""
        ...

    def completed_after(self, time: str) -> Sequence[Instant]:
        """Those that completed later than a time, in order; none where completion times are not known."""
        ...

    def completion_time(self, requested_time: str) -> str | None:
        """When the write requested at this time completed; None when the history does not tell."""
        ...

    def content(self, instant: Instant) -> Content:
        """What the completed instant says; empty bytes for nothing."""
        ...


def in_order(found: Iterable[Instant]) -> tuple[Instant, ...]:
    """Each instant once: an archive that was cut off and begun anew holds some twice."""
    once = {(instant.requested_time, instant.completes_as): instant for instant in found}
    return tuple(sorted(once.values(), key=lambda instant: instant.order))

"""`ArchivedTimeline`: queries of archived instants, in either layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from hudi_core.timeline.instants import Instant

Content = bytes | Mapping[str, Any]
"""The content of an instant: bytes as the active timeline has them, or the record itself."""


class ArchivedTimeline(Protocol):
    """The completed instants that left the active timeline. Raises `CorruptFileError` and `StorageError`."""

    def instants(self) -> Sequence[Instant]:
        """All of them, in order; `Instant.file` is the path of the file that has it, from the table's root."""
        ...

    def completed_after(self, time: str) -> Sequence[Instant]:
        """Those that completed later than a time, in order; empty where completion times are not recorded."""
        ...

    def completion_time(self, requested_time: str) -> str | None:
        """When the write requested at this time completed; None where the history does not record it."""
        ...

    def content(self, instant: Instant) -> Content:
        """The content of the completed instant; empty bytes where it has none."""
        ...


def in_order(instants: Iterable[Instant]) -> tuple[Instant, ...]:
    """The instants in order, without duplicates: an archive that was interrupted and begun again holds some twice."""
    distinct = {(instant.requested_time, instant.completes_as): instant for instant in instants}
    return tuple(sorted(distinct.values(), key=lambda instant: instant.order))

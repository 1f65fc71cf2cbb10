"""The result of a write, as users get it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hudi_core.commit.statuses import WriteStatus
from hudi_core.notebook import html_table, show_briefly


@show_briefly
@dataclass(frozen=True, slots=True)
class WriteResult:
    """The result of a write. `instant` is None if nothing was to be written, and after a dry run, whose counts are those of
    the write.

    Rows that went to a log file of a merge-on-read table count as updated: only a read decides whether they win.
    """

    instant: str | None
    operation: str
    inserted: int
    updated: int
    deleted: int
    files_added: int
    files_replaced: int
    bytes: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """The fields as a notebook's table."""
        return html_table(self.as_dict().items(), title=self.operation)


def nothing_written(operation: str, seconds: float = 0.0) -> WriteResult:
    """The result of a write that had nothing to do."""
    return WriteResult(None, operation, 0, 0, 0, 0, 0, 0, round(seconds, 3))


def result_of(
    instant: str | None, operation: str, statuses: Sequence[WriteStatus], replaced: int, seconds: float
) -> WriteResult:
    """The sum of what the tasks report; `replaced` counts the file groups that were replaced as a whole."""
    new_versions = sum(status.previous_base is not None and not status.is_log for status in statuses)
    return WriteResult(
        instant,
        operation,
        sum(status.inserts for status in statuses),
        sum(status.updates for status in statuses),
        sum(status.deletes for status in statuses),
        len(statuses),
        replaced + new_versions,
        sum(status.size for status in statuses),
        round(seconds, 3),
    )

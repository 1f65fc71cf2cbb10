"""The result of a clustering, as users get it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hudi_core.notebook import show_briefly


@show_briefly
@dataclass(frozen=True, slots=True)
class ClusterResult:
    """The result of a clustering. `state` is `requested` for a plan that waits, `completed` for one that ran, or `nothing to
    cluster` with `instant` None.

    `groups_dropped` counts groups of the plan that writers changed first: they stay as they are.
    """

    instant: str | None
    state: str
    strategy: str
    columns: tuple[str, ...]
    groups: int = 0
    groups_dropped: int = 0
    files_in: int = 0
    files_out: int = 0
    rows: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return {**asdict(self), "columns": list(self.columns)}

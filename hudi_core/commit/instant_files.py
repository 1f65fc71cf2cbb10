"""Names of the files of an action's three states, in both timeline layouts. Rule TIME-1."""

from __future__ import annotations

from dataclasses import dataclass

from hudi_core.paths import instant_name
from hudi_core.timeline.instants import COMMIT, name_completed_action


@dataclass(frozen=True, slots=True)
class InstantFiles:
    """Paths, from the table's root, of the files of one action requested at one time."""

    folder: str
    layout: int
    requested_time: str
    action: str

    def __post_init__(self) -> None:
        instant_name(self.requested_time, self.folder)

    @property
    def requested(self) -> str:
        return f"{self.folder}/{self.requested_time}.{self.action}.requested"

    @property
    def inflight(self) -> str:
        # A commit's inflight file does not name the action.
        action = "" if self.action == COMMIT else f".{self.action}"
        return f"{self.folder}/{self.requested_time}{action}.inflight"

    def name_completed(self, completion_time: str) -> str:
        action = name_completed_action(self.action)
        if self.layout == 1:
            return f"{self.folder}/{self.requested_time}.{action}"
        return f"{self.folder}/{self.requested_time}_{completion_time}.{action}"

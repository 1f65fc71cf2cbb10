"""A timeline to archive: that of a table, or of its metadata table. Rules ARCHIVE-390, ARCHIVE-398 to ARCHIVE-400."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hudi_core.commit.steps import DeleteMany, Step
from hudi_core.engine import Engine, Storage
from hudi_core.services.archiving.actions import Action
from hudi_core.services.archiving.log import LogWriter
from hudi_core.services.archiving.lsm import LsmWriter
from hudi_core.services.archiving.options import ArchiveSettings
from hudi_core.timeline.history_log import LogHistory
from hudi_core.timeline.history_lsm import LsmHistory, lsm_snapshot, time_range
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.timeline import Timeline

_TOGETHER: Final = 5000
"""Files that are deleted in one step."""


@dataclass(frozen=True)
class ArchiveTarget:
    """A timeline with the folder of its history."""

    engine: Engine[Any, Any, Any]
    storage: Storage
    timeline: Timeline
    history_folder: str
    settings: ArchiveSettings

    @property
    def layout(self) -> int:
        """The layout of the timeline, on which the form of the history depends."""
        return self.timeline.layout

    def add(self, actions: Sequence[Action], progress: Callable[[int], None]) -> None:
        """Writes actions to the history."""
        writer: LogWriter | LsmWriter = (
            LogWriter(self.storage, self.history_folder, self.settings.block_entries) if self.layout == 1 else self._lsm
        )
        writer.add(self.timeline, actions, progress)

    def tidy(self) -> int:
        """Merges files of the history, and deletes what no manifest names that stays; gives the number of merges."""
        if self.layout == 1:
            return 0
        merges = self._lsm.merge(self.settings.merged_files, self.settings.merged_bytes)
        self._lsm.remove_obsolete(self.settings.manifests + merges)
        return merges

    @property
    def _lsm(self) -> LsmWriter:
        return LsmWriter(self.engine, self.storage, self.history_folder)

    def removals(self, actions: Sequence[Action]) -> Iterator[Step]:
        """Takes actions off the timeline: what was before their completion first, then the completed files, the oldest first.

        So none of them is ever seen as pending, and what is left is the end of the timeline.
        """
        pending = [self._path(instant) for action in actions for instant in action.pending]
        for start in range(0, len(pending), _TOGETHER):
            yield DeleteMany(tuple(pending[start : start + _TOGETHER]))
        completed = [self._path(instant) for action in actions for instant in (*action.others, action.completed)]
        for start in range(0, len(completed), _TOGETHER):
            yield DeleteMany(tuple(completed[start : start + _TOGETHER]), in_order=True)

    def _path(self, instant: Instant) -> str:
        return f"{self.timeline.folder}/{instant.file}"

    def list_archived(self) -> list[Instant]:
        """Completed instants of the timeline that its history has: an archive that died did not come to delete them."""
        active = {(one.requested_time, one.completes_as): one for one in self.timeline.instants if one.completed}
        left: list[Instant] = []
        for instants in self._candidates():
            there = [active[key] for one in instants if (key := (one.requested_time, one.completes_as)) in active]
            if not there:
                break
            left += there
        return list(dict.fromkeys(left))

    def _candidates(self) -> Iterator[Sequence[Instant]]:
        """Instants of the history that may be on the timeline too, the latest first."""
        if self.layout == 1:
            yield from LogHistory(self.storage, self.history_folder).newest_first()
            return
        first = next((one.requested_time for one in self.timeline.instants if one.completed), None)
        files = lsm_snapshot(self.storage, self.history_folder).files
        if first is None or all(time_order(time_range(file)[1]) < time_order(first) for file in files):
            return
        reader = self.engine.reader("parquet")
        yield LsmHistory(self.storage, self.history_folder, reader, self.engine.rows).instants()

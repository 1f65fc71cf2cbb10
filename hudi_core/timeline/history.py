"""The history of a table: its archived instants, in the form of its layout. Rules TIME-20 to TIME-24, TIME-1141."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import Engine, Storage
from hudi_core.options import TableConfig
from hudi_core.portable import Portable
from hudi_core.timeline.instants import ArchivedTimeline, Content, Instant

if TYPE_CHECKING:
    from hudi_core.timeline import history_log, history_lsm
    from hudi_core.timeline.history_log import LogHistory
    from hudi_core.timeline.history_lsm import LsmHistory
else:
    history_log = ModuleByNeed("hudi_core.timeline.history_log")
    history_lsm = ModuleByNeed("hudi_core.timeline.history_lsm")

_PARQUET = "parquet"


@dataclass(frozen=True)
class History(Portable):
    """The archived instants of a table. Few queries go back to them: what reads them is made by the first that does."""

    engine: Engine[Any, Any, Any]
    storage: Storage
    config: TableConfig
    _turn: Lock = field(default_factory=Lock, repr=False, compare=False)

    @cached_property
    def _of_layout(self) -> LogHistory | LsmHistory:
        folder = self.config.history_folder
        if self.config.layout == 1:
            return history_log.LogHistory(self.storage, folder)
        return history_lsm.LsmHistory(self.storage, folder, self.engine.reader(_PARQUET), self.engine.rows)

    def instants(self) -> Sequence[Instant]:
        return self._of_layout.instants()

    def list_completed_after(self, time: str) -> Sequence[Instant]:
        return self._of_layout.list_completed_after(time)

    def completion_time(self, requested_time: str) -> str | None:
        return self._of_layout.completion_time(requested_time)

    def content(self, instant: Instant) -> Content:
        return self._of_layout.content(instant)

    def read_moved(self, active: Instant) -> Content | None:
        # Contents are read side by side: the first of those that moved together reads the newest history for all.
        with self._turn:
            instant = self._of_layout.find(active)
            if instant is None:
                self.__dict__.pop("_of_layout")  # as it was before the instant moved
                instant = self._of_layout.find(active)
            return None if instant is None else self._of_layout.content(instant)


def history_of(engine: Engine[Any, Any, Any], storage: Storage, config: TableConfig) -> ArchivedTimeline | None:
    """The history of a table; nothing is read yet. None when the engine cannot read the Parquet files it is kept in."""
    return History(engine, storage, config) if config.layout == 1 or _PARQUET in engine.formats else None

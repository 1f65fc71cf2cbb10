"""The history of a table: its archived instants, in the form of its layout. Rules TIME-20 to TIME-24."""

from __future__ import annotations

from typing import Any

from hudi_core.engine import Engine, Storage
from hudi_core.errors import UnsupportedError
from hudi_core.options import TableConfig
from hudi_core.timeline.history_log import LogHistory
from hudi_core.timeline.history_lsm import LsmHistory
from hudi_core.timeline.instants import ArchivedTimeline


def history_of(engine: Engine[Any, Any, Any], storage: Storage, config: TableConfig) -> ArchivedTimeline | None:
    """The history of a table; nothing is read yet. None when the engine cannot read the Parquet files it is kept in."""
    if config.layout == 1:
        return LogHistory(storage, config.history_folder)
    try:
        return LsmHistory(storage, config.history_folder, engine.reader("parquet"), engine.rows)
    except UnsupportedError:
        return None

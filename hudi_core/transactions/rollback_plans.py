"""The plan of a rollback: which files are of the write that is undone. Rules: ROLLBACK-1 to ROLLBACK-4, ROLLBACK-1293."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hudi_core.commit.markers import marker_folder, read_markers
from hudi_core.data_files.log_file import OWN_TIME_SINCE
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.notebook import show_briefly
from hudi_core.snapshot.snapshot import list_files
from hudi_core.table.table import Table
from hudi_core.timeline.instants import (
    Instant,
)
from hudi_core.transactions.command_blocks import Share, share_of
from hudi_core.transactions.dependents import later_writes


@show_briefly
@dataclass(frozen=True, slots=True)
class RollbackPlan:
    """The rollback of one instant. `files` are the data files that it removes, by path from the table's root."""

    instant: Instant
    files: tuple[str, ...]
    shared: tuple[str, ...] = ()
    """Log files of other writes too, which stay: the blocks of this one are cancelled."""
    rebuilt: tuple[str, ...] = ()
    """Metadata partitions that were built anew, since the write could not be taken out of them."""

    def as_dict(self) -> dict[str, Any]:
        """The rollback as users see it: the instant that is undone, its action, the number of files, and what was built anew."""
        return {
            "instant": self.instant.requested_time,
            "action": self.instant.action,
            "files_deleted": len(self.files),
            "rebuilt": list(self.rebuilt),
        }


def rollback_plan(table: Table, instant: Instant, *, everywhere: bool = False) -> RollbackPlan:
    """The data files of a write. Those of a completed one are in its metadata; a pending one announced them by markers, and
    where there are none, or `everywhere`, they are looked for in all partitions."""
    storage, time = table.storage, instant.requested_time
    if instant.completed:
        stats = table.timeline.metadata(instant).stats
        paths = {stat.path for of_partition in stats.values() for stat in of_partition if stat.path}
        paths |= {path for of_partition in stats.values() for stat in of_partition for path in stat.cdc_files}
        paths = {path for path in paths if _may_be_of(path, time, table.config.layout)}
    else:
        markers = read_markers(storage, time)
        paths = set() if markers is None else {path for path, _ in markers.files}
        _refuse_others(storage, paths, time, table.config.layout)
        if everywhere or markers is None or not markers.whole:
            paths |= {info.path for _, info in list_files(storage).infos() if _is_written_at(storage, info.path, time)}
    if table.config.version >= OWN_TIME_SINCE:
        return RollbackPlan(instant, tuple(sorted(paths)))
    # A log file of another write may have the name that this one announced, or get it while it is rolled back.
    logs = {path for path in paths if parse_log_file(path.rpartition("/")[2]) is not None}
    shares = {path: share_of(storage, path, time) for path in logs}
    named = _list_named_by_later(table, instant) if Share.ALL in shares.values() else set()
    shared = {path for path, share in shares.items() if share is Share.SOME or (share is Share.ALL and path in named)}
    own = (paths - logs) | {path for path, share in shares.items() if share is Share.ALL and path not in shared}
    return RollbackPlan(instant, tuple(sorted(own)), tuple(sorted(shared)))


def _list_named_by_later(table: Table, undone: Instant) -> set[str]:
    """The paths of files that writes name which were requested after this one and are complete: one of Apache Hudi also names log
    files that it met under the names that it had announced. Rule ROLLBACK-1293."""
    commits = [table.timeline.metadata(commit) for commit in later_writes(table, undone)]
    return {stat.path for commit in commits for of_partition in commit.stats.values() for stat in of_partition}


def _refuse_others(storage: Storage, paths: Iterable[str], time: str, layout: int) -> None:
    """Raises `CorruptFileError` where markers name a file that the write cannot have made: it stays."""
    for path in sorted(paths):
        if not _may_be_of(path, time, layout):
            where = f"{storage.uri}/{marker_folder(time)}"
            raise CorruptFileError(where, expected=f"markers of data files of {time}", found=repr(path))


def _may_be_of(path: str, time: str, layout: int) -> bool:
    """Whether a write requested at this time can have made the data file of this name. A log file of layout 1 has the time of
    its slice."""
    name = path.rpartition("/")[2]
    base, log = parse_base_file(name), parse_log_file(name)
    if base is not None:
        return base.instant == time
    return log is not None and (layout == 1 or log.instant == time)


def _is_written_at(storage: Storage, path: str, time: str) -> bool:
    """Whether a data file is of the write requested at this time. Names of log files of version 6 do not state it: their blocks
    do."""
    name = path.rpartition("/")[2]
    base = parse_base_file(name)
    if base is not None:
        return base.instant == time
    log = parse_log_file(name)
    if log is None:
        return False
    return log.instant == time or (log.instant < time and _has_block_of(storage, path, time))


def _has_block_of(storage: Storage, path: str, time: str) -> bool:
    return any(block.header.get(HeaderKey.INSTANT_TIME) == time for block in read_blocks(storage.open(path)))

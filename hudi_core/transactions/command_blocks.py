"""Blocks of a write that are cancelled where they stand: in a log file that other writes appended to as well.

Writers of old make such log files in table version 6. Rule ROLLBACK-575.

A new log file of the slice gets a command block that names the write; no reader counts its blocks from then on, even when no
instant tells any more that it was undone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from hudi_core.commit.steps import Step
from hudi_core.commit.times import next_time
from hudi_core.engine import Storage
from hudi_core.formats.log import BlockKind, HeaderKey, read_blocks, rollback_target
from hudi_core.formats.log_write import encode_block
from hudi_core.formats.names import LogFileName, parse_log_file
from hudi_core.metadata.table import FILES
from hudi_core.metadata_rows.rows import PartitionRows, file_rows
from hudi_core.metadata_writer.delta_commit import delta_commit_steps
from hudi_core.metadata_writer.undo import undo_steps
from hudi_core.paths import join_paths
from hudi_core.table.table import Table
from hudi_core.transactions.metadata_steps import require_metadata_table

_ROLLBACK: Final = "0"


class Share(Enum):
    """What of a file that a write announced is the write's."""

    ALL = auto()
    SOME = auto()
    """Its blocks are beside those of other writes."""
    NONE = auto()


@dataclass(frozen=True, slots=True)
class CommandLog:
    """A log file to be created, whose only block cancels blocks of a write. `path` is from the table's root."""

    path: str
    content: bytes
    cancelled: Mapping[str, int]
    """Bytes of the log files that hold the cancelled blocks, by path."""

    @property
    def partition(self) -> str:
        """The folder of the slice."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.rpartition("/")[2]


def share_of(storage: Storage, path: str, time: str) -> Share:
    """How much of a log file is of the write requested at this time. One whose blocks are all cancelled already counts as the
    others'; a file that is not there is nobody's."""
    if not storage.exists(path):
        return Share.NONE
    times = {
        block.header.get(HeaderKey.INSTANT_TIME)
        for block in read_blocks(storage.open(path))
        if block.kind is not BlockKind.COMMAND
    } - {None}
    if not times - {time}:
        return Share.ALL
    return Share.SOME if time in times else Share.NONE


def command_logs(storage: Storage, paths: Collection[str], target: str, instant_time: str) -> list[CommandLog]:
    """The log files that cancel the blocks of a write in log files of others, one for each slice: that of a run that died, else
    one of the next version, with the token of the slice's last log file, as Apache Hudi names it."""
    slices: dict[tuple[str, str, str], dict[str, int]] = {}
    for path in paths:
        partition, _, name = path.rpartition("/")
        log = parse_log_file(name)
        assert log is not None
        slices.setdefault((partition, log.file_id, log.instant), {})[path] = 0
    logs = []
    for (partition, file_id, instant), cancelled in slices.items():
        present = {
            info.path: (log, info.size)
            for info in storage.list(partition)
            if (log := parse_log_file(info.name)) is not None and (log.file_id, log.instant) == (file_id, instant)
        }
        sizes = {path: present[path][1] for path in cancelled if path in present}
        done = next((path for path in present if _cancels(storage, path, target)), None)
        if done is not None:
            logs.append(CommandLog(done, storage.read(done), sizes))
            continue
        last = max((log for log, _ in present.values()), key=lambda log: (log.version, log.write_token or ""))
        name = LogFileName(file_id, instant, last.version + 1, last.write_token, "").file_name()
        logs.append(CommandLog(join_paths(partition, name), _command(target, instant_time), sizes))
    return logs


def _command(target: str, instant_time: str) -> bytes:
    header = {
        HeaderKey.INSTANT_TIME: instant_time,
        HeaderKey.TARGET_INSTANT_TIME: target,
        HeaderKey.COMMAND_BLOCK_TYPE: _ROLLBACK,
    }
    return encode_block(BlockKind.COMMAND, header, b"")


def _cancels(storage: Storage, path: str, target: str) -> bool:
    blocks = read_blocks(storage.open(path))
    return any(block.kind is BlockKind.COMMAND and rollback_target(block) == target for block in blocks)


def listing_steps(table: Table, instant_time: str, logs: Collection[CommandLog]) -> list[Step]:
    """The steps by which the metadata table lists new log files, under the rollback's own time; none where it has none, or where
    a run that died has done it. The table's lock is held. Raises `CorruptFileError` where the metadata table is damaged."""
    if not table.config.kept_partitions or not logs:
        return []
    metadata = require_metadata_table(table)
    own = [instant for instant in metadata.timeline.instants if instant.requested_time == instant_time]
    if any(instant.completed for instant in own):
        return []
    if own:
        for step in undo_steps(table.storage, instant_time):
            step.apply(table.storage)
        metadata = require_metadata_table(table)
    sizes: dict[str, dict[str, int]] = {}
    for log in logs:
        sizes.setdefault(log.partition, {})[log.name] = len(log.content)
    completion = next_time(metadata.timeline, after=[instant_time])
    rows = [PartitionRows(FILES, file_rows(sizes))]
    return delta_commit_steps(metadata, instant_time, completion, rows, table.config.metadata_partitions_inflight)

"""Delta commits of the metadata table: rows for its partitions as steps. Rules META-70 to META-74."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.metadata import Stat, encode_commit, metadata_record, plan_stat, stat_of
from hudi_core.commit.statuses import StagedLog, StagedLogs, WriteStatus
from hudi_core.commit.steps import CopyFile, CopyInTasks, Create, Ensure, SideBySide, SingleStep, Step
from hudi_core.engine import Runner
from hudi_core.errors import ConflictError, CorruptFileError, UnsupportedError
from hudi_core.formats.names import LogFileName, parse_log_file
from hudi_core.formats.properties import format_properties
from hudi_core.keys.path_values import escape_name, escape_path_in_name
from hudi_core.metadata.kinds import get_known_kind, group_prefix
from hudi_core.metadata.table import METADATA_FOLDER, MetadataTable, siblings
from hudi_core.metadata_rows.record_schema import COMMIT_SCHEMA
from hudi_core.metadata_rows.rows import PartitionRows
from hudi_core.metadata_writer.group_files import FIRST_TOKEN, by_group, file_id, first_log_content, log_content
from hudi_core.timeline.instants import DELTA_COMMIT, InstantFiles
from hudi_core.timeline.slices import FileSlice

PREPPED: Final = "UPSERT_PREPPED"
"""The operation of the metadata table's ordinary delta commits."""
KEPT_WHILE_BUILT: Final = "hudi_core.kept_while_built"
"""The key in `extraMetadata` with the partitions under construction that a delta commit kept up to date, with or without rows."""
REPEATS: Final = "hudi_core.repeats"
"""Extra metadata of a delta commit: the time of the commit of the table whose records it repeats. Rule META-1125."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A log file of the metadata table, the step that makes it, and how the commit states it."""

    partition: str
    step: Create | CopyFile
    stat: Stat
    planned: Stat


def delta_commit_steps(
    metadata: MetadataTable,
    instant_time: str,
    completion_time: str,
    rows: Iterable[PartitionRows],
    building: Collection[str] = (),
    repeats: str | None = None,
) -> list[Step]:
    """A delta commit that writes rows to partitions of the metadata table, its completed instant last. It records that it
    kept the partitions in `building` up to date, and which commit of the table it `repeats` records of.

    Raises `CorruptFileError` where the metadata table is damaged.
    """
    files = InstantFiles(metadata.timeline.folder, metadata.config.layout, instant_time, DELTA_COMMIT)
    written: list[_Written] = []
    starts: list[SingleStep] = []
    runner: Runner | None = None
    for part in rows:
        if part:
            sets, new = _groups(metadata, part, instant_time)
            starts += new
            for groups in sets:
                written += _log_files(metadata, part, groups, instant_time)
        if part.staged is not None:
            runner = part.staged.runner
    stats: dict[str, list[Stat]] = {}
    planned: dict[str, list[Stat]] = {}
    for file in written:
        stats.setdefault(file.partition, []).append(file.stat)
        planned.setdefault(file.partition, []).append(file.planned)
    layout = metadata.config.layout
    source = {} if repeats is None else {REPEATS: repeats}
    workload = encode_commit(metadata_record(planned, PREPPED, source), layout)
    contents = [*_partition_metadata(stats, instant_time), *starts]
    contents += [new.step for new in written if isinstance(new.step, Create)]
    copies = tuple(new.step for new in written if isinstance(new.step, CopyFile))
    notice = {KEPT_WHILE_BUILT: ",".join(sorted(building))} if building else {}
    completed = metadata_record(stats, PREPPED, {"schema": COMMIT_SCHEMA, **notice, **source})
    return [
        Create(files.requested),
        Create(files.inflight, workload),
        SideBySide(tuple(contents)),
        *([] if runner is None else [CopyInTasks(copies, runner)]),
        Create(files.name_completed(completion_time), encode_commit(completed, layout)),
    ]


def _partition_metadata(partitions: Iterable[str], instant_time: str) -> Iterator[SingleStep]:
    content = partition_metadata_content(instant_time)
    for partition in partitions:
        yield Ensure(f"{METADATA_FOLDER}/{partition}/{PARTITION_METADATA}", content)


def partition_metadata_content(instant_time: str) -> bytes:
    """The content of `.hoodie_partition_metadata` in a partition of the metadata table."""
    return format_properties({"commitTime": instant_time, "partitionDepth": "1"}, "partition metadata")


def _groups(
    metadata: MetadataTable, part: PartitionRows, instant_time: str
) -> tuple[list[list[FileSlice]], list[SingleStep]]:
    """The file groups among which a hash chooses, and the steps that make those that are new. There are two such sets where two
    releases each made their own for one partition of a partitioned record index: both keep all of its keys."""
    sets = group_sets(metadata, part.partition, part.table_partition)
    if sets or part.table_partition is None:
        return sets, []
    prefix = partition_group_prefix(part.table_partition)
    first = FileSlice(part.partition, file_id(prefix, 0), instant_time, None)
    name = LogFileName(first.file_id, instant_time, 1, FIRST_TOKEN, "").file_name()
    return [[first]], [Create(f"{METADATA_FOLDER}/{part.partition}/{name}", first_log_content(instant_time))]


def group_sets(metadata: MetadataTable, partition: str, table_partition: str | None) -> list[list[FileSlice]]:
    """The file groups among which a hash chooses, as they are there; `table_partition` is that of a partitioned record index."""
    if table_partition is None:
        slices = metadata.slices(partition)
        return [slices if get_known_kind(partition).can_be_partitioned else _own_groups(metadata, partition, slices)]
    prefixes = partition_group_prefixes(table_partition)
    return [groups for groups in siblings(metadata.slices(partition)) if f"{_name_of(groups)}-" in prefixes]


def _own_groups(metadata: MetadataTable, partition: str, slices: Sequence[FileSlice]) -> list[FileSlice]:
    """The file groups of a partition, without those that Apache Hudi put there by mistake. Rule META-1143."""
    sets = siblings(slices)
    own = [groups for groups in sets if len(sets) == 1 or f"{_name_of(groups)}-" == group_prefix(partition)]
    if len(own) != 1:
        where = f"{metadata.storage.uri}/{METADATA_FOLDER}/{partition}"
        found = ", ".join(map(_name_of, sets)) or "none"
        raise CorruptFileError(where, expected=f"file groups named {group_prefix(partition)}<number>", found=found)
    return own[0]


def _name_of(groups: Sequence[FileSlice]) -> str:
    """What is before the numbers in the ids of file groups."""
    return groups[0].file_id.rsplit("-", 2)[0]


def partition_group_prefix(table_partition: str) -> str:
    """The prefix of the ids of new file groups of a partitioned record index for one partition of the table."""
    return partition_group_prefixes(table_partition)[0]


def partition_group_prefixes(table_partition: str) -> tuple[str, ...]:
    """The prefixes that the ids may have: that of Apache Hudi from 1.2.1 on, and that of earlier releases where it differs."""
    names = (escape_path_in_name(table_partition), escape_name(table_partition))
    return tuple(f"record-index-{name}-" for name in dict.fromkeys(names))


def _log_files(
    metadata: MetadataTable, part: PartitionRows, groups: Sequence[FileSlice], instant_time: str
) -> Iterator[_Written]:
    if part.staged is not None:
        yield from _list_staged_files(metadata, part.staged, groups, instant_time)
        return
    for of_group in by_group(part.rows, len(groups)):
        content = log_content(of_group, part.partition, instant_time)
        log = StagedLog(
            part.partition,
            part.table_partition,
            len(groups),
            of_group.group,
            path="",
            size=len(content),
            records=len(of_group.keys.offsets) - 1,
            deletes=len(of_group.deletes.offsets) - 1,
        )
        yield _state_log(metadata, log, groups[of_group.group], instant_time, partial(_create, content))


def _create(content: bytes, path: str) -> Create:
    return Create(path, content)


def _list_staged_files(
    metadata: MetadataTable, staged: StagedLogs, groups: Sequence[FileSlice], instant_time: str
) -> Iterator[_Written]:
    """Log files whose contents wait. Raises `ConflictError` where they were made for other file groups. Rule META-1055."""
    logs = [log for log in staged.logs if log.groups == len(groups)]
    if not logs and staged.logs:
        where = f"{metadata.storage.uri}/{METADATA_FOLDER}/{staged.logs[0].partition}"
        raise ConflictError(
            where, expected=f"{staged.logs[0].groups} file groups, as when the write began", found=str(len(groups))
        )
    for log in logs:
        yield _state_log(metadata, log, groups[log.group], instant_time, partial(CopyFile, source=log.path))


def _state_log(
    metadata: MetadataTable,
    log: StagedLog,
    group: FileSlice,
    instant_time: str,
    step: Callable[[str], Create | CopyFile],
) -> _Written:
    name = _log_name(metadata.config.version, group, instant_time, log.group)
    path = f"{log.partition}/{name.file_name()}"
    logs = tuple(file.name for file in group.logs)
    status = WriteStatus(
        log.partition,
        group.file_id,
        path,
        log.size,
        rows=log.records,
        inserts=0,
        updates=log.records,
        deletes=log.deletes,
        is_log=True,
        previous_instant=group.instant,
        previous_base=group.base.name if group.base else None,
        log_files=(*logs, name.file_name()),
    )
    return _Written(
        log.partition,
        step(f"{METADATA_FOLDER}/{path}"),
        stat_of(status, instant_time, metadata.config.version),
        plan_stat(group.file_id, group.instant, 0, log.records),
    )


def _log_name(version: int, group: FileSlice, instant_time: str, number: int) -> LogFileName:
    """From version 8 on a log file has the instant's own name; before, it continues those of its group."""
    if version >= 8:
        return LogFileName(group.file_id, instant_time, 1, f"{number}-1-0", "")
    latest = parse_log_file(group.logs[-1].name) if group.logs else None
    if latest is None:
        return LogFileName(group.file_id, group.instant, 1, f"{number}-1-0", "")
    return LogFileName(group.file_id, group.instant, latest.version + 1, latest.write_token, "")


def refuse_unkept(metadata: MetadataTable, kept: Callable[[str], bool]) -> None:
    """Raises `UnsupportedError` when a partition of the metadata table would not be kept up to date."""
    strange = sorted(partition for partition in metadata.partitions if not kept(partition))
    if strange:
        raise UnsupportedError(
            f"{metadata.storage.uri}/{METADATA_FOLDER}",
            expected="partitions of the metadata table that can be kept up to date",
            found=", ".join(strange),
        )

"""Metadata partitions added to an existing metadata table while writers continue. Rules META-90 to META-92.

Their file groups come first, so that every commit from then on can bring its rows; the base files, with what the table held
before, follow, and count from their own delta commit on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.metadata import Stat, encode_commit, metadata_record, stat_of
from hudi_core.commit.statuses import WriteStatus
from hudi_core.commit.steps import Create, Replace, SideBySide, SingleStep, Step
from hudi_core.formats.names import LogFileName
from hudi_core.metadata.kinds import group_prefix
from hudi_core.metadata.table import METADATA_FOLDER
from hudi_core.metadata.written import BUILT
from hudi_core.metadata_rows.record_schema import COMMIT_SCHEMA
from hudi_core.metadata_writer.delta_commit import partition_group_prefix, partition_metadata_content
from hudi_core.metadata_writer.group_files import FIRST_TOKEN, file_id, first_log_content
from hudi_core.metadata_writer.initial import group_count
from hudi_core.options import FOLDER, TableConfig
from hudi_core.timeline.instants import DELTA_COMMIT, InstantFiles

OWN_BASE_TIME_SINCE: Final = 8
"""The table version from which log files do not name their slice: base files may have a time of their own."""


@dataclass(frozen=True, slots=True)
class NewGroups:
    """The file groups of a metadata partition: how many have each prefix."""

    partition: str
    counts: Mapping[str, int]

    @property
    def file_ids(self) -> Iterator[str]:
        for prefix, count in self.counts.items():
            yield from (file_id(prefix, number) for number in range(count))


def new_groups(partition: str, records: int) -> NewGroups:
    """The file groups of a partition that begins with about so many records."""
    return NewGroups(partition, {group_prefix(partition): group_count(partition, records)})


def groups_by_table_partition(partition: str, table_partitions: Iterable[str]) -> NewGroups:
    """The file groups of a partitioned record index: one for each partition of the table."""
    return NewGroups(partition, {partition_group_prefix(name): 1 for name in sorted(table_partitions)})


def groups_steps(
    config: TableConfig, partitions: Sequence[NewGroups], instant_time: str, completion_time: str
) -> list[Step]:
    """The delta commit that creates file groups: each with an empty log file, which the commit lists.

    A partition's `.hoodie_partition_metadata` comes after its groups: where it is, these are all there.
    """
    files = InstantFiles(_timeline_folder(config), config.layout, instant_time, DELTA_COMMIT)
    firsts: list[SingleStep] = []
    partition_files: list[SingleStep] = []
    stats: dict[str, list[Stat]] = {}
    content = first_log_content(instant_time)
    for groups in partitions:
        of_partition = stats.setdefault(groups.partition, [])
        for group in groups.file_ids:
            name = LogFileName(group, instant_time, 1, FIRST_TOKEN, "").file_name()
            path = f"{groups.partition}/{name}"
            firsts.append(Create(f"{METADATA_FOLDER}/{path}", content))
            status = WriteStatus(
                groups.partition, group, path, len(content), 0, 0, 0, 0, is_log=True, log_files=(name,)
            )
            of_partition.append(stat_of(status, instant_time, config.version))
        path = f"{METADATA_FOLDER}/{groups.partition}/{PARTITION_METADATA}"
        partition_files.append(Replace(path, partition_metadata_content(instant_time)))
    record = metadata_record(stats, BUILT, {"schema": COMMIT_SCHEMA})
    return [
        Create(files.requested),
        Create(files.inflight),
        SideBySide(tuple(firsts)),
        SideBySide(tuple(partition_files)),
        Create(files.name_completed(completion_time), encode_commit(record, config.layout)),
    ]


def publishing_steps(
    config: TableConfig, statuses: Iterable[WriteStatus], instant_time: str, completion_time: str
) -> list[Step]:
    """The delta commit from which on base files count."""
    files = InstantFiles(_timeline_folder(config), config.layout, instant_time, DELTA_COMMIT)
    stats: dict[str, list[Stat]] = {}
    for status in statuses:
        stats.setdefault(status.partition, []).append(stat_of(status, instant_time, config.version))
    record = metadata_record(stats, BUILT, {"schema": COMMIT_SCHEMA})
    return [
        Create(files.requested),
        Create(files.inflight),
        Create(files.name_completed(completion_time), encode_commit(record, config.layout)),
    ]


def _timeline_folder(config: TableConfig) -> str:
    return f"{METADATA_FOLDER}/{FOLDER}" + ("/timeline" if config.layout == 2 else "")

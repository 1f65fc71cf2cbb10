"""The metadata table's own compaction: many log files merged into base files. Rules META-100 to META-103.

It runs under the table's lock, before a commit's own rows are written. One that died is finished by the next commit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hudi_core.avro.canonical import canonical_form
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import BinaryColumn
from hudi_core.columns.spans import gather
from hudi_core.columns.strings import concat_strings
from hudi_core.commit.compaction_plans import (
    CompactionOperation,
    CompactionPlan,
    encode_plan,
    plan_operation,
    read_plan,
)
from hudi_core.commit.metadata import Stat, encode_commit, metadata_record, stat_of
from hudi_core.commit.statuses import WriteStatus
from hudi_core.commit.steps import Create, Replace, Step
from hudi_core.engine import FileInfo
from hudi_core.errors import UnsupportedError
from hudi_core.formats.hfile.cells import keys_of
from hudi_core.formats.names import BaseFileName, LogFileName, parse_base_file, parse_log_file
from hudi_core.metadata.counting import counting_records
from hudi_core.metadata.files import live_files
from hudi_core.metadata.kinds import has_listing
from hudi_core.metadata.records import FileGroup, RecordBatch
from hudi_core.metadata.table import METADATA_FOLDER, MetadataTable
from hudi_core.metadata_rows.record_schema import COMMIT_SCHEMA, STORED_SCHEMA
from hudi_core.metadata_rows.rows import NO_ROWS, IndexRows, listing_rows
from hudi_core.metadata_writer.group_files import base_content, order_rows
from hudi_core.paths import join_paths
from hudi_core.timeline.instants import COMMIT, COMPACTION, DELTA_COMMIT, Instant, InstantFiles, time_order
from hudi_core.timeline.slices import FileSlice

MAX_DELTA_COMMITS: Final = 10
"""Delta commits after which log files are merged: Apache Hudi's `hoodie.metadata.compact.max.delta.commits`."""
_SUFFIX: Final = "001"
"""The suffix that a compaction of table version 6 appends to the time of the latest delta commit."""


@dataclass(frozen=True, slots=True)
class Mergeable:
    """File groups to merge, by slice, and the partitions of which some were left out."""

    slices: tuple[FileSlice, ...]
    left_out: tuple[str, ...] = ()


def is_due(metadata: MetadataTable) -> bool:
    """Whether so many delta commits completed since the last compaction."""
    commits = [instant for instant in metadata.timeline.commits if metadata.counts(instant.requested_time)]
    compactions = [_get_completion_time(instant) for instant in commits if instant.action == COMMIT]
    latest = max(compactions, default="")
    return sum(i.action == DELTA_COMMIT and _get_completion_time(i) > latest for i in commits) >= MAX_DELTA_COMMITS


def compaction_time(metadata: MetadataTable, pending: Collection[str], next_time: str) -> str | None:
    """The requested time of a compaction now; None where it has to wait. `pending` are times of writes of the table that are not
    complete, `next_time` is one that is unused.

    What a pending write has here must not come into a base file. In table version 6, whose compactions have the time of the
    latest delta commit, no write may be pending that is older.
    """
    if any(metadata.timeline.is_committed(time) for time in pending):
        return None
    if metadata.config.layout > 1:
        return next_time
    deltas = [instant.requested_time for instant in metadata.timeline.commits if instant.action == DELTA_COMMIT]
    latest = max(deltas, key=time_order)
    if any(time_order(time) < time_order(latest) for time in pending):
        return None
    return f"{latest}{_SUFFIX}"


def plan_compaction(metadata: MetadataTable, partitions: Collection[str]) -> Mergeable:
    """The latest slices with log files whose merged records one base file can hold."""
    slices: list[FileSlice] = []
    left_out: dict[str, None] = {}
    for partition in sorted(partitions):
        for group in metadata.slices(partition):
            if not group.logs:
                continue
            if _can_be_merged(metadata.open_group(group), partition):
                slices.append(group)
            else:
                left_out[partition] = None
    return Mergeable(tuple(slices), tuple(left_out))


def request_steps(metadata: MetadataTable, merged: Mergeable, instant_time: str) -> list[Step]:
    """Requests a compaction on the metadata table's timeline."""
    plan = CompactionPlan(tuple(map(plan_operation, merged.slices)), merged.left_out)
    files = InstantFiles(metadata.timeline.folder, metadata.config.layout, instant_time, COMPACTION)
    return [Create(files.requested, encode_plan(plan)), Create(files.inflight)]


def compaction_steps(
    metadata: MetadataTable, slices: Sequence[FileSlice], instant_time: str, completion_time: str
) -> Iterator[Step]:
    """Runs a compaction: base files, and its completed instant last. Each step can be repeated.

    Raises `UnsupportedError` for a file group of another writer's plan that cannot be merged here.
    """
    files = InstantFiles(metadata.timeline.folder, metadata.config.layout, instant_time, COMPACTION)
    yield Create(files.inflight)
    stats: dict[str, list[Stat]] = {}
    for number, group in enumerate(slices):
        opened = metadata.open_group(group)
        rows = _merge_rows(opened, group.partition)
        if rows is None:
            raise UnsupportedError(
                f"{metadata.storage.uri}/{METADATA_FOLDER}/{group.partition}",
                expected="records that fit into one base file, so that the compaction can be finished",
                found=f"others in {group.file_id}",
            )
        name = BaseFileName(group.file_id, f"{number}-0-0", instant_time, ".hfile").file_name()
        content, path = base_content(order_rows(rows)), f"{group.partition}/{name}"
        yield Replace(f"{METADATA_FOLDER}/{path}", content)
        count = len(rows.keys.offsets) - 1
        status = WriteStatus(
            group.partition, group.file_id, path, len(content), count, 0, count, 0,
            previous_instant=group.instant, previous_base=group.base.name if group.base else None,
        )  # fmt: skip
        stats.setdefault(group.partition, []).append(stat_of(status, instant_time, metadata.config.version))
    record = metadata_record(stats, "COMPACT", {"schema": COMMIT_SCHEMA}, compacted=True)
    yield Create(files.name_completed(completion_time), encode_commit(record, metadata.config.layout))


def list_planned_slices(metadata: MetadataTable, compaction: Instant) -> list[FileSlice]:
    """The file groups that a pending compaction is to merge, as its plan names their files. Those of an index that was dropped
    since, or built again, are left out: rule META-890."""
    slices: list[FileSlice] = []
    for one in read_plan(metadata.timeline, compaction).operations:
        sizes = {info.path: info for info in metadata.storage.list(join_paths(METADATA_FOLDER, one.partition))}
        if _is_gone(sizes, one, compaction, metadata.config.layout):
            continue
        base = None if one.base is None else _find_planned_file(sizes, one.partition, one.base)
        logs = tuple(_find_planned_file(sizes, one.partition, name) for name in one.logs)
        slices.append(FileSlice(one.partition, one.file_id, one.instant, base, logs))
    return slices


def _is_gone(sizes: Collection[str], one: CompactionOperation, compaction: Instant, layout: int) -> bool:
    """Whether no file that a plan names is there, and the file group has none, or others than those of the slice that the
    compaction begins: an index that was built again has."""
    names = [path.rpartition("/")[2] for path in sizes]
    if any(name in names for name in (*one.logs, one.base)):
        return False
    begun = compaction.requested_time

    def follows(file: BaseFileName | LogFileName) -> bool:
        is_later = layout > 1 and isinstance(file, LogFileName) and time_order(file.instant) > time_order(begun)
        return file.instant == begun or is_later

    parsed = [parse_base_file(name) or parse_log_file(name) for name in names]
    files = [file for file in parsed if file is not None and file.file_id == one.file_id]
    return not files or not all(map(follows, files))


def _find_planned_file(sizes: Mapping[str, FileInfo], partition: str, name: str) -> FileInfo:
    path = join_paths(METADATA_FOLDER, partition, name)
    return sizes.get(path) or FileInfo(path, 0)


def _get_completion_time(instant: Instant) -> str:
    return time_order(instant.completion_time or instant.requested_time)


def _can_be_merged(group: FileGroup, partition: str) -> bool:
    rows = _merge_rows(group, partition)
    return rows is not None and len(rows.keys.offsets) > 1


def _merge_rows(group: FileGroup, partition: str) -> IndexRows | None:
    """The live records of a file group; None where they add up, or have another schema than those that are written here."""
    if has_listing([partition]):
        return listing_rows(live_files(group.read(None)))
    records = counting_records(group)
    if records.together or not all(_is_stored_schema(text) for text in {batch.schema for batch in records.batches}):
        return None
    if not records.batches:
        return NO_ROWS
    values = [_values(batch) for batch in records.batches]
    joined = concat_columns(values, sum(len(batch.cells) for batch in records.batches))
    assert isinstance(joined, BinaryColumn)
    return IndexRows(concat_strings([keys_of(batch.cells) for batch in records.batches]), joined)


@lru_cache(maxsize=16)
def _is_stored_schema(text: str) -> bool:
    """Whether records of a schema have the bytes that they have here. Apache Hudi writes it with docs."""
    return text == STORED_SCHEMA or canonical_form(text) == canonical_form(STORED_SCHEMA)


def _values(batch: RecordBatch) -> BinaryColumn:
    cells = batch.cells
    return BinaryColumn(*gather(cells.data, cells.value_offsets, cells.value_lengths))

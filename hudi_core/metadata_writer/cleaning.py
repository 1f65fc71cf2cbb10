"""The metadata table's own cleaning: files of slices that two compactions have replaced. Rule META-104."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from hudi_core.commit.avro_schemas import CLEAN_METADATA, CLEANER_PLAN
from hudi_core.commit.steps import Create, DeleteMany, Step
from hudi_core.engine import FileInfo
from hudi_core.formats.avro.container import write_container
from hudi_core.formats.names import BaseFileName, LogFileName, parse_base_file, parse_log_file
from hudi_core.metadata.table import METADATA_FOLDER, MetadataTable
from hudi_core.paths import join_paths, partition_path, resolve_planned_path
from hudi_core.timeline.instants import CLEAN, Instant, InstantFiles, time_order

KEPT_SLICES: Final = 2
"""Slices of a file group that stay: the latest, and the one that readers may still read who began before it."""
_POLICY: Final = "KEEP_LATEST_FILE_VERSIONS"
_VERSION: Final = 2

Names = Mapping[str, tuple[str, ...]]
"""Names of files by metadata partition."""


def list_replaced_files(metadata: MetadataTable, partitions: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The files of slices older than the last ones that stay, by partition; partitions without any are left out."""
    replaced: dict[str, tuple[str, ...]] = {}
    for partition in sorted(partitions):
        names = tuple(_list_replaced(metadata, metadata.storage.list(f"{METADATA_FOLDER}/{partition}")))
        if names:
            replaced[partition] = names
    return replaced


def _list_replaced(metadata: MetadataTable, files: Collection[FileInfo]) -> Iterator[str]:
    bases: dict[str, list[BaseFileName]] = {}
    logs: dict[str, list[LogFileName]] = {}
    for info in files:
        base, log = parse_base_file(info.name), parse_log_file(info.name)
        if base is not None and metadata.counts(base.instant):
            bases.setdefault(base.file_id, []).append(base)
        elif log is not None:
            logs.setdefault(log.file_id, []).append(log)
    for file_id, of_group in bases.items():
        of_group.sort(key=lambda base: time_order(base.instant))
        if len(of_group) < KEPT_SLICES:
            continue
        first_kept = time_order(of_group[-KEPT_SLICES].instant)
        yield from (base.file_name() for base in of_group[:-KEPT_SLICES])
        yield from (log.file_name() for log in logs.get(file_id, ()) if _is_before(metadata, log, first_kept))


def _is_before(metadata: MetadataTable, log: LogFileName, slice_time: str) -> bool:
    """Whether a log file belongs to a slice before one. In layout 1 it has the time of its slice, later that of its commit."""
    if metadata.timeline.layout == 1:
        return time_order(log.instant) < slice_time
    return metadata.counts(log.instant) and time_order(metadata.timeline.completion_time(log.instant)) < slice_time


def cleaning_request(metadata: MetadataTable, files: Names, instant_time: str) -> list[Step]:
    """Requests a cleaning on the metadata table's timeline."""
    root = f"{_root(metadata)}/{METADATA_FOLDER}"
    latest = metadata.timeline.commits[-1].requested_time
    paths = {
        partition: [{"filePath": f"{root}/{partition}/{name}", "isBootstrapBaseFile": False} for name in names]
        for partition, names in files.items()
    }
    plan: dict[str, Any] = {
        "earliestInstantToRetain": None,
        "lastCompletedCommitTimestamp": latest,
        "policy": _POLICY,
        "filesToBeDeletedPerPartition": {},
        "version": _VERSION,
        "filePathsToBeDeletedPerPartition": paths,
        "partitionsToBeDeleted": [],
        "extraMetadata": {},
    }
    return [Create(_files(metadata, instant_time).requested, write_container(CLEANER_PLAN, [plan]))]


def cleaning_steps(metadata: MetadataTable, files: Names, instant_time: str, completion_time: str) -> Iterator[Step]:
    """Runs a cleaning. Each step can be repeated."""
    own = _files(metadata, instant_time)
    yield Create(own.inflight)
    paths = (join_paths(METADATA_FOLDER, partition, name) for partition, names in files.items() for name in names)
    yield DeleteMany(tuple(paths))
    record: dict[str, Any] = {
        "startCleanTime": instant_time,
        "timeTakenInMillis": 0,
        "totalFilesDeleted": sum(map(len, files.values())),
        "earliestCommitToRetain": "",
        "lastCompletedCommitTimestamp": metadata.timeline.commits[-1].requested_time,
        "partitionMetadata": {partition: _record_cleaned(partition, names) for partition, names in files.items()},
        "version": _VERSION,
        "bootstrapPartitionMetadata": {},
        "extraMetadata": {},
    }
    yield Create(own.name_completed(completion_time), write_container(CLEAN_METADATA, [record]))


def list_planned_files(metadata: MetadataTable, cleaning: Instant) -> dict[str, tuple[str, ...]]:
    """The files that a pending cleaning is to delete, by partition."""
    where = f"{metadata.storage.uri}/{metadata.timeline.folder}/{cleaning.file}"
    planned = metadata.timeline.plan(cleaning).get("filePathsToBeDeletedPerPartition") or {}
    return {
        partition_path(partition, where): tuple(resolve_planned_path("", info["filePath"], where) for info in infos)
        for partition, infos in planned.items()
    }


def _record_cleaned(partition: str, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "partitionPath": partition,
        "policy": _POLICY,
        "deletePathPatterns": list(names),
        "successDeleteFiles": list(names),
        "failedDeleteFiles": [],
        "isPartitionDeleted": False,
    }


def _files(metadata: MetadataTable, instant_time: str) -> InstantFiles:
    return InstantFiles(metadata.timeline.folder, metadata.config.layout, instant_time, CLEAN)


def _root(metadata: MetadataTable) -> str:
    """The table's root as plans name it, the scheme left out."""
    uri = metadata.storage.uri
    return urlsplit(uri).path if "://" in uri else uri

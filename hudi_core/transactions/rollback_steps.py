"""The steps of a rollback in their order, and its records on the timeline in Apache Hudi's form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from hudi_core.commit.avro_schemas import ROLLBACK_METADATA, ROLLBACK_PLAN
from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.steps import Create, Delete, DeleteMany, SideBySide, Step
from hudi_core.commit.times import Clock, next_time, system_clock
from hudi_core.engine import Storage
from hudi_core.formats.avro.container import write_container
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata_writer.undo import undo_steps
from hudi_core.table.table import Table
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMMIT,
    COMPACTION,
    DELTA_COMMIT,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    ROLLBACK,
    Instant,
    InstantFiles,
)
from hudi_core.transactions.command_blocks import CommandLog, command_logs, listing_steps
from hudi_core.transactions.rollback_plans import RollbackPlan
from hudi_core.transactions.schema_commit import undo_schema_commit


def rollback_steps(
    table: Table,
    plan: RollbackPlan,
    clock: Clock = system_clock,
    resumed: str | None = None,
    *,
    keep_plan: bool = False,
    metadata: bool = True,
) -> Iterator[Step]:
    """The steps of a rollback, its own instant among them; `resumed` is the requested time of one that died. With `keep_plan`
    the requested instant stays; without `metadata` the metadata table is left as it is, for one who builds it anew. The data
    files go first of all that tells of the write: until then it can be complete again. Rule ROLLBACK-1403.

    Raises `UnsupportedError` with the first step where the metadata table cannot lose the write.
    """
    timeline, undone = table.timeline, plan.instant
    begun = clock()
    time = resumed or next_time(timeline, clock)
    files = InstantFiles(timeline.folder, table.config.layout, time, ROLLBACK)
    commands = command_logs(table.storage, plan.shared, undone.requested_time, time)
    of_metadata = list(undo_steps(table.storage, undone.requested_time)) if metadata else []
    if resumed is None:
        record = _plan_record(table.storage, plan, commands)
        yield Create(files.requested, write_container(ROLLBACK_PLAN, [record]))
    yield Create(files.inflight)
    if undone.completed:
        # It is pending again before its files go: no reader looks for them any more.
        yield Delete(f"{timeline.folder}/{undone.file}")
    yield DeleteMany(plan.files)
    yield from of_metadata
    yield from undo_schema_commit(table.storage, undone.requested_time)
    yield SideBySide(tuple(Create(log.path, log.content) for log in commands))
    if metadata:
        yield from listing_steps(table, time, commands)
    milliseconds = int((clock() - begun).total_seconds() * 1000)
    record = _metadata_record(table.storage, plan, commands, time, milliseconds)
    completed = files.name_completed(next_time(timeline, clock, after=[time]))
    yield Create(completed, write_container(ROLLBACK_METADATA, [record]))
    for action in _list_requested_actions(table, undone):
        undone_files = InstantFiles(timeline.folder, table.config.layout, undone.requested_time, action)
        yield Delete(undone_files.inflight)
        if not keep_plan:
            yield Delete(undone_files.requested)
    yield Delete(heartbeat_path(undone.requested_time))


def _list_requested_actions(table: Table, undone: Instant) -> tuple[str, ...]:
    """The actions that a write may have been requested as: services complete under another name (a clustering in layout 2), and
    their plans would be pending again."""
    if not undone.completed or (undone.action == REPLACE_COMMIT and table.config.layout == 1):
        return (undone.action,)
    services = {REPLACE_COMMIT: CLUSTERING, COMMIT: COMPACTION, DELTA_COMMIT: LOG_COMPACTION}
    return undone.action, services[undone.action]


def _plan_record(storage: Storage, plan: RollbackPlan, commands: Sequence[CommandLog]) -> dict[str, object]:
    time = plan.instant.requested_time
    requests = [_request(path, time, files=[_absolute(storage, path)]) for path in plan.files]
    for log in commands:
        blocks = {path.rpartition("/")[2]: size for path, size in log.cancelled.items()}
        parsed = parse_log_file(log.name)
        requests.append(_request(log.path, time if parsed is None else parsed.instant, blocks=blocks))
    return {"instantToRollback": _instant_record(plan.instant), "RollbackRequests": requests, "version": 1}


def _request(
    path: str, instant: str, *, files: Sequence[str] = (), blocks: Mapping[str, int] | None = None
) -> dict[str, object]:
    return {
        "partitionPath": path.rpartition("/")[0],
        "fileId": _file_id(path),
        "latestBaseInstant": instant,
        "filesToBeDeleted": list(files),
        "logBlocksToBeDeleted": dict(blocks or {}),
    }


def _metadata_record(
    storage: Storage, plan: RollbackPlan, commands: Sequence[CommandLog], time: str, milliseconds: int
) -> dict[str, object]:
    deleted: dict[str, list[str]] = defaultdict(list)
    for path in plan.files:
        deleted[path.rpartition("/")[0]].append(_absolute(storage, path))
    partitions: dict[str, object] = {}
    for partition in dict.fromkeys([*deleted, *(log.partition for log in commands)]):
        own = [log for log in commands if log.partition == partition]
        partitions[partition] = {
            "partitionPath": partition,
            "successDeleteFiles": deleted.get(partition, []),
            "failedDeleteFiles": [],
            "rollbackLogFiles": {_absolute(storage, log.path): len(log.content) for log in own},
            "logFilesFromFailedCommit": {
                path.rpartition("/")[2]: size for log in own for path, size in log.cancelled.items()
            },
        }
    return {
        "startRollbackTime": time,
        "timeTakenInMillis": milliseconds,
        "totalFilesDeleted": len(plan.files),
        "commitsRollback": [plan.instant.requested_time],
        "partitionMetadata": partitions,
        "version": 1,
        "instantsRollback": [_instant_record(plan.instant)],
    }


def _instant_record(instant: Instant) -> dict[str, str]:
    return {"commitTime": instant.requested_time, "action": instant.action}


def _file_id(path: str) -> str:
    name = path.rpartition("/")[2]
    parsed = parse_base_file(name) or parse_log_file(name)
    return "" if parsed is None else parsed.file_id


def _absolute(storage: Storage, path: str) -> str:
    """Rollbacks name files by absolute path, the scheme left out."""
    return f"{urlsplit(storage.uri).path if '://' in storage.uri else storage.uri}/{path}"

"""Index builds on the timeline: the `indexing` instants that other writers read. Rules META-90, META-95."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hudi_core.commit.avro_schemas import INDEX_COMMIT_METADATA, INDEX_PLAN
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import write_container
from hudi_core.paths import file_name
from hudi_core.table.table import Table
from hudi_core.timeline.instants import INDEXING, WRITES, Instant, InstantFiles
from hudi_core.timeline.services import with_a_way_out
from hudi_core.timeline.timeline import Timeline

_WRITER: Final = {"writer": "hudi-core"}
"""The mark of plans made by this library: their builds write a heartbeat as long as they run."""


@dataclass(frozen=True, slots=True)
class PlannedBuild:
    """An index build that is on the timeline. `own`: this library began it."""

    instant: Instant
    partitions: tuple[str, ...]
    own: bool


def list_planned_builds(timeline: Timeline) -> list[PlannedBuild]:
    """The index builds that are not completed. One whose plan is gone plans nothing, and is not this library's."""
    builds: list[PlannedBuild] = []
    for instant in timeline.pending:
        if instant.action == INDEXING:
            infos = _read_planned_infos(timeline, instant)
            where = f"{timeline.storage.uri}/{timeline.folder}/{instant.file}"
            names = tuple(file_name(str(info.get("metadataPartitionPath") or ""), where) for info in infos)
            own = bool(infos) and all(
                (info.get("extraMetadata") or {}).get("writer") == _WRITER["writer"] for info in infos
            )
            builds.append(PlannedBuild(instant, names, own))
    return builds


def _read_planned_infos(timeline: Timeline, build: Instant) -> Sequence[Mapping[str, Any]]:
    try:
        return timeline.plan(build).get("indexPartitionInfos") or ()
    except CorruptFileError as error:
        raise with_a_way_out(error) from None


def indexing_files(table: Table, instant_time: str) -> InstantFiles:
    """The files of an `indexing` instant."""
    return InstantFiles(table.timeline.folder, table.config.layout, instant_time, INDEXING)


def plan_content(timeline: Timeline, partitions: Sequence[str]) -> bytes:
    """The plan of a build, as its requested instant holds it."""
    return write_container(INDEX_PLAN, [{"version": 1, "indexPartitionInfos": _infos(timeline, partitions)}])


def make_completed_content(timeline: Timeline, partitions: Sequence[str]) -> bytes:
    """The content of the completed instant of a build."""
    record = {"version": 1, "operationType": None, "indexPartitionInfos": _infos(timeline, partitions)}
    return write_container(INDEX_COMMIT_METADATA, [record])


def _infos(timeline: Timeline, partitions: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "version": 1,
            "metadataPartitionPath": partition,
            "indexUptoInstant": _complete_until(timeline),
            "extraMetadata": _WRITER,
        }
        for partition in partitions
    ]


def _complete_until(timeline: Timeline) -> str:
    """The last write before which no other is pending; fourteen zeros where there is none."""
    latest = "0" * 14
    for instant in timeline.instants:
        if instant.action in WRITES:
            if not instant.completed:
                break
            latest = instant.requested_time
    return latest

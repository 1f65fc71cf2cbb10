"""Plans of cleans: as values, and in the form in which Apache Hudi stores them. Rules CLEAN-395, CLEAN-396."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hudi_core.commit.avro_schemas import CLEANER_PLAN
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import write_container
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.timeline.instants import Instant
from hudi_core.timeline.services import RetainedInstant, clean_plan
from hudi_core.timeline.timeline import Timeline

VERSION: Final = 2
"""The version of plans and of records of cleans that have paths."""


@dataclass(frozen=True, slots=True)
class CleanPlan:
    """What a clean is going to delete: names of files by partition, and partitions that have nothing else.

    `retained` is the first write whose state stays, None where the policy is not by time. `elsewhere` are files of a bootstrap,
    by whole path: this library leaves what lies outside of the table.
    """

    policy: str
    retained: RetainedInstant | None
    last_completed: str
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    partitions: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to delete."""
        return not self.partitions and not any(self.files.values()) and not any(self.elsewhere.values())


def encode_plan(plan: CleanPlan, storage: Storage) -> bytes:
    """The content of the requested instant. Apache Hudi deletes by whole path."""
    paths: dict[str, list[dict[str, Any]]] = {
        partition: [
            {"filePath": "/".join(filter(None, (storage.uri, partition, name))), "isBootstrapBaseFile": False}
            for name in names
        ]
        for partition, names in plan.files.items()
    }
    # A partition without an entry would stay in the metadata table.
    record = {
        "earliestInstantToRetain": None if plan.retained is None else _instant_record(plan.retained),
        "lastCompletedCommitTimestamp": plan.last_completed,
        "policy": plan.policy,
        "filesToBeDeletedPerPartition": {},
        "version": VERSION,
        "filePathsToBeDeletedPerPartition": {**{partition: [] for partition in plan.partitions}, **paths},
        "partitionsToBeDeleted": list(plan.partitions),
        "extraMetadata": dict(plan.extra),
    }
    return write_container(CLEANER_PLAN, [record])


def read_plan(timeline: Timeline, instant: Instant) -> CleanPlan:
    """The plan of a pending clean, whoever made it and where. Raises `CorruptFileError` for an instant without one, and for a
    plan that names anything but data files in partitions of the table."""
    where = f"{timeline.storage.uri}/{timeline.folder}/{instant.requested_time}.{instant.action}.requested"
    stored = clean_plan(timeline, instant)
    if not stored.policy:
        raise CorruptFileError(where, expected="a plan of a clean", found="none")
    files = stored.list_deleted()
    for names in files.values():
        for name in names:
            if parse_base_file(name) is None and parse_log_file(name) is None:
                raise CorruptFileError(where, expected="data files to delete", found=repr(name))
    elsewhere = {
        partition: tuple(file.path for file in planned if file.is_bootstrap)
        for partition, planned in stored.paths.items()
    }
    return CleanPlan(
        stored.policy,
        stored.retained,
        stored.last_completed,
        files,
        tuple(name for name in stored.partitions if name),
        stored.extra,
        {partition: paths for partition, paths in elsewhere.items() if paths},
    )


def _instant_record(retained: RetainedInstant) -> dict[str, str]:
    return {"timestamp": retained.time, "action": retained.action, "state": retained.state}

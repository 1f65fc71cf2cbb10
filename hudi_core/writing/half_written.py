"""File groups with a base file of a write that goes on. Rule WRITE-500.

From table version 8 on a log file belongs to the slice of the latest base file that was begun before the log file was committed.
Apache Hudi decides so before it looks which writes are complete: where it lists folders, it drops a log file beside a base file
of a write that is not, until that is rolled back. A base file of our own is seen by each reader.
"""

from __future__ import annotations

from hudi_core.commit.markers import read_markers
from hudi_core.engine import Storage
from hudi_core.formats.names import parse_base_file
from hudi_core.timeline.instants import WRITES
from hudi_core.timeline.services import FileGroup, is_planned_clustering, pending_work
from hudi_core.timeline.timeline import Timeline


def half_written_groups(storage: Storage, timeline: Timeline, instant_time: str) -> frozenset[FileGroup]:
    """The file groups for which writes that go on, other than the one of this time, announced base files. Those of pending
    compactions and clusterings are left out: readers know of these, and nobody else writes base files there."""
    announced: set[FileGroup] = set()
    for instant in timeline.pending:
        if instant.requested_time == instant_time or instant.action not in WRITES:
            continue
        if is_planned_clustering(timeline, instant):
            continue
        markers = read_markers(storage, instant.requested_time)
        for path, _ in () if markers is None else markers.files:
            partition, _, name = path.rpartition("/")
            base = parse_base_file(name)
            if base is not None:
                announced.add((partition, base.file_id))
    planned = (group for work in pending_work(timeline) for group in work.file_groups) if announced else ()
    return frozenset(announced.difference(planned))

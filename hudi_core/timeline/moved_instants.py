"""Changes of a table's version that stopped half-way: instants that are in the folder of the other layout. Rule TIME-1547.

Apache Hudi moves the instants one by one, and states the version when all are moved. Until then a reader of either layout misses
some writes.
"""

from __future__ import annotations

from collections.abc import Collection

from hudi_core.errors import CorruptFileError
from hudi_core.options import FOLDER, TableConfig
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.timeline import Timeline, timeline_in


def refuse_moved(timeline: Timeline, config: TableConfig, times: Collection[str], root: str = "") -> None:
    """Raises `CorruptFileError` where a write of one of these times, of which the timeline knows nothing, is complete in
    the folder of the other layout. Lists that folder; `root` is what paths of a metadata table begin with."""
    if not times:
        return
    folder, layout = (f"{FOLDER}/{config.timeline_path}", 2) if config.layout == 1 else (FOLDER, 1)
    folder = f"{root}{folder}"
    moved = [one for one in timeline_in(timeline.storage, folder, layout).commits if one.requested_time in times]
    if moved:
        error = CorruptFileError(
            f"{timeline.storage.uri}/{folder}/{moved[0].file}",
            expected=f"all instants in {timeline.folder}, as table version {config.version} has them",
            found="one of a write that has others there",
        )
        error.add_note(
            "a change of the table's version stopped half-way: make it again, with Apache Hudi, before anything else"
        )
        raise error


def refuse_lacking(timeline: Timeline, config: TableConfig, data: Timeline, root: str) -> None:
    """As `refuse_moved`, of a metadata table's timeline: the writes since it was built, by the timeline of the table,
    that are not complete in it, nor archived."""
    if timeline.completed:
        here = {instant.requested_time for instant in timeline.commits}
        built = min(map(_completion_order, timeline.completed))
        lacking = (one for one in data.commits if one.requested_time not in here and _completion_order(one) > built)
        times = {one.requested_time for one in lacking if not timeline.is_archived(one.requested_time)}
        refuse_moved(timeline, config, times, root)


def _completion_order(instant: Instant) -> str:
    return time_order(instant.completion_time or instant.requested_time)

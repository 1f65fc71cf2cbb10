"""Whether the record index can be trusted: whether it has as many keys as the table has rows.

Hudi's record index holds one place for each key. Where a write put a key into the table that was there already (`insert`
and `bulk_insert` do not look), a row is in a place that the index no longer holds. Then there are more rows than keys.
"""

from __future__ import annotations

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.metadata.lookup import count
from hudi_core.metadata.table import MetadataTable
from hudi_core.planning.sources.file_headers import FileHeaders
from hudi_core.planning.sources.slice_statistics import ColumnStatsOfSlices, join_keys
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.timeline.instants import DELTA_COMMIT, time_order
from hudi_core.timeline.timeline import Timeline

_MAX_KEYS_IN_LOGS = 200_000
"""Keys in log blocks of one file group that are looked for in its base file, to count each once."""
_MAX_FOOTERS = 4096
"""Base files whose rows are counted by their footers."""


def is_current(metadata: MetadataTable, timeline: Timeline) -> bool:
    """Whether indexes of the metadata table describe the table as the timeline shows it.

    It is not so of an earlier instant, nor when writes have completed since the timeline was read.
    """
    if timeline.is_cut:
        return False
    latest = max((time_order(instant.requested_time) for instant in timeline.instants), default="")
    written = (i.requested_time for i in metadata.timeline.commits if i.action == DELTA_COMMIT)
    return all(time_order(time) <= latest for time in written)


def keys_of(metadata: MetadataTable, partition: str) -> int | None:
    """How many keys an index partition holds; None when it is not worth the counting."""
    counts = [count(group, _MAX_KEYS_IN_LOGS) for group in metadata.open_groups(metadata.slices(partition))]
    return None if None in counts else sum(key_count for key_count in counts if key_count is not None)


def rows_of(headers: FileHeaders, recorded: ColumnStatsOfSlices) -> int | None:
    """How many rows the table has, if no row was deleted or put back in log files; None when that is unknown."""
    slices = headers.snapshot.slices
    in_bases = _rows_in_bases(headers, recorded)
    inserted = 0
    if any(file_slice.logs for file_slice in slices):
        inserts_of = {
            s.path: s.inserts
            for _, metadata in headers.snapshot.timeline.newest_first()
            for stats in metadata.stats.values()
            for s in stats
        }
        inserts = [inserts_of.get(log.path) for file_slice in slices for log in file_slice.logs]
        if None in inserts:
            return None
        inserted = sum(count for count in inserts if count is not None)
    return None if in_bases is None else in_bases + inserted


def _rows_in_bases(headers: FileHeaders, recorded: ColumnStatsOfSlices) -> int | None:
    files = recorded.files
    rows: Numbers = np.full(len(files), -1, np.int64)
    for statistics in recorded.recorded([RECORD_KEY]).get(RECORD_KEY, ()):
        records, places = join_keys(statistics.keys, files.keys)
        rows[places] = statistics.statistics.rows[records]
    bases = ~files.logs
    unknown = files.slices[bases & (rows < 0)]
    if len(unknown) > _MAX_FOOTERS:
        return None
    infos = [base for number in unknown.tolist() if (base := headers.snapshot.slices[number].base) is not None]
    footers = headers.footers(infos)
    if any(info.path not in footers for info in infos):
        return None
    return int(rows[bases & (rows >= 0)].sum()) + sum(footers[info.path].rows for info in infos)

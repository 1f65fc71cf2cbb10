"""The latest record of each key in the logs of a slice, unchanged: what a log compaction keeps. Rule COMPACT-374."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.errors import UnsupportedError
from hudi_core.formats.log import LogBlock
from hudi_core.merge.records import fold
from hudi_core.reading.array_files import ScratchFolder
from hudi_core.reading.log_records import LogReader, LogRecords, log_bytes
from hudi_core.reading.log_runs import LogRuns, share_bits
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, slots=True, eq=False)
class LatestRecords:
    """Which records of logs are the latest of their keys: a flag for each row of the batches, and one for each record of the
    delete blocks, all in the order of the logs."""

    columns: MergeColumns
    batches: Sequence[Any]
    rows: Bools
    deletes: Bools

    @property
    def records(self) -> int:
        """How many records there are, deletes among them."""
        return len(self.rows) + len(self.deletes)

    def draw(self) -> Iterator[Any]:
        """The rows that are the latest, batch by batch."""
        rows, first = self.columns.engine.rows, 0
        for batch in self.batches:
            flags = self.rows[first : first + rows.count(batch)]
            first += len(flags)
            if flags.any():
                yield rows.keep(batch, flags)


@contextmanager
def latest_records(
    reader: LogReader, slice: FileSlice, blocks: Sequence[LogBlock], *, spills: bool
) -> Iterator[LatestRecords]:
    """The latest records of the logs of a slice; with `spills` they are in files while the block runs, else in memory. Raises
    `UnsupportedError` where records are merged column by column: what one of them lacks is not known from it alone."""
    columns = reader.columns
    if reader.merges_columns(blocks):
        where = f"{reader.base_files.sources.snapshot.storage.uri}/{slice.partition}: {slice.file_id}"
        raise UnsupportedError(where, expected="records that are merged as a whole", found="partial updates")
    if not spills:
        records = reader.read(slice, blocks, None)
        latest, listed = _winners(columns, records), records.records.listed
        yield LatestRecords(columns, records.batches, latest[~listed], latest[listed])
        return
    folder = ScratchFolder()
    try:
        logs = LogRuns(columns, False, share_bits(log_bytes(blocks), 0), folder)
        reader.read_into(logs, slice, blocks)
        latest, listed = logs.latest()
        yield LatestRecords(columns, logs.batches, latest[~listed], latest[listed])
    finally:
        folder.close()


def _winners(columns: MergeColumns, records: LogRecords) -> Bools:
    """Which records win over all others with their key. They are numbered, so that the merge gives their numbers back."""
    count = len(records.key_ids)
    numbered = replace(records.records, sources=np.arange(count, dtype=np.int32)[:, None])
    wins = np.zeros(count, np.bool_)
    if count:
        _, latest = fold(numbered, records.key_ids, columns.rules.precedence, columns.latest)
        wins[latest.sources[:, 0]] = True
    return wins

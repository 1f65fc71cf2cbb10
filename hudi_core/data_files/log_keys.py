"""Keys that a log file adds to its slice and removes from it, where ordering values decide that. Rules WRITE-75, WRITE-76."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hudi_core.columns.nodes import length
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.commit.statuses import WriteStatus
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.timeline.slices import FileSlice, slices_of


def with_merged_keys(status: WriteStatus, after: Snapshot, file_slice: FileSlice) -> WriteStatus:
    """The status of a log file with those of its keys as added that its slice holds, and of its removed keys those that it does
    not hold: the other rows and delete markers of the file lost to records with a higher ordering value.

    `after` and `file_slice` are the table and the slice with the file. Reads the keys of the slice; raises what that raises.
    """
    given = [keys for keys in (status.added_keys, status.removed_keys) if keys is not None]
    keys = concat_strings(given)
    is_held, first_rows = np.zeros(length(keys), np.bool_), index_strings(keys)
    for held in SliceKeyReader(Sources(after.of_slices(slices_of([file_slice])))).of_slice(file_slice):
        rows = first_rows.find(held)
        is_held[rows[rows >= 0]] = True
    added = 0 if status.added_keys is None else length(status.added_keys)
    lost = int(np.count_nonzero(~is_held[:added]))
    return replace(
        status,
        inserts=status.inserts - lost,
        updates=status.updates + lost,
        added_keys=take_strings(keys, np.flatnonzero(is_held[:added])),
        removed_keys=take_strings(keys, added + np.flatnonzero(~is_held[added:])),
    )

"""Keys that log files alone delete: a new row of such a key goes to the file group that had the old one. Rule WRITE-75."""

from __future__ import annotations

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.strings import take_strings
from hudi_core.planning.sources.sources import Sources
from hudi_core.tagging.by_files import FileLookup
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, slices_of_partitions
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.slices import NO_BASE


def with_deleted_keys(stored: SliceKeyReader, keys: KeyColumns, places: Numbers) -> Numbers:
    """The slices of keys, with those of keys that no slice holds and that the base file of a slice in their partition has.

    Reads base files of slices with log files alone, and of these what key ranges and bloom filters do not exclude.
    """
    snapshot, slices = stored.sources.snapshot, stored.sources.snapshot.slices
    logged = np.flatnonzero((slices.bases != NO_BASE) & (np.diff(slices.log_offsets) > 0))
    rows = np.flatnonzero(places == NOWHERE)
    if len(logged) == 0 or len(rows) == 0:
        return places
    bases = slices.select(logged).without_logs()
    wanted = KeyColumns(take_strings(keys.records, rows), keys.partitions[rows], keys.paths)
    of_bases = Sources(snapshot.of_slices(bases, snapshot.metadata))
    lookup = FileLookup(
        SliceKeyReader(of_bases, stored.read_recorded_bounds(logged))
    )  # those of the log files only widen them
    located = lookup.locate(wanted, slices_of_partitions(wanted, bases), TaggingMetrics()).slices
    is_held = located != NOWHERE
    completed = places.copy()
    completed[rows[is_held]] = logged[located[is_held]]
    return completed

"""Single records of a metadata partition, found by key or by the start of it: of each key the newest that is not deleted.

For partitions in which the newest record of a key counts alone: `record_index`, `bloom_filters`, secondary indexes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hudi_core.formats.hfile_cells import find_rows
from hudi_core.metadata.records import Batch, FileGroup

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Records of one source; `keys` has for each the number of the key among those that were asked for."""

    batch: Batch
    keys: Ints


def newest(group: FileGroup, keys: Sequence[bytes]) -> Iterator[Found]:
    """The newest record of each of the keys, which ascend; none for a key that is not there or is deleted."""
    open_keys = np.arange(len(keys), dtype=np.int64)
    for order, log in _latest_first(group):
        if not len(open_keys):
            return
        asked = [keys[number] for number in open_keys.tolist()]
        if isinstance(log, Batch):
            starts, stops = find_rows(log.cells, asked)
            here = stops > starts
            rows = stops[here] - 1
            if len(rows):
                yield Found(Batch(log.cells.take(rows), log.schema, order, log.where), open_keys[here])
        else:
            here = np.array([key in log for key in asked], np.bool_)
        open_keys = open_keys[~here]
    based = group.lookup([keys[number] for number in open_keys.tolist()]) if len(open_keys) else None
    if based is not None and len(based[1]):
        yield Found(based[0], open_keys[based[1]])


def starting(group: FileGroup, prefixes: Sequence[bytes]) -> set[bytes]:
    """The keys that start with one of the prefixes and are not deleted."""
    records = group.read(prefixes)
    live: set[bytes] = set()
    events: list[tuple[int, bool, Iterable[bytes]]] = [
        (batch.order, True, [batch.cells.key(row) for row in range(len(batch.cells))]) for batch in records.batches
    ]
    events += [(each.order, False, each.keys) for each in records.deletes]
    for _, put, keys in sorted(events, key=lambda event: event[0]):
        live = live.union(keys) if put else live.difference(keys)
    return live


def count(group: FileGroup, most: int) -> int | None:
    """How many keys are there; None when more than `most` would have to be looked up for it."""
    live: dict[bytes, bool] = {}
    if sum(len(each.cells) for each in group.logs) + sum(len(each.keys) for each in group.deletes) > most:
        return None
    for _, log in reversed(list(_latest_first(group))):
        if isinstance(log, Batch):
            live.update((log.cells.key(row), True) for row in range(len(log.cells)))
        else:
            live.update((key, False) for key in log)
    added = sum(live.values())
    if group.base is None:
        return added
    replaced = len(group.base.lookup(sorted(live)).cells) if live else 0
    return group.base.entry_count - replaced + added


def _latest_first(group: FileGroup) -> list[tuple[int, Batch | frozenset[bytes]]]:
    """What log blocks put and delete, by descending order."""
    events: list[tuple[int, Batch | frozenset[bytes]]] = [(log.order, log) for log in group.logs]
    events += [(each.order, frozenset(each.keys)) for each in group.deletes]
    return sorted(events, key=lambda event: -event[0])

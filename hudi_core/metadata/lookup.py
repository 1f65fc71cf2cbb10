"""Single records of a metadata partition, found by key or by the start of it: of each key the newest that is not deleted.

For partitions in which the newest record of a key counts alone: `record_index`, `bloom_filters`, secondary indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.columns.strings import concat_strings, take_strings, utf8_column
from hudi_core.formats.hfile.cells import find_rows, keys_of
from hudi_core.metadata.records import FileGroup, Piece, RecordBatch


@dataclass(frozen=True, slots=True, eq=False)
class LookupResult:
    """Records of one source; `keys` has for each the number of the key among those that are looked up."""

    batch: RecordBatch
    keys: Numbers


def newest(group: FileGroup, keys: Sequence[bytes]) -> Iterator[LookupResult]:
    """The newest record of each of the keys, which ascend; none for a key that is not there or is deleted."""
    open_keys = np.arange(len(keys), dtype=np.int64)
    for order, log in _latest_first(group):
        if not len(open_keys):
            return
        open_names = [keys[number] for number in open_keys.tolist()]
        if isinstance(log, RecordBatch):
            starts, stops = find_rows(log.cells, open_names)
            here = stops > starts
            rows = stops[here] - 1
            if len(rows):
                yield LookupResult(RecordBatch(log.cells.take(rows), log.schema, order, log.where), open_keys[here])
        else:
            here = np.array([key in log for key in open_names], np.bool_)
        open_keys = open_keys[~here]
    based = group.lookup([keys[number] for number in open_keys.tolist()]) if len(open_keys) else None
    if based is not None and len(based[1]):
        yield LookupResult(based[0], open_keys[based[1]])


def newest_of(group: FileGroup, texts: StringColumn, keys: StringIndex) -> Iterator[Callable[[], LookupResult]]:
    """`newest` of a column of texts in any order, with its index, in parts that may be called by any thread.

    `Found.keys` are rows of the column; equal texts are found once, as the first of them.
    Records in log blocks are looked up before the first part is returned.
    """
    left = keys.first == np.arange(len(keys.first))
    for order, log in _latest_first(group):
        if isinstance(log, RecordBatch):
            key_numbers = keys.find(keys_of(log.cells))
            rows = _last_rows(key_numbers, left)
            if len(rows):
                result = LookupResult(
                    RecordBatch(log.cells.take(rows), log.schema, order, log.where), key_numbers[rows]
                )
                left[result.keys] = False
                yield partial(_give, result)
        else:
            gone = keys.find(utf8_column(sorted(log)))
            left[gone[gone >= 0]] = False
    if group.base is not None and left.any():
        for piece in group.base_pieces_for(take_strings(texts, np.flatnonzero(left))):
            yield partial(_matches_in, piece, keys, left)


def live_keys(group: FileGroup) -> StringColumn:
    """The keys of a file group that are not deleted, once each."""
    parts = [keys_of(log.cells) for log in group.logs]
    if group.base is not None:
        parts.append(keys_of(group.base.cells()))
    texts = concat_strings(parts)
    if len(texts.offsets) < 2:
        return texts
    live = [take_strings(texts, look().keys) for look in newest_of(group, texts, index_strings(texts))]
    return concat_strings(live)


def starting(group: FileGroup, prefixes: Sequence[bytes]) -> set[bytes]:
    """The keys that start with one of the prefixes and are not deleted."""
    records = group.read(prefixes)
    live: set[bytes] = set()
    events: list[tuple[int, bool, Iterable[bytes]]] = [
        (batch.order, True, [batch.cells.key(row) for row in range(len(batch.cells))]) for batch in records.batches
    ]
    events += [(deletes.order, False, deletes.keys) for deletes in records.deletes]
    for _, put, keys in sorted(events, key=lambda event: event[0]):
        live = live.union(keys) if put else live.difference(keys)
    return live


def count(group: FileGroup, most: int) -> int | None:
    """How many keys are there; None when more than `most` would have to be looked up for it."""
    if sum(len(log.cells) for log in group.logs) + sum(len(deletes.keys) for deletes in group.deletes) > most:
        return None
    in_base = 0 if group.base is None else group.base.entry_count
    logs = [log for _, log in _latest_first(group)]
    if not logs:
        return in_base
    columns = [keys_of(log.cells) if isinstance(log, RecordBatch) else utf8_column(sorted(log)) for log in logs]
    texts = concat_strings(columns)
    keys = index_strings(texts)
    is_newest = keys.first == np.arange(len(keys.first))
    is_put = np.repeat([isinstance(log, RecordBatch) for log in logs], [len(column.offsets) - 1 for column in columns])
    pieces = group.base_pieces_for(take_strings(texts, np.flatnonzero(is_newest)))
    replaced = sum(int(np.count_nonzero(keys.find(keys_of(piece().cells)) >= 0)) for piece in pieces)
    return in_base - replaced + int(np.count_nonzero(is_newest & is_put))


def _matches_in(piece: Piece, keys: StringIndex, left: Bools) -> LookupResult:
    """The records of a piece of a base file whose keys are `left` to be found."""
    batch = piece()
    key_numbers = keys.find(keys_of(batch.cells))
    rows = _last_rows(key_numbers, left)
    return LookupResult(replace(batch, cells=batch.cells.take(rows)), key_numbers[rows])


def _last_rows(key_numbers: Numbers, left: Bools) -> Numbers:
    """The last row of each key that is left, of rows with keys by number (or none: -1)."""
    rows = np.flatnonzero(key_numbers >= 0)
    rows = rows[left[key_numbers[rows]]][::-1]
    return rows[np.unique(key_numbers[rows], return_index=True)[1]]


def _give(result: LookupResult) -> LookupResult:
    return result


def _latest_first(group: FileGroup) -> list[tuple[int, RecordBatch | frozenset[bytes]]]:
    """The records and deletes of log blocks, by descending order."""
    events: list[tuple[int, RecordBatch | frozenset[bytes]]] = [(log.order, log) for log in group.logs]
    events += [(deletes.order, frozenset(deletes.keys)) for deletes in group.deletes]
    return sorted(events, key=lambda event: -event[0])

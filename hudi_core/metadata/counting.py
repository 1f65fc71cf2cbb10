"""The records of a file group that count, all sources merged: of each key the newest, or those that add up. Rule META-99."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import NullColumn, PrimitiveColumn, StructColumn, select_nested_column, validity_of
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings, utf8_column
from hudi_core.formats.hfile.cells import keys_of
from hudi_core.metadata.records import FileGroup, MetadataRecords, RecordBatch, decode_values

_PAYLOADS: Final = ("BloomFilterMetadata", "ColumnStatsMetadata", "SecondaryIndexMetadata")
"""The payloads that may mark their key as deleted."""
_STATISTICS: Final = "ColumnStatsMetadata"


@dataclass(frozen=True, slots=True, eq=False)
class CountingRecords:
    """Records that count, by source; `together` of them have a key that others of them have too: statistics that add up."""

    batches: Sequence[RecordBatch]
    together: int


def counting_records(group: FileGroup) -> CountingRecords:
    """The records of a file group that count, of any partition but `files`, whose records of one key all count.

    Raises `CorruptFileError`.
    """
    records = group.read(None)
    if not records.batches:  # deletes alone, or nothing
        return CountingRecords([], 0)
    if records.all_of_base_files:
        return CountingRecords([_take(batch, ~_flags(batch)[0]) for batch in records.batches], 0)
    count = sum(len(batch.cells) for batch in records.batches)
    keys, order, resets, gone = _events(records)
    sequence = np.lexsort((order, keys))
    ordered = keys[sequence]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.int64)
    if not len(starts):
        return CountingRecords([], 0)
    lengths = np.diff(np.append(starts, len(ordered)))
    place = np.arange(len(ordered))
    last_reset = np.maximum.reduceat(np.where(resets[sequence], place, -1), starts)
    counts_in_order = (place >= np.repeat(last_reset, lengths)) & ~gone[sequence]
    of_key = np.add.reduceat(counts_in_order, starts)
    counts = np.zeros(len(ordered), np.bool_)
    counts[sequence] = counts_in_order
    ends = np.cumsum([len(batch.cells) for batch in records.batches])[:-1]
    batches = [
        _take(batch, which) for batch, which in zip(records.batches, np.split(counts[:count], ends), strict=True)
    ]
    return CountingRecords([batch for batch in batches if len(batch.cells)], int(of_key[of_key > 1].sum()))


def _events(records: MetadataRecords) -> tuple[Numbers, Numbers, Bools, Bools]:
    """The records and deletes of sources, the records first: a number for each key, the order, whether what was there before
    goes, and whether the key is gone then."""
    deleted = [key for deletes in records.deletes for key in deletes.keys]
    keys = concat_strings([*(keys_of(batch.cells) for batch in records.batches), utf8_column(deleted)])
    flags = [_flags(batch) for batch in records.batches]
    of_deletes = np.ones(len(deleted), np.bool_)
    order = np.concatenate(
        [
            *(np.full(len(batch.cells), batch.order) for batch in records.batches),
            np.repeat(
                np.array([deletes.order for deletes in records.deletes], np.int64),
                [len(deletes.keys) for deletes in records.deletes],
            ),
        ]
    )
    gone = np.concatenate([*(gone for gone, _ in flags), of_deletes])
    resets = np.concatenate([*(resets for _, resets in flags), of_deletes])
    return index_strings(keys).first.astype(np.int64), order.astype(np.int64), resets, gone


def _flags(batch: RecordBatch) -> tuple[Bools, Bools]:
    """For each record, whether it deletes its key, and whether it replaces those before it."""
    wanted = frozenset((*(f"{payload}.isDeleted" for payload in _PAYLOADS), f"{_STATISTICS}.isTightBound"))
    column = decode_values([batch], wanted)
    gone, resets = np.zeros(len(batch.cells), np.bool_), np.ones(len(batch.cells), np.bool_)
    assert isinstance(column, StructColumn)
    for name in _PAYLOADS:
        payload = column.fields.get(name)
        if isinstance(payload, StructColumn):
            gone |= _flag(payload, "isDeleted")
            if name == _STATISTICS:
                resets = ~validity_of(payload) | _flag(payload, "isTightBound") | gone
    return gone, resets


def _flag(payload: StructColumn, name: str) -> Bools:
    if name not in payload.fields:
        return np.zeros(payload.length, np.bool_)
    column = select_nested_column(payload, name)
    if isinstance(column, NullColumn):
        return np.zeros(payload.length, np.bool_)
    assert isinstance(column, PrimitiveColumn)
    flags: Bools = column.values.astype(np.bool_) & validity_of(column) & validity_of(payload)
    return flags


def _take(batch: RecordBatch, which: Bools) -> RecordBatch:
    return batch if which.all() else replace(batch, cells=batch.cells.take(np.flatnonzero(which)))

"""Which of the records with one key wins, column by column where updates are partial. Rules: MERGE-1 to MERGE-12.

Records are rows of arrays: what they hold is named by numbers, so that the rule moves no values. It is one function of an
older and a newer record, `merged`; a file slice applies it to the records of its logs from oldest to newest, and then to the
row of the base file and what the logs made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import Bools
from hudi_core.merge.ordering_values import Comparable

Sources = NDArray[np.int32]

NO_ROW = -1
"""Stands for the row of a deleted record."""


class Precedence(Enum):
    """Which of an older and a newer record with one key wins, deletes without an ordering value apart. Rule MERGE-3."""

    NEWER = "the newer"
    HIGHER = "the one with the higher ordering value, the newer of equal ones"
    HIGHER_OR_OLDER = "the one with the higher ordering value, the older of equal ones"
    LOWER = "the one with the lower ordering value, the newer of equal ones"


@dataclass(frozen=True, slots=True, eq=False)
class MergeRecords:
    """Records with different keys, one a row of each array.

    `ordering` holds the values of each ordering field. `absolute` marks deletes without an ordering value. `listed` marks
    deletes that stand in a delete block, not in a row. `sources` and `given` have a column for each column of a row, or a
    single one when rows are taken whole: the number of the row that holds the column's value, and whether the record has a
    value for it.
    """

    ordering: tuple[Comparable, ...]
    deleted: Bools
    absolute: Bools
    listed: Bools
    sources: Sources
    given: Bools

    def __len__(self) -> int:
        return len(self.deleted)

    def take(self, rows: NDArray[np.int64]) -> MergeRecords:
        """These rows, in this order."""
        return MergeRecords(
            tuple(each[rows] for each in self.ordering),
            self.deleted[rows],
            self.absolute[rows],
            self.listed[rows],
            self.sources[rows],
            self.given[rows],
        )

    def put(self, rows: NDArray[np.int64], others: MergeRecords) -> None:
        """Other records in place of these rows."""
        for mine, theirs in zip(self.ordering, others.ordering, strict=True):
            mine[rows] = theirs
        self.deleted[rows] = others.deleted
        self.absolute[rows] = others.absolute
        self.listed[rows] = others.listed
        self.sources[rows] = others.sources
        self.given[rows] = others.given


def joined(parts: list[MergeRecords]) -> MergeRecords:
    """All records, in order; at least one part."""
    return MergeRecords(
        tuple(np.concatenate(each) for each in zip(*(part.ordering for part in parts), strict=True)),
        np.concatenate([part.deleted for part in parts]),
        np.concatenate([part.absolute for part in parts]),
        np.concatenate([part.listed for part in parts]),
        np.concatenate([part.sources for part in parts]),
        np.concatenate([part.given for part in parts]),
    )


def merged(
    older: MergeRecords, newer: MergeRecords, precedence: Precedence, latest: Bools | None = None
) -> MergeRecords:
    """Of each pair of records with one key, what is left; the `latest` columns are the newer row's, whichever wins."""
    higher = _newer_is_higher(older, newer, precedence)
    keys = [(theirs, mine) for theirs, mine in zip(newer.ordering, older.ordering, strict=True)]
    whole = older.deleted | newer.deleted
    over, under = higher[:, None], whole[:, None]
    given = np.where(over, newer.given, older.given)
    lower_given = np.where(over, older.given, newer.given)
    sources = np.where(over, newer.sources, older.sources)
    lower = np.where(over, older.sources, newer.sources)
    left = np.where(given | under, sources, lower)
    if latest is not None:
        left = np.where(latest & ~under, newer.sources, left)
    return MergeRecords(
        tuple(np.where(higher, theirs, mine) for theirs, mine in keys),
        np.where(higher, newer.deleted, older.deleted),
        np.where(higher, newer.absolute, older.absolute),
        np.where(higher, newer.listed, older.listed),
        left,
        np.where(under, given, given | lower_given),
    )


def _newer_is_higher(older: MergeRecords, newer: MergeRecords, precedence: Precedence) -> Bools:
    if precedence is Precedence.NEWER:
        return np.ones(len(newer), np.bool_)
    late = np.zeros(len(newer), np.bool_)
    undecided = np.ones(len(newer), np.bool_)
    for mine, theirs in zip(older.ordering, newer.ordering, strict=True):
        late |= undecided & ((mine < theirs) if precedence is Precedence.LOWER else (mine > theirs))
        undecided &= mine == theirs
    if precedence is Precedence.HIGHER_OR_OLDER:
        late |= undecided
    higher: Bools = newer.absolute | older.absolute | ~late
    return higher & ~(older.absolute & newer.listed)


def fold(
    records: MergeRecords, keys: NDArray[np.int64], precedence: Precedence, latest: Bools | None = None
) -> tuple[NDArray[np.int64], MergeRecords]:
    """The distinct keys in ascending order, and for each what is left of its records, which come from oldest to newest.

    `keys` are numbers that stand for the records' keys. The work grows with the records; the number of rounds is that of
    the records of one key.
    """
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])[: len(keys)])
    counts = np.diff(np.append(begins, len(keys)))
    left = records.take(order[begins])
    several = np.flatnonzero(counts > 1)
    turn = 1
    while len(several):
        newer = records.take(order[begins[several] + turn])
        left.put(several, merged(left.take(several), newer, precedence, latest))
        turn += 1
        several = several[counts[several] > turn]
    return sorted_keys[begins], left

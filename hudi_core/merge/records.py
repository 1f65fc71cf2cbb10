"""Which of the records with one key wins, column by column where updates are partial. Rules: MERGE-1 to MERGE-12.

Records are rows of arrays. They refer to values by row number, so that merging moves no values. The rule is one function of
an older and a newer record, `merge_records`; a file slice applies it to the records of its logs from oldest to newest, and then
to the row of the base file and the merged log record.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from hudi_core.arrays import Bools, Numbers, Numbers32
from hudi_core.merge.ordering_values import Comparable

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
    deletes that are in a delete block, not in a row. `sources` and `has_value` have a column for each column of a row, or
    a single one when rows are merged as a whole: the number of the row that holds the column's value, and whether the record
    has a value for it.
    """

    ordering: tuple[Comparable, ...]
    deleted: Bools
    absolute: Bools
    listed: Bools
    sources: Numbers32
    has_value: Bools

    def __len__(self) -> int:
        return len(self.deleted)

    def take(self, rows: Numbers) -> MergeRecords:
        """The records of these rows, in this order."""
        return MergeRecords(
            tuple(column[rows] for column in self.ordering),
            self.deleted[rows],
            self.absolute[rows],
            self.listed[rows],
            self.sources[rows],
            self.has_value[rows],
        )

    def put(self, rows: Numbers, others: MergeRecords) -> None:
        """Replaces the records of these rows."""
        for column, other_column in zip(self.ordering, others.ordering, strict=True):
            column[rows] = other_column
        self.deleted[rows] = others.deleted
        self.absolute[rows] = others.absolute
        self.listed[rows] = others.listed
        self.sources[rows] = others.sources
        self.has_value[rows] = others.has_value


def join_records(parts: list[MergeRecords]) -> MergeRecords:
    """All records, in order; at least one part."""
    return MergeRecords(
        tuple(np.concatenate(columns) for columns in zip(*(part.ordering for part in parts), strict=True)),
        np.concatenate([part.deleted for part in parts]),
        np.concatenate([part.absolute for part in parts]),
        np.concatenate([part.listed for part in parts]),
        np.concatenate([part.sources for part in parts]),
        np.concatenate([part.has_value for part in parts]),
    )


def merge_records(
    older: MergeRecords, newer: MergeRecords, precedence: Precedence, latest: Bools | None = None
) -> MergeRecords:
    """The merged record of each pair with one key; the `latest` columns come from the newer row, whichever wins."""
    pairs = zip(newer.ordering, older.ordering, strict=True)
    newer_wins = _newer_wins(older, newer, precedence)
    has_delete = older.deleted | newer.deleted
    newer_rows, delete_rows = newer_wins[:, None], has_delete[:, None]
    has_value = np.where(newer_rows, newer.has_value, older.has_value)
    loser_has_value = np.where(newer_rows, older.has_value, newer.has_value)
    sources = np.where(newer_rows, newer.sources, older.sources)
    loser = np.where(newer_rows, older.sources, newer.sources)
    winner = np.where(has_value | delete_rows, sources, loser)
    if latest is not None:
        winner = np.where(latest & ~delete_rows, newer.sources, winner)
    return MergeRecords(
        tuple(np.where(newer_wins, newer_values, older_values) for newer_values, older_values in pairs),
        np.where(newer_wins, newer.deleted, older.deleted),
        np.where(newer_wins, newer.absolute, older.absolute),
        np.where(newer_wins, newer.listed, older.listed),
        winner,
        np.where(delete_rows, has_value, has_value | loser_has_value),
    )


def _newer_wins(older: MergeRecords, newer: MergeRecords, precedence: Precedence) -> Bools:
    if precedence is Precedence.NEWER:
        return np.ones(len(newer), np.bool_)
    newer_loses = np.zeros(len(newer), np.bool_)
    undecided = np.ones(len(newer), np.bool_)
    for older_values, newer_values in zip(older.ordering, newer.ordering, strict=True):
        newer_loses |= undecided & (
            (older_values < newer_values) if precedence is Precedence.LOWER else (older_values > newer_values)
        )
        undecided &= older_values == newer_values
    if precedence is Precedence.HIGHER_OR_OLDER:
        newer_loses |= undecided
    newer_wins: Bools = newer.absolute | older.absolute | ~newer_loses
    return newer_wins & ~(older.absolute & newer.listed)


def fold(
    records: MergeRecords, keys: Numbers, precedence: Precedence, latest: Bools | None = None
) -> tuple[Numbers, MergeRecords]:
    """The distinct keys in ascending order, and the merged record of each. `records` stand from oldest to newest.

    `keys` are numbers that stand for the records' keys. The work grows with the records; the number of rounds is that of
    the records of one key.
    """
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])[: len(keys)])
    counts = np.diff(np.append(begins, len(keys)))
    result = records.take(order[begins])
    several = np.flatnonzero(counts > 1)
    round_number = 1
    while len(several):
        newer = records.take(order[begins[several] + round_number])
        result.put(several, merge_records(result.take(several), newer, precedence, latest))
        round_number += 1
        several = several[counts[several] > round_number]
    return sorted_keys[begins], result

"""MERGE-3 to MERGE-10: what is left of records is what merging them one by one by definition leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.merge.records import NO_ROW, MergeRecords, Precedence, fold, join_records, merge_records

COLUMNS = 3


@dataclass(frozen=True)
class One:
    """A record by itself: what `MergeRecords` has of each row."""

    ordering: tuple[int, ...]
    deleted: bool
    absolute: bool
    listed: bool
    sources: tuple[int, ...]
    has_value: tuple[bool, ...]


LATEST = np.array([True, False, False])


def by_definition(older: One, newer: One, precedence: Precedence, latest: bool = False) -> One:
    wins = {
        Precedence.NEWER: True,
        Precedence.HIGHER: newer.ordering >= older.ordering,
        Precedence.HIGHER_OR_OLDER: newer.ordering > older.ordering,
        Precedence.LOWER: newer.ordering <= older.ordering,
    }
    if precedence is not Precedence.NEWER and older.absolute and newer.listed:
        return older
    if newer.absolute or older.absolute or wins[precedence]:
        high, low = newer, older
    else:
        high, low = older, newer
    if high.deleted or low.deleted:
        return high
    pairs = zip(high.sources, low.sources, high.has_value, strict=True)
    sources = tuple(mine if has else theirs for mine, theirs, has in pairs)
    if latest:
        sources = (newer.sources[0], *sources[1:])
    both = tuple(mine or theirs for mine, theirs in zip(high.has_value, low.has_value, strict=True))
    return One(high.ordering, high.deleted, high.absolute, high.listed, sources, both)


def records(ones: list[One], fields: int) -> MergeRecords:
    return MergeRecords(
        tuple(np.array([one.ordering[field] for one in ones], np.int64) for field in range(fields)),
        np.array([one.deleted for one in ones], np.bool_),
        np.array([one.absolute for one in ones], np.bool_),
        np.array([one.listed for one in ones], np.bool_),
        np.array([one.sources for one in ones], np.int32).reshape(len(ones), COLUMNS),
        np.array([one.has_value for one in ones], np.bool_).reshape(len(ones), COLUMNS),
    )


def ones(found: MergeRecords) -> list[One]:
    return [
        One(
            tuple(int(values[row]) for values in found.ordering),
            bool(found.deleted[row]),
            bool(found.absolute[row]),
            bool(found.listed[row]),
            tuple(found.sources[row].tolist()),
            tuple(found.has_value[row].tolist()),
        )
        for row in range(len(found))
    ]


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, list[One], list[int]]:
    fields = draw(st.integers(0, 2))
    found = []
    for row in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from(["row", "row", "row", "delete", "listed"]))
        ordering = tuple(draw(st.integers(0, 2)) for _ in range(fields))
        absolute = kind != "row" and draw(st.booleans())
        has_value = tuple(draw(st.booleans()) for _ in range(COLUMNS)) if kind == "row" else (True,) * COLUMNS
        sources = (NO_ROW,) * COLUMNS if kind == "listed" else (row,) * COLUMNS
        found.append(One(ordering, kind != "row", absolute, kind == "listed", sources, has_value))
    return fields, found, [draw(st.integers(0, 3)) for _ in found]


precedences = st.sampled_from(Precedence)


@settings(deadline=None)
@given(histories(), precedences, st.booleans())
def test_records_fold_as_one_by_one(
    history: tuple[int, list[One], list[int]], precedence: Precedence, latest: bool
) -> None:
    fields, given_records, keys = history
    left: dict[int, One] = {}
    for one, key in zip(given_records, keys, strict=True):
        left[key] = by_definition(left[key], one, precedence, latest) if key in left else one
    columns = LATEST if latest else None
    found_keys, found = fold(records(given_records, fields), np.array(keys, np.int64), precedence, columns)
    assert found_keys.tolist() == sorted(left)
    assert ones(found) == [left[key] for key in sorted(left)]


@settings(deadline=None)
@given(histories(), precedences)
def test_pairs_merge_as_one_by_one(history: tuple[int, list[One], list[int]], precedence: Precedence) -> None:
    fields, given_records, _ = history
    half = len(given_records) // 2
    older, newer = given_records[:half], given_records[half : 2 * half]
    found = merge_records(records(older, fields), records(newer, fields), precedence)
    assert ones(found) == [by_definition(one, other, precedence) for one, other in zip(older, newer, strict=True)]


@given(histories(), st.integers(0, 14))
def test_parts_join_in_order(history: tuple[int, list[One], list[int]], cut: int) -> None:
    fields, given_records, _ = history
    found = join_records([records(given_records[:cut], fields), records(given_records[cut:], fields)])
    assert ones(found) == given_records


def test_one_key_with_very_many_records_is_folded() -> None:
    count = 2000
    every = [One((row * 7 % count,), False, False, False, (row,) * COLUMNS, (True,) * COLUMNS) for row in range(count)]
    _, found = fold(records(every, 1), np.zeros(count, np.int64), Precedence.HIGHER)
    (one,) = ones(found)
    assert one.ordering == (count - 1,)


def test_a_row_that_wins_against_a_delete_keeps_its_latest_columns() -> None:
    """MERGE-18: the newer record is no row, or one that says of its key that it is deleted."""
    row = One((5,), False, False, False, (0,) * COLUMNS, (True,) * COLUMNS)
    for listed, sources in ((True, NO_ROW), (False, 1)):
        delete = One((2,), True, False, listed, (sources,) * COLUMNS, (True,) * COLUMNS)
        older, newer = records([row], 1), records([delete], 1)
        assert ones(merge_records(older, newer, Precedence.HIGHER, LATEST)) == [row]
        assert ones(merge_records(newer, older, Precedence.HIGHER, LATEST)) == [row]

"""Sets of keys: which values of a column give an outcome, as ranges of the integers that stand for its values."""

from __future__ import annotations

from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]
"""Ranges of keys, first and last included, ascending and apart."""


def points(keys: Iterable[int]) -> Ranges:
    """The set of these keys."""
    distinct = sorted(set(keys))
    return tuple(zip(distinct, distinct, strict=True))


def intersection(left: Ranges, right: Ranges) -> Ranges:
    """The keys in both sets.

    >>> intersection(((1, 5), (8, 9)), ((4, 8),))
    ((4, 5), (8, 8))
    """
    if len(left) == len(right) == 1:
        first, last = max(left[0][0], right[0][0]), min(left[0][1], right[0][1])
        return ((first, last),) if first <= last else ()
    shared = []
    i = j = 0
    while i < len(left) and j < len(right):
        first, last = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if first <= last:
            shared.append((first, last))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(shared)


def union(left: Ranges, right: Ranges) -> Ranges:
    """The keys in either set; ranges that touch become one.

    >>> union(((1, 3), (9, 9)), ((4, 5),))
    ((1, 5), (9, 9))
    """
    return unite((*left, *right)) if left and right else left or right


def unite(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The set of the keys in any of the ranges, in whatever order these come.

    >>> unite([(9, 9), (1, 3), (2, 5)])
    ((1, 5), (9, 9))
    """
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            if last > joined[-1][1]:
                joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return tuple(joined)


def complement(ranges: Ranges, bottom: int, top: int) -> Ranges:
    """The keys from `bottom` to `top` that are not in the set.

    >>> complement(((1, 3), (4, 4)), 0, 9)
    ((0, 0), (5, 9))
    """
    outside = []
    begin = bottom
    for first, last in ranges:
        if begin < first:
            outside.append((begin, min(first - 1, top)))
        begin = max(begin, last + 1)
    if begin <= top:
        outside.append((begin, top))
    return tuple(outside)

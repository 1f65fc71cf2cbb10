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
    found = []
    i = j = 0
    while i < len(left) and j < len(right):
        first, last = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if first <= last:
            found.append((first, last))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def union(left: Ranges, right: Ranges) -> Ranges:
    """The keys in either set; ranges that touch become one.

    >>> union(((1, 3), (9, 9)), ((4, 5),))
    ((1, 5), (9, 9))
    """
    return united((*left, *right)) if left and right else left or right


def united(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The set of the keys in any of the ranges, in whatever order these come.

    >>> united([(9, 9), (1, 3), (2, 5)])
    ((1, 5), (9, 9))
    """
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            if last > found[-1][1]:
                found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return tuple(found)


def complement(of: Ranges, bottom: int, top: int) -> Ranges:
    """The keys from `bottom` to `top` that are not in the set.

    >>> complement(((1, 3), (4, 4)), 0, 9)
    ((0, 0), (5, 9))
    """
    found = []
    begin = bottom
    for first, last in of:
        if begin < first:
            found.append((begin, min(first - 1, top)))
        begin = max(begin, last + 1)
    if begin <= top:
        found.append((begin, top))
    return tuple(found)

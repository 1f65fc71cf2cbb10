"""Cuts through the order of a type's values, and sets of values defined by the listed values and the gaps between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby

from hudi_core.expr.predicate import Cut
from hudi_core.types.nodes import Type
from hudi_core.values.order import equal, less


def is_below(value: object, cut: Cut, type: Type) -> bool:
    """Whether a value, not null, lies below a cut."""
    return not less(cut.value, value, type) if cut.after else less(value, cut.value, type)


def holds(value: object, values: Sequence[object], members: Sequence[bool], type: Type) -> bool:
    """Whether a value, not null, is in the set that `Within` has."""
    below = bisect_left(values, True, key=lambda listed: not less(listed, value, type))
    return members[2 * below + (below < len(values) and equal(values[below], value, type))]


def ranges_of(values: Sequence[object], members: Sequence[bool]) -> Iterator[tuple[Cut | None, Cut | None]]:
    """The set that `Within` has as ranges, ascending: each from a cut up to another, None for no end.

    >>> list(ranges_of([1, 5], [True, False, False, True, True]))
    [(None, Cut(value=1, after=False)), (Cut(value=5, after=False), None)]
    """
    for is_member, run in groupby(range(len(members)), key=members.__getitem__):
        if is_member:
            first, *others = run
            last = others[-1] if others else first
            before, at_first = divmod(first, 2)
            after, at_last = divmod(last, 2)
            yield (
                Cut(values[before]) if at_first else Cut(values[before - 1], True) if before else None,
                Cut(values[after], True) if at_last else Cut(values[after]) if after < len(values) else None,
            )

"""Comparisons of a function of a column as comparisons of the column: `year(d) = 2024` is `d >= 2024-01-01 AND d < 2025-01-01`.

The preimage of a cut under a monotone function is a cut. The argument's values are therefore divided into stretches: where
the function is known to be monotone, bisection over all values of the type finds the cut exactly, overflow and rounding
included; elsewhere the comparison stays as it is, but only for those values:

    i * 3 > 12   is   (i > 4 AND i <= 715827882)  OR  (i beyond where i * 3 wraps  AND  i * 3 > 12)

Rows, files and every engine then see a plain column. Where a date or timestamp would leave its type's range, the
comparison is made as if it did not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from hudi_core.expr.connectives import every, first_of, negate, never, some
from hudi_core.expr.cuts import drop_others, find_cut, is_below
from hudi_core.expr.inverse import Interval, Inverse, inverse_of, limits, merge_intervals, position, value_at, without
from hudi_core.expr.predicate import (
    ALWAYS_FALSE,
    ALWAYS_NULL,
    ALWAYS_TRUE,
    Apply,
    Below,
    Choose,
    Column,
    Constant,
    Cut,
    IsNull,
    Matches,
    Not,
    OneOf,
    Predicate,
    Term,
)
from hudi_core.functions.casts import CAST
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.cast import cast
from hudi_core.functions.scalar.like import Pattern
from hudi_core.functions.strings import SUBSTRING
from hudi_core.types import nodes as t
from hudi_core.types.nodes import Type
from hudi_core.values.order import after_prefix, distinct, equal
from hudi_core.values.text import to_text

_MAX_POINTS = 32
"""Beyond so many listed values of a function, only the stretch from the least to the greatest is taken back."""


def below(term: Term, cut: Cut) -> Predicate:
    """The term's value lies below the cut."""
    if isinstance(term.type, t.Fixed | t.Uuid):
        cut = find_cut(cut, term.type)
    match term:
        case Constant(value, type):
            return ALWAYS_NULL if value is None else _always(is_below(value, cut, type))
        case Choose():
            return _over_branches(term, lambda branch: below(branch, cut))
        case Apply() if _is_prefix(term):
            return _prefix_below(term, cut)
        case Apply():
            inverse = inverse_of(term)
            if inverse is None:
                return Below(term, cut)
            return _pull_back(inverse, inverse.below(cut), Below(term, cut), cut.after)
        case _:
            side = _extreme(cut, term.type)
            if side is None:
                return Below(term, cut)
            return never(term) if side < 0 else Not(never(term))


def one_of(term: Term, values: Iterable[object], with_null: bool = False) -> Predicate:
    """The term's value is one of the values, none of them null; `with_null`: a null was among them."""
    values = tuple(values)
    if isinstance(term.type, t.Fixed | t.Uuid):
        values = drop_others(values, term.type)
    match term:
        case Constant(None):
            return ALWAYS_NULL
        case Constant(value, type):
            is_listed = any(equal(value, choice, type) for choice in values)
            return ALWAYS_NULL if with_null and not is_listed else _always(is_listed)
        case Choose():
            return _over_branches(term, lambda branch: one_of(branch, values, with_null))
        case Apply():
            pulled_back = _one_of_pulled_back(term, distinct(values, term.type))
            if with_null and isinstance(pulled_back, OneOf):
                return replace(pulled_back, with_null=True)
            return some([pulled_back, ALWAYS_NULL]) if with_null else pulled_back
        case Column(
            type=t.Date() | t.Time() | t.Timestamp() as data_type
        ):  # an interval may have led out of the type's range
            first, last = limits(data_type) or (0, 0)
            inside = (value for value in values if first <= position(value, data_type) <= last)
            return OneOf(term, distinct(tuple(inside), data_type), with_null)
        case _:
            return OneOf(term, distinct(values, term.type), with_null)


def is_null(term: Term) -> Predicate:
    """The term's value is null."""
    match term:
        case Constant(value):
            return _always(value is None)
        case Choose():
            return _over_branches(term, is_null)
        case Apply(function, (argument,), t.String()) if function is CAST and not isinstance(argument.type, t.Binary):
            return is_null(argument)
        case Apply():
            inverse = None if _is_prefix(term) else inverse_of(term)
            if _is_prefix(term) or (inverse is not None and not inverse.unknown):
                return is_null(_argument(term))
            return IsNull(term)
        case _:
            return IsNull(term)


def matches(term: Term, pattern: Pattern | str) -> Predicate:
    """The term's text matches."""
    if isinstance(term, Choose):
        return _over_branches(term, lambda branch: matches(branch, pattern))
    if not isinstance(term, Constant):
        return Matches(term, pattern)
    if term.value is None:
        return ALWAYS_NULL
    wanted = regex.parse(pattern) if isinstance(pattern, str) else regex.like(pattern)
    if wanted.retried is not None:
        return Matches(term, pattern)  # an engine with another matcher may know it
    return _always(wanted.compiled.search(str(term.value)) is not None)


def _always(truth: bool) -> Predicate:
    return ALWAYS_TRUE if truth else ALWAYS_FALSE


def _over_branches(term: Choose, leaf: Callable[[Term], Predicate]) -> Predicate:
    return first_of([(condition, leaf(then)) for condition, then in term.branches], leaf(term.otherwise))


def _extreme(cut: Cut, type: Type) -> int | None:
    """-1 for a cut below all values, 1 for one above all, else None."""
    if isinstance(type, t.String | t.Binary):
        return -1 if not cut.value and not cut.after else None
    ends = limits(type)
    if ends is None:
        return None
    place = position(cut.value, type)
    if place < ends[0] or (place == ends[0] and not cut.after):
        return -1
    return 1 if place > ends[1] or (place == ends[1] and cut.after) else None


def _argument(term: Apply) -> Term:
    return next(argument for argument in term.arguments if not isinstance(argument, Constant))


def _one_of_pulled_back(term: Apply, values: tuple[Any, ...]) -> Predicate:
    leaf = OneOf(term, values)
    if _is_prefix(term):
        return some([_prefix_equal(term, value) for value in values] or [never(_argument(term))])
    spelled = _spell(term, values)
    if spelled is not None:
        return one_of(_argument(term), spelled)
    inverse = inverse_of(term)
    if inverse is None:
        return leaf
    if len(values) > _MAX_POINTS and inverse.edge is None:
        lower, upper = inverse.below(Cut(values[0])), inverse.below(Cut(values[-1], True))
        hull = merge_intervals([*without(upper, lower), *inverse.unknown])
        return every([_inside(inverse.argument, hull, False), leaf])
    intervals = [interval for value in values for interval in inverse.between(value, value)]
    points = all(lower == upper for lower, upper in intervals)
    return _pull_back(inverse, intervals if points else merge_intervals(intervals), leaf, False)


def _spell(term: Apply, values: tuple[Any, ...]) -> list[Any] | None:
    """The values that strings spell, for a cast to string that is injective; None for another function."""
    data_type = term.arguments[0].type
    exact = isinstance(data_type, t.Boolean | t.Int | t.Long | t.Decimal | t.Date | t.Time | t.Timestamp)
    if term.function is not CAST or not isinstance(term.type, t.String) or not exact:
        return None
    read = [cast(string, t.String(), data_type) for string in values]
    return [
        value
        for value, string in zip(read, values, strict=True)
        if value is not None and to_text(value, data_type) == string
    ]


def _pull_back(inverse: Inverse, intervals: list[Interval], leaf: Predicate, after: bool) -> Predicate:
    inside = _inside(inverse.argument, intervals, after)
    if not inverse.unknown:
        return inside
    return some([inside, every([_inside(inverse.argument, list(inverse.unknown), False), leaf])])


def _inside(argument: Term, intervals: list[Interval], after: bool) -> Predicate:
    """The argument lies in one of the intervals, as a condition on the column where the argument is itself a function of one."""
    inverse = inverse_of(argument) if isinstance(argument, Apply) and intervals else None
    if inverse is None:
        return _range(argument, intervals, after, below, one_of)
    values = [(value_at(first, argument.type), value_at(last, argument.type)) for first, last in intervals]
    preimages = merge_intervals(interval for ends in values for interval in inverse.between(*ends))
    return _pull_back(inverse, preimages, _range(argument, intervals, after, Below, OneOf), after)


def _range(
    argument: Term,
    intervals: list[Interval],
    after: bool,
    under: Callable[[Term, Cut], Predicate],
    among: Callable[[Term, tuple[object, ...]], Predicate],
) -> Predicate:
    data_type, ends = argument.type, limits(argument.type)
    assert ends is not None
    points = tuple(value_at(first, data_type) for first, last in intervals if first == last)
    parts: list[Predicate] = [among(argument, points)] if points else []
    for first, last in intervals:
        if first < last:
            bounds = [negate(under(argument, _cut_before(first, data_type, after)))] if first > ends[0] else []
            bounds += [under(argument, _cut_before(last + 1, data_type, after))] if last < ends[1] else []
            parts.append(every(bounds) if bounds else negate(_never(argument)))
    return some(parts) if parts else _never(argument)


def _cut_before(place: int, type: Type, after: bool) -> Cut:
    """The cut between a position and the one before, at the shorter of the two values; `after` decides where they are alike."""
    value, previous = value_at(place, type), value_at(place - 1, type)
    lengths = len(str(value).rstrip("0")), len(str(previous).rstrip("0"))
    return Cut(previous, True) if lengths[1] < lengths[0] or (after and lengths[0] == lengths[1]) else Cut(value)


def _never(term: Term) -> Predicate:
    """FALSE for every value, NULL for null, as a condition on the column where the term is a function of one."""
    return one_of(term, ())


# ---- the first characters of a text


def _is_prefix(term: Apply) -> bool:
    """`substring(text, 1, n)` with a constant n."""
    if term.function is not SUBSTRING or not isinstance(term.type, t.String) or len(term.arguments) != 3:
        return False
    argument, start, length = term.arguments
    from_first = isinstance(start, Constant) and start.value in (0, 1) and isinstance(length, Constant)
    return from_first and not isinstance(argument, Constant) and isinstance(argument.type, t.String)


def _prefix_length(term: Apply) -> int:
    length = term.arguments[2]
    assert isinstance(length, Constant) and isinstance(length.value, int)
    return max(length.value, 0)


def _prefix_below(term: Apply, cut: Cut) -> Predicate:
    """The first n characters order texts as the texts do themselves, but for ties: those go with the whole prefix."""
    argument, length, wanted = _argument(term), _prefix_length(term), str(cut.value)
    if len(wanted) < length or (len(wanted) == length and not cut.after):
        return below(argument, replace(cut, value=wanted))
    end = after_prefix(wanted[:length])
    return negate(_never(argument)) if end is None else below(argument, Cut(end))


def _prefix_equal(term: Apply, wanted: Any) -> Predicate:
    argument, length = _argument(term), _prefix_length(term)
    if len(wanted) < length:
        return one_of(argument, (wanted,))
    return starts_with(argument, wanted) if len(wanted) == length else _never(argument)


def starts_with(term: Term, prefix: str) -> Predicate:
    """The term's text begins with the prefix: a range of texts."""
    end = after_prefix(prefix)
    bounds = [negate(below(term, Cut(prefix)))] + ([below(term, Cut(end))] if end is not None else [])
    return every(bounds)

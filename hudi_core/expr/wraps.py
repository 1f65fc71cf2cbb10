"""Calls whose integers wrap around, as predicates on what they are called with. Rules: FUNC-2, WRITE-1453."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hudi_core.expr.connectives import every, negate, some
from hudi_core.expr.predicate import ALWAYS_FALSE, ALWAYS_TRUE, Apply, Below, Column, Constant, Cut, Predicate, Term
from hudi_core.expr.preimage import below, is_null, one_of
from hudi_core.functions.casts import CAST
from hudi_core.functions.tried import FUNCTIONS
from hudi_core.types import nodes as t
from hudi_core.values.domain import INT_RANGE, LONG_RANGE


def _divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


EXACT: Final[Mapping[str, Callable[..., int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "negative": operator.neg,
    "abs": abs,
    "div": _divide,
}
"""What gives integers that may wrap around, on integers without bounds."""
_TRIED_NAMES: Final = {"try_add": "+", "try_subtract": "-", "try_multiply": "*"}
_TRIED: Final = {_TRIED_NAMES[one.name]: one for one in FUNCTIONS if one.name in _TRIED_NAMES}
"""The same with null for those that would. The others wrap around at the least integer alone."""


def wraps_around(name: str, arguments: Sequence[Term], made: Term) -> Predicate:
    """Whether the integers of a call of a function wrap around; FALSE for other calls. `made` is its term."""
    if isinstance(made, Constant):
        return ALWAYS_TRUE if _has_wrapped(name, arguments, made) else ALWAYS_FALSE
    if not isinstance(made, Apply) or made.function.name not in EXACT:
        return ALWAYS_FALSE
    given = made.arguments
    if not all(isinstance(kind, t.Int | t.Long) for kind in (made.type, *(part.type for part in given))):
        return ALWAYS_FALSE
    ends = INT_RANGE if isinstance(given[0].type, t.Int) else LONG_RANGE
    tried = _TRIED.get(made.function.name)
    if tried is None:
        return every(one_of(part, (edge,)) for part, edge in zip(given, (ends[0], -1), strict=False))
    for place, part in enumerate(given):
        if isinstance(part, Constant) and isinstance(part.value, int):
            low, high = _fitting(made.function.name, part.value, place, ends)
            other = given[1 - place]
            # Statistics know columns. What is nested is costly to invert.
            is_below = below if _is_column(other) else Below
            return some(
                [
                    is_below(other, Cut(low)) if low > ends[0] else ALWAYS_FALSE,
                    negate(is_below(other, Cut(high, after=True))) if high < ends[1] else ALWAYS_FALSE,
                ]
            )
    lost = is_null(Apply(tried, given, made.type))
    return every([lost, *(negate(is_null(part)) for part in given)])


def _is_column(term: Term) -> bool:
    return isinstance(term, Column) or (
        isinstance(term, Apply) and term.function is CAST and _is_column(term.arguments[0])
    )


def _has_wrapped(name: str, arguments: Sequence[Term], made: Constant) -> bool:
    """Whether a call of constants has wrapped around when it was bound."""
    values = [part.value for part in arguments if isinstance(part, Constant) and isinstance(part.type, t.Int | t.Long)]
    integers = [value for value in values if isinstance(value, int)]
    if not isinstance(made.type, t.Int | t.Long) or made.value is None or len(integers) < len(arguments):
        return False
    return EXACT[name](*integers) != made.value


def _fitting(name: str, constant: int, place: int, ends: tuple[int, int]) -> tuple[int, int]:
    """The least and the greatest integer that a call with a constant at a place makes one within `ends` of."""
    least, greatest = ends
    match name:
        case "+":
            return least - constant, greatest - constant
        case "-":
            return (constant - greatest, constant - least) if place == 0 else (least + constant, greatest + constant)
        case _ if constant == 0:
            return ends
        case _:
            first, last = (least, greatest) if constant > 0 else (greatest, least)
            return -(-first // constant), last // constant

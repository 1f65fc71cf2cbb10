"""AND, OR, NOT, IS and CASE of predicates, already simplified.

Constants are folded as Kleene's logic does, AND and OR are flat, there is no double NOT, and conditions on one term are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hudi_core.expr.folding import fold
from hudi_core.expr.predicate import (
    ALWAYS_FALSE,
    ALWAYS_NULL,
    ALWAYS_TRUE,
    Always,
    And,
    Column,
    Is,
    IsNull,
    Not,
    OneOf,
    Or,
    Predicate,
    Term,
)
from hudi_core.truth import NULL, TRUE, Truth


def never(term: Term) -> Predicate:
    """FALSE for every value, NULL for null: the value is one of none."""
    return OneOf(term, ())


def negate(part: Predicate) -> Predicate:
    """NOT."""
    match part:
        case Always(truth):
            return Always(~truth)
        case Not(inner):
            return inner
        case _:
            return Not(part)


def every(parts: Iterable[Predicate]) -> Predicate:
    """AND. FALSE decides, TRUE is left out; no column is null and a value."""
    joined = _join(parts, And, ALWAYS_TRUE, ALWAYS_FALSE)
    if isinstance(joined, And):
        nulls = {part.term.id for part in joined.parts if isinstance(part, IsNull) and isinstance(part.term, Column)}
        for part in joined.parts if nulls else ():
            match part:
                case Not(IsNull(Column(id=column_id))) if column_id in nulls:
                    return ALWAYS_FALSE
    return joined


def some(parts: Iterable[Predicate]) -> Predicate:
    """OR. TRUE decides, FALSE is left out."""
    return _join(parts, Or, ALWAYS_FALSE, ALWAYS_TRUE)


def is_truth(part: Predicate, truth: Truth) -> Predicate:
    """`part IS truth`; the part itself, or its negation, where it is never NULL."""
    if isinstance(part, Always):
        return ALWAYS_TRUE if part.truth is truth else ALWAYS_FALSE
    if not is_never_null(part):
        return is_truth(part.part, ~truth) if isinstance(part, Not) else Is(part, truth)
    if truth is NULL:
        return ALWAYS_FALSE
    return part if truth is TRUE else negate(part)


def is_never_null(part: Predicate) -> bool:
    """Whether a predicate is known to give TRUE or FALSE on every row."""
    match part:
        case Is() | IsNull() | Always(truth=(Truth.TRUE | Truth.FALSE)):
            return True
        case Not(inner):
            return is_never_null(inner)
        case And(parts) | Or(parts):
            return all(is_never_null(inner) for inner in parts)
        case _:
            return False


def first_of(branches: Sequence[tuple[Predicate, Predicate]], otherwise: Predicate) -> Predicate:
    """The predicate of the first branch whose condition is TRUE, else `otherwise`.

    Exact: of the parts of the OR, one is the chosen predicate and all others are FALSE, since the conditions that guard
    them are never NULL. The size grows with n log n for n branches, the depth with log n.
    """
    guarded = [(is_truth(condition, TRUE), chosen) for condition, chosen in branches]
    return _first_guarded([*guarded, (ALWAYS_TRUE, otherwise)])


def _first_guarded(branches: Sequence[tuple[Predicate, Predicate]]) -> Predicate:
    """The predicate of the first branch whose guard is TRUE, FALSE if none is. No guard is ever NULL."""
    if len(branches) > _MAX_FLAT_BRANCHES:
        middle = len(branches) // 2
        none_before = negate(some(guard for guard, _ in branches[:middle]))
        return some([_first_guarded(branches[:middle]), every([none_before, _first_guarded(branches[middle:])])])
    earlier: list[Predicate] = []
    parts: list[Predicate] = []
    for guard, chosen in branches:
        parts.append(every([*earlier, guard, chosen]))
        earlier.append(negate(guard))
    return some(parts)


_MAX_FLAT_BRANCHES = 8
"""Branches whose guards are repeated in every later branch: the plainest form, which grows with their square."""


def _join(parts: Iterable[Predicate], kind: type[And] | type[Or], unit: Always, decisive: Always) -> Predicate:
    flat: list[Predicate] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    if decisive in flat:
        return decisive
    flat = fold([part for part in flat if part != unit], kind)
    if flat.count(ALWAYS_NULL) > 1:
        first = flat.index(ALWAYS_NULL)
        flat = [part for index, part in enumerate(flat) if index <= first or part != ALWAYS_NULL]
    if len(flat) == 1:
        return flat[0]
    return kind(tuple(flat)) if flat else unit

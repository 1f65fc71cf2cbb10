"""Rows in which a fold (`aggregate`) has no result in SQL's ANSI mode. Rules: WRITE-1453, WRITE-1455, WRITE-1456.

What a fold calculates depends on what it has so far, so that no condition of the row says it: the fold is made with calls that
tell. Other parts of values: `writing/no_result.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import partial
from typing import Any, Final, TypeVar

from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import Apply, Choose, Folded, Mapped, Term
from hudi_core.expr.row import fold
from hudi_core.expr.wraps import EXACT
from hudi_core.functions.casts import CAST, NARROW
from hudi_core.functions.record import Function
from hudi_core.functions.registry import function
from hudi_core.rows.truth import RowQuestions
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t

V = TypeVar("V")
M = TypeVar("M")


class NoResult(Enum):
    """Why a part of an expression has no result; the value is what it ought to have."""

    WRAPS = "integers that do not wrap around (CAST an operand to BIGINT or DECIMAL)"
    DIVIDES_BY_ZERO = "a divisor that is not 0 (NULLIF makes null of 0)"
    BEYOND_TYPE = "a result of arithmetic that its type can have (CAST an operand to another type)"
    NOT_CAST = "a value that CAST can make one of its type of (TRY_CAST makes null of others)"


DIVIDING: Final = frozenset({"/", "%", "mod", "div", "pmod"})
ARITHMETIC: Final = frozenset({"+", "-", "*", "negative", "abs", *DIVIDING})
NARROW_CASTS: Final = frozenset(function.name for function in NARROW.values())
_EXISTS: Final = function("exists")
_FLAG: Final = t.Boolean()
_FLAGS: Final = t.Array(t.Field(0, "element", _FLAG))


class FoldQuestions(RowQuestions[V, M]):
    """The values of terms in rows, and the rows in which a fold among them has a part without a result."""

    def find_without_result(self, term: Term, reason: NoResult) -> M | None:
        """The rows in which a fold on the way to a term's value has no result for this reason; None where none can. A branch that
        is not taken does not count, nor do conditions inside folds. Raises as `value`."""
        match term:
            case Apply(_, arguments):
                return self._any([self.find_without_result(part, reason) for part in arguments])
            case Choose(branches, otherwise):
                rest = self.find_without_result(otherwise, reason)
                for condition, then in reversed(branches):
                    own = self.find_without_result(then, reason)
                    if own is None and rest is None:
                        continue
                    taken = can_be(TRUE, condition, self)
                    rest = self._any([self._both(taken, own), self._both(self._values.no(taken), rest)])
                return rest
            case Mapped(elements, _, body):
                of_elements = self._of_elements(term, reason) if _has_fold(body) else None
                return self._any([self.find_without_result(elements, reason), of_elements])
            case Folded(held):
                flags = self._values.map(self.value(held), partial(_lacks_result, term, reason), held.type, _FLAG)
                return self._any([self.find_without_result(held, reason), self._is_set(flags)])
            case _:
                return None

    def _of_elements(self, term: Mapped, reason: NoResult) -> M:
        values = self._values

        def flag(items: V) -> V:
            lost = FoldQuestions(values, items, term.schema).find_without_result(term.body, reason)
            no = values.literal(False, _FLAG, items)
            return no if lost is None else values.choose(lost, values.literal(True, _FLAG, items), no, _FLAG)

        flags = values.elements(self.value(term.elements), _FLAGS.element, flag)
        return self._is_set(values.apply(_EXISTS, [flags, flags], [_FLAGS, _FLAGS], _FLAG))

    def _is_set(self, flag: V) -> M:
        return self._values.one_of(flag, (True,), _FLAG)

    def _any(self, masks: Sequence[M | None]) -> M | None:
        some = [mask for mask in masks if mask is not None]
        return self.some(some) if some else None

    def _both(self, one: M, other: M | None) -> M | None:
        return None if other is None else self.every([one, other])


def _has_fold(term: Term) -> bool:
    return isinstance(term, Folded) or any(map(_has_fold, _parts(term)))


def _parts(term: Term) -> Iterator[Term]:
    """The terms directly inside a term, but those of its conditions."""
    match term:
        case Apply(_, arguments):
            yield from arguments
        case Choose(branches, otherwise):
            yield from (*(then for _, then in branches), otherwise)
        case Mapped(elements, _, body):
            yield from (elements, body)
        case Folded(held, _, step, _, last):
            yield from (held, step, last)


class _NoResultError(Exception):
    """A call in a fold has no result."""


def _lacks_result(term: Folded, reason: NoResult, held: tuple[Any, ...]) -> bool:
    try:
        fold(term, held, partial(_apply_checked, reason))
    except _NoResultError:
        return True
    return False


def _apply_checked(
    reason: NoResult, called: Function, given: Sequence[Any], types: Sequence[t.Type], kind: t.Type
) -> Any:
    """A call on the values of one row. Raises `_NoResultError` where it has no result for the reason."""
    value = called.apply(given, types, kind)
    if not any(one is None for one in given) and _find_reason(called, given, value, (kind, *types)) is reason:
        raise _NoResultError(called.name)
    return value


def _find_reason(called: Function, given: Sequence[Any], value: Any, types: Sequence[t.Type]) -> NoResult | None:
    """Why a call on values that are not null has no result; None where it has one. TRY_CAST to other types than integers is a
    CAST here, and gives null."""
    if called.name in NARROW_CASTS:
        return NoResult.NOT_CAST if value != given[0] else None
    if value is not None:
        is_integer = all(isinstance(one, t.Int | t.Long) for one in types)
        wraps = is_integer and called.name in EXACT and EXACT[called.name](*given) != value
        return NoResult.WRAPS if wraps else None
    if called is CAST and isinstance(types[0], t.Int | t.Long):
        return NoResult.NOT_CAST
    if called.name not in ARITHMETIC:
        return None
    return NoResult.DIVIDES_BY_ZERO if called.name in DIVIDING and given[-1] == 0 else NoResult.BEYOND_TYPE

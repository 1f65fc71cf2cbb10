"""Rows in which integers wrap around on the way to a term's value, as SQL's ANSI mode refuses. Rules FUNC-2, WRITE-1453."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeGuard, TypeVar

from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import Apply, Choose, Folded, Mapped, Term
from hudi_core.expr.row import fold
from hudi_core.functions.record import Function
from hudi_core.functions.registry import function
from hudi_core.rows.truth import RowQuestions
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from hudi_core.values.domain import INT_RANGE, LONG_RANGE

V = TypeVar("V")
M = TypeVar("M")


def _divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_EXACT: Final[Mapping[str, Callable[..., int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "negative": operator.neg,
    "abs": abs,
    "div": _divide,
}
"""What gives integers that may wrap around, on integers without bounds."""
_TRIED: Final = {"+": function("try_add"), "-": function("try_subtract"), "*": function("try_multiply")}
"""The same with null for those that would. The others wrap around at the least integer alone."""
_EXISTS: Final = function("exists")
_FLAG: Final = t.Boolean()
_FLAGS: Final = t.Array(t.Field(0, "element", _FLAG))


class WrapQuestions(RowQuestions[V, M]):
    """The values of terms in rows, and the rows in which integers wrap around on the way to them."""

    def find_wrapped(self, term: Term) -> M | None:
        """The rows in which integers of a term wrap around; None where they can in no row. A branch that is not taken does not
        count, nor do conditions, which wrap as those of queries. Raises as `value`."""
        match term:
            case Apply(_, arguments):
                return self._any([*map(self.find_wrapped, arguments), self._of_call(term)])
            case Choose(branches, otherwise):
                wrapped = self.find_wrapped(otherwise)
                for condition, then in reversed(branches):
                    taken = can_be(TRUE, condition, self)
                    others = self._both(self._values.no(taken), wrapped)
                    wrapped = self._any([self._both(taken, self.find_wrapped(then)), others])
                return wrapped
            case Mapped(elements, _, body):
                of_elements = self._of_elements(term) if _may_wrap(body) else None
                return self._any([self.find_wrapped(elements), of_elements])
            case Folded(held, _, step, _, last):
                of_fold = self._of_fold(term) if _may_wrap(step) or _may_wrap(last) else None
                return self._any([self.find_wrapped(held), of_fold])
            case _:
                return None

    def _of_call(self, term: Apply) -> M | None:
        if not _is_wrapping(term):
            return None
        values, name = self._values, term.function.name
        types, given = [part.type for part in term.arguments], list(map(self.value, term.arguments))
        if name in _TRIED:
            lost = values.is_null(values.apply(_TRIED[name], given, types, term.type))
            return values.every([lost, values.no(values.is_null(self.value(term)))], self._root)
        least = (INT_RANGE if isinstance(types[0], t.Int) else LONG_RANGE)[0]
        edges = zip(given, (least, -1), types, strict=False)
        return values.every([values.one_of(value, (edge,), kind) for value, edge, kind in edges], self._root)

    def _of_elements(self, term: Mapped) -> M:
        values = self._values

        def flag(items: V) -> V:
            wrapped = WrapQuestions(values, items, term.schema).find_wrapped(term.body)
            no = values.literal(False, _FLAG, items)
            return no if wrapped is None else values.choose(wrapped, values.literal(True, _FLAG, items), no, _FLAG)

        flags = values.elements(self.value(term.elements), _FLAGS.element, flag)
        return self._is_set(values.apply(_EXISTS, [flags, flags], [_FLAGS, _FLAGS], _FLAG))

    def _of_fold(self, term: Folded) -> M:
        return self._is_set(
            self._values.map(self.value(term.held), partial(_wraps_in_fold, term), term.held.type, _FLAG)
        )

    def _is_set(self, flag: V) -> M:
        return self._values.one_of(flag, (True,), _FLAG)

    def _any(self, masks: Sequence[M | None]) -> M | None:
        some = [mask for mask in masks if mask is not None]
        return self.some(some) if some else None

    def _both(self, one: M, other: M | None) -> M | None:
        return None if other is None else self.every([one, other])


def _is_wrapping(term: Term) -> TypeGuard[Apply]:
    if not isinstance(term, Apply) or term.function.name not in _EXACT:
        return False
    return all(isinstance(kind, t.Int | t.Long) for kind in (term.type, *(part.type for part in term.arguments)))


def _may_wrap(term: Term) -> bool:
    return _is_wrapping(term) or any(map(_may_wrap, _parts(term)))


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


def _wraps_in_fold(term: Folded, held: tuple[Any, ...]) -> bool:
    try:
        fold(term, held, _apply_exactly)
    except OverflowError:
        return True
    return False


def _apply_exactly(called: Function, given: Sequence[Any], types: Sequence[t.Type], kind: t.Type) -> Any:
    """A call on the values of one row. Raises `OverflowError` where integers wrap around in it."""
    value = called.apply(given, types, kind)
    is_integer = all(isinstance(one, t.Int | t.Long) for one in (kind, *types))
    if value is not None and is_integer and called.name in _EXACT and _EXACT[called.name](*given) != value:
        raise OverflowError(called.name)
    return value

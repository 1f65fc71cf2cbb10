"""Terms of functions and casts: evaluated at once where all arguments are constants."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.expr import coerce
from hudi_core.expr.functions import Function
from hudi_core.expr.predicate import Apply, Constant, Term
from hudi_core.expr.scalar.apply import apply
from hudi_core.expr.scalar.cast import can_cast
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text


class MismatchError(Exception):
    """An argument's type is none the function takes."""

    def __init__(self, expected: str, found: t.Type | str) -> None:
        super().__init__(expected, found)
        self.expected, self.found = expected, found if isinstance(found, str) else type_text(found)


def applied(function: Function, arguments: Sequence[Term], of: t.Type) -> Term:
    """A function of terms; evaluated at once when they are all constants. Raises `UnsupportedError` where that is not known."""
    constants = [argument for argument in arguments if isinstance(argument, Constant)]
    if len(constants) == len(arguments):
        values, types = [constant.value for constant in constants], [constant.type for constant in constants]
        return Constant(apply(function, values, types, of), of)
    if function is not Function.COALESCE and any(constant.value is None for constant in constants):
        return Constant(None, of)
    return Apply(function, tuple(arguments), of)


def cast_to(term: Term, of: t.Type) -> Term:
    """The term in another type, by SQL's cast. Raises `MismatchError` when SQL has no such cast."""
    source = coerce.seen(term.type)
    if source == of or term.type == of:
        return term
    if isinstance(term, Constant) and term.value is None:
        return Constant(None, of)
    if coerce.is_nested(source) or not can_cast(source, of):
        raise MismatchError(f"a value that can be cast to {type_text(of)}", term.type)
    return applied(Function.CAST, [term], of)

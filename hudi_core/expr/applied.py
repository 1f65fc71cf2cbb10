"""Terms of functions and casts: evaluated at once where all arguments are constants."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.errors import UnsupportedError
from hudi_core.expr.leaves import negate
from hudi_core.expr.literals import NULL
from hudi_core.expr.predicate import Apply, Choose, Constant, Term
from hudi_core.expr.preimage import is_null
from hudi_core.functions import coerce
from hudi_core.functions.casts import CAST, TRY_CAST
from hudi_core.functions.record import Argument, Function, MismatchError, Signature
from hudi_core.functions.registry import find
from hudi_core.functions.scalar.cast import can_cast
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text

FORMS = frozenset({"coalesce", "aggregate"})
"""Names of calls that are no function of values but a choice, or a fold."""


def call(name: str, arguments: Sequence[Term], utc: bool = True) -> Term | None:
    """The term of a function's call by its lower-case SQL name; None for an unknown function.

    `utc`: the session's zone is UTC. In another, functions of the clock time of a zoned timestamp are unknown.
    Raises `MismatchError`, and `ExpressionError` for a pattern that is none.
    """
    if name == "coalesce":
        return coalesced(arguments)
    function = find(name)
    if function is None or (function.depends_on_zone and not utc and any(map(_is_zoned, arguments))):
        return None
    try:
        signature = _signature(function, arguments)
        if signature is None:
            return None
        if signature.null:
            return Constant(None, signature.result_type)
        converted = [
            cast_to(argument, data_type) for argument, data_type in zip(arguments, signature.types, strict=True)
        ]
        return (
            applied(function, converted, signature.result_type)
            if signature.instead is None
            else converted[signature.instead]
        )
    except UnsupportedError:  # a pattern or a pair of types that the core cannot evaluate
        return None


def _signature(function: Function, arguments: Sequence[Term]) -> Signature | None:
    try:
        return function.signature(list(map(_argument, arguments)))
    except MismatchError as wrong:
        raise MismatchError(f"{wrong.expected} in {function.name}", wrong.found) from None


def applied(function: Function, arguments: Sequence[Term], type: t.Type) -> Term:
    """A function of terms; evaluated at once when they are all constants. Raises `UnsupportedError` where that is not known."""
    constants = [argument for argument in arguments if isinstance(argument, Constant)]
    if len(constants) == len(arguments):
        values, types = [constant.value for constant in constants], [constant.type for constant in constants]
        return Constant(function.apply(values, types, type), type)
    if function.strict and any(constant.value is None for constant in constants):
        return Constant(None, type)
    return Apply(function, tuple(arguments), type)


def cast_to(term: Term, target: t.Type) -> Term:
    """The term in another type, by SQL's cast. Raises `MismatchError` when SQL has no such cast."""
    source = coerce.sql_equivalent(term.type)
    if source == target or term.type == target:
        return term
    if isinstance(term, Constant) and term.value is None:
        return Constant(None, target)
    if coerce.is_nested(target) and coerce.are_alike(source, target):
        return Constant(term.value, target) if isinstance(term, Constant) else term
    if not can_cast(source, target):
        raise MismatchError(f"a value that can be cast to {type_text(target)}", term.type)
    return applied(CAST, [term], target)


def tried_to(term: Term, target: t.Type) -> Term:
    """The term in another type, by SQL's TRY_CAST. Raises as `cast_to`."""
    source, cast = coerce.sql_equivalent(term.type), cast_to(term, target)
    is_exact = source == target or isinstance(source, t.Boolean) or (source, target) == (t.Int(), t.Long())
    if is_exact or not isinstance(target, t.Int | t.Long) or (isinstance(cast, Constant) and cast.value is None):
        return cast
    return applied(TRY_CAST, [cast_to(term, source)], target)


def coalesced(arguments: Sequence[Term]) -> Term:
    """The first value that is not null. Raises `MismatchError`."""
    values = [argument for argument in arguments if not (isinstance(argument, Constant) and argument.value is None)]
    if not values:
        return NULL
    common = coerce.widest(argument.type for argument in values)
    if common is None:
        raise MismatchError(f"values of one type in coalesce, such as {type_text(values[0].type)}", values[-1].type)
    converted = [cast_to(argument, common) for argument in values]
    if len(converted) == 1:
        return converted[0]
    branches = tuple((negate(is_null(argument)), argument) for argument in converted[:-1])
    return Choose(branches, converted[-1], common)


def _argument(term: Term) -> Argument:
    return Argument(term.type, True, term.value) if isinstance(term, Constant) else Argument(term.type)


def _is_zoned(term: Term) -> bool:
    return isinstance(term.type, t.Timestamp) and term.type.zoned

"""Bound terms: constants of literals, and terms of functions and casts, evaluated at once where all arguments are constants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.expr.connectives import negate
from hudi_core.expr.interval import Interval
from hudi_core.expr.nodes import Literal
from hudi_core.expr.place import error_at
from hudi_core.expr.predicate import Apply, Choose, Constant, Term
from hudi_core.expr.preimage import is_null
from hudi_core.functions import coerce
from hudi_core.functions.calendar import months_later
from hudi_core.functions.casts import CAST, TRY_CAST
from hudi_core.functions.record import Argument, Function, MismatchError, Signature, Zone
from hudi_core.functions.scalar.cast import can_cast, cast
from hudi_core.types import nodes as t
from hudi_core.types.sql import MAX_PRECISION
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS, parse_timestamp, zone_shift
from hudi_core.values.domain import INT_RANGE, LONG_RANGE, check, drop_zero_sign, is_held

if TYPE_CHECKING:
    from hudi_core.functions import registry
else:
    registry = ModuleByNeed("hudi_core.functions.registry")  # most predicates call no function

NULL = Constant(None, t.String())
"""The null that has no type of its own."""
_OF_THE_QUERY = re.compile(r"\s*(?:(?:epoch|now|today|tomorrow|yesterday)\b|T?\d{1,2}:|T\d)", re.ASCII | re.IGNORECASE)
FORMS = frozenset({"coalesce", "aggregate"})
"""Names of calls that are no function of values but a choice, or a fold."""


def constant(literal: Literal, zone: str = "UTC") -> Constant:
    """A literal with its type. Raises `ExpressionError` for a string that is no value of the type beside it."""
    value, data_type = literal.value, literal.type
    if value is None:
        return NULL if data_type is None else Constant(None, data_type)
    if data_type is None:
        return _drop_type(value, literal)
    if isinstance(value, str) and not isinstance(data_type, t.String | t.Enumeration):
        read = read_text(value, data_type, zone)
        if read is None:
            raise error_at(literal.span, expected=f"the text of a {type_text(data_type)}", found=repr(value))
        return Constant(read, data_type)
    try:
        check(value, data_type)
    except SchemaError as wrong:
        raise error_at(literal.span, expected=wrong.expected, found=wrong.found) from None
    return Constant(drop_zero_sign(value) if isinstance(value, Decimal) else value, data_type)


def read_text(text: str, type: t.Type, zone: str = "UTC") -> Any:
    """The value of a string as another type, by SQL's cast; None when it has none.

    A point in time without a zone is one of the session's zone.
    """
    if isinstance(type, t.Timestamp) and type.zoned and zone != "UTC":
        ticks = parse_timestamp(text, type.unit.value)
        if ticks is None or ticks[1]:
            return None if ticks is None else cast(text, t.String(), type)
        point = ticks[0] - zone_shift(ticks[0] // type.unit.value, zone) * type.unit.value
        return point if LONG_RANGE[0] <= point <= LONG_RANGE[1] else None
    return cast(text, t.String(), type)


def move(moment: Constant, by: Interval) -> Constant:
    """A date or timestamp plus an interval: months first, to the end of a shorter month, then days, then microseconds.

    A date stays one under whole days. What leaves the type's range is kept exact, for it is only compared.
    """
    value: Any = moment.value
    if isinstance(moment.type, t.Date):
        days = months_later(value, by.months) + by.days
        if not by.micros:
            return Constant(days, moment.type)
        return Constant(days * DAY_SECONDS * 1_000_000 + by.micros, t.Timestamp())
    assert isinstance(moment.type, t.Timestamp)
    data_type = moment.type if moment.type.unit.value >= 1_000_000 else replace(moment.type, unit=t.Unit.MICROS)
    day = DAY_SECONDS * data_type.unit.value
    days, within = divmod(value * (data_type.unit.value // moment.type.unit.value), day)
    return Constant(
        (months_later(days, by.months) + by.days) * day + within + by.micros * (data_type.unit.value // 1_000_000),
        data_type,
    )


def _drop_type(value: object, literal: Literal) -> Constant:
    match value:
        case bool():
            return Constant(value, t.Boolean())
        case int():
            if INT_RANGE[0] <= value <= INT_RANGE[1]:
                return Constant(value, t.Int())
            if LONG_RANGE[0] <= value <= LONG_RANGE[1]:
                return Constant(value, t.Long())
            if abs(value) < 10**MAX_PRECISION:
                return Constant(Decimal(value), t.Decimal(len(str(abs(value)))))
        case Decimal() if value.is_finite() and value.adjusted() < MAX_PRECISION:
            exponent = value.as_tuple().exponent
            exact = drop_zero_sign(value if isinstance(exponent, int) and exponent < 0 else Decimal(int(value)))
            _, digits, scale = exact.as_tuple()
            precision = max(len(digits), -int(scale))
            if precision <= MAX_PRECISION:
                return Constant(exact, t.Decimal(precision, -int(scale)))
        case float():
            return Constant(value, t.Double())
        case str():
            return Constant(value, t.String())
        case bytes():
            return Constant(value, t.Binary())
        case _:
            raise error_at(literal.span, expected="a number, text, bytes, boolean or null", found=_show(value))
    raise error_at(literal.span, expected=f"a number of at most {MAX_PRECISION} digits", found=_show(value))


def _show(value: object) -> str:
    return f"an integer of {value.bit_length()} bits" if isinstance(value, int) else repr(value)


def call(name: str, arguments: Sequence[Term], utc: bool = True) -> Term | None:
    """The term of a function's call by its lower-case SQL name; None for an unknown function.

    `utc`: the session's zone is UTC. In another, calls whose value depends on the zone are unknown.
    Raises `MismatchError`, `ExpressionError` for a pattern that is none, and `UnsupportedError` for one, or for a pair of
    types, that the core cannot evaluate.
    """
    if name == "coalesce":
        return coalesce(arguments, utc)
    function = registry.find(name)
    if function is None:
        return None
    signature = _signature(function, arguments)
    if signature is None:
        return None
    if signature.null:
        return Constant(None, signature.result_type)
    if not utc and _depends_on_zone(function.zone, arguments, signature):
        return None
    converted = [cast_to(argument, data_type) for argument, data_type in zip(arguments, signature.types, strict=True)]
    return (
        apply(function, converted, signature.result_type) if signature.instead is None else converted[signature.instead]
    )


def _depends_on_zone(zone: Zone, arguments: Sequence[Term], signature: Signature) -> bool:
    sources = [coerce.sql_equivalent(argument.type) for argument in arguments]
    if signature.zoned or any(map(coerce.crosses_zone, sources, signature.types)):
        return True
    match zone:
        case Zone.UNUSED:
            return False
        case Zone.SHOWN:
            return any(map(coerce.is_point_in_time, sources))
        case Zone.READ:
            return not coerce.is_point_in_time(sources[0])
        case Zone.PRINTED:
            return True


def _signature(function: Function, arguments: Sequence[Term]) -> Signature | None:
    try:
        return function.signature(list(map(as_argument, arguments)))
    except MismatchError as wrong:
        raise MismatchError(f"{wrong.expected} in {function.name}", wrong.found) from None


def apply(function: Function, arguments: Sequence[Term], type: t.Type) -> Term:
    """A function of terms; evaluated at once when they are all constants. Raises `UnsupportedError` where that is not known."""
    if coerce.is_nested(type):
        arguments = [_as_part(argument) for argument in arguments]
    constants = [argument for argument in arguments if isinstance(argument, Constant)]
    if len(constants) == len(arguments):
        values, types = [constant.value for constant in constants], [constant.type for constant in constants]
        return Constant(function.apply(values, types, type), type)
    if function.strict and any(constant.value is None for constant in constants):
        return Constant(None, type)
    return Apply(function, tuple(arguments), type)


def _as_part(term: Term) -> Term:
    """A term as a part of an array, map or struct, which holds no moment beyond its type's range. EXPR-1507."""
    match term:
        case Constant(int() as moment, t.Date() | t.Timestamp() as data_type) if not is_held(moment, data_type):
            return Constant(None, data_type)
        case _:
            return term


def cast_to(term: Term, target: t.Type) -> Term:
    """The term in another type, by SQL's cast. Raises `MismatchError` when SQL has no such cast."""
    source = coerce.sql_equivalent(term.type)
    if source == target or term.type == target:
        return term
    if isinstance(term, Constant) and term.value is None:
        return Constant(None, target)
    if coerce.is_nested(target) and coerce.are_alike(source, target):
        return Constant(term.value, target) if isinstance(term, Constant) else term
    if isinstance(target, t.Date | t.Timestamp) and isinstance(term, Constant) and _is_of_the_query(term.value):
        raise UnsupportedError("cast of a constant", expected="a date in the text", found=repr(term.value))
    if not can_cast(source, target):
        instead = (
            ", as unix_date gives one of a date" if isinstance(source, t.Date) and coerce.is_number(target) else ""
        )
        raise MismatchError(f"a value that can be cast to {type_text(target)}{instead}", term.type)
    return apply(CAST, [term], target)


def _is_of_the_query(value: object) -> bool:
    """Whether Spark reads a constant string as a moment that depends on when the query is made, or as 1970."""
    return isinstance(value, str) and _OF_THE_QUERY.match(value) is not None


def try_to(term: Term, target: t.Type) -> Term:
    """The term in another type, by SQL's TRY_CAST. Raises as `cast_to`."""
    source, cast = coerce.sql_equivalent(term.type), cast_to(term, target)
    is_exact = source == target or isinstance(source, t.Boolean) or (source, target) == (t.Int(), t.Long())
    may_differ = isinstance(target, t.Int | t.Long) or (
        isinstance(target, t.Timestamp) and isinstance(source, t.Float | t.Double)
    )
    if is_exact or not may_differ or (isinstance(cast, Constant) and cast.value is None):
        return cast
    return apply(TRY_CAST, [cast_to(term, source)], target)


def coalesce(arguments: Sequence[Term], utc: bool = True) -> Term | None:
    """The first value that is not null; None where that depends on a zone other than UTC. Raises `MismatchError`."""
    typed = [argument.type for argument in arguments if not as_argument(argument).is_untyped]
    if not typed:
        return NULL
    common = coerce.widest(typed)
    if common is None:
        raise MismatchError(f"values of one type in coalesce, such as {type_text(typed[0])}", typed[-1])
    values = [argument for argument in arguments if not as_argument(argument).is_null]
    if not values:
        return Constant(None, common)
    if not utc and any(coerce.crosses_zone(coerce.sql_equivalent(argument.type), common) for argument in values):
        return None
    converted = [cast_to(argument, common) for argument in values]
    if len(converted) == 1:
        return converted[0]
    branches = tuple((negate(is_null(argument)), argument) for argument in converted[:-1])
    return Choose(branches, converted[-1], common)


def as_argument(term: Term) -> Argument:
    """A term as the argument of a function's signature."""
    return Argument(term.type, True, term.value) if isinstance(term, Constant) else Argument(term.type)

"""Which type two values are compared or calculated in: Spark SQL's rules without ANSI mode, over the types of tables.

Text and enumerations count as strings, fixed bytes as binary. Decimals are compared in a type that holds both exactly,
also beyond the 38 digits at which Spark starts to round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hudi_core.types import nodes as t
from hudi_core.types.sql import MAX_PRECISION

_MIN_SCALE = 6
_RANKS: dict[type[t.Type], int] = {t.Int: 0, t.Long: 1, t.Float: 2, t.Double: 3}


def sql_equivalent(type: t.Type) -> t.Type:
    """The type SQL takes a column for."""
    match type:
        case t.Enumeration() | t.Uuid():
            return t.String()
        case t.Fixed():
            return t.Binary()
        case t.Decimal(precision, scale, fixed=t.Fixed()):
            return t.Decimal(precision, scale)
        case _:
            return type


def is_number(type: t.Type) -> bool:
    return isinstance(type, t.Int | t.Long | t.Float | t.Double | t.Decimal)


def is_nested(type: t.Type) -> bool:
    return isinstance(type, t.Record | t.Array | t.Map | t.Union | t.Vector)


def are_same_nesting(types: Sequence[t.Type]) -> bool:
    """Whether all are arrays, all maps or all structs."""
    return len({type(data_type) for data_type in types}) == 1 and isinstance(types[0], t.Record | t.Array | t.Map)


def are_alike(one: t.Type, other: t.Type) -> bool:
    """Whether two types have the same values and names: they may differ in ids, in what may be null, in the names of elements."""
    match one, other:
        case t.Record(fields), t.Record(others):
            same_names = [field.name for field in fields] == [field.name for field in others]
            return same_names and all(are_alike(a.type, b.type) for a, b in zip(fields, others, strict=True))
        case t.Array(element), t.Array(of_other):
            return are_alike(element.type, of_other.type)
        case t.Map(key, value), t.Map(other_key, other_value):
            return are_alike(key.type, other_key.type) and are_alike(value.type, other_value.type)
        case _:
            return one == other


def structure(left: t.Type, right: t.Type) -> t.Type | None:
    """The type of arrays or structs that holds values of both, part by part; None when there is none.

    Strings stay apart from other types. Fields go by their place, and have the names of the first.
    """
    match left, right:
        case t.Array(element), t.Array(other):
            part = _part(element.type, other.type)
            return None if part is None else t.Array(t.Field(0, "element", part))
        case t.Record(fields), t.Record(others) if len(fields) == len(others):
            parts = [_part(a.type, b.type) for a, b in zip(fields, others, strict=True)]
            named = [
                t.Field(0, field.name, part) for field, part in zip(fields, parts, strict=True) if part is not None
            ]
            return t.Record(tuple(named)) if len(named) == len(fields) else None
        case _:
            return left if are_alike(left, right) else None


def have_same_names(left: t.Type, right: t.Type) -> bool:
    """Whether the fields of two types of one structure have the same names but for case, at any depth."""
    pairs = list(zip(t.children(left), t.children(right), strict=True))
    if isinstance(left, t.Record) and any(a.name.lower() != b.name.lower() for a, b in pairs):
        return False
    return all(have_same_names(a.type, b.type) for a, b in pairs)


def _part(left: t.Type, right: t.Type) -> t.Type | None:
    if is_nested(left) and is_nested(right):
        return structure(left, right)
    return left if left == right else widen(sql_equivalent(left), sql_equivalent(right))


def find_comparison_type(left: t.Type, right: t.Type) -> t.Type | None:
    """The type in which a comparison takes place; None when SQL does not compare the two.

    A string is read as the other side's type, to the microsecond; beside a decimal both become doubles.
    """
    left, right = sql_equivalent(left), sql_equivalent(right)
    common = widen(left, right)
    if common is not None:
        return common
    if isinstance(right, t.String):
        left, right = right, left
    if not isinstance(left, t.String) or is_nested(right):
        return None
    if isinstance(right, t.Timestamp | t.Time) and right.unit is t.Unit.MILLIS:
        return replace(right, unit=t.Unit.MICROS)
    return t.Double() if isinstance(right, t.Decimal) else right


def widest(types: Iterable[t.Type]) -> t.Type | None:
    """The one type of a list's members or of the branches of a CASE: beside a string all become strings."""
    types = list(types)
    if are_same_nesting(types):
        common: t.Type | None = types[0]
        for data_type in types[1:]:
            common = None if common is None else structure(common, data_type)
        return common
    result: t.Type | None = None
    for data_type in sorted(map(sql_equivalent, types), key=lambda data_type: not isinstance(data_type, t.String)):
        if result is None or result == data_type:
            result = data_type
            continue
        wider = widen(result, data_type)
        if (
            wider is None
            and isinstance(result, t.String)
            and not isinstance(data_type, t.Binary | t.Boolean)
            and not is_nested(data_type)
        ):
            wider = result
        if wider is None:
            return None
        result = wider
    return result


def widen(left: t.Type, right: t.Type) -> t.Type | None:
    """The type that holds both, strings apart; None when there is none."""
    if left == right:
        return None if is_nested(left) else left
    match left, right:
        case t.Decimal(), t.Decimal():
            return _union(left, right)
        case (t.Decimal() as exact, (t.Int() | t.Long()) as integer) | (
            (t.Int() | t.Long()) as integer,
            t.Decimal() as exact,
        ):
            return _union(exact, as_decimal(integer))
        case (t.Decimal(), t.Float() | t.Double()) | (t.Float() | t.Double(), t.Decimal()):
            return t.Double()
        case t.Timestamp(unit, zoned), t.Timestamp(other, also_zoned):
            return t.Timestamp(max(unit, other, key=lambda unit: unit.value), zoned or also_zoned)
        case (t.Timestamp() as moment, t.Date()) | (t.Date(), t.Timestamp() as moment):
            return moment
        case t.Time(unit), t.Time(other):
            return t.Time(max(unit, other, key=lambda unit: unit.value))
        case _ if type(left) in _RANKS and type(right) in _RANKS:
            return max(left, right, key=lambda data_type: _RANKS[type(data_type)])
        case _:
            return None


def find_calculation_types(function: str, left: t.Type, right: t.Type) -> tuple[t.Type, t.Type, t.Type] | None:
    """The types an arithmetic operator brings its operands to, and its result's; None when it takes no such operands."""
    left = t.Double() if isinstance(left, t.String) else left
    right = t.Double() if isinstance(right, t.String) else right
    common = widen(left, right) if is_number(left) and is_number(right) else None
    if common is None:
        return None
    if isinstance(common, t.Decimal):
        first, second = as_decimal(left), as_decimal(right)
        return first, second, _result(function, first, second)
    if function == "/":
        return t.Double(), t.Double(), t.Double()
    return common, common, common


def as_decimal(type: t.Type) -> t.Decimal:
    """The decimal that holds every value of an integer type; a decimal itself."""
    if isinstance(type, t.Decimal):
        return type
    return t.Decimal(20 if isinstance(type, t.Long) else 10)


def _union(left: t.Decimal, right: t.Decimal) -> t.Decimal:
    scale = max(left.scale, right.scale)
    return t.Decimal(max(left.precision - left.scale, right.precision - right.scale) + scale, scale)


def _result(function: str, left: t.Decimal, right: t.Decimal) -> t.Decimal:
    digits, other = left.precision - left.scale, right.precision - right.scale
    scale = max(left.scale, right.scale)
    match function:
        case "*":
            return _bound(left.precision + right.precision + 1, left.scale + right.scale)
        case "/":
            fraction = max(_MIN_SCALE, left.scale + right.precision + 1)
            return _bound(digits + right.scale + fraction, fraction)
        case "%":
            return _bound(min(digits, other) + scale, scale)
        case _:
            return _bound(max(digits, other) + scale + 1, scale)


def _bound(precision: int, scale: int) -> t.Decimal:
    """Within 38 digits; the fraction gives way first, down to six digits."""
    if precision <= MAX_PRECISION:
        return t.Decimal(precision, scale)
    return t.Decimal(MAX_PRECISION, max(MAX_PRECISION - (precision - scale), min(scale, _MIN_SCALE)))


def is_point_in_time(type: t.Type) -> bool:
    """Whether values are points in time, at which each zone's clock shows something else."""
    return isinstance(type, t.Timestamp) and type.zoned


def crosses_zone(source: t.Type, to: t.Type) -> bool:
    """Whether a cast goes between a point in time and what a clock shows, which depends on the zone, at any depth."""
    parts, others = t.children(source), t.children(to)
    if parts or others:
        return len(parts) == len(others) and any(
            crosses_zone(sql_equivalent(part.type), sql_equivalent(other.type))
            for part, other in zip(parts, others, strict=True)
        )
    shown = [
        isinstance(data_type, t.Date | t.String) or (isinstance(data_type, t.Timestamp) and not data_type.zoned)
        for data_type in (source, to)
    ]
    return any(shown) and any(map(is_point_in_time, (source, to)))

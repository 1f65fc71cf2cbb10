"""Conversions on Spark: what stored values are read as (`hudi_core.values.cast`), and SQL's CAST; with ANSI mode on or off.

Each takes a cast of Spark's where that gives the very answers, and the core's own function for each value elsewhere.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.functions.scalar import cast as sql
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastKind, CastLoss, promotion
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.cast import cast as stored_cast
from hudi_core.values.domain import INT_RANGE, LONG_RANGE
from hudi_spark.arithmetic import wrap_int
from hudi_spark.cells import Cell, lift_plan
from hudi_spark.scalars import by_value
from hudi_spark.structs import spark_type
from hudi_spark.ticks import floor_div, from_ticks, ticks

_TEXTS = (t.String, t.Enumeration, t.Uuid)
_BYTES = (t.Binary, t.Fixed)
_NUMBERS = (t.Int, t.Long, t.Float, t.Double)


def convert(value: Cell, source: t.Type, to: t.Type) -> Cell:
    """Stored values read as another type. Rows without a counterpart fail when the plan runs."""
    way = promotion(source, to)
    if way is None:
        raise SchemaError(expected=f"a type that can be read as {type_text(to)}", found=type_text(source))
    converted = _convert(value, way.cast, way.loss, source, to)
    if converted is None:
        function = stored_cast(source, to)
        return by_value(lambda stored: _raising(function, stored), [value], [source], to)
    return converted


def is_native(source: t.Type, to: t.Type) -> bool:
    """Stored values are converted by Spark itself, not in Python."""
    way = promotion(source, to)
    return way is not None and _convert(Cell(F.lit(None), source), way.cast, way.loss, source, to) is not None


def _raising(function: sql.Convert, stored: object) -> object:
    return function(stored)


def _convert(value: Cell, how: CastKind, loss: CastLoss, source: t.Type, to: t.Type) -> Cell | None:
    match how:
        case CastKind.SAME if are_held_alike(source, to):
            return Cell(value.plan, to, value.depth)
        case CastKind.SAME if isinstance(source, t.Uuid) and isinstance(to, t.String):
            return lift_plan(_uuid_text, to, value)
        case CastKind.SAME if isinstance(source, t.Decimal) or isinstance(to, t.String):
            return _by_spark(value, to)
        case CastKind.WIDEN | CastKind.TO_FLOAT | CastKind.TO_DOUBLE | CastKind.ENCODE:
            return _by_spark(value, to)
        case CastKind.TO_TEXT if isinstance(source, t.Boolean | t.Int | t.Long):
            return _by_spark(value, to)
        case CastKind.TO_DECIMAL if isinstance(source, t.Int | t.Long) and loss is CastLoss.EXACT:
            return _by_spark(value, to)
        case CastKind.RESCALE if loss is CastLoss.EXACT:
            return _by_spark(value, to)
        case CastKind.RELABEL if isinstance(to, t.Date | t.Time | t.Timestamp) and _always_held(to):
            return lift_plan(lambda plan: from_ticks(plan.cast("long"), to), to, value)
        case CastKind.UNIT if isinstance(source, t.Time) and isinstance(to, t.Time):
            return lift_plan(lambda plan: _in_unit(plan, source, to), to, value)
        case CastKind.UNIT if (
            isinstance(source, t.Timestamp) and isinstance(to, t.Timestamp) and loss is not (CastLoss.VALUE_DEPENDENT)
        ):
            return lift_plan(lambda plan: from_ticks(_in_unit(ticks(plan, source), source, to), to), to, value)
        case _:
            return None


def are_held_alike(source: t.Type, to: t.Type) -> bool:
    """Spark holds values of both types in one form."""
    if isinstance(source, t.Decimal) and isinstance(to, t.Decimal):
        return (source.precision, source.scale) == (to.precision, to.scale)
    return source == to or spark_type(source) == spark_type(to)


def _always_held(type: t.Date | t.Time | t.Timestamp) -> bool:
    """Spark holds every value of the type; of timestamps in milliseconds it holds those within the range of microseconds."""
    return not (isinstance(type, t.Timestamp) and type.unit is t.Unit.MILLIS)


def _by_spark(value: Cell, to: t.Type) -> Cell:
    """Spark's own cast, for values that it never fails on."""
    return lift_plan(lambda plan: plan.cast(spark_type(to)), to, value)


def _uuid_text(plan: Column) -> Column:
    digits = F.lower(F.hex(plan))
    return F.regexp_replace(digits, "^(.{8})(.{4})(.{4})(.{4})(.{12})$", "$1-$2-$3-$4-$5")


def _in_unit(number: Column, source: t.Time | t.Timestamp, to: t.Time | t.Timestamp) -> Column:
    """Ticks of one unit in another, cut towards the past; null beyond what a long counts."""
    up, down = to.unit.value, source.unit.value
    long = number.cast("long")
    up_scaled = F.try_multiply(long, F.lit(max(up // down, 1)).cast("long"))
    scaled = up_scaled if up >= down else floor_div(long, down // up)
    return scaled.cast("int") if to == t.Time(t.Unit.MILLIS) else scaled


def cast(value: Cell, source: t.Type, to: t.Type) -> Cell:
    """SQL's CAST; what does not convert is null. Raises `UnsupportedError` for types that SQL does not convert."""
    if source == to:
        return value
    if not sql.can_cast(source, to):
        raise UnsupportedError(
            f"cast to {type_text(to)}", expected="a type that can be cast to it", found=type_text(source)
        )
    converted = _cast(value, source, to)
    return by_value(lambda one: sql.cast(one, source, to), [value], [source], to) if converted is None else converted


def _cast(value: Cell, source: t.Type, to: t.Type) -> Cell | None:
    match source, to:
        case (t.Boolean() | t.Int() | t.Long(), t.String()) | (t.String() | t.Enumeration(), t.Binary()):
            return _by_spark(value, to)
        case (t.Uuid(), t.String()) if isinstance(source.fixed, t.Fixed):
            return lift_plan(_uuid_text, to, value)
        case ((t.Enumeration() | t.Uuid()), t.String()) | ((t.Fixed(), t.Binary())):
            return Cell(value.plan, to, value.depth)
        case (t.Int() | t.Long() | t.Float() | t.Double() | t.Decimal(), t.Boolean()):
            return lift_plan(lambda plan: plan != 0, to, value)
        case (t.Boolean() | t.Int() | t.Long(), t.Int() | t.Long()):
            narrow = isinstance(source, t.Long) and isinstance(to, t.Int)
            return lift_plan(wrap_int, to, value) if narrow else _by_spark(value, to)
        case (t.Float() | t.Double(), t.Int() | t.Long()):
            span = INT_RANGE if isinstance(to, t.Int) else LONG_RANGE
            return lift_plan(lambda plan: _saturate(plan, span, "int" if isinstance(to, t.Int) else "long"), to, value)
        case (t.Boolean() | t.Int() | t.Long() | t.Float() | t.Double(), t.Float() | t.Double()):
            return _by_spark(value, to)
        case (t.Decimal(), t.Float() | t.Double()):
            return lift_plan(lambda plan: plan.cast("double").cast(spark_type(to)), to, value)
        case (t.Int() | t.Long(), t.Decimal(precision, scale)):
            digits = 10 if isinstance(source, t.Int) else 19
            return _by_spark(value, to) if precision - scale >= digits else None
        case (t.Decimal(), t.Decimal()):
            room = to.precision - to.scale - (source.precision - source.scale)
            return _by_spark(value, to) if room >= (to.scale < source.scale) else None
        case (t.Decimal(), t.Int()) if source.precision - source.scale <= 9:
            return _by_spark(value, to)
        case (t.Decimal(), t.Long()) if source.precision - source.scale <= 18:
            return _by_spark(value, to)
        case (t.Timestamp(unit), _):
            return _from_timestamp(value, source, unit.value, to)
        case (t.Date(), t.Timestamp()):
            per_day = F.lit(DAY_SECONDS * to.unit.value).cast("long")
            return lift_plan(
                lambda plan: from_ticks(F.try_multiply(F.unix_date(plan).cast("long"), per_day), to), to, value
            )
        case (t.Time(), t.Time()):
            return lift_plan(lambda plan: _in_unit(plan, source, to), to, value)
        case _:
            return None


def _from_timestamp(value: Cell, source: t.Timestamp, per_second: int, to: t.Type) -> Cell | None:
    match to:
        case t.Timestamp():
            return lift_plan(lambda plan: from_ticks(_in_unit(ticks(plan, source), source, to), to), to, value)
        case t.Date():
            return lift_plan(
                lambda plan: F.date_from_unix_date(
                    floor_div(ticks(plan, source), DAY_SECONDS * per_second).cast("int")
                ),
                to,
                value,
            )
        case t.Int():
            return lift_plan(lambda plan: wrap_int(floor_div(ticks(plan, source), per_second)), to, value)
        case t.Long():
            return lift_plan(lambda plan: floor_div(ticks(plan, source), per_second), to, value)
        case _:
            return None


def _saturate(plan: Column, span: tuple[int, int], name: str) -> Column:
    """Toward zero, the nearest end of the range beyond it, zero for NaN."""
    low, high = (F.lit(float(end)) for end in span)
    wide = plan.cast("double")
    return (
        F.when(F.isnan(wide), F.lit(0).cast(name))
        .when(wide >= high, F.lit(span[1]).cast(name))
        .when(wide <= low, F.lit(span[0]).cast(name))
        .otherwise(wide.cast(name))
    )

"""The known functions on Spark, with the answers of `hudi_core.expr.scalar.apply`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_core.expr.functions import Function
from hudi_core.expr.predicate import AnyRun, Pattern
from hudi_core.expr.scalar import apply as scalar
from hudi_core.expr.scalar import regex
from hudi_core.expr.scalar.dates import PARTS_OF_DAY
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS
from hudi_spark.arithmetic import arithmetic, wrapped_int
from hudi_spark.casts import cast
from hudi_spark.cells import Cell, lifted, mask
from hudi_spark.scalars import by_value
from hudi_spark.ticks import MICROS, floor_div, ticks

_PARTS_OF_DATE: dict[Function, Callable[[Column], Column]] = {
    Function.YEAR: F.year,
    Function.QUARTER: F.quarter,
    Function.MONTH: F.month,
    Function.DAY: F.dayofmonth,
    Function.DAY_OF_WEEK: F.dayofweek,
    Function.DAY_OF_YEAR: F.dayofyear,
    Function.UNIX_DATE: F.unix_date,
}


def apply(function: Function, arguments: Sequence[Cell], types: Sequence[t.Type], of: t.Type) -> Cell:
    """The function's values, null where an argument is, but for COALESCE."""
    found = _by_spark(function, list(arguments), list(types), of)
    if found is None:
        return by_value(lambda *values: scalar.apply(function, values, types, of), arguments, types, of)
    return found


def matches(value: Cell, pattern: Pattern | str) -> Cell:
    """The text matches a LIKE pattern as a whole, or a regular expression somewhere; no for null."""
    if isinstance(pattern, str):
        regex.parse(pattern)  # refuses what the core does not know
        return mask(lambda plan: plan.isNotNull() & plan.rlike(pattern), value)
    match pattern:
        case ():
            return mask(lambda plan: plan.isNotNull() & (plan == ""), value)
        case (AnyRun(),):
            return mask(lambda plan: plan.isNotNull(), value)
        case (str() as text,):
            return mask(lambda plan: plan.isNotNull() & (plan == text), value)
        case (str() as text, AnyRun()):
            return mask(lambda plan: plan.isNotNull() & plan.startswith(text), value)
        case (AnyRun(), str() as text):
            return mask(lambda plan: plan.isNotNull() & plan.endswith(text), value)
        case (AnyRun(), str() as text, AnyRun()):
            return mask(lambda plan: plan.isNotNull() & plan.contains(text), value)
        case _:
            java = regex.like(pattern).re2
            assert java is not None
            return mask(lambda plan: plan.isNotNull() & plan.rlike(java), value)


def _by_spark(function: Function, arguments: list[Cell], types: list[t.Type], of: t.Type) -> Cell | None:
    first = arguments[0]
    match function, types:
        case Function.COALESCE, _:
            cells = [cast(argument, source, of) for argument, source in zip(arguments, types, strict=True)]
            return lifted(F.coalesce, of, *cells)
        case Function.CAST, _:
            return cast(first, types[0], of)
        case (
            Function.ADD
            | Function.SUBTRACT
            | Function.MULTIPLY
            | Function.DIVIDE
            | Function.MODULO
            | Function.NEGATE
            | Function.ABS,
            _,
        ):
            return arithmetic(function, arguments, types, of)
        case Function.LOWER, [t.String() | t.Enumeration()]:
            return lifted(F.lower, of, first)
        case Function.UPPER, [t.String() | t.Enumeration()]:
            return lifted(F.upper, of, first)
        case Function.LENGTH, [t.String() | t.Enumeration() | t.Binary() | t.Fixed()]:
            return lifted(F.length, of, first)
        case Function.CONCAT, [t.String() | t.Binary(), *_]:
            return lifted(F.concat, of, *arguments)
        case Function.SUBSTRING, [t.String(), *_]:
            return lifted(lambda *plans: F.call_function("substring", *plans), of, *arguments)
        case Function.SUBSTRING, [t.Binary(), *_]:
            return lifted(_bytes_between, of, *arguments)
        case Function.TRIM, [t.String()]:
            return lifted(F.trim, of, first)
        case Function.LTRIM, [t.String()]:
            return lifted(F.ltrim, of, first)
        case Function.RTRIM, [t.String()]:
            return lifted(F.rtrim, of, first)
        case Function.CEIL | Function.FLOOR, [t.Float() | t.Double()]:
            return lifted(F.ceil if function is Function.CEIL else F.floor, of, first)
        case _, [(t.Date() | t.Timestamp()) as source] if function in _PARTS_OF_DATE:
            return lifted(_PARTS_OF_DATE[function], of, cast(first, source, t.Date()))
        case _, [t.Timestamp() as zoned] if function in PARTS_OF_DAY:
            seconds, count = PARTS_OF_DAY[function]
            return lifted(lambda plan: _part_of_day(plan, zoned, seconds, count), of, first)
        case Function.DATE, _:
            return cast(first, types[0], t.Date())
        case Function.DATE_ADD | Function.DATE_SUB, [(t.Date() | t.Timestamp()) as source, _]:
            sign = 1 if function is Function.DATE_ADD else -1
            days = cast(first, source, t.Date())
            return lifted(lambda plan, by: _moved(plan, by, sign), of, days, arguments[1])
        case Function.UNIX_TIMESTAMP, [(t.Date() | t.Timestamp()) as source]:
            return lifted(lambda plan: _seconds(plan, source), of, first)
        case _:
            return None


def _bytes_between(plan: Column, position: Column, length: Column | None = None) -> Column:
    """SQL's substring of bytes; Spark's own goes wrong where positions and lengths are near the ends of an int."""
    zero, count, place = F.lit(0).cast("long"), F.length(plan).cast("long"), position.cast("long")
    start = F.when(place > 0, place - 1).when(place < 0, count + place).otherwise(zero)
    end = count if length is None else F.least(start + length.cast("long"), count)
    first = F.least(F.greatest(start, zero), count)
    taken = F.call_function("substring", plan, (first + 1).cast("int"), F.greatest(end - first, zero).cast("int"))
    known = position.isNotNull() if length is None else position.isNotNull() & length.isNotNull()
    return F.when(known, taken)


def _part_of_day(plan: Column, source: t.Timestamp, seconds: int, count: int) -> Column:
    """Which one of `count` stretches of so many seconds it is."""
    number = floor_div(ticks(plan, source), seconds * source.unit.value)
    return F.pmod(number, F.lit(count).cast("long")).cast("int")


def _moved(days: Column, by: Column, sign: int) -> Column:
    moved = F.unix_date(days).cast("long") + by.cast("long") * sign
    return F.date_from_unix_date(wrapped_int(moved))


def _seconds(plan: Column, source: t.Date | t.Timestamp) -> Column:
    """Seconds since 1970, cut towards zero, as Spark's division does."""
    if isinstance(source, t.Date):
        return F.unix_date(plan).cast("long") * F.lit(DAY_SECONDS).cast("long")
    counted, unit = ticks(plan, source), source.unit.value
    if source.unit is t.Unit.NANOS:  # SQL's timestamps count micros
        counted, unit = floor_div(counted, unit // MICROS), MICROS
    return F.call_function("div", counted, F.lit(unit).cast("long"))

"""The functions of `hudi_core.functions` on Spark: by Spark's own of the same meaning, else by the record's meaning in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_core.functions.casts import NARROW
from hudi_core.functions.record import Function, Types
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.like import AnyRun, Pattern
from hudi_core.functions.scalar.text import MAX_MADE
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS
from hudi_spark.arithmetic import arithmetic, wrap_int
from hudi_spark.casts import cast
from hudi_spark.cells import Cell, lift_plan, mask
from hudi_spark.scalars import by_value
from hudi_spark.structs import spark_type
from hudi_spark.ticks import MICROS, floor_div, ticks

Kernel = Callable[[Sequence[Cell], Types, t.Type], Cell | None]
"""Arguments, their types and the result's to the result; None for types that the kernel does not serve."""


def apply(function: Function, arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell:
    """The function's values."""
    kernel = KERNELS.get(function.name)
    answer = None if kernel is None else kernel(arguments, types, result)
    if answer is None and function.spark is not None and function.spark.serves(types):
        native = function.spark
        brought = [
            cast(argument, source, to) for argument, source, to in zip(arguments, types, native.takes, strict=False)
        ]
        brought += arguments[len(brought) :]
        answer = lift_plan(lambda *plans: _bound(native.name, *plans), result, *brought)
    if answer is None:
        answer = by_value(
            lambda *values: function.apply(values, types, result), arguments, types, result, function.strict
        )
    return answer


def _bound(name: str, *plans: Column) -> Column:
    """Spark's own function; an error where its text would be longer than the core makes any."""
    call = F.call_function(name, *plans)
    if name not in ("lpad", "rpad", "repeat"):
        return call
    length = plans[1].cast("long") * F.length(plans[0]) if name == "repeat" else plans[1].cast("long")
    message = F.concat(
        F.lit(f"{name}: expected a text of at most {MAX_MADE:,} characters, found "), length.cast("string")
    )
    return F.when(length > MAX_MADE, F.raise_error(message)).otherwise(call)


def matches(value: Cell, pattern: Pattern | str) -> Cell:
    """The text matches a LIKE pattern as a whole, or a regular expression somewhere; no for null."""
    if isinstance(pattern, str):
        regex.parse(pattern)  # raises for patterns that the core does not support
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
            java = regex.like_in_java(pattern)
            return mask(lambda plan: plan.isNotNull() & plan.rlike(java), value)


def _cast(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return cast(arguments[0], types[0], result)


def _bytes_between(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """SQL's substring of bytes; Spark's own goes wrong where positions and lengths are near the ends of an int."""

    def take(plan: Column, position: Column, length: Column | None = None) -> Column:
        zero, count, place = F.lit(0).cast("long"), F.length(plan).cast("long"), position.cast("long")
        start = F.when(place > 0, place - 1).when(place < 0, count + place).otherwise(zero)
        end = count if length is None else F.least(start + length.cast("long"), count)
        first = F.least(F.greatest(start, zero), count)
        part = F.call_function("substring", plan, (first + 1).cast("int"), F.greatest(end - first, zero).cast("int"))
        known = position.isNotNull() if length is None else position.isNotNull() & length.isNotNull()
        return F.when(known, part)

    return lift_plan(take, result, *arguments) if isinstance(types[0], t.Binary) else None


def _part_of_day(seconds: int, count: int, arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """Which one of `count` stretches of so many seconds it is, in UTC."""
    source = types[0]
    if not isinstance(source, t.Timestamp):
        return None

    def part(plan: Column) -> Column:
        number = floor_div(ticks(plan, source), seconds * source.unit.value)
        return F.pmod(number, F.lit(count).cast("long")).cast("int")

    return lift_plan(part, result, arguments[0])


def _days(cell: Cell, source: t.Type) -> Cell:
    return lift_plan(lambda plan: F.unix_date(plan).cast("long"), t.Long(), cast(cell, source, t.Date()))


def _move(sign: int, arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """Days added, with wrap."""
    return lift_plan(
        lambda days, by: F.date_from_unix_date(wrap_int(days + by.cast("long") * sign)),
        *(result, _days(arguments[0], types[0]), arguments[1]),
    )


def _days_between(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    days = [_days(argument, source) for argument, source in zip(arguments, types, strict=True)]
    return lift_plan(lambda late, early: wrap_int(late - early), result, *days)


def _unix_timestamp(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """Seconds since 1970, cut towards zero, as Spark's division does."""
    source = types[0]
    if not isinstance(source, t.Date | t.Timestamp):
        return None

    def seconds(plan: Column) -> Column:
        if isinstance(source, t.Date):
            return F.unix_date(plan).cast("long") * F.lit(DAY_SECONDS).cast("long")
        counted, unit = ticks(plan, source), source.unit.value
        if source.unit is t.Unit.NANOS:  # SQL's timestamps count micros
            counted, unit = floor_div(counted, unit // MICROS), MICROS
        return F.call_function("div", counted, F.lit(unit).cast("long"))

    return lift_plan(seconds, result, arguments[0])


def _narrow(bits: int, arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """The lowest bits of a whole number, as Spark's cast takes them without ANSI mode."""

    def lowest(plan: Column) -> Column:
        return F.shiftright(F.shiftleft(plan.cast("long"), 64 - bits), 64 - bits).cast("int")

    return lift_plan(lowest, result, arguments[0]) if isinstance(types[0], t.Int | t.Long) else None


def _size(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(lambda plan: F.coalesce(F.size(plan), F.lit(-1)), result, arguments[0])


def _part(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """The element at a place, from 0; or the value of a key."""
    name = "get" if isinstance(types[0], t.Array) else "try_element_at"
    return lift_plan(lambda *plans: F.call_function(name, *plans), result, *arguments)


def _element_at(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(lambda *plans: F.call_function("try_element_at", *plans), result, *arguments)


def _struct(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """Names and values by turns; the type has the names."""
    names = [field.name for field in t.children(result)]

    def make(*plans: Column) -> Column:
        return F.struct(*[plan.alias(name) for name, plan in zip(names, plans, strict=True)])

    return lift_plan(make, result, *arguments[1::2])


def _beside(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """Each element in a struct with the values of its row."""

    def make(array: Column, *others: Column) -> Column:
        repeated = [F.array_repeat(other, F.size(array)) for other in others]
        return F.arrays_zip(array, *repeated).cast(spark_type(result))

    return lift_plan(make, result, *arguments)


def _spread(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """The fields of each element, a struct that is not null, in a struct with the values of its row."""
    array_type = types[0]
    assert isinstance(array_type, t.Array)
    names = [field.name for field in t.children(array_type.element.type)]

    def make(array: Column, *others: Column) -> Column:
        repeated = [F.array_repeat(other, F.size(array)) for other in others]
        return F.arrays_zip(*[array.getField(name) for name in names], *repeated).cast(spark_type(result))

    return lift_plan(make, result, *arguments)


def _places(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """Each element with its place, from 0."""

    def make(array: Column) -> Column:
        return F.transform(array, lambda item, place: F.struct(item.alias("x0"), place.alias("x1")))

    return lift_plan(make, result, *arguments)


def _pairs(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(lambda *arrays: F.arrays_zip(*arrays).cast(spark_type(result)), result, *arguments)


def _entries(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(F.map_entries, result, *arguments)


def _map_filtered(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    """The entries whose condition is true."""
    key, value = t.children(types[0])
    fields = (t.Field(0, "key", key.type), t.Field(0, "value", value.type), t.Field(0, "kept", t.Boolean()))
    kind = spark_type(t.Array(t.Field(0, "element", t.Record(fields))))

    def make(held: Column, conditions: Column) -> Column:
        zipped = F.arrays_zip(F.map_keys(held), F.map_values(held), conditions).cast(kind)
        kept = F.filter(zipped, lambda entry: entry["kept"])
        return F.map_from_arrays(kept.getField("key"), kept.getField("value"))

    return lift_plan(make, result, *arguments)


def _with_keys(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(lambda held, keys: F.map_from_arrays(keys, F.map_values(held)), result, *arguments)


def _with_values(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(lambda held, values: F.map_from_arrays(F.map_keys(held), values), result, *arguments)


def _exists(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(lambda array, held: F.when(array.isNotNull(), F.array_contains(held, True)), result, *arguments)


def _for_all(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    return lift_plan(lambda array, held: F.when(array.isNotNull(), ~F.array_contains(held, False)), result, *arguments)


def _filter(arguments: Sequence[Cell], types: Types, result: t.Type) -> Cell | None:
    condition = t.Field(0, "kept", t.Boolean())
    pairs = spark_type(
        t.Array(t.Field(0, "element", t.Record((t.Field(0, "item", t.children(result)[0].type), condition))))
    )

    def make(array: Column, conditions: Column) -> Column:
        zipped = F.arrays_zip(array, conditions).cast(pairs)
        return F.transform(F.filter(zipped, lambda pair: pair["kept"]), lambda pair: pair["item"])

    return lift_plan(make, result, *arguments)


KERNELS: dict[str, Kernel] = {
    "cast": _cast,
    **{symbol: partial(arithmetic, symbol) for symbol in ("+", "-", "*", "/", "%", "negative", "abs")},
    "div": partial(arithmetic, "/"),
    "substring": _bytes_between,
    "hour": partial(_part_of_day, 3600, 24),
    "minute": partial(_part_of_day, 60, 60),
    "second": partial(_part_of_day, 1, 60),
    "date_add": partial(_move, 1),
    "date_sub": partial(_move, -1),
    "datediff": _days_between,
    "unix_timestamp": _unix_timestamp,
    **{function.name: partial(_narrow, bits) for bits, function in NARROW.items()},
    "size": _size,
    "[]": _part,
    "element_at": _element_at,
    "named_struct": _struct,
    "->": _beside,
    "->*": _spread,
    "#": _places,
    "(,)": _pairs,
    "map_entries": _entries,
    "map_filter": _map_filtered,
    "transform_keys": _with_keys,
    "transform_values": _with_values,
    "exists": _exists,
    "forall": _for_all,
    "filter": _filter,
}
"""Functions that depend on the session's zone, or fail with ANSI mode on, in Spark itself."""

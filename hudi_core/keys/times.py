"""The part of a partition path that a time makes, over any engine's columns. Rules KEY-14 to KEY-18."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from hudi_core.engine import Values
from hudi_core.errors import SchemaError
from hudi_core.expr.predicate import Cut
from hudi_core.functions.arithmetic import ADD, MODULO, SUBTRACT
from hudi_core.functions.casts import CAST
from hudi_core.keys.clock import CountPrinter, MomentPrinter, TextPrinter, TimeUnit
from hudi_core.keys.generator import Generator, TimePart, WritePath
from hudi_core.keys.options import CONSISTENT
from hudi_core.keys.strings import TEXT, Micros
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text

V = TypeVar("V")
M = TypeVar("M")

_UNITS = {
    t.Unit.MILLIS: TimeUnit.MILLISECONDS,
    t.Unit.MICROS: TimeUnit.MICROSECONDS,
    t.Unit.NANOS: TimeUnit.NANOSECONDS,
}


def time_text(values: Values[V, M], column: V, kind: t.Type, part: TimePart, generator: Generator, like: V) -> V:
    """The strings of times. Null is a time too: what stands for it is printed.

    Raises `SchemaError` for a field of a type that the writer takes for no time, `RowError` for a string that is of no form.
    """
    clock, machine, writer = part.clock, generator.zone, generator.writer
    null = values.is_null(column)
    for_null = clock.of_null(machine)
    if isinstance(kind, t.String | t.Enumeration) and clock.unit is None:
        string = values.map(column, TextPrinter(clock, machine), TEXT, TEXT)
        unread = values.every([values.is_null(string), values.no(null)], like)
        forms = " or ".join(form.text for form in clock.inputs)
        string = values.refuse(string, unread, f"a time like {forms} in {part.field}", "another text")
        return values.replace(string, null, for_null, TEXT)
    if isinstance(kind, t.Timestamp) and kind.zoned and generator.consistent:
        moments = MomentPrinter(clock, _UNITS[kind.unit], machine, floors=writer is WritePath.ROW)
        return values.replace(values.map(column, moments, kind, TEXT), null, for_null, TEXT)
    unit = clock.unit
    if isinstance(kind, t.String) and unit is not None:
        count = values.apply(CAST, [column], [kind], t.Long())
        unread = values.every([values.is_null(count), values.no(null)], like)
        expected = f"a number of {unit.name.lower()} in {part.field}"
        column, kind = values.refuse(count, unread, expected, "another text"), t.Long()
    if unit is None or not _is_count(kind, writer):
        wanted = "text" if unit is None else f"a number of {unit.name.lower()}"
        is_instant = isinstance(kind, t.Timestamp) and kind.zoned
        raise SchemaError(
            part.field,
            expected=f"{wanted} as the time that writer {writer.value} prints",
            found=type_text(kind),
            hint=f"with {CONSISTENT}=true its instants are printed" if is_instant else None,
        )
    printer = CountPrinter(clock, unit, machine)
    if isinstance(kind, t.Float | t.Double | t.Decimal):
        column, kind = values.apply(CAST, [column], [kind], t.Long()), t.Long()
    if isinstance(kind, t.Int):
        column, kind = values.convert(column, kind, t.Long()), t.Long()
    if isinstance(kind, t.Long):
        column = _coarse(values, column, *printer.coarse, like)
    if isinstance(kind, t.Timestamp) and writer is WritePath.INTERNAL_ROW:
        of_micros = _OfMicros(printer, Micros(kind.unit.value))
        return values.replace(values.map(column, of_micros, kind, TEXT), null, for_null, TEXT)
    return values.replace(values.map(column, printer, kind, TEXT), null, for_null, TEXT)


@dataclass(frozen=True, slots=True)
class _OfMicros:
    """Prints the number that Spark's internal rows hold of a timestamp."""

    printer: CountPrinter
    micros: Micros

    def __call__(self, ticks: int) -> str:
        return self.printer(self.micros.count(ticks))


def _is_count(kind: t.Type, writer: WritePath) -> bool:
    """The writer takes values of the type for numbers of units."""
    match kind:
        case t.Int() | t.Long() | t.Float() | t.Double() | t.Time():
            return True
        case t.Decimal():
            return writer is not WritePath.INTERNAL_ROW
        case t.Date() | t.Timestamp(zoned=False):
            return writer is not WritePath.ROW
        case t.Timestamp():
            return writer is WritePath.AVRO
        case _:
            return False


def _coarse(values: Values[V, M], column: V, step: int, since: int, like: V) -> V:
    """The first of the counts that print alike, so that few are left to print."""
    if step == 1:
        return column
    long = t.Long()
    width = values.literal(step, long, like)
    over = values.apply(MODULO, [column, width], [long, long], long)
    raised = values.apply(ADD, [over, width], [long, long], long)
    over = values.choose(values.below(over, Cut(0), long), raised, over, long)
    first = values.apply(SUBTRACT, [column, over], [long, long], long)
    return values.choose(values.below(column, Cut(since), long), column, first, long)

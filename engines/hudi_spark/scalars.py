"""A function of values of the core, run in Python on executors: for what Spark has no function of the same meaning for.

Texts of floats, parsing, date patterns, decimals that need more digits than Spark's.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from hudi_core.errors import UnsupportedError
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.domain import EXACT
from hudi_spark.cells import Cell, deep_type, lift, lift_plan
from hudi_spark.literals import numbers_of, pack_numbers
from hudi_spark.structs import spark_type
from hudi_spark.ticks import from_ticks, ticks

_COUNTED = (t.Date, t.Time, t.Timestamp)
Into = Callable[[Any], Any]


def by_value(
    function: Callable[..., Any], cells: Sequence[Cell], types: Sequence[t.Type], result: t.Type, strict: bool = True
) -> Cell:
    """`function` of the rows' values, in the form of `hudi_core.values.domain`.

    Null where any of them is null; unless it is `strict`, the function is called with nulls too.
    """
    inward = [_or_null(_into_domain(source)) for source in types]
    outward = _out_of_domain(result)

    def call(*values: Any) -> Any:
        if strict and any(value is None for value in values):
            return None
        answer = function(*(into(value) for into, value in zip(inward, values, strict=True)))
        return None if answer is None else outward(answer)

    depth = cells[0].depth
    held = [
        lift(lambda plan, source=source: _ship(plan, source), cell) for cell, source in zip(cells, types, strict=True)
    ]
    run = F.udf(_deep(call, depth), deep_type(_find_shipped_type(result), depth))
    return lift_plan(lambda plan: _receive(plan, result), result, Cell(run(*held), result, depth))


def _deep(call: Callable[..., Any], depth: int) -> Callable[..., Any]:
    """`call` for each item of lists that are `depth` deep."""
    if depth == 0:
        return call
    inner = _deep(call, depth - 1)

    def run_on_items(*lists: Any) -> Any:
        return None if lists[0] is None else [inner(*items) for items in zip(*lists, strict=True)]

    return run_on_items


def _ship(plan: Column, type: t.Type) -> Column:
    """Values in a form that Python's own types hold in full."""
    match type:
        case t.Record(fields):
            parts = [
                _ship(plan.getField(field.name), field.type).alias(f"x{position}")
                for position, field in enumerate(fields)
            ]
            return F.when(plan.isNotNull(), F.struct(*parts))
        case t.Array(element):
            return F.transform(plan, lambda item: _ship(item, element.type))
        case t.Map(_, value):
            return F.transform(
                F.map_entries(plan),
                lambda entry: F.struct(entry["key"].alias("key"), _ship(entry["value"], value.type).alias("value")),
            )
        case _:
            return ticks(plan, type) if isinstance(type, _COUNTED) else plan


def _receive(plan: Column, type: t.Type) -> Column:
    return from_ticks(plan, type) if isinstance(type, _COUNTED) else plan


def _find_shipped_type(type: t.Type) -> DataType:
    match type:
        case t.Date() | t.Time(t.Unit.MILLIS):
            return spark_type(t.Int())
        case t.Time() | t.Timestamp():
            return spark_type(t.Long())
        case _:
            return spark_type(type)


def _into_domain(type: t.Type) -> Into:
    match type:
        case t.Uuid(fixed=t.Fixed()):
            return lambda value: str(uuid.UUID(bytes=bytes(value)))
        case t.Binary() | t.Fixed():
            return bytes
        case t.Vector():
            return lambda numbers: pack_numbers(numbers, type)
        case t.Decimal(_, scale):
            step = Decimal((0, (1,), -scale))
            return lambda value: value.quantize(step, context=EXACT)
        case t.Record(fields):
            parts = [_or_null(_into_domain(field.type)) for field in fields]
            return lambda row: tuple(into(value) for into, value in zip(parts, row, strict=True))
        case t.Array(element):
            item = _or_null(_into_domain(element.type))
            return lambda items: tuple(map(item, items))
        case t.Map(_, value):
            held = _or_null(_into_domain(value.type))
            return lambda entries: tuple((entry[0], held(entry[1])) for entry in entries)
        case t.Union():
            raise UnsupportedError(type_text(type), message="values of this type are not put through Python on Spark")
        case _:
            return _same


def _or_null(into: Into) -> Into:
    return lambda value: None if value is None else into(value)


def _out_of_domain(type: t.Type) -> Into:
    match type:
        case t.Uuid(fixed=t.Fixed()):
            return lambda text: uuid.UUID(text).bytes
        case t.Vector():
            return lambda packed: list(numbers_of(packed, type))
        case t.Map(_, value):
            held = _or_null(_out_of_domain(value.type))
            return lambda entries: {key: held(item) for key, item in entries}
        case t.Array(element):
            item = _or_null(_out_of_domain(element.type))
            return lambda items: list(map(item, items))
        case _:
            return _same


def _same(value: Any) -> Any:
    return value

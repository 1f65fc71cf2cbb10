"""The known functions on Arrow arrays, with the answers of `hudi_core.expr.scalar.apply`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow import dates, text
from hudi_arrow.arithmetic import arithmetic, fitted
from hudi_arrow.arrays import Array, conformed
from hudi_arrow.casts import cast, digits
from hudi_arrow.distinct import by_distinct
from hudi_arrow.types import to_arrow
from hudi_core.expr.functions import Function
from hudi_core.expr.scalar import apply as scalar
from hudi_core.expr.scalar.patterns import MICROS, date_pattern
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.domain import LONG_RANGE


def apply(function: Function, arguments: Sequence[Array], types: Sequence[t.Type], of: t.Type) -> Array:
    """The function's values, null where an argument is, but for COALESCE. Texts may come dictionary-encoded."""
    arguments = [conformed(argument, source) for argument, source in zip(arguments, types, strict=True)]
    found = _by_kernels(function, arguments, list(types), of)
    if found is None:
        return by_distinct(lambda *values: scalar.apply(function, values, types, of), arguments, types, of)
    return found


def _by_kernels(function: Function, arguments: list[Array], types: list[t.Type], of: t.Type) -> Array | None:
    first = arguments[0]
    match function, types:
        case Function.COALESCE, _:
            return pc.coalesce(*(cast(argument, source, of) for argument, source in zip(arguments, types, strict=True)))
        case Function.CAST, [t.Int() | t.Long()] if isinstance(of, t.String):
            return digits(first)
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
        case Function.CEIL | Function.FLOOR, _:
            return _whole(function, first, types[0], of)
        case Function.LOWER | Function.UPPER, [t.String() | t.Enumeration()]:
            return text.change_case(first, upper=function is Function.UPPER)
        case Function.LENGTH, [t.String() | t.Enumeration() | t.Binary() | t.Fixed()]:
            return text.length(first)
        case Function.SUBSTRING, [t.String() | t.Binary(), *_]:
            return text.substring(first, arguments[1], arguments[2] if len(arguments) > 2 else None)
        case Function.CONCAT, [t.String() | t.Binary(), *_]:
            return text.concat(arguments, to_arrow(of))
        case Function.TRIM | Function.LTRIM | Function.RTRIM, [t.String()]:
            return text.trim(first, left=function is not Function.RTRIM, right=function is not Function.LTRIM)
        case _, [(t.Date() | t.Timestamp()) as source] if function in dates.PARTS:
            return dates.part(function, first, source)
        case Function.DATE, _:
            return cast(first, types[0], t.Date())
        case Function.DATE_TRUNC, [t.String(), _] if isinstance(of, t.Timestamp):
            return _date_trunc(first, cast(arguments[1], types[1], of), of)
        case Function.DATE_ADD | Function.DATE_SUB, [(t.Date() | t.Timestamp()) as source, _]:
            return _moved(first, source, arguments[1], 1 if function is Function.DATE_ADD else -1)
        case Function.UNIX_TIMESTAMP, [(t.Date() | t.Timestamp()) as source, *_]:
            seconds = dates.integers(first)
            if isinstance(source, t.Timestamp):  # towards zero, as Spark's division does
                unit = source.unit.value
                if source.unit is t.Unit.NANOS:  # SQL's timestamps count micros
                    seconds, unit = seconds // 1_000, t.Unit.MICROS.value
                seconds = seconds // unit + ((seconds < 0) & (seconds % unit != 0))
            else:
                seconds = seconds * DAY_SECONDS
            known = [pc.is_null(argument) for argument in arguments]
            return dates.with_nulls(seconds, first, pa.int64(), _some(known))
        case Function.DATE_FORMAT, [(t.Date() | t.Timestamp()) as source, t.String()]:
            return _formatted(function, arguments, source, of)
        case _:
            return None


def _whole(function: Function, array: Array, source: t.Type, of: t.Type) -> Array | None:
    """CEIL or FLOOR of reals and decimals; None for what has no kernel."""
    kernel = pc.ceil if function is Function.CEIL else pc.floor
    match source, of:
        case ((t.Float() | t.Double()), t.Long()):
            return cast(kernel(array), source, of)
        case t.Decimal(precision, scale), t.Decimal():
            return fitted(kernel(array.cast(pa.decimal256(precision + 1, scale))), of)
        case _:
            return None


def _date_trunc(units: Array, ticks: Array, of: t.Timestamp) -> Array:
    """Usually one unit for all rows; several are done one after the other."""
    found = pa.nulls(len(ticks), ticks.type)
    for unit in pc.unique(units):
        if unit.is_valid:
            chosen = pc.fill_null(pc.equal(units, unit), False)
            found = pc.if_else(chosen, dates.date_trunc(unit.as_py(), ticks, of.unit.value), found)
    return found


def _moved(array: Array, source: t.Date | t.Timestamp, by: Array, sign: int) -> Array:
    days = dates.days_of(dates.integers(array), source) + sign * dates.integers(by)
    nulls = _some([pc.is_null(by)])
    return dates.with_nulls(days.astype(np.int32), array, pa.int32(), nulls).view(pa.date32())


def _formatted(function: Function, arguments: list[Array], source: t.Date | t.Timestamp, of: t.Type) -> Array | None:
    """Points in time with one text are made one first, so that few are left to write out."""
    patterns = pc.unique(arguments[1].drop_null()).to_pylist()
    if isinstance(source, t.Timestamp) and len(patterns) == 1:
        step = max(date_pattern(patterns[0]).step * source.unit.value // MICROS, 1)
        ticks = dates.integers(arguments[0])
        first = np.where(ticks >= LONG_RANGE[0] + step, ticks - ticks % step, ticks)
        arguments = [dates.with_nulls(first, arguments[0], pa.int64()).view(to_arrow(source)), arguments[1]]
    types = [source, t.String()]
    return by_distinct(lambda *values: scalar.apply(function, values, types, of), arguments, types, of)


def _some(masks: list[Array]) -> dates.Flags:
    found: dates.Flags = np.logical_or.reduce([mask.to_numpy(zero_copy_only=False) for mask in masks])
    return found

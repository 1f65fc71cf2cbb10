"""Conversions of Arrow arrays: what stored values are read as (`hudi_core.values.cast`), and SQL's CAST.

Each takes an Arrow kernel where one gives the very answers, and the core's own function for each distinct value elsewhere.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arithmetic import fit
from hudi_arrow.arrays import Array, conform, in_parts, numbers, plain
from hudi_arrow.distinct import by_distinct
from hudi_arrow.integers import integers, with_nulls
from hudi_arrow.numpy_arrays import from_python, to_numpy, to_scalar
from hudi_arrow.text import with_end
from hudi_arrow.types import to_arrow
from hudi_core.errors import SchemaError
from hudi_core.functions.scalar import cast as sql
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastKind, promotion
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.cast import cast as stored_cast
from hudi_core.values.domain import INT_RANGE, LONG_RANGE
from hudi_core.values.text import TWO_DIGITS_BELOW

_DIGITS_OF_128_BITS = 38


def convert(array: Array, source: t.Type, to: t.Type) -> Array:
    """Stored values read as another type. Raises `SchemaError` for a value without a counterpart."""
    way = promotion(source, to)
    if way is None:
        raise SchemaError(expected=f"a type that can be read as {type_text(to)}", found=type_text(source))
    array = conform(array, source)
    try:
        converted = _convert(array, way.cast, source, to)
    except pa.ArrowInvalid:
        converted = None  # some value has no counterpart: the core's function raises for it
    return by_distinct(stored_cast(source, to), [array], [source], to) if converted is None else converted


def _convert(array: Array, how: CastKind, source: t.Type, to: t.Type) -> Array | None:
    wanted = to_arrow(to)
    match how:
        case CastKind.SAME | CastKind.WIDEN | CastKind.RELABEL:
            return relabel(array, source, to)
        case CastKind.TO_FLOAT | CastKind.TO_DOUBLE:
            return array.cast(wanted, safe=False)
        case CastKind.FLOAT_TO_DOUBLE:
            bound, zero = (to_scalar(value, array.type) for value in (TWO_DIGITS_BELOW, 0.0))
            least = pc.and_(pc.less(pc.abs(array), bound), pc.not_equal(array, zero))
            return None if pc.any(least).as_py() else array.cast(pa.string()).cast(pa.float64())
        case CastKind.TO_TEXT:
            return _as_text(array, source)
        case CastKind.ENCODE | CastKind.DECODE:
            return array.cast(wanted)
        case CastKind.RESCALE:
            return _rescale(array, wanted)
        case CastKind.TO_DECIMAL if isinstance(source, t.Int | t.Long):
            return _rescale(array.cast(pa.decimal128(19 if isinstance(source, t.Long) else 10, 0)), wanted)
        case CastKind.SYMBOL if isinstance(to, t.Enumeration):
            known = pc.is_in(array, value_set=from_python(to.symbols, array.type))
            return array.cast(wanted) if pc.all(pc.or_(known, pc.is_null(array))).as_py() is not False else None
        case CastKind.UNIT if isinstance(source, t.Time | t.Timestamp) and isinstance(to, t.Time | t.Timestamp):
            return _in_other_unit(array, source.unit.value, to.unit.value, wanted, null_beyond=False)
        case CastKind.MIDNIGHT if isinstance(to, t.Timestamp):
            return _in_other_unit(array, 1, DAY_SECONDS * to.unit.value, wanted, null_beyond=False)
        case _:
            return None


def _rescale(array: Array, wanted: pa.DataType) -> Array:
    """Decimals at another scale. Raises `pa.ArrowInvalid` for one that does not fit."""
    had = array.type
    if had.precision - had.scale + wanted.scale > _DIGITS_OF_128_BITS:
        # Arrow multiplies in as many bits as the values have, and does not look whether the product has more.
        array = array.cast(pa.decimal256(had.precision, had.scale))
    return array.cast(wanted)


def relabel(array: Array, source: t.Type, to: t.Type) -> Array | None:
    """The same values in the Arrow type of another of ours; None when they are stored in another way there."""
    wanted = to_arrow(to)
    array = numbers(plain(array))
    if array.type == wanted:
        return array
    if isinstance(source, t.Uuid) and pa.types.is_fixed_size_binary(array.type) and pa.types.is_string(wanted):
        return None
    if pa.types.is_integer(array.type) and pa.types.is_temporal(wanted):
        return array.cast(pa.int32() if wanted.bit_width == 32 else pa.int64()).view(wanted)
    return array.cast(wanted)


def cast(array: Array, source: t.Type, to: t.Type) -> Array:
    """SQL's CAST; what does not convert is null. Raises `UnsupportedError` for types that SQL does not convert."""
    if source == to:
        return array
    array = conform(array, source)
    converted = _cast(array, source, to)
    return (
        by_distinct(lambda value: sql.cast(value, source, to), [array], [source], to)
        if converted is None
        else converted
    )


def _cast(array: Array, source: t.Type, to: t.Type) -> Array | None:
    wanted = to_arrow(to)
    match source, to:
        case (t.Int() | t.Long() | t.Float() | t.Double(), t.Float() | t.Double()) | (
            t.Int() | t.Long(),
            t.Int() | t.Long(),
        ):
            return array.cast(wanted, safe=False)
        case t.Boolean(), t.Int() | t.Long() | t.Float() | t.Double():
            return array.cast(pa.int32()).cast(wanted)
        case _, t.String():
            return _as_text(array, source)
        case t.Float() | t.Double(), t.Int() | t.Long():
            return _saturate(array, INT_RANGE if isinstance(to, t.Int) else LONG_RANGE, wanted)
        case t.Int() | t.Long() | t.Float() | t.Double(), t.Boolean():
            return pc.not_equal(array, to_scalar(0, array.type))
        case t.Int() | t.Long(), t.Decimal():
            return fit(array.cast(pa.decimal256(19, 0)), to)
        case t.Decimal(), t.Decimal():
            return fit(array.cast(pa.decimal256(source.precision, source.scale)), to)
        case t.Decimal(), t.Double():
            return array.cast(pa.string()).cast(wanted)
        case t.String(), t.Int() | t.Long():
            digits = 9 if isinstance(to, t.Int) else 18
            bare = pc.match_substring_regex(array, rf"\A-?[0-9]{{1,{digits}}}\z")
            return array.cast(wanted) if pc.all(bare).as_py() is not False else None
        case t.String() | t.Enumeration(), t.Binary():
            return array.cast(wanted)
        case t.Fixed() | t.Vector(), t.Binary():
            return relabel(array, source, to)
        case t.Date(), t.Timestamp(unit):
            return _in_other_unit(array, 1, DAY_SECONDS * unit.value, wanted, null_beyond=True)
        case (t.Timestamp(had), t.Timestamp(unit)) | (t.Time(had), t.Time(unit)):
            return _in_other_unit(array, had.value, unit.value, wanted, null_beyond=True)
        case t.Timestamp(unit), t.Date():
            days = integers(array) // (DAY_SECONDS * unit.value)
            beyond = (days < INT_RANGE[0]) | (days > INT_RANGE[1])
            return with_nulls(np.where(beyond, 0, days), array, pa.int32(), beyond).view(wanted)
        case t.Timestamp(unit), t.Long():
            return with_nulls(integers(array) // unit.value, array, wanted)
        case _:
            return None


def _as_text(array: Array, source: t.Type) -> Array | None:
    """Texts by Arrow where they are Java's: no exponents, four-digit years. None elsewhere."""
    match source:
        case t.Int() | t.Long():
            return plain(digits(array))
        case t.Boolean() | t.Enumeration():
            return in_parts(lambda first, count: array.slice(first, count).cast(pa.string()), len(array))
        case t.Float() | t.Double():
            size = pc.abs(array)
            zero, least, beyond = (to_scalar(bound, pa.float64()) for bound in (0.0, 1e-3, 1e7))
            plain_range = pc.and_(pc.greater_equal(size, least), pc.less(size, beyond))
            if pc.all(pc.or_(plain_range, pc.equal(size, zero))).as_py() is False:
                return None
            strings = array.cast(pa.string())
            whole = pc.invert(pc.match_substring(strings, "."))
            return pc.if_else(whole, with_end(strings, ".0"), strings)
        case t.Decimal():
            strings = array.cast(pa.string())
            return None if pc.any(pc.match_substring(strings, "E")).as_py() else strings
        case _:
            return None


def digits(array: Array) -> Array:
    """Whole numbers in digits, on all processors where there are many."""
    return in_parts(lambda first, count: array.slice(first, count).cast(pa.string()), len(array))


def _in_other_unit(array: Array, had: int, unit: int, wanted: pa.DataType, *, null_beyond: bool) -> Array | None:
    """Ticks in another unit, cut towards the past. Those that do not fit 64 bits are null; without `null_beyond`, all is None."""
    values = integers(array)
    if unit <= had:
        numbers, beyond = values // (had // unit), np.zeros(len(values), np.bool_)
    else:
        factor = unit // had
        beyond = (values > LONG_RANGE[1] // factor) | (values < -(-LONG_RANGE[0] // factor))
        numbers = np.where(beyond, 0, values) * factor
    if beyond.any() and not null_beyond:
        return None
    return with_nulls(numbers, array, pa.int32() if wanted.bit_width == 32 else pa.int64(), beyond).view(wanted)


def _saturate(array: Array, span: tuple[int, int], wanted: pa.DataType) -> Array:
    """Real numbers cut toward zero, at the nearest end of the range beyond it, zero for NaN."""
    values = to_numpy(array).astype(np.float64)
    high, low = values >= float(span[1] + 1), values < float(span[0])
    inside = np.where(high | low | np.isnan(values), 0.0, values).astype(np.int64)
    return with_nulls(np.where(high, span[1], np.where(low, span[0], inside)), array, wanted)


def try_integers(array: Array, source: t.Type, to: t.Type) -> Array | None:
    """TRY_CAST of numbers to ints and longs: null for those beyond the type. None for other types. Rule FUNC-32."""
    if not isinstance(to, t.Int | t.Long):
        return None
    least, greatest = INT_RANGE if isinstance(to, t.Int) else LONG_RANGE
    match source:
        case t.Int() | t.Long():
            whole = integers(array)
            return with_nulls(whole, array, to_arrow(to), (whole < least) | (whole > greatest))
        case t.Float() | t.Double():
            values = to_numpy(array).astype(np.float64)
            low = values <= least - 1.0 if isinstance(to, t.Int) else values < float(least)
            beyond = low | (values >= float(greatest + 1)) | np.isnan(values)
            return with_nulls(np.where(beyond, 0.0, values).astype(np.int64), array, to_arrow(to), beyond)
        case _:
            return None

"""A value that is written is stored exactly, or its batch is refused: for each type that rows come in and each type of a column.

Exactly means: the same number, text, bytes, or point in time. A floating-point number is its shortest decimal form where it
becomes a decimal, a double or a text, and NaN is null where the column has no NaN.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Context, Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pytest

from hudi_arrow.engine import ENGINE
from hudi_arrow.types import schema_from_arrow, to_arrow
from hudi_core.columns.nodes import to_list
from hudi_core.errors import RowError, SchemaError
from hudi_core.writing.batch_columns import BatchColumns
from hudi_core.writing.schema_on_write import schema_on_write
from tests.support.drawing import SOAK

_INTEGERS: Final = (0, 1, -1, 127, -128, 2**24, 2**24 + 1, 2**31 - 1, -(2**31), 2**53, 2**53 + 1, 2**63 - 1, -(2**63))
_FLOATS: Final = (
    0.0,
    -0.0,
    1.0,
    1.5,
    0.1,
    0.125,
    1.005,
    12345678.9,
    1e30,
    2.5e-7,
    2.0**53 + 2,
    math.nan,
    math.inf,
    None,
)
_DECIMALS: Final = tuple(map(Decimal, ("0", "1", "-3", "1.5", "0.125", "12345.67", "99999.99")))
_NANOS: Final = (0, 1, -1, 999, 1000, -1000, 10**6, 10**9, -(10**9), 1_700_000_000_123_456_789, -86_400 * 10**9, None)
_UNITS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_WIDE: Final = Context(prec=80)
_DAY: Final = 86_400 * 10**9


def _integers(type: pa.DataType) -> pa.Array:
    least, greatest = np.iinfo(type.to_pandas_dtype()).min, np.iinfo(type.to_pandas_dtype()).max
    return pa.array([one for one in _INTEGERS if least <= one <= greatest] + [None], type)


def _decimals(precision: int, scale: int) -> pa.Array:
    shift = Decimal(1).scaleb(-scale)
    fit = [one for one in _DECIMALS if one == one.quantize(shift) and abs(one) < Decimal(10) ** (precision - scale)]
    return pa.array([*fit, None], pa.decimal128(precision, scale))


def _times(unit: str, zone: str | None) -> pa.Array:
    return pa.array([None if one is None else one // _UNITS[unit] for one in _NANOS], pa.timestamp(unit, zone))


def _clock(type: pa.DataType) -> pa.Array:
    return pa.array([one // _UNITS[type.unit] for one in _NANOS if one is not None and 0 <= one < _DAY], type)


GIVEN: Final[dict[str, pa.Array]] = {
    **{str(one): _integers(one) for one in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64())},
    **{str(one): pa.array(_FLOATS, one) for one in (pa.float32(), pa.float64())},
    "half": pa.array([0.0, 1.5, math.nan], pa.float16()),
    **{f"decimal {p} {s}": _decimals(p, s) for p, s in ((5, 0), (10, 2), (10, 4), (20, 5), (38, 0), (38, 18))},
    "string": pa.array(["a", "", "1", "1.50", "2020-01-01", "é", "true", None]),
    "binary": pa.array([b"a", b"", b"\xff", "é".encode(), None]),
    "fixed": pa.array([b"abcd", None], pa.binary(4)),
    "boolean": pa.array([True, False, None]),
    "date": pa.array([dt.date(1969, 12, 31), dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
    **{f"time {one.unit}": _clock(one) for one in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))},
    **{f"local {unit}": _times(unit, None) for unit in _UNITS},
    **{f"instant {unit}": _times(unit, "UTC") for unit in _UNITS},
    "instant of Paris": _times("us", "Europe/Paris"),
    "nulls": pa.nulls(2),
    "dictionary": pa.array(["x", None]).dictionary_encode(),
}  # fmt: skip
COLUMNS: Final = (
    pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(10, 2), pa.decimal128(20, 5), pa.decimal128(38, 0),
    pa.decimal128(38, 18), pa.string(), pa.binary(), pa.binary(4), pa.bool_(), pa.date32(), pa.time32("ms"),
    pa.time64("us"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC"),
)  # fmt: skip


def written(values: pa.Array, column: pa.DataType, replaces: bool) -> tuple[pa.DataType, Any]:
    """The type of the column after a batch of one value, and the value in it."""
    table = schema_from_arrow(pa.schema([("v", column)]), "table").value
    given = ENGINE.rows.read_given(pa.table({"v": values}), table)
    converts = schema_on_write(ENGINE, table, given.schema, "table", BatchColumns(replaces=replaces))
    (batch,) = (one for one in given.batches if ENGINE.rows.count(one))
    (field,) = converts.table.fields
    value = ENGINE.values.field(converts.rows(batch, 0), 0)
    return to_arrow(field.type), to_list(ENGINE.rows.to_column(value, field.type, "v"))[0]


def meaning(value: Any, type: pa.DataType) -> Any:
    """What a value stands for: numbers as they are, times in nanoseconds, with what they are times of."""
    if value is None:
        return None
    if pa.types.is_timestamp(type) or pa.types.is_time(type):
        unit = type.unit if isinstance(type, pa.TimestampType | pa.Time32Type | pa.Time64Type) else "us"
        return pa.types.is_time(type), getattr(type, "tz", None) is not None, int(value) * _UNITS[unit]
    return value


def exact(value: Any, given: pa.DataType, column: pa.DataType) -> Any:
    """The value of a batch as a column of the type has it; `NotImplemented` where it has none that means the same."""
    if pa.types.is_dictionary(given):
        given = given.value_type
    has_nan = pa.types.is_floating(column) or pa.types.is_string(column)
    if value is None or (value != value and not has_nan):
        return None
    if pa.types.is_floating(given) and not pa.types.is_float64(given) and not pa.types.is_float32(column):
        value = float(str(np.float32(value)))
    if pa.types.is_floating(column):
        return float(value) if pa.types.is_floating(given) or int(float(value)) == value else NotImplemented
    if pa.types.is_integer(column):
        return int(value) if math.isfinite(value) and int(value) == value else NotImplemented
    if pa.types.is_decimal(column):
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        ticks = _WIDE.scaleb(number, column.scale) if number.is_finite() else number
        return number if abs(ticks) < 10**column.precision and ticks == int(ticks) else NotImplemented
    return value


@pytest.mark.parametrize("column", COLUMNS, ids=str)
def test_a_value_is_stored_exactly_or_its_batch_is_refused(column: pa.DataType) -> None:
    """WRITE-800, WRITE-801, WRITE-31, WRITE-201, WRITE-501."""
    stored = refused = 0
    for place, (name, values) in enumerate(GIVEN.items()):
        for number, scalar in enumerate(values):
            if not SOAK and (place + number) % 2:
                continue
            replaces = number % 4 < 2
            try:
                after, value = written(values[number : number + 1], column, replaces)
            except SchemaError:
                refused += 1
                continue
            except RowError as error:
                assert error.row == 0, name
                refused += 1
                continue
            stored += 1
            assert not (pa.types.is_string(column) and pa.types.is_binary(after)), name
            check(scalar, after, value, f"{name} {scalar} in {column}")
    assert (stored > 0, refused > 0) == (True, True)


def check(scalar: pa.Scalar, after: pa.DataType, value: Any, where: str) -> None:
    """Fails for a value that is stored as another one."""
    given = scalar.type
    if pa.types.is_temporal(given) and not pa.types.is_date(given):
        assert meaning(value, after) == meaning(scalar.value, given), where
        return
    if pa.types.is_date(given):
        assert value == (None if scalar.value is None else scalar.value), where
        return
    one = scalar.as_py()
    if pa.types.is_string(after) and not isinstance(one, str | bytes | None):
        assert float(value.replace("Infinity", "inf")) == pytest.approx(one, rel=1e-7, nan_ok=True), where
        return
    if isinstance(one, str) and isinstance(value, bytes):
        one = one.encode()
    if isinstance(one, bytes) and isinstance(value, str):
        value = value.encode()
    expected = exact(one, given, after) if not isinstance(one, str | bytes | bool) else one
    assert expected is not NotImplemented, f"{where}: {value} was stored"
    if isinstance(expected, Decimal) and isinstance(value, bytes):
        value = _WIDE.scaleb(Decimal(int.from_bytes(value, "big", signed=True)), -after.scale)
    assert value == expected or (value != value and expected != expected), f"{where}: {value} was stored"

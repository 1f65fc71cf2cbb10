"""Days and instants of Parquet files in the proleptic Gregorian calendar, where a file counts them in another one.

What is counted how: `hudi_core.formats.parquet.calendars`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, Lists, lists, lists_of, numbers, struct_of
from hudi_arrow.numpy_arrays import bitmap, from_numpy, has_value, to_numpy
from hudi_arrow.types import from_arrow
from hudi_core.formats.parquet.calendars import OldCalendar
from hudi_core.types import nodes as t


def in_new_calendar(batch: pa.RecordBatch, calendar: OldCalendar, where: str) -> pa.RecordBatch:
    """The rows with all days and instants as the proleptic Gregorian calendar counts them."""
    arrays = [_in_new_calendar(column, calendar, where) for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)


def _in_new_calendar(array: Array, calendar: OldCalendar, where: str) -> Array:
    kind = array.type
    if not _has_times(kind):
        return array
    if pa.types.is_struct(kind):
        inner = [(kind.field(n), _in_new_calendar(array.field(n), calendar, where)) for n in range(kind.num_fields)]
        return struct_of(inner, pc.is_null(array) if array.null_count else None, len(array))
    if kind.num_fields:
        parts = lists(array)
        changed = Lists(parts.offsets, tuple(_in_new_calendar(one, calendar, where) for one in parts.items))
        return lists_of(kind, changed, bitmap(has_value(array)) if array.null_count else None, len(array))
    return _count(array, calendar, where)


def _has_times(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return False
    if kind.num_fields:
        return any(_has_times(kind.field(n).type) for n in range(kind.num_fields))
    return bool(pa.types.is_date32(kind) or pa.types.is_timestamp(kind))


def _count(array: Array, calendar: OldCalendar, where: str) -> Array:
    meant = t.Date() if pa.types.is_date32(array.type) else from_arrow(array.type).value
    limit, whole = calendar.limit(meant), numbers(array)
    least = None if limit is None else pc.min(whole).as_py()
    if limit is None or least is None or least >= limit:
        return array
    present = has_value(array)
    values = to_numpy(pc.fill_null(whole, limit)).astype(np.int64)
    if isinstance(meant, t.Timestamp):
        counted = calendar.count_ticks(values, meant.unit.value, where)
    else:
        counted = calendar.count_days(values)
    made = from_numpy(counted.astype(np.int32 if pa.types.is_date32(array.type) else np.int64), ~present)
    return made.view(array.type)

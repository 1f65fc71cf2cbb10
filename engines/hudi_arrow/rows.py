"""Batches of a scan: Arrow record batches, and their rows as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, Lists, conform, field, lists, numbers, plain, to_values
from hudi_arrow.buffers import from_array, to_arrays
from hudi_arrow.gather import gather
from hudi_arrow.incoming.input import read, read_given
from hudi_arrow.numpy_arrays import flags, from_numpy
from hudi_arrow.output import stream, write
from hudi_arrow.text import with_end
from hudi_core.arrays import Bools, Numbers
from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.nodes import Column, StructColumn
from hudi_core.engine import InputRows
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, days_from_civil
from hudi_core.values.json import to_json

if TYPE_CHECKING:
    from hudi_arrow import frames
else:
    frames = ModuleByNeed("hudi_arrow.frames")  # for frames of pandas

_FIRST_DAY, _LAST_DAY = days_from_civil(1, 1, 1), days_from_civil(9999, 12, 31)


_SPARE: Final = 1.25
_SLACK: Final = 1 << 12
"""Bytes of buffers beside those of rows that are not worth a copy: a factor, and for small batches a number."""


class ArrowRows:
    """`hudi_core.engine.Rows` of record batches."""

    spills = True

    def root(self, batch: pa.RecordBatch) -> Array:
        if batch.num_columns == 0:
            return pa.Array.from_buffers(pa.struct([]), batch.num_rows, [None], children=[])
        return batch.to_struct_array()

    def batch(self, root: Array) -> pa.RecordBatch:
        return pa.RecordBatch.from_struct_array(root)

    def count(self, batch: pa.RecordBatch) -> int:
        return int(batch.num_rows)

    def filter(self, batch: pa.RecordBatch, mask: Array) -> pa.RecordBatch:
        return batch if pc.all(mask, min_count=0).as_py() else batch.filter(mask)

    def flags(self, mask: Array) -> Bools:
        return flags(mask)

    def keep(self, batch: pa.RecordBatch, flags: Bools) -> pa.RecordBatch:
        return batch if flags.all() else batch.filter(from_numpy(flags))

    def gather(
        self, batches: Sequence[pa.RecordBatch], sources: Sequence[Numbers], schema: Schema
    ) -> Iterator[pa.RecordBatch]:
        return gather(batches, sources)

    def slice(self, batch: pa.RecordBatch, first: int, count: int) -> pa.RecordBatch:
        return batch.slice(first, count)

    def compact(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        # Pickled slices have the whole buffers of what they are slices of.
        is_whole = batch.get_total_buffer_size() <= _SLACK + _SPARE * batch.nbytes
        return batch if is_whole else pa.concat_batches([batch])

    def from_columns(self, columns: StructColumn, schema: Schema, where: str) -> Iterator[pa.RecordBatch]:
        return map(self.batch, to_arrays(columns, schema.record, where))

    def to_column(self, value: Array, type: t.Type, where: str) -> Column:
        return from_array(value, type, where)

    def to_json(self, batch: pa.RecordBatch, schema: Schema) -> list[dict[str, Any]]:
        return to_json_values(self.root(batch), schema.record)

    def stream(self, schema: Schema, batches: Iterable[pa.RecordBatch]) -> pa.RecordBatchReader:
        return stream(schema, batches)

    def frame(self, schema: Schema, batches: Iterable[pa.RecordBatch], backend: str | None) -> Any:
        return frames.to_frame(stream(schema, batches).read_all(), backend)

    def read_given(self, data: object, like: Schema | None = None, *, whole: bool = False) -> InputRows[pa.RecordBatch]:
        return read_given(data, like, whole)

    def read(self, path: str, like: Schema | None = None, *, whole: bool = False) -> InputRows[pa.RecordBatch]:
        return read(path, like, whole)

    def write(self, path: str, schema: Schema, batches: Iterable[pa.RecordBatch]) -> int:
        return write(path, schema, batches, to_json_values)


def to_json_values(array: Array, type: t.Type) -> list[Any]:
    """The rows in the form of `hudi_core.values.json`: whole columns at a time, each distinct value once where it pays."""
    array = plain(array)
    match type:
        case t.Boolean() | t.Int() | t.Long() | t.String() | t.Enumeration():
            return list(array.to_pylist())
        case t.Float() | t.Double() if pc.all(pc.is_finite(array)).as_py() is not False:
            return list(array.to_pylist())
        case t.Decimal() | t.Date() | t.Timestamp() | t.Time() if (texts := _texts(array, type)) is not None:
            return list(texts.to_pylist())
        case t.Record(fields):
            columns = [to_json_values(field(array, number), inner.type) for number, inner in enumerate(fields)]
            names = [inner.name for inner in fields]
            objects: list[Any] = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
            return _with_nulls(objects if columns else [{} for _ in range(len(array))], array)
        case t.Array(element):
            parts = lists(array)
            return _with_nulls(_runs(parts, to_json_values(parts.items[0], element.type)), array)
        case t.Map(key, value):
            parts = lists(array)
            keys, values = to_json_values(parts.items[0], key.type), to_json_values(parts.items[1], value.type)
            return _with_nulls(_runs(parts, [list(pair) for pair in zip(keys, values, strict=True)]), array)
        case _:
            return [to_json(value, type) for value in to_values(array, type)]


def _texts(array: Array, type: t.Decimal | t.Date | t.Time | t.Timestamp) -> Array | None:
    """Arrow's texts where they are ours: years of four digits, numbers without an exponent. None elsewhere."""
    array = conform(array, type)
    if isinstance(type, t.Decimal):
        strings = array.cast(pa.string())
        return None if pc.any(pc.match_substring(strings, "E")).as_py() else strings
    if isinstance(type, t.Time):
        return _pad(array.cast(pa.string()), type.unit)
    per_day = DAY_SECONDS * type.unit.value if isinstance(type, t.Timestamp) else 1
    ticks = numbers(array)
    span = pc.min_max(ticks).as_py()
    if span["min"] is not None and (span["min"] < _FIRST_DAY * per_day or span["max"] >= (_LAST_DAY + 1) * per_day):
        return None
    if isinstance(type, t.Date):
        return array.cast(pa.string())
    naive = ticks.view(pa.timestamp(array.type.unit)).cast(pa.string())
    texts = _pad(pc.binary_replace_slice(naive, len("0000-00-00"), len("0000-00-00 "), "T"), type.unit)
    return with_end(texts, "Z") if type.zoned else texts


def _pad(texts: Array, unit: t.Unit) -> Array:
    """Microseconds at least."""
    return with_end(texts, "000") if unit is t.Unit.MILLIS else texts


def _with_nulls(values: list[Any], array: Array) -> list[Any]:
    if array.null_count == 0:
        return values
    return [None if null else value for value, null in zip(values, array.is_null().to_pylist(), strict=True)]


def _runs(parts: Lists, items: list[Any]) -> list[Any]:
    return [items[low:high] for low, high in pairwise(parts.offsets.tolist())]

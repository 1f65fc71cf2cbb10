"""Batches of a scan: Arrow record batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array
from hudi_arrow.buffers import from_array, to_arrays
from hudi_arrow.gather import gather
from hudi_arrow.incoming.input import read, read_given
from hudi_arrow.json_values import json_lines, to_json_values
from hudi_arrow.numpy_arrays import flags, from_numpy
from hudi_arrow.output import stream, write
from hudi_core.arrays import Bools, Numbers
from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.nodes import Column, StructColumn
from hudi_core.engine import InputRows
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

if TYPE_CHECKING:
    from hudi_arrow import frames
else:
    frames = ModuleByNeed("hudi_arrow.frames")  # for frames of pandas

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

    def json_lines(self, batch: pa.RecordBatch, schema: Schema) -> memoryview:
        return json_lines(batch, schema)

    def stream(self, schema: Schema, batches: Iterable[pa.RecordBatch]) -> pa.RecordBatchReader:
        return stream(schema, batches)

    def frame(self, schema: Schema, batches: Iterable[pa.RecordBatch], backend: str | None) -> Any:
        return frames.to_frame(stream(schema, batches).read_all(), backend)

    def read_given(self, data: object, like: Schema | None = None, *, whole: bool = False) -> InputRows[pa.RecordBatch]:
        return read_given(data, like, whole)

    def read(self, path: str, like: Schema | None = None, *, whole: bool = False) -> InputRows[pa.RecordBatch]:
        return read(path, like, whole)

    def write(self, path: str, schema: Schema, batches: Iterable[pa.RecordBatch]) -> int:
        return write(path, schema, batches)

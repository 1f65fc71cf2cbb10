"""Files whose times count milliseconds and are labelled as microseconds, as writers of Hudi Streamer left them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.front.opening import open_table
from hudi_core.front.table import Table


def relabelled(array: pa.Array) -> pa.Array:
    """Milliseconds labelled as microseconds, at every depth."""
    kind = array.type
    if pa.types.is_timestamp(kind):
        return array.view(pa.int64()).view(pa.timestamp("us", kind.tz)) if kind.unit == "ms" else array
    if pa.types.is_struct(kind):
        parts = [relabelled(array.field(place)) for place in range(kind.num_fields)]
        return pa.StructArray.from_arrays(
            parts, fields=[kind.field(n).with_type(part.type) for n, part in enumerate(parts)], mask=array.is_null()
        )
    if pa.types.is_list(kind):
        values = relabelled(array.values)
        return pa.ListArray.from_arrays(
            array.offsets, values, type=pa.list_(kind.value_field.with_type(values.type)), mask=array.is_null()
        )
    if pa.types.is_map(kind):
        items = relabelled(array.items)
        kind = pa.map_(kind.key_field, kind.item_field.with_type(items.type))
        return pa.MapArray.from_arrays(array.offsets, array.keys, items, type=kind)
    return array


def mislabel_base(path: Path) -> None:
    """Writes a base file again, as such a writer does."""
    table = pq.read_table(path)
    arrays = [relabelled(column.combine_chunks()) for column in table.columns]
    fields = [field.with_type(array.type) for field, array in zip(table.schema, arrays, strict=True)]
    noted = {
        key: value.replace(b"timestamp-millis", b"timestamp-micros") for key, value in table.schema.metadata.items()
    }
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, noted)), path)


def mislabel_log(path: Path) -> None:
    content = path.read_bytes()
    assert b"timestamp-millis" in content
    path.write_bytes(content.replace(b"timestamp-millis", b"timestamp-micros"))


def mislabelled(table: Table, folder: Path) -> Table:
    """All files of the latest slices with the wrong label."""
    for file_slice in table.slices():
        for file in file_slice.files:
            mislabel: Callable[[Path], None] = mislabel_log if file in file_slice.logs else mislabel_base
            mislabel(folder / file.path)
    return open_table(folder)

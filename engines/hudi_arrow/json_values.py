"""The JSON form of rows, whole columns at a time: as values, and as lines of text."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, Lists, conform, field, lists, numbers, plain, to_values
from hudi_arrow.numpy_arrays import from_python, to_scalar
from hudi_arrow.text import with_end
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, days_from_civil
from hudi_core.values.json import to_json

_FIRST_DAY, _LAST_DAY = days_from_civil(1, 1, 1), days_from_civil(9999, 12, 31)
_TEXT: Final = pa.large_string()
"""Lines of a batch may take more than the two gigabytes that Arrow's other strings have."""
_ESCAPED: Final = r'["\\\x00-\x1f]'
"""What a string of JSON has only behind a backslash."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def json_lines(batch: pa.RecordBatch, schema: Schema) -> memoryview:
    """The rows as lines in UTF-8, each as `json.dumps` gives the row of `to_json_values`. No object is made of a row. Raises
    `pa.ArrowInvalid` for a text that is no UTF-8."""
    if not schema.fields:
        return memoryview(b"{}\n" * batch.num_rows)
    pieces: list[Any] = []
    for column, place in zip(batch.columns, schema.fields, strict=True):
        before = ", " if pieces else "{"
        pieces += [to_scalar(f"{before}{_ENCODER.encode(place.name)}: ", _TEXT), _json_texts(plain(column), place.type)]
    lines = pc.binary_join_element_wise(*pieces, to_scalar("}\n", _TEXT), to_scalar("", _TEXT))
    lines.validate(full=True)
    _, offsets, data = lines.buffers()
    ends = memoryview(offsets).cast("q")[lines.offset : lines.offset + len(lines) + 1]
    return memoryview(data)[ends[0] : ends[-1]]


def _json_texts(array: Array, type: t.Type) -> Array:
    """The text of each value, `null` for null."""
    match type:
        case t.Boolean() | t.Int() | t.Long():
            texts = array.cast(_TEXT)
        case t.String() | t.Enumeration() if not pc.any(pc.match_substring_regex(array, _ESCAPED)).as_py():
            texts = _quote(array)
        case t.Decimal() | t.Date() | t.Timestamp() | t.Time() if (shown := _arrow_texts(array, type)) is not None:
            texts = _quote(shown)
        case t.Float() | t.Double() if pc.all(pc.is_finite(array)).as_py() is not False:
            texts = from_python([None if value is None else repr(value) for value in array.to_pylist()], _TEXT)
        case _:
            texts = from_python(list(map(_ENCODER.encode, to_json_values(array, type))), _TEXT)
    return pc.fill_null(texts, to_scalar("null", _TEXT))


def _quote(texts: Array) -> Array:
    mark = to_scalar('"', _TEXT)
    return pc.binary_join_element_wise(mark, texts.cast(_TEXT), mark, to_scalar("", _TEXT))


def to_json_values(array: Array, type: t.Type) -> list[Any]:
    """The rows in the form of `hudi_core.values.json`: whole columns at a time, each distinct value once where it pays."""
    array = plain(array)
    match type:
        case t.Boolean() | t.Int() | t.Long() | t.String() | t.Enumeration():
            return list(array.to_pylist())
        case t.Float() | t.Double() if pc.all(pc.is_finite(array)).as_py() is not False:
            return list(array.to_pylist())
        case t.Decimal() | t.Date() | t.Timestamp() | t.Time() if (texts := _arrow_texts(array, type)) is not None:
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


def _arrow_texts(array: Array, type: t.Decimal | t.Date | t.Time | t.Timestamp) -> Array | None:
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

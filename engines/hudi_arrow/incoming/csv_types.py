"""Types of columns of CSV that a table does not state: those of all their values. Rules ROWS-1325,
ROWS-1515.

pyarrow decides by the first block of a file that it streams. Here each block is asked for what it would take alone, and the
answers are put together to what pyarrow takes for the file as a whole. Digits behind a zero or a plus sign are texts: what they
stand for (an article, a postcode, a telephone) is not the number that would be left of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hudi_arrow.incoming.csv_blocks import NULLS, read_blocks, read_names
from hudi_arrow.numpy_arrays import from_python
from hudi_core.errors import RowError

_NO_NUMBER: Final = "^ *([-+]?0[0-9xX]|[+][0-9]+ *$)"
_MARK: Final = "\ufeff"
_BITS: Final = pa.int8()
"""Whole numbers of 0 and 1 alone, which pyarrow takes for truths beside `true` and `false`."""
_SECONDS, _NANOS = pa.timestamp("s"), pa.timestamp("ns")
_INSTANTS: Final = (pa.timestamp("s", "UTC"), pa.timestamp("ns", "UTC"))
_WIDER: Final = (
    (pa.int64(), {_BITS, pa.int64()}),
    (pa.bool_(), {_BITS, pa.bool_()}),
    (_SECONDS, {pa.date32(), _SECONDS}),
    (_NANOS, {pa.date32(), _SECONDS, _NANOS}),
    (_INSTANTS[1], set(_INSTANTS)),
    (pa.float64(), {_BITS, pa.int64(), pa.float64()}),
)
"""Types in the order in which pyarrow tries them, each with those whose values it has."""


def infer_types(source: Path, types: Mapping[str, pa.DataType]) -> dict[str, pa.DataType]:
    """The types of the columns of a file that `types` does not have; none for a file that has two columns of one name. Raises as
    `refuse_names`, for names among numbers would make texts of them."""
    names = read_names(source)
    new = [name for name in names if name not in types]
    if not new or len(set(names)) < len(names):
        return {}
    texts = csv.ConvertOptions(
        column_types=dict.fromkeys(new, pa.string()),
        include_columns=new,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    inferred = dict.fromkeys(new, pa.null())
    first = 0
    for batch in read_blocks(source, texts):
        if len(new) == len(names):
            refuse_names(batch, first, source)
        first += batch.num_rows
        open_names = [name for name in new if not pa.types.is_string(inferred[name])]
        if not open_names:
            break
        for name, kind in zip(open_names, _infer_block(batch.select(open_names)), strict=True):
            inferred[name] = _merge(inferred[name], kind)
    return {name: pa.int64() if kind == _BITS else kind for name, kind in inferred.items()}


def refuse_names(batch: pa.RecordBatch, first: int, source: Path) -> None:
    """Raises `RowError` for a row of the names of columns: files that were put together have them once more. Where a column is
    not of texts, its name is no value; where there is one column alone, its name may be one. The first row has this number."""
    names, kinds = batch.schema.names, batch.schema.types
    if len(names) < 2 or not all(map(pa.types.is_string, kinds)):
        return
    again = pc.is_in(batch.column(0), from_python([names[0], _MARK + names[0]], pa.string()))
    for name, column in zip(names[1:], batch.columns[1:], strict=True):
        if not pc.any(again).as_py():
            return
        again = pc.and_(again, pc.equal(column, name))
    row = pc.index(again, True).as_py()
    if row >= 0:
        found = "the names of the columns again"
        raise RowError(first + row, expected="values", found=found, path=str(source))


def _infer_block(texts: pa.RecordBatch) -> list[pa.DataType]:
    """The types that the values of a block have alone."""
    written = pa.BufferOutputStream()
    csv.write_csv(texts, written, csv.WriteOptions(include_header=False))
    content = written.getvalue()
    read = csv.read_csv(
        pa.BufferReader(content),
        read_options=csv.ReadOptions(autogenerate_column_names=True, block_size=len(content) + 1),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(null_values=NULLS),
    )
    return [_of_column(column, text) for column, text in zip(read.columns, texts.columns, strict=True)]


def _of_column(read: pa.ChunkedArray, texts: pa.Array) -> pa.DataType:
    kind = read.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        if pc.any(pc.match_substring_regex(texts, _NO_NUMBER)).as_py():
            return pa.string()
        if pa.types.is_integer(kind) and pc.all(pc.match_substring_regex(texts, "^[01]$")).as_py() is not False:
            return _BITS
    return kind


def _merge(known: pa.DataType, read: pa.DataType) -> pa.DataType:
    """The first type that has the values of both."""
    if known == read or pa.types.is_null(read):
        return known
    if pa.types.is_null(known):
        return read
    return next((wanted for wanted, narrower in _WIDER if {known, read} <= narrower), pa.string())

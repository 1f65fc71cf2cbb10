"""Rows of files with a JSON object a line. Texts of dates and times are read as such, and a value that a column would change is
refused with its row. Rules: ROWS-800, ROWS-801, ROWS-1240."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json import loads
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.gaps import refuse_gaps
from hudi_arrow.json_forms import has_forms, rewrite_lines
from hudi_arrow.json_lines import lines_with_rows, read_json, read_lines, refuse_null_rows, refuse_wide_integers
from hudi_arrow.storage import one_line
from hudi_arrow.text_values import read_form, refuse_beyond, write_values
from hudi_core.errors import RowError

_BATCH_ROWS = 65_536


def json_batches(source: Path, types: Mapping[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
    """The rows, after a batch without rows. Columns have these types, others those that their values look like."""
    if not source.stat().st_size:
        return
    refuse_null_rows(source)
    lines = list(rewrite_lines(lines_with_rows(source), types, str(source))) if has_forms(source, types) else None
    try:
        table = read_lines(source, lines, types)
    except pa.ArrowInvalid as problem:
        raise _refuse_line(str(source), lines or list(lines_with_rows(source)), types, problem) from problem
    refuse_wide_integers(table, types, lines_with_rows(source), str(source))
    first_names = _first_row_names(source)
    present = [
        name
        for name in table.column_names
        if name not in types or name in first_names or table[name].null_count < len(table)
    ]
    columns = {
        name: write_values(table[name], types[name], f"{source}: {name}") if name in types else table[name]
        for name in present
    }
    for name, column in columns.items():
        refuse_beyond(table[name], column, f"{source}: {name}")
    read = pa.table(columns)
    yield from read.schema.empty_table().to_batches() or [pa.RecordBatch.from_pylist([], read.schema)]
    yield from read.to_batches(_BATCH_ROWS)


def without_gaps(source: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches of `json_batches`; `RowError` for a row that lacks a column, or a part of one, that other rows have."""
    lines = lines_with_rows(source)
    first = 0
    for batch in batches:
        drawn = [next(lines) for _ in range(batch.num_rows)]
        rows = [(first + place, loads(drawn[place])) for place in _suspects(batch, drawn)]
        refuse_gaps(rows, dict(zip(batch.schema.names, batch.schema.types, strict=True)), str(source))
        yield batch
        first += batch.num_rows


def _suspects(batch: pa.RecordBatch, lines: list[bytes]) -> list[int]:
    """The places of rows that may lack something: those with a null within a column, and those with a null column whose name,
    as a name of JSON is written, is not in the line. In rows without structs it is nowhere else."""
    if any(part.null_count for column in batch.columns for part in _parts(column)):
        return list(range(batch.num_rows))
    lacks = np.zeros(batch.num_rows, np.bool_)
    is_flat = not any(pa.types.is_nested(kind) for kind in batch.schema.types)
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.null_count:
            without = pc.is_null(column)
            if is_flat:
                named = pc.match_substring_regex(pa.array(lines, pa.binary()), f'"{re.escape(name)}"\\s*:')
                without = pc.and_(without, pc.invert(named))
            lacks |= without.to_numpy(zero_copy_only=False)
    return np.flatnonzero(lacks).tolist()


def _parts(column: pa.Array) -> Iterator[pa.Array]:
    """The columns within a column, at every depth."""
    if pa.types.is_struct(column.type):
        children = column.flatten()
    elif pa.types.is_map(column.type):
        children = [column.items]
    else:
        children = [column.flatten()] if pa.types.is_nested(column.type) else []
    for child in children:
        yield child
        yield from _parts(child)


def _refuse_line(
    where: str, lines: list[bytes], types: Mapping[str, pa.DataType], problem: pa.ArrowInvalid
) -> Exception:
    """The error of the first line with which the lines up to it cannot be read: pyarrow's names no row. The error as it is where
    that is no line."""

    forms = {name: read_form(kind) for name, kind in types.items()}

    def refusal(count: int) -> pa.ArrowInvalid | None:
        try:
            read_json(b"".join(lines[:count]), forms)
        except pa.ArrowInvalid as refused:
            return refused
        return None

    low, high = 1, len(lines)
    whole: Exception = problem
    if not lines or refusal(high) is None:
        return whole
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if refusal(middle) is not None else (middle + 1, high)
    words = re.sub(r" in row \d+$", "", one_line(refusal(low) or problem))
    return RowError(low - 1, expected="values of the columns' types", found=words, path=where)


def _first_row_names(source: Path) -> set[str]:
    """The columns that the first row names: the reader gives all that its schema names, null where no row has them."""
    return set(loads(next(lines_with_rows(source), b"{}")))

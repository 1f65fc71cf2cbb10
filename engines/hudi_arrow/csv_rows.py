"""Rows of CSV files; an error names the row, which pyarrow's does not: the file is read once more for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hudi_core.errors import RowError

_CONVERSION = re.compile(r"In CSV column #(\d+): CSV conversion error to (.+?): invalid value '(.*)'$", re.DOTALL)
_HEADER_ROWS = 1
_NULLS = ("", "NULL", "null", "NA", "N/A", "n/a", "#N/A")
"""What stands for null but in a column of texts. pyarrow takes `nan` for it too, which is a number."""
_DIGIT = "[0-9]"


def csv_batches(source: Path, types: Mapping[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
    """The rows, after a batch without rows. Columns have these types, others those that their values look like.

    Raises `RowError` for a value that is not of the column's type, and for a row with more or fewer values than columns.
    """
    options = csv.ConvertOptions(column_types=types, null_values=_NULLS)
    first = 0
    try:
        with csv.open_csv(source, convert_options=options) as opened:
            yield pa.RecordBatch.from_pylist([], opened.schema)
            for batch in opened:
                if any(_has_infinite(column) for column in batch.columns):
                    _refuse_beyond(source, batch, first)
                yield batch
                first += batch.num_rows
    except pa.ArrowInvalid as problem:
        refused = _find_refused_value(source, str(problem)) or _find_refused_row(source)
        if refused is None:
            raise
        raise refused from problem


def _has_infinite(column: pa.Array) -> bool:
    return bool(pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py())


def _refuse_beyond(source: Path, batch: pa.RecordBatch, first: int) -> None:
    """Raises `RowError` for a number that is infinite in its column's type alone; the batch's first row has this number."""
    names = [name for name in batch.schema.names if _has_infinite(batch.column(name))]
    texts = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), include_columns=names)
    written = csv.read_csv(source, convert_options=texts).slice(first, batch.num_rows)
    for name in names:
        numbers = batch.column(name)
        beyond = pc.and_(pc.is_inf(numbers), pc.match_substring_regex(written[name], _DIGIT))
        row = pc.index(beyond, True).as_py()
        if row >= 0:
            expected, found = f"a number within the range of {numbers.type}", repr(written[name][row].as_py())
            raise RowError(first + row, expected=expected, found=found, path=f"{source}: {name}")


def _find_refused_value(source: Path, message: str) -> RowError | None:
    """The error of the first value that cannot be converted; None where the message is of something else."""
    conversion = _CONVERSION.search(message)
    if conversion is None:
        return None
    column, expected, value = int(conversion[1]), conversion[2], conversion[3]
    with csv.open_csv(source) as opened:
        names = opened.schema.names
    rows_before = 0
    with csv.open_csv(
        source, convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    ) as texts:
        for batch in texts:
            row = pc.index(batch.column(column), value).as_py()
            if row >= 0:
                return RowError(
                    rows_before + row,
                    expected=f"a value of {expected}",
                    found=repr(value),
                    path=f"{source}: {names[column]}",
                )
            rows_before += batch.num_rows
    return None


def _find_refused_row(source: Path) -> RowError | None:
    """The error of the first row that has not as many values as there are columns; None where all have."""
    refused: list[csv.InvalidRow] = []

    def note(row: csv.InvalidRow) -> str:
        refused.append(row)
        return "error"

    # Only a reader without threads knows the numbers of rows.
    reading, parsing = csv.ReadOptions(use_threads=False), csv.ParseOptions(invalid_row_handler=note)
    with suppress(pa.ArrowInvalid), csv.open_csv(source, read_options=reading, parse_options=parsing) as opened:
        for _ in opened:
            if refused:
                break
    if not refused:
        return None
    (row,) = refused
    return RowError(
        row.number - 1 - _HEADER_ROWS,
        expected=f"{row.expected_columns} values",
        found=str(row.actual_columns),
        path=str(source),
    )

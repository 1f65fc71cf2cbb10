"""Rows of CSV files; an error names the row, which pyarrow's does not: the file is read once more for it. Rules ROWS-802,
ROWS-982, ROWS-1273."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hudi_arrow.incoming.csv_blocks import NO_LINE, NULLS, csv_blocks, has_part, read_blocks
from hudi_arrow.incoming.csv_quotes import refuse_stray_quotes
from hudi_arrow.incoming.csv_types import infer_types, refuse_names
from hudi_arrow.incoming.json_lines import WHOLE_EXPECTED, is_rounded
from hudi_arrow.incoming.json_texts import has_json_text, read_json_texts, text_type
from hudi_arrow.incoming.json_types import name_type
from hudi_arrow.numpy_arrays import flags, to_scalar
from hudi_core.errors import CorruptFileError, RowError

_CONVERSION = re.compile(r"In CSV column #(\d+): (.*)$", re.DOTALL)
_TYPE = re.compile(r"CSV conversion error to (\S+):")
_VALUE = re.compile(r"(?:invalid value|The string) '(.*)'", re.DOTALL)
_HEADER_ROWS = 1
_DIGIT = "[0-9]"
_WHOLE = "^ *[-+]?[0-9]+ *$"
_EXACT = float(1 << 53)
"""Beyond it a double may be another number than the one that is written."""
_OTHER_SIGNS = ";\t|"
_HEXADECIMAL = (b"0x", b"0X")
_HEXADECIMAL_NUMBER = "^ *0[xX]"


def csv_batches(source: Path, types: Mapping[str, pa.DataType], whole: bool = False) -> Iterator[pa.RecordBatch]:
    """The rows, after a batch without rows. Columns have these types, others those that all their values look like.

    Raises `RowError` for a value that is not of the column's type, for a row with more or fewer values than columns, for a quote
    that is not closed or not written twice and, if `whole`, for a struct that lacks a part, and `CorruptFileError` for a file
    without a name of each column.
    """
    texts = {name: text_type(kind) for name, kind in types.items()}
    written = _Written(source)
    first, is_begun, has_hexadecimal = 0, False, has_part(source, _HEXADECIMAL)
    try:
        for batch in csv_blocks(source, texts | infer_types(source, texts)):
            if not is_begun:
                _check_names(batch.schema.names, source)
            refuse_names(batch, first, source)
            if has_hexadecimal and batch.num_rows:
                _refuse_hexadecimal(written, batch, first)
            if any(_has_infinite(column) for column in batch.columns):
                _refuse_beyond(written, batch, first)
            wide = [name for name in batch.schema.names if name not in types and _has_wide(batch[name])]
            if wide:
                _refuse_wide(written, batch, first, wide)
            yield _read_json_texts(_narrow_times(written, batch, types, first), types, first, source, whole)
            if not is_begun:
                refuse_stray_quotes(source)
            first, is_begun = first + batch.num_rows, True
    except pa.ArrowInvalid as problem:
        if NO_LINE in str(problem):
            found = "a file of blank lines"
            raise CorruptFileError(str(source), expected="a line with the names of columns", found=found) from problem
        refuse_stray_quotes(source)
        refused = _find_refused_value(source, types, texts, str(problem)) or _find_refused_row(source)
        if refused is None:
            raise
        raise refused from problem


def _check_names(names: list[str], source: Path) -> None:
    """Raises `CorruptFileError` where the first line has no name of a column, or other signs than commas between names."""
    if "" in names:
        found = f"none of column {names.index('') + 1}"
        raise CorruptFileError(str(source), expected="a name of each column in the first line", found=found)
    other = next((sign for sign in _OTHER_SIGNS if len(names) == 1 and sign in names[0]), None)
    if other is not None:
        found = f"{names[0]!r}, with {other!r} in their place"
        raise CorruptFileError(
            str(source), expected="commas between the names in the first line, as between values", found=found
        )


def _refuse_hexadecimal(file: _Written, batch: pa.RecordBatch, first: int) -> None:
    """Raises `RowError` for a whole number of hexadecimal digits: pyarrow takes 0xFF for 255, and for -1 in 8 bits. The batch's
    first row has this number."""
    for field in batch.schema:
        if pa.types.is_integer(field.type):
            texts = file.texts_of(batch, first)[field.name]
            row = pc.index(pc.match_substring_regex(texts, _HEXADECIMAL_NUMBER), True).as_py()
            if row >= 0:
                raise _wrong_value(file.source, field.name, field.type, first + row, texts[row].as_py())


def _wrong_value(source: Path, name: str, kind: pa.DataType, row: int, text: str) -> RowError:
    return RowError(row, expected=f"a value of {name_type(str(kind))}", found=repr(text), path=f"{source}: {name}")


def _narrow_times(
    file: _Written, batch: pa.RecordBatch, types: Mapping[str, pa.DataType], first: int
) -> pa.RecordBatch:
    """The batch with times in the types of their columns, where they were read in finer ones. Raises `RowError` for a finer
    time; the first row has this number."""
    columns = batch.columns
    for place, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
        kind = types.get(name, column.type)
        if column.type == kind or not pa.types.is_temporal(kind):
            continue
        try:
            columns[place] = column.cast(kind)
        except pa.ArrowInvalid as problem:
            coarse = column.cast(kind, safe=False).cast(column.type, safe=False)
            row = pc.index(pc.equal(coarse, column), False).as_py()
            text = file.texts_of(batch, first)[name][row].as_py()
            raise _wrong_value(file.source, name, kind, first + row, text) from problem
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _read_json_texts(
    batch: pa.RecordBatch, types: Mapping[str, pa.DataType], first: int, source: Path, whole: bool
) -> pa.RecordBatch:
    """Texts of JSON in columns of lists, maps and structs, and of bytes, as the command line writes them, as their values."""
    columns = [
        read_json_texts(column, types[name], first, str(source), name, whole=whole)
        if name in types and has_json_text(column, types[name])
        else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _has_infinite(column: pa.Array) -> bool:
    return bool(pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py())


def _refuse_beyond(file: _Written, batch: pa.RecordBatch, first: int) -> None:
    """Raises `RowError` for a number that is infinite in its column's type alone; the batch's first row has this number."""
    names = [name for name in batch.schema.names if _has_infinite(batch.column(name))]
    written = file.texts_of(batch, first)
    for name in names:
        numbers = batch.column(name)
        beyond = pc.and_(pc.is_inf(numbers), pc.match_substring_regex(written[name], _DIGIT))
        row = pc.index(beyond, True).as_py()
        if row >= 0:
            expected, found = f"a number within the range of {numbers.type}", repr(written[name][row].as_py())
            raise RowError(first + row, expected=expected, found=found, path=f"{file.source}: {name}")


def _has_wide(column: pa.Array) -> bool:
    if not pa.types.is_floating(column.type):
        return False
    return bool(pc.any(pc.greater_equal(pc.abs(column), to_scalar(_EXACT, column.type))).as_py())


def _refuse_wide(file: _Written, batch: pa.RecordBatch, first: int, names: list[str]) -> None:
    """Raises `RowError` for a whole number that a double rounds in a column whose type is not stated."""
    written = file.texts_of(batch, first)
    for name in names:
        wide = pc.and_(pc.greater_equal(pc.abs(batch[name]), _EXACT), pc.match_substring_regex(written[name], _WHOLE))
        for row in np.flatnonzero(flags(pc.fill_null(wide, False))).tolist():
            text = written[name][row].as_py()
            if is_rounded(int(text)):
                raise RowError(first + row, expected=WHOLE_EXPECTED, found=text, path=f"{file.source}: {name}")


class _Written:
    """Numbers and times of a file as they are written. It is read once more for them, no further than to the last batch that is
    asked about, and not for each batch anew."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self._blocks: Iterator[pa.RecordBatch] | None = None
        self._held: pa.RecordBatch | None = None
        self._given: tuple[int, pa.Table] | None = None
        """The first row of the batch that was asked about last, and its texts."""
        self._begin = 0
        """The number of the first row that is held."""

    def texts_of(self, batch: pa.RecordBatch, first: int) -> pa.Table:
        """The columns of numbers and times of a batch as texts; its first row has this number. Batches come in their order."""
        if self._blocks is None:
            names = [field.name for field in batch.schema if _is_number_or_time(field.type)]
            texts = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), include_columns=names)
            self._blocks = read_blocks(self.source, texts)
        if self._given is not None and self._given[0] == first:
            return self._given[1]
        begin, parts, end = first, [], first + batch.num_rows
        while first < end:
            while self._held is None or first >= self._begin + self._held.num_rows:
                self._begin += 0 if self._held is None else self._held.num_rows
                self._held = next(self._blocks)
            parts.append(self._held.slice(first - self._begin, end - first))
            first += parts[-1].num_rows
        self._given = begin, pa.Table.from_batches(parts)
        return self._given[1]


def _is_number_or_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_temporal(kind))


def _find_refused_value(
    source: Path, stated_types: Mapping[str, pa.DataType], types: Mapping[str, pa.DataType], message: str
) -> RowError | None:
    """The error of the first value that cannot be converted to the type that it is read as, named by the type that the table
    states; None where the message is of something else."""
    conversion = _CONVERSION.search(message)
    if conversion is None:
        return None
    column, reason = int(conversion[1]), conversion[2]
    names = next(read_blocks(source, csv.ConvertOptions(check_utf8=False))).schema.names
    wanted, stated = types.get(names[column]), _TYPE.search(reason)
    is_text = "invalid UTF8" in reason
    kind = stated[1] if stated else str(wanted or "its column")
    if wanted is not None and pa.types.is_temporal(wanted):
        kind = str(stated_types[names[column]])
    expected = "text in UTF-8" if is_text else f"a value of {name_type(kind)}"
    value = _VALUE.search(reason)
    row, found = _place(source, names, column, value[1] if value else None, wanted, is_text=is_text)
    return RowError(row, expected=expected, found=found or reason, path=f"{source}: {names[column]}")


def _place(
    source: Path, names: list[str], column: int, value: str | None, wanted: pa.DataType | None, *, is_text: bool
) -> tuple[int | None, str | None]:
    """The row of the value that is refused, and the value: that of the message, else the first that is no text, or that the
    column's type does not take."""
    raw = pa.binary() if is_text else pa.string()
    options = csv.ConvertOptions(
        column_types=dict.fromkeys(names, raw), check_utf8=not is_text, strings_can_be_null=False
    )
    rows_before = 0
    for batch in read_blocks(source, options):
        values = batch.column(column)
        if value is not None:
            row = pc.index(values, value).as_py()
        else:
            row = next((place for place, one in enumerate(values) if not _is_taken(one, wanted)), -1)
        if row >= 0:
            return rows_before + row, repr(values[row].as_py())
        rows_before += batch.num_rows
    return None, None if value is None else repr(value)


def _is_taken(value: pa.Scalar, wanted: pa.DataType | None) -> bool:
    """Whether bytes are a text, or a text is a value of the column's type."""
    try:
        if pa.types.is_binary(value.type):
            value.as_py().decode()
        elif wanted is not None and value.as_py() not in NULLS:
            value.cast(wanted)
    except (UnicodeDecodeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return True


def _find_refused_row(source: Path) -> RowError | None:
    """The error of the first row that has not as many values as there are columns; None where all have."""
    refused: list[csv.InvalidRow] = []

    def note(row: csv.InvalidRow) -> str:
        refused.append(row)
        return "error"

    with suppress(pa.ArrowInvalid):
        for _ in read_blocks(source, csv.ConvertOptions(), note):
            if refused:
                break
    if not refused:
        return None
    (row,) = refused
    if row.expected_columns == 1:
        with source.open("rb") as file:
            _check_names([file.readline().decode(errors="replace").rstrip()], source)
    return RowError(
        row.number - 1 - _HEADER_ROWS,
        expected=f"{row.expected_columns} values",
        found=str(row.actual_columns),
        path=str(source),
    )

"""Blocks of a CSV file as batches. Rules ROWS-1271, ROWS-1272.

pyarrow reads a block at a time, of a size that is stated before, and refuses a row that is longer. Such a file is read again by
longer blocks, from the row after the last one that was given. A block ends with a row only where pyarrow is to expect line
breaks in values: else it ends with a line, and parts of a value are taken for rows.

It also has one list of words that stand for null, and one answer to whether quoted ones do, for all columns. Texts and other
values need their own: where a file has such words, the two kinds of columns are read beside each other.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import csv

from hudi_arrow.numpy_arrays import no_rows

_BLOCK: Final = 1 << 20
_LARGEST_BLOCK: Final = 1 << 30
_GROWTH: Final = 8
_TOO_LONG: Final = "straddl"
"""A word of pyarrow's message of a row that is longer than a block."""
NULLS: Final = ("", "NULL", "null", "NA", "N/A", "n/a", "#N/A")
"""What stands for null but in a column of texts. pyarrow takes `nan` for it too, which is a number."""
_TWO_MEANINGS: Final = (b"NULL", b"null", b"NA", b"N/A", b"n/a", b'""')
"""Parts of files in which columns of texts have other nulls than the rest."""
NO_LINE: Final = "Empty CSV file"
"""What pyarrow says of a file without a line that is not blank, or whose only line has no end."""


_Handler = Callable[[csv.InvalidRow], str]


def csv_blocks(source: Path, types: Mapping[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
    """The rows, after a batch without rows. Columns have these types, others those that their values look like. In columns of
    texts and bytes an empty field is null, and a quoted one is an empty value."""
    with _open(source, csv.ConvertOptions(column_types=types, null_values=NULLS), _BLOCK, None) as opened:
        schema = opened.schema
    yield no_rows(schema)
    texts = [field.name for field in schema if _is_text(field.type)]
    others = [field.name for field in schema if not _is_text(field.type)]
    stated = dict(zip(schema.names, schema.types, strict=True))
    if len(stated) < len(schema):  # two columns of one name, which the schema refuses
        texts = []
        stated = {}
    of_texts = csv.ConvertOptions(
        column_types=stated,
        include_columns=texts if others else [],
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    of_others = csv.ConvertOptions(column_types=stated, include_columns=others if texts else [], null_values=NULLS)
    if not texts:
        yield from read_blocks(source, of_others)
    elif others and has_part(source, _TWO_MEANINGS):
        pairs = zip(read_blocks(source, of_texts), read_blocks(source, of_others), strict=True)
        for some, rest in pairs:
            columns = {**dict(zip(texts, some.columns, strict=True)), **dict(zip(others, rest.columns, strict=True))}
            yield pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
    else:
        of_texts.include_columns = []
        yield from read_blocks(source, of_texts)


def read_names(source: Path) -> list[str]:
    """The names of a file's columns."""
    with _open(source, csv.ConvertOptions(check_utf8=False), _BLOCK, None) as opened:
        return list(opened.schema.names)


def read_blocks(
    source: Path, convert: csv.ConvertOptions, invalid_row_handler: _Handler | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows. With a handler of rows that have another number of values than columns, in one thread, as only then are the
    numbers of rows known."""
    size, given = _BLOCK, 0
    while True:
        before = given
        try:
            with _open(source, convert, size, invalid_row_handler) as opened:
                for batch in opened:
                    rest = batch.slice(min(before, batch.num_rows))
                    before -= batch.num_rows - rest.num_rows
                    given += rest.num_rows
                    if rest.num_rows:
                        yield rest
            return
        except pa.ArrowInvalid as problem:
            if _TOO_LONG not in str(problem) or size >= _LARGEST_BLOCK:
                raise
            size *= _GROWTH


def _open(source: Path, convert: csv.ConvertOptions, size: int, handler: _Handler | None) -> csv.CSVStreamingReader:
    """The opened file. Its blocks are of this size, or longer where its first row needs it."""
    parse = csv.ParseOptions(newlines_in_values=True, invalid_row_handler=handler)
    file: str | pa.BufferReader = str(source)
    while True:
        reading = csv.ReadOptions(block_size=size, use_threads=handler is None)
        try:
            return csv.open_csv(file, read_options=reading, parse_options=parse, convert_options=convert)
        except pa.ArrowInvalid as problem:
            if NO_LINE in str(problem) and isinstance(file, str) and (names := _read_lone_line(source)):
                file = pa.BufferReader(names)
                continue
            if _TOO_LONG not in str(problem) or size >= _LARGEST_BLOCK:
                raise
            size *= _GROWTH


def _read_lone_line(source: Path) -> bytes:
    """The line of a file that has one without an end, which pyarrow takes for no line; nothing of another file."""
    with source.open("rb") as file:
        line = file.read(_BLOCK)
    is_alone = line.removeprefix(BOM_UTF8).strip() and not re.search(rb"[\r\n]", line)
    return line + b"\n" if is_alone and len(line) < _BLOCK else b""


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    )  # fmt: skip


def has_part(source: Path, parts: Iterable[bytes]) -> bool:
    """Whether a file has one of these parts."""
    with source.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return any(content.find(part) >= 0 for part in parts)

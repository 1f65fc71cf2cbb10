"""Rows of files with a JSON object a line. Texts of dates and times are read as such, and a value that a column would change is
refused with its row. Rules: ROWS-800, ROWS-801, ROWS-1240, ROWS-1320.

A file is read once, piece after piece. What a column is that the table does not state is known when all of it was read: until
then the pieces wait, as `SpilledTables`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from json import loads
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.incoming.gaps import has_nulls_within, refuse_gaps
from hudi_arrow.incoming.json_forms import has_forms, rewrite_lines
from hudi_arrow.incoming.json_lines import (
    read_json,
    refuse_null_rows,
    refuse_other_texts,
    refuse_rounded_integers,
    refuse_wide_integers,
)
from hudi_arrow.incoming.json_parts import PresentParts
from hudi_arrow.incoming.json_pieces import read_pieces, split_objects, split_rows
from hudi_arrow.incoming.json_types import explain_refusal, merge_types, with_types, with_whole_lists, without_parts
from hudi_arrow.incoming.spilled_tables import SpilledTables
from hudi_arrow.incoming.text_values import read_form, refuse_beyond, write_values
from hudi_arrow.numpy_arrays import flags, from_python, no_rows
from hudi_arrow.stores.storage import one_line
from hudi_core.errors import RowError

_BATCH_ROWS = 65_536
_NO_JSON = "JSON parse error: "
"""How Arrow's reader begins where a text is no JSON, or a value has another type than its column."""
_OBJECT_EXPECTED = "an object a line, as jq -c '.[]' makes them of a list"

Types = Mapping[str, pa.DataType]


def json_batches(source: Path, types: Types, whole: bool = False) -> Iterator[pa.RecordBatch]:
    """The rows, after a batch without rows. Columns have these types, others those that their values in all rows look like. All
    rows are read, and refused, before the first batch.

    If `whole`, `RowError` is raised for a row that lacks a column, or a part of one, that other rows have.
    """
    reader = _PieceReader(str(source), types)
    with SpilledTables() as tables:
        for piece in read_pieces(source):
            if not piece.isspace():
                tables.add(reader.read(piece))
        if not reader.rows:
            return
        wanted = reader.schema()
        yield no_rows(pa.schema(wanted.items()))
        pieces = (piece for piece in read_pieces(source) if not piece.isspace())
        first = 0
        for table in tables.drain():
            refuse_rounded_integers(table, wanted, str(source), first)
            typed = with_types(table, wanted)
            if whole:
                _refuse_gaps(typed, next(pieces), first, str(source))
            yield from typed.to_batches(_BATCH_ROWS)
            first += len(table)


class _PieceReader:
    """Reads pieces one after the other, and learns from each what its columns are."""

    def __init__(self, where: str, types: Types) -> None:
        self.rows = 0
        self._where, self._types = where, types
        self._stated = {name: read_form(kind) for name, kind in types.items()}
        self._forms = dict(self._stated)
        """The types that columns are read as: those of all pieces up to now."""
        self._made: dict[str, pa.DataType] = {}
        """The types of the columns that some piece had."""
        self._present = PresentParts(types)

    def read(self, piece: bytes) -> pa.Table:
        """The rows of a piece. Raises `RowError`."""
        where, types, first = self._where, self._types, self.rows
        refuse_other_texts(piece, first, where)
        refuse_null_rows(piece, first, where)
        table = self._read_lines(piece)
        count = len(table)

        def rows() -> list[bytes]:
            return split_rows(piece, count)

        refuse_wide_integers(table, types, rows, where, first)
        self._present.note(table, rows)
        columns = {}
        for name in table.column_names:
            if name in types and name not in self._made and table[name].null_count == count:
                continue
            column = table[name]
            if name in types:
                column = write_values(column, types[name], f"{where}: {name}", first)
                refuse_beyond(table[name], column, f"{where}: {name}", first)
            self._made[name] = merge_types(self._made.get(name, column.type), column.type, f"/{name}")
            columns[name] = column
        self.rows += count
        return pa.table(columns) if columns else pa.table({"": pa.nulls(count)})

    def schema(self) -> dict[str, pa.DataType]:
        """The columns of all pieces, and their types."""
        absent = self._present.absent()
        made = {name: self._types[name] for name in self._types if (name,) not in absent} | self._made
        ordered = [*(name for name in self._types if name in made), *(name for name in made if name not in self._types)]
        return {name: without_parts(made[name], absent, (name,)) for name in ordered}

    def _read_lines(self, piece: bytes) -> pa.Table:
        """The rows of a piece, in the types that they are read as."""
        try:
            return self._learn(piece)
        except pa.ArrowInvalid as problem:
            lines, objects = split_rows(piece), split_objects(piece)
            if objects is None or len(objects) == len(lines):
                raise self._refusal(lines, problem) from problem
            try:
                return self._learn(b"\n".join(objects))
            except pa.ArrowInvalid as other:
                raise self._refusal(objects, other) from other

    def _learn(self, content: bytes) -> pa.Table:
        table, self._forms = self._read(self._rewrite(content))
        return table

    def _rewrite(self, content: bytes) -> bytes:
        if not has_forms(content, self._types):
            return content
        return b"\n".join(rewrite_lines(split_rows(content), self._types, self._where, self.rows))

    def _read(self, content: bytes) -> tuple[pa.Table, dict[str, pa.DataType]]:
        """The rows, and the types that columns are read as from here on."""
        settled = {name: kind for name, kind in self._forms.items() if not pa.types.is_null(kind)}
        try:
            table = read_json(content, settled)
        except pa.ArrowInvalid:
            if settled == self._stated:
                raise
            settled = self._stated
            table = read_json(content, settled)  # other values of a column that no type is stated of
        forms = dict(self._forms)
        for field in table.schema:
            forms[field.name] = merge_types(forms.get(field.name), field.type, f"/{field.name}")
        if any(_may_be_other_values(field.type, forms[field.name], settled.get(field.name)) for field in table.schema):
            table = read_json(content, {name: kind for name, kind in forms.items() if not pa.types.is_null(kind)})
        names = set(table.column_names)
        table = table.select([name for name in forms if name in names])
        for place, column in enumerate(table.columns):
            table = table.set_column(place, table.field(place), with_whole_lists(column))
        return table, forms

    def _refusal(self, lines: Sequence[bytes], problem: pa.ArrowInvalid) -> RowError:
        """The error of the first line with which the lines up to it cannot be read: pyarrow's names no row."""

        def refuse(count: int) -> pa.ArrowInvalid | None:
            try:
                self._read(self._rewrite(b"\n".join(lines[:count])))
            except pa.ArrowInvalid as refused:
                return refused
            return None

        low, high = 1, len(lines)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if refuse(middle) is not None else (middle + 1, high)
        row, line = self.rows + low - 1, lines[low - 1]
        if line.lstrip().startswith(b"["):
            return RowError(row, expected=_OBJECT_EXPECTED, found="a list", path=self._where)
        words = re.sub(r" in row \d+$", "", one_line(refuse(low) or problem))
        name = self._find_refused_column(line)
        stated = None if name is None else self._stated.get(name)
        words = words.removeprefix(_NO_JSON).rstrip(".")
        expected, found, column = explain_refusal(words, line, stated)
        place = column if name is None else name
        path = self._where if place is None else f"{self._where}: {place}"
        return RowError(row, expected=expected, found=found, path=path)

    def _find_refused_column(self, line: bytes) -> str | None:
        """The first stated column whose value in a row is not of its type; None where the row cannot be read without any."""
        content = self._rewrite(line)
        if not _can_read(content, {}):
            return None
        return next((name for name, form in self._stated.items() if not _can_read(content, {name: form})), None)


def _can_read(content: bytes, types: Types) -> bool:
    """Whether rows can be read that have these columns alone."""
    try:
        read_json(content, types, "ignore")
    except pa.ArrowInvalid:
        return False
    return True


def _may_be_other_values(read: pa.DataType, form: pa.DataType, stated: pa.DataType | None) -> bool:
    """Whether a column has to be read again as it is to be: texts that were read as times, and what pyarrow found out by itself
    in lists, where values behind a null are others than the file has."""
    return form != stated and bool(
        pa.types.is_nested(form) or (pa.types.is_timestamp(read) and pa.types.is_string(form))
    )


def _refuse_gaps(table: pa.Table, piece: bytes, first: int, where: str) -> None:
    """Raises `RowError` for a row of a piece that lacks a column of the table, or a part of one; the first has this number."""
    if not any(column.null_count or pa.types.is_nested(column.type) for column in table.columns):
        return
    lines = split_rows(piece, len(table))
    rows = [(first + place, loads(lines[place])) for place in _suspects(table, lines)]
    refuse_gaps(rows, dict(zip(table.schema.names, table.schema.types, strict=True)), where, every_part=True)


def _suspects(table: pa.Table, lines: Sequence[bytes]) -> list[int]:
    """The places of rows that may lack something: those with a null within a column, and those with a null column whose name,
    as a name of JSON is written, is not in the line. In rows without structs it is nowhere else."""
    if any(has_nulls_within(chunk) for column in table.columns for chunk in column.chunks):
        return list(range(len(table)))
    lacks = np.zeros(len(table), np.bool_)
    is_flat = not any(pa.types.is_nested(kind) for kind in table.schema.types)
    texts = from_python(lines, pa.binary()) if is_flat else None
    for name, column in zip(table.schema.names, table.columns, strict=True):
        if column.null_count:
            without = flags(pc.is_null(column))
            if texts is not None:
                without &= ~flags(pc.match_substring_regex(texts, f'"{re.escape(name)}"\\s*:'))
            lacks |= without
    return np.flatnonzero(lacks).tolist()

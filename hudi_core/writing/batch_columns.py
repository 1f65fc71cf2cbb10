"""Columns that only a batch or only its table has: which are refused, filled, kept or added. Rules: WRITE-202 to WRITE-204.

A name that is mistyped would take the stored values of its column away, and add a column: so both need to be meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from hudi_core.errors import UnknownColumnError, UnsupportedError, list_names
from hudi_core.reading.merge_columns import IS_DELETED
from hudi_core.schema.schema import Path, Schema
from hudi_core.types import nodes as t


class MissingColumns(StrEnum):
    """What rows have in a column that a batch lacks."""

    NULL = "null"
    """Its default, else null."""
    KEEP = "keep"
    """What is stored for their keys; new rows have its default, else null."""


@dataclass(frozen=True, slots=True)
class BatchColumns:
    """What a write does with columns that only its rows or only the table has."""

    replaces: bool = False
    """Rows take the place of stored ones."""
    missing: MissingColumns | None = None
    """None: a batch that replaces rows has every column."""
    add: bool | None = None
    """Whether the table gets the columns that it lacks; None: where the batch has every column of the table."""
    whole: bool = True
    """Floating-point numbers in a column of integers have to be whole; else the column becomes one of theirs."""
    times: Mapping[str, t.Timestamp] = field(default_factory=dict)
    """The types of columns of times that the write corrects, where rows have another one."""

    @property
    def has_no_gaps(self) -> bool:
        """Whether a row that lacks a column which other rows of the batch have is refused: a null would take its stored value
        away, and what is kept is kept for whole batches."""
        return self.missing is MissingColumns.KEEP or (self.replaces and self.missing is None)


_UNSTORED: Final = frozenset({(IS_DELETED,)})
"""Columns whose null says what their absence says."""


def find_kept_columns(table: Schema, rows: Schema, columns: BatchColumns) -> frozenset[int]:
    """The ids of the table's columns that rows lack and whose stored values stay. Both schemas are without meta columns.

    Raises `UnknownColumnError` for a column that rows lack or that the table lacks, with names that come close, where neither is
    wanted; `UnsupportedError` for a part of a nested column that is to be kept.
    """
    missing = [path for path in _only_in(table.record, rows.record) if path not in _UNSTORED]
    if missing and columns.replaces and columns.missing is None:
        expected = "a column of the rows to write, or missing_columns: null, or keep for what is stored"
        found = f"none{rows.suggestion(missing[0][-1])}"
        raise UnknownColumnError(list_names([".".join(path) for path in missing]), expected=expected, found=found)
    new = list(_only_in(rows.record, table.record))
    if new and columns.add is not True and (missing or columns.add is False):
        expected = "a column of the table, or add_columns for a new one"
        found = f"none{table.suggestion(new[0][-1])}"
        raise UnknownColumnError(list_names([".".join(path) for path in new]), expected=expected, found=found)
    if columns.missing is not MissingColumns.KEEP:
        return frozenset()
    nested = [path for path in missing if len(path) > 1]
    if nested:
        expected = "only whole columns missing where stored values are kept"
        raise UnsupportedError(".".join(nested[0]), expected=expected, found="a part of one")
    return frozenset(table.get(path).field.id for path in missing)


def _only_in(one: t.Type, other: t.Type, path: Path = ()) -> Iterator[Path]:
    """The paths of fields that only the first of two types has, at every depth that both have."""
    match one, other:
        case t.Record(fields), t.Record():
            others = {field.name: field for field in other.fields}
            for field in fields:
                if field.name in others:
                    yield from _only_in(field.type, others[field.name].type, (*path, field.name))
                else:
                    yield (*path, field.name)
        case t.Array(element), t.Array(other_element):
            yield from _only_in(element.type, other_element.type, (*path, element.name))
        case t.Map(value=value), t.Map(value=other_value):
            yield from _only_in(value.type, other_value.type, (*path, value.name))

"""The changes a column can undergo, as frozen data.

A column is named by its path: a tuple of names, or a dotted text when no name holds a dot. Inside arrays and maps the
names are `element`, `key` and `value` (`lines.element.price`). A default is a value in the form of `hudi_core.values`, or
one of Python's own forms, or the text of a date or a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from hudi_core.schema.schema import Path
from hudi_core.types.nodes import ABSENT, Type


@dataclass(frozen=True, slots=True)
class First:
    """Before all other fields of the record; at the top, behind the meta columns."""


@dataclass(frozen=True, slots=True)
class Last:
    """Behind all other fields of the record."""


@dataclass(frozen=True, slots=True)
class Before:
    """Just before another field of the same record, given by its path."""

    column: Path | str


@dataclass(frozen=True, slots=True)
class After:
    """Just behind another field of the same record, given by its path."""

    column: Path | str


Position = First | Last | Before | After


@dataclass(frozen=True, slots=True)
class AddColumn:
    """A new field. Ids inside `type` count for nothing, new ones are given.

    Rows written before have `default`; without one an optional field gets null for it, any other is refused.
    """

    column: Path | str
    type: Type
    doc: str | None = None
    position: Position = Last()
    default: object = ABSENT
    optional: bool = True


@dataclass(frozen=True, slots=True)
class DropColumn:
    """The field and all below it are gone; their ids are not used again."""

    column: Path | str


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Another name for the field, in the same place and with the same id. `to` is the last name only."""

    column: Path | str
    to: str


@dataclass(frozen=True, slots=True)
class MoveColumn:
    """Another place for the field in the same record."""

    column: Path | str
    position: Position


@dataclass(frozen=True, slots=True)
class AlterType:
    """Another primitive type, to which values of the old one are promoted (`types.promote`, purpose ALTER)."""

    column: Path | str
    type: Type


@dataclass(frozen=True, slots=True)
class SetOptional:
    """Whether null is allowed. Forbidding it is refused unless `force`, because stored rows may hold nulls."""

    column: Path | str
    optional: bool
    force: bool = False


@dataclass(frozen=True, slots=True)
class SetDoc:
    """Another comment, or none."""

    column: Path | str
    doc: str | None


@dataclass(frozen=True, slots=True)
class SetDefault:
    """Another default, None for null, `ABSENT` for none."""

    column: Path | str
    default: object


Change = AddColumn | DropColumn | RenameColumn | MoveColumn | AlterType | SetOptional | SetDoc | SetDefault


def path_of(column: Path | str) -> Path:
    """The path as a tuple of names."""
    return tuple(column.split(".")) if isinstance(column, str) else column


def write_dotted(column: Path | str) -> str:
    """The path as one text, for people."""
    return column if isinstance(column, str) else ".".join(column)

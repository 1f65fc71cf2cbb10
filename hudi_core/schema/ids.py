"""Giving column ids to a type: Hudi's block rule (fact: InternalSchema of RFC-33), and never the same id twice.

All fields of a record get a consecutive block of ids before any of them is descended; an array's element gets one id, a
map's key and value two. Ids that Hudi has no place for are *hidden*: those of a union's branches, and of everything inside
a variant or a blob, which Hudi stores under ids that repeat. They are negative, follow from the id of the column around
them, and so are the same wherever the column is read from; they never count towards the greatest id of a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final

from hudi_core.types.disguised import VARIANT_FIELDS
from hudi_core.types.nodes import NESTED, Field, Record, RecordKind, Type, Union, children
from hudi_core.types.walk import with_children

NO_ID: Final = -1
"""Stands in a field that has no column id yet."""

GREATEST_ID: Final = (1 << 31) - 1
"""No table gives a greater one: Apache Hudi has ids as 32-bit integers."""

_Give = Callable[[Field], int]


def with_ids(type: Type, first: int = 0) -> Type:
    """The type with ids from `first`; it is taken to be in the column `first - 1` (the root when `first` is 0)."""
    fresh = count(first)
    return _number(type, lambda _: next(fresh), make_hidden_ids(first - 1))


def record_with_ids(type: Record, first: int = 0) -> Record:
    """`with_ids` for a record."""
    numbered = with_ids(type, first)
    assert isinstance(numbered, Record)
    return numbered


def record_with_missing_ids(type: Record, greatest: int = -1) -> Record:
    """The record whose fields keep their ids; those with `NO_ID` get ids beyond all of these and `greatest`, in block order."""
    fresh = count(max(greatest, max(column_ids(type), default=-1)) + 1)
    numbered = _number(type, lambda field: next(fresh) if field.id == NO_ID else field.id, make_hidden_ids(NO_ID))
    assert isinstance(numbered, Record)
    return numbered


def record_with_other_ids(type: Record, others: Mapping[int, int]) -> Record:
    """The record with other ids in place of some; hidden ids follow from those of the columns around them."""
    numbered = _number(type, lambda field: others.get(field.id, field.id), make_hidden_ids(NO_ID))
    assert isinstance(numbered, Record)
    return numbered


def with_hidden_ids(type: Type, column: int) -> Type:
    """A type that is in a known column, with hidden ids in all of it."""
    hidden = make_hidden_ids(column)
    return _number(type, lambda _: next(hidden), hidden)


def column_ids(type: Type) -> list[int]:
    """All ids of the fields in a type, NO_ID for those without."""
    fields = children(type)
    ids = [field.id for field in fields]
    for field in fields:
        if isinstance(field.type, NESTED):
            ids += column_ids(field.type)
    return ids


def make_hidden_ids(column: int) -> Iterator[int]:
    """The ids that belong to what is hidden in a column, without end: Cantor's pairing, so that no two columns share one."""
    for position in count():
        total = column + 1 + position
        yield -1 - (total * (total + 1) // 2 + position)


def _number(type: Type, give: _Give, hidden: Iterator[int]) -> Type:
    """`give` returns the id of a field that Hudi has a place for; `hidden` are the ids of the column around."""
    inner = children(type)
    if not inner:
        return type
    disguised = isinstance(type, Record) and type.kind is not RecordKind.PLAIN
    concealed = disguised or isinstance(type, Union)

    def give_hidden(_: Field) -> int:
        return next(hidden)

    give_own, below = give_hidden if concealed else give, give_hidden if disguised else give
    block = _block(type, inner, give_own)
    around = hidden if concealed else None
    numbered = [
        field if field.id == column and not isinstance(field.type, NESTED) else _with_id(field, column, below, around)
        for field, column in zip(inner, block, strict=True)
    ]
    return with_children(type, tuple(numbered))


def _block(type: Type, inner: tuple[Field, ...], give: _Give) -> list[int]:
    if not isinstance(type, Record) or type.kind is not RecordKind.VARIANT:
        return [give(field) for field in inner]
    # A variant's fields are in any order; by name they have the same ids in every file.
    named = {name: give(type.fields[0]) for name in dict.fromkeys((*VARIANT_FIELDS, *(field.name for field in inner)))}
    return [named[field.name] for field in inner]


def _with_id(field: Field, column: int, give: _Give, hidden: Iterator[int] | None) -> Field:
    data_type = field.type
    if isinstance(data_type, NESTED):
        data_type = _number(data_type, give, make_hidden_ids(column) if hidden is None else hidden)
    if column == field.id and data_type is field.type:
        return field
    return Field(
        column,
        field.name,
        data_type,
        field.optional,
        field.doc,
        field.default,
        field.aliases,
        field.properties,
        field.type_properties,
    )

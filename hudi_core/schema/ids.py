"""Giving column ids to a type: Hudi's block rule (fact: InternalSchema of RFC-33), and never the same id twice.

All fields of a record get a consecutive block of ids before any of them is descended; an array's element gets one id, a
map's key and value two. Ids that Hudi has no place for are *hidden*: those of a union's branches, and of everything inside
a variant or a blob, which Hudi stores under ids that repeat. They are negative, follow from the id of the column around
them, and so are the same wherever the column is read from; they never count towards the greatest id of a schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hudi_core.types.nodes import Array, Field, Map, Record, RecordKind, Type, Union, children
from hudi_core.types.walk import with_children


def with_ids(of: Type, first: int = 0) -> Type:
    """The type with ids from `first`; it is taken to stand in the column `first - 1` (the root when `first` is 0)."""
    return _numbered(of, count(first), hidden_ids(first - 1))


def record_with_ids(of: Record, first: int = 0) -> Record:
    """`with_ids` for a record."""
    numbered = with_ids(of, first)
    assert isinstance(numbered, Record)
    return numbered


def with_hidden_ids(of: Type, column: int) -> Type:
    """A type that stands in a known column, with hidden ids in all of it."""
    hidden = hidden_ids(column)
    return _numbered(of, hidden, hidden)


def with_hidden_ids_only(of: Record) -> Record:
    """A record whose ids all stay but the hidden ones, which are given."""
    kept = _numbered(of, None, hidden_ids(-1))
    assert isinstance(kept, Record)
    return kept


def hidden_ids(column: int) -> Iterator[int]:
    """The ids that belong to what is hidden in a column, without end: Cantor's pairing, so that no two columns share one."""
    for position in count():
        total = column + 1 + position
        yield -1 - (total * (total + 1) // 2 + position)


def _numbered(of: Type, ids: Iterator[int] | None, hidden: Iterator[int]) -> Type:
    """`ids` are those to give, None to leave them; `hidden` those of the column around."""
    inner = children(of)
    if not inner:
        return of
    disguised = isinstance(of, Record) and of.kind is not RecordKind.PLAIN
    own = hidden if disguised or isinstance(of, Union) else ids
    below = hidden if disguised else ids
    block = [field.id if own is None else next(own) for field in inner]
    return with_children(
        of, tuple(_with_id(field, column, below, hidden, own) for field, column in zip(inner, block, strict=True))
    )


def _with_id(
    field: Field, column: int, ids: Iterator[int] | None, hidden: Iterator[int], own: Iterator[int] | None
) -> Field:
    of = field.type
    if isinstance(of, Record | Array | Map | Union):
        of = _numbered(of, ids, hidden if own is hidden else hidden_ids(column))
    return Field(
        column,
        field.name,
        of,
        field.optional,
        field.doc,
        field.default,
        field.aliases,
        field.properties,
        field.type_properties,
    )

"""Giving column ids to a type: Hudi's block rule (fact: InternalSchema of RFC-33), and never the same id twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from hudi_core.types.nodes import Record, Type, children
from hudi_core.types.walk import with_children


def with_ids(of: Type, first: int = 0) -> Type:
    """The type with ids from `first`: all fields of a record get a consecutive block before any of them is descended."""
    return _numbered(of, count(first))


def record_with_ids(of: Record, first: int = 0) -> Record:
    """`with_ids` for a record."""
    numbered = with_ids(of, first)
    assert isinstance(numbered, Record)
    return numbered


def _numbered(of: Type, ids: Iterator[int]) -> Type:
    block = [replace(child, id=next(ids)) for child in children(of)]
    return with_children(of, tuple(replace(child, type=_numbered(child.type, ids)) for child in block))

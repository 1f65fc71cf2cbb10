"""Visiting all fields of a type, comparing and rewriting them: one walk for every need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hudi_core.types.nodes import Array, Field, Map, Record, Type, Union, children


def walk(of: Type, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field]]:
    """Every field at every depth with its path of names, parents before children, in order."""
    for child in children(of):
        path = (*prefix, child.name)
        yield path, child
        yield from walk(child.type, path)


def same(a: Type, b: Type) -> bool:
    """Whether two types are equal but for the column ids in them."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    match a, b:
        case (Record(), Record()):
            equal = (a.name, a.kind, a.doc, a.aliases, a.properties) == (b.name, b.kind, b.doc, b.aliases, b.properties)
        case (Array(properties=ours), Array(properties=theirs)) | (Map(properties=ours), Map(properties=theirs)):
            equal = ours == theirs
        case (Union(), Union()):
            equal = True
        case _:
            return a == b
    return equal and len(children(a)) == len(children(b)) and all(map(same_field, children(a), children(b)))


def same_field(a: Field, b: Field) -> bool:
    """`same` for fields: all but the ids."""
    if a is b:
        return True
    if (a.name, a.optional, a.default, a.doc) != (b.name, b.optional, b.default, b.doc):
        return False
    if (a.aliases, a.properties, a.type_properties) != (b.aliases, b.properties, b.type_properties):
        return False
    return same(a.type, b.type)


def with_children(of: Type, new: tuple[Field, ...]) -> Type:
    """The same type around other fields; the very same object when none differs."""
    if all(a is b for a, b in zip(children(of), new, strict=False)) and len(children(of)) == len(new):
        return of
    match of:
        case Record():
            return replace(of, fields=new)
        case Union():
            return replace(of, branches=new)
        case Array():
            (element,) = new
            return replace(of, element=element)
        case Map():
            key, value = new
            return replace(of, key=key, value=value)
        case _:
            return of


def rewrite(of: Type, change: Callable[[Field], Field]) -> Type:
    """Every field replaced by what `change` makes of it, children first. Returns the same object when nothing changed."""
    return with_children(of, tuple(_rewrite_field(child, change) for child in children(of)))


def _rewrite_field(of: Field, change: Callable[[Field], Field]) -> Field:
    inner = rewrite(of.type, change)
    return change(of if inner is of.type else replace(of, type=inner))

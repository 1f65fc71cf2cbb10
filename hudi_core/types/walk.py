"""Visiting all fields of a type, comparing and rewriting them: one walk for every need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hudi_core.types.nodes import NESTED, Array, Field, Map, Record, Type, Union, children


def walk(type: Type, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field]]:
    """Every field at every depth with its path of names, parents before children, in order."""
    for child in children(type):
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
        case (Array(properties=properties), Array(properties=others)) | (
            Map(properties=properties),
            Map(properties=others),
        ):
            equal = properties == others
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


def fits(value: Type, place: Type) -> bool:
    """Whether values of a type are values of another as they are: only ids, names, remarks and defaults inside of them differ,
    and nothing may be null that may not be null there."""
    if type(value) is not type(place) or not isinstance(value, NESTED):
        return same(value, place)
    if isinstance(value, Record) and isinstance(place, Record) and value.kind != place.kind:
        return False
    inner, wanted = children(value), children(place)
    return len(inner) == len(wanted) and all(
        (isinstance(value, Array | Map) or mine.name == its.name)
        and (its.optional or not mine.optional)
        and fits(mine.type, its.type)
        for mine, its in zip(inner, wanted, strict=True)
    )


def with_children(type: Type, new: tuple[Field, ...]) -> Type:
    """The same type around other fields; the very same object when none differs."""
    if all(a is b for a, b in zip(children(type), new, strict=False)) and len(children(type)) == len(new):
        return type
    match type:
        case Record():
            return replace(type, fields=new)
        case Union():
            return replace(type, branches=new)
        case Array():
            (element,) = new
            return replace(type, element=element)
        case Map():
            key, value = new
            return replace(type, key=key, value=value)
        case _:
            return type


def rewrite(type: Type, change: Callable[[Field], Field]) -> Type:
    """Every field replaced by what `change` makes of it, children first. Returns the same object when nothing changed."""
    return with_children(type, tuple(_rewrite_field(child, change) for child in children(type)))


def _rewrite_field(type: Field, change: Callable[[Field], Field]) -> Field:
    inner = rewrite(type.type, change)
    return change(type if inner is type.type else replace(type, type=inner))

"""Visiting all fields of a type, and rewriting them: one walk for every need."""

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

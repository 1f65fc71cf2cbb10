"""Fields of options: a value of another type than the class states is an error that says so. Rule TABLE-1445.

A class of options calls `take_fields` when it is made. Fields of other kinds than those below it checks itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from enum import StrEnum
from functools import cache, partial
from numbers import Real
from operator import index
from typing import Any, Final

import numpy as np

from hudi_core.errors import UsageError, describe

Take = Callable[[str, object], object]
"""Gives the value of a field, by its name, in the form that the class states. Raises `UsageError` for one of another type."""

_FUNCTIONS: Final = ("Callable[", "Clock", "Progress")
_LITERAL: Final = re.compile(r"\s*\|\s*Literal\[[^]]*\]")
"""Names beside the class that they are members of."""


def take_fields(options: object) -> None:
    """Brings the fields of an object of options to the forms that its class states: members of enumerations are also given by
    their values, whole numbers as those of NumPy. Raises `UsageError`, at the field, for a value of another type."""
    kind: Any = type(options)
    for name, take in _takers(kind):
        given = getattr(options, name)
        taken = take(name, given)
        if taken is not given:
            object.__setattr__(options, name, taken)


def take_flag(name: str, given: object) -> bool:
    """A truth value. Raises `UsageError` for what merely counts as one: `"no"` would be true."""
    if not isinstance(given, bool | np.bool_):
        raise UsageError(name, expected="True or False", found=describe(given))
    return bool(given)


def take_count(name: str, given: Any, least: int = 0) -> int:
    """A whole number. Raises `UsageError` for a truth value, and for a number below `least`."""
    try:
        number = None if isinstance(given, bool) else index(given)
    except TypeError:
        number = None
    if number is None or number < least:
        raise UsageError(name, expected=f"a whole number from {least} on", found=describe(given))
    return number


def _number(name: str, given: object) -> object:
    if isinstance(given, bool) or not isinstance(given, Real) or given != given:
        raise UsageError(name, expected="a number", found=describe(given))
    return given


def _text(name: str, given: object) -> object:
    if not isinstance(given, str):
        raise UsageError(name, expected="a string", found=describe(given))
    return given


def _function(name: str, given: object) -> object:
    if not callable(given):
        raise UsageError(name, expected="a function", found=describe(given))
    return given


_PLAIN: Final[Mapping[str, Take]] = {
    "bool": take_flag,
    "int": take_count,
    "float": _number,
    "str": _text,
}


@cache
def _takers(kind: type[Any]) -> tuple[tuple[str, Take], ...]:
    """How fields get their forms; without those that the class checks itself."""
    takers = ((field.name, _taker(field, kind)) for field in fields(kind))
    return tuple((name, take) for name, take in takers if take is not None)


def _taker(field: Field[Any], kind: type[Any]) -> Take | None:
    text = _LITERAL.sub("", str(field.type))
    needed = text.removesuffix(" | None")
    take = _PLAIN.get(needed) or (_function if needed.startswith(_FUNCTIONS) else _member_or_object(needed, kind))
    if take is None or needed == text:
        return take
    return lambda name, given: None if given is None else take(name, given)


def _member_or_object(text: str, kind: type[Any]) -> Take | None:
    named: object = getattr(sys.modules[kind.__module__], text, None)
    if not isinstance(named, type):
        return None
    return partial(_member, named) if issubclass(named, StrEnum) else partial(_instance, named)


def _member(members: type[StrEnum], name: str, given: object) -> StrEnum:
    taken = next((member for member in members if member == given), None)
    if taken is None:
        raise UsageError(name, expected=f"one of {', '.join(members)}", found=repr(given))
    return taken


def _instance(kind: type[Any], name: str, given: object) -> object:
    if not isinstance(given, kind):
        raise UsageError(name, expected=f"{kind.__module__}.{kind.__qualname__}", found=describe(given))
    return given

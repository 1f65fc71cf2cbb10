"""Names and values that users give: an error says what does fit. Rules TABLE-1353, TABLE-1445, TABLE-1446.

Classes that users call methods of answer names that they lack (`AnswersOtherWords`) and arguments that their methods lack
(`name_arguments`). A class of options calls `take_fields` when it is made, and checks fields of other kinds itself.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from enum import StrEnum
from functools import cache, partial, wraps
from numbers import Real
from operator import index
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UsageError, describe

if TYPE_CHECKING:
    from hudi_core import other_words
else:
    other_words = ModuleByNeed("hudi_core.other_words")  # loaded by errors alone

C = TypeVar("C")

Take = Callable[[str, object], object]
"""Gives the value of a field, by its name, in the form that the class states. Raises `UsageError` for one of another type."""

_FUNCTIONS: Final = ("Callable[", "Clock", "Progress")
_LITERAL: Final = re.compile(r"\s*\|\s*Literal\[[^]]*\]")
"""Names beside the class that they are members of."""


class AnswersOtherWords:
    """A class whose error about a name that it lacks says what does here what others have under that name."""

    __slots__ = ()

    if not TYPE_CHECKING:  # else every name would be one

        def __getattr__(self, name: str) -> object:
            kind = type(self)
            if hasattr(kind, name):
                return object.__getattribute__(self, name)  # a property, whose own error it was
            text = f"{kind.__name__!r} object has no attribute {name!r}{other_words.hint_of_name(kind, name)}"
            raise AttributeError(text, name=name, obj=self)


def name_arguments(kind: type[C]) -> type[C]:
    """Gives a class methods whose error about an argument that they do not have names those that they have. Rule TABLE-1353.

    Methods that take options by name have their own error for an unknown one.
    """
    for name in dir(kind):
        method = inspect.getattr_static(kind, name)
        takes_all = isinstance(method, FunctionType) and method.__code__.co_flags & inspect.CO_VARKEYWORDS
        if isinstance(method, FunctionType) and not name.startswith("_") and not takes_all:
            setattr(kind, name, _name_arguments_of(method))
    return kind


def _name_arguments_of(method: FunctionType) -> FunctionType:
    @wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:  # from within the method
                raise
            text = str(error).removeprefix(f"{method.__qualname__}() ")
            raise TypeError(describe_misfit(method.__qualname__, text, inspect.signature(method), named)) from None

    return call  # type: ignore[return-value]


def describe_misfit(called: str, problem: str, signature: inspect.Signature, named: Mapping[str, object]) -> str:
    """The text of an error about a call that does not fit a signature."""
    own = [name for name in signature.parameters if name != "self"]
    hints = (
        other_words.hint_of_argument(name, own).replace("; use", f"; for {name} use")
        for name in named
        if name not in own
    )
    return f"{called}() {problem}; its arguments are {', '.join(own)}{''.join(hints)}"


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warns at the line outside of the core that led here, whatever stands between."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("hudi_core."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


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

"""Functions that take one of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from hudi_core.functions import coerce
from hudi_core.functions.record import Argument, Function, MismatchError, Signature
from hudi_core.types import nodes as t
from hudi_core.values.order import sort_key


def _one_type(arguments: Sequence[Argument]) -> Signature:
    typed = [argument.type for argument in arguments if not argument.is_untyped] or [arguments[0].type]
    common = coerce.widest(typed)
    if common is None:
        raise MismatchError("values of one type", typed[-1])
    return Signature((common,) * len(arguments), common)


def _extreme(choose: Callable[..., Any], values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    present = [value for value in values if value is not None]
    return choose(present, key=lambda value: sort_key(value, result_type)) if present else None


def _nanvl(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    value, instead = values
    return instead if value is not None and value != value else value


def _floats(arguments: Sequence[Argument]) -> Signature:
    narrow = all(isinstance(argument.type, t.Float) for argument in arguments)
    data_type: t.Type = t.Float() if narrow else t.Double()
    return Signature((data_type, data_type), data_type)


def _signature_of_elt(arguments: Sequence[Argument]) -> Signature:
    return Signature((t.Int(), *[t.String()] * (len(arguments) - 1)), t.String())


def _elt(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    """The string at a place, from 1; null where there is none."""
    place, *strings = values
    return strings[place - 1] if place is not None and 0 < place <= len(strings) else None


FUNCTIONS = (
    Function("greatest", range(2, 1 << 16), _one_type, partial(_extreme, max), strict=False),
    Function("least", range(2, 1 << 16), _one_type, partial(_extreme, min), strict=False),
    Function("elt", range(2, 1 << 16), _signature_of_elt, _elt, strict=False),
    Function("nanvl", range(2, 3), _floats, _nanvl, strict=False),
)

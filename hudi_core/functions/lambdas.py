"""Functions of an array and a lambda. The lambda has already run: they take the array of what it gave of the elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.collections import array_of
from hudi_core.functions.record import Argument, Function, MismatchError, Signature
from hudi_core.types import nodes as t


def _array(argument: Argument) -> t.Array:
    if not isinstance(argument.type, t.Array):
        raise MismatchError("an array", argument.type)
    return argument.type


def _with_conditions(gives: Callable[[t.Array], t.Type]) -> p.BuildSignature:
    """The lambda gives conditions."""

    def sign(arguments: Sequence[Argument]) -> Signature:
        array, conditions = map(_array, arguments)
        if not isinstance(conditions.element.type, t.Boolean):
            raise MismatchError("a lambda that gives a condition", conditions.element.type)
        return Signature((array, conditions), gives(array))

    return sign


def _signature_of_transform(arguments: Sequence[Argument]) -> Signature:
    array, values = map(_array, arguments)
    return Signature((array, values), values, instead=1)


def exists(_: Sequence[Any], conditions: Sequence[bool | None]) -> bool | None:
    """Whether some condition is true; null where none is, and one of them is null.

    >>> exists((1, 2), (False, True)), exists((1, 2), (False, None)), exists((), ())
    (True, None, False)
    """
    return True if True in conditions else None if None in conditions else False


def for_all(_: Sequence[Any], conditions: Sequence[bool | None]) -> bool | None:
    """Whether all conditions are true; null where none is false, and one of them is null.

    >>> for_all((1, 2), (True, True)), for_all((1, 2), (True, None)), for_all((1, 2), (None, False))
    (True, None, False)
    """
    return False if False in conditions else None if None in conditions else True


def filtered(items: Sequence[Any], conditions: Sequence[bool | None]) -> tuple[Any, ...]:
    """The elements whose condition is true."""
    return tuple(item for item, condition in zip(items, conditions, strict=True) if condition)


def _signature_of_beside(arguments: Sequence[Argument]) -> Signature:
    array, *others = (argument.type for argument in arguments)
    assert isinstance(array, t.Array)
    fields = [t.Field(0, f"x{number}", data_type) for number, data_type in enumerate((array.element.type, *others))]
    return Signature((array, *others), array_of(t.Record(tuple(fields))))


def _beside(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> tuple[Any, ...] | None:
    items, *others = values
    return None if items is None else tuple((item, *others) for item in items)


BESIDE = Function("->", range(1, 1 << 16), _signature_of_beside, _beside, strict=False)
"""What the body of a lambda sees of each element: a struct of it and of values of its row."""

FUNCTIONS = (
    BESIDE,
    Function("exists", range(2, 3), _with_conditions(lambda _: t.Boolean()), p.of_values(exists), takes_lambda=True),
    Function("forall", range(2, 3), _with_conditions(lambda _: t.Boolean()), p.of_values(for_all), takes_lambda=True),
    Function("filter", range(2, 3), _with_conditions(lambda array: array), p.of_values(filtered), takes_lambda=True),
    Function("transform", range(2, 3), _signature_of_transform, lambda values, *_: values[1], takes_lambda=True),
)

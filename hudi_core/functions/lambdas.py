"""Functions of arrays or maps and a lambda. The lambda has already run: they take the array of what it gave of the elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Final

from hudi_core.errors import ExpressionError
from hudi_core.functions import parameters as p
from hudi_core.functions.collections import array_of
from hudi_core.functions.record import Argument, Function, MismatchError, Signature
from hudi_core.types import nodes as t


def _with_conditions(
    gives: Callable[[t.Type], t.Type], taken: Callable[[Argument], t.Type] = p.array
) -> p.BuildSignature:
    """The lambda gives conditions."""

    def sign(arguments: Sequence[Argument]) -> Signature:
        array, conditions = taken(arguments[0]), p.array(arguments[1])
        if not isinstance(conditions.element.type, t.Boolean):
            raise MismatchError("a lambda that gives a condition", conditions.element.type)
        return Signature((array, conditions), gives(array))

    return sign


def _signature_of_transform(arguments: Sequence[Argument]) -> Signature:
    array, values = map(p.array, arguments)
    return Signature((array, values), values, instead=1)


def _signature_of_zip_with(arguments: Sequence[Argument]) -> Signature:
    first, second, values = map(p.array, arguments)
    return Signature((first, second, values), values, instead=2)


def _signature_of_keys(arguments: Sequence[Argument]) -> Signature:
    data_type, keys = p.mapping(arguments[0]), p.array(arguments[1])
    key = t.Field(0, "key", keys.element.type, optional=False)
    return Signature((data_type, keys), t.Map(key, data_type.value))


def _signature_of_values(arguments: Sequence[Argument]) -> Signature:
    data_type, values = p.mapping(arguments[0]), p.array(arguments[1])
    return Signature((data_type, values), t.Map(data_type.key, t.Field(0, "value", values.element.type)))


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


def filter_items(items: Sequence[Any], conditions: Sequence[bool | None]) -> tuple[Any, ...]:
    """The elements whose condition is true."""
    return tuple(item for item, condition in zip(items, conditions, strict=True) if condition)


def with_keys(entries: Sequence[tuple[Any, Any]], keys: Sequence[Any]) -> tuple[tuple[Any, Any], ...]:
    """The values under other keys. Raises `ExpressionError` for a key that is null or there twice.

    >>> with_keys((("a", 1),), ("b",))
    (('b', 1),)
    """
    if None in keys or len(set(keys)) < len(keys):
        raise ExpressionError("transform_keys", expected="distinct keys that are not null", found=repr(tuple(keys)))
    return tuple((key, value) for key, (_, value) in zip(keys, entries, strict=True))


def with_values(entries: Sequence[tuple[Any, Any]], values: Sequence[Any]) -> tuple[tuple[Any, Any], ...]:
    """Other values under the keys.

    >>> with_values((("a", 1),), (2,))
    (('a', 2),)
    """
    return tuple((key, value) for (key, _), value in zip(entries, values, strict=True))


def structs_of(*types: t.Type) -> t.Array:
    """An array of structs of these types."""
    return array_of(t.Record(tuple(t.Field(0, f"x{number}", data_type) for number, data_type in enumerate(types))))


def _signature_of_places(arguments: Sequence[Argument]) -> Signature:
    array = p.array(arguments[0])
    return Signature((array,), structs_of(array.element.type, t.Int()))


def _signature_of_pairs(arguments: Sequence[Argument]) -> Signature:
    arrays = tuple(map(p.array, arguments))
    return Signature(arrays, structs_of(*(array.element.type for array in arrays)))


def _signature_of_entries(arguments: Sequence[Argument]) -> Signature:
    data_type = p.mapping(arguments[0])
    return Signature((data_type,), array_of(t.Record((data_type.key, data_type.value))))


def _signature_of_spread(arguments: Sequence[Argument]) -> Signature:
    array, *others = (argument.type for argument in arguments)
    assert isinstance(array, t.Array)
    parts = [field.type for field in t.children(array.element.type)]
    return Signature((array, *others), structs_of(*parts, *others))


def _spread(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> tuple[Any, ...] | None:
    items, *others = values
    return None if items is None else tuple((*item, *others) for item in items)


def _signature_of_beside(arguments: Sequence[Argument]) -> Signature:
    array, *others = (argument.type for argument in arguments)
    assert isinstance(array, t.Array)
    return Signature((array, *others), structs_of(array.element.type, *others))


def _beside(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> tuple[Any, ...] | None:
    items, *others = values
    return None if items is None else tuple((item, *others) for item in items)


BESIDE = Function("->", range(1, 1 << 16), _signature_of_beside, _beside, strict=False)
"""The function that gives the body of a lambda its scope for each element: a struct of it and of values of its row."""

SPREAD = Function("->*", range(1, 1 << 16), _signature_of_spread, _spread, strict=False)
"""The same of a lambda of several parameters, which are the fields of structs that are never null."""
PLACES = Function(
    "#",
    range(1, 2),
    _signature_of_places,
    p.of_values(lambda items: tuple((item, place) for place, item in enumerate(items))),
)
"""Each element with its place, from 0."""
PAIRS = Function("(,)", range(2, 3), _signature_of_pairs, p.of_values(lambda *arrays: tuple(zip_longest(*arrays))))
"""The elements of two arrays at each place, null where one of them is shorter."""
ENTRIES = Function("map_entries", range(1, 2), _signature_of_entries, p.of_values(tuple))

PACKED: Final = {
    ("filter", 2): PLACES,
    ("transform", 2): PLACES,
    ("zip_with", 2): PAIRS,
    ("map_filter", 2): ENTRIES,
    ("transform_keys", 2): ENTRIES,
    ("transform_values", 2): ENTRIES,
}
"""The functions that give the parameters of a lambda of several, by the function that takes it and their number."""

FUNCTIONS = (
    BESIDE,
    SPREAD,
    PLACES,
    PAIRS,
    ENTRIES,
    Function("zip_with", range(3, 4), _signature_of_zip_with, lambda values, *_: values[2], takes_lambda=True),
    Function(
        *(
            "map_filter",
            range(2, 3),
            _with_conditions(lambda data_type: data_type, p.mapping),
            p.of_values(filter_items),
        ),
        takes_lambda=True,
    ),
    Function("transform_keys", range(2, 3), _signature_of_keys, p.of_values(with_keys), takes_lambda=True),
    Function("transform_values", range(2, 3), _signature_of_values, p.of_values(with_values), takes_lambda=True),
    Function("exists", range(2, 3), _with_conditions(lambda _: t.Boolean()), p.of_values(exists), takes_lambda=True),
    Function("forall", range(2, 3), _with_conditions(lambda _: t.Boolean()), p.of_values(for_all), takes_lambda=True),
    Function(
        "filter", range(2, 3), _with_conditions(lambda array: array), p.of_values(filter_items), takes_lambda=True
    ),
    Function("transform", range(2, 3), _signature_of_transform, lambda values, *_: values[1], takes_lambda=True),
)

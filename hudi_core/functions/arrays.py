"""Arrays put together, sorted and compared as sets. Elements are the same by the order of their type, and so are nulls.

In set operations, 0.0 and -0.0 are different elements, as in Spark's hash sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from hudi_core.errors import ExpressionError
from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, MismatchError, Native, Signature, Types
from hudi_core.types import nodes as t
from hudi_core.values.order import is_ordered, sort_key


def _comparable(argument: Argument) -> t.Array:
    data_type = p.array(argument)
    if not is_ordered(data_type.element.type):
        raise MismatchError("an array of values that are compared", data_type)
    return data_type


def _of_one_type(gives: Callable[[t.Type], t.Type]) -> p.BuildSignature:
    """Arrays of one type, in which all are."""

    def sign(arguments: Sequence[Argument]) -> Signature:
        types = list(map(_comparable, arguments))
        common = coerce.widest(types)
        if common is None:
            raise MismatchError("arrays of one type", types[-1])
        return Signature((common,) * len(types), gives(common))

    return sign


def _same(data_type: t.Type) -> t.Type:
    return data_type


def _element(data_type: t.Type) -> t.Type:
    assert isinstance(data_type, t.Array)
    return data_type.element.type


def _key(value: Any, type: t.Type) -> Hashable:
    """Equal for values that are the same; none of a value equals that of null."""
    return None if value is None else (sort_key(value, type),)


def _set_key(value: Any, type: t.Type) -> Hashable:
    """`_key`, with the sign of a zero."""
    if value == 0 and isinstance(type, t.Float | t.Double):
        return (math.copysign(1, value),)
    return _key(value, type)


def _distinct(items: Iterable[Any], type: t.Type, without: Iterable[Any] = ()) -> tuple[Any, ...]:
    """The first of the elements that are the same, of those that are not among others."""
    keys = {_set_key(item, type) for item in without}
    kept = []
    for item in items:
        if (key := _set_key(item, type)) not in keys:
            keys.add(key)
            kept.append(item)
    return tuple(kept)


def _distinct_of(values: Sequence[Any], types: Types, type: t.Type) -> tuple[Any, ...]:
    return _distinct((item for array in values for item in array), _element(type))


def _intersection(values: Sequence[Any], types: Types, type: t.Type) -> tuple[Any, ...]:
    others = {_set_key(item, _element(type)) for item in values[1]}
    return _distinct((item for item in values[0] if _set_key(item, _element(type)) in others), _element(type))


def _difference(values: Sequence[Any], types: Types, type: t.Type) -> tuple[Any, ...]:
    return _distinct(values[0], _element(type), values[1])


def _overlap(values: Sequence[Any], types: Types, type: t.Type) -> bool | None:
    """Null where no element is in both, none is empty, and one of them has a null."""
    first, second = ({_set_key(item, _element(types[0])) for item in array} for array in values)
    if (first & second) - {None}:
        return True
    return None if first and second and None in first | second else False


def _sort(values: Sequence[Any], types: Types, type: t.Type) -> tuple[Any, ...]:
    """Nulls come first, or last where the order descends."""
    items, ascending = values[0], values[1] if len(values) > 1 else True
    present = sorted((item for item in items if item is not None), key=lambda item: sort_key(item, _element(type)))
    nulls = [None] * (len(items) - len(present))
    return tuple([*nulls, *present] if ascending else [*reversed(present), *nulls])


def _signature_of_sort(arguments: Sequence[Argument]) -> Signature:
    array = _comparable(arguments[0])
    return Signature((array, t.Boolean())[: len(arguments)], array)


def _signature_of_remove(arguments: Sequence[Argument]) -> Signature:
    array, wanted = _comparable(arguments[0]), arguments[1]
    common = coerce.widest([array.element.type, array.element.type if wanted.is_null else wanted.type])
    if common is None:
        raise MismatchError("a value of the elements' type", wanted.type)
    data_type = t.Array(t.Field(0, "element", common))
    return Signature((data_type, common), data_type)


def _without(values: Sequence[Any], types: Types, type: t.Type) -> tuple[Any, ...]:
    gone = _key(values[1], types[1])
    return tuple(item for item in values[0] if _key(item, types[1]) != gone)


def part(items: tuple[Any, ...], start: int, length: int) -> tuple[Any, ...]:
    """So many elements from a place on, which counts from 1, or from the end where negative.

    >>> part((1, 2, 3), 2, 5), part((1, 2, 3), -2, 1), part((1, 2, 3), -5, 2)
    ((2, 3), (2,), ())
    """
    if start == 0:
        raise ExpressionError("slice", expected="a place from 1 on, or a negative one", found="0")
    if length < 0:
        raise ExpressionError("slice", expected="a length from 0 on", found=str(length))
    first = start - 1 if start > 0 else len(items) + start
    return items[first : first + length] if first >= 0 else ()


def _signature_of_part(arguments: Sequence[Argument]) -> Signature:
    data_type = p.array(arguments[0])
    return Signature((data_type, t.Int(), t.Int()), data_type)


def _signature_of_flatten(arguments: Sequence[Argument]) -> Signature:
    data_type = arguments[0].type
    if not isinstance(data_type, t.Array) or not isinstance(data_type.element.type, t.Array):
        raise MismatchError("an array of arrays", data_type)
    return Signature((data_type,), data_type.element.type)


def _flat(values: Sequence[Any], types: Types, type: t.Type) -> tuple[Any, ...] | None:
    """Null where one of the arrays is."""
    (arrays,) = values
    return None if None in arrays else tuple(item for array in arrays for item in array)


def join(strings: Sequence[str | None], between: str, null: str | None = None) -> str:
    """The strings with another one between them, without those that are null or with what stands for null."""
    shown = (null if string is None else string for string in strings)
    return between.join(string for string in shown if string is not None)


def _signature_of_join(arguments: Sequence[Argument]) -> Signature:
    strings = t.Array(t.Field(0, "element", t.String()))
    p.array(arguments[0])
    return Signature((strings, t.String(), t.String())[: len(arguments)], t.String())


def _native(name: str) -> Native:
    return Native(name, only=(t.Array, t.Int, t.Boolean, t.String))


FUNCTIONS = (
    Function("array_distinct", range(1, 2), _of_one_type(_same), _distinct_of, spark=_native("array_distinct")),
    Function("array_union", range(2, 3), _of_one_type(_same), _distinct_of, spark=_native("array_union")),
    Function("array_intersect", range(2, 3), _of_one_type(_same), _intersection, spark=_native("array_intersect")),
    Function("array_except", range(2, 3), _of_one_type(_same), _difference, spark=_native("array_except")),
    Function(
        "arrays_overlap", range(2, 3), _of_one_type(lambda _: t.Boolean()), _overlap, spark=_native("arrays_overlap")
    ),
    Function("sort_array", range(1, 3), _signature_of_sort, _sort, spark=Native("sort_array", only=(t.Array,))),
    Function("array_remove", range(2, 3), _signature_of_remove, _without, spark=_native("array_remove")),
    Function("slice", range(3, 4), _signature_of_part, p.of_values(part)),
    Function("flatten", range(1, 2), _signature_of_flatten, _flat, spark=_native("flatten")),
    Function("array_join", range(2, 4), _signature_of_join, p.of_values(join), spark=_native("array_join")),
)

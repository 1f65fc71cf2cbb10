"""Arrays with an element more, or without those that are null, of one element again and again, and in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from hudi_core.errors import ExpressionError
from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, Signature
from hudi_core.types import nodes as t
from hudi_core.values.order import is_ordered, sort_key

MAX_PLACE: Final = 1 << 24
"""The farthest place at which an element is put into an array, which nulls fill up to it."""


def insert(items: tuple[Any, ...], place: int, item: Any) -> tuple[Any, ...]:
    """The array with an element at a place from 1, or from the end where negative: -1 is behind the last one.

    >>> insert((1, 2), 4, 9), insert((1, 2), -1, 9), insert((1, 2), -4, 9)
    ((1, 2, None, 9), (1, 2, 9), (9, None, 1, 2))
    """
    if place == 0 or abs(place) > MAX_PLACE:
        expected = f"a place from 1 to {MAX_PLACE:,}, or from -1 down"
        raise ExpressionError("array_insert", expected=expected, found=f"{place:,}")
    start = place - 1 if place > 0 else len(items) + place + 1
    if start < 0:
        return (item, *(None,) * -start, *items)
    return (*items[:start], *(None,) * (start - len(items)), item, *items[start:])


def _insert(items: tuple[Any, ...] | None, place: int | None, item: Any) -> tuple[Any, ...] | None:
    return None if items is None or place is None else insert(items, place, item)


def _with_item(array: int, item: int, between: tuple[p.Kind, ...] = ()) -> p.BuildSignature:
    """A signature with an array and an element of its type; of another type it is not known."""

    def sign(arguments: Sequence[Argument]) -> Signature | None:
        data_type, part = p.array(arguments[array]), arguments[item]
        element = coerce.sql_equivalent(data_type.element.type)
        if coerce.is_nested(element) or not (part.is_untyped or coerce.sql_equivalent(part.type) == element):
            return None
        types = [data_type, *(kind(argument) for kind, argument in zip(between, arguments[1:], strict=False))]
        return Signature((*types, data_type.element.type), data_type)

    return sign


def _appending(rule: Callable[[tuple[Any, ...], Any], tuple[Any, ...]]) -> Callable[..., Any]:
    return lambda items, item: None if items is None else rule(items, item)


def _signature_of_compact(arguments: Sequence[Argument]) -> Signature:
    data_type = p.array(arguments[0])
    return Signature((data_type,), data_type)


def repeat(item: Any, count: int | None) -> tuple[Any, ...] | None:
    """An array of one element so many times. Raises `ExpressionError` for one that is too long.

    >>> repeat("a", 2), repeat(None, 1), repeat("a", -1)
    (('a', 'a'), (None,), ())
    """
    if count is not None and count > MAX_PLACE:
        raise ExpressionError("array_repeat", expected=f"a count up to {MAX_PLACE:,}", found=f"{count:,}")
    return None if count is None else (item,) * count


def _signature_of_repeat(arguments: Sequence[Argument]) -> Signature | None:
    """An untyped null has no array here."""
    item = arguments[0]
    if item.is_untyped:
        return None
    return Signature((item.type, t.Int()), t.Array(t.Field(0, "element", item.type)))


def _signature_of_order(arguments: Sequence[Argument]) -> Signature | None:
    """A lambda that compares elements is not known."""
    if len(arguments) > 1:
        return None
    data_type = p.array(arguments[0])
    return Signature((data_type,), data_type) if is_ordered(data_type.element.type) else None


def _sort(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> tuple[Any, ...]:
    """The elements in their order, nulls last."""
    assert isinstance(result_type, t.Array)
    element = result_type.element.type
    present = sorted((item for item in values[0] if item is not None), key=lambda item: sort_key(item, element))
    return (*present, *(None,) * (len(values[0]) - len(present)))


FUNCTIONS = (
    Function("array_repeat", range(2, 3), _signature_of_repeat, p.of_values(repeat), strict=False),
    Function("array_sort", range(1, 3), _signature_of_order, _sort),
    Function(
        *("array_append", range(2, 3), _with_item(0, 1), p.of_values(_appending(lambda items, item: (*items, item)))),
        strict=False,
    ),
    Function(
        *("array_prepend", range(2, 3), _with_item(0, 1), p.of_values(_appending(lambda items, item: (item, *items)))),
        strict=False,
    ),
    Function(
        *("array_insert", range(3, 4), _with_item(0, 2, (p.integer,)), p.of_values(_insert)),
        strict=False,
    ),
    Function(
        *("array_compact", range(1, 2), _signature_of_compact),
        p.of_values(lambda items: tuple(item for item in items if item is not None)),
    ),
)

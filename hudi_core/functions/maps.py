"""Maps made of arrays and of other maps. A key that stands twice in one is an error, as it is in Spark by default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hudi_core.errors import ExpressionError
from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, MismatchError, Signature
from hudi_core.types import nodes as t
from hudi_core.values.order import is_ordered, sort_key

Entries = tuple[tuple[Any, Any], ...]


def check_keys(name: str, entries: Iterable[tuple[Any, Any]], type: t.Type) -> Entries:
    """The entries of a map. Raises `ExpressionError` for a key that is null or stands twice."""
    made = tuple(entries)
    keys = [key for key, _ in made]
    if None in keys or len({sort_key(key, type) for key in keys}) < len(keys):
        raise ExpressionError(name, expected="keys that are not null and differ", found=repr(keys))
    return made


def _map_type(key: t.Type, value: t.Type) -> t.Map | None:
    """None for keys that are not compared."""
    if coerce.is_nested(key) or not is_ordered(key):
        return None
    return t.Map(t.Field(0, "key", key, optional=False), t.Field(0, "value", value))


def _signature_of_two(arguments: Sequence[Argument]) -> Signature | None:
    keys, values = map(p.array, arguments)
    data_type = _map_type(keys.element.type, values.element.type)
    return None if data_type is None else Signature((keys, values), data_type)


def _of_two(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Entries:
    assert isinstance(result_type, t.Map)
    keys, items = values
    if len(keys) != len(items):
        expected = "as many keys as values"
        raise ExpressionError("map_from_arrays", expected=expected, found=f"{len(keys)} and {len(items)}")
    return check_keys("map_from_arrays", zip(keys, items, strict=True), result_type.key.type)


def _signature_of_pairs(arguments: Sequence[Argument]) -> Signature | None:
    data_type = p.array(arguments[0])
    pair = data_type.element.type
    if not isinstance(pair, t.Record) or len(pair.fields) != 2:
        raise MismatchError("an array of structs of two fields", data_type)
    key, value = pair.fields
    made = _map_type(key.type, value.type)
    return None if made is None else Signature((data_type,), made)


def _of_pairs(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Entries | None:
    """Null where one of the structs is."""
    assert isinstance(result_type, t.Map)
    return None if None in values[0] else check_keys("map_from_entries", values[0], result_type.key.type)


def _signature_of_concat(arguments: Sequence[Argument]) -> Signature | None:
    types = list(map(p.mapping, arguments))
    if not all(coerce.are_alike(data_type, types[0]) for data_type in types):
        return None
    made = _map_type(types[0].key.type, types[0].value.type)
    return None if made is None else Signature((made,) * len(types), made)


def _join(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Entries:
    assert isinstance(result_type, t.Map)
    return check_keys("map_concat", (entry for held in values for entry in held), result_type.key.type)


FUNCTIONS = (
    Function("map_from_arrays", range(2, 3), _signature_of_two, _of_two),
    Function("map_from_entries", range(1, 2), _signature_of_pairs, _of_pairs),
    Function("map_concat", range(1, 1 << 16), _signature_of_concat, _join),
)

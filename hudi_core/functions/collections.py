"""Arrays and maps: how many elements there are, which one stands where, whether one is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hudi_core.errors import ExpressionError
from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, MismatchError, Native, Signature
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.cast import cast
from hudi_core.types import nodes as t
from hudi_core.values.order import equal, is_ordered, sort_key


def _signature_of_keys(arguments: Sequence[Argument]) -> Signature:
    data_type = p.mapping(arguments[0])
    return Signature((data_type,), array_of(data_type.key.type))


def _signature_of_values(arguments: Sequence[Argument]) -> Signature:
    data_type = p.mapping(arguments[0])
    return Signature((data_type,), array_of(data_type.value.type))


def _array_or_map(argument: Argument) -> t.Type:
    if not isinstance(argument.type, t.Array | t.Map):
        raise MismatchError("an array or map", argument.type)
    return argument.type


def _sign_with_key(gives: Callable[[t.Map], t.Type]) -> p.BuildSignature:
    """A map, and a key that is looked for in the wider type of the two."""

    def sign(arguments: Sequence[Argument]) -> Signature:
        data_type = p.mapping(arguments[0])
        wanted, key = coerce.sql_equivalent(arguments[1].type), data_type.key.type
        common = key if arguments[1].is_null or wanted == key else coerce.widen(coerce.sql_equivalent(key), wanted)
        if common is None:
            raise MismatchError("a key of the map's type", arguments[1].type)
        return Signature((data_type, common), gives(data_type))

    return sign


def _entry_of(entries: Sequence[tuple[Any, Any]], wanted: Any, types: Sequence[t.Type]) -> tuple[Any, Any] | None:
    """The entry of a key, which is compared in its own type."""
    data_type, common = types
    assert isinstance(data_type, t.Map)
    own = data_type.key.type
    return next((entry for entry in entries if equal(_widen(entry[0], own, common), wanted, common)), None)


def _signature_of_place(arguments: Sequence[Argument]) -> Signature | None:
    """The element at a place, or the value of a key."""
    if isinstance(arguments[0].type, t.Map):
        return _sign_with_key(lambda data_type: data_type.value.type)(arguments)
    return _signature_of_part(arguments)


def _signature_of_part(arguments: Sequence[Argument]) -> Signature:
    """The element at a place, or the value of a key."""
    data_type = _array_or_map(arguments[0])
    if isinstance(data_type, t.Map):
        return Signature((data_type, data_type.key.type), data_type.value.type)
    assert isinstance(data_type, t.Array)
    place = arguments[1]
    if not place.is_null and not isinstance(place.type, t.Int | t.Long):
        raise MismatchError("a whole number as the place", place.type)
    return Signature((data_type, t.Int()), data_type.element.type)


def _value_of(entries: Sequence[tuple[Any, Any]], key: Any, type: t.Map) -> Any:
    return next((value for name, value in entries if equal(name, key, type.key.type)), None)


def _part(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    """Places count from 0; null where there is none."""
    held, place = values
    if isinstance(types[0], t.Map):
        return _value_of(held, place, types[0])
    return held[place] if 0 <= place < len(held) else None


def _element_at(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    """Places count from 1, or from the end where negative; null where there is none."""
    held, place = values
    if isinstance(types[0], t.Map):
        entry = _entry_of(held, place, types)
        return None if entry is None else entry[1]
    if place == 0:
        raise ExpressionError("element_at", expected="a place from 1 on, or a negative one", found="0")
    return held[place - (place > 0)] if abs(place) <= len(held) else None


def _sign_with_element(gives: t.Type) -> p.BuildSignature:
    def sign(arguments: Sequence[Argument]) -> Signature | None:
        data_type = p.array(arguments[0])
        if not is_ordered(data_type.element.type):
            return None
        wanted, element = arguments[1].type, data_type.element.type
        common = element if arguments[1].is_null or wanted == element else coerce.widen(wanted, element)
        if common is None:
            raise MismatchError("an array of values of the type", wanted)
        return Signature((data_type, common), gives)

    return sign


def _convert(items: Sequence[Any], types: Sequence[t.Type]) -> list[Any]:
    """The elements in the type of the value that is looked for."""
    data_type = types[0]
    assert isinstance(data_type, t.Array)
    return [_widen(item, data_type.element.type, types[1]) for item in items]


def _widen(value: Any, type: t.Type, to: t.Type) -> Any:
    return value if value is None or type == to else cast(value, type, to)


def _contains(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> bool | None:
    """Null where it is not among the elements, and one of these is null."""
    items = _convert(values[0], types)
    if any(item is not None and equal(item, values[1], types[1]) for item in items):
        return True
    return None if None in items else False


def _position(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int:
    items = enumerate(_convert(values[0], types), 1)
    return next((place for place, item in items if item is not None and equal(item, values[1], types[1])), 0)


def _signature_of_made(arguments: Sequence[Argument]) -> Signature:
    """An array of these elements."""
    typed = [argument.type for argument in arguments if not argument.is_untyped] or [t.String()]
    common = typed[0] if all(data_type == typed[0] for data_type in typed) else coerce.widest(typed)
    if common is None:
        raise MismatchError("elements of one type", typed[-1])
    return Signature((common,) * len(arguments), array_of(common))


def array_of(element: t.Type) -> t.Array:
    return t.Array(t.Field(0, "element", element))


def _signature_of_map(arguments: Sequence[Argument]) -> Signature:
    """A map of these keys and values, one after the other."""
    keys, items = (_signature_of_made(arguments[start::2]).result_type for start in (0, 1))
    assert isinstance(keys, t.Array) and isinstance(items, t.Array)
    key = t.Field(0, "key", keys.element.type, optional=False)
    data_type = t.Map(key, t.Field(0, "value", items.element.type))
    return Signature((key.type, data_type.value.type) * (len(arguments) // 2), data_type)


def _map_of(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> tuple[tuple[Any, Any], ...]:
    keys = values[::2]
    if None in keys or len(set(keys)) < len(keys):
        raise ExpressionError("map", expected="distinct keys that are not null", found=repr(keys))
    return tuple(zip(keys, values[1::2], strict=True))


def _extreme(take: Callable[..., Any]) -> Any:
    def evaluate(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
        present = [value for value in values[0] if value is not None]
        return take(present, key=lambda value: sort_key(value, result_type)) if present else None

    return evaluate


def _signature_of_extreme(arguments: Sequence[Argument]) -> Signature | None:
    data_type = p.array(arguments[0])
    return Signature((data_type,), data_type.element.type) if is_ordered(data_type.element.type) else None


def _signature_of_get_field(arguments: Sequence[Argument]) -> Signature | None:
    """A field of a struct, or the list of that field of a list of structs."""
    data_type, name = arguments[0].type, p.find_known_string(arguments[1])
    inner = data_type.element.type if isinstance(data_type, t.Array) else data_type
    if name is None or not isinstance(inner, t.Record):
        return None
    field = inner.fields[_place(inner, name)]
    return Signature((data_type, t.String()), array_of(field.type) if isinstance(data_type, t.Array) else field.type)


def _place(type: t.Record, name: str) -> int:
    """Which field has the name; without regard to case where none is exactly so called."""
    names = [field.name for field in type.fields]
    if name in names:
        return names.index(name)
    lowered = [candidate.lower() for candidate in names]
    if name.lower() not in lowered:
        raise ExpressionError(name, expected=f"a field of {', '.join(names)}", found=name)
    return lowered.index(name.lower())


def _get_field(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    held, name = values
    if isinstance(types[0], t.Array):
        inner = types[0].element.type
        assert isinstance(inner, t.Record)
        place = _place(inner, name)
        return tuple(None if item is None else item[place] for item in held)
    assert isinstance(types[0], t.Record)
    return held[_place(types[0], name)]


def _signature_of_split(arguments: Sequence[Argument]) -> Signature | None:
    """The parts of a string, between the matches of a regular expression that is the same in every row."""
    pattern = p.find_known_string(arguments[1])
    if pattern is None:
        return None
    regex.parse(pattern)
    return Signature((t.String(), t.String(), t.Int())[: len(arguments)], array_of(t.String()))


def split(string: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    """The parts between the matches: at most as many as a positive limit, of which the last is all that is left.

    An empty pattern parts all characters; what is beyond the limit is then left out.

    >>> split("a,b,,", ","), split("a,b,c", ",", 2), split("abc", "", 2)
    (('a', 'b', '', ''), ('a', 'b,c'), ('a', 'b'))
    """
    most = limit if limit > 0 else len(string) + 3
    if not pattern and string:
        return tuple(string[:most])
    parts: list[str] = []
    start = 0
    for match in regex.parse(pattern).matches(string):
        if len(parts) + 1 == most:
            break
        if match.end():
            parts.append(string[start : match.start()])
            start = match.end()
    return (*parts, string[start:])


def _signature_of_struct(arguments: Sequence[Argument]) -> Signature | None:
    """Names, each before its value."""
    names = [p.find_known_string(argument) for argument in arguments[::2]]
    fields = [
        t.Field(0, name, argument.type)
        for name, argument in zip(names, arguments[1::2], strict=True)
        if name is not None
    ]
    if len(fields) < len(names):
        return None
    return Signature(tuple(argument.type for argument in arguments), t.Record(tuple(fields)))


def _string_or_array(argument: Argument) -> t.Type:
    return argument.type if isinstance(argument.type, t.Array) else t.String()


def _signature_of_reverse(arguments: Sequence[Argument]) -> Signature | None:
    """Bytes give a result that is not known: releases of Spark differ."""
    if isinstance(arguments[0].type, t.Binary | t.Fixed):
        return None
    return p.signature(_string_or_array, gives=p.first)(arguments)


STRUCT = Function(
    *("named_struct", range(2, 1 << 16, 2), _signature_of_struct, lambda values, *_: tuple(values[1::2])),
    strict=False,
)

FUNCTIONS = (
    Function(
        *("reverse", range(1, 2), _signature_of_reverse, p.of_values(lambda value: value[::-1])),
        spark=Native("reverse", only=(t.String,)),
    ),
    Function(
        *("size", range(1, 2), p.signature(_array_or_map, gives=t.Int())),
        lambda values, *_: -1 if values[0] is None else len(values[0]),
        aliases=("cardinality",),
        strict=False,
    ),
    Function("array_size", range(1, 2), p.signature(p.array, gives=t.Int()), p.of_values(len)),
    Function("[]", range(2, 3), _signature_of_part, _part, aliases=("get",)),
    Function("element_at", range(2, 3), _signature_of_place, _element_at, aliases=("try_element_at",)),
    Function("get_field", range(2, 3), _signature_of_get_field, _get_field),
    Function("array_contains", range(2, 3), _sign_with_element(t.Boolean()), _contains),
    Function("array_position", range(2, 3), _sign_with_element(t.Long()), _position),
    Function("array_max", range(1, 2), _signature_of_extreme, _extreme(max)),
    Function("array_min", range(1, 2), _signature_of_extreme, _extreme(min)),
    Function("array", range(1 << 16), _signature_of_made, lambda values, *_: tuple(values), strict=False),
    Function("map", range(0, 1 << 16, 2), _signature_of_map, _map_of, strict=False),
    STRUCT,
    Function("split", range(2, 4), _signature_of_split, p.of_values(split)),
    Function(
        *("map_contains_key", range(2, 3), _sign_with_key(lambda _: t.Boolean())),
        lambda values, types, result: _entry_of(values[0], values[1], types) is not None,
    ),
    Function(
        *("map_keys", range(1, 2), _signature_of_keys),
        lambda values, *_: tuple(key for key, _ in values[0]),
    ),
    Function(
        *("map_values", range(1, 2), _signature_of_values),
        lambda values, *_: tuple(value for _, value in values[0]),
    ),
)

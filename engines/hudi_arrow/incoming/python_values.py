"""Values of Python in the type of a table's column: exactly, or refused with their row. Rules ROWS-500, ROWS-1278.

pyarrow takes 1.5 for the integer 1, a date and a time for the date, a number for a time since 1970, and leaves out parts of a
dictionary that the type does not have. So values are first taken for what they are by themselves, and the two are compared.
What it leaves out in either form is looked for in the values: nanoseconds of a pandas time, the time of day of a point in time
among dates, the zone of a time among local ones, a truth among floats, and what is in maps within structs and lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_core.errors import RowError, UsageError

_Test = Callable[[Any], bool]

WRONG = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""What pyarrow raises for values that are not of a type."""


def exact_array(name: str, values: Any, type: pa.DataType | None, start: int | None) -> pa.Array | pa.ChunkedArray:
    """The values in a type, None for one that is guessed; of a struct the parts that some value has. `start` is the number of the
    first row, where it is known. Raises `RowError` for a value that the type would change, and what pyarrow raises."""
    if type is not None and pa.types.is_map(type):
        return _exact_map(name, values, type, start)
    array = _exact_values(name, values, type, start)
    refuse_lost_parts(name, values, array.type, start, stated=type is not None)
    return array


def _exact_values(name: str, values: Any, type: pa.DataType | None, start: int | None) -> pa.Array | pa.ChunkedArray:
    if type is not None and pa.types.is_decimal(type):
        values = _with_plain_integers(values)
    if type is None or not _changes_values(type):
        return pa.array(values, type)
    guessed = _guess(values, type)
    array = pa.array(values, _with_parts_in_maps(name, values, _with_parts_of(guessed.type, type)))
    for parts in zip(_chunks(guessed), _chunks(array), strict=True):
        _refuse_changed(name, *parts, start)
        start = None if start is None else start + len(parts[0])
    return array


def _with_plain_integers(values: Any) -> Any:
    """The values with integers of Python in the place of NumPy's, of which pyarrow makes no decimals."""
    if not isinstance(values, Sequence) or not any(isinstance(value, np.integer) for value in values):
        return values
    return [int(value) if isinstance(value, np.integer) else value for value in values]


def _guess(values: Any, type: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """The values in the type that pyarrow finds for them. It finds none for maps that are given as pairs: they are left out
    here, and looked at by themselves."""
    try:
        guessed = pa.array(values)
        # Arrow compares no floats of 16 bits.
        return guessed.cast(pa.float32()) if pa.types.is_float16(guessed.type) else guessed
    except WRONG:
        if not _has_maps(type):
            raise
        return pa.array([_without_maps(value, type) for value in values])


def _has_maps(type: pa.DataType) -> bool:
    return pa.types.is_map(type) or any(_has_maps(type.field(place).type) for place in range(type.num_fields))


def _without_maps(value: Any, type: pa.DataType) -> Any:
    """The value with null in the place of each map."""
    if pa.types.is_map(type):
        return None
    if pa.types.is_struct(type) and isinstance(value, Mapping):
        places = {name: type.get_field_index(name) for name in value}
        return {
            name: part if places[name] < 0 else _without_maps(part, type.field(places[name]).type)
            for name, part in value.items()
        }
    if pa.types.is_list(type) and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_without_maps(part, type.value_type) for part in value]
    return value


def _exact_map(name: str, values: Any, type: pa.MapType, start: int | None) -> pa.Array:
    _refuse_no_maps(name, values, type, start)
    exact_array(name, _values_in_maps(values), type.item_type, None)
    return pa.array(values, _with_parts_in_maps(name, values, type))


def _chunks(array: pa.Array | pa.ChunkedArray) -> list[pa.Array]:
    return list(array.chunks) if isinstance(array, pa.ChunkedArray) else [array]


def _changes_values(type: pa.DataType) -> bool:
    """Whether pyarrow makes values of the type, at any depth, of others than it would give back."""
    if pa.types.is_nested(type):
        return True
    return bool(pa.types.is_integer(type) or pa.types.is_temporal(type) or pa.types.is_floating(type))


def _with_parts_of(guessed: pa.DataType, type: pa.DataType) -> pa.DataType:
    """The type, of structs with the parts of the guessed one alone: a batch lacks the others, and has the new ones."""
    if pa.types.is_struct(guessed) and pa.types.is_struct(type):
        parts = []
        for part in guessed:
            place = type.get_field_index(part.name)
            parts.append(part if place < 0 else part.with_type(_with_parts_of(part.type, type.field(place).type)))
        return pa.struct(parts)
    if pa.types.is_list(guessed) and pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(_with_parts_of(guessed.value_type, type.value_type)))
    return type


def _with_parts_in_maps(path: str, values: Any, type: pa.DataType) -> pa.DataType:
    """The type, of structs within maps with the parts that some value has: pyarrow would leave out those that the type lacks."""
    if not _has_maps(type) or not isinstance(values, Sequence):
        return type
    if pa.types.is_map(type):
        if not pa.types.is_nested(type.item_type):
            return type
        _refuse_no_maps(path, values, type, None)
        items = exact_array(path, _values_in_maps(values), type.item_type, None)
        return pa.map_(type.key_field, type.item_field.with_type(items.type), type.keys_sorted)
    if pa.types.is_struct(type):
        fields = []
        for field in type:
            parts = [value.get(field.name) if isinstance(value, Mapping) else None for value in values]
            fields.append(field.with_type(_with_parts_in_maps(f"{path}.{field.name}", parts, field.type)))
        return pa.struct(fields)
    inner = [one for value in values if isinstance(value, Sequence) for one in value]
    return pa.list_(type.value_field.with_type(_with_parts_in_maps(path, inner, type.value_type)))


def _refuse_changed(path: str, guessed: pa.Array, array: pa.Array, start: int | None) -> None:
    """Raises `RowError` for the first value that is another one in the type of the array."""
    given, wanted = guessed.type, array.type
    if given == wanted or pa.types.is_null(given):
        return
    if pa.types.is_struct(given) and pa.types.is_struct(wanted):
        for part in given:
            _refuse_changed(
                f"{path}.{part.name}",
                pc.struct_field(guessed, part.name),
                pc.struct_field(array, part.name),
                start,
            )
    elif pa.types.is_list(given) and pa.types.is_list(wanted):
        _refuse_changed(path, guessed.flatten(), array.flatten(), None)
    elif not _changes_values(wanted) or pa.types.is_map(wanted):
        return
    elif _is_other_kind(given, wanted):
        _refuse_first(path, guessed, wanted, guessed.is_valid(), start)
    elif pa.types.is_floating(wanted):  # a number is the nearest one: 0.1 has no other
        beyond = pc.and_(pc.is_inf(array), pc.is_finite(guessed))
        _refuse_first(path, guessed, wanted, beyond, start)
    else:
        # Decimals are compared as they are: their own type may have too few digits for other numbers.
        again = array if pa.types.is_decimal(given) else array.cast(given, safe=False)
        _refuse_first(path, guessed, wanted, pc.not_equal(again, guessed), start)


def _is_other_kind(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Numbers for times and times for numbers, points in time for what a clock shows, and truths for numbers."""
    if pa.types.is_boolean(given):
        return not pa.types.is_boolean(wanted)
    if pa.types.is_temporal(wanted) != pa.types.is_temporal(given):
        return True
    if pa.types.is_timestamp(wanted) and pa.types.is_timestamp(given):
        return given.tz is not None and wanted.tz is None
    return False


def _refuse_first(path: str, guessed: pa.Array, wanted: pa.DataType, wrong: pa.Array, start: int | None) -> None:
    place = pc.index(wrong, True).as_py()
    if place >= 0:
        _refuse(path, guessed[place].as_py(), wanted, place, start)


def _refuse(path: str, value: Any, wanted: pa.DataType, place: int, start: int | None) -> None:
    row = None if start is None else start + place
    raise RowError(row, expected=f"a value of {wanted}", found=repr(value), path=f"rows: {path}")


def refuse_lost_parts(path: str, given: Any, kind: pa.DataType, start: int | None, *, stated: bool) -> None:
    """Raises `RowError` for the first value, at any depth, that the type holds a part of, and for a truth among floats. Without a
    type that is stated, times with a zone and times without one are not mixed. Arrays of a type of their own have none."""
    values = _objects(given) if _may_lose(kind) else ()
    if not values or (pa.types.is_floating(kind) and bool not in set(map(type, values))):
        return
    if pa.types.is_map(kind):
        _refuse_no_maps(path, values, kind, start)
        exact_array(path, _values_in_maps(values), kind.item_type, None)
    elif pa.types.is_struct(kind):
        for field in kind:
            parts = [value.get(field.name) if isinstance(value, Mapping) else None for value in values]
            refuse_lost_parts(f"{path}.{field.name}", parts, field.type, start, stated=stated)
    elif pa.types.is_nested(kind):
        inner = [one for value in values for one in _objects(value)]
        refuse_lost_parts(path, inner, kind.value_type, None, stated=stated)
    else:
        is_lost = _find_test(kind, stated=stated)
        _refuse_first_value(path, values, is_lost, kind, start)


def _objects(values: Any) -> Sequence[Any]:
    """Values that are objects of Python, also in arrays of NumPy and columns of pandas; none of what is no list of them."""
    if isinstance(values, str | bytes):
        return ()
    if isinstance(values, Sequence):
        return values
    return list(values) if isinstance(values, set) or str(getattr(values, "dtype", "")) == "object" else ()


def _refuse_no_maps(path: str, values: Any, kind: pa.DataType, start: int | None) -> None:
    """Raises `RowError` for a text or bytes, of which pyarrow takes an empty one for a map without entries, and for a list of
    dictionaries, of which it takes the names of two parts for a key and its value."""
    _refuse_first_value(path, values, _is_no_map, kind, start)


def _is_no_map(value: Any) -> bool:
    if isinstance(value, str | bytes | bytearray):
        return True
    return isinstance(value, Sequence) and any(isinstance(entry, Mapping) for entry in value)


def _refuse_first_value(path: str, values: Any, is_wrong: _Test, kind: pa.DataType, start: int | None) -> None:
    for place, value in enumerate(values):
        if is_wrong(value) and not _is_no_time(value):
            _refuse(path, value, kind, place, start)


def _values_in_maps(maps: Any) -> list[Any]:
    return [value for one in maps if one is not None for value in values_of_map(one)]


def values_of_map(entry: Any) -> Iterator[Any]:
    """The values of a map that is given as a dictionary, or as pairs."""
    return iter(entry.values()) if isinstance(entry, Mapping) else (value for _, value in entry)


def _may_lose(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_map(kind) or types.is_floating(kind):
        return True
    if types.is_timestamp(kind) or types.is_date(kind) or types.is_time(kind):
        return True
    return any(_may_lose(kind.field(place).type) for place in range(kind.num_fields))


def _find_test(kind: pa.DataType, *, stated: bool) -> _Test:
    """Whether a value of a type without parts is more than the type holds."""
    if pa.types.is_floating(kind):
        return lambda value: isinstance(value, bool)
    if pa.types.is_date(kind):
        return _has_time_of_day
    if pa.types.is_time(kind):
        return lambda value: isinstance(value, time) and value.tzinfo is not None
    if kind.tz is None:
        return lambda value: isinstance(value, datetime) and (value.tzinfo is not None or _has_nanoseconds(value))
    if stated:
        return _has_nanoseconds
    return lambda value: isinstance(value, datetime) and (value.tzinfo is None or _has_nanoseconds(value))


def _has_time_of_day(value: Any) -> bool:
    return isinstance(value, datetime) and (value.time() != time() or _has_nanoseconds(value))


def _is_no_time(value: Any) -> bool:
    """Whether it is the time of pandas that stands for null."""
    return isinstance(value, datetime) and value != value


def _has_nanoseconds(value: Any) -> bool:
    """Whether a time of pandas is finer than microseconds: it is a `datetime` that has more."""
    return type(value) is not datetime and bool(getattr(value, "nanosecond", 0))


def wrong_batch(problem: Exception) -> UsageError:
    """The error of a batch whose values are not of the types of the first one."""
    return UsageError("rows", expected="values of the first batch's types", found=one_line_of(problem))


def one_line_of(problem: Exception) -> str:
    """What a library says of a problem."""
    words = "; ".join(map(str, problem.args)) if len(problem.args) > 1 else str(problem)
    return " ".join(words.split())

"""Values of Python in the type of a table's column: exactly, or refused with their row. Rule ROWS-500.

pyarrow takes 1.5 for the integer 1, a date and a time for the date, a number for a time since 1970, and leaves out parts of a
dictionary that the type does not have. So values are first taken for what they are by themselves, and the two are compared.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.lost_parts import refuse_lost_parts, refuse_texts_for_maps, values_of_map
from hudi_core.errors import RowError, UsageError

WRONG = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""What pyarrow raises for values that are not of a type."""


def exact_array(name: str, values: Any, type: pa.DataType | None, start: int | None) -> pa.Array | pa.ChunkedArray:
    """The values in a type, None for one that is guessed; of a struct the parts that some value has. `start` is the number of the
    first row, where it is known. Raises `RowError` for a value that the type would change, and what pyarrow raises."""
    if type is not None and pa.types.is_map(type):
        return _exact_map(name, values, type, start)
    array = _exact_values(name, values, type, start)
    refuse_lost_parts(name, values, array.type, start, stated=type is not None, check_entries=_check_entries)
    return array


def _exact_values(name: str, values: Any, type: pa.DataType | None, start: int | None) -> pa.Array | pa.ChunkedArray:
    if type is None or not _changes_values(type):
        return pa.array(values, type)
    guessed = pa.array(values)
    array = pa.array(values, _with_parts_of(guessed.type, type))
    for parts in zip(_chunks(guessed), _chunks(array), strict=True):
        _refuse_changed(name, *parts, start)
        start = None if start is None else start + len(parts[0])
    return array


def _exact_map(name: str, values: Any, type: pa.MapType, start: int | None) -> pa.Array:
    refuse_texts_for_maps(name, values, type, start)
    array = pa.array(values, type)
    entries = [value for entry in values if entry is not None for value in values_of_map(entry)]
    _check_entries(name, entries, type.item_type)
    return array


def _check_entries(name: str, entries: list[Any], type: pa.DataType) -> None:
    exact_array(name, entries, type, None)


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
        row = None if start is None else start + place
        raise RowError(row, expected=f"a value of {wanted}", found=repr(guessed[place].as_py()), path=f"rows: {path}")


def wrong_batch(problem: Exception) -> UsageError:
    """The error of a batch whose values are not of the types of the first one."""
    return UsageError("rows", expected="values of the first batch's types", found=" ".join(str(problem).split()))

"""Values of Python a part of which pyarrow leaves out without a word: nanoseconds of a pandas time, the time of day of a point in
time among dates, the zone of a time among local ones, and maps in structs and lists. Rule ROWS-1278."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time
from typing import Any

import pyarrow as pa

from hudi_core.errors import RowError

_IsLost = Callable[[Any], bool]
_CheckEntries = Callable[[str, list[Any], pa.DataType], None]


def refuse_lost_parts(
    path: str, values: Any, kind: pa.DataType, start: int | None, *, stated: bool, check_entries: _CheckEntries
) -> None:
    """Raises `RowError` for the first value, at any depth, that the type holds a part of. `start` is the number of the first row,
    where it is known. Without a type that is stated, times with a zone and times without one are not mixed. `check_entries` is
    called with the values of maps within other values."""
    if not _may_lose(kind) or not isinstance(values, Sequence):
        return
    if pa.types.is_map(kind):
        refuse_texts_for_maps(path, values, kind, start)
        entries = [one for value in values if value is not None for one in values_of_map(value)]
        check_entries(path, entries, kind.item_type)
    elif pa.types.is_struct(kind):
        for field in kind:
            parts = [value.get(field.name) if isinstance(value, Mapping) else None for value in values]
            refuse_lost_parts(
                f"{path}.{field.name}", parts, field.type, start, stated=stated, check_entries=check_entries
            )
    elif pa.types.is_nested(kind):
        inner = [one for value in values if isinstance(value, Sequence | set) for one in value]
        refuse_lost_parts(path, inner, kind.value_type, None, stated=stated, check_entries=check_entries)
    else:
        is_lost = _find_test(kind, stated=stated)
        _refuse_first(path, ((number, value) for number, value in enumerate(values) if is_lost(value)), kind, start)


def refuse_texts_for_maps(path: str, values: Any, kind: pa.DataType, start: int | None) -> None:
    """Raises `RowError` for a text or bytes: pyarrow takes an empty one for a map without entries."""
    texts = ((number, value) for number, value in enumerate(values) if isinstance(value, str | bytes | bytearray))
    _refuse_first(path, texts, kind, start)


def values_of_map(entry: Any) -> Iterator[Any]:
    """The values of a map that is given as a dictionary, or as pairs."""
    return iter(entry.values()) if isinstance(entry, Mapping) else (value for _, value in entry)


def _may_lose(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_map(kind) or types.is_timestamp(kind) or types.is_date(kind) or types.is_time(kind):
        return True
    return any(_may_lose(kind.field(place).type) for place in range(kind.num_fields))


def _find_test(kind: pa.DataType, *, stated: bool) -> _IsLost:
    """Whether a value of a type without parts is more than the type holds."""
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


def _has_nanoseconds(value: Any) -> bool:
    """Whether a time of pandas is finer than microseconds: it is a `datetime` that has more."""
    return type(value) is not datetime and bool(getattr(value, "nanosecond", 0))


def _refuse_first(path: str, lost: Iterator[tuple[int, Any]], kind: pa.DataType, start: int | None) -> None:
    for number, value in lost:
        row = None if start is None else start + number
        raise RowError(row, expected=f"a value of {kind}", found=repr(value), path=f"rows: {path}")

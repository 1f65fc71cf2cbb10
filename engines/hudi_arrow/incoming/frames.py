"""Frames of pandas: an index with a name, and objects of Python whose type the table states. Rules ROWS-1452, ROWS-1517.

pandas gives Arrow a column of objects as what they look like. A map, which it has as pairs, looks like nothing; a number that is
missing within a struct or a map is NaN beside floating-point numbers, as `to_pandas` makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hudi_arrow.types import has_parts
from hudi_core.errors import RowError, UsageError

_EXACT: Final = 1 << 53
_MISSING: Final = ("NaTType", "NAType")
"""Classes of pandas of values that are missing."""


def is_frame(data: object) -> bool:
    """Whether it is a frame of pandas with names of columns, each once."""
    columns = getattr(data, "columns", None)
    return hasattr(data, "index") and bool(getattr(columns, "is_unique", False))


def with_index(frame: Any) -> Any:
    """The frame with an index of row numbers that has a name as one of integers, for Arrow leaves the former out, and without one
    that a column has too. Raises `UsageError` where these two have other values."""
    names = [name for name in frame.index.names if name is not None]
    for name in names:
        if name in frame.columns:
            if not frame.index.get_level_values(name).equals(frame.set_index(name).index):
                found = f"a column {name} and an index of this name with other values"
                expected = (
                    "each column once: the frame with its index as a column (reset_index), or without (drop=True)"
                )
                raise UsageError("rows", expected=expected, found=found)
            frame = frame.reset_index(level=name, drop=True)
    if type(frame.index).__name__ == "RangeIndex" and frame.index.name is not None:
        frame = frame.set_axis(import_module("pandas").Index(frame.index.to_numpy(), name=frame.index.name))
    return frame


def find_parted(frame: Any, types: Mapping[str, pa.DataType]) -> dict[str, pa.DataType]:
    """The columns of objects in which a table has structs or maps, at any depth, with their types."""
    return {
        name: types[name]
        for name, kind in zip(frame.columns, frame.dtypes, strict=True)
        if isinstance(name, str) and str(kind) == "object" and name in types and has_parts(types[name])
    }


def plain_values(values: Iterable[Any], kind: pa.DataType | None, name: str = "") -> list[Any]:
    """Objects of a frame as values of Python, for a type or for None of which none is stated: lists in the place of arrays, None
    for what pandas has for values that are missing. Raises `RowError`, with the column's name, for a float in the place of an
    integer that may stand for another one: beside a value that is missing, all are floats."""
    plain = []
    for row, value in enumerate(values):
        try:
            plain.append(_plain(value, kind))
        except _RoundedError as error:
            found = str(error)
            raise RowError(row, expected="a whole number, exact in long", found=found, path=f"rows: {name}") from None
    return plain


class _RoundedError(ValueError):
    """A float that may have been another integer."""


def _plain(value: Any, kind: pa.DataType | None) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.dtype == object else pa.array(value, from_pandas=True).to_pylist()
    if isinstance(value, Mapping):
        return {name: _plain(part, _type_of_part(kind, name)) for name, part in value.items()}
    if isinstance(value, list | tuple):
        if kind is not None and pa.types.is_map(kind):
            return [_plain_entry(entry, kind.item_type) for entry in value]
        element = kind.value_type if kind is not None and _is_list(kind) else None
        return [_plain(part, element) for part in value]
    if kind is not None and pa.types.is_integer(kind) and isinstance(value, float) and abs(value) >= _EXACT:
        raise _RoundedError(repr(value))
    return None if _is_missing(value, kind) else value


def _plain_entry(entry: Any, kind: pa.DataType) -> Any:
    """An entry of a map: a key and a value; what is none is refused where values get their type."""
    if isinstance(entry, tuple | list | np.ndarray) and len(entry) == 2:
        return entry[0], _plain(entry[1], kind)
    return entry


def _type_of_part(kind: pa.DataType | None, name: object) -> pa.DataType | None:
    if kind is not None and pa.types.is_map(kind):
        return kind.item_type
    if kind is not None and pa.types.is_struct(kind) and isinstance(name, str):
        place = kind.get_field_index(name)
        return None if place < 0 else kind.field(place).type
    return None


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_missing(value: Any, kind: pa.DataType | None) -> bool:
    if type(value).__name__ in _MISSING and type(value).__module__.startswith("pandas"):
        return True
    if kind is None or not isinstance(value, float | np.floating):
        return False
    return bool(np.isnan(value)) and not pa.types.is_floating(kind)

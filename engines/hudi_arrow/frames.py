"""Rows as a frame of pandas. Rule ROWS-1519.

pandas has floating-point numbers in the place of integers where one is missing, also within lists, structs and maps. Beyond 2**53
they would be other numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.types import has_parts
from hudi_core.errors import UnsupportedError, UsageError, describe

_EXACT: Final = 1 << 53
_BACKENDS: Final = (None, "pyarrow")


def to_frame(table: pa.Table, backend: str | None) -> Any:
    """The rows as a `pandas.DataFrame`, with its own types or, of the backend `pyarrow`, with those of Arrow. Of its own types
    integers that would be rounded are `Int64`, and integers of Python within objects.

    Raises `UnsupportedError` where pandas is not installed and for values that it cannot have, `UsageError` for another backend.
    """
    if backend not in _BACKENDS:
        raise UsageError("dtype_backend", expected="'pyarrow' or None", found=describe(backend))
    try:
        if backend is not None:
            return table.to_pandas(types_mapper=import_module("pandas").ArrowDtype)
        return _to_own_types(table)
    except ModuleNotFoundError:
        raise UnsupportedError(
            "to_pandas", message="needs the package pandas: pip install 'hudi-core[pandas]'"
        ) from None
    except (ValueError, OverflowError) as problem:
        raise _without_frame(table, problem) from problem


def _to_own_types(table: pa.Table) -> Any:
    frame = table.to_pandas()
    for place, column in enumerate(table.columns):
        parts = list(_integers_beside_nulls(column))
        if pa.types.is_integer(column.type):
            if any(map(_is_rounded, parts)):
                frame.isetitem(place, column.to_pandas(types_mapper=_nullable))
        elif parts and (has_parts(column.type) or any(map(_is_rounded, parts))):
            frame.isetitem(place, column.to_pandas(integer_object_nulls=True))
    return frame


def _nullable(kind: pa.DataType) -> Any:
    return import_module("pandas").Int64Dtype() if pa.types.is_integer(kind) else None


def _integers_beside_nulls(column: pa.ChunkedArray | pa.Array) -> Iterator[pa.ChunkedArray | pa.Array]:
    """The integers of a column at each depth, where some are null."""
    kind = column.type
    if pa.types.is_integer(kind):
        if column.null_count:
            yield column
    elif isinstance(column, pa.ChunkedArray):
        if pa.types.is_nested(kind):
            for chunk in column.chunks:
                yield from _integers_beside_nulls(chunk)
    elif pa.types.is_struct(kind):
        for part in column.flatten():
            yield from _integers_beside_nulls(part)
    elif pa.types.is_map(kind):
        yield from _integers_beside_nulls(column.items)
    elif pa.types.is_nested(kind):
        yield from _integers_beside_nulls(column.flatten())


def _is_rounded(integers: pa.ChunkedArray | pa.Array) -> bool:
    """Whether floating-point numbers may be others than these integers."""
    ends = pc.min_max(integers).as_py()
    return any(end is not None and abs(end) > _EXACT for end in ends.values())


def _without_frame(table: pa.Table, problem: Exception) -> UnsupportedError:
    """The error of rows of which pandas makes no frame, as of a date beyond the years from 1 to 9999: with the column, where one
    column alone has such values."""
    expected, found = "values that pandas can have; to_arrow and to_polars give these too", str(problem)
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.to_pandas()
        except (ValueError, OverflowError) as own:
            return UnsupportedError(f"to_pandas: {name}", expected=expected, found=str(own))
    return UnsupportedError("to_pandas", expected=expected, found=found)

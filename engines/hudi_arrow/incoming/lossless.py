"""What Arrow data of other libraries would lose on the way: types that Arrow has no values for, and casts between batches that
change values without an error. Rules ROWS-1375, ROWS-1376, ROWS-1451."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pyarrow as pa

from hudi_arrow.incoming.python_values import refuse_lost_parts
from hudi_core.errors import SchemaError, UsageError

_types = pa.types

UNKNOWN: Final = {"polars": ("Object", "U?Int128"), "duckdb": ("BIT", "TIME WITH TIME ZONE")}
"""Types by the library of their rows: pointers, integers of 128 bits, bytes of a form of its own, times without their zone."""


def refuse_unknown_types(data: object, library: str) -> None:
    """Raises `SchemaError` for rows of a library of `UNKNOWN` with a column whose values Arrow does not have."""
    for name, kind in _columns_of(data):
        if any(re.fullmatch(rf"{one}(\[[0-9]*\])*", kind) for one in UNKNOWN[library]):
            raise SchemaError(f"rows: {name}", expected="a type that Arrow has", found=f"{kind} of {library}")


def _columns_of(data: Any) -> Iterator[tuple[str, str]]:
    names = getattr(data, "columns", ())
    types = getattr(data, "dtypes", ())
    return zip(names, map(str, types), strict=False) if isinstance(names, list) else iter(())


def refuse_lost_objects(frame: Any, schema: pa.Schema) -> None:
    """Raises `RowError` for an object in a frame of pandas of which the column's type holds a part, as among rows of Python."""
    for name, values in _columns_of_frame(frame):
        if str(getattr(values, "dtype", "")) == "object" and str(name) in schema.names:
            refuse_lost_parts(str(name), values, schema.field(str(name)).type, 0, stated=False)


def _columns_of_frame(frame: Any) -> Iterator[tuple[object, Any]]:
    """The names and values of the columns, and of the levels of the index."""
    if hasattr(frame, "items"):
        yield from frame.items()
    index: Any = getattr(frame, "index", None)
    for level, name in enumerate(getattr(index, "names", ())):
        yield name, index.get_level_values(level)


def refuse_other_kinds(given: pa.Schema, wanted: pa.Schema) -> None:
    """Raises `UsageError` for a column of a later batch that a cast to the first one's type would change without an error."""
    for field in given:
        kind = wanted.field(field.name).type
        if not _is_kept(field.type, kind):
            raise UsageError(
                f"rows: {field.name}", expected=f"{kind}, as the first batch has it", found=str(field.type)
            )


_FAMILIES: Final[tuple[Callable[[pa.DataType], bool], ...]] = (
    lambda kind: bool(_types.is_string(kind) or _types.is_large_string(kind) or _types.is_string_view(kind)),
    lambda kind: bool(_types.is_binary(kind) or _types.is_large_binary(kind) or _types.is_binary_view(kind)),
    _types.is_fixed_size_binary,
    _types.is_boolean,
    _types.is_date,
    _types.is_time,
)
"""Types whose casts among themselves give the value, or fail."""


def _is_kept(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a safe cast gives each value as it is, or fails."""
    given, wanted = _plain(given), _plain(wanted)
    if given == wanted or _types.is_null(given):
        return True
    if _types.is_timestamp(wanted):
        return _types.is_timestamp(given) and (given.tz is None) is (wanted.tz is None)
    if _types.is_integer(wanted) or _types.is_decimal(wanted):
        fits = _types.is_integer(given) or _types.is_decimal(given)
        return bool(fits or (_types.is_floating(given) and _types.is_integer(wanted)))
    if _types.is_floating(wanted):
        narrower = _types.is_floating(given) and given.bit_width <= wanted.bit_width
        return bool(narrower or _types.is_integer(given))
    if _types.is_nested(wanted):
        same = given.id == wanted.id and given.num_fields == wanted.num_fields
        pairs = [(given.field(place), wanted.field(place)) for place in range(wanted.num_fields)] if same else []
        named = not _types.is_struct(wanted) or all(one.name == other.name for one, other in pairs)
        return same and named and all(_is_kept(one.type, other.type) for one, other in pairs)
    return any(belongs(given) and belongs(wanted) for belongs in _FAMILIES)


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of the values, whatever their encoding."""
    if _types.is_dictionary(kind) or _types.is_run_end_encoded(kind):
        return _plain(kind.value_type)
    return _plain(kind.storage_type) if isinstance(kind, pa.BaseExtensionType) else kind

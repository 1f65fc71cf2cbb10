"""What releases of pyarrow before the newest cannot do, and the ways round it."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from hudi_core.errors import UnsupportedError

_RELEASE: Final = int(pa.__version__.partition(".")[0])
TAKES_DICTIONARIES_OF_VIEWS: Final = _RELEASE >= 25
"""It takes over dictionaries of string views, as Polars hands over categories; earlier ones end the process."""
READS_NULL_LISTS_OF_FIXED_SIZE: Final = _RELEASE >= 26
"""It reads lists of fixed size of a Parquet file where one of them is null."""
_ARROW_SCHEMA: Final = b"ARROW:schema"


def refuse_dictionaries_of_views(schema: pa.Schema, taken: bool = TAKES_DICTIONARIES_OF_VIEWS) -> None:
    """Raises `UnsupportedError` with the column for rows that pyarrow would crash on, before the first is drawn."""
    wrong = None if taken else next((field.name for field in schema if _has_dictionary_of_views(field.type)), None)
    if wrong is not None:
        expected = "texts, or pyarrow 25 or later for dictionaries of string views, as those of Polars' categories"
        raise UnsupportedError(f"rows: {wrong}", expected=expected, found=f"one, and pyarrow {pa.__version__}")


def _has_dictionary_of_views(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return bool(pa.types.is_string_view(kind.value_type) or pa.types.is_binary_view(kind.value_type))
    return any(_has_dictionary_of_views(kind.field(number).type) for number in range(kind.num_fields))


def has_lists_of_fixed_size(schema: pa.Schema) -> bool:
    """Whether a column has such lists, at any depth."""
    return any(map(_has_fixed_size, schema.types))


def _has_fixed_size(kind: pa.DataType) -> bool:
    if pa.types.is_fixed_size_list(kind):
        return True
    return any(_has_fixed_size(kind.field(number).type) for number in range(kind.num_fields))


def without_arrow_schema(footer: bytes) -> bytes:
    """A Parquet footer of the same length whose lists are of any size, as Parquet has them."""
    return footer.replace(_ARROW_SCHEMA, _ARROW_SCHEMA.lower())

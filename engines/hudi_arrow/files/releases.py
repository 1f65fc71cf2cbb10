"""What releases of pyarrow before the newest cannot do, and the ways round it."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

READS_NULL_LISTS_OF_FIXED_SIZE: Final = int(pa.__version__.partition(".")[0]) >= 26
"""It reads lists of fixed size of a Parquet file where one of them is null."""
_ARROW_SCHEMA: Final = b"ARROW:schema"


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

"""Column chunks of a Parquet file, read from the footer's own bytes.

pyarrow shows them too, but ends the process where a footer contradicts itself, and does not say whether bounds are in the
order of the column's type. Rules: `parquet.thrift` of the Parquet format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hudi_core.errors import CorruptFileError
from hudi_core.formats.parquet.thrift import Fields, structure

_UNSIGNED: Final = (11, 12, 13, 14)
"""`ConvertedType` of unsigned integers."""
_SIGNED: Final = ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
PHYSICAL: Final = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")


@dataclass(frozen=True, slots=True)
class ChunkStatistics:
    """A column in one row group. `low` and `high` are encoded bounds in the order of the type, or None."""

    values: int
    nulls: int | None
    low: bytes | None
    high: bytes | None


@dataclass(frozen=True, slots=True)
class LeafChunks:
    """A leaf column: its physical type, whether its integers are unsigned, and its chunks."""

    physical: str
    unsigned: bool
    chunks: tuple[ChunkStatistics, ...]


def leaf_chunks(footer: bytes, where: str) -> list[LeafChunks]:
    """All leaf columns in schema order. Raises `CorruptFileError` for bytes that are no footer or contradict themselves."""
    try:
        return _leaf_chunks(structure(footer)[0])
    except (IndexError, KeyError, ValueError) as problem:
        raise CorruptFileError(
            where, expected="a Parquet footer", found=str(problem) or type(problem).__name__
        ) from None


def _leaf_chunks(file: Fields) -> list[LeafChunks]:
    leaves = [element for element in _structs(file, 2) if not element.get(5)]
    orders = _structs(file, 7) if 7 in file else []
    groups = [_structs(group, 1) for group in _structs(file, 4)]
    if any(len(group) != len(leaves) for group in groups):
        raise ValueError(f"row groups with other than {len(leaves)} columns")
    found = []
    for number, leaf in enumerate(leaves):
        physical, typed = _integer(leaf, 1), number < len(orders) and 1 in orders[number]
        if not 0 <= physical < len(PHYSICAL):
            raise ValueError(f"physical type {physical}")
        columns = [_struct(group[number], 3) for group in groups]
        if any(_integer(column, 1) != physical for column in columns):
            raise ValueError(f"another physical type in a chunk of column {number}")
        unsigned = leaf.get(6) in _UNSIGNED or _struct(_struct(leaf, 10), 10).get(2) is False
        signed = PHYSICAL[physical] in _SIGNED and not unsigned
        chunks = tuple(_chunk(column, typed, signed) for column in columns)
        found.append(LeafChunks(PHYSICAL[physical], unsigned, chunks))
    return found


def _chunk(column: Fields, typed: bool, signed: bool) -> ChunkStatistics:
    said = _struct(column, 12)
    if typed:
        low, high = said.get(6), said.get(5)
    else:  # from before orders were declared: compared as signed numbers
        low, high = (said.get(2), said.get(1)) if signed else (None, None)
    if not isinstance(low, bytes | None) or not isinstance(high, bytes | None):
        raise ValueError("bounds that are no bytes")
    return ChunkStatistics(_integer(column, 5), _integer(said, 3) if 3 in said else None, low, high)


def _structs(of: Fields, number: int) -> list[Fields]:
    found = of[number]
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise ValueError(f"no list of structures as field {number}")
    return found


def _struct(of: Fields, number: int) -> Fields:
    found = of.get(number, {})
    if not isinstance(found, dict):
        raise ValueError(f"no structure as field {number}")
    return found


def _integer(of: Fields, number: int) -> int:
    found = of[number]
    if not isinstance(found, int):
        raise ValueError(f"no number as field {number}")
    return found

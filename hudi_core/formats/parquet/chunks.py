"""Column chunks of a Parquet file, read from the footer's own bytes.

pyarrow shows them too, but ends the process where a footer contradicts itself, and hides whether bounds are in the order of
the column's type. Rules: `parquet.thrift` of the Parquet format.
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
    """A column in one row group. `lower` and `upper` are encoded bounds in the order of the type, or None."""

    value_count: int
    null_count: int | None
    lower: bytes | None
    upper: bytes | None


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
    columns_of_leaves = []
    for index, leaf in enumerate(leaves):
        physical, typed = _integer(leaf, 1), index < len(orders) and 1 in orders[index]
        if not 0 <= physical < len(PHYSICAL):
            raise ValueError(f"physical type {physical}")
        metadata = [_struct(group[index], 3) for group in groups]
        if any(_integer(column, 1) != physical for column in metadata):
            raise ValueError(f"another physical type in a chunk of column {index}")
        unsigned = leaf.get(6) in _UNSIGNED or _struct(_struct(leaf, 10), 10).get(2) is False
        signed = PHYSICAL[physical] in _SIGNED and not unsigned
        chunks = tuple(_chunk(column, typed, signed) for column in metadata)
        columns_of_leaves.append(LeafChunks(PHYSICAL[physical], unsigned, chunks))
    return columns_of_leaves


def _chunk(column: Fields, typed: bool, signed: bool) -> ChunkStatistics:
    statistics = _struct(column, 12)
    if typed:
        lower, upper = statistics.get(6), statistics.get(5)
    else:  # from before orders were declared: compared as signed numbers
        lower, upper = (statistics.get(2), statistics.get(1)) if signed else (None, None)
    if not isinstance(lower, bytes | None) or not isinstance(upper, bytes | None):
        raise ValueError("bounds that are not bytes")
    return ChunkStatistics(_integer(column, 5), _null_count(column, statistics), lower, upper)


def _null_count(column: Fields, statistics: Fields) -> int | None:
    """The null count of the statistics, else from the size statistics, which count the values of each definition level:
    those of the highest are not null."""
    if 3 in statistics:
        return _integer(statistics, 3)
    counts, values = _struct(column, 16).get(3), _integer(column, 5)
    if not isinstance(counts, list) or not counts or not all(isinstance(count, int) for count in counts):
        return None
    return values - counts[-1] if sum(counts) == values and min(counts) >= 0 else None


def _structs(fields: Fields, field_id: int) -> list[Fields]:
    structs = fields[field_id]
    if not isinstance(structs, list) or not all(isinstance(part, dict) for part in structs):
        raise ValueError(f"no list of structures as field {field_id}")
    return structs


def _struct(fields: Fields, field_id: int) -> Fields:
    value = fields.get(field_id, {})
    if not isinstance(value, dict):
        raise ValueError(f"no structure as field {field_id}")
    return value


def _integer(fields: Fields, field_id: int) -> int:
    value = fields[field_id]
    if not isinstance(value, int):
        raise ValueError(f"no number as field {field_id}")
    return value

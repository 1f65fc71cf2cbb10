"""Column chunks of a Parquet file, read from the footer's own bytes (Thrift, compact protocol).

pyarrow shows them too, but ends the process where a footer contradicts itself, and does not say whether bounds are in the
order of the column's type. Rules: `parquet.thrift` of the Parquet format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from hudi_core.errors import CorruptFileError

_Fields = dict[int, Any]

_DEEPEST: Final = 32
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS: Final = (4, 5, 6)
_UNSIGNED: Final = (11, 12, 13, 14)
"""`ConvertedType` of unsigned integers."""
_SIGNED: Final = ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
PHYSICAL: Final = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")


@dataclass(frozen=True, slots=True)
class Chunk:
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
    chunks: tuple[Chunk, ...]


def leaf_chunks(footer: bytes, where: str) -> list[LeafChunks]:
    """All leaf columns in schema order. Raises `CorruptFileError` for bytes that are no footer or contradict themselves."""
    try:
        return _leaf_chunks(_Reader(footer).struct(0))
    except (IndexError, KeyError, ValueError) as problem:
        raise CorruptFileError(
            where, expected="a Parquet footer", found=str(problem) or type(problem).__name__
        ) from None


def _leaf_chunks(file: _Fields) -> list[LeafChunks]:
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


def _chunk(column: _Fields, typed: bool, signed: bool) -> Chunk:
    said = _struct(column, 12)
    if typed:
        low, high = said.get(6), said.get(5)
    else:  # from before orders were declared: compared as signed numbers
        low, high = (said.get(2), said.get(1)) if signed else (None, None)
    if not isinstance(low, bytes | None) or not isinstance(high, bytes | None):
        raise ValueError("bounds that are no bytes")
    return Chunk(_integer(column, 5), _integer(said, 3) if 3 in said else None, low, high)


def _structs(of: _Fields, number: int) -> list[_Fields]:
    found = of[number]
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise ValueError(f"no list of structures as field {number}")
    return found


def _struct(of: _Fields, number: int) -> _Fields:
    found = of.get(number, {})
    if not isinstance(found, dict):
        raise ValueError(f"no structure as field {number}")
    return found


def _integer(of: _Fields, number: int) -> int:
    found = of[number]
    if not isinstance(found, int):
        raise ValueError(f"no number as field {number}")
    return found


class _Reader:
    """Thrift's compact protocol into dictionaries by field number. Raises IndexError at the end of the data."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        self._readers: dict[int, Callable[[int], Any]] = {
            _TRUE: lambda _: True,
            _FALSE: lambda _: False,
            _BYTE: lambda _: self._bytes(1)[0],
            **{kind: lambda _: self._zigzag() for kind in _INTEGERS},
            _DOUBLE: lambda _: self._bytes(8),
            _BINARY: lambda _: self._bytes(self._varint()),
            _LIST: self._list,
            _SET: self._list,
            _MAP: self._map,
            _STRUCT: self.struct,
        }

    def struct(self, depth: int) -> _Fields:
        if depth > _DEEPEST:
            raise ValueError("structures nested too deep")
        data, readers = self._data, self._readers
        found: _Fields = {}
        number = 0
        while True:
            header = data[self._at]
            self._at += 1
            if header == 0:
                return found
            number = number + (header >> 4) if header >> 4 else self._zigzag()
            found[number] = readers[header & 15](depth + 1)

    def _list(self, depth: int) -> list[Any]:
        header = self._bytes(1)[0]
        count = header >> 4 if header >> 4 < 15 else self._varint()
        if count > len(self._data) - self._at:
            raise IndexError("a list longer than the footer")
        kind = header & 15
        if kind in (_TRUE, _FALSE):
            return [byte == _TRUE for byte in self._bytes(count)]
        read = self._readers[kind]
        return [read(depth) for _ in range(count)]

    def _map(self, depth: int) -> list[Any]:
        count = self._varint()
        if count > len(self._data) - self._at:
            raise IndexError("a map longer than the footer")
        if count == 0:
            return []
        kinds = self._bytes(1)[0]
        key, value = self._readers[kinds >> 4], self._readers[kinds & 15]
        return [(key(depth), value(depth)) for _ in range(count)]

    def _bytes(self, count: int) -> bytes:
        start = self._at
        self._at += count
        if count < 0 or self._at > len(self._data):
            raise IndexError("an end of the footer within a value")
        return self._data[start : self._at]

    def _varint(self) -> int:
        data, at = self._data, self._at
        found = shift = 0
        while True:
            byte = data[at]
            at += 1
            found |= (byte & 127) << shift
            if byte < 128:
                self._at = at
                return found
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _zigzag(self) -> int:
        found = self._varint()
        return (found >> 1) ^ -(found & 1)

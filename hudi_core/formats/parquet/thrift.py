"""Thrift's compact protocol, in which Parquet writes footers and page headers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

Fields = dict[int, Any]
"""A structure by field number: numbers, bytes, booleans, lists, and structures."""

_DEEPEST: Final = 32
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS: Final = (4, 5, 6)
_I32, _I64 = 5, 6


def structure(data: bytes | memoryview, at: int = 0) -> tuple[Fields, int]:
    """The structure that starts at a place, and where it ends. Raises IndexError or ValueError for other bytes."""
    reader = _Reader(data, at)
    return reader.struct(0), reader.at


def raw_fields(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The fields of the structure at the start: number, kind and bytes of each, as they stand there."""
    reader, number = _Reader(data, 0), 0
    while (header := data[reader.at]) != 0:
        reader.at += 1
        number = number + (header >> 4) if header >> 4 else reader.zigzag()
        start = reader.at
        reader.value(header & 15)
        yield number, header & 15, data[start : reader.at]


def encoded(fields: Iterable[tuple[int, int, bytes]]) -> bytes:
    """A structure of fields (number, kind, bytes of the value), which ascend by less than 16."""
    parts, last = [], 0
    for number, kind, value in fields:
        parts += [bytes([(number - last) << 4 | kind]), value]
        last = number
    return b"".join([*parts, b"\0"])


def i32(number: int, value: int) -> tuple[int, int, bytes]:
    return number, _I32, _zigzagged(value)


def i64(number: int, value: int) -> tuple[int, int, bytes]:
    return number, _I64, _zigzagged(value)


def false(number: int) -> tuple[int, int, bytes]:
    return number, _FALSE, b""


def struct(number: int, value: bytes) -> tuple[int, int, bytes]:
    return number, _STRUCT, value


def structs(number: int, values: list[bytes]) -> tuple[int, int, bytes]:
    return number, _LIST, b"".join([_list_header(len(values), _STRUCT), *values])


def numbers(number: int, values: list[int]) -> tuple[int, int, bytes]:
    return number, _LIST, b"".join([_list_header(len(values), _I32), *map(_zigzagged, values)])


def texts(number: int, values: list[bytes]) -> tuple[int, int, bytes]:
    parts = [_varint(len(value)) + value for value in values]
    return number, _LIST, b"".join([_list_header(len(values), _BINARY), *parts])


def binary(number: int, value: bytes) -> tuple[int, int, bytes]:
    return number, _BINARY, _varint(len(value)) + value


def _list_header(count: int, kind: int) -> bytes:
    return bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + _varint(count)


def _zigzagged(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


class _Reader:
    """Structures into dictionaries by field number. Raises IndexError at the end of the data."""

    __slots__ = ("_data", "at")

    def __init__(self, data: bytes | memoryview, at: int) -> None:
        self._data, self.at = data, at

    def struct(self, depth: int) -> Fields:
        if depth > _DEEPEST:
            raise ValueError("structures nested too deep")
        data, found, number = self._data, Fields(), 0
        while (header := data[self.at]) != 0:
            self.at += 1
            number = number + (header >> 4) if header >> 4 else self.zigzag()
            found[number] = _READERS[header & 15](self, depth + 1)
        self.at += 1
        return found

    def value(self, kind: int) -> object:
        return _READERS[kind](self, 1)

    def items(self, depth: int) -> list[Any]:
        header = self.taken(1)[0]
        count = header >> 4 if header >> 4 < 15 else self.varint()
        if count > len(self._data) - self.at:
            raise IndexError("a list longer than the data")
        kind = header & 15
        if kind in (_TRUE, _FALSE):
            return [byte == _TRUE for byte in self.taken(count)]
        read = _READERS[kind]
        return [read(self, depth) for _ in range(count)]

    def entries(self, depth: int) -> list[Any]:
        count = self.varint()
        if count > len(self._data) - self.at:
            raise IndexError("a map longer than the data")
        if count == 0:
            return []
        kinds = self.taken(1)[0]
        key, value = _READERS[kinds >> 4], _READERS[kinds & 15]
        return [(key(self, depth), value(self, depth)) for _ in range(count)]

    def taken(self, count: int) -> bytes:
        start = self.at
        self.at += count
        if count < 0 or self.at > len(self._data):
            raise IndexError("an end of the data within a value")
        return bytes(self._data[start : self.at])

    def varint(self) -> int:
        data, at = self._data, self.at
        found = shift = 0
        while True:
            byte = data[at]
            at += 1
            found |= (byte & 127) << shift
            if byte < 128:
                self.at = at
                return found
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def zigzag(self, _: int = 0) -> int:
        found = self._data[self.at]
        if found < 128:  # as most are
            self.at += 1
        else:
            found = self.varint()
        return (found >> 1) ^ -(found & 1)


_READERS: Final[dict[int, Callable[[_Reader, int], Any]]] = {
    _TRUE: lambda *_: True,
    _FALSE: lambda *_: False,
    _BYTE: lambda reader, _: reader.taken(1)[0],
    **dict.fromkeys(_INTEGERS, _Reader.zigzag),
    _DOUBLE: lambda reader, _: reader.taken(8),
    _BINARY: lambda reader, _: reader.taken(reader.varint()),
    _LIST: _Reader.items,
    _SET: _Reader.items,
    _MAP: _Reader.entries,
    _STRUCT: _Reader.struct,
}
"""What reads a value of each kind. Of the module, not of a reader: that would refer to itself, and hold its data on."""

"""Thrift's compact protocol, in which Parquet writes footers and page headers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

Fields = dict[int, Any]
"""A structure by field id: numbers, bytes, booleans, lists, and structures."""

_MAX_DEPTH: Final = 32
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS: Final = (4, 5, 6)
_I16, _I32, _I64 = _INTEGERS
LIST, STRUCT = _LIST, _STRUCT
"""The kinds of lists and of structures."""
_SHORT: Final = frozenset((*_INTEGERS, _BINARY))


def structure(data: bytes | memoryview, offset: int = 0) -> tuple[Fields, int]:
    """The structure that starts at `offset`, and the offset of its end. Raises IndexError or ValueError for other bytes."""
    reader = Reader(data, offset)
    return reader.struct(0), reader.offset


def raw_fields(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The fields of the structure at the start: id, kind and encoded value of each."""
    reader = Reader(data)
    for field_id, kind in reader.fields():
        start = reader.offset
        reader.skip(kind)
        yield field_id, kind, data[start : reader.offset]


def encode(fields: Iterable[tuple[int, int, bytes]], *, after: int = 0) -> bytes:
    """A structure of fields (id, kind, encoded value), whose ids ascend by less than 16; or its end, `after` a field."""
    parts, last = [], after
    for field_id, kind, value in fields:
        parts += [bytes([(field_id - last) << 4 | kind]), value]
        last = field_id
    return b"".join([*parts, b"\0"])


def i16(field_id: int, value: int) -> tuple[int, int, bytes]:
    return field_id, _I16, integer(value)


def i32(field_id: int, value: int) -> tuple[int, int, bytes]:
    return field_id, _I32, integer(value)


def i64(field_id: int, value: int) -> tuple[int, int, bytes]:
    return field_id, _I64, integer(value)


def false(field_id: int) -> tuple[int, int, bytes]:
    return field_id, _FALSE, b""


def struct(field_id: int, value: bytes) -> tuple[int, int, bytes]:
    return field_id, _STRUCT, value


def structs(field_id: int, values: list[bytes]) -> tuple[int, int, bytes]:
    return field_id, _LIST, b"".join([_list_header(len(values), _STRUCT), *values])


def numbers(field_id: int, values: list[int]) -> tuple[int, int, bytes]:
    return field_id, _LIST, b"".join([_list_header(len(values), _I32), *map(integer, values)])


def binaries(field_id: int, values: list[bytes]) -> tuple[int, int, bytes]:
    parts = [_varint(len(value)) + value for value in values]
    return field_id, _LIST, b"".join([_list_header(len(values), _BINARY), *parts])


def binary(field_id: int, value: bytes) -> tuple[int, int, bytes]:
    return field_id, _BINARY, _varint(len(value)) + value


def _list_header(count: int, kind: int) -> bytes:
    return bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + _varint(count)


def integer(value: int) -> bytes:
    """An integer as it is encoded."""
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _varint(value: int) -> bytes:
    encoded_value = bytearray()
    while value >= 128:
        encoded_value.append(value & 127 | 128)
        value >>= 7
    encoded_value.append(value)
    return bytes(encoded_value)


class Reader:
    """Structures into dictionaries by field id, or field by field. Raises IndexError at the end of the data."""

    __slots__ = ("_data", "offset")

    def __init__(self, data: bytes | memoryview, offset: int = 0) -> None:
        self._data, self.offset = data, offset

    def struct(self, depth: int) -> Fields:
        if depth > _MAX_DEPTH:
            raise ValueError("structures nested too deep")
        data, fields, field_id, offset = self._data, Fields(), 0, self.offset
        while (header := data[offset]) != 0:
            kind, offset = header & 15, offset + 1
            if kind in _SHORT and header > kind and data[offset] < 128:
                # Most fields are small numbers, or bytes of a small number. The loop reads them itself: calls cost more.
                field_id, first, offset = field_id + (header >> 4), data[offset], offset + 1
                if kind != _BINARY:
                    fields[field_id] = (first >> 1) ^ -(first & 1)
                    continue
                if offset + first > len(data):
                    raise IndexError("an end of the data within a value")
                fields[field_id] = bytes(data[offset : offset + first])
                offset += first
                continue
            self.offset = offset
            field_id = field_id + (header >> 4) if header >> 4 else self.zigzag()
            fields[field_id] = _READERS[kind](self, depth + 1)
            offset = self.offset
        self.offset = offset + 1
        return fields

    def fields(self) -> Iterator[tuple[int, int]]:
        """The fields of the structure that starts here: id and kind of each. Who takes one reads or skips its value."""
        data, field_id = self._data, 0
        while (header := data[self.offset]) != 0:
            self.offset += 1
            field_id = field_id + (header >> 4) if header >> 4 else self.zigzag()
            yield field_id, header & 15
        self.offset += 1

    def skip(self, kind: int, depth: int = 1) -> None:
        """Passes over a value."""
        if depth > _MAX_DEPTH:
            raise ValueError("structures nested too deep")
        if kind in _INTEGERS:
            self.varint()
        elif kind == _BINARY:
            length = self.varint()
            self.offset += length
        elif kind == _STRUCT:
            self._skip_struct(depth)
        elif kind in (_LIST, _SET):
            count, inner = self.list_header()
            if inner in (_TRUE, _FALSE):
                self.offset += count
            else:
                for _ in range(count):
                    self.skip(inner, depth + 1)
        else:
            _READERS[kind](self, depth + 1)

    def _skip_struct(self, depth: int) -> None:
        data, offset = self._data, self.offset
        while (header := data[offset]) != 0:
            kind, offset = header & 15, offset + 1
            if kind in _SHORT and header > kind and (first := data[offset]) < 128:
                # As `struct` reads them.
                offset += 1 + (first if kind == _BINARY else 0)
                continue
            self.offset = offset
            if not header >> 4:
                self.zigzag()
            self.skip(kind, depth + 1)
            offset = self.offset
        self.offset = offset + 1

    def list_header(self) -> tuple[int, int]:
        """How many items of a list follow, and their kind."""
        header = self.take(1)[0]
        count = header >> 4 if header >> 4 < 15 else self.varint()
        if count > len(self._data) - self.offset:
            raise IndexError("a list longer than the data")
        return count, header & 15

    def items(self, depth: int) -> list[Any]:
        count, kind = self.list_header()
        if kind in (_TRUE, _FALSE):
            return [byte == _TRUE for byte in self.take(count)]
        read = _READERS[kind]
        return [read(self, depth) for _ in range(count)]

    def entries(self, depth: int) -> list[Any]:
        count = self.varint()
        if count > len(self._data) - self.offset:
            raise IndexError("a map longer than the data")
        if count == 0:
            return []
        kinds = self.take(1)[0]
        key, value = _READERS[kinds >> 4], _READERS[kinds & 15]
        return [(key(self, depth), value(self, depth)) for _ in range(count)]

    def take(self, count: int) -> bytes:
        start = self.offset
        self.offset += count
        if count < 0 or self.offset > len(self._data):
            raise IndexError("an end of the data within a value")
        return bytes(self._data[start : self.offset])

    def varint(self) -> int:
        data, offset = self._data, self.offset
        value = shift = 0
        while True:
            byte = data[offset]
            offset += 1
            value |= (byte & 127) << shift
            if byte < 128:
                self.offset = offset
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def zigzag(self, _: int = 0) -> int:
        raw = self._data[self.offset]
        if raw < 128:  # as most are
            self.offset += 1
        else:
            raw = self.varint()
        return (raw >> 1) ^ -(raw & 1)


_READERS: Final[dict[int, Callable[[Reader, int], Any]]] = {
    _TRUE: lambda *_: True,
    _FALSE: lambda *_: False,
    _BYTE: lambda reader, _: reader.take(1)[0],
    **dict.fromkeys(_INTEGERS, Reader.zigzag),
    _DOUBLE: lambda reader, _: reader.take(8),
    _BINARY: lambda reader, _: reader.take(reader.varint()),
    _LIST: Reader.items,
    _SET: Reader.items,
    _MAP: Reader.entries,
    _STRUCT: Reader.struct,
}
"""The reader of each kind of value. Not a part of `Reader`: an instance that refers to itself keeps its data in memory."""

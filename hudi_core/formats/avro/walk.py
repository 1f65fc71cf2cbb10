"""What is wrong with the bytes of one Avro value, and in which field: for messages, after columns could not be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from hudi_core.formats.avro.plan import (
    Array,
    Boolean,
    Branches,
    Enumeration,
    Fixed,
    Floating,
    Integer,
    Map,
    Node,
    Null,
    Nullable,
    Record,
    Sized,
    get_fixed_width,
    least_width,
)

MAX_EMPTY_ITEMS = 1 << 24
"""Items without bytes in one list: a count can claim any number of them at no cost to the writer."""

Walk = Callable[[bytes, int, int], int]
"""(bytes, where the value begins, where the record ends) → where the value ends; raises Flaw."""


@dataclass
class DecodeFault(Exception):
    """What is wrong with a value; `path` is filled in on the way out of the fields around it. Never leaves the decoder."""

    expected: str
    found: str
    path: str = ""


def flaw(node: Node, record: bytes) -> DecodeFault | None:
    """What keeps the bytes from being exactly one value of the node; None when nothing does."""
    try:
        after = _walker(node)(record, 0, len(record))
    except DecodeFault as error:
        return error
    if after != len(record):
        return DecodeFault("the end of the record", f"{len(record) - after} more bytes")
    return None


def _walker(node: Node) -> Walk:
    """The function that passes over one value of the node and checks it."""
    match node:
        case Null():
            return _null
        case Boolean():
            return _boolean
        case Integer(bits):
            return _long if bits == 64 else _int
        case Floating(size) | Fixed(size):
            return _walk_fixed(size)
        case Sized(utf8):
            return _string if utf8 else _bytes
        case Enumeration(symbols):
            return _enumeration(len(symbols))
        case Record(fields):
            return _record([(node_of_union.name, _walker(node_of_union.node)) for node_of_union in fields])
        case Array(item):
            return _items(item)
        case Map():
            return _items(node.entry)
        case Nullable(inner, null):
            return _union([_walker(Null()), _walker(inner)] if null == 0 else [_walker(inner), _walker(Null())])
        case Branches(nodes=nodes):
            return _union([_walker(node_of_union) for node_of_union in nodes])
    assert_never(node)


def _block(data: bytes, position: int, end: int) -> tuple[int, int]:
    """The count in a block header, and where the block's first item starts."""
    count, position = _varint(data, position, end)
    if count < 0:
        _, position = _varint(data, position, end)
        count = -count
    return count, position


def _varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    """The zigzag varint at `position`, and where it ends."""
    raw = shift = 0
    while True:
        if position >= end:
            raise DecodeFault("a number", "the end of the record")
        byte = data[position]
        position += 1
        raw |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
        if shift > 63:
            raise DecodeFault("a number of at most 10 bytes", "more")
    if raw >> 64:
        raise DecodeFault("a number of at most 64 bits", "more")
    return (raw >> 1) ^ -(raw & 1), position


def _within(after: int, end: int) -> int:
    if after > end:
        raise DecodeFault("a value within the record", f"one that ends {after - end} bytes later")
    return after


def _null(data: bytes, position: int, end: int) -> int:  # noqa: ARG001  # it is a Walk
    return position


def _walk_fixed(size: int) -> Walk:
    def walk(data: bytes, position: int, end: int) -> int:  # noqa: ARG001  # it is a Walk
        return _within(position + size, end)

    return walk


def _boolean(data: bytes, position: int, end: int) -> int:
    _within(position + 1, end)
    if data[position] > 1:
        raise DecodeFault("a boolean, 0 or 1", str(data[position]))
    return position + 1


def _long(data: bytes, position: int, end: int) -> int:
    return _varint(data, position, end)[1]


def _int(data: bytes, position: int, end: int) -> int:
    value, position = _varint(data, position, end)
    if not -(1 << 31) <= value < 1 << 31:
        raise DecodeFault("an int of 32 bits", str(value))
    return position


def _bytes(data: bytes, position: int, end: int) -> int:
    size, position = _varint(data, position, end)
    if size < 0:
        raise DecodeFault("a length", str(size))
    return _within(position + size, end)


def _string(data: bytes, position: int, end: int) -> int:
    after = _bytes(data, position, end)
    start = _varint(data, position, end)[1]
    try:
        data[start:after].decode()
    except UnicodeDecodeError as error:
        raise DecodeFault("UTF-8 text", f"byte {data[start + error.start]:#04x}") from None
    return after


def _enumeration(symbols: int) -> Walk:
    def walk(data: bytes, position: int, end: int) -> int:
        index, position = _varint(data, position, end)
        if not 0 <= index < symbols:
            raise DecodeFault(f"a symbol from 0 to {symbols - 1}", str(index))
        return position

    return walk


def _union(branches: list[Walk]) -> Walk:
    def walk(data: bytes, position: int, end: int) -> int:
        index, position = _varint(data, position, end)
        if not 0 <= index < len(branches):
            raise DecodeFault(f"a union branch from 0 to {len(branches) - 1}", str(index))
        return branches[index](data, position, end)

    return walk


def _record(fields: list[tuple[str, Walk]]) -> Walk:
    def walk(data: bytes, position: int, end: int) -> int:
        name = ""
        try:
            for name, step in fields:  # noqa: B007  # the name of the field is in the error
                position = step(data, position, end)
        except DecodeFault as error:
            error.path = f"{name}.{error.path}" if error.path else name
            raise
        return position

    return walk


def _items(item: Node) -> Walk:
    width, least, step = get_fixed_width(item), least_width(item), _walker(item)

    def walk(data: bytes, position: int, end: int) -> int:
        while True:
            count, position = _block(data, position, end)
            if count == 0:
                return position
            if count > ((end - position) // least if least else MAX_EMPTY_ITEMS):
                raise DecodeFault("items within the record", f"a block of {count}")
            if width == 0 or (width and isinstance(item, Floating | Fixed)):
                position += count * width
                continue
            for _ in range(count):
                position = step(data, position, end)

    return walk

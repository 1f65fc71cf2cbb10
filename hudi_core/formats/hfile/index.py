"""Block indexes of an HFile: which block starts with which row. Rule FORMAT-20."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hudi_core.errors import CorruptFileError

_ENTRY = struct.Struct(">qi")
_CELL_KEY_EXTRA = 10  # family length, timestamp and type that follow the row in a whole cell key
UNITS: Final = bytes.maketrans(b"\xee\xef", b"\xf8\xf9")
"""Bytes whose order is that of UTF-16 units."""
_EMPTY_ENTRY = (
    _ENTRY.size + 1
)  # the one entry, with a key of no bytes, that hudi-rs puts into the root of a file without cells
_MIDDLE_KEY = 16  # what HBase adds to the root of an index of several levels


@dataclass(frozen=True, slots=True)
class IndexNode:
    """Blocks in file order. A block's row is at most its first one, and greater than all rows of the blocks before it."""

    rows: list[bytes]
    offsets: list[int]
    sizes: list[int]


def units(row: bytes) -> bytes:
    """Bytes that compare with those of others as the strings of both do by UTF-16 units."""
    return row.translate(UNITS)


def ascend(rows: list[bytes]) -> bool:
    """Whether rows ascend in one of the two orders."""
    return all(before <= after for before, after in pairwise(rows)) or all(
        units(before) <= units(after) for before, after in pairwise(rows)
    )


def join_nodes(nodes: list[IndexNode]) -> IndexNode:
    """Nodes next to each other as one."""
    return IndexNode(
        rows=[row for node in nodes for row in node.rows],
        offsets=[offset for node in nodes for offset in node.offsets],
        sizes=[size for node in nodes for size in node.sizes],
    )


def parse_root_index(body: bytes, count: int, levels: int, limit: int, where: str) -> IndexNode:
    """The root data index: `count` entries for blocks that end at or before offset `limit`."""
    place = f"{where}: root data index"
    entries: list[tuple[int, int, bytes]] = []
    position = 0
    for _ in range(count):
        offset, size = _place(body, position, limit, place)
        row, position = _root_row(body, position + _ENTRY.size, place)
        entries.append((offset, size, row))
    if not count and len(body) == _EMPTY_ENTRY and not body[_ENTRY.size]:
        return _node([], place)
    rest = len(body) - position
    if rest not in ((0,) if levels == 1 else (0, _MIDDLE_KEY)):
        raise CorruptFileError(place, expected=f"{count} entries in {len(body)} bytes", found=f"{rest} bytes more")
    return _node(entries, place)


def parse_inner_index(body: bytes, limit: int, where: str) -> IndexNode:
    """A leaf or an intermediate index block, whose entries are found by a list of offsets."""
    (count,) = _numbers(body, 0, 1, where)
    if count < 0:
        raise CorruptFileError(where, expected="a count of entries", found=str(count))
    bounds = _numbers(body, 4, count + 1, where)
    base = 4 * (count + 2)
    entries: list[tuple[int, int, bytes]] = []
    for start, end in pairwise(bounds):
        if not 0 <= start <= end - _ENTRY.size or base + end > len(body):
            raise CorruptFileError(where, expected=f"an entry within {len(body)} bytes", found=f"{start} to {end}")
        offset, size = _place(body, base + start, limit, where)
        row = _row(body[base + start + _ENTRY.size : base + end])
        if row is None:
            raise CorruptFileError(where, expected="a key that holds its row", found=f"{end - start} bytes at {start}")
        entries.append((offset, size, row))
    return _node(entries, where)


def parse_meta_index(body: bytes, count: int, limit: int, where: str) -> dict[bytes, tuple[int, int]]:
    """Offset and size of each meta block by its name."""
    place = f"{where}: meta index"
    blocks: dict[bytes, tuple[int, int]] = {}
    position = 0
    for _ in range(count):
        block = _place(body, position, limit, place)
        lengths = list(_lengths(body, position + _ENTRY.size))
        if not lengths or lengths[0][1] + lengths[0][0] > len(body):
            raise CorruptFileError(place, expected="the name of a meta block", found=f"{len(body)} bytes")
        length, start = lengths[0]
        blocks[bytes(body[start : start + length])] = block
        position = start + length
    return blocks


def _node(entries: list[tuple[int, int, bytes]], place: str) -> IndexNode:
    rows = [row for _, _, row in entries]
    if not ascend(rows):
        raise CorruptFileError(place, expected="rows in ascending order", found="rows out of order")
    return IndexNode(rows, [offset for offset, _, _ in entries], [size for _, size, _ in entries])


def _place(body: bytes, position: int, limit: int, place: str) -> tuple[int, int]:
    if len(body) - position < _ENTRY.size:
        raise CorruptFileError(place, expected=f"an entry at byte {position}", found=f"{len(body)} bytes")
    offset, size = _ENTRY.unpack_from(body, position)
    if offset < 0 or size < 0 or offset + size > limit:
        raise CorruptFileError(place, expected=f"a block before offset {limit}", found=f"{size} bytes at {offset}")
    return offset, size


def _root_row(body: bytes, position: int, place: str) -> tuple[bytes, int]:
    for length, start in _lengths(body, position):
        key = body[start : start + length]
        row = _row(key) if len(key) == length else None
        if row is not None:
            return row, start + length
    raise CorruptFileError(place, expected=f"a key with its length at byte {position}", found="none that holds its row")


def _row(key: bytes) -> bytes | None:
    """The row of a key, a whole cell key or only its row part; None when the lengths do not agree."""
    row = bytes(key[2 : 2 + int.from_bytes(key[:2], "big")])
    rest = len(key) - 2 - int.from_bytes(key[:2], "big")
    return row if len(key) >= 2 and rest in (0, _CELL_KEY_EXTRA) else None


def _lengths(body: bytes, position: int) -> Iterator[tuple[int, int]]:
    """Ways to read the length at `position`, with where the key then starts: as Hadoop's variable integer, then as protobuf's.

    Readers expect the first, but Apache Hudi's own writer uses the second; they differ from 128 on. The row's own length
    shows which one it is.
    """
    if position >= len(body):
        return
    first = body[position]
    if first < 0x80:
        yield first, position + 1
        return
    size = 0x90 - first  # -112 less the signed first byte
    if 0 < size <= 8 and position + 1 + size <= len(body):
        yield int.from_bytes(body[position + 1 : position + 1 + size], "big"), position + 1 + size
    if position + 1 < len(body) and body[position + 1] < 0x80:
        yield first & 0x7F | body[position + 1] << 7, position + 2
    elif position + 2 < len(body) and body[position + 2] < 0x80:
        yield first & 0x7F | (body[position + 1] & 0x7F) << 7 | body[position + 2] << 14, position + 3


def _numbers(body: bytes, position: int, count: int, place: str) -> tuple[int, ...]:
    if len(body) < position + 4 * count:
        raise CorruptFileError(place, expected=f"{count} numbers at byte {position}", found=f"{len(body)} bytes")
    return struct.unpack_from(f">{count}i", body, position)

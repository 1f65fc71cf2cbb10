"""Makes HFiles of every shape the two writers leave, byte by byte, so that a test can choose what is in them."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hudi_core.formats.crc32c import crc32c

SUFFIX = b"\0" + b"\x7f" + b"\xff" * 7 + b"\x04"
GZ, NONE = 1, 2


@dataclass(frozen=True)
class Shape:
    """How a file is written. The defaults are those of Apache Hudi's own writer, but for the block size."""

    block_size: int = 1 << 10
    codec: int = GZ
    checksum: int = 0
    zeros: bool = False
    """The place of each checksum holds zeros, whatever its type, as hudi-rs leaves it."""
    piece: int = 16384
    whole_keys: bool = False
    """Index keys are whole cell keys, as HBase writes them; otherwise only their row part."""
    hadoop_lengths: bool = False
    """Lengths of index keys are Hadoop's variable integers; otherwise protobuf's."""
    fanout: int | None = None
    """Entries in an index block below the root; None for an index of one level."""
    timestamps: bool = True
    info: Mapping[bytes, bytes] = field(default_factory=dict)
    metas: Mapping[bytes, bytes] = field(default_factory=dict)
    trailer: Mapping[int, int | bytes] = field(default_factory=dict)
    """Trailer fields that take the place of the true ones."""


def cell(row: bytes, value: bytes, timestamps: bool = True) -> bytes:
    head = struct.pack(">iih", len(row) + 12, len(value), len(row))
    return head + row + SUFFIX + value + (b"\0" if timestamps else b"")


def build(cells: Sequence[tuple[bytes, bytes]], shape: Shape = Shape()) -> bytes:
    """The bytes of an HFile with these rows and values, which must ascend."""
    out = bytearray()
    entries: list[tuple[bytes, int, int]] = []
    pending, first = b"", b""
    places: list[int] = []
    for row, value in cells:
        if not pending:
            first = row
        pending += cell(row, value, shape.timestamps)
        if len(pending) >= shape.block_size:
            entries.append(_put(out, b"DATABLK*", pending, first, shape))
            pending = b""
    if pending:
        entries.append(_put(out, b"DATABLK*", pending, first, shape))
    places = [offset for _, offset, _ in entries]
    levels = 1
    while shape.fanout and len(entries) > shape.fanout:
        kind = b"IDXLEAF2" if levels == 1 else b"IDXINTE2"
        groups = [entries[at : at + shape.fanout] for at in range(0, len(entries), shape.fanout)]
        entries = [_put(out, kind, inner_node(group), group[0][0], shape) for group in groups]
        levels += 1
    metas = [(name, *_put(out, b"METABLKc", content, b"", shape)[1:]) for name, content in shape.metas.items()]
    load_on_open = len(out)
    root = b"".join(struct.pack(">qi", at, size) + sized(index_key(row, shape), shape) for row, at, size in entries)
    _put(out, b"IDXROOT2", root + (bytes(16) if levels > 1 else b""), b"", shape)
    meta_index = b"".join(struct.pack(">qi", at, size) + sized(name, shape) for name, at, size in metas)
    _put(out, b"IDXROOT2", meta_index, b"", shape)
    file_info = len(out)
    version = {b"KEY_VALUE_VERSION": struct.pack(">i", 1), b"MAX_MEMSTORE_TS_KEY": bytes(8)} if shape.timestamps else {}
    pairs = {**version, **shape.info}
    body = b"".join(_text(1, _text(1, key) + _text(2, value)) for key, value in pairs.items())
    _put(out, b"FILEINF2", b"PBUF" + _varint(len(body)) + body, b"", shape)
    fields: dict[int, int | bytes] = {
        1: file_info,
        2: load_on_open,
        3: 0,
        5: len(entries),
        6: len(metas),
        7: len(cells),
        8: levels,
        9: places[0] if places else (1 << 64) - 1,
        10: places[-1] if places else (1 << 64) - 1,
        11: b"org.apache.hudi.io.storage.HoodieHBaseKVComparator",
        12: shape.codec,
        **shape.trailer,
    }
    message = b"".join(
        _varint(number << 3) + _varint(value) if isinstance(value, int) else _text(number, value)
        for number, value in fields.items()
    )
    trailer = b'TRABLK"$' + _varint(len(message)) + message
    return bytes(out + trailer.ljust(4092, b"\0") + struct.pack(">i", 3))


def _put(out: bytearray, kind: bytes, content: bytes, row: bytes, shape: Shape) -> tuple[bytes, int, int]:
    """Append a block; its first row, offset and size."""
    stored = gzip.compress(content, 6, mtime=0) if shape.codec == GZ else content
    checked = 33 + len(stored)
    count = -(-checked // shape.piece)
    head = kind + struct.pack(
        ">iiqBii", len(stored) + 4 * count, len(content), -1, shape.checksum, shape.piece, checked
    )
    data = head + stored
    pieces = [data[at : at + shape.piece] for at in range(0, checked, shape.piece)]
    sums = {
        0: [0] * count,
        1: [zlib.crc32(piece) for piece in pieces],
        2: crc32c(pieces).tolist() if shape.checksum == 2 else [],
    }
    offset = len(out)
    out += data + struct.pack(f">{count}I", *([0] * count if shape.zeros else sums.get(shape.checksum, [0] * count)))
    return row, offset, len(out) - offset


def inner_node(entries: Sequence[tuple[bytes, int, int]]) -> bytes:
    parts = [
        struct.pack(">qi", offset, size) + struct.pack(">h", len(row)) + row + SUFFIX for row, offset, size in entries
    ]
    bounds = [0]
    for part in parts:
        bounds.append(bounds[-1] + len(part))
    return struct.pack(f">{len(bounds) + 1}i", len(parts), *bounds) + b"".join(parts)


def index_key(row: bytes, shape: Shape) -> bytes:
    return struct.pack(">h", len(row)) + row + (SUFFIX if shape.whole_keys else b"")


def sized(text: bytes, shape: Shape) -> bytes:
    if not shape.hadoop_lengths or len(text) < 0x80:
        return _varint(len(text)) + text
    magnitude = len(text).to_bytes((len(text).bit_length() + 7) // 8, "big")
    return bytes([0x90 - len(magnitude)]) + magnitude + text


def _text(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))

"""Blocks of an HFile: their frame, their checksums, their compression. Rules FORMAT-16, FORMAT-17 and FORMAT-19."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Words32
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.crc32c import crc32c
from hudi_core.formats.hfile.trailer import Codec
from hudi_core.formats.inflate import inflate

DATA = b"DATABLK*"
ENCODED_DATA = b"DATABLKE"
LEAF_INDEX = b"IDXLEAF2"
INTERMEDIATE_INDEX = b"IDXINTE2"
ROOT_INDEX = b"IDXROOT2"
META = b"METABLKc"
FILE_INFO = b"FILEINF2"

HEADER_SIZE = 33
HEADER = struct.Struct(">8siiqBii")
"""Magic, size after the header, uncompressed size, offset before, checksum type, bytes per checksum, bytes that are checked."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block as stored. `stored` is its header and its data, `sums` the checksums of each `piece` bytes of that."""

    kind: bytes
    offset: int
    size: int
    uncompressed_size: int
    stored: memoryview
    checksum: int
    piece: int
    sums: memoryview


def parse_block(data: memoryview, start: int, offset: int, where: str) -> Block:
    """The block at index `start` of `data`, the file's bytes from some place on; `offset` is where in the file it lies."""
    place = f"{where}: block at offset {offset}"
    if len(data) - start < HEADER_SIZE:
        raise CorruptFileError(place, expected=f"a header of {HEADER_SIZE} bytes", found=f"{len(data) - start} bytes")
    kind, on_disk, uncompressed, _, checksum, piece, checked = HEADER.unpack_from(data, start)
    size = HEADER_SIZE + on_disk
    if on_disk < 0 or size > len(data) - start:
        raise CorruptFileError(place, expected=f"at most {len(data) - start} bytes", found=f"a size of {size}")
    if not HEADER_SIZE <= checked <= size or uncompressed < 0:
        raise CorruptFileError(
            place,
            expected=f"data that ends within {size} bytes",
            found=f"{checked} bytes with the header, {uncompressed} uncompressed",
        )
    return Block(
        kind=kind,
        offset=offset,
        size=size,
        uncompressed_size=uncompressed,
        stored=data[start : start + checked],
        checksum=checksum,
        piece=piece,
        sums=data[start + checked : start + size],
    )


def expect_kind(block: Block, kind: bytes, where: str) -> None:
    if block.kind == ENCODED_DATA and kind == DATA:
        raise UnsupportedError(
            f"{where}: block at offset {block.offset}", expected="plain cells", found="encoded cells"
        )
    if block.kind != kind:
        raise CorruptFileError(
            f"{where}: block at offset {block.offset}", expected=f"a block {kind!r}", found=repr(block.kind)
        )


def verify(blocks: Sequence[Block], where: str) -> None:
    """Compare the checksums of all blocks with their bytes; a block of checksum type 0 has none."""
    pieces: list[memoryview] = []
    owners: list[Block] = []
    claimed: list[memoryview] = []
    for block in blocks:
        if block.checksum == 0:
            continue
        place = f"{where}: block at offset {block.offset}"
        if block.checksum not in (1, 2):
            raise CorruptFileError(place, expected="checksum type 0, 1 or 2", found=str(block.checksum))
        length = len(block.stored)
        if block.piece <= 0 or len(block.sums) != 4 * -(-length // block.piece):
            raise CorruptFileError(
                place,
                expected=f"a checksum of 4 bytes for each {block.piece} of {length} bytes",
                found=f"{len(block.sums)} bytes",
            )
        cut = [block.stored[start : start + block.piece] for start in range(0, length, block.piece)]
        if block.checksum == 1:
            _compare(np.array([zlib.crc32(piece) for piece in cut], np.uint32), [block] * len(cut), [block.sums], where)
            continue
        pieces += cut
        owners += [block] * len(cut)
        claimed.append(block.sums)
    if pieces:
        _compare(crc32c(pieces), owners, claimed, where)


def leaves_checksums_out(blocks: Sequence[Block]) -> bool:
    """Whether the place of every checksum holds zeros: the writer states a type and computes none. Rule FORMAT-1120."""
    return all(block.checksum == 0 or not any(block.sums) for block in blocks)


def _compare(computed: Words32, owners: Sequence[Block], claimed: Sequence[memoryview], where: str) -> None:
    stored = np.frombuffer(b"".join(claimed), ">u4")
    wrong = np.flatnonzero(computed != stored)
    if wrong.size:
        first = int(wrong[0])
        raise CorruptFileError(
            f"{where}: block at offset {owners[first].offset}",
            expected=f"checksum {int(computed[first]):#010x} as the bytes have it",
            found=f"{int(stored[first]):#010x}",
        )


def content(block: Block, codec: Codec, where: str) -> bytes | memoryview:
    """The uncompressed bytes after the header. Memory used is bounded by the bytes stored, whatever size is claimed."""
    stored = block.stored[HEADER_SIZE:]
    place = f"{where}: block at offset {block.offset}"
    if codec is Codec.NONE:
        if len(stored) != block.uncompressed_size:
            raise CorruptFileError(place, expected=f"{block.uncompressed_size} bytes", found=f"{len(stored)} bytes")
        return stored
    if codec is not Codec.GZ:
        raise UnsupportedError(place, expected="codec GZ or NONE", found=f"codec {codec.name}")
    if block.uncompressed_size == 0 and not stored:
        return b""
    return inflate(stored, block.uncompressed_size, place)

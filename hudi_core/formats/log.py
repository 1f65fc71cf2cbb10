"""Log files: their blocks, found and classified; the content of a block is read on access. Rules: `specs/log-files.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.random_access import RandomAccess, read_range

MAGIC = b"#HUDI#"
FORMAT_VERSION = 1

READ_AHEAD = 64 * 1024
"""Bytes read at once where a block begins: frame and header of most blocks, and the whole of small ones."""

SCAN = 1024 * 1024
"""Bytes read at once in search of the next magic."""

MIN_SIZE = 4 + 4 + 4 + 8 + 4 + 8
"""What a block's size field counts at least: version, type, no header, content length, no footer, trailing length."""


class BlockKind(IntEnum):
    """The block type as it is stored. CORRUPT is never stored by a sound writer: it stands for a region without a block."""

    COMMAND = 0
    DELETE = 1
    CORRUPT = 2
    AVRO_DATA = 3
    HFILE_DATA = 4
    PARQUET_DATA = 5
    CDC_DATA = 6


class HeaderKey(IntEnum):
    """The keys of a block's header as they are stored."""

    INSTANT_TIME = 0
    TARGET_INSTANT_TIME = 1
    SCHEMA = 2
    COMMAND_BLOCK_TYPE = 3
    COMPACTED_BLOCK_TIMES = 4
    RECORD_POSITIONS = 5
    BLOCK_IDENTIFIER = 6
    IS_PARTIAL = 7
    BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS = 8


@dataclass(frozen=True, slots=True)
class LogBlock:
    """A block, or a CORRUPT region between blocks: bytes `offset` to `offset + length` of the file.

    Unknown header keys keep their number. A CORRUPT region has no header and is all content; so is a `native` file, whose
    header is elsewhere in it.
    """

    source: RandomAccess = field(repr=False)
    kind: BlockKind
    offset: int
    length: int
    header: Mapping[HeaderKey | int, str]
    footer: Mapping[int, str]
    content_offset: int
    content_length: int
    native: bool = False

    @property
    def where(self) -> str:
        """Names the block in errors."""
        return self.source.where if self.native else f"{self.source.where}, block at {self.offset}"

    def content(self) -> bytes:
        """The content's bytes, read now."""
        return read_range(self.source, self.content_offset, self.content_length, "block content")

    def require(self, key: HeaderKey) -> str:
        """The header's value; CorruptFileError when it is missing."""
        if key not in self.header:
            raise CorruptFileError(self.where, expected=f"header {key.name}", found="none")
        return self.header[key]


def read_blocks(source: RandomAccess) -> Iterator[LogBlock]:
    """The blocks of a log file in file order; together they are exactly the file.

    Bytes that are no whole block come as a CORRUPT region that ends where the next magic begins, or with the file. A block
    whose frame is whole but whose inside contradicts itself raises CorruptFileError; an unknown format version or block
    type raises UnsupportedError. Reads frames and headers only, apart from what lies within READ_AHEAD of them.
    """
    file = _BufferedReads(source)
    offset = 0
    while offset < source.size:
        length = _frame_length(file, offset)
        if length is None:
            end = _next_magic(source, offset + 1)
            yield LogBlock(source, BlockKind.CORRUPT, offset, end - offset, {}, {}, offset, end - offset)
            offset = end
        else:
            yield _block(file, offset, length)
            offset += length


def rollback_target(block: LogBlock) -> str:
    """The instant whose blocks a COMMAND block cancels. UnsupportedError for a command that is not a rollback."""
    if block.kind is not BlockKind.COMMAND:
        raise ValueError(f"{block.where} is {block.kind.name}, not COMMAND")
    command = block.require(HeaderKey.COMMAND_BLOCK_TYPE)
    if command != "0":
        raise UnsupportedError(block.where, expected="command 0 (rollback)", found=f"command {command}")
    return block.require(HeaderKey.TARGET_INSTANT_TIME)


class _BufferedReads:
    """Small reads of a source served from one larger read."""

    def __init__(self, source: RandomAccess) -> None:
        self.source = source
        self.start, self.data = 0, b""

    def bytes(self, offset: int, length: int) -> bytes:
        """The bytes of a range, fewer at the end of the file."""
        start = offset - self.start
        if start < 0 or start + length > len(self.data):
            wanted = min(max(length, READ_AHEAD), self.source.size - offset)
            self.start, self.data, start = offset, read_range(self.source, offset, max(wanted, 0), "log blocks"), 0
        return self.data[start : start + length]

    def integer(self, offset: int, length: int) -> int:
        return int.from_bytes(self.bytes(offset, length), "big", signed=True)


def _frame_length(file: _BufferedReads, offset: int) -> int | None:
    """Length of the whole frame at `offset`; None when there is none: no magic, cut off, lengths that disagree, or something
    other than another magic behind it."""
    total = file.source.size
    start = offset + len(MAGIC) + 8
    if start > total or file.bytes(offset, len(MAGIC)) != MAGIC:
        return None
    size = file.integer(offset + len(MAGIC), 8)
    end = start + size
    if size < MIN_SIZE or end > total or file.integer(end - 8, 8) != size + len(MAGIC):
        return None
    following = file.bytes(end, min(len(MAGIC), total - end))
    return end - offset if len(following) < len(MAGIC) or following == MAGIC else None


def _next_magic(source: RandomAccess, offset: int) -> int:
    """Where the next magic begins, from `offset` on; the end of the file when there is none."""
    overlap = len(MAGIC) - 1
    while offset < source.size:
        data = read_range(source, offset, min(SCAN, source.size - offset), "log blocks")
        position = data.find(MAGIC)
        if position >= 0:
            return offset + position
        if offset + len(data) >= source.size:
            break
        offset += len(data) - overlap
    return source.size


def _block(file: _BufferedReads, offset: int, length: int) -> LogBlock:
    source, end = file.source, offset + length - 8
    where = f"{source.where}, block at {offset}"
    position = offset + len(MAGIC) + 8
    version, kind = file.integer(position, 4), file.integer(position + 4, 4)
    if version != FORMAT_VERSION:
        raise UnsupportedError(where, expected=f"log format version {FORMAT_VERSION}", found=str(version))
    if kind not in BlockKind.__members__.values():
        raise UnsupportedError(where, expected=f"a block type from 0 to {max(BlockKind).value}", found=str(kind))
    header, position = _metadata(file, position + 8, end, where)
    content_length = _read_count(file, position, 8, end, where, "content length")
    content_offset = position + 8
    footer, position = _metadata(file, content_offset + content_length, end, where)
    if position != end:
        raise CorruptFileError(
            where, expected="the trailing length after the footer", found=f"{end - position} more bytes"
        )
    header_by_key = {
        HeaderKey(key) if key in HeaderKey.__members__.values() else key: value for key, value in header.items()
    }
    return LogBlock(source, BlockKind(kind), offset, length, header_by_key, footer, content_offset, content_length)


def _metadata(file: _BufferedReads, position: int, end: int, where: str) -> tuple[dict[int, str], int]:
    """A header or footer, and where it ends."""
    entries: dict[int, str] = {}
    count = _read_count(file, position, 4, end, where, "count of header or footer entries", least_size=8)
    position += 4
    for _ in range(count):
        key = file.integer(position, 4)
        length = _read_count(file, position + 4, 4, end, where, "length of a header or footer entry")
        try:
            entries[key] = file.bytes(position + 8, length).decode()
        except UnicodeDecodeError as error:
            raise CorruptFileError(
                where, expected=f"UTF-8 text under header key {key}", found=str(error.reason)
            ) from None
        position += 8 + length
    return entries, position


def _read_count(
    file: _BufferedReads, position: int, width: int, end: int, where: str, what: str, least_size: int = 1
) -> int:
    """The number of `width` bytes at `position`: of things of at least `least_size` bytes that follow it, before `end`."""
    count = file.integer(position, width) if position + width <= end else -1
    if count < 0 or position + width + count * least_size > end:
        shown = str(count) if position + width <= end else "the end of the block"
        raise CorruptFileError(where, expected=f"{what} within the block", found=shown)
    return count

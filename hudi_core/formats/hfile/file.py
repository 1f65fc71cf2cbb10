"""HFile version 3: opened from random access, read whole, looked up by key or by prefix. Rules FORMAT-14 to FORMAT-22."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.hfile.block import (
    DATA,
    FILE_INFO,
    INTERMEDIATE_INDEX,
    LEAF_INDEX,
    META,
    ROOT_INDEX,
    Block,
    content,
    expect_kind,
    leaves_checksums_out,
    parse_block,
    verify,
)
from hudi_core.formats.hfile.cells import Cells, decode_cells
from hudi_core.formats.hfile.index import (
    IndexNode,
    join_nodes,
    parse_inner_index,
    parse_meta_index,
    parse_root_index,
)
from hudi_core.formats.hfile.search import Wanted, match_prefixes, match_rows, match_strings
from hudi_core.formats.hfile.trailer import TRAILER_SIZE, Codec, Trailer, parse_file_info, parse_trailer
from hudi_core.formats.random_access import RandomAccess, read_range, read_ranges

_TAIL = 1 << 16  # bytes read at opening; in most files they hold the whole load-on-open section
_READ_TOGETHER = 1 << 23  # neighbouring blocks are read in one piece up to this size
_PIECE = 1 << 22  # uncompressed bytes that are decoded together by one thread


@dataclass(frozen=True, slots=True, eq=False)
class CellMatches:
    """Cells found for keys: cell `i` has the key at index `key_indexes[i]` of those requested. Keys without a row have none."""

    cells: Cells
    key_indexes: Numbers


class HFile:
    """One HFile. Opening reads its end only: trailer, root indexes, file info.

    Raises `CorruptFileError` where bytes contradict the format, `UnsupportedError` for other versions, codecs and
    encryption. Everything read is checked against its checksum where the file has one.
    """

    def __init__(self, source: RandomAccess) -> None:
        self.where = source.where
        self.blocks_read = 0
        """Blocks read since opening."""
        self._source = source
        self._inner: dict[int, IndexNode] = {}

        start = max(source.size - max(_TAIL, TRAILER_SIZE), 0)
        tail = read_range(source, start, source.size - start, "the end of an HFile")
        if len(tail) < TRAILER_SIZE:
            raise CorruptFileError(
                self.where, expected=f"a trailer of {TRAILER_SIZE} bytes", found=f"a file of {len(tail)} bytes"
            )
        self.trailer: Trailer = parse_trailer(tail[-TRAILER_SIZE:], source.size, self.where)
        self.codec: Codec = self.trailer.codec
        self.entry_count: int = self.trailer.entry_count
        self._load_on_open(start, tail)

    def _load_on_open(self, start: int, tail: bytes) -> None:
        trailer, where = self.trailer, self.where
        first, end = trailer.load_on_open_offset, self._source.size - TRAILER_SIZE
        if first >= start:
            section = memoryview(tail)[first - start : end - start]
        else:
            section = memoryview(read_range(self._source, first, end - first, "load-on-open section"))
        data_index = parse_block(section, 0, first, where)
        meta_index = parse_block(section, data_index.size, first + data_index.size, where)
        info = parse_block(section, trailer.file_info_offset - first, trailer.file_info_offset, where)
        expect_kind(data_index, ROOT_INDEX, where)
        expect_kind(meta_index, ROOT_INDEX, where)
        expect_kind(info, FILE_INFO, where)
        blocks = [data_index, meta_index, info]
        self._without_checksums = leaves_checksums_out(blocks)
        self._verify(blocks)

        self._root = parse_root_index(
            self._content(data_index), trailer.data_index_count, trailer.data_index_levels, first, where
        )
        self._meta_index = parse_meta_index(self._content(meta_index), trailer.meta_index_count, first, where)
        self.file_info: dict[bytes, bytes] = parse_file_info(self._content(info), where)
        version = self._info_number(b"KEY_VALUE_VERSION", 4)
        if version not in (0, 1) or self._info_number(b"MAX_MEMSTORE_TS_KEY", 8, 1) > 0:
            raise UnsupportedError(
                f"{where}: file info", expected="cells without memstore timestamps", found=f"cell version {version}"
            )
        self._trailing = version  # bytes after each value: version 1 has a timestamp there, which is 0

    def _info_number(self, key: bytes, width: int, other_width: int = 0) -> int:
        """A number of the file info, of one width or the other; 0 where there is none."""
        data = self.file_info.get(key, bytes(width))
        if len(data) not in {width, other_width or width}:
            raise CorruptFileError(
                f"{self.where}: file info", expected=f"{width} bytes of {key.decode()}", found=f"{len(data)} bytes"
            )
        return int.from_bytes(data, "big", signed=True)

    @property
    def schema_text(self) -> str | None:
        """The Avro schema the values were written with, as JSON text; None when the file does not have it."""
        data = self.file_info.get(b"schema")
        try:
            return None if data is None else data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CorruptFileError(f"{self.where}: schema", expected="UTF-8 text", found=str(error)) from None

    def meta(self, name: str) -> bytes | None:
        """The content of a meta block; None when there is none of that name."""
        place = self._meta_index.get(name.encode())
        if place is None:
            return None
        (block,) = self._read([place], META)
        return self._content(block)

    def cells(self) -> Cells:
        """The whole file, read from the first data block on in one piece. The index is not needed for it."""
        first, last = self.trailer.first_data_block_offset, self.trailer.last_data_block_offset
        blocks: list[Block] = []
        if self._root.rows:
            end = self.trailer.load_on_open_offset
            if self.trailer.data_index_levels == 1:
                end = self._root.offsets[-1] + self._root.sizes[-1]
            section = memoryview(read_range(self._source, first, end - first, "data blocks"))
            position = 0
            while first + position <= last:
                block = parse_block(section, position, first + position, self.where)
                if block.kind not in (LEAF_INDEX, INTERMEDIATE_INDEX, META):
                    expect_kind(block, DATA, self.where)
                    blocks.append(block)
                position += block.size
            if not blocks or blocks[-1].offset != last:
                raise CorruptFileError(
                    f"{self.where}: data blocks from offset {first}",
                    expected=f"the last one at offset {last}",
                    found=f"one at offset {blocks[-1].offset}" if blocks else "none",
                )
        self._verify(blocks)
        self.blocks_read += len(blocks)
        cells = self._decode(blocks)
        if len(cells) != self.entry_count:
            raise CorruptFileError(self.where, expected=f"{self.entry_count} entries", found=str(len(cells)))
        return cells

    def lookup(self, keys: Sequence[bytes]) -> CellMatches:
        """All cells of these keys, in the order of `keys`; reads only the blocks that can hold them, each once."""
        return self._search(match_rows(keys))

    def prefix(self, prefixes: Sequence[bytes]) -> Cells:
        """All cells whose row starts with one of the prefixes, in file order, each once; reads only the blocks needed."""
        return self._search(match_prefixes(prefixes)).cells

    def prefix_pieces(self, prefixes: Sequence[bytes]) -> list[Callable[[], Cells]]:
        """What `prefix` gives, in pieces of some megabytes one after the other, each decoded when it is called, by any thread.

        The blocks are read, and their checksums compared, before this returns.
        """
        wanted = match_prefixes(prefixes)
        return [partial(self._matches, blocks, wanted) for blocks in _pieces(self._candidates(wanted))]

    def pieces_for(self, keys: StringColumn) -> list[Callable[[], Cells]]:
        """The whole blocks that can hold one of the keys, in pieces as `prefix_pieces` gives them: also cells of other keys.

        The keys of the column, none of them null, may have any order.
        """
        return [partial(self._decode, blocks) for blocks in _pieces(self._candidates(match_strings(keys)))]

    def _matches(self, blocks: Sequence[Block], wanted: Wanted) -> Cells:
        return _within(self._decode(blocks), wanted).cells

    def _search(self, wanted: Wanted) -> CellMatches:
        return _within(self._decode(self._candidates(wanted)), wanted)

    def _candidates(self, wanted: Wanted) -> list[Block]:
        """The data blocks that can hold wanted rows."""
        node = wanted.covering(self._root)
        for level in range(self.trailer.data_index_levels - 1, 0, -1):
            kind = LEAF_INDEX if level == 1 else INTERMEDIATE_INDEX
            node = wanted.covering(self._children(node, kind))
        return self._read(list(zip(node.offsets, node.sizes, strict=True)), DATA)

    def _children(self, node: IndexNode, kind: bytes) -> IndexNode:
        """The index one level below the entries of `node`; a block of it is read once."""
        missing = [place for place in zip(node.offsets, node.sizes, strict=True) if place[0] not in self._inner]
        for block in self._read(missing, kind):
            place = f"{self.where}: index block at offset {block.offset}"
            self._inner[block.offset] = parse_inner_index(self._content(block), self.trailer.load_on_open_offset, place)
        return join_nodes([self._inner[offset] for offset in node.offsets])

    def _read(self, places: list[tuple[int, int]], kind: bytes) -> list[Block]:
        """Blocks by offset and size, neighbours read together; checksums compared."""
        blocks: list[Block] = []
        runs = list(_runs(places))
        ranges = [(run[0][0], sum(size for _, size in run)) for run in runs]
        for run, run_bytes in zip(runs, read_ranges(self._source, ranges, "blocks"), strict=True):
            first, section = run[0][0], memoryview(run_bytes)
            for offset, size in run:
                block = parse_block(section[: offset - first + size], offset - first, offset, self.where)
                expect_kind(block, kind, self.where)
                if block.size != size:
                    raise CorruptFileError(
                        f"{self.where}: block at offset {offset}", expected=f"{size} bytes", found=f"{block.size} bytes"
                    )
                blocks.append(block)
        self._verify(blocks)
        self.blocks_read += len(blocks)
        return blocks

    def _verify(self, blocks: Sequence[Block]) -> None:
        """Compare checksums with bytes. In a file whose root indexes and file info have none, blocks may have none either."""
        summed = blocks
        if self._without_checksums:
            summed = [block for block in blocks if not leaves_checksums_out([block])]
        verify(summed, self.where)

    def _content(self, block: Block) -> bytes:
        return bytes(content(block, self.codec, self.where))

    def _decode(self, blocks: Sequence[Block]) -> Cells:
        contents = [content(block, self.codec, self.where) for block in blocks]
        places = [f"{self.where}: data block at offset {block.offset}" for block in blocks]
        return decode_cells(contents, places, self._trailing)


def _within(cells: Cells, wanted: Wanted) -> CellMatches:
    """The cells that are wanted."""
    cells, starts, stops = wanted.within(cells)
    if len(starts) == 1 and stops[0] - starts[0] == len(cells):
        return CellMatches(cells, np.zeros(len(cells), np.int64))
    key_indexes = np.repeat(np.arange(len(starts)), stops - starts)
    within = np.arange(len(key_indexes)) - np.repeat(np.cumsum(stops - starts) - (stops - starts), stops - starts)
    return CellMatches(cells.take(starts[key_indexes] + within), key_indexes)


def _pieces(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Neighbouring blocks whose uncompressed bytes come to a piece or a little more."""
    piece: list[Block] = []
    size = 0
    for block in blocks:
        piece.append(block)
        size += block.uncompressed_size
        if size >= _PIECE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _runs(places: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Neighbouring blocks, in pieces of a moderate size."""
    run: list[tuple[int, int]] = []
    for offset, size in places:
        if run and (offset != sum(run[-1]) or sum(size for _, size in run) + size > _READ_TOGETHER):
            yield run
            run = []
        run.append((offset, size))
    if run:
        yield run

"""Column chunks of a Parquet file, read from the footer's own bytes, and files put together of column chunks of other files.

pyarrow shows chunks too, but ends the process where a footer contradicts itself, and hides whether bounds are in the order of
the column's type. Rules: `parquet.thrift` and `PageIndex.md` of the Parquet format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from hudi_core.errors import CorruptFileError
from hudi_core.formats.parquet import thrift
from hudi_core.formats.parquet.thrift import Fields, structure

_UNSIGNED: Final = (11, 12, 13, 14)
"""`ConvertedType` of unsigned integers."""
_SIGNED: Final = ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
PHYSICAL: Final = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
MAGIC: Final = b"PAR1"
Span = tuple[int, int]
"""Bytes of a file: where they start, and how many."""
_Field = tuple[int, int, bytes]

_OFFSET_INDEX, _COLUMN_INDEX = (4, 5), (6, 7)
"""The fields of a column chunk that place its indexes: where each starts, and its length."""
_APART: Final = frozenset((1, 8, 9))
"""The fields of a column chunk in another file, or of an encrypted one."""
_CODEC, _PLAIN_SIZE, _SIZE, _DATA, _DICTIONARY = 4, 6, 7, 9, 11
_OFFSETS: Final = frozenset((_DATA, 10, _DICTIONARY))
"""Fields of a column's metadata that are places in the file: of its data pages, of index pages, of its dictionary."""
_BLOOM_FILTER: Final = frozenset((14, 15))


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


@dataclass(frozen=True, slots=True)
class _Movable:
    """A structure that states places in the file: each as it is, and the bytes of the structure that it takes."""

    content: bytes
    places: Sequence[tuple[int, slice]]

    def move(self, by: int) -> bytes:
        """The structure where all that it places lies so many bytes later."""
        parts, done = [], 0
        for place, taken in self.places:
            parts += [self.content[done : taken.start], thrift.integer(place + by)]
            done = taken.stop
        return b"".join([*parts, self.content[done:]])


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A column chunk of a file as its footer describes it. `pages` are those of the dictionary and of the data."""

    pages: Span
    plain_size: int
    """Bytes of its pages before compression."""
    codec: int
    metadata: _Movable
    offset_index: Span
    """Where each page is; no bytes where the chunk has none."""
    column_index: Span
    """The bounds of each page; no bytes where the chunk has none."""


@dataclass(frozen=True)
class FooterFrame:
    """What footers of one library and one schema have in common: what comes before the rows, and what follows the key-value
    pairs."""

    head: Sequence[_Field]
    tail: Sequence[_Field]

    @classmethod
    def parse(cls, footer: bytes) -> FooterFrame:
        """The frame of a footer."""
        fields = list(thrift.raw_fields(footer))
        return cls([field for field in fields if field[0] in (1, 2)], [field for field in fields if field[0] in (6, 7)])

    def fits(self, footer: bytes) -> bool:
        """Whether a footer has this frame."""
        first, *others = self.tail
        end = b"".join([first[2], thrift.encode(others, after=first[0])])
        return footer.startswith(thrift.encode(self.head)[:-1]) and footer.endswith(end)


@dataclass(frozen=True)
class ChunkedFooter:
    """A footer for the column chunks that it describes, each of which is looked at when it is asked for."""

    content: bytes
    where: str

    def chunks(self, group: int) -> list[StoredChunk | None]:
        """The column chunks of a row group; None for one that is elsewhere, encrypted or with a bloom filter of its own. Raises
        `CorruptFileError`."""
        with self._raise_refusals():
            return _read_group(self.content, thrift.Reader(self.content, self._start(group)))

    def _start(self, group: int) -> int:
        """Where the description of a row group starts. Those before it are passed over once, those behind it not."""
        count, starts = self._row_groups
        if group >= count:
            raise IndexError(f"row group {group} of {count}")
        while len(starts) <= group:
            reader = thrift.Reader(self.content, starts[-1])
            reader.skip(thrift.STRUCT)
            starts.append(reader.offset)
        return starts[group]

    @cached_property
    def _row_groups(self) -> tuple[int, list[int]]:
        """How many row groups there are, and where the descriptions of the first ones start."""
        reader = thrift.Reader(self.content)
        for number, kind in reader.fields():
            if number == 4:
                count, _ = reader.list_header()
                return count, [reader.offset]
            reader.skip(kind)
        raise ValueError("no row groups")

    @contextmanager
    def _raise_refusals(self) -> Iterator[None]:
        try:
            yield
        except (IndexError, KeyError, ValueError) as problem:
            found = str(problem) or type(problem).__name__
            raise CorruptFileError(self.where, expected="a Parquet footer", found=found) from None


def _read_group(footer: bytes, reader: thrift.Reader) -> list[StoredChunk | None]:
    for number, kind in reader.fields():
        if number == 1:
            count, _ = reader.list_header()
            return [_read_chunk(footer, reader) for _ in range(count)]
        reader.skip(kind)
    raise ValueError("a row group without columns")


def _read_chunk(footer: bytes, reader: thrift.Reader) -> StoredChunk | None:
    places: dict[int, int] = {}
    described: tuple[dict[int, int], _Movable] | None = None
    is_apart = False
    for number, kind in reader.fields():
        if number == 3:
            described = _read_metadata(footer, reader)
        elif number in _OFFSET_INDEX or number in _COLUMN_INDEX:
            places[number] = reader.zigzag()
        else:
            is_apart = is_apart or number in _APART
            reader.skip(kind)
    if is_apart or described is None:
        return None
    numbers, metadata = described
    start = min(numbers[_DATA], numbers.get(_DICTIONARY) or numbers[_DATA])
    offset_index, column_index = (
        (places.get(first, 0), places.get(second, 0)) for first, second in (_OFFSET_INDEX, _COLUMN_INDEX)
    )
    return StoredChunk(
        (start, numbers[_SIZE]), numbers[_PLAIN_SIZE], numbers[_CODEC], metadata, offset_index, column_index
    )


def _read_metadata(footer: bytes, reader: thrift.Reader) -> tuple[dict[int, int], _Movable] | None:
    """The numbers of a column's metadata by field, and the metadata; None where it places a bloom filter."""
    begin, numbers, places, has_filter = reader.offset, dict[int, int](), [], False
    for number, kind in reader.fields():
        if number in _NUMBERS:
            start = reader.offset
            numbers[number] = reader.zigzag()
            if number in _OFFSETS and numbers[number]:  # 0 stands for no dictionary
                places.append((numbers[number], slice(start - begin, reader.offset - begin)))
        else:
            has_filter = has_filter or number in _BLOOM_FILTER
            reader.skip(kind)
    return None if has_filter else (numbers, _Movable(footer[begin : reader.offset], places))


_NUMBERS: Final = frozenset((_CODEC, _PLAIN_SIZE, _SIZE, *_OFFSETS))


@dataclass(slots=True)
class CopiedChunk:
    """A column chunk with its bytes."""

    stored: StoredChunk
    pages: bytes | memoryview
    offset_index: bytes | memoryview
    column_index: bytes | memoryview

    @staticmethod
    def spans(stored: StoredChunk) -> list[Span]:
        """The bytes that a chunk has, in the order of the fields here."""
        return [stored.pages, stored.offset_index, stored.column_index]


@dataclass(slots=True)
class _Placed:
    """A column chunk in the new file, and the fields that place its indexes there."""

    chunk: CopiedChunk
    start: int
    indexes: Sequence[_Field] = ()

    @property
    def moved(self) -> int:
        """How much later it starts than where it came from."""
        return self.start - self.chunk.stored.pages[0]

    def encode(self) -> bytes:
        """The chunk as the footer describes it."""
        metadata = self.chunk.stored.metadata.move(self.moved)
        return thrift.encode([thrift.i64(2, 0), thrift.struct(3, metadata), *self.indexes])


class FileOfChunks:
    """Writes a file of column chunks, row group by row group."""

    def __init__(self, write: Callable[[bytes | memoryview], object], frame: FooterFrame) -> None:
        self._write_bytes, self._frame, self._at = write, frame, 0
        self._groups: list[tuple[int, list[_Placed]]] = []
        self._write(MAGIC)

    def add(self, rows: int, chunks: Iterable[CopiedChunk]) -> None:
        """A row group: the chunks of all leaf columns in the order of the schema."""
        placed = []
        for chunk in chunks:
            placed.append(_Placed(chunk, self._at))
            self._write(chunk.pages)
            chunk.pages = b""  # it is in the file
        self._groups.append((rows, placed))

    def finish(self, pairs: Mapping[str, str]) -> bytes:
        """Writes the indexes of pages and the footer, which it gives, with these key-value pairs."""
        placed = [chunk for _, chunks in self._groups for chunk in chunks]
        column_indexes = [self._place(_COLUMN_INDEX, chunk.chunk.column_index) for chunk in placed]
        for chunk, column_index in zip(placed, column_indexes, strict=True):
            offset_index = _move_pages(bytes(chunk.chunk.offset_index), chunk.chunk.stored.pages, chunk.moved)
            chunk.indexes = [*self._place(_OFFSET_INDEX, offset_index), *column_index]
        footer = thrift.encode(
            [
                *self._frame.head,
                thrift.i64(3, sum(rows for rows, _ in self._groups)),
                thrift.structs(4, [_encode_group(*group, number) for number, group in enumerate(self._groups)]),
                thrift.structs(5, [encode_pair(key.encode(), value.encode()) for key, value in pairs.items()]),
                *self._frame.tail,
            ]
        )
        self._write(end_of_file(footer))
        return footer

    def _place(self, fields: tuple[int, int], index: bytes | memoryview) -> list[_Field]:
        if not len(index):
            return []
        start = self._at
        self._write(index)
        return [thrift.i64(fields[0], start), thrift.i32(fields[1], len(index))]

    def _write(self, content: bytes | memoryview) -> None:
        self._write_bytes(content)
        self._at += len(content)


def _encode_group(rows: int, chunks: Sequence[_Placed], number: int) -> bytes:
    stored = [chunk.chunk.stored for chunk in chunks]
    return thrift.encode(
        [
            thrift.structs(1, [chunk.encode() for chunk in chunks]),
            thrift.i64(2, sum(chunk.plain_size for chunk in stored)),
            thrift.i64(3, rows),
            thrift.i64(5, chunks[0].start),
            thrift.i64(6, sum(chunk.pages[1] for chunk in stored)),
            thrift.i16(7, number),
        ]
    )


def encode_pair(key: bytes, value: bytes) -> bytes:
    """A key-value pair as footers have it."""
    return thrift.encode([thrift.binary(1, key), thrift.binary(2, value)])


def end_of_file(footer: bytes) -> bytes:
    """What a file ends with: the footer, its length and the magic."""
    return b"".join([footer, len(footer).to_bytes(4, "little"), MAGIC])


def _move_pages(index: bytes, chunk: Span, by: int) -> bytes:
    """An offset index whose pages lie so many bytes later; none where it is damaged or that of other pages, for nobody looked at
    it so far."""
    if not index:
        return b""
    try:
        places = _page_places(index)
    except (IndexError, KeyError, ValueError):
        return b""
    edges = [chunk[0], *(place for place, _ in places), sum(chunk)]
    return _Movable(index, places).move(by) if all(low <= high for low, high in pairwise(edges)) else b""


def _page_places(index: bytes) -> list[tuple[int, slice]]:
    places: list[tuple[int, slice]] = []
    reader = thrift.Reader(index)
    for number, kind in reader.fields():
        if number != 1:
            reader.skip(kind)
            continue
        count, _ = reader.list_header()
        for _ in range(count):
            for inner, inner_kind in reader.fields():
                start = reader.offset
                if inner == 1:
                    places.append((reader.zigzag(), slice(start, reader.offset)))
                else:
                    reader.skip(inner_kind)
    return places

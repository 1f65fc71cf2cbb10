"""The records of a metadata partition: base files and log blocks of its file groups, whole or by prefix of their keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import Column, StringColumn
from hudi_core.columns.spans import gather, windows
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile.cells import Cells, has_late_rows, in_byte_order
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import BlockKind, LogBlock
from hudi_core.formats.native_log import log_blocks
from hudi_core.formats.random_access import InMemoryFile, RandomAccess
from hudi_core.metadata.native_logs import native_records
from hudi_core.timeline.blocks import counting_blocks
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, slots=True, eq=False)
class RecordBatch:
    """Records of one source. Sources of one file group apply in ascending `order`; 0 is the base file."""

    cells: Cells
    schema: str
    order: int
    where: str


@dataclass(frozen=True, slots=True)
class MetadataDeletes:
    """Keys that one source deletes."""

    keys: Sequence[bytes]
    order: int


@dataclass(frozen=True, slots=True)
class MetadataRecords:
    """Records of a metadata partition, not merged yet. A key is in one file group only."""

    batches: Sequence[RecordBatch]
    deletes: Sequence[MetadataDeletes]

    def __bool__(self) -> bool:
        return bool(self.batches or self.deletes)

    @property
    def all_of_base_files(self) -> bool:
        """No two sources can have records of one key."""
        return not self.deletes and all(batch.order == 0 for batch in self.batches)


Place = tuple[str, int, int]
"""A file, or a part of one: its name, where it begins, its size."""

Lacks = Callable[[str, Sequence[LogBlock]], bool]
"""Whether parts of a log file that are no block stand for records that count: of its path and blocks."""

Piece = Callable[[], RecordBatch]
"""Some records of a base file, decoded on first use, by any thread."""


@dataclass(frozen=True, slots=True, eq=False)
class FileGroup:
    """One file group, opened: the base file reads on demand, what log blocks hold is in memory."""

    base: HFile | None
    logs: Sequence[RecordBatch]
    deletes: Sequence[MetadataDeletes]
    sources: tuple[Place, ...] = ()
    """The parts of the group, by order: the base file, and the log blocks that count. Bytes at a place never change."""

    def read(self, prefixes: Sequence[bytes] | None) -> MetadataRecords:
        """The records whose key starts with one of the prefixes; all of them for None."""
        if prefixes is None:
            base = None if self.base is None else self.base.cells()
            return MetadataRecords(self._with(base, self.logs), self.deletes)
        base = None if self.base is None else self.base.prefix(prefixes)
        of_logs = self.read_logs(prefixes)
        return MetadataRecords(self._with(base, of_logs.batches), of_logs.deletes)

    def read_logs(self, prefixes: Sequence[bytes], first: int = 1) -> MetadataRecords:
        """The results of `read` for the log blocks from an order on."""
        logs = [replace(log, cells=_starting(log.cells, prefixes)) for log in self.logs if log.order >= first]
        starts = tuple(prefixes)
        deletes = [
            replace(block, keys=[key for key in block.keys if key.startswith(starts)])
            for block in self.deletes
            if block.order >= first
        ]
        return MetadataRecords([log for log in logs if len(log.cells)], [block for block in deletes if block.keys])

    def base_pieces(self, prefixes: Sequence[bytes]) -> list[Piece]:
        """The results of `read` for the base file, in pieces; some may be without records."""
        if self.base is None:
            return []
        return [partial(_piece, self.base, cells) for cells in self.base.prefix_pieces(prefixes)]

    def base_pieces_for(self, keys: StringColumn) -> list[Piece]:
        """The blocks of the base file that can hold one of the keys, in pieces: records of other keys too."""
        if self.base is None:
            return []
        return [partial(_piece, self.base, cells) for cells in self.base.pieces_for(keys)]

    def lookup(self, keys: Sequence[bytes]) -> tuple[RecordBatch, Numbers] | None:
        """The records of these keys, which ascend, in the base file, and for each the number of its key; None: no file."""
        if self.base is None:
            return None
        matches = self.base.lookup(keys)
        return _batch(self.base, matches.cells, 0), matches.key_indexes

    def _with(self, base: Cells | None, logs: Sequence[RecordBatch]) -> list[RecordBatch]:
        first = [] if base is None or self.base is None else [_batch(self.base, base, 0)]
        return [batch for batch in (*first, *logs) if len(batch.cells)]


def open_group(
    storage: Storage,
    slice: FileSlice,
    committed: Callable[[str], bool],
    earlier: FileGroup | None = None,
    lacks: Lacks | None = None,
) -> FileGroup:
    """A slice's sources; those that an `earlier` slice of the group had are not read again. Only blocks of committed instants
    count; `lacks` decides whether parts of a log file that are no block are missed, as they are without it. Raises
    `CorruptFileError` and `UnsupportedError`."""
    of_base = (slice.base.path, 0, slice.base.size) if slice.base else ("", 0, 0)
    blocks = [block for log in slice.logs for block in _whole_blocks(log, storage.open(log.path, log.size), lacks)]
    counting = counting_blocks(blocks, committed)
    sources = (of_base, *((block.source.where, block.offset, block.length) for block in counting))
    known = {} if earlier is None else _by_source(earlier)
    if earlier is not None and earlier.sources[:1] == (of_base,):
        base = earlier.base
    else:
        base = None if slice.base is None else HFile(storage.open(slice.base.path, slice.base.size))
    logs: list[RecordBatch] = []
    deletes: list[MetadataDeletes] = []
    for order, block in enumerate(counting, start=1):
        match known.get(sources[order]):
            case RecordBatch() as batch:
                logs.append(replace(batch, order=order))
                continue
            case MetadataDeletes() as deleting:
                deletes.append(replace(deleting, order=order))
                continue
        match block.kind:
            case _ if block.native:
                cells, schema = native_records(block)
                logs.append(RecordBatch(cells, schema, order, block.where))
            case BlockKind.HFILE_DATA:
                file = HFile(InMemoryFile(block.content(), block.where))
                logs.append(_batch(file, _order(file.cells()), order))
            case BlockKind.DELETE:
                if keys := _list_deleted(block):
                    deletes.append(MetadataDeletes(keys, order))
            case _:
                raise UnsupportedError(
                    block.where, expected="HFile data in a metadata table", found=f"a {block.kind.name} block"
                )
    return FileGroup(base, logs, deletes, sources)


def _order(cells: Cells) -> Cells:
    """Cells of a log block, which are looked up by their order: earlier releases wrote some in another one. Rule FORMAT-712."""
    return in_byte_order(cells) if has_late_rows(cells) else cells


def _by_source(group: FileGroup) -> dict[Place, RecordBatch | MetadataDeletes]:
    blocks: list[RecordBatch | MetadataDeletes] = [*group.logs, *group.deletes]
    return {group.sources[block.order]: block for block in blocks}


def _whole_blocks(log: FileInfo, source: RandomAccess, lacks: Lacks | None) -> list[LogBlock]:
    """The blocks of a log file. One that was cut short would hide files and statistics without a word."""
    blocks = list(log_blocks(log.name, source))
    whole = [block for block in blocks if block.kind is not BlockKind.CORRUPT]
    damaged = next((block.where for block in blocks if block.kind is BlockKind.CORRUPT), None)
    if (damaged is not None or not blocks) and (lacks is None or lacks(log.path, blocks)):
        raise CorruptFileError(
            damaged or source.where, expected="whole log blocks", found="a damaged one" if blocks else "none"
        )
    return whole


def read_groups(groups: Sequence[FileGroup]) -> MetadataRecords:
    """The records of all groups."""
    return together([group.read(None) for group in groups])


def read_pieces(groups: Sequence[FileGroup], prefixes: Sequence[bytes]) -> tuple[list[Piece], MetadataRecords]:
    """The records of all groups whose key starts with one of the prefixes: those of base files, and those of log blocks."""
    pieces = [piece for group in groups for piece in group.base_pieces(prefixes)]
    return pieces, together([group.read_logs(prefixes) for group in groups])


def read_pieces_for(
    groups: Sequence[FileGroup], prefixes: Sequence[bytes], keys: StringColumn
) -> tuple[list[Piece], MetadataRecords]:
    """As `read_pieces`, but of base files only the blocks that can hold one of the keys: records of other keys too."""
    pieces = [piece for group in groups for piece in group.base_pieces_for(keys)]
    return pieces, together([group.read_logs(prefixes) for group in groups])


def together(parts: Sequence[MetadataRecords]) -> MetadataRecords:
    """All of them, of different file groups."""
    return MetadataRecords([b for part in parts for b in part.batches], [d for part in parts for d in part.deletes])


def _piece(file: HFile, cells: Callable[[], Cells]) -> RecordBatch:
    return _batch(file, cells(), 0)


def _list_deleted(block: LogBlock) -> list[bytes]:
    keys: StringColumn = read_deletes(block).record_keys
    if keys.validity is not None and not keys.validity.all():
        raise CorruptFileError(block.where, expected="a key with each delete", found="a null")
    data = keys.data.tobytes()
    return [data[start:end] for start, end in pairwise(keys.offsets.tolist())]


def _batch(file: HFile, cells: Cells, order: int) -> RecordBatch:
    if file.schema_text is None:
        raise CorruptFileError(file.where, expected="the schema of its records in the file info", found="none")
    return RecordBatch(cells, file.schema_text, order, file.where)


def _starting(cells: Cells, prefixes: Sequence[bytes]) -> Cells:
    """The cells whose key starts with one of the prefixes."""
    chosen = np.zeros(len(cells), np.bool_)
    for prefix in prefixes:
        (long_enough,) = np.nonzero(cells.key_lengths >= len(prefix))
        begins = windows(cells.data, cells.key_offsets[long_enough], len(prefix))
        chosen[long_enough] |= (begins == np.frombuffer(prefix, np.uint8)).all(1)
    return cells if chosen.all() else cells.take(np.flatnonzero(chosen))


def decode_values(batches: Sequence[RecordBatch], wanted: frozenset[str] | None) -> Column:
    """The wanted fields (None: all) of all records of batches of one schema, in order, decoded at once. `CorruptFileError` names
    the source that is damaged."""
    if len(batches) == 1:
        return _decode(batches[0], wanted)
    cells = [batch.cells for batch in batches]
    data = np.concatenate([gather(cell.data, cell.value_offsets, cell.value_lengths)[1] for cell in cells])
    lengths = np.concatenate([cell.value_lengths for cell in cells])
    try:
        return decode(batches[0].schema, data, np.cumsum(lengths) - lengths, lengths, batches[0].where, wanted)
    except CorruptFileError:
        for batch in batches:
            _decode(batch, wanted)
        raise


def _decode(batch: RecordBatch, wanted: frozenset[str] | None) -> Column:
    cells = batch.cells
    return decode(batch.schema, cells.data, cells.value_offsets, cells.value_lengths, batch.where, wanted)

"""The records of a metadata partition: base files and log blocks of its file groups, whole or by prefix of their keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.columns import Text
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile import HFile
from hudi_core.formats.hfile_cells import Cells
from hudi_core.formats.log import BlockKind, LogBlock, read_blocks
from hudi_core.formats.source import Bytes
from hudi_core.timeline.blocks import counting_blocks
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Records of one source. Sources of one file group apply in ascending `order`; 0 is the base file."""

    cells: Cells
    schema: str
    order: int
    where: str


@dataclass(frozen=True, slots=True)
class Deletes:
    """Keys that one source deletes."""

    keys: Sequence[bytes]
    order: int


@dataclass(frozen=True, slots=True)
class Records:
    """Records of a metadata partition, not merged yet. A key is in one file group only."""

    batches: Sequence[Batch]
    deletes: Sequence[Deletes]

    @property
    def one_source_each(self) -> bool:
        """No two sources can have records of one key."""
        return not self.deletes and all(batch.order == 0 for batch in self.batches)


@dataclass(frozen=True, slots=True, eq=False)
class FileGroup:
    """One file group, opened: the base file reads on demand, log blocks are in memory. Each source with its order."""

    files: Sequence[tuple[int, HFile]]
    deletes: Sequence[Deletes]

    def read(self, prefixes: Sequence[bytes] | None) -> Records:
        """The records whose key starts with one of the prefixes; all of them for None."""
        batches = []
        for order, file in self.files:
            cells = file.cells() if prefixes is None else file.prefix(prefixes)
            if len(cells):
                batches.append(Batch(cells, _schema(file), order, file.where))
        if prefixes is None:
            return Records(batches, self.deletes)
        starts = tuple(prefixes)
        chosen = ((tuple(key for key in each.keys if key.startswith(starts)), each.order) for each in self.deletes)
        return Records(batches, [Deletes(keys, order) for keys, order in chosen if keys])


def open_group(storage: Storage, slice: FileSlice, committed: Callable[[str], bool]) -> FileGroup:
    """A slice's sources. Only blocks of committed instants count. Raises `CorruptFileError` and `UnsupportedError`."""
    files: list[tuple[int, HFile]] = []
    deletes: list[Deletes] = []
    if slice.base is not None:
        files.append((0, HFile(storage.open(slice.base.path))))
    blocks = (block for log in slice.logs for block in read_blocks(storage.open(log.path)))
    for order, block in enumerate(counting_blocks(blocks, committed), start=1):
        match block.kind:
            case BlockKind.HFILE_DATA:
                files.append((order, HFile(Bytes(block.content(), block.where))))
            case BlockKind.DELETE:
                if keys := _deleted(block):
                    deletes.append(Deletes(keys, order))
            case _:
                raise UnsupportedError(
                    block.where, expected="HFile data in a metadata table", found=f"a {block.kind.name} block"
                )
    return FileGroup(files, deletes)


def read_groups(groups: Sequence[FileGroup], prefixes: Sequence[bytes] | None = None) -> Records:
    """The records of all groups, or those whose key starts with one of the prefixes."""
    found = [group.read(prefixes) for group in groups]
    return Records([b for each in found for b in each.batches], [d for each in found for d in each.deletes])


def _deleted(block: LogBlock) -> list[bytes]:
    keys: Text = read_deletes(block).record_keys
    if keys.validity is not None and not keys.validity.all():
        raise CorruptFileError(block.where, expected="a key with each delete", found="a null")
    data = keys.data.tobytes()
    return [data[start:end] for start, end in pairwise(keys.offsets.tolist())]


def _schema(file: HFile) -> str:
    if file.schema_text is None:
        raise CorruptFileError(file.where, expected="the schema of its records in the file info", found="none")
    return file.schema_text

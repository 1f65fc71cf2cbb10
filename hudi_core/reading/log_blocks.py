"""The blocks of a slice's log files that count. What a completed write wrote and is not there is damage.

Rules LOG-260 to LOG-262.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.log import BlockKind, LogBlock
from hudi_core.formats.native_log import log_blocks
from hudi_core.formats.random_access import RandomAccess
from hudi_core.reading.damage import DAMAGE, RAISED, Damage
from hudi_core.timeline.blocks import counting_blocks
from hudi_core.timeline.recorded_logs import is_other_size, lacks_written
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline


def slice_blocks(slice: FileSlice, storage: Storage, timeline: Timeline, damage: Damage = RAISED) -> list[LogBlock]:
    """The blocks of a slice's log files that count, in the order in which they apply. Rules TIME-15 to TIME-17.

    Raises `CorruptFileError` for a file that lacks what a completed write wrote to it, unless `damage` skips that.
    """
    storage.expect(files=slice.logs)
    blocks = (block for log in slice.logs for block in _blocks_of(log, storage, timeline, damage))
    return counting_blocks(blocks, timeline.is_committed)


def _blocks_of(log: FileInfo, storage: Storage, timeline: Timeline, damage: Damage) -> Iterator[LogBlock]:
    """The blocks of one log file, checked against what the table records about it."""
    try:
        source = storage.open(log.path, log.size)
    except DAMAGE as error:
        damage.leave_out(error, "its rows are")
        return
    blocks: list[LogBlock] = []
    for block in damage.rest(log_blocks(log.name, source), "what follows in the file is"):
        blocks.append(block)
        yield block
    problem = _wrong_size(source, log, timeline) or _find_lost_blocks(source, log, blocks, timeline)
    if problem is not None:
        damage.leave_out(problem, "what is not there is")


def _wrong_size(source: RandomAccess, log: FileInfo, timeline: Timeline) -> CorruptFileError | None:
    """A file of another size than the table records."""
    if not is_other_size(timeline.layout, log.size, source.size):
        return None
    return CorruptFileError(
        source.where, expected=f"{log.size:,} bytes, as the table records", found=f"{source.size:,} bytes"
    )


def _find_lost_blocks(
    source: RandomAccess, log: FileInfo, blocks: Sequence[LogBlock], timeline: Timeline
) -> CorruptFileError | None:
    """Bytes that are no block, where they stand for some that a completed write wrote. What a writer left that died is none."""
    region = next((block for block in blocks if block.kind is BlockKind.CORRUPT), None)
    if region is None or not lacks_written(timeline, log.path, blocks):
        return None
    found = f"{region.length:,} bytes that are not a block"
    return CorruptFileError(f"{source.where}, from byte {region.offset:,} on", expected="a whole block", found=found)

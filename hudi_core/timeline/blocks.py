"""Which blocks of a slice's log files count: those of committed writes, less what was rolled back or compacted.

Rules TIME-15 to TIME-17.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, rollback_target

_CONTENT = frozenset({BlockKind.DELETE, BlockKind.AVRO_DATA, BlockKind.HFILE_DATA, BlockKind.PARQUET_DATA})


def counting_blocks(blocks: Iterable[LogBlock], is_committed: Callable[[str], bool]) -> list[LogBlock]:
    """The data and delete blocks that count, in the order in which they apply. `blocks` are the blocks of all log files of a
    slice, oldest file first.

    A rollback cancels the blocks of its target wherever they stand: no instant is used twice. A block of a log
    compaction replaces the blocks of the instants it names, where the latest of these stood. Source: Hudi's log scanner of
    table version 8; fact sheet 6.4.
    """
    by_instant: dict[str, list[LogBlock]] = {}
    cancelled: set[str] = set()
    for block in blocks:
        if block.kind is BlockKind.COMMAND:
            cancelled.add(rollback_target(block))
        elif block.kind in _CONTENT:
            instant = block.require(HeaderKey.INSTANT_TIME)
            if is_committed(instant):
                by_instant.setdefault(instant, []).append(block)
    for instant in cancelled & by_instant.keys():
        del by_instant[instant]
    return [block for instant in _instants_in_order(by_instant) for block in by_instant[instant]]


def _instants_in_order(by_instant: dict[str, list[LogBlock]]) -> list[str]:
    """The instants whose blocks count, oldest first: compacted ones replaced by what they were compacted into."""
    compacted = {
        instant: [time.strip() for time in times.split(",")]
        for instant, blocks in by_instant.items()
        if (times := blocks[0].header.get(HeaderKey.COMPACTED_BLOCK_TIMES)) is not None
    }
    if not compacted:
        return list(by_instant)
    compacted_into: dict[str, str] = {}
    for instant in reversed(by_instant):
        for original in compacted.get(instant, ()):
            compacted_into[original] = compacted_into.get(instant, instant)
    latest_first: dict[str, None] = {}
    for instant in reversed(by_instant):
        final = compacted_into.get(instant, instant)
        if final in by_instant and (
            instant not in compacted or _has_no_originals(instant, compacted, by_instant, compacted_into)
        ):
            latest_first.setdefault(final)
    return list(reversed(latest_first))


def _has_no_originals(
    instant: str, compacted: dict[str, list[str]], by_instant: dict[str, list[LogBlock]], compacted_into: dict[str, str]
) -> bool:
    """Whether no original of a compacted block counts, so that it keeps its own place, unless it was compacted again."""
    return instant not in compacted_into and not any(original in by_instant for original in compacted[instant])

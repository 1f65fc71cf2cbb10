"""Which blocks of log files count, and in which order they apply."""

from __future__ import annotations

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.timeline.blocks import counting_blocks

K, H = BlockKind, HeaderKey
SOURCE = InMemoryFile(b"", "log")


def block(kind: BlockKind, header: dict[HeaderKey | int, str]) -> LogBlock:
    return LogBlock(SOURCE, kind, 0, 0, header, {}, 0, 0)


def data(instant: str, compacted: str | None = None, kind: BlockKind = K.AVRO_DATA) -> LogBlock:
    header: dict[HeaderKey | int, str] = {H.INSTANT_TIME: instant}
    if compacted:
        header[H.COMPACTED_BLOCK_TIMES] = compacted
    return block(kind, header)


def rollback(instant: str, target: str) -> LogBlock:
    return block(K.COMMAND, {H.INSTANT_TIME: instant, H.TARGET_INSTANT_TIME: target, H.COMMAND_BLOCK_TYPE: "0"})


def counting(blocks: list[LogBlock], *pending: str) -> list[str]:
    return [item.header[H.INSTANT_TIME] for item in counting_blocks(blocks, lambda instant: instant not in pending)]


def test_blocks_apply_in_the_order_of_their_files() -> None:
    kinds = [K.AVRO_DATA, K.DELETE, K.HFILE_DATA, K.PARQUET_DATA]
    found = counting_blocks([data(str(n), kind=kind) for n, kind in enumerate(kinds)], lambda _: True)
    assert [item.kind for item in found] == kinds


def test_blocks_of_writes_that_are_not_committed_do_not_count() -> None:
    """TIME-15."""
    assert counting([data("1"), data("2"), data("2", kind=K.DELETE), data("3")], "2") == ["1", "3"]


def test_corrupt_regions_and_logs_of_changes_do_not_count() -> None:
    assert counting([block(K.CORRUPT, {}), data("1"), data("1", kind=K.CDC_DATA)]) == ["1"]


def test_block_without_an_instant_is_damage() -> None:
    with pytest.raises(CorruptFileError, match="INSTANT_TIME"):
        counting([block(K.AVRO_DATA, {})])


def test_rollback_cancels_all_blocks_of_its_target() -> None:
    """LOG-12, TIME-16."""
    assert counting([data("1"), data("2"), data("2"), rollback("3", "2"), data("4")]) == ["1", "4"]
    assert counting([rollback("3", "2"), data("1"), data("2")]) == ["1"]


def test_a_log_compaction_takes_the_position_of_the_latest_of_its_blocks() -> None:
    """TIME-17."""
    blocks = [data("1"), data("2"), data("3"), data("4", "1,2")]
    assert counting(blocks) == ["4", "3"]
    assert counting(blocks, "4") == ["1", "2", "3"]
    assert counting([data("1"), data("2"), data("4", "1,2")]) == ["4"]


def test_all_blocks_of_a_compacting_instant_count() -> None:
    blocks = [data("1"), data("2"), data("4", "1,2"), data("4", "1,2", K.DELETE), data("5")]
    assert counting(blocks) == ["4", "4", "5"]


def test_compacted_blocks_compacted_again_leave_the_last_one() -> None:
    """TIME-17."""
    blocks = [data("1"), data("2"), data("3", "1,2"), data("4"), data("5", "3,4"), data("6")]
    assert counting(blocks) == ["5", "6"]


def test_a_compacted_block_without_its_originals_keeps_its_position() -> None:
    """TIME-17."""
    assert counting([data("3", "1,2"), data("4")]) == ["3", "4"]

"""Compactions within bounds: what is put off is stated, and done by the next ones. UPKEEP-863, UPKEEP-864."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.services.bounds import WorkBounds
from hudi_core.services.compaction.operations import compact, plan_only
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.table.open import refreshed
from tests.core.services.compaction.test_operations import made

ONE_SLICE = CompactionOptions(bounds=WorkBounds(bytes=1))
NO_MEMORY = CompactionOptions(bounds=WorkBounds(memory=1))


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 9])
def test_slices_come_one_by_one(tmp_path: Path, version: int) -> None:
    table = made(tmp_path / "t", version)
    foreseen = compact(table, CompactionOptions(bounds=WorkBounds(bytes=1), dry_run=True))
    first = compact(table, ONE_SLICE)
    assert (foreseen.slices, foreseen.slices_put_off) == (first.slices, first.slices_put_off) == (1, 1)
    assert first.bytes_put_off == foreseen.bytes_put_off > 0
    assert len(first.partitions_left_out or foreseen.partitions_left_out) == 1
    second = compact(refreshed(table), ONE_SLICE)
    assert (second.state, second.slices, second.slices_put_off) == ("completed", 1, 0)
    assert compact(refreshed(table), ONE_SLICE).state == "nothing to compact"
    assert not any(file_slice.logs for file_slice in refreshed(table).slices())


def test_what_needs_more_memory_is_put_off_and_named(tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    result = compact(table, NO_MEMORY)
    assert (result.state, result.instant, result.slices_put_off) == ("put off", None, 2)
    enough = WorkBounds(memory=result.memory_needed)
    assert refreshed(table).timeline.instants == table.timeline.instants
    waiting = plan_only(table)
    late = compact(refreshed(table), NO_MEMORY)
    assert (late.state, late.instant, late.slices_put_off) == ("put off", waiting.instant, 2)
    done = compact(refreshed(table), CompactionOptions(bounds=enough))
    assert (done.state, done.instant, done.slices) == ("completed", waiting.instant, 2)

"""What tasks of a tagging have of their own, by any runner; tasks locate the keys that one process locates."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.engine import FileInfo, Runner
from hudi_core.errors import StorageError
from hudi_core.front.opening import open_table
from hudi_core.parallel.runners import SerialRunner, ThreadRunner
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.distributed import (
    Distribution,
    distribution,
    is_wide,
    key_bounds,
    remote_tagging,
    slice_tasks,
    task_of_slices,
)
from hudi_core.tagging.slice_keys import KeyBounds, SliceKeyReader
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.timeline.slices import FileSlice
from tests.support.commands import rides

RUNNERS = [pytest.param(SerialRunner(), id="serial"), pytest.param(ThreadRunner(3), id="threads")]
SIMPLE = TagOptions(IndexType.SIMPLE)


def slices_of_sizes(*sizes: int) -> list[FileSlice]:
    return [FileSlice("p", f"f{row}", "1", FileInfo(f"p/f{row}.parquet", size)) for row, size in enumerate(sizes)]


def bounds_of(ranges: list[tuple[int, int] | None]) -> KeyBounds:
    lower = ByteStrings.from_list([b"" if ends is None else b"%03d" % ends[0] for ends in ranges])
    upper = ByteStrings.from_list([b"" if ends is None else b"%03d" % ends[1] for ends in ranges])
    known = np.array([ends is not None for ends in ranges], np.bool_)
    return KeyBounds(lower, upper, known, np.zeros(len(ranges), np.bool_))


@pytest.mark.parametrize("runner", RUNNERS)
def test_bounds_that_are_not_recorded_are_those_of_footers(runner: Runner) -> None:
    tagging = remote_tagging(open_table(str(rides()), metadata="off"), SIMPLE)
    recorded = (
        remote_tagging(open_table(str(rides())), SIMPLE)
        .read_stored()
        .read_recorded_bounds(np.arange(len(tagging.slices)))
    )
    local, by_runner = key_bounds(tagging, runner, 2), key_bounds(tagging, runner, 2, max_local_footers=0)
    assert by_runner.known.all() and recorded.known.all()
    assert [*local.lower] == [*by_runner.lower] == [*recorded.lower]
    assert [*local.upper] == [*by_runner.upper] == [*recorded.upper]


def test_bounds_of_one_task_are_not_read() -> None:
    tagging = remote_tagging(open_table(str(rides()), metadata="off"), SIMPLE)
    assert not key_bounds(tagging, SerialRunner(), 1).known.any()


@pytest.mark.parametrize("max_local_footers", [0, 1_000])
def test_bounds_are_unknown_where_a_footer_cannot_be_read(
    max_local_footers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise StorageError("a footer", message="a fault that was planted")

    monkeypatch.setattr(SliceKeyReader, "footer", fail)
    tagging = remote_tagging(open_table(str(rides()), metadata="off"), SIMPLE)
    assert not key_bounds(tagging, SerialRunner(), 2, max_local_footers).known.any()


def test_files_whose_ranges_overlap_are_wide() -> None:
    slices = slices_of_sizes(*[1] * 12)
    apart = bounds_of([(10 * row, 10 * row + 9) for row in range(12)])
    across = bounds_of([(row, 900 + row) for row in range(12)])
    assert not is_wide(slices, apart, 2)
    assert is_wide(slices, across, 2)
    assert is_wide(slices, bounds_of([None] * 12), 2)
    assert not is_wide(slices, across, 6), "few files a task"
    assert not is_wide(slices, across, 1)
    assert not is_wide(slices[:1], across, 2)


def test_the_index_decides_the_distribution() -> None:
    table, runner = open_table(str(rides())), SerialRunner()
    kinds = {kind: distribution(remote_tagging(table, TagOptions(kind, buckets=4)), runner, 2)[0] for kind in IndexType}
    assert kinds[IndexType.BUCKET] is Distribution.BUCKETS
    assert kinds[IndexType.RECORD_INDEX] is Distribution.KEY_RANGES
    kind, tagging = distribution(remote_tagging(table, SIMPLE), runner, 1)
    assert kind is Distribution.KEY_RANGES and tagging.bounds is not None


def test_each_slice_has_one_task() -> None:
    slices = slices_of_sizes(90, 50, 40, 30, 20, 10)
    count, indexes = task_of_slices(slices, 3)
    assert count == 3 and set(indexes.tolist()) == {0, 1, 2}
    for index, task in enumerate(slice_tasks(slices, 3)):
        assert {member.file_id for member in task} == {slices[row].file_id for row in np.flatnonzero(indexes == index)}
    assert task_of_slices([], 3)[0] == 0


def test_tasks_with_some_of_the_files_locate_their_keys() -> None:
    table = open_table(str(rides()))
    tagging = pickle.loads(pickle.dumps(remote_tagging(table, SIMPLE)))
    names = {"_hoodie_record_key": "record_key", "_hoodie_partition_path": "partition_path"}
    keys = table.scan(columns=list(names)).to_arrow().rename_columns(list(names.values()))

    def locations(tagger: Any) -> list[Any]:
        tagged = tagger(keys)
        return [row["location"] for batch in tagged.batches for row in tagger_rows.to_json(batch, tagged.schema)]

    tagger_rows = table.engine.rows
    whole = locations(lambda rows: Tagger(table, SIMPLE).tag(tagger_rows.read_given(rows)))
    parts = [locations(tagging.of_slices(task).tag) for task in slice_tasks(tagging.slices, 3)]
    assert len(parts) == 3
    merged = [next((location for location in row if location is not None), None) for row in zip(*parts, strict=True)]
    assert merged == whole and None not in whole

"""Pruning in shares: what goes elsewhere, how much is read there, and how the answers are put together."""

from __future__ import annotations

import pickle

import numpy as np

from hudi_core.front.opening import open_table
from hudi_core.metadata.table import COLUMN_STATS
from hudi_core.planning.plan import SKIP, Step
from hudi_core.planning.shares import PrunedShare, join_plans, shares
from hudi_core.timeline.slices import slices_of
from tests.support.commands import rides
from tests.support.made_tables import COLUMNS, Group, Log, MadeTable


def many(count: int) -> MadeTable:
    """A table of groups whose column `n` has one value each."""
    groups = [Group("uv"[number % 2], [{"id": f"k{number}", "n": number}]) for number in range(count)]
    return MadeTable(groups)


def test_shares_have_every_slice_once_and_about_as_many() -> None:
    slices = many(23).open().scan().sources.snapshot.slices
    cut = shares(slices, 4)
    assert sorted(np.concatenate(cut).tolist()) == list(range(23))
    assert {len(item) for item in cut} == {5, 6}
    assert len(shares(slices, 100)) == 23
    assert shares(slices_of([]), 3) == []


def test_slices_of_log_files_alone_have_a_share() -> None:
    slices = MadeTable([Group("u", [{"id": "a"}], [Log([{"id": "b"}])])]).open().scan().sources.snapshot.slices
    assert [item.tolist() for item in shares(slices, 2)] == [[0]]


def test_a_share_of_one_file_has_the_same_statistics_as_the_whole() -> None:
    """SOURCE-20."""
    scan = many(9).open().scan(where="n = 4")
    work, slices = scan.pruning(), scan.sources.snapshot.slices
    assert work is not None
    apart = [work.prune(slices.select(np.array([number]))).codes.tolist() for number in range(9)]
    assert [code for codes in apart for code in codes] == scan.plan.codes.tolist()


def test_a_share_reads_the_blocks_of_its_files_alone() -> None:
    scan = many(400).open().scan(where="n = 4")
    snapshot = scan.sources.snapshot
    assert snapshot.metadata is not None
    keys = scan.sources.recorded.files.keys

    def blocks_for(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
        assert snapshot.metadata is not None
        metadata = snapshot.metadata.of_files(keys[numbers])
        (reported,) = metadata.column_stats(["n"])["n"]
        recorded = {bytes(key) for key in reported.keys}
        assert {bytes(key) for key in keys[numbers]} <= recorded
        opened = [metadata.open_group(group).base for group in metadata.slices(COLUMN_STATS)]
        return sum(item.blocks_read for item in opened if item is not None)

    whole = blocks_for(np.arange(400))
    apart = [blocks_for(numbers) for numbers in shares(snapshot.slices, 8)]
    assert whole > 16
    assert max(apart) < whole / 4
    assert sum(apart) < whole * 2


def test_sent_objects_survive_pickling() -> None:
    scan = open_table(str(rides())).scan(where="fare > 20")
    slices = scan.sources.snapshot.slices
    work, there = pickle.loads(pickle.dumps((scan.pruning(), slices)))
    found = work.prune(there)
    assert found.codes.tolist() == scan.plan.codes.tolist()
    whole = scan.with_shares([np.arange(len(slices))], [found], "elsewhere")
    assert whole.explain().splitlines()[-1] == scan.explain().splitlines()[-1]
    assert whole.plan.decision(0) == scan.plan.decision(0)
    assert sum(1 for _ in whole.to_json_rows()) == sum(1 for _ in scan.to_json_rows())


def test_records_to_read_are_those_of_files_and_columns_that_paths_do_not_tell() -> None:
    table = many(6).open()
    assert table.scan(where="n > 1").records_to_read() == 6
    assert table.scan(where="n > 1 and s = 'a' or x is null").records_to_read() == 18
    assert table.scan().records_to_read() == 0
    assert MadeTable([Group("u", [{"id": "a"}])], indexes=()).open().scan(where="n = 1").records_to_read() == 0


def test_an_index_that_locates_by_values_is_planned_in_one_place() -> None:
    """SOURCE-20."""
    table = MadeTable([Group("u", [dict.fromkeys(COLUMNS) | {"id": "a"}])], ("column_stats", "record_index")).open()
    assert table.scan(where="id = 'a'").pruning() is None
    assert table.scan(where="n = 1").pruning() is not None


def test_steps_of_shares_add_up_also_where_one_asks_fewer_sources() -> None:
    slices = many(3).open().scan().sources.snapshot.slices
    first = PrunedShare(np.array([SKIP, 0], np.int8), (Step("a", 2, 1, 0.5), Step("b", 1, 0, 0.1)), ("beware",))
    second = PrunedShare(np.array([SKIP], np.int8), (Step("b", 1, 1, 0.3, "odd"),), ("beware",))
    found = join_plans(slices, [np.array([2, 0]), np.array([1])], [first, second], lambda: None, "")
    assert found.codes.tolist() == [0, SKIP, SKIP]
    assert [(step.source, step.before, step.removed, step.seconds) for step in found.steps] == [
        ("a", 2, 1, 0.5),
        ("b", 2, 1, 0.3),
    ]
    assert found.warnings == ("beware",)

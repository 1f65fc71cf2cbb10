from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from hudi_core.pruning import ordered as module
from hudi_core.pruning.intervals import BLOCK, fold, place
from hudi_core.pruning.key_ranges import Ranges, points
from hudi_core.pruning.ordered import (
    OrderedFiles,
    ValueSet,
    candidates,
    everywhere,
    holds,
    order_files,
    runs,
    select_files,
    size,
)
from hudi_core.pruning.statistics import from_values
from hudi_core.types import nodes as t

COUNT = 20 * BLOCK


def _ordered(lower: Any, unknown: Any = ()) -> tuple[ValueSet, OrderedFiles, Any]:
    lowers: list[Any] = [int(value) for value in lower]
    for number in unknown:
        lowers[number] = None
    uppers = [None if value is None else value + 5 for value in lowers]
    keys, of = fold(from_values(t.Int(), lowers, uppers, [0] * len(lowers), [9] * len(lowers)))
    listed = place(of, keys, np.arange(len(lowers)), len(lowers))
    return ValueSet.from_ranges(keys, ((1_000, 1_100),)), order_files(listed, keys), listed


def test_files_listed_in_order_keep_their_numbers() -> None:
    wanted, of, _ = _ordered(range(COUNT))
    assert of.file_numbers is None
    (run,) = runs(of, candidates(wanted, of))
    assert run.files == slice(3 * BLOCK, 5 * BLOCK)
    assert select_files(wanted, of, run.blocks).tolist() == list(range(995, 1_101))


def test_unbounded_files_are_listed_and_the_others_stay_dense() -> None:
    unknown = range(0, COUNT, 100)
    wanted, of, _ = _ordered(range(COUNT), unknown)
    (dense,) = runs(of, candidates(wanted, of))
    assert dense.files is not None and dense.files.stop - dense.files.start < 3 * BLOCK
    assert of.unbounded.tolist() == list(unknown)
    assert select_files(wanted, of).tolist() == of.unbounded.tolist()
    assert select_files(wanted, of, dense.blocks).tolist() == sorted({*unknown, *range(995, 1_101)})


def test_a_far_reaching_file_costs_a_look_at_hulls_and_no_more() -> None:
    lower = np.arange(COUNT)
    upper = lower + 5
    upper[3] = COUNT
    keys, of = fold(from_values(t.Int(), lower.tolist(), upper.tolist(), [0] * COUNT, [9] * COUNT))
    listed = place(of, keys, np.arange(COUNT), COUNT)
    in_order, wanted = order_files(listed, keys), ValueSet.from_ranges(keys, ((4_000, 4_100),))
    blocks = candidates(wanted, in_order)
    assert isinstance(blocks, np.ndarray) and blocks.tolist() == [0, 15, 16]
    assert select_files(wanted, in_order, blocks).tolist() == [3, *range(3_995, 4_101)]


def test_scattered_files_are_found_through_the_order() -> None:
    lower = np.random.default_rng(1).permutation(COUNT)
    wanted, of, listed = _ordered(lower)
    blocks = candidates(wanted, of)
    assert size(blocks) == 2
    (run,) = runs(of, blocks)
    assert run.files is None
    expected = holds(wanted, listed).nonzero()[0].tolist()
    assert select_files(wanted, of, run.blocks).tolist() == select_files(wanted, of, blocks).tolist() == expected


def _some_ranges(r: random.Random, count: int) -> Ranges:
    return points(r.sample(range(COUNT), count))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 10, 500])
def test_ranges_are_met_however_they_are_searched(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    r = random.Random(count)
    lower = np.random.default_rng(count).permutation(COUNT)
    wanted, of, listed = _ordered(lower, range(0, COUNT, 1_000))
    for ranges in (_some_ranges(r, count), (*_some_ranges(r, count)[:-1], (COUNT, wanted.keys.top))):
        monkeypatch.setattr(module, "MAX_COMPARED_RANGES", 10**6)
        one_by_one = holds(ValueSet.from_ranges(wanted.keys, ranges), listed)
        monkeypatch.setattr(module, "MAX_COMPARED_RANGES", 0)
        requested = ValueSet.from_ranges(wanted.keys, ranges)
        assert (holds(requested, listed) == one_by_one).all()
        assert (everywhere(requested, of) == one_by_one).all()
        in_order = holds(requested, of.files, ascending=True).ravel()[np.argsort(of.file_numbers)]  # type: ignore[arg-type]
        in_order[of.unbounded] = True
        assert (in_order == one_by_one).all()


def test_no_range_and_no_file() -> None:
    wanted, of, _ = _ordered(range(COUNT))
    nothing = ValueSet.from_ranges(wanted.keys, ())
    assert not holds(nothing, of.files).any()
    assert runs(of, np.zeros(0, np.int64)) == []

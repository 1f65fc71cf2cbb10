"""META-130: records in any shares and runs come back by file group, in order, each once."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.nodes import BinaryColumn
from hudi_core.columns.strings import string_column, string_list, take_strings, utf8_column
from hudi_core.engine import Engine
from hudi_core.errors import UnsupportedError
from hudi_core.index_builds import runs as index_runs
from hudi_core.index_builds.runs import GroupNumbers, PrefixRows, SpooledRuns, sort_runs, spool_runs
from hudi_core.metadata_rows.rows import GroupKeys, IndexRows, location_rows
from hudi_core.metadata_writer.building import NewGroups
from hudi_core.metadata_writer.group_files import group_numbers
from hudi_core.table.engines import load_engine
from tests.support.drawing import cases

GROUPS = GroupNumbers((NewGroups("a", {"a-x-": 3, "a-y-": 2}), NewGroups("b", {"b-": 1})))
PLACES = [("a", "a-x-", 0, 3), ("a", "a-y-", 3, 2), ("b", "b-", 5, 1)]

Records = dict[str, bytes]


def rows_of(records: Records) -> IndexRows:
    values = utf8_column(list(records.values()))
    return IndexRows(string_column(list(records)), BinaryColumn(values.offsets, values.data))


def runs_of(engine: Engine[Any, Any, Any], shares: list[list[tuple[int, Records]]]) -> SpooledRuns:
    """Runs that tasks make of shares, of which each is parts of records with the place that they go to."""
    runs = []
    for share in shares:
        parts = (PrefixRows(*PLACES[place][:2], rows_of(records)) for place, records in share)
        runs += pickle.loads(pickle.dumps(list(sort_runs(GROUPS, parts))))
    return spool_runs(engine, len(GROUPS.named), runs)


def by_group(shares: list[list[tuple[int, Records]]]) -> list[list[tuple[str, bytes]]]:
    groups: list[list[tuple[str, bytes]]] = [[] for _ in GROUPS.named]
    for place, records in (part for share in shares for part in share):
        _, _, first, count = PLACES[place]
        for key, number in zip(records, group_numbers(rows_of(records), count).tolist(), strict=True):
            groups[first + number].append((key, records[key]))
    return [sorted(group, key=lambda record: record[0].encode()) for group in groups]


def read_back(runs: SpooledRuns, group: int) -> list[list[tuple[str, bytes]]]:
    key_ranges = []
    for keys, values in runs.key_ranges(group):
        bounds = zip(values.offsets, values.offsets[1:], strict=False)
        key_ranges.append(list(zip(string_list(keys), [values.data[a:b].tobytes() for a, b in bounds], strict=True)))
    return key_ranges


@pytest.fixture(params=["in memory", "in a file"])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and key ranges of few records."""
    monkeypatch.setattr(index_runs, "RUN_BYTES", 60)
    monkeypatch.setattr(index_runs, "RANGE_BYTES", 90)
    monkeypatch.setattr(index_runs, "HELD_BYTES", 1 << 20 if request.param == "in memory" else 0)


KEYS = st.text("ab\u00e9\U0001f600", max_size=12)


@settings(max_examples=cases(60))
@given(
    records=st.dictionaries(KEYS, st.binary(max_size=30), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    places=st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
@pytest.mark.usefixtures("small")
def test_records_come_back_by_group_in_order(records: Records, cuts: list[int], places: list[int]) -> None:
    bounds = sorted({0, *(min(cut, len(records)) for cut in cuts), len(records)})
    items = list(records.items())
    parts = [dict(items[start:stop]) for start, stop in pairwise(bounds)]
    shares = [[(places[number], part)] for number, part in enumerate(parts)]
    engine = load_engine("arrow")
    runs = runs_of(engine, shares)
    try:
        for group, expected in enumerate(by_group(shares)):
            key_ranges = read_back(runs, group)
            assert [record for key_range in key_ranges for record in key_range] == expected
            assert runs.records(group) == len(expected)
            assert runs.size(group) == sum(len(key.encode()) + len(value) for key, value in expected)
    finally:
        runs.spool.close()


@pytest.mark.usefixtures("small")
def test_memory_holds_a_key_range_of_a_group(tmp_path: Path) -> None:
    records = {f"key {number:05d}": b"v" * 21 for number in range(210)}
    shares = [[(2, dict(list(records.items())[first::7]))] for first in range(7)]
    runs = runs_of(load_engine("arrow"), shares)
    key_ranges = read_back(runs, 5)
    runs.spool.close()
    assert sum(map(len, key_ranges)) == 210
    # Three records fill a stretch; samples are of single records.
    assert max(map(len, key_ranges)) <= 6
    assert len(key_ranges) > 50


@pytest.mark.usefixtures("small")
def test_a_key_in_two_runs_is_refused() -> None:
    shares = [[(2, {f"k{number}": b"1" for number in range(first, first + 40)})] for first in (0, 39)]
    runs = runs_of(load_engine("arrow"), shares)
    with pytest.raises(UnsupportedError, match="each record key once, found 'k39' twice"):
        list(runs.key_ranges(5))
    runs.spool.close()


@pytest.mark.usefixtures("small")
def test_runs_can_be_read_elsewhere() -> None:
    shares = [[(2, {f"k{number:03d}": b"1" for number in range(first, first + 40)})] for first in (0, 40)]
    runs = runs_of(load_engine("arrow"), shares)
    there: SpooledRuns = pickle.loads(pickle.dumps(runs))
    assert read_back(there, 5) == read_back(runs, 5)
    runs.spool.close()


def test_memory_does_not_grow_with_the_number_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve megabytes of records, by bounds that are one hundredth of the usual ones."""
    for name in ("RUN_BYTES", "HELD_BYTES", "RANGE_BYTES"):
        monkeypatch.setattr(index_runs, name, getattr(index_runs, name) // 100)
    engine, count, total = load_engine("arrow"), 0, 150_000

    def parts() -> Iterator[PrefixRows]:
        for first in range(0, total, 5000):
            keys = string_column([f"{number * 7919 % total:036d}" for number in range(first, first + 5000)])
            yield PrefixRows(
                "b", "b-", location_rows([GroupKeys("p", "3b8a0a52-1bd9-4c64-8d68-b5ac2a6d0f2e-0", keys)], 1)
            )

    tracemalloc.start()
    try:
        runs = spool_runs(engine, len(GROUPS.named), sort_runs(GROUPS, parts()))
        previous = ""
        for keys, _ in runs.key_ranges(5):
            first, last = (
                string_list(take_strings(keys, slice(row, row + 1)))[0] for row in (0, len(keys.offsets) - 2)
            )
            assert previous < first <= last
            previous, count = last, count + len(keys.offsets) - 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        runs.spool.close()
    assert count == total
    assert runs.size(5) == 12_000_000
    assert peak < 6_000_000, peak

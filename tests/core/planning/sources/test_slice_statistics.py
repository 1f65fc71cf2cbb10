"""What is recorded of files, joined to them through the schema version that each was written under.

Also covers: `planning/sources/stable_names.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hudi_core.engine import FileInfo
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Column
from hudi_core.keys.path_values import PathValue
from hudi_core.metadata.file_keys import hash_keys
from hudi_core.metadata.statistics import RecordedStatistics
from hudi_core.planning.sources.slice_statistics import (
    ColumnStatsOfSlices,
    MissingStats,
    PartitionStats,
    PartitionValues,
    files_of,
    partition_keys,
)
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FileStatistics
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.types import nodes as t

OLD = Schema(t.Record((t.Field(1, "a", t.Int()), t.Field(3, "gone", t.Int()))))
"""The first version: `gone` is dropped later, and its name is given to another column."""
NEW = Schema(t.Record((t.Field(1, "n", t.Long()), t.Field(2, "b", t.Int(), default=7), t.Field(4, "gone", t.Int()))))
VERSIONS = (OLD, NEW)


def slice_of(number: int, logs: int = 0) -> FileSlice:
    """A slice of the first version for instant 1, else of the second."""
    instant = "1" if number == 0 else "2"
    named = tuple(FileInfo(f"p/.{number}-0_{instant}.log.{item}_0-1-1", 10) for item in range(1, logs + 1))
    return FileSlice("p", f"{number}-0", instant, FileInfo(f"p/{number}-0_0-1-1_{instant}.parquet", 100), named)


SLICES = slices_of([slice_of(0), slice_of(1), slice_of(2)])


def recorded(numbers: Sequence[int], lower: Sequence[Any], upper: Sequence[Any]) -> RecordedStatistics:
    """Records of the base files of some slices."""
    keys = hash_keys(SLICES.files, SLICES.bases[np.array(numbers)])
    of = from_values(t.Int(), lower, upper, [0] * len(lower), [5] * len(lower))
    return RecordedStatistics(np.array(keys).view(np.uint8).reshape(len(numbers), -1), of, True)


STORED: Mapping[str, tuple[RecordedStatistics, ...]] = {
    "a": (recorded([0], [1], [5]),),
    "n": (recorded([1, 2], [4, 8], [6, 9]),),
    "gone": (recorded([0, 1, 2], [1, 50, 60], [2, 51, 61]),),
}


def knowledge(certain: bool = True, **more: Any) -> ColumnStatsOfSlices:
    files = files_of(SLICES, lambda instant: (0, certain) if instant == "1" else (1, True))
    return ColumnStatsOfSlices(
        files, VERSIONS, NEW, lambda names: {name: STORED.get(name, ()) for name in names}, **more
    )


def read(where: str, known: ColumnStatsOfSlices) -> list[int]:
    """The slices in which some row may match."""
    return FileStatistics(3, known.pieces).plan(bind(parse_predicate(where), NEW)).possible().tolist()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("n = 5", [0, 1]),
        ("n > 6", [2]),
        ("n < 4", [0]),
        ("b = 7", [0, 1, 2]),
        ("b is null", [1, 2]),
        ("b = 8", [1, 2]),
        ("gone is null", [0]),
        ("gone = 1", []),
        ("gone >= 60", [2]),
    ],
)
def test_statistics_follow_column_ids(where: str, expected: list[int]) -> None:
    """Records are of the file's own names; a column that its version lacks has its default, or null, in every row.

    Rules: TABLE-9.
    """
    assert read(where, knowledge()) == expected


def test_a_column_is_not_taken_for_absent_where_the_version_is_not_certain() -> None:
    """TABLE-9."""
    assert read("b = 8", knowledge(certain=False)) == [0, 1, 2]
    assert read("gone is not null", knowledge(certain=False)) == [0, 1, 2]
    assert read("n > 6", knowledge(certain=False)) == [2]


def test_files_without_records_are_decided_by_their_headers() -> None:
    """META-14."""
    for thought, expected in ((MissingStats.ANYTHING, [1, 2]), (MissingStats.NULLS, []), (MissingStats.NOTHING, [])):
        known = knowledge(on_missing=lambda _, files, thought=thought: np.full(len(files), thought, np.int8))
        assert read("b = 8", known) == expected
    nulls = knowledge(on_missing=lambda _, files: np.full(len(files), MissingStats.NULLS, np.int8))
    assert read("b is null", nulls) == [1, 2]


def test_nothing_is_known_of_slices_whose_logs_may_make_anything() -> None:
    slices = slices_of([slice_of(0, logs=1), slice_of(1), slice_of(2)])
    files = files_of(slices, lambda instant: (0, True) if instant == "1" else (1, True))
    stored = dict(STORED)
    known = ColumnStatsOfSlices(files, VERSIONS, NEW, lambda names: {name: stored.get(name, ()) for name in names})
    settled = ColumnStatsOfSlices(
        files, VERSIONS, NEW, known.recorded, on_missing=lambda _, at: np.full(len(at), MissingStats.NOTHING, np.int8)
    )
    assert read("n > 6", settled) == [2]
    opaque = ColumnStatsOfSlices(files, VERSIONS, NEW, known.recorded, on_missing=settled.on_missing, opaque_logs=True)
    assert read("n > 6", opaque) == [0, 2]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("s is null", [0, 2, 3]),
        ("s is not null", [0, 1, 3]),
        ("s = ''", [0, 3]),
        ("s = 'default'", [0, 3]),
        ("s = 'x'", [1, 3]),
        ("s > 'default'", [1, 3]),
    ],
)
def test_paths_give_values_nulls_and_ranges(where: str, expected: list[int]) -> None:
    """Partitions by their paths: the legacy default, a value, the default, and one that tells nothing."""
    schema = Schema(t.Record((t.Field(1, "s", t.String()),)))
    values = [PathValue("", "default", True), PathValue("x", "x", False), PathValue(None, None, True), None]
    reported = PartitionValues({1: values}, np.arange(4))
    known = FileStatistics(4, lambda column: reported.pieces(column) or [])
    assert known.plan(bind(parse_predicate(where), schema)).possible().tolist() == expected


class TestPartitions:
    def prepare(self, versions: Sequence[Schema], names: Mapping[str, tuple[int, int]]) -> PartitionStats:
        keys = partition_keys(["p", "q"])

        def found(requested: Sequence[str]) -> Mapping[str, tuple[RecordedStatistics, ...]]:
            return {
                name: (
                    RecordedStatistics(
                        keys.view(np.uint8).reshape(2, -1),
                        from_values(t.Int(), [lower] * 2, [upper] * 2, [0] * 2, [9] * 2),
                        True,
                    ),
                )
                for name, (lower, upper) in names.items()
                if name in requested
            }

        return PartitionStats(["p", "q"], versions, NEW, found)

    def numbers(self, known: PartitionStats, covered: Sequence[bool] = (True, True)) -> list[int]:
        column = Column(1, "n", t.Long())
        pieces = list(known.pieces(column, lambda _: np.array(covered)))
        return [number for piece in pieces for number in piece.files.tolist()]

    def test_partition_statistics_are_used_where_each_of_their_files_was_counted(self) -> None:
        """META-19."""
        known = self.prepare([NEW], {"n": (1, 5)})
        assert self.numbers(known) == [0, 1]
        assert self.numbers(known, [False, True]) == [1]

    def test_an_index_is_not_used_where_versions_have_the_column_under_two_names_or_not_at_all(self) -> None:
        assert self.numbers(self.prepare([OLD, NEW], {"a": (1, 5), "n": (1, 5)})) == []
        lacking = Schema(t.Record((t.Field(2, "b", t.Int()),)))
        assert self.numbers(self.prepare([NEW, lacking], {"n": (1, 5)})) == []

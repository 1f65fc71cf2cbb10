"""What footers tell of a column: bounds and counts under the stored type, and defaults where a file lacks the column."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from hudi_core.engine import FileInfo, Footer, RowGroup
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Column
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.planning.sources.footer_statistics import footer_pieces, row_group_pieces
from hudi_core.pruning.store import FileStatistics
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t

INNER = t.Record((t.Field(5, "x", t.Int()), t.Field(6, "y", t.String())))
WANTED = Schema(
    t.Record(
        (
            t.Field(1, "a", t.Long()),
            t.Field(2, "b", t.Int(), default=7),
            t.Field(3, "c", t.String(), default=None),
            t.Field(4, "r", INNER, default=None),
        )
    )
)
STORED = Schema(t.Record((t.Field(1, "old_a", t.Int()), t.Field(4, "r", INNER))))
"""What files were written under: `a` had another name and type, `b` and `c` did not exist."""


def leaf(
    lower: object, upper: object, nulls: int | None = 0, rows: int = 10, of: t.Primitive | None = None
) -> LeafStatistics:
    return LeafStatistics(of or t.Int(), lower, upper, nulls, rows, nans=False)


def footer(statistics: Mapping[Path, LeafStatistics], groups: tuple[RowGroup, ...] = ()) -> Footer:
    return Footer(10, STORED, {}, statistics, groups, 100)


def column(name: str) -> Column:
    place = WANTED.get(name)
    return Column(place.field.id, name, place.field.type)


def read(where: str, *footers: Footer | None) -> list[int]:
    """The files, each with a footer or one that could not be read, in which some row may match."""
    paths = [f"{number}.parquet" for number in range(len(footers))]
    slices = [(number, FileSlice("", str(number), "1", FileInfo(path, 100))) for number, path in enumerate(paths)]
    known = {path: item for path, item in zip(paths, footers, strict=True) if item is not None}
    stored = dict.fromkeys(known, STORED)
    statistics = FileStatistics(len(paths), lambda of: footer_pieces(of, slices, stored, WANTED, known))
    return statistics.plan(bind(parse_predicate(where), WANTED)).possible().tolist()


def groups_read(where: str, *statistics: Mapping[Path, LeafStatistics]) -> list[int]:
    """The row groups of one file in which some row may match."""
    groups = [RowGroup(10, item) for item in statistics]
    known = FileStatistics(len(groups), lambda of: row_group_pieces(of, groups, STORED, WANTED))
    return known.plan(bind(parse_predicate(where), WANTED)).possible().tolist()


A: Path = ("old_a",)


def test_bounds_are_those_of_the_column_under_its_name_in_the_file() -> None:
    assert read("a > 5", footer({A: leaf(1, 5)}), footer({A: leaf(1, 6)})) == [1]
    assert groups_read("a > 5", {A: leaf(1, 5)}, {A: leaf(1, 6)}) == [1]


@pytest.mark.parametrize(
    ("where", "matches"),
    [
        ("b = 7", True),
        ("b > 6", True),
        ("b is null", False),
        ("b <> 7", False),
        ("c is null", True),
        ("c = 'x'", False),
    ],
)
def test_a_column_that_files_lack_has_its_default_in_every_row(where: str, matches: bool) -> None:
    assert read(where, footer({}), footer({})) == ([0, 1] if matches else [])
    assert groups_read(where, {}, {}) == ([0, 1] if matches else [])


def test_files_that_lack_a_column_and_files_that_have_it_stand_side_by_side() -> None:
    wider = Schema(t.Record((*STORED.fields, t.Field(2, "b", t.Int()))))
    slices = [(number, FileSlice("", str(number), "1", FileInfo(f"{number}", 100))) for number in range(3)]
    footers = {"0": footer({}), "1": footer({("b",): leaf(1, 2)}), "2": footer({("b",): leaf(7, 9)})}
    stored = {"0": STORED, "1": wider, "2": wider}
    known = FileStatistics(3, lambda of: footer_pieces(of, slices, stored, WANTED, footers))
    assert known.plan(bind(parse_predicate("b = 7"), WANTED)).possible().tolist() == [0, 2]


def test_of_a_file_whose_footer_could_not_be_read_nothing_is_known() -> None:
    assert read("a > 5", footer({A: leaf(1, 5)}), None) == [1]
    assert read("b = 8", None) == [0]


def test_of_a_column_without_statistics_nothing_is_known() -> None:
    assert read("a > 5", footer({})) == [0]
    assert read("a is null", footer({A: leaf(1, 5, nulls=None)}), footer({A: leaf(1, 5)})) == [0]


def test_a_slice_without_base_file_has_no_footer_statistics() -> None:
    slices = [(0, FileSlice("", "0", "1", None))]
    assert list(footer_pieces(column("a"), slices, {}, WANTED, {})) == []


def test_a_record_is_known_not_to_be_null_where_a_leaf_below_it_never_is() -> None:
    """SOURCE-10."""
    full = {("r", "x"): leaf(1, 2, nulls=1), ("r", "y"): leaf("a", "b", of=t.String())}
    open_ = {("r", "x"): leaf(1, 2, nulls=1), ("r", "y"): leaf("a", "b", nulls=None, of=t.String())}
    assert read("r is null", footer(full), footer(open_), footer({})) == [1, 2]
    assert groups_read("r is null", full, full) == []
    assert groups_read("r is null", full, open_) == [0, 1]


def test_row_groups_are_described_together_or_not_at_all() -> None:
    assert groups_read("a > 5", {A: leaf(1, 5)}, {}) == [0, 1]
    assert row_group_pieces(column("a"), [RowGroup(10, {A: leaf(1, 5)}), RowGroup(10, {})], STORED, WANTED) == []


def test_counts_and_bounds_of_files_keep_their_numbers() -> None:
    slices = [(4, FileSlice("", "4", "1", FileInfo("4", 1))), (9, FileSlice("", "9", "1", FileInfo("9", 1)))]
    footers = {"4": footer({A: leaf(1, 5, nulls=2)}), "9": footer({A: leaf(3, 4, nulls=0)})}
    (piece,) = footer_pieces(column("a"), slices, {"4": STORED, "9": STORED}, WANTED, footers)
    assert piece.files.tolist() == [4, 9] and piece.statistics.type == t.Int()
    assert piece.statistics.nulls.tolist() == [2, 0] and piece.statistics.rows.tolist() == [10, 10]
    assert np.asarray(piece.statistics.upper).tolist() == [5, 4]

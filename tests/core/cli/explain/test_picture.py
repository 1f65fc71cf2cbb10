"""What a drawing of ranges against a predicate shows: stretches that may match, and each slice's range."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.cli.explain.picture import ColumnPicture, column_picture
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import columns_of
from hudi_core.planning.sources.column_ranges import ColumnRange
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from tests.support.predicates import predicates, truth_of
from tests.support.strategies import rows_of

_SCHEMA = Schema(
    record_with_ids(
        t.Record(
            (
                t.Field(0, "n", t.Int(), optional=True),
                t.Field(0, "x", t.Double(), optional=True),
                t.Field(0, "s", t.String(), optional=True),
                t.Field(0, "at", t.Timestamp(), optional=True),
            )
        )
    )
)


def picture(where: str, *bounds: ColumnRange | None) -> ColumnPicture:
    """The picture of the only column of a predicate."""
    predicate = bind(parse_predicate(where), _SCHEMA)
    (column,) = columns_of(predicate).values()
    return column_picture(column, predicate, bounds)


def matching(where: str) -> list[str]:
    """What may match, in words."""
    drawn = picture(where)
    answer = [band.label for band in drawn.matching]
    return answer + ["NaN"] * drawn.nans_match + ["null"] * drawn.nulls_match


@pytest.mark.parametrize(
    ("where", "answer"),
    [
        ("n > 3", ["above 3"]),
        ("n >= 3", ["from 3"]),
        ("n < 3", ["below 3"]),
        ("n <= 3", ["up to 3"]),
        ("n = 3", ["3"]),
        ("n <> 3", ["below 3", "above 3"]),
        ("n BETWEEN 3 AND 7", ["3 to 7"]),
        ("n > 3 AND n < 7", ["above 3 and below 7"]),
        ("n >= 3 AND n < 7", ["from 3 and below 7"]),
        ("n > 3 AND n <= 7", ["above 3 up to 7"]),
        ("n < 3 OR n > 7", ["below 3", "above 7"]),
        ("n IN (7, 3, NULL)", ["3", "7"]),
        ("n NOT IN (3, 7)", ["below 3", "above 3 and below 7", "above 7"]),
        ("n IS NULL", ["null"]),
        ("n IS NOT NULL", ["any value"]),
        ("n IS NULL OR n = 3", ["3", "null"]),
        ("n <=> NULL", ["null"]),
        ("n > 7 AND n < 3", []),
        ("x > 1.5", ["above 1.5", "NaN"]),
        ("NOT (x > 1.5)", ["up to 1.5"]),
        ("x <= 1.5 OR x IS NULL", ["up to 1.5", "null"]),
        ("x = 'NaN'", ["NaN"]),
        ("s LIKE 'lost%'", ["from 'lost' and below 'losu'"]),
        ("s LIKE '%lost'", ["any value"]),
        ("at >= TIMESTAMP '2026-03-01 00:00:00'", ["from 2026-03-01 00:00:00"]),
    ],
)
def test_row_ranges_that_may_match_are_found(where: str, answer: list[str]) -> None:
    assert matching(where) == answer


@given(st.data())
def test_a_matching_row_is_in_a_row_range_that_may_match(data: st.DataObject) -> None:
    predicate = data.draw(predicates(_SCHEMA))
    row: Any = data.draw(rows_of(_SCHEMA))
    if truth_of(predicate, row, _SCHEMA) is not TRUE:
        return
    for column in columns_of(predicate).values():
        value = row[_SCHEMA.place(column.id).positions[0]]
        drawn = column_picture(column, predicate, [ColumnRange(value, value)])
        if value is None:
            assert drawn.nulls_match
        elif value != value:
            assert drawn.nans_match
        else:
            (found,) = drawn.ranges
            assert found is not None
            assert found.band is not None
            here = found.band
            assert any(band.start <= here.start and here.end <= band.end for band in drawn.matching)


@pytest.mark.parametrize(
    ("known", "answer"),
    [
        (ColumnRange(1.0, 9.0, nulls=False), "1.0 to 9.0"),
        (ColumnRange(2.0, 2.0), "2.0, may hold nulls"),
        (ColumnRange(1.0, None, nulls=False), "from 1.0"),
        (ColumnRange(None, 9.0, nulls=False, nans=True), "up to 9.0, may hold NaN"),
        (ColumnRange(None, None, nulls=False), "bounds not known"),
        (ColumnRange(None, None, values=False), "nulls only"),
        (ColumnRange(None, None, values=False, nulls=False), "no rows"),
        (ColumnRange(1.0, math.nan, nulls=False), "from 1.0, may hold NaN"),
        (ColumnRange(math.nan, math.nan, nulls=False), "bounds not known, may hold NaN"),
    ],
)
def test_a_range_is_shown_in_words(known: ColumnRange, answer: str) -> None:
    (found,) = picture("x > 4", known).ranges
    assert found is not None
    assert found.label == answer


def test_ranges_stand_on_the_axis_in_the_order_of_the_slices() -> None:
    drawn = picture(
        "x > 4",
        ColumnRange(5.0, 9.0),
        None,
        ColumnRange(1.0, 3.0),
        ColumnRange(None, 3.0),
        ColumnRange(None, None, values=False),
    )
    first, unknown, second, open_below, empty = drawn.ranges
    assert unknown is None
    assert first is not None and second is not None and open_below is not None and empty is not None
    assert first.band is not None and second.band is not None and open_below.band is not None
    assert second.band.start < second.band.end < drawn.matching[0].start < first.band.start < first.band.end
    assert (open_below.band.start, open_below.bounded) == (0.0, True)
    assert empty.band is None


def test_places_for_null_and_nan_are_there_when_they_can_be_held() -> None:
    plain = picture("x > 4", ColumnRange(1.0, 2.0, nulls=False))
    assert (plain.has_nulls, plain.has_nans) == (False, False)
    both = picture("x > 4", ColumnRange(1.0, 2.0, nulls=True, nans=True))
    assert (both.has_nulls, both.has_nans) == (True, True)
    assert picture("x IS NULL").has_nulls


def test_a_column_that_rules_nothing_out_is_reported() -> None:
    predicate = bind(parse_predicate("n > 3 OR x > 4"), _SCHEMA)
    drawn = [column_picture(column, predicate, []) for column in columns_of(predicate).values()]
    assert [found.any_matches for found in drawn] == [True, True]
    assert not picture("n > 3").any_matches
    assert not picture("n IS NOT NULL").any_matches


def test_marks_are_the_values_that_the_predicate_names() -> None:
    drawn = picture("x IN (4, 2) OR x < 1", ColumnRange(0.0, 10.0))
    assert [answer for _, answer in drawn.marks] == ["1.0", "2.0", "4.0"]
    assert [place for place, _ in drawn.marks] == sorted(place for place, _ in drawn.marks)
    assert drawn.to_scale
    assert not picture("s = 'a'").to_scale


def test_thousands_of_literals_are_placed_at_once() -> None:
    drawn = picture(" OR ".join(f"n = {2 * number}" for number in range(3_000)))
    assert len(drawn.matching) == 3_000

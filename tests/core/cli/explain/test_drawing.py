"""The picture of a column: well-formed SVG in which every slice has its row and no texts overlap."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.cli.explain.drawing import column_svg, may_match
from hudi_core.cli.explain.picture import ColumnPicture, column_picture
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import columns_of
from hudi_core.planning.sources.column_ranges import ColumnRange
from hudi_core.schema.schema import Schema
from hudi_core.truth import Verdict
from hudi_core.types import nodes as t

_SCHEMA = Schema(t.Record((t.Field(0, "x", t.Double(), optional=True), t.Field(1, "s", t.String(), optional=True))))
_SVG = "{http://www.w3.org/2000/svg}"


def picture(where: str, *bounds: ColumnRange | None) -> ColumnPicture:
    predicate = bind(parse_predicate(where), _SCHEMA)
    (column,) = columns_of(predicate).values()
    return column_picture(column, predicate, bounds)


def parsed(drawn: ColumnPicture, verdicts: list[Verdict]) -> ET.Element:
    """The SVG as XML: attributes get the quotes that HTML does not need."""
    text = column_svg(drawn, verdicts)
    quoted = re.sub(r"(?<=[ \w-])=([^\s'\">/]+)(?=[\s/>])", r"='\1'", text)
    return ET.fromstring(quoted.replace("<svg ", "<svg xmlns='http://www.w3.org/2000/svg' ", 1))


def numbers(svg: ET.Element) -> list[list[int]]:
    """The slices in the rows of each group."""
    return [[int(n) for n in group.get("data-rows", "").split()] for group in svg.iter(f"{_SVG}g")]


def test_read_slices_are_drawn_above_skipped_ones_sorted_by_lower_bound() -> None:
    bounds = [ColumnRange(5.0, 9.0), ColumnRange(1.0, 2.0), None, ColumnRange(4.5, 6.0), ColumnRange(0.0, 3.0)]
    verdicts = [Verdict.READ, Verdict.SKIP, Verdict.READ, Verdict.ALL_MATCH, Verdict.SKIP]
    svg = parsed(picture("x > 4", *bounds), verdicts)
    assert numbers(svg) == [[3, 0, 2], [4, 1]]
    assert [text.text for text in svg.iter(f"{_SVG}text") if text.get("class") == "group"] == ["read: 3", "skipped: 2"]


def test_the_picture_is_described_in_words() -> None:
    svg = parsed(picture("x > 4", ColumnRange(1.0, 9.0)), [Verdict.READ])
    assert svg.get("aria-label") == "Ranges of x in 1 slices. May match: above 4.0, NaN."


def test_names_and_values_cannot_break_out_of_the_page() -> None:
    schema = Schema(t.Record((t.Field(0, "x", t.String(), optional=True),)))
    predicate = bind(parse_predicate("x = '\"><script>alert(1)</script>'"), schema)
    (column,) = columns_of(predicate).values()
    text = column_svg(column_picture(column, predicate, [ColumnRange("<b>", "</svg>'\"")]), [Verdict.READ])
    assert "<script>" not in text
    assert text.count("</svg>") == 1


def test_null_and_nan_have_places_beside_the_axis() -> None:
    svg = parsed(picture("x IS NULL OR x > 4", ColumnRange(1.0, 2.0, nulls=True, nans=True)), [Verdict.READ])
    labels = [text.text for text in svg.iter(f"{_SVG}text") if text.get("class") == "label"]
    assert labels[:2] == ["null", "NaN"]
    assert len([rect for rect in svg.iter(f"{_SVG}rect") if rect.get("class") == "match"]) == 3


def test_nothing_is_shaded_when_the_column_rules_nothing_out() -> None:
    predicate = bind(parse_predicate("x > 4 OR s = 'a'"), _SCHEMA)
    column = next(iter(columns_of(predicate).values()))
    drawn = column_picture(column, predicate, [ColumnRange(1.0, 2.0)])
    assert may_match(drawn) == "any value of this column alone"
    assert "class=match" not in column_svg(drawn, [Verdict.READ])


def test_many_ranges_are_counted() -> None:
    many = picture("x IN (" + ",".join(map(str, range(20))) + ")")
    assert may_match(many) == "0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, and 12 more"


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.integers(0, 30))
def test_strings_below_and_above_the_axis_never_overlap(values: list[float], slices: int) -> None:
    where = "x IN (" + ",".join(f"{value!r}D" for value in values) + ")"
    bounds = [ColumnRange(min(values), max(values))] * slices
    svg = parsed(picture(where, *bounds), [Verdict.READ] * slices)
    for kind in ("label", "mark"):
        row = [
            text for text in svg.iter(f"{_SVG}text") if text.get("class") == kind and text.text not in ("null", "NaN")
        ]
        spans = sorted((float(text.get("x", "")), len(text.text or "")) for text in row)
        for (x1, n1), (x2, n2) in itertools.pairwise(spans):
            assert x2 - x1 >= (n1 + n2) * 6.4 / 2


@pytest.mark.parametrize("slices", [1, 40, 1_000, 5_000])
def test_the_height_is_bounded_however_many_slices_there_are(slices: int) -> None:
    bounds = [ColumnRange(float(number), float(number + 50)) for number in range(slices)]
    svg = parsed(
        picture("x > 20", *bounds), [Verdict.READ, Verdict.SKIP] * (slices // 2) + [Verdict.READ] * (slices % 2)
    )
    height = float(svg.get("viewBox", "").split()[3])
    assert height < max(1_000, slices)
    assert sorted(number for group in numbers(svg) for number in group) == list(range(slices))

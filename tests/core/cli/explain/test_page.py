"""The page: self-contained, small, in the order in which the eye asks, and safe whatever the table is called."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np

from hudi_core.cli.explain.page import Explained, Reason, html_page
from hudi_core.cli.explain.picture import column_picture
from hudi_core.engine import FileInfo
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import columns_of
from hudi_core.planning.plan import ALL_MATCH, READ, SKIP, Reasons, ScanPlan, Step
from hudi_core.planning.sources.column_ranges import ColumnRange
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.truth import Verdict
from hudi_core.types import nodes as t

_WHERE = "a > 3 AND name = 'x'"
_SCHEMA = Schema(t.Record((t.Field(0, "a", t.Long(), optional=True), t.Field(1, "name", t.String(), optional=True))))
_WHY = "column_stats: a > 3"


class Text(HTMLParser):
    """What a reader sees, the tags, and what would be loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.outside: list[str] = []
        self._silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.outside += [str(value) for name, value in attrs if name in ("src", "href")]
        self._silent = tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._silent = False

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def explained(slices: int, drawn: int | None = None) -> Explained:
    """A plan of many slices: some read, some of which every row matches, the most skipped."""
    codes = np.array([(READ, ALL_MATCH, SKIP, SKIP, SKIP)[number % 5] for number in range(slices)], np.int8)
    made = tuple(
        FileSlice(f"day=2026-01-{n % 28 + 1:02d}", f"{n:036d}-0", "20260101", FileInfo(f"{n}.parquet", 1024))
        for n in range(slices)
    )
    why = Reasons(np.where(codes == SKIP, 1, np.where(codes == ALL_MATCH, 2, 0)).astype(np.int32), ("", _WHY, "all"))
    removed = int(np.count_nonzero(codes == SKIP))
    steps = (
        Step("partition values", slices, 0, 1e-6, "no partition column"),
        Step("column_stats", slices, removed, 0.0123),
    )
    plan = ScanPlan(made, codes, steps, lambda: why)
    predicate = bind(parse_predicate(_WHERE), _SCHEMA)
    numbers = range(slices if drawn is None else drawn)
    bounds = [ColumnRange(n, n + 10) for n in numbers], [ColumnRange("k" * 60, "z" * 60) for _ in numbers]
    columns = columns_of(predicate).values()
    pictures = [column_picture(column, predicate, known) for column, known in zip(columns, bounds, strict=True)]
    reasons = [
        Reason(_WHY, Verdict.SKIP, removed),
        Reason("column_stats: every row matches", Verdict.ALL_MATCH, slices // 5),
    ]
    decisions = [plan.decision(number) for number in numbers]
    alone = [("a > 3", removed), ("name = 'x'", 0)]
    return Explained("orders", "s3://bucket/orders", _WHERE, plan, alone, reasons, decisions, pictures)


def read(page: str) -> Text:
    text = Text()
    text.feed(page)
    text.close()
    return text


def test_it_answers_in_order_how_many_who_where_and_which() -> None:
    text = read(html_page(explained(50)))
    answer = " ".join(" ".join(text.texts).split())
    assert "20 of 50 file slices can hold matching rows" in answer
    wanted = [
        "can hold matching rows",
        "Who removed what",
        "Each condition by itself",
        "What decided",
        "Where the values lie",
    ]
    places = [
        answer.index(title)
        for title in [*wanted, "File slices verdict" if "File slices verdict" in answer else "File slices"]
    ]
    assert places == sorted(places)
    assert "12.3 ms" in answer
    assert "20.0 KiB of 50.0 KiB to read" in answer


def test_it_loads_nothing_from_elsewhere() -> None:
    page = html_page(explained(20))
    assert read(page).outside == []
    assert "@import" not in page
    assert "url(" not in page.replace("url(#unknown)", "")


def test_a_thousand_slices_stay_below_a_megabyte() -> None:
    page = html_page(explained(1_500, drawn=1_000))
    assert len(page.encode()) < 1_000_000
    text = read(page)
    assert "1,000 of 1,500 slices are shown, those to read first." in text.texts
    assert len(text.named("tr")) > 1_000


def test_every_slice_that_is_drawn_has_a_row_with_its_range_and_reason() -> None:
    text = read(html_page(explained(10)))
    rows = [attributes for attributes in text.named("tr") if attributes.get("class") in ("read", "all", "skip")]
    assert [row["class"] for row in rows] == ["read", "all", "skip", "skip", "skip"] * 2
    assert text.texts.count(_WHY) == 6
    assert "3 to 13, may hold nulls" in text.texts
    assert f"'{'k' * 27}…' to '{'z' * 27}…', may hold nulls" in text.texts


def test_pictures_have_labels_and_can_be_reached_by_keyboard() -> None:
    pictures = read(html_page(explained(10))).named("svg")
    assert len(pictures) == 2
    assert all(item["role"] == "img" and item["tabindex"] == "0" and item["aria-label"] for item in pictures)


def test_names_cannot_break_out() -> None:
    evil = "</script><script>alert(1)</script>'\"<b>"
    of = replace(explained(10), table=evil, uri=evil, where=evil, alone=[(evil, 1), (evil, 2)])
    clean, dirty = (read(html_page(item)) for item in (explained(10), of))
    assert [tag for tag, _ in dirty.tags] == [tag for tag, _ in clean.tags]


def test_warnings_stand_first() -> None:
    of = explained(10)
    answer = "".join(read(html_page(replace(of, plan=replace(of.plan, warnings=("a file is damaged",))))).texts)
    assert answer.index("a file is damaged") < answer.index("Who removed what")


def test_a_table_without_slices_has_a_page_too() -> None:
    of = replace(explained(0), reasons=[], alone=[])
    assert "0 of 0 file slices" in "".join(read(html_page(of)).texts)

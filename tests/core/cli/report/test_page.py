"""The page of a report: self-contained, without a script, safe whatever things are called."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from hudi_core.advice.proposals import Advice, Measure, Proposal, Touched
from hudi_core.cli.report.facts import PartitionSize, Report, SizeClass
from hudi_core.cli.report.page import MOST_FINDINGS, MOST_PARTITIONS, report_page
from hudi_core.index_builds.listing import Index, IndexState
from hudi_core.table.column_summary import ColumnSummary
from hudi_core.table.summaries import CommitSummary
from hudi_core.validation.findings import Finding, Severity, by_hand

COMMIT = CommitSummary("20261121124621743", "20261121124655896", "commit", "UPSERT", 1, 2, 0, 5, 3, 1, 4_000)
COLUMN = ColumnSummary("fare", "double", 1.0, 9.0, 10, 2, 0, 0, 6.5, 9, 1.0)
FINDING = Finding("timeline", Severity.ERROR, ".hoodie/x", "an instant", "none", by_hand("restore it"))
REPORT = Report(
    "orders",
    "s3://bucket/orders",
    "MERGE_ON_READ",
    9,
    [COMMIT],
    {"clean": 2},
    ["compaction 20261121124621743"],
    10,
    3,
    4_096,
    [SizeClass("base", 1024, 2048, 10, 4_000), SizeClass("log", 16, 32, 3, 96)],
    [PartitionSize("day=1", 10, 10, 3, 4_096)],
    [COLUMN],
    0,
    [Index("column_stats", "column_stats", ("fare",), IndexState.DAMAGED, 1, 12, "a file is missing")],
    [FINDING],
    None,
)


class Page(HTMLParser):
    """What a reader sees, and what a page has that it must not have."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [str(value) for name, value in attrs if name in ("src", "href") or name.startswith("on")]

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def test_a_page_loads_nothing_and_has_every_section() -> None:
    """CLI-981."""
    page = Page(report_page(REPORT))
    assert page.outside == [] and "script" not in page.tags
    for shown in ("Timeline", "Sizes of files", "Partitions", "Layout", "Health of indexes", "Findings", "2 clean"):
        assert shown in page.text
    for shown in ("day=1", "8 of 10", "a file is missing", "compaction 20261121124621743", "restore it", "damaged"):
        assert shown in page.text
    assert "Advice" not in page.text


def test_names_are_escaped() -> None:
    """CLI-981."""
    evil = "<script>alert('1')</script>"
    made = replace(
        REPORT,
        table=evil,
        partitions=[replace(REPORT.partitions[0], partition=evil)],
        columns=[replace(COLUMN, column=evil)],
        indexes=[replace(REPORT.indexes[0], name=evil, problem=evil)],
        findings=[replace(FINDING, where=evil)],
        pending=[evil],
        commits=[replace(COMMIT, operation=evil)],
    )
    assert "script" not in Page(report_page(made)).tags


def test_long_lists_are_cut_and_counted() -> None:
    """CLI-981."""
    many = replace(
        REPORT,
        commits=[COMMIT] * 500,
        partitions=[replace(REPORT.partitions[0], partition=f"day={number}") for number in range(1_000)],
        findings=[FINDING] * 1_000,
    )
    page = Page(report_page(many))
    assert f"{1_000 - MOST_PARTITIONS:,} smaller partitions" in page.text
    assert f"{1_000 - MOST_FINDINGS:,} more findings" in page.text
    assert "the latest 120 of 500 commits" in page.text
    assert len(report_page(many)) < 120_000


def test_a_table_without_anything() -> None:
    """CLI-981."""
    empty = replace(REPORT, commits=[], sizes=[], partitions=[], columns=[], indexes=[], findings=[], pending=[])
    page = Page(report_page(empty))
    for shown in ("no completed commit", "no data files", "no index", "no finding"):
        assert shown in page.text


@pytest.mark.parametrize("proposals", [(), (Proposal(Measure.CLUSTERING, ("fare",), (Touched(0, 1, 10, 1),), 5, 1.0),)])
def test_advice_is_shown(proposals: tuple[Proposal, ...]) -> None:
    """CLI-981."""
    advice = Advice(("fare > 3",), (1,), (Touched(0, 5, 500, 5),), 10, 100.0, 10, proposals)
    page = Page(report_page(replace(REPORT, advice=advice)))
    assert "fare > 3" in page.text
    assert ("10 B" in page.text) is (proposals != ())
    assert ("No index or clustering" in page.text) is (proposals == ())

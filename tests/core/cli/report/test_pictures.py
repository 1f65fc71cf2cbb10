"""The pictures of a report."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hudi_core.cli.report.facts import SizeClass
from hudi_core.cli.report.pictures import MOST_COMMITS, commits_svg, sizes_svg
from hudi_core.table.summaries import CommitSummary

COMMIT = CommitSummary("20261121124621743", None, "commit", "UPSERT", 1, 2, 0, 6, 3, 1, 4_000)
UNCOUNTED = CommitSummary("001", None, "commit", None, 1, 2, 0, None, None, None, None)


def heights(picture: str) -> dict[str, list[float]]:
    """The heights of bars by their style."""
    made: dict[str, list[float]] = {}
    for kind, height in re.findall(r"<rect class=(\w+) .*?height=([\d.]+)", picture):
        made.setdefault(kind, []).append(float(height))
    return made


def test_bars_are_as_high_as_counts() -> None:
    """CLI-981."""
    bars = heights(commits_svg([COMMIT]))
    assert {kind: round(10 * high / 188) for kind, (high,) in bars.items()} == {
        "inserted": 6,
        "updated": 3,
        "deleted": 1,
    }
    assert "<title>20261121124621743 upsert: 6 inserted, 3 updated, 1 deleted, 3.9 KiB</title>" in commits_svg([COMMIT])


def test_bytes_stand_in_where_rows_are_not_counted() -> None:
    """CLI-981."""
    picture = commits_svg([COMMIT, UNCOUNTED])
    assert heights(picture) == {"inserted": [188.0]}
    assert "001 commit: no rows" in picture and "bytes written" in picture


def test_only_the_latest_commits_are_drawn() -> None:
    """CLI-981."""
    assert len(heights(commits_svg([COMMIT] * 500))["inserted"]) == MOST_COMMITS
    assert heights(commits_svg([])) == {}


def test_sizes_of_small_files_have_a_colour_of_their_own() -> None:
    """CLI-981."""
    picture = sizes_svg(
        [SizeClass("base", 1 << 20, 2 << 20, 8, 9 << 20), SizeClass("base", 1 << 28, 2 << 28, 4, 5 << 28)]
    )
    assert heights(picture) == {"updated": [188.0], "inserted": [94.0]}
    assert "8 files from 1.0 MiB to 2.0 MiB, 9.0 MiB together" in picture


def test_pictures_are_well_formed() -> None:
    """CLI-981: attributes without quotes are HTML's; with them the picture is XML."""
    for picture in (commits_svg([COMMIT, UNCOUNTED]), sizes_svg([]), sizes_svg([SizeClass("log", 1, 2, 1, 1)])):
        tree = ElementTree.fromstring(re.sub(r"=([^'\"\s>]+)(?=[\s>])", r'="\1"', picture))
        assert tree.get("role") == "img" and tree.get("aria-label")

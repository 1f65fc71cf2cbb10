"""`stats`, `diff` and `trace`, in both forms."""

from __future__ import annotations

import pytest

from hudi_core.table.table import Table
from tests.core.table.test_record_versions import written
from tests.support.commands import Ran, ran, rides
from tests.support.screens import screen


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return written(tmp_path_factory.mktemp("t") / "t", "mor")


def test_stats() -> None:
    (answer,) = ran("stats", rides(), "--column", "fare", "--json").lines
    assert (answer["column"], answer["slices"], answer["lower"]) == ("fare", 287, "4.16")
    shown = ran("stats", rides(), "-c", "fare", "-c", "city").out
    assert "bounds          4.16 to 146.24\n" in shown
    assert "If the rows were sorted by fare" in shown
    assert "sorted by city" not in shown
    assert "nothing" in ran("stats", rides(), "-c", "nothing").error
    assert ran("stats", rides()).status == 2


def test_diff(table: Table) -> None:
    first, *_, last = [commit.requested_time for commit in table.timeline.commits]
    (answer,) = ran("diff", table.storage.uri, first, last, "--json").lines
    assert (answer["commits"], answer["since"]) == (3, first)
    assert "rows deleted   1" in ran("diff", table.storage.uri, first, last).out.splitlines()
    rows = ran("diff", table.storage.uri, first, last, "--rows", "--json").lines
    assert [row["op"] for row in rows] == ["u", "d"]
    assert ran("diff", table.storage.uri, first, last, "--rows", "-n", "1").out.splitlines()[2:] == [
        "",
        "the first 1 change",
    ]
    assert ran("diff", table.storage.uri, first, last, "--rows").out.splitlines()[-1] == "2 changes"
    assert "the earlier instant first" in ran("diff", table.storage.uri, last, first).error
    assert "--rows" in ran("diff", table.storage.uri, first, last, "-n", "1").error
    cities = [commit.requested_time for commit in (table.timeline.commits[0],)]
    assert ran("diff", table.storage.uri, *cities, cities[0], "--json").lines[0]["commits"] == 0


def test_trace(table: Table) -> None:
    """CLI-1242: also of a key that no file holds."""
    answers = ran("trace", table.storage.uri, "a", "--json").lines
    assert [answer["seen"] for answer in answers] == [False, True, False]
    shown = screen(80, "trace", table.storage.uri, "a").out.splitlines()
    assert max(map(len, shown)) <= 80
    assert "3 versions of a" in shown
    assert shown[-1] == "v   y"
    assert ran("trace", table.storage.uri, "nobody", "--json") == Ran(0, "", "")
    assert ran("trace", table.storage.uri, "nobody").out.splitlines()[-1] == "no file holds a version of nobody"

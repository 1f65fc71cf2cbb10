"""`explain`: steps, conditions, reasons and totals, and the page with pictures."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hudi_core.front.opening import open_table
from tests.support.commands import ran, rides

_WHERE = "fare BETWEEN 90 AND 95 AND city IN ('oslo', 'paris')"


def test_programs_get_steps_conditions_reasons_and_a_total() -> None:
    answer = ran("explain", rides(), "--where", _WHERE, "--json").lines
    kinds = {
        kind: [line for line in answer if line["kind"] == kind] for kind in ("step", "condition", "reason", "total")
    }
    assert sum(map(len, kinds.values())) == len(answer)
    steps, (total,) = kinds["step"], kinds["total"]
    assert steps[0]["step"] == "partition values"
    assert steps[0]["before"] == total["file_slices"] == 287
    assert all(after["before"] == before["left"] for before, after in itertools.pairwise(steps))
    assert steps[-1]["left"] == total["read"] + total["all_match"]
    assert sum(step["removed"] for step in steps) == total["skip"]
    assert sum(reason["file_slices"] for reason in kinds["reason"] if reason["verdict"] == "skip") == total["skip"]
    assert [line["condition"] for line in kinds["condition"]] == ["fare BETWEEN 90 AND 95", "city IN ('oslo', 'paris')"]
    assert all(line["would_skip_alone"] <= total["skip"] for line in kinds["condition"])


def test_people_see_how_many_then_who_then_why() -> None:
    shown = ran("explain", rides(), "--where", _WHERE).out.splitlines()
    assert shown[0] == _WHERE
    assert shown[2].endswith("of 287 file slices can hold matching rows")
    titles = [shown.index(title) for title in ("Who removed what", "Each condition by itself", "What decided")]
    assert titles == sorted(titles)
    assert not any(line != line.rstrip() for line in shown)


def test_a_predicate_that_nothing_rules_out_removes_nothing() -> None:
    *_, total = ran("explain", rides(), "--where", "note LIKE '%lost%'", "--json").lines
    assert (total["skip"], total["read"]) == (0, 287)


def test_the_page_is_written_beside_the_text(tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    wrote = ran("explain", rides(), "--where", _WHERE, "--html", page, "--json")
    assert wrote.err == f"wrote {page}\n"
    assert wrote.lines[-1]["kind"] == "total"
    text = page.read_text("utf-8")
    assert "file slices can hold matching rows" in text
    assert text.count("<svg class=column") == 2


def test_people_see_the_ends_of_a_long_list_and_programs_all_of_it(tmp_path: Path) -> None:
    where = f"passengers IN ({', '.join(map(str, range(2_000)))}) AND fare > 90"
    shown = ran("explain", rides(), "--where", where, "--html", tmp_path / "why.html").out
    assert "passengers IN (0, 1, 2, " in shown and " AND fare > 90 (10,9" in shown
    assert max(map(len, shown.splitlines())) < 400
    page = (tmp_path / "why.html").read_text("utf-8")
    assert page.count("1998, 1999") < 10
    (condition, _) = (line for line in ran("explain", rides(), "--where", where, "--json").lines if "condition" in line)
    assert condition["condition"].endswith(" 1998, 1999)")


@pytest.mark.parametrize("command", ["files", "explain"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_unknown_function_is_reported_with_similar_names(command: str, form: tuple[str, ...]) -> None:
    reported = ran(command, rides(), "--where", "uper(city) = 'OSLO'", *form)
    assert reported.err.count("function uper is not known") == 1
    assert "did you mean upper?" in reported.err
    assert "uper is not known" not in reported.out


def test_a_scan_reports_unknown_expressions() -> None:
    table = open_table(str(rides()))
    (warning,) = table.scan("uper(city) = 'OSLO'").warnings
    assert warning.endswith("did you mean upper?")
    assert table.scan("upper(city) = 'OSLO'").warnings == []

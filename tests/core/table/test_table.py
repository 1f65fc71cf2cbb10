"""`Table`: instants that it can be asked about.

Also covers: `table/scan.py`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hudi_core
from hudi_core.errors import ConditionWarning, ExpressionError, UsageError
from hudi_core.front.opening import open_table
from hudi_core.schema.meta import COMMIT_TIME
from hudi_core.table import engines
from tests.support.commands import rides


def test_a_time_before_the_first_commit_is_refused_with_the_first_one() -> None:
    table = open_table(str(rides()))
    first = table.timeline.commits[0].requested_time
    with pytest.raises(UsageError, match=first):
        table.slices("2020-01-01")
    assert table.slices(first)
    assert len(table.slices(first)) < len(table.slices())


def test_a_query_with_a_condition_that_is_hardly_meant_warns_at_the_line_that_asks() -> None:
    """EXPR-1513."""
    table = open_table(str(rides()))
    queries = {
        "fare = NULL": lambda where: table.scan(where),
        "fare <> NULL": lambda where: table.count(where),
        "\"city\" <> 'oslo'": lambda where: table.to_pandas(where, columns=["fare"]),
        "fare IN ('7')": lambda where: table.scan(where=where, limit=1),
        "op = NULL": lambda where: table.changes(where=where),
    }
    for where, ask in queries.items():
        with pytest.warns(ConditionWarning, match="write") as warnings:
            ask(where)
        assert [warning.filename for warning in warnings] == [__file__], where


def test_a_table_is_opened_by_its_path() -> None:
    assert open_table(Path(rides())).config.name == open_table(str(rides())).config.name
    with pytest.raises(UsageError, match="one of auto, require, off, found 'never'"):
        open_table(rides(), metadata="never")


def test_slices_are_those_that_can_hold_a_matching_row() -> None:
    """TABLE-1562."""
    table = open_table(rides())
    first = table.timeline.commits[0].requested_time
    for as_of in (None, first):
        kept = table.slices(as_of, where="fare > 95")
        assert list(kept) == table.scan("fare > 95", as_of=as_of).plan.kept()
        assert 0 < len(kept) < len(table.slices(as_of))
    with pytest.raises(ExpressionError, match="no column fair"):
        table.slices(where="fair > 95")


def test_batches_are_those_of_the_engine_one_after_the_other() -> None:
    """TABLE-1559."""
    table = open_table(rides())
    batches = table.scan(where="fare > 95", columns=["fare"]).to_batches()
    assert iter(batches) is batches
    assert sum(batch.num_rows for batch in batches) == table.count("fare > 95")
    assert sum(batch.num_rows for batch in table.changes(limit=3).to_batches()) == 3


class Frames:
    """A layered engine that notes what it is asked for."""

    def __init__(self) -> None:
        self.below: list[str] = []

    def over(self, files: Any) -> Any:
        self.below.append(files.name)
        return SimpleNamespace(frame_of_scan=lambda scan, session: (scan, session))


def test_a_scan_of_any_engine_becomes_a_frame_in_the_session_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLE-1559."""
    table, spark = open_table(rides()), Frames()
    points = {"arrow": SimpleNamespace(load=lambda: table.engine), "spark": SimpleNamespace(load=lambda: spark)}
    monkeypatch.setattr(engines, "_entry_points", lambda: points)
    scan: Any = table.scan(where="fare > 95")
    assert scan.to_spark("a session") == (scan, "a session")
    assert scan.to_spark() == (scan, None)
    assert spark.below == ["arrow", "arrow"]


def test_an_engine_that_reads_scans_makes_the_frame_itself() -> None:
    """TABLE-1559."""
    table = open_table(rides())
    scan: Any = table.scan()
    own = SimpleNamespace(frame_of_scan=lambda *given: given, read_scan=iter)
    scan._snapshot = SimpleNamespace(engine=own)
    assert scan.to_spark(session="a session") == (scan, "a session")


def test_impossible_reads_are_refused_at_once() -> None:
    table = open_table(rides())
    for ask in (table.scan, table.changes):
        with pytest.raises(UsageError, match=r"a list of names, as \['city'\], found a string"):
            ask(columns="city")
        with pytest.raises(UsageError, match="0 rows or more, found -1"):
            ask(limit=-1)
        for limit, found in ((2.5, r"2.5 \(float\)"), ("3", r"'3' \(str\)"), (True, r"True \(bool\)")):
            with pytest.raises(UsageError, match=f"limit: expected a whole number of rows, found {found}"):
                ask(limit=limit)
        for columns, found in (
            (3, r"3 \(int\)"),
            (["city", 3], r"3 \(int\)"),
            ([hudi_core.col("city")], "ExpressionBuilder"),
        ):
            with pytest.raises(UsageError, match=f"columns: expected .*names, found .*{found}"):
                ask(columns=columns)
        twice = [(table.schema if ask == table.scan else ask().schema).names[0]] * 2
        with pytest.raises(UsageError, match=f"columns: expected each column once, found {', '.join(twice)}"):
            ask(columns=twice)
        for where in (3, ("fare", ">", 80)):
            with pytest.raises(UsageError, match="where: expected a predicate as SQL"):
                ask(where=where)
        for time in ("since", "until"):
            with pytest.raises(UsageError, match=rf"{time}: expected a string, datetime or date, found 2.5 \(float\)"):
                ask(**{time: 2.5})
    with pytest.raises(UsageError, match="as_of: expected"):
        table.scan(as_of=[])


def test_numbers_of_numpy_are_limits() -> None:
    assert open_table(rides()).scan(limit=np.int64(3)).count() == 3


def test_times_of_python_equal_their_strings() -> None:
    table = open_table(rides())
    commits = table.timeline.commits
    assert table.timeline.zone is None
    for commit in (commits[2], commits[-1]):
        wall = datetime.strptime(commit.requested_time, "%Y%m%d%H%M%S%f")
        moment = wall.astimezone(UTC)
        for time in (wall, moment, np.datetime64(wall), int(commit.requested_time)):
            assert list(table.slices(time)) == list(table.slices(commit.requested_time))
            assert table.scan(as_of=time).count() == table.scan(as_of=commit.requested_time).count()
        since, text = {"since": moment, "until": moment + timedelta(hours=1)}, commit.requested_time
        until = (wall + timedelta(hours=1)).isoformat(" ")
        for ask in (table.scan, table.changes):
            assert ask(**since).count() == ask(since=text, until=until).count()
    assert len(table.slices(date(2100, 1, 1))) == len(table.slices())
    assert table.schema_at(date(2100, 1, 1)) == table.schema
    with pytest.raises(UsageError, match="an earlier one"):
        table.scan(as_of=date(2020, 1, 1))


def test_changes_are_the_rows_of_the_commits_between() -> None:
    """QUERY-5."""
    table = open_table(str(rides()))
    ends = sorted(item.completion_time for item in table.timeline.commits if item.completion_time)
    scan = table.scan(columns=[COMMIT_TIME], since=ends[2], until=ends[5])
    found = {row[COMMIT_TIME] for row in scan.to_json_rows()}
    between = {
        item.requested_time
        for item in table.timeline.commits
        if item.completion_time and ends[2] < item.completion_time <= ends[5]
    }
    assert found
    assert found <= between
    assert scan.plan.steps[0].source == "commits"
    assert scan.plan.steps[0].removed > 0
    assert any(decision.by.startswith("commits: committed after") for decision in scan.plan.decisions())


def test_changes_are_filtered_by_a_predicate() -> None:
    table = open_table(str(rides()))
    first = table.timeline.commits[0].completion_time
    both = list(table.scan("distance_km > 45", columns=["ride_id"], since=first).to_json_rows())
    every = list(table.scan("distance_km > 45", columns=["ride_id", COMMIT_TIME]).to_json_rows())
    late = [row for row in every if row[COMMIT_TIME] != table.timeline.commits[0].requested_time]
    assert [row["ride_id"] for row in both] == [row["ride_id"] for row in late]
    assert 0 < len(both) < len(every)


def test_changes_from_the_beginning_are_all_rows() -> None:
    table = open_table(str(rides()))
    assert sum(table.scan(since="earliest").counts()) == sum(table.scan().counts())


def test_changes_have_the_columns_of_the_latest_schema_also_where_they_end_before_it() -> None:
    """QUERY-10."""
    table = open_table(str(rides()))
    first = table.timeline.commits[0]
    assert table.schema_at(first.requested_time).names != table.schema.names
    row = next(iter(table.scan(since="earliest", until=first.completion_time, limit=1).to_json_rows()))
    assert set(row) == set(table.schema.names)


def test_nothing_changed_after_the_last_commit() -> None:
    table = open_table(str(rides()))
    with pytest.warns(ConditionWarning, match="yet to come"):
        scan = table.scan(since="2099-01-01")
    assert (list(scan.to_json_rows()), scan.plan.kept()) == ([], [])


def test_a_time_and_a_range_of_times_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="either a time or a range of times"):
        open_table(str(rides())).scan(as_of="2026-11-22", since="earliest")


def test_another_spelling_of_a_time_is_the_same_snapshot() -> None:
    table = open_table(str(rides()))
    assert table.snapshot("2099-01-01") is table.snapshot("2099-01-01 00:00:00")

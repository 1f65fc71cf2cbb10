"""Tables, scans, plans and changes that were used: pickled, copied, and sent to pools of threads and processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core import Changes, Scan, Table
from hudi_core.expr.build import function
from tests.support.commands import rides
from tests.support.made_tables import Group, Log, MadeTable

WHERE = "distance_km > 45 AND city = 'oslo'"
WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda item: pickle.loads(pickle.dumps(item)),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return WAYS[request.param]


def used_table(**options: Any) -> Table:
    """A table that was asked all it answers."""
    table = hudi_core.open(rides(), **options)
    assert table.scan(WHERE).count()
    assert table.scan(since="earliest", read_optimized=False).plan.codes.size
    assert table.scan(read_optimized=True).parts()
    assert table.schema.find("fare")
    assert table.history()
    return table


def rows(answer: Scan | Changes) -> list[str]:
    return sorted(map(repr, answer.to_json_rows()))


def count_where(table: Table, where: str) -> int:
    return table.scan(where).count()


def rows_of(scan: Scan) -> int:
    return int(scan.to_arrow().num_rows)


@pytest.mark.each_value
@pytest.mark.parametrize("options", [{}, {"metadata": "off"}, {"cached": True}], ids=["plain", "footers", "cached"])
def test_a_copy_of_a_used_table_answers_as_it_does(
    way: Callable[[Any], Any], options: dict[str, Any], tmp_path: Path
) -> None:
    if options.pop("cached", False):
        options = {"metadata": "off", "footer_cache": str(tmp_path / "footers")}
    table = used_table(**options)
    made = way(table)
    assert made.timeline.instants == table.timeline.instants
    assert made.schema == table.schema
    assert list(made.slices()) == list(table.slices())
    assert rows(made.scan(WHERE)) == rows(table.scan(WHERE))
    assert made.metadata_mode is table.metadata_mode
    assert (made.footer_cache is None) == (table.footer_cache is None)


def test_a_copy_of_a_refreshed_table_answers_as_it_does(way: Callable[[Any], Any]) -> None:
    table = hudi_core.refreshed(used_table())
    assert rows(way(table).scan(WHERE)) == rows(table.scan(WHERE))


@pytest.mark.each_value
@pytest.mark.parametrize(
    "requested",
    [
        {"where": WHERE},
        {"where": WHERE, "columns": ["fare", "ride_id"], "limit": 3},
        {"where": "started_at < current_timestamp AND fare > 90", "since": "earliest"},
        {"where": hudi_core.col("fare") > 95, "read_optimized": True},
    ],
    ids=["where", "limit", "since", "read optimized"],
)
def test_a_copy_of_a_used_scan_has_its_plan_and_rows(way: Callable[[Any], Any], requested: dict[str, Any]) -> None:
    scan = used_table().scan(**requested)
    expected, decisions = rows(scan), list(scan.plan.decisions())
    made = way(scan)
    assert made is not scan
    assert rows(made) == expected
    assert made.explain() == scan.explain()
    assert list(made.plan.decisions()) == decisions
    assert made.count() == scan.count()
    assert made.column_ranges([0]) == scan.column_ranges([0])


def test_a_copy_of_a_scan_lists_nothing_again(way: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    scan = used_table(metadata="off").scan(WHERE)
    plan = scan.plan
    made = way(scan)
    monkeypatch.setattr("hudi_core.snapshot.snapshot.list_files", lambda _: pytest.fail("listed again"))
    assert made.plan.codes.tolist() == plan.codes.tolist()
    assert rows(made) == rows(scan)


def test_the_clock_of_a_copied_scan_is_that_of_the_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    scan = hudi_core.open(rides()).scan(where=function("current_date") > hudi_core.lit("2000-01-01", "date"))
    output = repr(scan.predicate)
    monkeypatch.setattr("time.time_ns", lambda: 0)
    assert repr(pickle.loads(pickle.dumps(scan)).predicate) == output


def test_a_copy_of_a_plan_has_its_reasons(way: Callable[[Any], Any]) -> None:
    plan = used_table().scan(WHERE).plan
    made = way(plan)
    assert list(made.decisions()) == list(plan.decisions())
    assert made.steps == plan.steps
    assert [item.file_id for item in made.kept()] == [item.file_id for item in plan.kept()]


def test_a_copy_of_used_changes_has_the_same(way: Callable[[Any], Any]) -> None:
    changes = used_table().changes(since="earliest", where="after.fare > 95", columns=["op", "after.fare"])
    expected = rows(changes)
    assert expected
    made = way(changes)
    assert rows(made) == expected
    assert made.explain() == changes.explain()


def test_plans_of_slices_with_logs_and_indexes_travel(way: Callable[[Any], Any]) -> None:
    groups = [Group("uv"[n % 2], [{"id": f"k{n}", "n": n}], [Log([{"id": f"l{n}", "n": -n}])]) for n in range(9)]
    table = MadeTable(groups, ("column_stats", "record_index")).open()
    for where in ("n = 4", "id = 'k3'", "n < -6 OR n = 1"):
        plan = table.scan(where=where).plan
        assert list(way(plan).decisions()) == list(plan.decisions())


def test_a_used_table_and_scan_work_in_processes_that_are_spawned() -> None:
    table = used_table()
    scan = table.scan(WHERE)
    expected = scan.count()
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        counts = [pool.submit(count_where, table, WHERE), pool.submit(rows_of, scan)]
        assert [item.result(timeout=300) for item in counts] == [expected, expected]


def test_a_table_and_a_scan_are_shared_by_threads() -> None:
    wheres = [f"fare > {least} AND city = '{city}'" for least in range(20, 95, 25) for city in ("oslo", "paris")]
    expected = [hudi_core.open(rides()).scan(where).count() for where in wheres]
    table = hudi_core.open(rides())
    shared = table.scan(WHERE)
    whole = rows_of(hudi_core.open(rides()).scan(WHERE))
    with ThreadPoolExecutor(8) as pool:
        counted = pool.map(count_where, [table] * len(wheres), wheres)
        read = pool.map(rows_of, [shared] * 8)
        assert list(counted) == expected
        assert set(read) == {whole}

"""Services after a write, where properties ask for them. UPKEEP-467.

Also covers: `front/writes.py`, `writing/write_properties.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import hudi_core
from hudi_core import HudiError, UsageError
from hudi_core.commit.properties import change_properties
from tests.core.services.restoring.test_run import content, made, rows

SORT = "hoodie.clustering.plan.strategy.sort.columns"
EACH = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "2"}


def actions(table: hudi_core.Table) -> list[str]:
    return [table.timeline.operation(commit) or "" for commit in table.refresh().timeline.commits]


def test_nothing_runs_where_no_property_asks_for_it(tmp_path: Path) -> None:
    """UPKEEP-467."""
    table = made(tmp_path / "t", "mor", 9)
    for number in range(8):
        table.upsert(rows(0, 10, number))
    assert {one.action for one in table.refresh().timeline.instants} == {"deltacommit"}


@pytest.mark.parametrize("stated", ["table", "writer"])
def test_a_compaction_follows_where_the_table_or_the_writer_states_it(tmp_path: Path, stated: str) -> None:
    """UPKEEP-467."""
    table = made(tmp_path / "t", "mor", 9)
    if stated == "table":
        change_properties(table.storage, EACH)
        table = table.refresh()
    properties = EACH if stated == "writer" else {}
    table.upsert(rows(0, 10, 7), properties=properties)
    assert actions(table).count("COMPACT") == 1
    assert len(content(table)) == 30


def test_each_service_is_asked_for_by_its_own_property(tmp_path: Path) -> None:
    """UPKEEP-467."""
    table = made(tmp_path / "t", "cow", 9)
    wanted = {
        "hoodie.clean.automatic": "true",
        "hoodie.clean.commits.retained": "1",
        "hoodie.archive.automatic": "true",
        "hoodie.keep.min.commits": "2",
        "hoodie.keep.max.commits": "3",
        "hoodie.clustering.inline": "true",
        "hoodie.clustering.inline.max.commits": "2",
        "hoodie.clustering.plan.strategy.sort.columns": "n",
    }
    for number in range(6):
        table.upsert(rows(0, 30, number), properties=wanted)
    latest = table.refresh()
    done = {one.action for one in latest.timeline.instants}
    assert "clean" in done
    assert len(latest.timeline.commits) < 8
    assert len(content(latest)) == 30
    assert list(latest.validate()) == []


def test_services_follow_every_operation(tmp_path: Path) -> None:
    """UPKEEP-1631: by each method, and by the functions of the package."""
    cleans = {"hoodie.clean.automatic": "true", "hoodie.clean.commits.retained": "1"}
    options = hudi_core.WriteOptions(properties=cleans)
    for number, write in enumerate(
        (
            lambda table: table.bulk_insert(rows(100, 103, 1), properties=cleans),
            lambda table: hudi_core.write(table, rows(100, 103, 1), "append", options),
            lambda table: hudi_core.update(table, {"n": 5}, "n = 1", options),
            lambda table: hudi_core.delete(table, where="n = 1", options=options),
        )
    ):
        table = made(tmp_path / str(number), "cow", 9)
        for value in range(3):
            table.upsert(rows(0, 3, value))
        write(table.refresh())
        assert "clean" in {one.action for one in table.refresh().timeline.instants}, number


def test_properties_that_no_service_could_go_by_are_refused_before_the_write(tmp_path: Path) -> None:
    """UPKEEP-1631: a job that tries again would write its rows twice."""
    table = made(tmp_path / "t", "cow", 9)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for wrong, text in (
        ({"hoodie.clean.automatic": "true", "hoodie.clean.policy": "x"}, "hoodie.clean.policy: expected one of"),
        ({"hoodie.archive.automatic": "true", "hoodie.keep.min.commits": "0"}, "hoodie.keep.min.commits: expected"),
        ({**EACH}, "hoodie.compact.inline: expected a merge-on-read table: others have no log files"),
        ({"hoodie.clustering.inline": "true", "hoodie.layout.optimize.strategy": "x"}, "expected one of"),
        ({"hoodie.clustering.inline": "true", SORT: "nope"}, "nope: no such column; columns are"),
        ({"hoodie.clustering.inline": "true", SORT: "n,N"}, "columns: expected each column once, found n, N"),
        (
            {"hoodie.clustering.inline": "true", "hoodie.layout.optimize.strategy": "z-order"},
            "columns: expected one or",
        ),
    ):
        with pytest.raises(HudiError, match=text):
            table.append(rows(0, 3, 1), properties=wrong)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_all_can_be_turned_off(tmp_path: Path) -> None:
    """UPKEEP-467."""
    table = made(tmp_path / "t", "mor", 9)
    table.upsert(rows(0, 10, 7), properties={**EACH, "hoodie.table.services.enabled": "false"})
    assert "COMPACT" not in actions(table)


def test_a_service_that_fails_fails_the_call_or_warns(tmp_path: Path) -> None:
    """UPKEEP-467."""
    table = made(tmp_path / "t", "mor", 9)
    change_properties(table.storage, {"hoodie.compaction.strategy": "Nothing"})
    table = table.refresh()
    change_properties(table.storage, EACH)
    table = table.refresh()
    with pytest.raises(UsageError, match="strategy: expected one of"):
        table.upsert(rows(0, 10, 7))
    assert content(table)[0]["n"] == 7  # the write is complete
    silent = {"hoodie.fail.writes.on.inline.table.service.exception": "false"}
    with pytest.warns(UserWarning, match="the write is complete, but a service after it failed"):
        table.upsert(rows(0, 10, 8), properties=silent)
    with pytest.raises(UsageError, match=r"properties: expected one of .*, found hoodie.clan.automatic"):
        table.upsert(rows(0, 10, 9), properties={"hoodie.clan.automatic": "true"})


def test_properties_of_services_that_no_service_reads_are_refused(tmp_path: Path) -> None:
    """WRITE-1329: by each operation, and before a file is written; what is false asks for nothing."""
    table = made(tmp_path / "t", "cow", 9)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    idle: dict[str, str] = {"hoodie.clean.commits.retained": "5"}
    for write in (
        lambda: table.upsert(rows(0, 3, 1), properties=idle),
        lambda: table.insert(rows(0, 3, 1), properties=idle, dry_run=True),
        lambda: table.delete(where="n = 1", properties=idle),
        lambda: table.update({"n": 5}, where="n = 1", properties=idle),
        lambda: table.merge(rows(0, 3, 1), on=["id", "city"]).when_matched_update().execute(properties=idle),
    ):
        with pytest.raises(
            UsageError, match=r"a service that follows the write, .* found hoodie\.clean\.commits\.retained alone"
        ):
            write()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    table.upsert(rows(0, 3, 1), properties={"hoodie.clean.automatic": "false"})
    change_properties(table.storage, {"hoodie.clean.automatic": "true"})
    table.refresh().upsert(rows(0, 3, 2), properties=idle)

"""Services by themselves: what is due, in order, in bounds. UPKEEP-462 to UPKEEP-466.

Also covers: `services/upkeep/services.py`, `services/upkeep/clustering.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hudi_core import ConflictError, ServiceOptions, UsageError
from hudi_core.cluster.layout import Strategy
from hudi_core.front.opening import open_table
from hudi_core.services.compaction.operations import plan_only
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.upkeep import rounds as module
from hudi_core.services.upkeep.clustering import clustering_options
from hudi_core.services.upkeep.rounds import run_services
from hudi_core.stated_properties import StatedProperties
from tests.core.services.restoring.test_run import content, made, rows

OFTEN = {
    "hoodie.compact.inline.max.delta.commits": "2",
    "hoodie.clean.commits.retained": "2",
    "hoodie.keep.min.commits": "4",
    "hoodie.keep.max.commits": "6",
    "hoodie.clustering.async.enabled": "true",
    "hoodie.clustering.async.max.commits": "3",
    "hoodie.clustering.plan.strategy.sort.columns": "n",
}


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("mor", 8), ("mor", 6), ("cow", 6)])
def test_a_table_that_is_served_stays_small(tmp_path: Path, kind: str, version: int) -> None:
    """UPKEEP-462, UPKEEP-463."""
    table = made(tmp_path / "t", kind, version, ["record_index", "column_stats"])
    served = set()
    for number in range(14):
        table.upsert(rows(number, number + 20, 10 + number))
        for run in table.run_services(properties=OFTEN):
            assert run.state in (
                "completed",
                "nothing to clean",
                "nothing to archive",
                "nothing to cluster",
                "nothing to compact",
            )
            served.add((run.service.value, run.state))
    latest = table.refresh()
    assert {("clean", "completed"), ("archive", "completed")} <= served
    assert (("compact", "completed") in served) == (kind == "mor")
    assert len(latest.timeline.commits) <= 20
    assert len([path for path in (tmp_path / "t").rglob("*.parquet") if ".hoodie" not in path.parts]) <= 30
    assert [row["id"] for row in content(latest)] == [f"k{number:03}" for number in range(33)]
    assert {row["id"]: row["n"] for row in content(latest)}["k013"] == 23
    assert list(latest.validate()) == []


def test_only_what_is_wanted_runs_and_only_when_it_is_due(tmp_path: Path) -> None:
    """UPKEEP-463."""
    table = made(tmp_path / "t", "mor", 9)
    table.upsert(rows(0, 10, 3))
    assert table.run_services(["compact"]) == []
    (run,) = table.run_services(["compact"], properties={"hoodie.compact.inline.max.delta.commits": "1"})
    assert (run.service, run.state, run.details["deleted"]) == ("compact", "completed", 0)
    assert run.as_dict()["service"] == "compact"


def test_plans_of_log_compactions_that_wait_are_run_whatever_properties_say(tmp_path: Path) -> None:
    """UPKEEP-463: no other is due before."""
    table = made(tmp_path / "t", "mor", 9)
    for number in range(2):
        table.upsert(rows(0, 10, number))
    waiting = plan_only(open_table(tmp_path / "t"), CompactionOptions(of_logs=True, min_log_blocks=2))
    (run,) = table.run_services(["log-compact"])
    assert (run.state, run.details["instant"]) == ("completed", waiting.instant)
    assert table.run_services(["log-compact"]) == []


def test_dead_writers_are_undone_first(tmp_path: Path) -> None:
    """UPKEEP-462."""
    table = made(tmp_path / "t", "cow", 9)
    time = "20200101000000000"
    table.storage.create(f"{table.timeline.folder}/{time}.commit.requested", b"")
    (run, *_) = table.run_services()
    assert (run.service, run.details["instants"]) == ("rollback", [time])


def test_rounds_end_by_number_time_and_word(tmp_path: Path) -> None:
    """UPKEEP-466, UPKEEP-1594."""
    table = made(tmp_path / "t", "cow", 9)
    with pytest.raises(UsageError, match="rounds: expected `every` beside it, without which there is one, found 2"):
        ServiceOptions(rounds=2)
    waits: list[float] = []
    options = ServiceOptions(("clean",), every=5, rounds=3, wait=waits.append)
    assert [run.service for run in run_services(table, options)] == ["clean"] * 3
    assert len(waits) == 2 and all(0 < wait <= 5 for wait in waits)
    ended = iter([False, True])
    assert (
        len(
            list(
                run_services(table, ServiceOptions(("clean",), every=5, stopped=lambda: next(ended), wait=waits.append))
            )
        )
        == 1
    )
    assert len(list(run_services(table, ServiceOptions(("clean",), every=5, seconds=0.5)))) == 1


def test_a_conflict_is_reported_and_the_round_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """UPKEEP-465."""
    table = made(tmp_path / "t", "cow", 9)

    def loses(*_: Any) -> Any:
        raise ConflictError("t", expected="no other writer", found="one")

    losing = module.SERVICES["clean"]  # type: ignore[index]
    monkeypatch.setattr(
        module, "SERVICES", {**module.SERVICES, losing.name: type(losing)(losing.name, losing.is_due, loses)}
    )
    (run,) = table.run_services(["clean"])
    assert (run.state, run.details["message"]) == ("conflict", "t: expected no other writer, found one")


def test_what_is_no_service_or_bound_is_refused() -> None:
    with pytest.raises(
        UsageError, match="only: expected some of rollback, compact, log-compact, cluster, clean, archive, found vacuum"
    ):
        ServiceOptions(("vacuum",))
    with pytest.raises(UsageError, match="every: expected a number above 0, found 0"):
        ServiceOptions(every=0)


def test_options_of_a_clustering_are_read_as_apache_hudi_reads_them() -> None:
    """UPKEEP-464."""
    stated = StatedProperties({
        "hoodie.layout.optimize.strategy": "Z-ORDER",
        "hoodie.clustering.plan.strategy.sort.columns": "a, b",
        "hoodie.clustering.plan.strategy.target.file.max.bytes": "1000",
        "hoodie.clustering.plan.strategy.small.file.limit": "10",
    })  # fmt: skip
    options = clustering_options(stated)
    assert (options.strategy, options.columns, options.sizes.target, options.sizes.small, options.max_groups) == (
        Strategy.ZORDER, ("a", "b"), 1000, 10, 30
    )  # fmt: skip
    with pytest.raises(
        UsageError, match=r"hoodie.layout.optimize.strategy: expected one of linear, zorder, hilbert, found 'curve'"
    ):
        clustering_options(StatedProperties({"hoodie.layout.optimize.strategy": "curve"}))


def test_services_go_on_after_a_restore_that_they_met(tmp_path: Path) -> None:
    """RESTORE-890."""
    table = made(tmp_path / "t", "cow", 9)
    running = run_services(table, ServiceOptions(("clean",), every=1, rounds=3, wait=lambda _: None))
    assert next(running).state == "nothing to clean"
    restore = f"{table.timeline.folder}/20991231235959999.restore.requested"
    table.storage.create(restore, b"")
    met = next(running)
    assert (met.state, "no restore under way" in met.details["message"]) == ("conflict", True)
    table.storage.delete(restore)
    assert next(running).state == "nothing to clean"


def test_services_that_begin_during_a_restore_wait_for_their_next_round(tmp_path: Path) -> None:
    """RESTORE-1023."""
    table = made(tmp_path / "t", "cow", 9)
    restore = f"{table.timeline.folder}/20991231235959999.restore.requested"
    table.storage.create(restore, b"")
    with pytest.raises(ConflictError, match="no restore under way"):
        next(run_services(table, ServiceOptions(("clean",))))
    pauses: list[float] = []

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        table.storage.delete(restore)

    states = [run.state for run in run_services(table, ServiceOptions(("clean",), every=5, rounds=2, wait=wait))]
    assert (states, len(pauses)) == (["conflict", "nothing to clean"], 1)


def test_bounds_of_bytes_and_memory_put_work_off(tmp_path: Path) -> None:
    """UPKEEP-863, UPKEEP-864: the next round does it."""
    due = {**OFTEN, "hoodie.compact.inline.max.delta.commits": "1", "hoodie.clustering.async.max.commits": "1"}
    table = made(tmp_path / "t", "mor", 9)
    table.upsert(rows(0, 20, 3))
    (lacking,) = table.run_services(["compact"], properties=due, memory=1)
    assert (lacking.state, lacking.details["slices_put_off"]) == ("put off", 2)
    (first,) = table.run_services(["compact"], properties=due, bytes=1)
    assert (first.state, first.details["slices"], first.details["slices_put_off"]) == ("completed", 1, 1)
    (lacking,) = table.run_services(["cluster"], properties=due, memory=1)
    assert (lacking.state, lacking.details["groups_put_off"], lacking.details["instant"]) == ("put off", 1, None)
    enough = lacking.details["memory_needed"]
    (clustered,) = table.run_services(["cluster"], properties=due, memory=enough, bytes=1)
    assert (clustered.state, clustered.details["groups"], clustered.details["groups_put_off"]) == ("completed", 1, 0)


def test_what_is_put_off_is_due_again(tmp_path: Path) -> None:
    """UPKEEP-863: whoever writes, or nobody."""
    table = made(tmp_path / "t", "mor", 9)
    table.upsert(rows(0, 20, 3))
    table.run_services(["compact"], properties={"hoodie.compact.inline.max.delta.commits": "1"}, bytes=1)
    seldom = {"hoodie.compact.inline.max.delta.commits": "100"}
    (rest,) = table.run_services(["compact"], properties=seldom, bytes=1)
    assert (rest.state, rest.details["slices"], rest.details["slices_put_off"]) == ("completed", 1, 0)
    assert table.run_services(["compact"], properties=seldom, bytes=1) == []


def test_what_time_does_not_suffice_for_is_told(tmp_path: Path) -> None:
    """UPKEEP-466."""
    table = made(tmp_path / "t", "cow", 9)
    options = ServiceOptions(("clean", "cluster"), seconds=1e-9)
    runs = list(run_services(table, options))
    assert [(run.service, run.state, run.details["message"]) for run in runs] == [
        ("clean", "put off", "the time is over")
    ]

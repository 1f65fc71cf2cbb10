"""Requests to an object store: how many, how often for one object, and in how many waves. Counts, not times.

`waves` is the longest chain of requests of which each began after the one before it had been answered.
"""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest

from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from tests.support.commands import ran, rides
from tests.support.many_files import ROWS, table_of_many_files
from tests.support.measured_store import GATE, MeasuredStore

pytest.importorskip("obstore", reason="obstore is not installed")

LATE = (
    "city = 'oslo' AND started_at >= TIMESTAMP '2026-03-16 00:00:00' AND started_at < TIMESTAMP '2026-03-16 06:00:00'"
)
"""Decided by paths and recorded statistics alone."""
FAR = "distance_km > 45"
"""Written under several names and types: footers decide on most files."""
FILES = 300


@pytest.fixture(scope="module")
def store(store: MeasuredStore) -> MeasuredStore:
    shutil.copytree(rides(), store.root / "lake" / "rides")
    store.behave(gate=GATE)
    return store


def opened(store: MeasuredStore) -> Table:
    return open_table("s3://lake/rides", storage_options=store.options)


def test_opening_waits_once(store: MeasuredStore) -> None:
    with store.measured() as requests:
        opened(store)
    assert (len(requests), requests.waves) == (2, 1), requests


@pytest.mark.parametrize(("where", "waves"), [(LATE, 3), (FAR, 6)])
def test_a_first_plan_requests_each_object_once_in_few_waves(store: MeasuredStore, where: str, waves: int) -> None:
    table = opened(store)
    with store.measured() as requests:
        plan = table.scan(where=where).plan
    assert plan.kept() and not plan.warnings
    assert requests.waves <= waves and not requests.repeated(), requests
    local = open_table(str(rides())).scan(where=where).plan
    assert [kept.files for kept in plan.kept()] == [kept.files for kept in local.kept()]
    with store.measured() as again:
        assert len(table.scan(where=where).plan.kept()) == len(plan.kept())
    assert len(again) == 0


def test_waves_do_not_grow_with_the_number_of_files(store: MeasuredStore) -> None:
    table_of_many_files(store.root / "lake" / "many", FILES)
    with store.measured() as requests:
        table = open_table("s3://lake/many", storage_options=store.options)
        plan = table.scan(where=f"n = {FILES * ROWS // 2}").plan
        assert len(plan.kept()) == 1 and not plan.warnings
    assert requests.waves <= 5 and not requests.repeated(), requests


def test_small_files_are_read_ahead_each_once(store: MeasuredStore) -> None:
    scan = opened(store).scan(where="city = 'vienna' AND fare > 60")
    assert len(scan.plan.kept()) >= 12
    with store.measured() as requests:
        rows = scan.to_arrow()
    assert len(requests) == len(scan.plan.kept()) and requests.waves <= 3, requests
    assert rows.equals(open_table(str(rides())).scan(where="city = 'vienna' AND fare > 60").to_arrow())


def test_a_task_on_another_machine_reads_ahead_too(store: MeasuredStore) -> None:
    where = "city = 'vienna' AND fare > 60"
    scan = opened(store).scan(where=where)
    sent = pickle.dumps((scan.remote_scan(), scan.parts()))
    with store.measured() as requests:
        remote, parts = pickle.loads(sent)
        rows = sum(batch.num_rows for batch in remote.read(parts))
    assert len(parts) >= 12 and rows == open_table(str(rides())).scan(where=where).count()
    assert requests.waves <= 5 and not requests.repeated(), requests


def test_the_storage_counts_as_the_store_does(store: MeasuredStore) -> None:
    with store.measured() as requests:
        table = opened(store)
        assert table.scan(where=LATE).plan.kept()
    traffic = table.storage.traffic
    assert (traffic.requests, traffic.waves) == (len(requests), requests.waves)
    content = sum(request.bytes for request in requests.of if not request.query)
    assert traffic.bytes == content and traffic.seconds > 0


def test_a_second_process_requests_only_what_may_have_changed(store: MeasuredStore, tmp_path: Path) -> None:
    options = {**store.options, "cache": str(tmp_path / "cache")}
    counts = []
    for _ in range(2):
        with store.measured() as requests:
            scan = open_table("s3://lake/rides", storage_options=options).scan(where=FAR)
            counts.append((len(scan.plan.kept()), scan.to_arrow().num_rows))
    assert counts[0] == counts[1] and counts[0][1] > 0
    assert requests.waves <= 3 and len(requests) <= 10, requests


def test_errors_show_the_requested_time(store: MeasuredStore) -> None:
    before = [part for name, text in store.options.items() for part in ("--storage-option", f"{name}={text}")]
    with store.measured() as requests:
        shown = ran(*before, "--verbose", "explain", "s3://lake/rides", "--where", LATE)
    line = f"{len(requests)} requests of "
    assert line in shown.out and " waves, " in shown.out
    assert f"s3://lake/rides: {line}" in shown.err
    with store.measured() as again:
        lines = ran(*before, "explain", "s3://lake/rides", "--where", LATE, "--json").lines
    (storage,) = (line for line in lines if line["kind"] == "storage")
    assert storage["requests"] == len(again) == len(requests)
    # To the one who waits a request is longer than to the store, so that more of them are under way at once.
    assert 1 < storage["waves"] <= again.waves
    assert f"{len(requests)} requests of " in opened(store).scan(where=LATE).explain()
    assert "requests" not in ran("explain", rides(), "--where", LATE).out
    assert '"s3://lake/rides"' in ran(*before, "inspect", "s3://lake/rides", "--json").out

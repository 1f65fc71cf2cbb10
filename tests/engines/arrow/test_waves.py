"""How many waves of requests operations wait for in an object store, and which orders they keep.

`waves` is the longest chain of requests of which each began after the one before it had been answered. The numbers are limits.
The tables have few files: what grows with them is not counted here. Rules STORE-1555 to STORE-1557.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from time import sleep
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.table import open as opening
from hudi_core.table.open import look_to_plan, refreshed
from tests.support.measured_store import GATE, MeasuredStore, Requests

pytest.importorskip("obstore", reason="obstore is not installed")

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
PARTITIONS = 3
GATES = (GATE, 4 * GATE, 12 * GATE)
"""A busy machine may take longer than the gate between two requests of one wave: then the operation is run with a longer one."""
PLAIN: dict[str, Any] = {}
LISTED = {"indexes": ["files"]}
STATED = {"indexes": ["column_stats", "record_index"], "type": "mor"}

OPERATIONS: dict[str, Callable[[Table], object]] = {
    "append": lambda table: table.append(rows(12, 15, 2)),
    "upsert": lambda table: table.upsert(rows(3, 9, 2)),
    "delete": lambda table: table.delete(where="n = 1 AND id = 'k1'"),
    "clean": lambda table: table.clean(keep_commits=1),
    "compact": lambda table: table.compact(),
    "read": lambda table: table.refresh().scan("n = 1").to_arrow(),
}


def rows(first: int, last: int, n: int) -> pa.Table:
    """Rows with these keys, of each partition some."""
    keys = range(first, last)
    return pa.table([[f"k{key}" for key in keys], [f"p{key % PARTITIONS}" for key in keys], [n] * len(keys)], TYPES)


def read(table: Table) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in table.scan(columns=TYPES.names).to_json_rows())


def made(store: MeasuredStore, name: str, options: dict[str, Any]) -> Table:
    """A table with two commits of the same rows, of each partition some."""
    table = create_table(store.root / "lake" / name, TYPES, "id", partition_by="p", **options)
    for n in range(2):
        table.refresh().upsert(rows(0, 6, n))
    return table.refresh()


def measure(store: MeasuredStore, name: str, options: dict[str, Any], operation: str, gate: float) -> Requests:
    """The requests of an operation on a table that was opened before."""
    made(store, name, options)
    table = open_table(f"s3://lake/{name}", storage_options=store.options)
    store.behave(gate=gate)
    with store.measured() as requests:
        OPERATIONS[operation](table)
    store.behave()
    return requests


@pytest.mark.parametrize(
    ("operation", "kind", "most"),
    [
        ("append", "plain", 16),
        ("append", "listed", 19),
        ("upsert", "plain", 16),
        ("upsert", "listed", 19),
        ("upsert", "stated", 20),
        ("delete", "plain", 17),
        ("delete", "listed", 20),
        ("clean", "listed", 22),
        ("compact", "stated", 34),
        ("read", "listed", 4),
    ],
)
def test_an_operation_waits_for_few_requests(store: MeasuredStore, operation: str, kind: str, most: int) -> None:
    """STORE-1557."""
    options = {"plain": PLAIN, "listed": LISTED, "stated": STATED}[kind]
    runs: list[Requests] = []
    for gate in GATES:
        runs.append(measure(store, f"{operation}-{kind}-{len(runs)}", options, operation, gate))
        if runs[-1].waves <= most:
            break
    fewest = min(runs, key=lambda requests: requests.waves)
    assert fewest.waves <= most, fewest


TIMELINE = r"/t/\.hoodie/timeline/\d+"
OF_METADATA = r"/metadata/\.hoodie/timeline/\d+"
LOOK = r"GET .*/\.hoodie/lock\?"
"""Looks at the lock, of which there are others."""
ORDER = [
    r"PUT .*/\.heartbeat/\d+\?",
    rf"PUT .*{TIMELINE}\.commit\.requested\?",
    rf"PUT .*{TIMELINE}\.inflight\?",
    r"PUT .*/p\d/[^/.]+\.parquet\?",
    rf"PUT .*{OF_METADATA}\.deltacommit\.requested\?",
    rf"PUT .*{OF_METADATA}\.deltacommit\.inflight\?",
    r"PUT .*/metadata/files/\.[^/]+\.log\.1_",
    rf"PUT .*{OF_METADATA}_\d+\.deltacommit\?",
    LOOK,
    rf"PUT .*{TIMELINE}_\d+\.commit\?",
]
"""Requests of an upsert: all of one kind are answered before any of the next kind begins."""


def test_the_orders_stay_that_dying_writers_and_others_count_on(store: MeasuredStore) -> None:
    """STORE-1557."""
    made(store, "t", LISTED)
    table = open_table("s3://lake/t", storage_options=store.options)
    store.behave(gate=GATES[1])
    with store.measured() as requests:
        table.upsert(rows(3, 9, 2))
    store.behave()
    answered = 0.0
    for kind in ORDER:
        of_kind = [one for one in requests.of if re.match(kind, f"{one.method} {one.path}?{one.query}")]
        if kind == LOOK:
            of_kind = [one for one in of_kind if one.begin >= answered][:1]
        assert of_kind and all(one.begin >= answered for one in of_kind), (kind, str(requests))
        answered = max(one.end for one in of_kind)
    names = [f"{one.method} {one.path}?{one.query}" for one in requests.of]
    lock = next(place for place, name in enumerate(names) if re.match(r"PUT .*/\.hoodie/lock\?", name))
    beat = next(place for place, name in enumerate(names) if re.match(ORDER[0], name))
    looks = [one for one in requests.of[lock:beat] if "prefix=t%2F.hoodie%2Ftimeline" in one.query]
    assert looks and requests.of[lock].end <= looks[0].begin and looks[0].end <= requests.of[beat].begin, str(requests)


def test_nothing_counts_that_was_fetched_before_a_look_at_the_table(store: MeasuredStore) -> None:
    """STORE-1555: a listing that a commit asked for and did not use, as it failed, is none of the next attempt."""
    local = made(store, "stale", STATED)
    remote = open_table("s3://lake/stale", storage_options=store.options)
    remote.storage.expect(
        folders=[f".hoodie/metadata/{partition}" for partition in ("files", "column_stats", "record_index")],
        files=[remote.config.index_definitions_path],
    )
    sleep(0.3)
    local.upsert(rows(6, 9, 2))
    metadata = remote.refresh().snapshot().metadata
    assert metadata is not None
    assert len(metadata.slices("record_index")) == 10  # none lacks a file
    remote.upsert(rows(8, 12, 3))
    expected = [(f"k{key}", f"p{key % 3}", 1 if key < 6 else 2 if key < 8 else 3) for key in range(12)]
    assert read(local.refresh()) == sorted(expected)
    findings = open_table(store.root / "lake" / "stale", metadata="require").validate()
    assert [one for one in findings if one.check != "leftovers"] == []  # folders that are empty, as no store has them


def test_nothing_counts_that_was_fetched_before_an_own_change(store: MeasuredStore) -> None:
    """STORE-1555."""
    made(store, "own", PLAIN)
    storage = open_table("s3://lake/own", storage_options=store.options).storage
    storage.create("folder/a", b"a")

    def expect() -> None:
        storage.expect(folders=["folder", "other"], trees=["", "folder"], files=["folder/a"])
        sleep(0.2)

    expect()
    storage.replace("folder/a", b"changed")
    assert storage.read("folder/a") == b"changed"
    expect()
    storage.create("folder/b", b"b")
    assert [file.path for file in storage.list("folder")] == ["folder/a", "folder/b"]
    assert "folder/b" in [file.path for file in storage.list("", recursive=True)]
    expect()
    storage.delete_files(["folder/a", "folder/b"])
    assert storage.list("folder", recursive=True) == []
    expect()
    with storage.output("folder/c") as file:
        file.write(b"c")
    assert [file.path for file in storage.list("folder")] == ["folder/c"]
    expect()
    storage.delete_folder("folder")
    assert storage.list("folder") == []


@pytest.mark.each_value
@pytest.mark.parametrize("look", [refreshed, partial(look_to_plan, statistics=True)], ids=["again", "to_plan"])
@pytest.mark.parametrize("options", [LISTED, STATED], ids=["listed", "stated"])
def test_a_commit_between_the_listings_of_both_tables_is_seen(
    store: MeasuredStore,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    look: Callable[[Table], Table],
    request: pytest.FixtureRequest,
) -> None:
    """STORE-1556: the metadata table was listed before a commit which the timeline has."""
    name = f"between-{request.node.callspec.id}"
    local = made(store, name, options)
    remote = open_table(f"s3://lake/{name}", storage_options=store.options)
    assert len(read(remote)) == 6  # the metadata table is open
    look_again = opening._look_again

    def commit_before(table: Table, **given: bool) -> Table:
        monkeypatch.undo()
        sleep(0.3)  # what was asked for ahead is answered by then
        local.refresh().upsert(rows(4, 9, 2))
        return look_again(table, **given)

    monkeypatch.setattr(opening, "_look_again", commit_before)
    latest = look(remote)
    assert latest.snapshot().metadata is not None
    assert read(latest) == [(f"k{key}", f"p{key % 3}", 1 if key < 4 else 2) for key in range(9)]
    assert not latest.warnings
    remote.upsert(rows(8, 10, 3))
    assert len(read(local.refresh())) == 10

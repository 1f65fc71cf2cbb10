"""Writing tables in an object store: in few waves of requests, and whole or not at all.

`waves` is the longest chain of requests of which each began after the one before it had been answered. The numbers are limits
that do not depend on how many files a write has. Rule STORE-8.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import pyarrow as pa
import pytest

from hudi_arrow.stores.remote import RemoteStorage
from hudi_core.commit.steps import Delete, DeleteMany, Ensure, SideBySide, run
from hudi_core.commit.times import system_clock
from hudi_core.errors import HudiError, LockedError, StorageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.measured_store import GATE, MeasuredStore, Requests
from tests.support.s3_server import Fault

pytest.importorskip("obstore", reason="obstore is not installed")

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
PARTITIONS = 12
CHANGES = "^(PUT|POST|DELETE) "
EVERY = 1 << 30


def rows(first: int, last: int, n: int) -> pa.Table:
    """Rows with these keys, of each partition some."""
    keys = range(first, last)
    return pa.table([[f"k{key}" for key in keys], [f"p{key % PARTITIONS}" for key in keys], [n] * len(keys)], TYPES)


def read(table: Table) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in table.scan(columns=TYPES.names).to_json_rows())


@pytest.fixture(scope="module")
def life(store: MeasuredStore) -> dict[str, Requests]:
    """The requests of each operation in the life of a table of twelve partitions with a file each."""
    store.behave(gate=GATE)
    uri, requests = "s3://lake/life", {}
    indexes = ["column_stats", "record_index"]
    with store.measured() as requests["create"]:
        table = create_table(uri, TYPES, "id", partition_by="p", indexes=indexes, storage_options=store.options)
    with store.measured() as requests["insert"]:
        write(table, rows(0, 36, 1))
    table = open_table(uri, storage_options=store.options)
    with store.measured() as requests["upsert"]:
        write(table, rows(24, 48, 2))
    with store.measured() as requests["read"]:
        stored = read(open_table(uri, storage_options=store.options))
    assert stored == sorted([(f"k{key}", f"p{key % 12}", 1 if key < 24 else 2) for key in range(48)])
    store.behave()
    assert stored == read(open_table(store.root / "lake" / uri.rpartition("/")[2]))
    return requests


class TestWaves:
    @pytest.mark.parametrize(("operation", "waves"), [("create", 16), ("insert", 28), ("upsert", 30), ("read", 6)])
    def test_an_operation_waits_for_few_requests(self, life: dict[str, Requests], operation: str, waves: int) -> None:
        assert 0 < life[operation].waves <= waves, life[operation]

    def test_no_data_file_is_requested_twice(self, life: dict[str, Requests]) -> None:
        for requests in life.values():
            requested = [
                request.path for request in requests.of if request.method == "GET" and request.path.endswith(".parquet")
            ]
            assert len(requested) == len(set(requested)), requests


@pytest.mark.parametrize(
    ("match", "count"),
    [
        (r"^PUT .*/p\d+/\.hoodie_partition_metadata$", 12),
        (r"^PUT .*\.marker\.CREATE$", 12),
        (r"^PUT .*/p\d+/[^.]*\.parquet$", 12),
        (r"^PUT .*/metadata/\w+/\..*\.log\.1_\d+-1-0$", 3),
    ],
    ids=["partitions", "markers", "files", "metadata"],
)
def test_changes_that_do_not_need_one_another_are_in_flight_together(
    store: MeasuredStore, match: str, count: int, request: pytest.FixtureRequest
) -> None:
    uri = f"s3://lake/together-{request.node.callspec.id}"
    created = create_table(
        store.root / "lake" / uri.rpartition("/")[2], TYPES, "id", partition_by="p", indexes=["column_stats"]
    )
    table = open_table(uri, storage_options={**store.options, "request_timeout": "40"})
    store.behave(faults=[Fault(match, "together", count)])
    write(table, rows(0, PARTITIONS, 1))
    store.behave()
    assert len(read(refreshed(created))) == PARTITIONS


def test_a_lock_that_cannot_be_let_go_ends_the_write_with_that_error(store: MeasuredStore) -> None:
    """STORE-1396: the write does not wait for its own lock."""
    uri = "s3://lake/held"
    table = create_table(uri, TYPES, "id", partition_by="p", storage_options=store.options)
    store.behave(faults=[Fault(r"^(POST|DELETE) ", "403", EVERY)])
    begun = monotonic()
    with pytest.raises(StorageError) as raised:
        write(table, rows(0, 3, 1))
    store.behave()
    assert not isinstance(raised.value, LockedError)
    assert monotonic() - begun < 60
    assert read(refreshed(table)) == []


def later() -> datetime:
    """When the dead writer's heartbeat and lock are no sign of life any more."""
    return system_clock() + timedelta(minutes=10)


@pytest.mark.filterwarnings("ignore:.*is complete, but left something")
@pytest.mark.parametrize(("last", "first"), [("403", 0), ("lost", 3)])
def test_a_write_that_ends_at_a_request_is_there_as_a_whole_or_not_at_all(
    store: MeasuredStore, last: str, first: int
) -> None:
    """WRITE-30, in a store: the last request before its end is refused, or done and its answer lost."""
    lake = store.root / "lake"
    made = create_table(lake / f"made-{last}", TYPES, "id", partition_by="p", type="mor", indexes=["column_stats"])
    write(made, rows(0, 2, 1))
    before, then = read(open_table(made.storage.uri)), sorted([("k0", "p0", 1), ("k1", "p1", 2), ("k2", "p2", 2)])
    shutil.copytree(lake / f"made-{last}", lake / f"whole-{last}")
    with store.measured() as requests:
        write(open_table(f"s3://lake/whole-{last}", storage_options=store.options), rows(1, 3, 2))
    changes = sum(request.method != "GET" for request in requests.of)
    seen: set[bool] = set()
    for number in [*range(first, changes, 6), changes - 1]:
        shutil.copytree(lake / f"made-{last}", lake / f"{last}-{number}")
        table = open_table(f"s3://lake/{last}-{number}", storage_options=store.options)
        store.behave(faults=[Fault(CHANGES, last, 1, number), Fault(CHANGES, "403", EVERY, number)])
        with suppress(HudiError):
            write(table, rows(1, 3, 2))
        store.behave()
        local = open_table(lake / f"{last}-{number}")
        result = read(local)
        assert result in (before, then), number
        seen.add(result == then)
        write(local, rows(5, 6, 3), options=WriteOptions(clock=later))
        healed = open_table(lake / f"{last}-{number}", metadata="require")
        assert read(healed) == sorted([*result, ("k5", "p5", 3)]), number
        assert healed.scan("n = 3").to_arrow().num_rows == 1, number
    assert changes > 20
    assert seen == {False, True}


def test_steps_side_by_side_are_one_wave(store: MeasuredStore) -> None:
    store.behave(gate=GATE)
    storage = RemoteStorage("s3://lake/steps", store.options)
    paths = [f"folder/{number}" for number in range(20)]
    with store.measured() as requests:
        run(storage, [SideBySide(tuple(Ensure(path, b"first") for path in paths))])
        run(storage, [SideBySide(tuple(Ensure(path, b"second") for path in paths))])
        run(storage, [SideBySide(tuple(map(Delete, paths[1:])))])
    assert (len(requests), requests.waves) == (59, 3), requests
    assert storage.read("folder/0") == b"first"
    for path in paths[1:]:
        storage.create(path, b"third")
    with store.measured() as requests:
        run(storage, [DeleteMany((*paths[1:11], "folder/nothing"))])
        run(storage, [DeleteMany(tuple(paths[11:]), in_order=True)])
    assert (len(requests), requests.waves) == (10, 10), requests
    assert [file.path for file in storage.list("folder")] == ["folder/0"]
    with store.measured() as requests:
        storage.delete_folder("folder")
        storage.delete_folder("folder")
    assert (len(requests), requests.waves) == (3, 3), requests
    store.behave()

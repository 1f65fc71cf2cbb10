"""Keys that tasks exchange: the record index of a write in one process, and no key in the process that commits.

Also covers: `metadata_rows/rows_of_keys.py`.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import WriteStatus
from hudi_core.errors import ConflictError, StorageError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata_rows.rows_of_keys import KeyChanges, location_changes
from hudi_core.metadata_writer import delta_commit
from hudi_core.parallel.flow import Packet
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.runners import on_runner
from hudi_core.table.table import Table
from hudi_core.transactions import conflicts, key_exchange
from hudi_core.transactions.attempts import Attempts
from hudi_core.transactions.key_exchange import EncodeLogs, KeyExchange, _Change, plan_exchange
from hudi_core.transactions.reports import open_reports, unpack
from hudi_core.transactions.stream_batches import StreamBatch
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.spread.operations import spread_write
from tests.support.drawing import SOAK
from tests.support.local_flow import local_rows, watch_reports
from tests.support.overlapping import beside
from tests.support.runners import RepeatingRunner
from tests.support.spread_writes import assert_twins, cut, index_of, operation_rows, random_rows, twins
from tests.support.written_tables import TYPES, read, rows

KEY = re.compile(rb"k\d-\d\d|key\d{4}")


def spread(table: Table, given: pa.Table, op: str = "upsert", options: WriteOptions | None = None) -> Any:
    return spread_write(table, local_rows(table.engine, cut(random.Random(4), given), repeats=True), op, options)


def findings(path: Path) -> list[str]:
    return [str(finding) for finding in validate(open_table(path)) if finding.severity != "info"]


OPERATIONS = ["upsert", "insert_overwrite", *(["delete", "append", "insert_overwrite_table"] if SOAK else [])]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("op", OPERATIONS)
def test_no_key_comes_to_the_process_that_commits(tmp_path: Path, op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1055: a report of a task that writes has the bounds of its file, one of an index group has none."""
    table, whole = twins(tmp_path, "cow", 9, ("record_index",))
    chance = random.Random(op)
    for number, operation in enumerate(["upsert", op]):
        given = operation_rows(chance, operation, number, ("record_index",))
        write(whole, given, operation)
        seen = [] if number == 0 else watch_reports(monkeypatch)
        spread(table, given, operation)
    written = [packet.content for packet in seen if b"WriteStatus" in packet.content]
    staged = [packet.content for packet in seen if b"StagedLog" in packet.content]
    assert staged
    assert all(len(set(KEY.findall(content))) <= 2 for content in written)
    assert not any(KEY.search(content) for content in staged)
    assert_twins(table, whole)


@pytest.mark.parametrize(("kind", "version"), [("mor", 9), *([("cow", 9), ("cow", 8), ("mor", 8)] if SOAK else [])])
def test_a_partitioned_index_has_the_keys_of_each_partition(tmp_path: Path, kind: str, version: int) -> None:
    """META-1055, META-54: also of partitions that come new, and of rows that are replaced."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version)
    write(open_table(path), rows(*((f"key{number:04}", "x", 0) for number in range(40))))
    build_indexes(open_table(path), ["record_index"], IndexOptions(partitioned=True))
    spread(open_table(path), rows(*((f"key{number:04}", "xy"[number % 2], 1) for number in range(40, 60))), "append")
    spread(open_table(path), rows(*((f"key{number:04}", "y", 2) for number in range(31, 41, 2))))
    assert findings(path) == []
    spread(open_table(path), rows(("key0031", "y", 0), ("key0000", "x", 0)), "delete")
    spread(open_table(path), rows(("key0099", "x", 0)), "insert_overwrite")
    assert findings(path) == []
    assert len(read(path, where="p = 'x'")) == 1


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), *([("mor", 9), ("cow", 8)] if SOAK else [])])
def test_keys_of_secondary_indexes_are_exchanged(
    tmp_path: Path, kind: str, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-1055: an index has the keys that a write in one process gives it, also of rows that are replaced or move."""
    pair = twins(tmp_path, kind, version, ("record_index",))
    chance = random.Random(9)
    first = random_rows(chance, 80, [0], distinct=True)
    for table in pair:
        write(table, first)
        build_indexes(open_table(table.storage.uri), ["secondary_index"], IndexOptions(["ts"], name="ts"))
    table, whole = (open_table(table.storage.uri) for table in pair)
    seen = watch_reports(monkeypatch)
    operations = ["upsert", "insert_overwrite", *(["delete", "append", "upsert"] if SOAK else [])]
    for number, op in enumerate(operations, 1):
        given = operation_rows(chance, op, number, ("record_index",))
        write(whole, given, op)
        spread(table, given, op)
        indexes = [Counter(str(row) for row in keys_of_index(one)) for one in (table, whole)]
        assert indexes[0] == indexes[1], op
        assert indexes[0]
    statuses = [content for content in open_reports(seen) if isinstance(content, WriteStatus)]
    assert statuses
    assert not any(status.secondary or status.added_keys or status.removed_keys for status in statuses)
    delete_partitions(on_runner(table, RepeatingRunner()), ["p1"])
    delete_partitions(whole, ["p1"])
    assert Counter(keys_of_index(table)) == Counter(keys_of_index(whole))
    assert_twins(table, whole)


def keys_of_index(table: Table) -> list[str]:
    records = metadata_records(open_table(table.storage.uri), "secondary_index_ts")
    return [str(record["key"]) for record in records]


def test_an_index_without_file_groups_leaves_keys_in_statuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1055: as one whose build has only begun; the process that commits encodes them, when they are there."""
    table, whole = twins(tmp_path, "cow", 9, ("record_index",))
    monkeypatch.setattr(key_exchange, "_has_groups", lambda *_: False)
    given = random_rows(random.Random(1), 40, [0], distinct=True)
    write(whole, given)
    spread(table, given)
    write(whole, given.slice(5, 20), "insert_overwrite")
    spread(table, given.slice(5, 20), "insert_overwrite")
    assert_twins(table, whole)


def test_a_key_that_two_file_groups_get_is_refused(tmp_path: Path) -> None:
    """META-1055: by the task of the index's file group, in the words of a write in one process."""
    table, _ = twins(tmp_path, "cow", 9, ("record_index",))
    exchange = plan_exchange(table, Attempts(table.storage, "20260101000000000"), [], 5, 1)
    assert exchange is not None
    twice = [KeyChanges(name, name, added=string_column(["k"])) for name in ("p0", "p1")]

    def dealt(changes: Sequence[KeyChanges]) -> list[Packet]:
        return list(exchange._deal(0, [_Change("record_index", one.partition, one) for one in changes], count()))

    packets = dealt(twice)
    (refused,) = map(unpack, EncodeLogs(exchange)(0, iter(packets)))
    assert isinstance(refused, UsageError)
    assert "each record key in one file group" in str(refused)
    moved = [replace(twice[0], added=None, removed=twice[0].added), twice[1]]
    rows = location_changes([change for _, keys in unpack(dealt(moved)[0]) for change in keys.changes], 1)
    assert (len(rows), len(rows.deletes.offsets)) == (1, 1)


def test_a_partition_that_is_deleted_takes_its_keys_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1055: tasks of the runner read them."""
    table, whole = twins(tmp_path, "mor", 9, ("record_index",))
    given = random_rows(random.Random(1), 80, [0], distinct=True)
    for twin in (table, whole):
        write(twin, given)
    monkeypatch.setattr("hudi_core.writing.write_run._read_replaced_keys", None)
    seen = watch_reports(monkeypatch)
    delete_partitions(on_runner(table, RepeatingRunner()), ["p0", "p2"])
    assert seen
    assert not any(KEY.search(packet.content) for packet in seen)
    monkeypatch.undo()
    delete_partitions(whole, ["p0", "p2"])
    assert_twins(table, whole)


@pytest.mark.parametrize("version", [9, 6] if SOAK else [9])
def test_the_second_writer_of_a_key_is_refused(tmp_path: Path, version: int) -> None:
    """META-1056, CONFLICT-530: tasks compare keys; a write that may plan again does."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", version=version, indexes="record_index")
    write(open_table(path), rows(("first", "x", 0)))
    other = rows(("k", "y", 2))
    with pytest.raises(ConflictError, match=r"keys that nobody else wrote.*'k'"):
        spread(open_table(path), rows(("k", "x", 1)), "upsert", beside(lambda: write(open_table(path), other)))
    assert read(path) == [("first", "x", 0), ("k", "y", 2)]
    others = beside(lambda: write(open_table(path), rows(("j", "y", 2))), attempts=2)
    spread(open_table(path), rows(("j", "x", 1), ("i", "x", 1)), "upsert", others)
    spread(
        open_table(path), rows(("h", "x", 1)), "upsert", beside(lambda: spread(open_table(path), rows(("g", "z", 1))))
    )
    assert {row[0] for row in read(path)} == {"first", "g", "h", "i", "j", "k"}
    assert findings(path) == []


def test_keys_that_are_not_known_any_more_may_be_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1056, CONFLICT-530: of a commit that is gone, and of log files that are."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", indexes="record_index")
    for gone in ("list_changed_logs", "_find_same_key"):
        monkeypatch.setattr(conflicts, gone, _nothing)
        with pytest.raises(ConflictError, match="not known any more"):
            spread(
                open_table(path),
                rows((gone, "x", 1)),
                "upsert",
                beside(lambda gone=gone: write(open_table(path), rows((gone, "y", 2)))),
            )
        monkeypatch.undo()


def _nothing(*_: object) -> None:
    """What is not known any more."""


def test_file_groups_that_changed_since_are_a_conflict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1055: an index that was built again has other file groups; the write plans again."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", indexes="record_index")
    write(open_table(path), rows(("first", "x", 0)))
    seen: list[int] = []
    planned = key_exchange.group_sets

    def other(*given: Any) -> Any:
        seen.append(1)
        return [groups[:3] for groups in planned(*given)] if len(seen) == 1 else planned(*given)

    monkeypatch.setattr(key_exchange, "group_sets", other)
    with pytest.raises(ConflictError, match="3 file groups, as when the write began"):
        spread(open_table(path), rows(("k", "x", 1)), "upsert", WriteOptions(attempts=1))
    seen.clear()
    spread(open_table(path), rows(("k", "x", 1)))
    assert len(seen) == 2
    assert findings(path) == []


def test_a_clustering_reads_the_keys_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1055: also where a group that a writer changed is left out at the commit."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", indexes="record_index")
    for start in (0, 100):
        given = rows(*((f"key{number:04}", "xy"[number % 2], number) for number in range(start, start + 100)))
        write(open_table(path), given, "append")
    staged: list[int] = []
    add = KeyExchange.add

    def watched(self: KeyExchange, runner: Any, slices: Sequence[Any]) -> Any:
        staged.append(len(slices))
        if len(staged) == 1:
            plan = next(path.glob(".hoodie/timeline/*.clustering.requested"))
            hidden = plan.rename(path / "hidden")  # a writer that does not look for plans
            write(open_table(path), rows(("key0000", "x", -1)))
            hidden.rename(plan)
        return add(self, runner, slices)

    monkeypatch.setattr(KeyExchange, "add", watched)
    seen = watch_reports(monkeypatch)
    result = open_table(path).cluster(columns=["n"], runner=RepeatingRunner())
    assert (result.groups, result.groups_dropped) == (1, 1)
    assert len(staged) == 2
    assert all(len(set(KEY.findall(packet.content))) <= 2 for packet in seen)
    assert findings(path) == []
    assert open_table(path).storage.list(".hoodie/.temp", recursive=True) == []


def test_there_are_as_many_parts_as_keys_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1055: of replaced files the bytes tell how many keys there may be; no part is without a file group."""
    table, _ = twins(tmp_path, "cow", 9, ("record_index",))
    write(table, random_rows(random.Random(2), 20, [0], distinct=True))
    latest = open_table(table.storage.uri)
    monkeypatch.setattr(key_exchange, "_KEYS_OF_PART", 3)
    gone = {one.partition: [one.file_id] for one in latest.slices()}

    def parts(keys: int, replaced: Any = None) -> int:
        exchange = plan_exchange(latest, Attempts(latest.storage, "20260101000000000"), ["p0"], keys, 2, replaced)
        assert exchange is not None
        return exchange.parts

    groups = parts(10**6)
    assert 2 < groups < 10**6
    assert [parts(keys) for keys in (0, 6, 9)] == [2, 2, 3]
    assert parts(0, gone) == groups


def test_an_attempt_that_outlives_its_write_leaves_nothing(tmp_path: Path) -> None:
    """META-1055, WRITE-421."""
    table, _ = twins(tmp_path, "cow", 9, ("record_index",))
    write(table, random_rows(random.Random(2), 20, [0], distinct=True))
    exchange = plan_exchange(open_table(table.storage.uri), Attempts(table.storage, "20260101000000000"), ["p0"], 5, 1)
    assert exchange is not None
    parts = {one.partition: one for one in open_table(table.storage.uri).slices()}
    packets = list(exchange.read(0, list(parts.values()), key_exchange.add_keys))
    assert packets
    with pytest.raises(ConflictError, match="its end"):
        list(EncodeLogs(exchange)._contents(iter(packets)))
    assert table.storage.list(".hoodie/.temp", recursive=True) == []
    assert plan_exchange(twins(tmp_path / "none", "cow", 9, ())[0], exchange.attempts, [], 1, 1) is None


def test_a_commit_that_dies_among_its_copies_is_rolled_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1055: the next write goes on."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", type="mor", version=6, indexes="record_index")
    write(open_table(path), rows(*((f"key{number:04}", "x", 0) for number in range(30))))
    before = index_of(open_table(path), "record_index")
    made = delta_commit.CopyInTasks.apply
    copies: list[int] = []

    def half(self: Any, storage: Any) -> None:
        copies.append(len(self.copies))
        made(replace(self, copies=self.copies[: len(self.copies) // 2]), storage)
        raise StorageError(storage.uri, expected="a copy", found="a death")

    monkeypatch.setattr(delta_commit.CopyInTasks, "apply", half)
    given = rows(*((f"key{number:04}", "x", 1) for number in range(20, 60)))
    with pytest.raises(StorageError, match="a death"):
        spread(open_table(path), given, "upsert", WriteOptions(batch=StreamBatch(1, "s")))
    assert copies[0] > 1
    monkeypatch.undo()
    assert index_of(open_table(path), "record_index") == before
    assert open_table(path).storage.list(".hoodie/.temp", recursive=True) == []
    spread(open_table(path), given, "upsert", WriteOptions(batch=StreamBatch(1, "s")))
    assert len(read(path)) == 60
    assert findings(path) == []

"""The lock of the storage-based provider, in a store that replaces one version of a file.

Also covers: `commit/storage_lock.py`, `commit/versions.py`.
"""

from __future__ import annotations

import json
import re
import socket
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_arrow.engine import ENGINE
from hudi_core.commit import lock as lock_module
from hudi_core.commit import storage_lock as storage_lock_module
from hudi_core.commit.lock import LOCK_PATH, free_lock, table_lock, take_away, take_over
from hudi_core.commit.storage_lock import LOCK_PROVIDER, STORAGE_LOCK_PATH, STORAGE_LOCK_PROVIDER, storage_lock
from hudi_core.commit.times import system_clock
from hudi_core.commit.versions import FileVersion, VersionedStorage
from hudi_core.engine import Storage
from hudi_core.errors import AlreadyExistsError, ConflictError, LockedError, UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.writing.operations import write
from tests.core.commit.test_lock_owner import dead_process
from tests.support.locks import holders_at_once
from tests.support.measured_store import MeasuredStore

pytest.importorskip("obstore", reason="obstore is not installed")

ROWS = pa.table({"id": ["a"], "n": [1]})


@pytest.fixture
def storage(store: MeasuredStore) -> VersionedStorage:
    """An empty folder of the store."""
    opened = ENGINE.storage(f"s3://lake/{uuid.uuid4()}", store.options)
    assert isinstance(opened, VersionedStorage)
    return opened


def lock(expired: bool, after: timedelta, owner: str = "theirs") -> bytes:
    until = int((system_clock() + after).timestamp() * 1000)
    return json.dumps({"expired": expired, "validUntil": until, "owner": owner}).encode()


def stored(storage: VersionedStorage) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(storage.read(STORAGE_LOCK_PATH))
    return fields


def test_a_file_is_replaced_only_in_place_of_the_version_that_was_read(storage: VersionedStorage) -> None:
    """COMMIT-21."""
    assert storage.read_version("f") is None
    storage.create("f", b"1")
    first = storage.read_version("f")
    assert first is not None
    second = storage.exchange("f", b"22", first)
    with pytest.raises(AlreadyExistsError):
        storage.exchange("f", b"333", first)
    assert storage.read_version("f") == second
    storage.exchange("f", b"4444", second)
    assert storage.read("f") == b"4444"


def test_a_free_lock_is_acquired_and_released(storage: VersionedStorage) -> None:
    """COMMIT-20, COMMIT-21."""
    storage.create(STORAGE_LOCK_PATH, lock(True, timedelta(hours=1)))
    with table_lock(storage):
        held = stored(storage)
        assert (held["expired"], held["owner"] != "theirs") == (False, True)
        assert held["validUntil"] > system_clock().timestamp() * 1000
        with pytest.raises(ConflictError, match=re.escape(held["owner"])), storage_lock(storage, 0, system_clock):
            pytest.fail("it is held")
    assert stored(storage) == {**held, "expired": True}
    assert not storage.exists(LOCK_PATH)


@pytest.mark.parametrize(
    "content",
    [lock(False, timedelta(days=1)), b"{}", b"not JSON", b'{"expired": false}'],
    ids=["held", "empty", "not JSON", "without a time"],
)
def test_a_lock_of_another_writer_is_waited_for(storage: VersionedStorage, content: bytes) -> None:
    """COMMIT-21."""
    storage.create(STORAGE_LOCK_PATH, content)
    with pytest.raises(ConflictError, match="held by"), table_lock(storage, patience=0):
        pytest.fail("it is held")
    assert storage.read(STORAGE_LOCK_PATH) == content
    assert not storage.exists(LOCK_PATH)


def test_a_lock_whose_time_is_over_is_taken(storage: VersionedStorage) -> None:
    """COMMIT-21, COMMIT-861: not while the store says that it was renewed a moment ago, by an owner whose clock is behind."""
    storage.create(STORAGE_LOCK_PATH, lock(False, timedelta(seconds=-5)))
    with pytest.raises(LockedError, match="held by theirs"), table_lock(storage, patience=0):
        pytest.fail("its owner is at work")
    with table_lock(storage, patience=0, clock=lambda: system_clock() + timedelta(minutes=6)):
        assert stored(storage)["owner"] != "theirs"


def test_a_lock_that_was_not_renewed_for_long_is_renewed_before_it_counts(
    storage: VersionedStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """COMMIT-1025."""
    storage.create(STORAGE_LOCK_PATH, lock(True, timedelta(0)))
    with table_lock(storage) as held:
        first = stored(storage)
        held.refuse_lost()
        assert stored(storage) == first
        monkeypatch.setattr(storage_lock_module, "_OLD", -1.0)
        held.refuse_lost()
        assert stored(storage)["validUntil"] > first["validUntil"]


def test_a_renewal_that_was_answered_twice_is_no_loss(
    storage: VersionedStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """COMMIT-1025."""
    storage.create(STORAGE_LOCK_PATH, lock(True, timedelta(0)))
    exchange = type(storage).exchange

    def twice(self: VersionedStorage, path: str, content: bytes, previous: FileVersion) -> FileVersion:
        exchange(self, path, content, previous)
        return exchange(self, path, content, previous)

    with table_lock(storage) as held:
        monkeypatch.setattr(type(storage), "exchange", twice)
        held.renew()
        monkeypatch.undo()
        held.refuse_lost()


def test_a_lock_of_a_dead_writer_is_taken_and_freed_in_place_of_its_version(storage: VersionedStorage) -> None:
    """COMMIT-1024."""
    dead = json.dumps({"owner": f"hudi-core {socket.gethostname()} {dead_process()} MainThread x"}).encode()
    storage.create(LOCK_PATH, dead)
    assert not take_away(storage, LOCK_PATH, b"another", b"own")
    assert not take_over(storage, LOCK_PATH, b"another", b"own")
    assert storage.read(LOCK_PATH) == dead
    assert take_over(storage, LOCK_PATH, dead, b"own")
    assert storage.read(LOCK_PATH) == b"own"
    assert take_away(storage, LOCK_PATH, b"own", b"mine")
    assert not storage.exists(LOCK_PATH)
    storage.create(LOCK_PATH, dead)
    assert free_lock(storage) is not None
    assert not storage.exists(LOCK_PATH)


def test_one_writer_at_a_time_holds_the_lock(storage: VersionedStorage) -> None:
    """COMMIT-21: also of writers that take no other one."""
    storage.create(STORAGE_LOCK_PATH, lock(True, timedelta(0)))
    assert holders_at_once(lambda: storage_lock(storage, 60, system_clock), threads=3, times=3) == [1] * 9


def test_a_lock_is_renewed_and_its_loss_noticed(storage: VersionedStorage) -> None:
    """COMMIT-322."""
    storage.create(STORAGE_LOCK_PATH, lock(True, timedelta(0)))
    with table_lock(storage) as held:
        first = stored(storage)
        held.renew()
        assert stored(storage)["validUntil"] >= first["validUntil"]
        held.refuse_lost()
        taken = storage.read_version(STORAGE_LOCK_PATH)
        assert taken is not None
        storage.exchange(STORAGE_LOCK_PATH, lock(False, timedelta(hours=1)), taken)
        held.renew()
        with pytest.raises(ConflictError, match="still held, found one that another writer took"):
            held.refuse_lost()
    assert stored(storage)["owner"] == "theirs"


def test_the_lock_of_a_process_that_is_gone_is_taken_at_once(storage: VersionedStorage) -> None:
    """COMMIT-321."""
    owner = f"hudi-core {socket.gethostname()} {dead_process()} MainThread x"
    content = {"expired": False, "validUntil": 1 << 50, "owner": owner}
    storage.create(STORAGE_LOCK_PATH, json.dumps(content).encode())
    with table_lock(storage, patience=0):
        assert stored(storage)["owner"] != owner


def test_a_table_without_the_lock_does_not_get_it(storage: VersionedStorage) -> None:
    """COMMIT-20."""
    with table_lock(storage):
        assert storage.exists(LOCK_PATH)
    assert not storage.exists(STORAGE_LOCK_PATH)


@pytest.mark.parametrize("is_old", [False, True])
def test_a_look_of_long_ago_is_repeated(
    storage: VersionedStorage, monkeypatch: pytest.MonkeyPatch, is_old: bool
) -> None:
    """STORE-1396: the lock came while the table's own was waited for."""

    def look(looked_at: Storage) -> bool:
        looked_at.create(STORAGE_LOCK_PATH, lock(expired=True, after=timedelta(0)))
        return False

    monkeypatch.setattr(lock_module, "has_storage_lock", look)
    monkeypatch.setattr(lock_module, "_FRESH", 0.0 if is_old else 60.0)
    with table_lock(storage) as held:
        assert (held.of_storage is not None) is is_old


def test_a_table_is_created_with_the_lock_and_written_under_it(store: MeasuredStore) -> None:
    """COMMIT-20."""
    uri, options = f"s3://lake/{uuid.uuid4()}", {LOCK_PROVIDER: STORAGE_LOCK_PROVIDER}
    table = create_table(uri, ROWS.schema, "id", options=options, storage_options=store.options)
    assert stored(table.storage)["expired"] is True  # type: ignore[arg-type]
    write(table, ROWS)
    after = stored(table.storage)  # type: ignore[arg-type]
    assert (after["expired"], after["owner"].split()[0]) == (True, "hudi-core")
    assert open_table(uri, storage_options=store.options).scan().to_arrow().num_rows == 1


def test_a_file_system_has_no_such_lock(tmp_path: Path) -> None:
    """COMMIT-20: Apache Hudi has it in object stores alone."""
    with pytest.raises(UnsupportedError, match="lock provider"):
        create_table(tmp_path / "t", ROWS.schema, "id", options={LOCK_PROVIDER: STORAGE_LOCK_PROVIDER})
    assert not (tmp_path / "t/.hoodie/hoodie.properties").exists()

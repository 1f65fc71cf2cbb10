"""The table's lock.

Also covers: `commit/times.py`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hudi_core.commit.lock import LOCK_PATH, table_lock
from hudi_core.commit.times import system_clock
from hudi_core.errors import ConflictError
from hudi_plain.storage import PlainStorage
from tests.support.locks import holders_at_once


def test_one_writer_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    """COMMIT-8."""
    storage = PlainStorage(str(tmp_path))
    assert holders_at_once(lambda: table_lock(storage), threads=4, times=10) == [1] * 40
    assert not (tmp_path / LOCK_PATH).exists()


def test_a_lock_of_a_dead_writer_is_taken_when_its_time_is_over(tmp_path: Path) -> None:
    """COMMIT-8."""
    storage = PlainStorage(str(tmp_path))
    long_ago = system_clock() - timedelta(hours=1)
    storage.create(LOCK_PATH, json.dumps({"owner": "x", "validUntil": int(long_ago.timestamp() * 1000)}).encode())
    with table_lock(storage, patience=0):
        assert json.loads(storage.read(LOCK_PATH))["owner"].startswith("hudi-core ")


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"lockCreateTime": "2020-01-01"}'])
def test_a_lock_without_a_time_does_not_expire(tmp_path: Path, content: bytes) -> None:
    """COMMIT-8: those of Apache Hudi."""
    storage = PlainStorage(str(tmp_path))
    storage.create(LOCK_PATH, content)
    with pytest.raises(ConflictError, match="held by another writer"), table_lock(storage, patience=0.02):
        pytest.fail("nobody let go")
    assert storage.read(LOCK_PATH) == content


def test_the_clock_has_a_zone() -> None:
    now = system_clock()
    assert now.tzinfo is UTC
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=5)  # noqa: TID251 - what it is compared with

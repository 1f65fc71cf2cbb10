"""Locks of others are taken and deleted only as they were looked at. COMMIT-1024."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread

import pytest

from hudi_arrow.storage import ArrowStorage
from hudi_core.commit.lock_files import read_lock, take_away, take_over
from hudi_core.engine import Storage
from hudi_plain.storage import PlainStorage

LOCK = ".hoodie/lock"


@pytest.fixture(params=[PlainStorage, ArrowStorage])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    opened: Storage = request.param(str(tmp_path))
    opened.create(LOCK, b"dead")
    return opened


def names(storage: Storage) -> list[str]:
    return [info.path for info in storage.list(".hoodie", recursive=True)]


def test_only_what_was_read_goes(storage: Storage) -> None:
    """COMMIT-1024."""
    assert not take_away(storage, LOCK, b"another")
    assert not take_over(storage, LOCK, b"another", b"own")
    assert storage.read(LOCK) == b"dead"
    assert take_over(storage, LOCK, b"dead", b"own")
    assert storage.read(LOCK) == b"own"
    assert take_away(storage, LOCK, b"own")
    assert not take_away(storage, LOCK, b"own")
    assert read_lock(storage, LOCK) is None
    assert names(storage) == []


@pytest.mark.parametrize("there", [False, True])
def test_a_lock_that_was_taken_between_the_look_and_the_deletion_comes_back(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """COMMIT-1024: unless there is a new one by then."""
    rename = Path.rename

    def late(path: Path, target: Path) -> Path:
        storage.replace(LOCK, b"living")
        moved = rename(path, target)
        if there:
            storage.create(LOCK, b"newer")
        return moved

    monkeypatch.setattr(Path, "rename", late)
    assert not take_away(storage, LOCK, b"dead")
    assert storage.read(LOCK) == (b"newer" if there else b"living")
    assert names(storage) == [LOCK]


def test_of_many_that_take_a_dead_lock_one_has_it(storage: Storage) -> None:
    """COMMIT-1024."""
    ready, taken = Barrier(8), list[int]()

    def work(number: int) -> None:
        ready.wait()
        if take_over(storage, LOCK, b"dead", f"owner {number}".encode()):
            taken.append(number)

    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1
    assert storage.read(LOCK) == f"owner {taken[0]}".encode()

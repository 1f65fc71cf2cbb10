"""Optional parts of storages: local folders have all of them, in each engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import Storage
from hudi_core.errors import ConflictError
from hudi_core.storage_parts import (
    StorageWithFence,
    StorageWithFolders,
    StorageWithLimits,
    StorageWithLinks,
    StorageWithSync,
    StorageWithTakeAway,
)
from hudi_plain.storage import PlainStorage

each_storage = pytest.mark.parametrize("kind", [ArrowStorage, PlainStorage])
OWN, LOCK = ".hoodie/timeline/1_2.commit", ".hoodie/lock"


@each_storage
def test_local_folders_have_the_parts_of_folders(tmp_path: Path, kind: Callable[[str], Storage]) -> None:
    storage = kind(str(tmp_path))
    for part in (
        StorageWithFence, StorageWithFolders, StorageWithLimits, StorageWithLinks, StorageWithSync, StorageWithTakeAway,
    ):  # fmt: skip
        assert isinstance(storage, part)


@each_storage
@pytest.mark.parametrize("call", ["create", "replace"])
def test_a_file_gets_its_name_behind_the_look(tmp_path: Path, kind: Callable[[str], Storage], call: str) -> None:
    """COMMIT-1475."""
    storage = kind(str(tmp_path))
    storage.create(LOCK, b"a")
    there: list[bool] = []
    assert isinstance(storage, StorageWithFence)
    with storage.fence(lambda: there.append(storage.exists(OWN))):
        getattr(storage, call)(OWN, b"whole")
        getattr(storage, call)("x/of-data", b"not of the table's own folder")
    getattr(storage, call)(".hoodie/later", b"")
    assert there == [False] and storage.read(OWN) == b"whole"
    assert [info.path for info in storage.list(".hoodie", recursive=True)] == [".hoodie/later", LOCK, OWN]


@each_storage
@pytest.mark.parametrize("call", ["create", "replace"])
def test_a_file_that_was_dropped_gets_no_name(tmp_path: Path, kind: Callable[[str], Storage], call: str) -> None:
    """COMMIT-1475."""
    storage, other = kind(str(tmp_path)), kind(str(tmp_path))
    storage.create(LOCK, b"a")
    assert isinstance(storage, StorageWithFence) and isinstance(other, StorageWithFence)
    with storage.fence(other.drop_fenced), pytest.raises(ConflictError, match="deleted it meanwhile"):
        getattr(storage, call)(OWN, b"late")
    assert [info.path for info in storage.list(".hoodie", recursive=True)] == [LOCK]
    kind(str(tmp_path / "none")).drop_fenced()  # type: ignore[attr-defined]  # a table that is being made


@each_storage
def test_a_look_that_raises_leaves_nothing(tmp_path: Path, kind: Callable[[str], Storage]) -> None:
    """COMMIT-1475."""
    storage = kind(str(tmp_path))
    storage.create(LOCK, b"a")

    def look() -> None:
        raise ConflictError("here", expected="my lock", found="another's")

    assert isinstance(storage, StorageWithFence)
    with storage.fence(look), pytest.raises(ConflictError, match="my lock"):
        storage.create(OWN, b"late")
    assert [info.path for info in storage.list(".hoodie", recursive=True)] == [LOCK]

"""Replacing a table's properties, and steps of a write.

Also covers: `commit/steps.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.commit.properties import BACKUP_PATH, change_properties, properties_content
from hudi_core.commit.steps import Create, Delete, Replace, run
from hudi_core.errors import AlreadyExistsError, CorruptFileError, StorageError
from hudi_core.formats.properties import parse_properties
from hudi_core.options import PROPERTIES_PATH
from hudi_plain.storage import PlainStorage


def test_properties_are_set_and_removed(tmp_path: Path) -> None:
    """COMMIT-9."""
    storage = PlainStorage(str(tmp_path))
    storage.create(PROPERTIES_PATH, properties_content({"a": "1", "b": "2"}))
    assert change_properties(storage, {"a": None, "c": "x:y"}) == {"b": "2", "c": "x:y"}
    assert parse_properties(storage.read(PROPERTIES_PATH), "") == {"b": "2", "c": "x:y"}
    assert not storage.exists(BACKUP_PATH)


def test_a_writer_that_crashed_left_the_properties_in_their_backup(tmp_path: Path) -> None:
    """COMMIT-9."""
    storage = PlainStorage(str(tmp_path))
    with pytest.raises(CorruptFileError, match="or their backup"):
        change_properties(storage, {})
    storage.create(BACKUP_PATH, properties_content({"a": "1"}))
    assert change_properties(storage, {"b": "2"}) == {"a": "1", "b": "2"}


def test_properties_that_cannot_be_replaced_stand_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """COMMIT-1412."""
    storage = PlainStorage(str(tmp_path))
    before = properties_content({"a": "1"})
    storage.create(PROPERTIES_PATH, before)

    def replaced(path: str, content: bytes) -> None:
        if path == PROPERTIES_PATH:
            raise StorageError(path, message="No space left on device")
        PlainStorage.replace(storage, path, content)

    monkeypatch.setattr(storage, "replace", replaced)
    with pytest.raises(StorageError, match="No space left"):
        change_properties(storage, {"a": "2"})
    assert [info.path for info in storage.list("", recursive=True)] == [PROPERTIES_PATH]
    assert storage.read(PROPERTIES_PATH) == before


def test_steps_can_be_repeated(tmp_path: Path) -> None:
    storage = PlainStorage(str(tmp_path))
    steps = [Create("f/a", b"1"), Replace("f/b", b"2"), Delete("f/c")]
    run(storage, steps)
    run(storage, steps)
    assert (storage.read("f/a"), storage.read("f/b")) == (b"1", b"2")
    with pytest.raises(AlreadyExistsError):
        run(storage, [Create("f/a", b"other")])


def test_a_stream_that_fails_leaves_no_file(tmp_path: Path) -> None:
    storage = PlainStorage(str(tmp_path))
    with pytest.raises(ZeroDivisionError), storage.output("f/a") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert list((tmp_path / "f").iterdir()) == []
    with storage.output("f/a") as file:
        file.write(b"whole")
    assert storage.read("f/a") == b"whole"
    storage.delete_folder("f")
    assert storage.read_modified("f/a") is None

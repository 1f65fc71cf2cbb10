"""A file that may be missing is asked for once where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.errors import StorageError
from hudi_core.timeline.files import read_if_there
from hudi_plain.storage import PlainStorage


class Counting(PlainStorage):
    calls = 0

    def exists(self, path: str) -> bool:
        self.calls += 1
        return super().exists(path)


def test_the_content_or_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content")
    storage = Counting(str(tmp_path))
    assert read_if_there(storage, "a") == b"content" and storage.calls == 0
    assert read_if_there(storage, "b") is None and storage.calls == 0


def test_an_existing_unreadable_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError, match="folder"):
        read_if_there(Counting(str(tmp_path)), "folder")

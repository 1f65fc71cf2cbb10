"""STORE-1602: temporary files and folders where there is no room for them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_core.errors import StorageError
from hudi_core.reading.array_files import ScratchFolder
from hudi_core.temporary import make_folder, report_unusable, temporary_folder
from tests.support.commands import ran

ROWS = b'{"id": "a", "n": 1}\n'
NOWHERE = "error: temporary files: there is no folder for them; set TMPDIR to a folder that this process may write to\n"


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that finds no folder for temporary files, as in a container whose disks are read-only."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/there/is/none"])


@pytest.mark.parametrize("make", [make_folder, temporary_folder])
def test_where_there_is_no_folder_the_error_says_what_to_set(make: Callable[[str], object], nowhere: None) -> None:
    with pytest.raises(StorageError, match="TMPDIR"):
        make("hudi-core-")


def test_a_folder_of_the_users_own_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StorageError, match=r"gone: No such file or directory$"):
        make_folder("hudi-core-", str(tmp_path / "gone"))
    monkeypatch.setenv("HUDI_CORE_SPOOL_FOLDER", str(tmp_path / "gone"))
    with pytest.raises(StorageError, match=r"gone: No such file or directory$"):
        ScratchFolder()


def test_the_systems_folder_is_named() -> None:
    with pytest.raises(StorageError) as raised, report_unusable():
        raise OSError(28, os.strerror(28))
    assert str(raised.value) == f"{tempfile.gettempdir()}: No space left on device"


@pytest.mark.parametrize(
    "command",
    [("write", "T", "-"), ("write", "T", "PACKED"), ("read", "T", "--output", "-")],
    ids=" ".join,
)
def test_a_command_says_so_in_a_line(tmp_path: Path, command: tuple[str, ...], nowhere: None) -> None:
    table, rows, packed = tmp_path / "t", tmp_path / "rows.jsonl", tmp_path / "rows.jsonl.gz"
    rows.write_bytes(ROWS)
    packed.write_bytes(b"\x1f\x8b")
    assert ran("create", table, "--like", rows, "--key", "id").status == 0
    before = sorted(os.walk(table))
    named = {"T": table, "PACKED": packed}
    done = ran(*(named.get(word, word) for word in command), stdin=ROWS.decode())
    assert (done.status, done.err) == (1, NOWHERE)
    assert sorted(os.walk(table)) == before

"""Slices whose logs do not fit into memory: the same rows, from records in files that nobody leaves behind.

Also covers: `reading/array_files.py`, `reading/key_runs.py`, `reading/log_runs.py`, `reading/sorted_runs.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hudi_core.columns.strings import string_column, string_list
from hudi_core.errors import HudiError, StorageError, UsageError
from hudi_core.reading.array_files import ArrayFile, ScratchFolder
from hudi_core.reading.key_runs import KeyRuns
from hudi_core.reading.merged_slices import MAX_LOG_BYTES, max_log_bytes
from hudi_core.reading.sorted_runs import stretches
from tests.support.logged_tables import Block, LoggedTable
from tests.support.spilling import spilled

Row = dict[str, Any]


def row(number: int, ts: int, v: str) -> Row:
    return {"id": f"key-{number:03}", "ts": ts, "v": v, "n": number}


def table(**properties: str) -> LoggedTable:
    """Twenty rows; updates of some, late ones among them, deletes, and new keys between them."""
    often: list[Block] = []
    for again in range(9):  # deletes between them, for blocks of rows are read together
        often += [Block([row(19, 99 if again == 5 else 10 + again, f"often {again}")]), Block(deletes=[("none", None)])]
    return LoggedTable(
        [row(number, 5, "base") for number in range(20)],
        [
            Block([row(number, 6, "first") for number in (3, 25, 9, 24, 0)]),
            Block(deletes=[("key-001", None), ("key-005", 99), ("key-025", 7)]),
            Block([row(number, 4, "late") for number in (3, 4)] + [row(23, 1, "new")]),
            *often,
        ],
        properties,
    )


def rows_of(made: LoggedTable, **options: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in made.open().scan(columns=["id", "v"], **options).to_json_rows()]


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (7, 4), (1000, 1000)])
def test_rows_are_those_of_a_merge_in_memory(size: tuple[int, int]) -> None:
    """MERGE-860: changed rows where they stood, then new keys as they come first."""
    in_memory = sorted(rows_of(table()))
    with spilled(*size):
        rows_read = rows_of(table())
    assert sorted(rows_read) == in_memory
    assert [key for key, _ in rows_read] == [
        f"key-{number:03}" for number in (*range(20), 24, 23) if number not in (1, 5)
    ]
    assert dict(rows_read)["key-019"] == "often 5"


def test_of_several_rows_with_one_key_the_first_is_merged() -> None:
    """MERGE-11."""
    twice = [row(number // 2, 1, f"base {number}") for number in range(8)]
    made = LoggedTable(twice, [Block([row(number, 2, "log") for number in range(4)])])
    with spilled(3, 3):
        assert [v for _, v in rows_of(made)] == [
            text for number in range(4) for text in ("log", f"base {2 * number + 1}")
        ]


def test_no_file_is_left(tmp_path: Path) -> None:
    """MERGE-861: neither by who reads all, nor by who stops early, nor by an error."""
    with spilled(folder=tmp_path):
        rows_of(table())
        batches = iter(table().open().scan().batches())
        next(batches)
        assert list(tmp_path.iterdir())
        del batches
        broken = table()
        broken.open()
        broken.memory.files[broken.logs[-2]] = broken.memory.files[broken.logs[-2]].replace(b"key-019", b"key-\xff19")
        with pytest.raises(HudiError):
            rows_of(broken)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """MERGE-861."""
    with spilled(folder=tmp_path / "none"), pytest.raises(StorageError, match="none: No such file"):
        rows_of(table())


def test_properties_state_what_is_held_in_memory() -> None:
    """MERGE-862."""
    stated = table(**{"hoodie.memory.merge.max.size": "1000"}).open().config
    assert (max_log_bytes(table().open().config), max_log_bytes(stated)) == (MAX_LOG_BYTES, 1000)
    with pytest.raises(UsageError, match="a number of bytes, found '1g'"):
        rows_of(table(**{"hoodie.memory.merge.max.size": "1g"}))


def test_equal_keys_are_in_one_share() -> None:
    keys = KeyRuns(ScratchFolder(), "keys", 3)
    texts = [f"key {number % 40}" * (number % 3) for number in range(100)]
    for begin in range(0, 100, 30):
        keys.add(string_column(texts[begin : begin + 30]))
    share_of: dict[str, int] = {}
    numbers: list[int] = []
    for share in range(8):
        for strings, rows in keys.share(share):
            assert [texts[number] for number in rows] == string_list(strings)
            assert (np.diff(rows) > 0).all()
            assert all(share_of.setdefault(text, share) == share for text in string_list(strings))
            numbers += rows.tolist()
    assert sorted(numbers) == list(range(100))
    assert len(set(share_of.values())) > 4


def test_stretches_divide_all_numbers_between_rows_and_new_keys() -> None:
    with spilled(stretch=4):
        parts = [(part.first, part.stop, part.in_base) for part in stretches(6, 3)]
        assert parts == [(0, 4, True), (4, 6, True), (6, 9, False)]
        assert stretches(0, 0) == ()


def test_a_stretch_of_an_array_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUDI_CORE_SPOOL_FOLDER", str(tmp_path))
    folder = ScratchFolder()
    array = ArrayFile(folder, "array", np.int32, 2)
    for begin in (0, 6):
        array.add(np.arange(begin, begin + 6).reshape(3, 2))
    array.add(np.empty((0, 2)))
    assert array.rows == 6
    assert array.read(2, 4).tolist() == [[4, 5], [6, 7]]
    assert array.read(6, 6).shape == (0, 2)
    folder.close()
    with pytest.raises(StorageError):
        array.add(np.zeros((1, 2)))

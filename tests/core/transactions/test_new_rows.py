"""Two writers that add rows to one partition at once, without an index of all keys: the second one looks its keys up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import ConflictError, NoSuchFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.transactions import conflicts
from hudi_core.transactions.transaction import Transaction
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.support.overlapping import KINDS, beside
from tests.support.written_tables import TYPES, read, rows

BUCKETS = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}


def new_table(folder: Path, kind: str, version: int, **more: object) -> Path:
    path = folder / "t"
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, **more)  # type: ignore[arg-type]
    write(open_table(path), rows(("a", "x", 0)), "append")
    return path


def upsert(path: Path, key: str, n: int, options: WriteOptions | None = None) -> None:
    write(open_table(path), rows((key, "x", n)), "upsert", options)


@pytest.mark.one_of(2)
@KINDS
def test_a_new_key_is_there_once_where_one_writer_fills_a_small_file_and_one_begins_a_file(
    tmp_path: Path, kind: str, version: int
) -> None:
    """CONFLICT-1433."""
    path = new_table(tmp_path, kind, version)
    second = beside(lambda: upsert(path, "k", 1), attempts=2)
    upsert(path, "k", 2, replace(second, sizes=FileSizes(small=0)))
    assert read(path) == [("a", "x", 0), ("k", "x", 2)]


def test_the_error_names_the_partition_and_says_what_to_do(tmp_path: Path) -> None:
    """CONFLICT-1433, CONFLICT-1436."""
    path = new_table(tmp_path, "cow", 9)
    second = beside(lambda: upsert(path, "other", 1))
    with pytest.raises(ConflictError, match=r"got no new keys, found commit .* added rows to partition 'x'") as refused:
        upsert(path, "k", 2, replace(second, sizes=FileSizes(small=0)))
    assert refused.value.__notes__ == [
        "the write was planned once and changed nothing: write again, or with more `attempts`"
    ]
    assert read(path) == [("a", "x", 0), ("other", "x", 1)]


def test_a_write_that_adds_no_row_there_meets_none(tmp_path: Path) -> None:
    """CONFLICT-1433: only a file below 8 KB takes new rows."""
    path = new_table(tmp_path, "cow", 9)
    many = rows(*((f"b{number}", "x", number * number) for number in range(4_000)))
    write(open_table(path), many, "append", WriteOptions(sizes=FileSizes(small=0)))
    small = WriteOptions(sizes=FileSizes(small=8 << 10))
    other = beside(lambda: write(open_table(path), rows(("a", "x", 1), ("c", "x", 1)), options=small))
    write(open_table(path), rows(("b1", "x", 7), ("new", "y", 1)), "upsert", other)
    assert {("a", "x", 1), ("b1", "x", 7), ("c", "x", 1), ("new", "y", 1)} <= set(read(path))


def test_rows_for_two_buckets_do_not_meet(tmp_path: Path) -> None:
    """CONFLICT-1433: a bucket has all rows of its keys."""
    path = new_table(tmp_path, "mor", 9, options=BUCKETS)
    for key in "bcdefg":
        upsert(path, key, 0)
    bucket_of = {row["id"]: row["_hoodie_file_name"] for row in open_table(path).scan().to_json_rows()}
    assert len({name.lstrip(".")[:8] for name in bucket_of.values()}) == 2
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(conflicts, "has_simple_buckets", lambda _: False)
        with pytest.raises(ConflictError, match="added rows"):
            upsert(path, "0", 1, beside(lambda: upsert(path, "1", 1)))
    upsert(path, "0", 1, beside(lambda: upsert(path, "3", 1)))
    assert len(read(path)) == 10


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("mor", 9)])
def test_a_write_whose_files_a_clean_takes_is_planned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int
) -> None:
    """CONFLICT-1434: a clean by versions keeps no file for it."""
    path = new_table(tmp_path, kind, version)
    started, left = Transaction.start, [1]

    def start(running: Transaction, *given: Any, **named: Any) -> None:
        started(running, *given, **named)
        if left and running.operation == "UPSERT":
            left.pop()
            for number in range(3):
                write(open_table(path), rows(("a", "x", number)), "insert_overwrite")
            assert clean(open_table(path), CleanOptions(keep_versions=1)).files

    monkeypatch.setattr(Transaction, "start", start)
    upsert(path, "a", 9, WriteOptions(attempts=2))
    assert read(path) == [("a", "x", 9)]


def test_a_file_that_is_missing_while_nothing_else_happens_is_no_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONFLICT-1434."""
    path = new_table(tmp_path, "cow", 9)

    def start(*_: object, **__: object) -> None:
        raise NoSuchFileError("x/a.parquet", message="no such file")

    monkeypatch.setattr(Transaction, "start", start)
    with pytest.raises(NoSuchFileError):
        upsert(path, "a", 9)

"""Inserts of keys that are there: added, left out or refused, as a policy says. Rules WRITE-1152, WRITE-1153, CONFLICT-2."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column
from hudi_core.errors import ConflictError, HudiError, RowError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.tagging.key_columns import NOWHERE
from hudi_core.tagging.key_reader import key_columns
from hudi_core.validation.validate import validate
from hudi_core.writing.duplicates import (
    DROP_DUPLICATES,
    INSERT_DUPLICATES,
    DuplicatePolicy,
    duplicate_policy,
    places_without_duplicates,
)
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.spread.operations import spread_write
from tests.support.drawing import cases
from tests.support.local_flow import local_rows
from tests.support.overlapping import KINDS, beside
from tests.support.spread_writes import contents, cut
from tests.support.written_tables import TYPES, read, rows

DROP, FAIL = ({INSERT_DUPLICATES: policy} for policy in ("drop", "fail"))
BUCKETS = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}
TABLES: list[dict[str, Any]] = [{"indexes": None}, {"indexes": ["record_index"]}, {"options": BUCKETS}]


def made(folder: Path, kind: str, version: int, **options: Any) -> Path:
    create_table(folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, **options)
    write(open_table(folder / "t"), rows(("a", "x", 1), ("b", "x", 1), ("c", "y", 1)))
    return folder / "t"


def insert(path: Path, given: pa.Table, properties: dict[str, str], spread: bool) -> Any:
    table, options = open_table(path), WriteOptions(properties=properties)
    if spread:
        return spread_write(table, local_rows(table.engine, cut(random.Random(3), given)), "insert", options)
    return write(table, given, "insert", options)


@pytest.mark.each_value
@KINDS
@pytest.mark.parametrize("options", TABLES, ids=["plain", "record_index", "buckets"])
@pytest.mark.parametrize("spread", [False, True])
def test_rows_whose_key_is_there_are_left_out(
    tmp_path: Path, kind: str, version: int, options: dict[str, Any], spread: bool
) -> None:
    """WRITE-1152: in the table or earlier in the input, in one process and in parts; a key that was deleted is not there."""
    path = made(tmp_path, kind, version, **options)
    write(open_table(path), rows(("b", "x", 0)), "delete")
    again = rows(("a", "x", 2), ("d", "x", 2), ("d", "x", 3), ("b", "x", 2), ("c", "y", 2), ("e", "y", 2))
    assert insert(path, again, DROP, spread).inserted == 3
    expected = [("a", "x", 1), ("b", "x", 2), ("c", "y", 1), ("d", "x", 2), ("e", "y", 2)]
    assert read(path) == expected
    assert insert(path, again, {DROP_DUPLICATES: "true"}, spread).instant is None
    before = contents(open_table(path))
    for refused, row, text in (
        (rows(("f", "x", 3), ("g", "x", 3), ("c", "y", 3)), 2, "'c', which the table has"),
        (rows(("f", "x", 3), ("g", "x", 3), ("f", "x", 4)), 2, "'f', which an earlier row has"),
    ):
        with pytest.raises(RowError, match=text) as error:
            insert(path, refused, FAIL, spread)
        assert error.value.row == row
    assert contents(open_table(path)) == before
    insert(path, rows(("f", "x", 3)), FAIL, spread)
    assert read(path) == sorted([*expected, ("f", "x", 3)])
    assert list(validate(open_table(path))) == []


@pytest.mark.each_value
@KINDS
@pytest.mark.parametrize("options", TABLES, ids=["plain", "record_index", "buckets"])
def test_a_key_that_another_writer_brings_meanwhile_is_there_once(
    tmp_path: Path, kind: str, version: int, options: dict[str, Any]
) -> None:
    """WRITE-1153, CONFLICT-2: the insert looks again, as if it had begun after the other."""
    path = made(tmp_path, kind, version, **options)
    new = rows(("k", "x", 1), ("m", "x", 1))
    overtaken = beside(lambda: write(open_table(path), rows(("k", "x", 9)), "insert"), attempts=2)
    dropped = WriteOptions(progress=overtaken.progress, attempts=2, properties=DROP)
    assert write(open_table(path), new, "insert", dropped).inserted == 1
    assert [row for row in read(path) if row[0] in "km"] == [("k", "x", 9), ("m", "x", 1)]
    overtaken = beside(lambda: write(open_table(path), rows(("n", "x", 9)), "insert"))
    refused = WriteOptions(progress=overtaken.progress, attempts=2, properties=FAIL)
    with pytest.raises(RowError, match="'n', which the table has"):
        write(open_table(path), rows(("n", "x", 1)), "insert", refused)
    overtaken = beside(lambda: write(open_table(path), rows(("o", "x", 9)), "insert"))
    once = WriteOptions(progress=overtaken.progress, attempts=1, properties=DROP)
    with pytest.raises(ConflictError):
        write(open_table(path), rows(("o", "x", 1)), "insert", once)
    assert [row for row in read(path) if row[0] in "no"] == [("n", "x", 9), ("o", "x", 9)]
    assert list(validate(open_table(path))) == []


@given(st.lists(st.tuples(st.sampled_from("abcdéabcdefghijk"), st.sampled_from("xy"), st.booleans())), st.booleans())
@settings(max_examples=cases(60), deadline=None)
def test_the_first_row_of_each_new_key_stays(drawn: list[tuple[str, str, bool]], whole_table: bool) -> None:
    """WRITE-1152: as a loop over the rows has it."""
    keys = key_columns(string_column([row[0] for row in drawn]), string_column([row[1] for row in drawn]))
    held = {(key if whole_table else (key, path)): number for number, (key, path, there) in enumerate(drawn) if there}
    seen, stays = set(held), []
    for key, path, _ in drawn:
        name = key if whole_table else (key, path)
        stays.append(name not in seen)
        seen.add(name)
    slices = string_slices(drawn, held, whole_table)
    places = places_without_duplicates(keys, slices, DuplicatePolicy.DROP, whole_table=whole_table)
    assert (places.slices == NOWHERE).tolist() == stays
    if all(stays):
        places_without_duplicates(keys, slices, DuplicatePolicy.FAIL, whole_table=whole_table)
        return
    with pytest.raises(RowError) as error:
        places_without_duplicates(keys, slices, DuplicatePolicy.FAIL, whole_table=whole_table)
    assert error.value.row == stays.index(False)


def string_slices(drawn: list[tuple[str, str, bool]], held: dict[Any, int], whole_table: bool) -> Any:
    """The number of a slice for each row whose key is held."""
    names = [key if whole_table else (key, path) for key, path, _ in drawn]
    return pa.array([0 if name in held else NOWHERE for name in names], pa.int64()).to_numpy()


def test_policies_of_properties(tmp_path: Path) -> None:
    """WRITE-1152: those of the write before those of the table; other operations are as without one."""
    assert duplicate_policy({}, {INSERT_DUPLICATES: " Drop "}) is DuplicatePolicy.DROP
    assert duplicate_policy({INSERT_DUPLICATES: "none"}, DROP) is DuplicatePolicy.NONE
    assert duplicate_policy({INSERT_DUPLICATES: "none", DROP_DUPLICATES: "true"}) is DuplicatePolicy.NONE
    for bad in ({INSERT_DUPLICATES: "skip"}, {DROP_DUPLICATES: "perhaps"}):
        with pytest.raises(UsageError):
            WriteOptions(properties=bad)
    path = made(tmp_path, "cow", 9, indexes=None)
    with (path / ".hoodie/hoodie.properties").open("a") as file:
        file.write(f"{INSERT_DUPLICATES}=fail\n")
    with pytest.raises(HudiError, match="expected a record key that is not there yet"):
        write(open_table(path), rows(("a", "x", 2)), "insert")
    write(open_table(path), rows(("a", "x", 2)), "append")
    assert read(path).count(("a", "x", 2)) == 1
    create_table(tmp_path / "keyless", TYPES)
    with pytest.raises(UsageError, match="none for a table without record keys, found 'drop'"):
        write(open_table(tmp_path / "keyless"), rows(("a", "x", 1)), "insert", WriteOptions(properties=DROP))

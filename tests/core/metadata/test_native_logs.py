"""META-710: a metadata table of native log files is used where each file is as it should be; else folders are listed.

Also covers: `snapshot/complete_listing.py`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from hudi_core.errors import TableError
from hudi_core.options import UNRELEASED
from hudi_core.snapshot.mode import MetadataMode
from tests.support.logged_tables import Block
from tests.support.metadata_records import NEWEST
from tests.support.native_tables import Native, NativeTable, metadata_hfile, with_metadata_table

BASE = [{"id": f"k{n}", "ts": 5, "v": "base", "n": n} for n in range(4)]
NATIVES = [Native(Block([{"id": "k1", "ts": 7, "v": "new", "n": 1}])), Native(Block(deletes=[("k0", None)]))]
EXPECTED = [("k1", "new"), ("k2", "base"), ("k3", "base")]
FOLDER = ".hoodie/metadata/files/"


def made(**how: Any) -> NativeTable:
    return with_metadata_table(NativeTable(BASE, (), natives=NATIVES), **how)


def rows_of(table: NativeTable) -> tuple[list[tuple[str, str]], list[str]]:
    opened = table.open()
    rows = sorted((row["id"], row["v"]) for row in opened.scan().to_json_rows())
    return rows, [warning for warning in opened.warnings if warning != UNRELEASED]


def last(table: NativeTable) -> str:
    return max(path for path in table.memory.files if path.startswith(FOLDER))


def test_its_listing_is_used() -> None:
    table = made()
    assert rows_of(table) == (EXPECTED, [])
    opened = table.open()
    assert opened.metadata_read is None
    list(opened.scan().batches())
    assert opened.metadata_read is not None
    assert sum(len(file_slice.files) for file_slice in opened.slices()) == 3
    assert any(path.startswith(FOLDER) for path in table.memory.reads)


LONG_TYPES = json.dumps(NEWEST).replace('"name": "type", "type": "int"', '"name": "type", "type": "long"')
DOUBTS: dict[str, dict[str, Any]] = {
    "no schema": {"members": {"SCHEMA": None}},
    "later version": {"members": {"VERSION": "3"}},
    "another instant": {"members": {"INSTANT_TIME": "20240101000000007"}},
    "no record": {"members": {"SCHEMA": '"string"'}},
    "no JSON": {"members": {"SCHEMA": "["}},
    "types": {"members": {"SCHEMA": LONG_TYPES}},
    "another record": {"schema": {**NEWEST, "name": "Another"}},
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_a_doubt_about_a_file_means_folders_are_listed(doubt: str) -> None:
    table = made(**DOUBTS[doubt])
    rows, warnings = rows_of(table)
    assert rows == EXPECTED
    assert len(warnings) == 1 and "listing folders" in warnings[0], warnings
    table.mode = MetadataMode.REQUIRE
    with pytest.raises(TableError):
        rows_of(table)


@pytest.mark.parametrize("kind", ["deletes.hfile", "deletes.parquet", "log.parquet", "log.lance"])
def test_other_native_files_in_it_mean_folders_are_listed(kind: str) -> None:
    table = made()
    path = last(table)
    table.memory.files[path.replace("_1.log.hfile", f"_2.{kind}")] = table.memory.files[path]
    rows, warnings = rows_of(table)
    assert rows == EXPECTED and len(warnings) == 1


def test_a_listing_without_a_file_of_the_latest_commit_is_not_used() -> None:
    table = made()
    path = last(table)
    instant = path.rpartition("_1.")[0].rpartition("_")[2]
    members = {"VERSION": "2", "INSTANT_TIME": instant, "SCHEMA": json.dumps(NEWEST)}
    records = {".": (2, {}), "__all_partitions__": (1, {".": {"size": 0, "isDeleted": False}})}
    table.memory.files[path] = metadata_hfile(records, members, NEWEST)
    own = next(path for path in table.memory.files if path.endswith(f"{instant}.deltacommit") and "metadata" in path)
    table.memory.files[own] = table.memory.files[own].replace(b'"fileSizeInBytes"', b'"unused"')
    rows, warnings = rows_of(table)
    assert rows == EXPECTED and "in the listing of the metadata table" in warnings[0]

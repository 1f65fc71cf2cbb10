"""Rows of files that a bootstrap left where they were, read with the skeletons that it made.

Also covers: `planning/sources/bootstraps.py`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import CorruptFileError, TableError, UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from hudi_core.options import BOOTSTRAP_BASE_PATH
from hudi_core.planning.sources.bootstraps import INDEX_PATH
from tests.support.bootstrapped_tables import GROUP, INDEX, ROWS, bootstrapped, index
from tests.support.commands import fingerprint, ran
from tests.support.every_write import WRITES
from tests.support.logged_tables import Block
from tests.support.restated import restated

ALL = [{**row, "p": partition} for partition in ROWS for row in ROWS[partition]]
LOGS = [
    ("x", Block([{"id": "k1", "ts": 7, "v": "new", "n": 10}, {"id": "k9", "ts": 7, "v": "more", "n": 9}])),
    ("y", Block(deletes=[("k7", None)])),
    ("x", Block([{"id": "k2", "ts": 3, "v": "late", "n": 0}])),
]
MERGED = sorted(
    [
        *(row for row in ALL if row["id"] not in ("k1", "k7")),
        {"id": "k1", "ts": 7, "v": "new", "n": 10, "p": "x"},
        {"id": "k9", "ts": 7, "v": "more", "n": 9, "p": "x"},
    ],
    key=lambda row: row["id"],
)


def rows_of(table: Table, where: str | None = None, **query: Any) -> list[dict[str, Any]]:
    return sorted(table.scan(where, meta=False, **query).to_json_rows(), key=lambda row: row["id"])


def test_rows_have_the_columns_of_both_files(tmp_path: Path) -> None:
    """TABLE-730."""
    table = open_table(bootstrapped(tmp_path))
    assert rows_of(table) == ALL
    whole = list(table.scan("id = 'k4'").to_json_rows())
    assert [(row["_hoodie_record_key"], row["_hoodie_commit_seqno"], row["n"]) for row in whole] == [("k4", "4", 4)]
    assert table.scan().count() == 9
    assert table.scan("v IS NULL").count() == 3
    assert table.warnings == []


CONDITIONS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "n > 3 AND p = 'x'": lambda row: row["n"] > 3 and row["p"] == "x",
    "_hoodie_record_key = 'k7'": lambda row: row["id"] == "k7",
    "v = 'old' OR id = 'k8'": lambda row: row["v"] == "old" or row["id"] == "k8",
    "n > 100": lambda row: row["n"] > 100,
    "p = 'y'": lambda row: row["p"] == "y",
    "_hoodie_commit_seqno = '2' AND n < 5": lambda row: row["id"] == "k2",
}


@pytest.mark.parametrize("where", CONDITIONS)
@pytest.mark.parametrize("columns", [None, ["id"], ["_hoodie_record_key", "id", "v"], ["p", "id"]])
def test_filters_and_columns_are_those_of_any_table(tmp_path: Path, where: str, columns: list[str] | None) -> None:
    """TABLE-730."""
    table = open_table(bootstrapped(tmp_path))
    expected = [row["id"] for row in ALL if CONDITIONS[where](row)]
    found = sorted(row["id"] for row in table.scan(where, columns=columns).to_json_rows())
    assert found == expected
    assert table.scan(where).count() == len(expected)


def test_log_files_are_merged_onto_them(tmp_path: Path) -> None:
    """TABLE-730."""
    table = open_table(bootstrapped(tmp_path, logs=LOGS))
    assert rows_of(table) == MERGED
    assert rows_of(table, "v = 'new'") == [row for row in MERGED if row["v"] == "new"]
    assert rows_of(table, as_of="20240101000000001") != MERGED
    assert len(rows_of(table, as_of="00000000000001")) == 9


def test_a_folder_that_was_moved_is_found_by_the_property(tmp_path: Path) -> None:
    """TABLE-731: the index still names the old place."""
    root = bootstrapped(tmp_path)
    (tmp_path / "source").rename(tmp_path / "moved")
    with pytest.raises(TableError, match="source"):
        rows_of(open_table(root))
    restated(root, {BOOTSTRAP_BASE_PATH: f"file://{tmp_path / 'moved'}"})
    assert rows_of(open_table(root)) == ALL


@pytest.mark.parametrize("stated", ["s3://bucket/source", "hdfs://host/source"])
def test_a_folder_in_other_storage_is_refused(tmp_path: Path, stated: str) -> None:
    """TABLE-731."""
    root = bootstrapped(tmp_path)
    restated(root, {BOOTSTRAP_BASE_PATH: stated})
    with pytest.raises(UnsupportedError, match=f"found {stated}"):
        rows_of(open_table(root))


def test_a_file_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    """TABLE-731: whatever the index says."""
    root, secret = bootstrapped(tmp_path), tmp_path / "secret.parquet"
    shutil.copy(tmp_path / "source/p=x/part-0.parquet", secret)
    for place, expected in (
        (str(secret), f"expected a file below {tmp_path}/source, "),
        (f"{tmp_path}/source/../secret.parquet", "expected a path within the table, "),
    ):
        (root / INDEX).write_bytes(index({f"part=p=x;fileid={GROUP.format(0)}": place}, str(tmp_path / "source")))
        with pytest.raises(CorruptFileError, match=f"{INDEX}: {expected}"):
            rows_of(open_table(root), "p = 'x'")


def test_an_entry_that_is_missing_is_damage(tmp_path: Path) -> None:
    """TABLE-730."""
    root = bootstrapped(tmp_path)
    (root / INDEX).write_bytes(index({}, str(tmp_path / "source")))
    with pytest.raises(CorruptFileError, match="one entry of file group"):
        rows_of(open_table(root))
    assert INDEX_PATH == INDEX


@pytest.mark.parametrize("by", [-1, 1])
def test_a_file_with_another_number_of_rows_is_damage(tmp_path: Path, by: int) -> None:
    """TABLE-730."""
    root, source = bootstrapped(tmp_path), tmp_path / "source/p=x/part-0.parquet"
    whole = pq.read_table(source)
    pq.write_table(whole.slice(0, len(whole) - 1) if by < 0 else pa.concat_tables([whole, whole.slice(0, 1)]), source)
    with pytest.raises(CorruptFileError, match="rows, as the file has that was bootstrapped"):
        rows_of(open_table(root), "p = 'x'")


@pytest.mark.parametrize("write", WRITES)
def test_nothing_writes_to_such_a_table(tmp_path: Path, write: str) -> None:
    """TABLE-732."""
    root = bootstrapped(tmp_path, logs=LOGS)
    before = fingerprint(root)
    with pytest.raises(UnsupportedError, match="a table that was not bootstrapped"):
        WRITES[write](open_table(root))
    assert fingerprint(root) == before


def test_inspect_says_so(tmp_path: Path) -> None:
    """TABLE-721."""
    (answer,) = ran("inspect", bootstrapped(tmp_path), "--json").lines
    assert "files that a bootstrap left in place" in answer["features"]

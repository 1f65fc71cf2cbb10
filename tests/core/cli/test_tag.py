"""`tag`: locations to programs, counts to people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import ran, rides


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    rows = ran("read", rides(), "--meta", "--limit", 5, "--json").lines
    made = [{"record_key": row["_hoodie_record_key"], "partition_path": row["_hoodie_partition_path"]} for row in rows]
    made.append({"record_key": "none", "partition_path": "city=nowhere"})
    path = tmp_path / "keys.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in made))
    return path


@pytest.mark.parametrize("index", ["auto", "simple", "bloom"])
def test_programs_get_each_row_with_its_location(keys: Path, index: str) -> None:
    rows = ran("read", rides(), "--meta", "--limit", 5, "--json").lines
    answer = ran("tag", rides(), keys, "--index", index, "--json").lines
    for row, found in zip(rows, answer, strict=False):
        assert found["record_key"] == row["_hoodie_record_key"]
        assert found["location"]["file_id"] == row["_hoodie_file_name"].partition("_")[0]
        assert found["location"]["instant"] == row["_hoodie_file_name"].rpartition("_")[2].partition(".")[0]
    assert answer[-1] == {"record_key": "none", "partition_path": "city=nowhere", "location": None}


def test_rows_of_the_table_bring_their_key_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    ran("read", rides(), "--limit", 20, "--output", path)
    answer = ran("tag", rides(), path, "--json").lines
    assert len(answer) == 20
    assert all(row["location"] is not None and row["record_key"] == row["ride_id"] for row in answer)


def test_options_of_the_generator_count_before_the_tables(tmp_path: Path) -> None:
    path, options = tmp_path / "rows.parquet", tmp_path / "options.json"
    ran("read", rides(), "--limit", 3, "--output", path)
    options.write_text('{"hoodie.datasource.write.hive_style_partitioning": "false"}')
    answer = ran("tag", rides(), path, "--options", options, "--json").lines
    assert [(row["partition_path"], row["location"]) for row in answer] == [(row["city"], None) for row in answer]


def test_people_are_shown_counts_and_on_demand_the_work(keys: Path) -> None:
    shown = ran("tag", rides(), keys, "--index", "bloom").out
    assert shown.splitlines()[0] == "5 of 6 keys are in the table"
    assert "index bloom: requested" in shown
    assert "left by key ranges" in shown
    explained = ran("tag", rides(), keys, "--index", "bloom", "--explain").out
    assert "slices read" in explained.replace("_", " ")
    assert "of its bits set, the worst lets " in explained
    (*_, work) = ran("tag", rides(), keys, "--index", "bloom", "--explain", "--json").lines
    assert 0 < work["false_positives"] < work["fill"] < 0.5
    assert work["kind"] == "work"
    assert work["found"] == 5


def test_misuse_is_refused(keys: Path, tmp_path: Path) -> None:
    assert ran("tag", rides(), keys, "--buckets", 4).status == 2
    assert ran("tag", rides(), keys, "--index", "nothing").status == 2
    assert ran("tag", rides(), tmp_path / "none.json").status == 1
    answer = ran("tag", rides(), keys, "--index", "bucket", "--buckets", 4, "--hash-fields", "ride_id,ride_id")
    assert (answer.status, "--hash-fields: expected each column once" in answer.error) == (2, True)  # META-1595
    answer = ran("tag", rides(), keys, "--index", "bucket")
    assert answer.status == 2
    assert "consistent hashing" in answer.error

"""`write`, `delete`, `update` and `delete-partition`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import UsageError
from hudi_core.front.opening import open_table
from tests.support.commands import ran

FIELDS = ["instant", "operation", "inserted", "updated", "deleted", "files_added", "files_replaced", "bytes", "seconds"]


def new_table(folder: Path) -> Path:
    rows = folder / "rows.csv"
    rows.write_text("id,n,city\na,1,oslo\nb,2,oslo\nc,3,rome\n")
    table = folder / "t"
    ran("create", str(table), "--like", str(rows), "--key", "id", "--partition-by", "city")
    ran("write", str(table), str(rows), "--op", "insert")
    return table


def rows(table: Path) -> dict[str, Any]:
    return {row["id"]: row["n"] for row in open_table(table).scan(columns=["id", "n"]).to_json_rows()}


def done(*arguments: str) -> dict[str, Any]:
    answer = json.loads(ran(*arguments, "--json").out)
    assert list(answer) == FIELDS
    result: dict[str, Any] = answer
    return result


def test_rows_are_written_updated_and_deleted(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    (tmp_path / "more.json").write_text('{"id": "b", "n": 7, "city": "oslo"}\n{"id": "d", "n": 4, "city": "rome"}\n')
    answer = done("write", str(table), str(tmp_path / "more.json"))
    assert (answer["operation"], answer["inserted"], answer["updated"]) == ("UPSERT", 1, 1)
    assert rows(table) == {"a": 1, "b": 7, "c": 3, "d": 4}
    assert done("delete", str(table), "--where", "n = 3")["deleted"] == 1
    assert done("update", str(table), "--set", "n = n * 10", "--where", "id = 'a'")["updated"] == 1
    assert rows(table) == {"a": 10, "b": 7, "d": 4}
    assert done("delete-partition", str(table), "rome")["files_replaced"] == 1
    assert rows(table) == {"a": 10, "b": 7}


def test_rows_come_in_the_place_of_those_that_match(tmp_path: Path) -> None:
    """WRITE-1583, WRITE-1584."""
    table, given = new_table(tmp_path), tmp_path / "oslo.csv"
    given.write_text("id,n,city\nb,7,oslo\nd,4,oslo\n")
    overwrite = ("write", str(table), str(given), "--op", "insert_overwrite_table", "--where")
    refused = ran(*overwrite, "n > 1", "--where", "n < 7")
    assert "where: row 1: expected rows for which the predicate is true" in refused.err.splitlines()[0]
    answer = done(*overwrite, "city = 'oslo'")
    assert (answer["inserted"], answer["updated"], answer["deleted"]) == (1, 1, 1)
    assert rows(table) == {"b": 7, "c": 3, "d": 4}


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    answer = done("delete", str(table), "--where", "n > 1", "--dry-run")
    assert (answer["instant"], answer["deleted"]) == (None, 2)
    assert rows(table) == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["write", "{table}", "{table}/none.csv"], "No such file or directory"),
        (["update", "{table}", "--set", "n = 1", "--set", "n = 2"], "several"),
        (["update", "{table}", "--set", "id = 'x'"], "record key"),
        (["delete", "{table}", "--where", "n >"], "expected"),
        (
            ["write", "{table}", "{table}/../rows.csv", "--where", "n > 0"],
            "expected --op insert_overwrite_table, found",
        ),
        (["delete-partition", "{table}", "paris"], "paris"),
    ],
)
def test_misuse_is_a_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    table = new_table(tmp_path)
    answer = ran(*(argument.format(table=table) for argument in arguments))
    assert answer.status in (1, 2)
    assert message in answer.err.splitlines()[0]
    assert rows(table) == {"a": 1, "b": 2, "c": 3}


def test_tables_have_writes_as_methods(tmp_path: Path) -> None:
    table = hudi_core.create(tmp_path / "t", pa.schema([("id", pa.string()), ("n", pa.int64())]), "id")
    one = pa.table({"id": ["a", "b"], "n": [1, 2]})
    assert table.insert(one).inserted == 2
    assert table.append(pa.table({"id": ["c"], "n": [3]})).files_added == 1
    assert table.upsert(pa.table({"id": ["c"], "n": [4]})).updated == 1
    assert table.update({"n": hudi_core.col("n") + 1}, "id = 'a'").updated == 1
    assert table.delete(where="id = 'b'").deleted == 1
    assert table.delete(pa.table({"id": ["c"]})).deleted == 1
    with pytest.raises(UsageError, match="both"):
        table.delete(one, where="n = 1")
    rows = hudi_core.refreshed(table).scan(columns=["id", "n"]).to_json_rows()
    assert list(rows) == [{"id": "a", "n": 2}]
    assert table.overwrite_partitions(one).files_replaced >= 1
    assert table.overwrite(one).inserted == 2
    table.delete_partitions([""])
    assert list(hudi_core.refreshed(table).scan().to_json_rows()) == []


def test_columns_that_only_one_side_has(tmp_path: Path) -> None:
    """WRITE-202, WRITE-203, WRITE-204, WRITE-206."""
    table, typo = new_table(tmp_path), tmp_path / "typo.csv"
    typo.write_text("id,m,city\na,9,oslo\n")
    answer = ran("write", table, typo)
    assert (answer.status, answer.error.split(":")[0]) == (2, "n")
    assert ran("write", table, typo, "--missing-columns", "null", "--no-add-columns").status == 2
    few = tmp_path / "few.csv"
    few.write_text("id,city\na,oslo\nd,rome\n")
    assert done("write", str(table), str(few), "--missing-columns", "keep")["updated"] == 1
    assert rows(table) == {"a": 1, "b": 2, "c": 3, "d": None}
    done("write", str(table), str(few), "--option", "hoodie.write.set.null.for.missing.columns=true")
    assert rows(table)["a"] is None
    done("write", str(table), str(typo), "--missing-columns", "null", "--add-columns")
    assert "m" in open_table(table).schema


def test_a_write_of_nothing_commits_on_request(tmp_path: Path) -> None:
    """WRITE-209."""
    table = new_table(tmp_path)
    assert done("delete", str(table), "--where", "n > 9")["instant"] is None
    assert done("delete", str(table), "--where", "n > 9", "--allow-empty")["instant"] is not None
    assert done("update", str(table), "--set", "n = 1", "--where", "n > 9")["instant"] is None


def test_one_set_has_several_assignments(tmp_path: Path) -> None:
    """CLI-679: commas within functions and texts part nothing."""
    table = new_table(tmp_path)
    assert done("update", str(table), "--set", "n = coalesce(null, n * 9)", "--where", "id = 'a'")["updated"] == 1
    assert rows(table)["a"] == 9
    assert "several" in ran("update", str(table), "--set", "n = 1, n = 2").error


def test_a_row_without_a_partition_value_is_warned_of(tmp_path: Path) -> None:
    """CLI-679."""
    table = new_table(tmp_path)
    (tmp_path / "more.json").write_text('{"id": "z", "n": 7, "city": null}\n')
    with pytest.warns(UserWarning, match="a partition column: 1, which go to partition __HIVE_DEFAULT_PARTITION__"):
        ran("write", str(table), str(tmp_path / "more.json"))

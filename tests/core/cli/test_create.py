"""`create` and `rollback`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hudi_core.front.opening import open_table
from tests.support.commands import ran


def new_table(folder: Path, *options: str) -> Path:
    rows = folder / "rows.csv"
    rows.write_text("id,n,city\na,1,oslo\n")
    table = folder / "t"
    ran("create", str(table), "--like", str(rows), "--key", "id", *options)
    return table


def test_a_table_is_created_like_a_file(tmp_path: Path) -> None:
    """CREATE-2."""
    table = open_table(new_table(tmp_path, "--partition-by", "city", "--ordering", "n", "--type", "mor"))
    assert table.config.type.value == "MERGE_ON_READ"
    assert (table.config.record_key_fields, table.config.partition_fields) == (("id",), ("city",))
    assert table.schema.names[-3:] == ["id", "n", "city"]
    assert table.scan().to_arrow().num_rows == 0
    assert table.config.metadata_partitions == ()


def test_a_table_is_created_with_indexes(tmp_path: Path) -> None:
    table = open_table(new_table(tmp_path, "--index", "column_stats,record_index"))
    assert set(table.config.metadata_partitions) == {"files", "column_stats", "record_index"}


def test_a_table_is_created_from_schema_text(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    fields = [{"name": "id", "type": "string"}, {"name": "n", "type": ["null", "long"], "default": None}]
    schema.write_text(json.dumps({"type": "record", "name": "r", "fields": fields}))
    done = ran("create", str(tmp_path / "t"), "--schema", str(schema), "--key", "id", "--table-version", "6", "--json")
    answer = json.loads(done.out)
    assert (answer["table_version"], answer["columns"], answer["record_key_fields"]) == (6, 2, ["id"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--key", "id"], "either --schema or --like, found neither"),
        (["--like", "rows.csv", "--schema", "x"], "found both"),
        (["--schema", "id int"], "--schema: expected a file with a schema, in Avro unless --from names another form"),
        (
            ["--like", "rows.csv", "--from", "ddl"],
            "--from: expected the form of the file of --schema, found no --schema",
        ),
        (["--like", "no-such-file.csv"], "No such file or directory"),
    ],
)
def test_impossible_tables_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = ran("create", str(tmp_path / "t"), *arguments)
    assert done.status in (1, 2)
    assert message in done.err
    assert not (tmp_path / "t").exists()


def test_a_write_that_crashed_is_rolled_back(tmp_path: Path) -> None:
    """ROLLBACK-1."""
    table = new_table(tmp_path)
    timeline = table / ".hoodie/timeline"
    timeline.mkdir(exist_ok=True)
    (timeline / "20250101000000000.commit.requested").touch()
    (foreseen,) = ran("rollback", str(table), "--failed", "--dry-run", "--json").lines
    assert (foreseen["instant"], foreseen["files"]) == ("20250101000000000", [])
    assert [instant.action for instant in open_table(table).timeline.instants] == ["commit"]
    done = ran("rollback", str(table), "--failed", "--json")
    answer = json.loads(done.out)
    assert answer == {"instant": "20250101000000000", "action": "commit", "files_deleted": 0, "rebuilt": []}
    assert [instant.action for instant in open_table(table).timeline.instants] == ["rollback"]
    assert ran("rollback", str(table), "--failed", "--json").out == ""

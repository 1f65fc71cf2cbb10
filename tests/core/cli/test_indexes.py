"""`index` and `metadata` on a small table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from hudi_core.cli.application import app
from hudi_core.front.opening import create_table
from hudi_core.writing.operations import write
from tests.support.commands import ran, rides_in

SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64())])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("made") / "t"
    write(create_table(folder, SCHEMA, "id"), pa.Table.from_pylist([{"id": "a", "n": 1}, {"id": "b", "n": 2}], SCHEMA))
    return str(folder)


def answer(*arguments: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, [*arguments])
    assert done.exit_code in (1, 2)
    return done.stderr


def test_an_index_is_built_listed_shown_and_dropped(table: str) -> None:
    assert answer("index", table) == []
    assert answer("index", table, "--build", "column_stats", "--dry-run") == [
        {"built": ["files", "column_stats"], "dry_run": True}
    ]
    assert answer("index", table) == []
    built = answer("index", table, "--build", "column_stats", "--columns", "n", "--build", "partitioned_record_index")
    assert [entry["kind"] for entry in built] == ["files", "column_stats", "partitioned_record_index"]
    assert list(built[1]) == ["kind", "name", "columns", "state", "file_groups", "bytes", "problem", "function"]
    assert built[1]["columns"] == ["n"]
    assert answer("index", table) == built
    (shown,) = answer("metadata", table, "--partition", "column_stats")
    assert shown["ColumnStatsMetadata"]["valueCount"] == 2
    assert [
        record["key"] for record in answer("metadata", table, "--partition", "record_index", "--where", "key > 'a'")
    ] == ["b"]
    assert answer("index", table, "--drop", "partitioned_record_index") == [
        {"dropped": ["record_index"], "dry_run": False}
    ]
    assert answer("index", table, "--build", "files", "--rebuild")[1]["columns"] == ["n"]
    people = CliRunner().invoke(app, ["metadata", table, "--partition", "files"], catch_exceptions=False).stdout
    assert people.rstrip().endswith("2 records")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--build", "files", "--drop", "files"], "either --build or --drop, found both"),
        (["--rebuild"], "expected --build, found --rebuild"),
        (["--drop", "bloom_filters"], "found 'bloom_filters'"),
        (["--build", "nonsense"], "one of files, column_stats"),
        (["--advise"], "expected --advise with --where or --where-file, found --advise"),
        (["--where", "n > 1"], "expected --advise with --where or --where-file, found --where"),
        (["--where-file", "past.sql"], "expected --advise with --where or --where-file, found --where-file"),
        (["--advise", "--where", "n > 1", "--build", "files"], "either --advise or a change"),
    ],
)
def test_misuse_is_one_line(table: str, arguments: list[str], message: str) -> None:
    assert message in refused("index", table, *arguments)


def test_advice_lists_what_would_pay(table: str) -> None:
    first, *others = answer("index", table, "--advise", "--where", "n > 1")
    assert first["measure"] is None
    assert all(entry["bytes_to_build"] > 0 for entry in others)


def test_a_secondary_index_is_built_by_name_and_located_by(tmp_path: Path) -> None:
    folder = str(tmp_path / "t")
    schema = pa.schema([("id", pa.string()), ("user_id", pa.int64())])
    rows = pa.Table.from_pylist([{"id": "a", "user_id": 1}, {"id": "b", "user_id": 2}], schema)
    write(create_table(folder, schema, "id"), rows)
    assert "--build" in refused("index", folder, "--name", "by_user")
    assert "one column" in refused("index", folder, "--build", "secondary_index")
    built = answer("index", folder, "--build", "secondary_index", "--columns", "user_id", "--name", "by_user")
    assert [(entry["kind"], entry["name"]) for entry in built] == [
        ("files", "files"), ("record_index", "record_index"), ("secondary_index", "secondary_index_by_user")
    ]  # fmt: skip
    assert [entry["record_key"] for entry in answer("locate", folder, "user_id", "2")] == ["b"]
    assert ran("locate", folder, "user_id", "2").out.split()[:3] == ["user_id", "record", "key"]
    assert answer("index", folder, "--drop", "secondary_index_by_user")[0]["dropped"] == ["secondary_index_by_user"]


def test_an_expression_index_is_built_of_a_function_with_its_arguments(table: str) -> None:
    """META-114, META-119."""
    of_number = ("--build", "expression_index", "--columns", "id", "--name", "part")
    arguments = ("--function", "substring", "--argument", "pos=1", "--argument", "len=2")
    done = CliRunner().invoke(app, ["index", table, *of_number, *arguments, "--json"], catch_exceptions=False)
    assert "Apache Hudi 1.2.0 also uses this index for other functions of id" in done.stderr
    listed = [json.loads(line) for line in done.stdout.splitlines()]
    (built,) = (entry for entry in listed if entry["kind"] == "expression_index")
    assert (built["name"], built["columns"]) == ("expr_index_part", ["id"])
    assert built["function"] == "column_stats of substring(id, 1, 2)"
    (dropped,) = answer("index", table, "--drop", "expr_index_part")
    assert dropped["dropped"] == ["expr_index_part"]
    assert "expected --build, found --function" in refused("index", table, "--function", "lower")
    assert "expected OPTION=VALUE" in refused("index", table, *of_number, "--function", "trim", "--argument", "x")
    assert "found no_such" in refused("index", table, *of_number, "--using", "no_such")


def test_what_index_does_has_commands_of_its_own(tmp_path: Path) -> None:
    """CLI-677: they answer as the flags do, which give a hint."""
    folder = str(rides_in(tmp_path))
    assert answer("index", "list", folder) == answer("index", folder)
    dropped = ran("index", "drop", folder, "bloom_filters", "--json")
    assert (dropped.lines, dropped.err) == ([{"dropped": ["bloom_filters"], "dry_run": False}], "")
    (planned,) = ran("index", "build", folder, "bloom_filters", "--dry-run", "--json").lines
    assert planned == {"built": ["bloom_filters"], "dry_run": True}
    old = ran("index", folder, "--build", "bloom_filters", "--dry-run", "--json")
    assert old.lines == [planned]
    assert old.err == "hint: this is called hudi-core index build TABLE KIND now; the flags go with the next version\n"
    advised = ran("index", "advise", folder, "-w", "fare > 95", "--json").lines
    assert advised == ran("index", folder, "--advise", "--where", "fare > 95", "--json").lines
    assert "--where or --where-file" in ran("index", "advise", folder).error

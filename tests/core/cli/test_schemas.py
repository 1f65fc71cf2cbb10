"""`schema`, `convert-schema` and `evolve`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import fingerprint, ran, rides

ORDER = {
    "type": "record",
    "name": "order",
    "namespace": "shop",
    "doc": "An order.",
    "fields": [
        {"name": "id", "type": "long", "doc": "The key"},
        {
            "name": "price",
            "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}],
            "default": None,
        },
        {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": ["NEW", "PAID"]}, "default": "NEW"},
        {
            "name": "lines",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "Line",
                    "fields": [{"name": "sku", "type": "string"}, {"name": "n", "type": "int", "default": 1}],
                },
            },
        },
        {"name": "tags", "type": {"type": "map", "values": "string"}},
    ],
}


@pytest.fixture
def order(tmp_path: Path) -> Path:
    """A file with an Avro schema."""
    file = tmp_path / "order.avsc"
    file.write_text(json.dumps(ORDER), "utf-8")
    return file


def test_schema_has_an_object_a_column() -> None:
    answer = {column["name"]: column for column in ran("schema", rides(), "--json").lines}
    assert answer["gratuity"] == {
        "id": 11, "name": "gratuity", "type": "double", "nullable": True, "default": None, "doc": None
    }  # fmt: skip
    assert list(answer)[:6] == [
        "_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name",
        "ride_id",
    ]  # fmt: skip
    assert len(answer) == 16


def test_schema_for_people_is_a_tree_with_ids() -> None:
    shown = ran("schema", rides()).out.splitlines()
    assert shown[0] == "id  column                  type"
    assert shown[11:13] == ["10  fare                    decimal(8,2)", "11  gratuity                double"]


def test_schema_of_an_earlier_instant_has_the_names_of_then() -> None:
    first = ran("timeline", rides(), "--json").lines[0]["requested_time"]
    names = [column["name"] for column in ran("schema", rides(), "--as-of", first, "--json").lines]
    assert "tip" in names
    assert "surge" not in names


def test_a_schema_history_lists_each_version_and_its_changes() -> None:
    versions = ran("schema", rides(), "--history", "--json").lines
    assert [version["version"] for version in versions] == sorted(version["version"] for version in versions)
    changes = [change["what"] for version in versions for change in version["changes"]]
    assert {"added as double", "type changed from int to long", "renamed from tip"} <= set(changes)
    ids = [{c["name"]: c["id"] for c in version["columns"]} for version in versions]
    assert ids[0]["tip"] == ids[-1]["gratuity"]
    shown = ran("schema", rides(), "--history").out
    assert "  gratuity: renamed from tip\n" in shown
    assert shown.count("\nid  column") == 1


@pytest.mark.parametrize("form", ["avro", "internal", "arrow", "spark"])
def test_schema_as_text_is_one_json_object(form: str) -> None:
    (document,) = ran("schema", rides(), "--to", form, "--json").lines
    names = [field["name"] for field in document["fields"]]
    assert names[5:8] == ["ride_id", "rider", "city"]
    assert json.loads(ran("schema", rides(), "--to", form).out) == document


def test_a_schema_as_ddl_is_text() -> None:
    shown = ran("schema", rides(), "--to", "ddl")
    assert "ride_id STRING, rider STRING, city STRING, started_at TIMESTAMP, distance_km DOUBLE" in shown.out
    assert ran("schema", rides(), "--to", "ddl", "--json").lines == [{"ddl": shown.out.rstrip("\n")}]


def test_schema_history_as_text_has_an_object_a_version() -> None:
    versions = ran("schema", rides(), "--history", "--to", "internal", "--json").lines
    assert [version["schema"]["version_id"] for version in versions] == [version["version"] for version in versions]


@pytest.mark.parametrize("form", ["avro", "internal", "arrow", "spark", "ddl"])
def test_a_round_trip_keeps_everything_but_reported_losses(order: Path, tmp_path: Path, form: str) -> None:
    there = ran("convert-schema", order, "--from", "avro", "--to", form)
    other = tmp_path / "other"
    other.write_text(there.out, "utf-8")
    (back,) = ran("convert-schema", other, "--from", form, "--to", "avro", "--json").lines
    if not there.err:
        assert back == ORDER
    else:
        assert back != ORDER
        assert all(line.startswith("lost: ") for line in there.err.splitlines())
    assert [field["name"] for field in back["fields"]] == [field["name"] for field in ORDER["fields"]]


def test_a_conversion_reports_losses_with_their_path(order: Path) -> None:
    reported = ran("convert-schema", order, "--from", "avro", "--to", "ddl").err.splitlines()
    assert "lost: status: enum(NEW,PAID) kept as string" in reported
    assert "lost: lines.element.n: default 1 not kept" in reported


def test_conversion_reads_standard_input() -> None:
    answer = ran(
        "convert-schema", "-", "--from", "ddl", "--to", "avro", "--json", stdin="a INT NOT NULL, b STRING"
    ).lines
    assert answer[0]["fields"][0] == {"name": "a", "type": "int"}


def test_evolve_shows_the_new_schema_as_a_tree(order: Path) -> None:
    changes = ("add column vip boolean default false comment 'important' after id", "rename lines.element.n to amount")
    shown = ran("evolve", "--schema", order, *changes, "--diff").out.splitlines()
    assert shown[2].split() == ["10", "vip", "boolean", "false", "important"]
    assert ["└─", "amount", "int", "required", "1"] in [line.split()[1:] for line in shown]
    assert shown[-3:] == [
        "2 changes",
        "  vip: added as boolean",
        "  lines.element.amount: renamed from n",
    ]


def test_evolve_prints_columns_then_changes_for_programs(order: Path) -> None:
    answer = ran("evolve", "--schema", order, "drop column tags; alter price drop default", "--diff", "--json").lines
    assert [line["change"] for line in answer if "change" in line] == [
        {"before": "tags", "after": None, "what": "dropped, was map"},
        {"before": "price", "after": "price", "what": "default dropped"},
    ]
    assert [line["name"] for line in answer if "name" in line][:3] == ["id", "price", "status"]


def test_evolve_gives_text_in_any_form(order: Path) -> None:
    (document,) = ran("evolve", "--schema", order, "drop tags", "--to", "avro", "--json").lines
    assert [field["name"] for field in document["fields"]] == ["id", "price", "status", "lines"]


def test_evolve_of_a_table_writes_nothing() -> None:
    before = fingerprint(rides())
    answer = ran("evolve", rides(), "rename column rider to driver", "add column rating int first", "--json").lines
    names = {column["name"]: column["id"] for column in answer}
    assert list(names)[5:8] == ["rating", "ride_id", "driver"]
    assert names["driver"] == 6
    assert names["rating"] == 16
    note = "nothing was written; --commit makes the change in the table\n"
    assert ran("evolve", rides(), "add column rating int").err == note
    assert ran("evolve", rides(), "add column rating int", "--dry-run").err == ""
    assert fingerprint(rides()) == before


def test_evolve_commits_the_change_on_request(tmp_path: Path, order: Path) -> None:
    assert ran("create", tmp_path / "t", "--schema", order, "--key", "id").status == 0
    shown = ran("evolve", tmp_path / "t", "drop column tags", "--commit", "--json")
    assert shown.status == 0
    assert "tags" not in {column["name"] for column in ran("schema", tmp_path / "t", "--json").lines}
    refused = ran("evolve", "--schema", order, "drop tags", "--commit")
    assert (refused.status, refused.error) == (2, "--commit: expected a table, found the schema of a file")


def test_a_form_is_of_a_file() -> None:
    """CLI-984."""
    answer = ran("evolve", rides(), "ADD COLUMN a int", "--from", "ddl")
    assert (answer.status, answer.error) == (2, "--from: expected the form of the file of --schema, found no --schema")


def test_changes_that_change_nothing_are_reported(order: Path) -> None:
    assert ran("evolve", "--schema", order, "move id first", "--diff").out.splitlines()[-1] == "no change"


def test_a_history_counts_columns_as_inspect_does() -> None:
    """CLI-1359."""
    shown = ran("schema", rides(), "--history").out.splitlines()
    assert shown[0] == "the first known version: 10 columns, and 5 of Hudi's own"
    assert ran("inspect", rides(), "--json").lines[0]["columns"] == 11
    assert "version 20261121124803120: 11 columns, and 5 of Hudi's own" in shown

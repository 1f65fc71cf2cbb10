"""Schema changes of whole tables: the SQL that Apache Hudi ran on them, run by us, leads to the schemas it stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hudi_core.errors import SchemaError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AddColumn, First, MoveColumn
from hudi_core.evolve.sql import parse_changes
from hudi_core.schema.json import history_from_json, schema_to_json
from hudi_core.schema.meta import is_meta
from hudi_core.schema.schema import Schema
from tests.support.conformance import TableEntry, each_table_where, tables

EVOLVED = [entry for entry in tables() if any("alter table" in note for note in entry.expected.get("notes", []))]
each_evolved_table = pytest.mark.parametrize(
    "entry",
    EVOLVED or [pytest.param(None, marks=pytest.mark.skip(reason="golden tables not present"), id="absent")],
    ids=lambda entry: entry.name,
)


def history(entry: TableEntry) -> tuple[Schema, ...]:
    """The versions of the table's schema, oldest first."""
    newest = max(
        (document["content"] for document in entry.expected["schema"]["history"] if document["content"]),
        key=lambda content: content["schemas"][0]["version_id"],
    )
    return tuple(reversed(history_from_json(json.dumps(newest))))


def persisted(schema: Schema) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(schema_to_json(schema))
    return {key: value for key, value in document.items() if key != "version_id"}


@each_evolved_table
def test_the_changes_done_lead_to_the_stored_schema(entry: TableEntry) -> None:
    schema, *stored = history(entry)
    seen = [persisted(version) for version in stored]
    for note in entry.expected["notes"]:
        if note.startswith("done: alter table"):
            schema = evolve(schema, parse_changes(note.removeprefix("done: ")))
            assert persisted(schema) in seen
    final = {key: value for key, value in entry.expected["schema"]["internal_schema"].items() if key != "version_id"}
    assert persisted(schema) == final


@each_table_where(
    lambda entry: entry in EVOLVED and any("refused: alter table" in note for note in entry.expected["notes"]),
    "a schema change that Apache Hudi refused",
)
def test_the_changes_refused_are_refused_but_for_first(entry: TableEntry) -> None:
    schema = history(entry)[0]
    for note in entry.expected["notes"]:
        if note.startswith("done: alter table"):
            schema = evolve(schema, parse_changes(note.removeprefix("done: ")))
        if note.startswith("refused: alter table"):
            (change,) = parse_changes(note.removeprefix("refused: ").partition(" -- ")[0])
            if isinstance(change, AddColumn | MoveColumn) and change.position == First():
                # "FIRST at the top of the schema", a declared deviation
                names = [field.name for field in evolve(schema, [change]).fields if not is_meta(field.name)]
                assert (names[0],) == change.column
            else:
                with pytest.raises(SchemaError):
                    evolve(schema, [change])

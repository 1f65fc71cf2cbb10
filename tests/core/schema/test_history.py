"""The schema of an instant, and history documents (SCHEMA-22)."""

from __future__ import annotations

import json

import pytest

from hudi_core.errors import SchemaError
from hudi_core.schema.history import append_schema, schema_at
from hudi_core.schema.json import EMPTY, history_from_json, history_to_json, write_persisted
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


def version(number: int, *names: str) -> Schema:
    return Schema(t.Record(tuple(t.Field(i, name, t.Int(), optional=False) for i, name in enumerate(names))), number)


OLD, NEW = version(20240101, "a"), version(20240103, "a", "b")


@pytest.mark.parametrize(
    ("instant", "found"),
    [(20240100, None), (20240101, OLD), (20240102, OLD), (20240103, NEW), (20240999, NEW), (0, None), (-1, None)],
)
def test_an_instant_has_the_greatest_version_not_above_it(instant: int, found: Schema | None) -> None:
    assert schema_at([NEW, OLD], instant) == found
    assert schema_at([OLD, NEW], instant) == found


def test_a_document_grows_at_its_front() -> None:
    document = append_schema(append_schema("", OLD).value, NEW).value
    assert document == history_to_json([OLD, NEW]).value
    assert [schema.version for schema in history_from_json(document)] == [20240103, 20240101]


def test_a_document_with_blanks_and_one_without_schemas_grow_too() -> None:
    assert append_schema('{"schemas":[]}', OLD).value == history_to_json([OLD]).value
    spaced = " " + json.dumps(json.loads(history_to_json([OLD]).value), indent=2)
    assert append_schema(spaced, NEW).value == history_to_json([OLD, NEW]).value


def test_the_same_version_gives_way() -> None:
    again = version(20240103, "z")
    assert append_schema(history_to_json([OLD, NEW]).value, again).value == history_to_json([OLD, again]).value


def test_the_contents_of_a_document_are_kept() -> None:
    foreign = (
        '{"schemas":[{"max_column_id":0,"version_id":1,"type":"record","fields":'
        '[{"id":0,"name":"a","optional":true,"type":"decimal(10, 2)","later":"\\u001F"}]}]}'
    )
    kept = foreign.removeprefix('{"schemas":[')
    assert append_schema(foreign, NEW).value == f'{{"schemas":[{write_persisted(NEW).value},{kept}'


@pytest.mark.parametrize("document", ["junk", "{}", '{"schemas":5}', '{"schemas":[{}]}'])
def test_no_document_is_dropped_because_it_cannot_be_read(document: str) -> None:
    with pytest.raises(SchemaError):
        append_schema(document, NEW)


def test_the_empty_schema_is_no_version() -> None:
    with pytest.raises(SchemaError, match="found the empty one"):
        append_schema("", EMPTY)

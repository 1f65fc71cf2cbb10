"""A schema as a tree with column ids."""

from __future__ import annotations

import pytest

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.cli.output import Output
from hudi_core.cli.schemas import columns, show_schema
from hudi_core.schema.schema import Schema

_FIELDS = [
    {"name": "id", "type": "long"},
    {"name": "at", "type": ["null", {"type": "record", "name": "Point", "fields": [{"name": "x", "type": "int", "default": 7}]}]},
    {"name": "tags", "type": {"type": "map", "values": {"type": "array", "items": "string"}}, "doc": "a\nb"},
]  # fmt: skip
_SCHEMA: Schema = schema_from_avro({"type": "record", "name": "r", "fields": _FIELDS})


def test_people_see_depth_by_branches(capsys: pytest.CaptureFixture[str]) -> None:
    show_schema(Output(as_json=False), _SCHEMA)
    assert capsys.readouterr().out.splitlines() == [
        "id  column         type    null      default  comment",
        "0   id             long    required",
        "1   at             record",
        "3   └─ x           int     required  7",
        "2   tags           map     required           a\\nb",
        "4   ├─ key         string  required",
        "5   └─ value       array   required",
        "6      └─ element  string  required",
    ]


def test_programs_see_dotted_paths_and_whole_types() -> None:
    answer = list(columns(_SCHEMA))
    assert [column["name"] for column in answer] == [
        "id",
        "at",
        "at.x",
        "tags",
        "tags.key",
        "tags.value",
        "tags.value.element",
    ]
    assert answer[1]["type"] == "record<x:int>"
    assert (answer[2]["default"], "default" in answer[0]) == (7, False)

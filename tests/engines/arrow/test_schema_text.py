"""The form `arrow` of schema text: Arrow's own JSON."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

from hudi_arrow.schema_text import ARROW, from_json, to_json
from hudi_core.errors import SchemaError
from hudi_core.schema.schema import Schema
from tests.support.strategies import schemas

_BOOL = pa.field("e", pa.bool_())


def field(called: str, **type: Any) -> dict[str, Any]:
    children = type.pop("children", [])
    return {"name": called, "nullable": True, "type": type, "children": children}


@given(schemas())
def test_a_schema_comes_back_unless_losses_are_reported(schema: Schema) -> None:
    written = ARROW.write(schema)
    back = ARROW.parse(written.value, "text")
    assert written.losses or back.value == schema


def test_types_have_the_names_of_arrow() -> None:
    answer = [
        (pa.int32(), {"name": "int", "bitWidth": 32, "isSigned": True}),
        (pa.float64(), {"name": "floatingpoint", "precision": "DOUBLE"}),
        (pa.decimal128(10, 2), {"name": "decimal", "precision": 10, "scale": 2, "bitWidth": 128}),
        (pa.timestamp("us", "UTC"), {"name": "timestamp", "unit": "MICROSECOND", "timezone": "UTC"}),
        (pa.time32("ms"), {"name": "time", "unit": "MILLISECOND", "bitWidth": 32}),
        (pa.binary(16), {"name": "fixedsizebinary", "byteWidth": 16}),
        (pa.date32(), {"name": "date", "unit": "DAY"}),
    ]
    for of, words in answer:
        document = to_json(pa.schema([("c", of)]))
        assert document["fields"][0] == {"name": "c", "nullable": True, "type": words, "children": []}
        assert from_json(document, "text").field(0).type == of


def test_maps_hold_a_struct_of_entries() -> None:
    document = to_json(pa.schema([("m", pa.map_(pa.string(), pa.int64()))]))
    (entries,) = document["fields"][0]["children"]
    assert (entries["name"], entries["nullable"], entries["type"]) == ("entries", False, {"name": "struct"})


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        (field("c", name="int", bitWidth=8, isSigned=False), pa.uint8()),
        (field("c", name="largeutf8"), pa.large_string()),
        (field("c", name="duration", unit="SECOND"), pa.duration("s")),
        (field("c", name="time", unit="SECOND"), pa.time32("s")),
        (field("c", name="decimal", precision=5, scale=1), pa.decimal128(5, 1)),
        (field("c", name="fixedsizelist", listSize=3, children=[field("e", name="bool")]), pa.list_(_BOOL, 3)),
        (field("c", name="largelist", children=[field("e", name="bool")]), pa.large_list(_BOOL)),
        (
            field("c", name="union", mode="SPARSE", typeIds=[0, 5], children=[field("a", name="bool"), field("b", name="utf8")]),
            pa.sparse_union([pa.field("a", pa.bool_()), pa.field("b", pa.string())], [0, 5]),
        ),
    ],
)  # fmt: skip
def test_files_of_other_writers_are_read(answer: dict[str, Any], of: pa.DataType) -> None:
    assert from_json({"schema": {"fields": [answer]}}, "text").field(0).type == of


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected the JSON of an Arrow schema"),
        ("[" * 100_000, "expected the JSON of an Arrow schema"),
        ("[]", "with a list `fields`"),
        ('{"fields": {}}', "with a list `fields`"),
        ('{"fields": [1]}', "expected a field with an object `type`"),
        ('{"fields": [{"name": 1, "type": {}}]}', "text: 1: expected a text `name`"),
        (json.dumps({"fields": [field("c")]}), "text: c: expected an Arrow type, found {}"),
        (
            json.dumps({"fields": [field("c", name="int", bitWidth=7, isSigned=True)]}),
            "text: c: expected an Arrow type",
        ),
        (
            json.dumps({"fields": [field("c", name="decimal", precision=99, scale=2)]}),
            "text: c: expected an Arrow type",
        ),
        (
            json.dumps({"fields": [field("c", name="struct", children=[field("d", name="what")])]}),
            "text: c.d: expected",
        ),
        (json.dumps({"fields": [field("c", name="list")]}), "text: c: expected an Arrow type"),
        (json.dumps({"fields": [field("c", name="null")]}), "c"),
        (json.dumps({"fields": [{**field("c", name="bool"), "metadata": {"a": 1}}]}), "expected metadata as a list"),
        (
            json.dumps({"fields": [{**field("c", name="bool"), "metadata": [{"key": "a", "value": 1}]}]}),
            "expected texts",
        ),
    ],
)
def test_invalid_schemas_are_refused_with_the_path(text: str, why: str) -> None:
    with pytest.raises(SchemaError) as refused:
        ARROW.parse(text, "text")
    assert why in str(refused.value)


def test_nesting_without_end_is_refused() -> None:
    answer = field("c", name="bool")
    for _ in range(200):
        answer = field("c", name="list", children=[answer])
    with pytest.raises(SchemaError, match="at most 100 levels"):
        from_json({"fields": [answer]}, "text")

"""Schemas of columns by name."""

from __future__ import annotations

import pytest

from hudi_core import SchemaError, UnknownColumnError, UsageError
from hudi_core.evolve.build import schema_of_columns, type_of
from hudi_core.types import nodes as t


def test_columns_have_their_types_ids_and_nullability() -> None:
    schema = schema_of_columns({"id": "bigint", "tags": "array<string>", "d": t.Date()}, required=["id"], name="trip")
    assert [(field.id, field.name, field.optional) for field in schema.fields] == [
        (0, "id", False),
        (1, "tags", True),
        (2, "d", True),
    ]
    assert isinstance(schema["tags"].type, t.Array) and schema["d"].type == t.Date() and schema.record.name == "trip"


def test_types_are_those_of_sql() -> None:
    assert (type_of("bigint"), type_of("date")) == (t.Long(), t.Date())
    with pytest.raises(UsageError, match="expected the end"):
        type_of("bigint int")


@pytest.mark.parametrize(
    ("columns", "required", "error", "says"),
    [
        ({"id": "bigin"}, [], UsageError, "expected a type"),
        ({"unit price": "int"}, [], SchemaError, "unit price"),
        ({"id": 7}, [], UsageError, r"type of id: expected a type, or SQL's text of one, found 7 \(int\)"),
        ({"id": "int"}, ["ids"], UnknownColumnError, "ids: expected a column of the schema to be required"),
    ],
)
def test_what_makes_no_schema_is_named(
    columns: dict[str, str], required: list[str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        schema_of_columns(columns, required=required)

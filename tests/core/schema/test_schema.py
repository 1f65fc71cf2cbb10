"""`Schema` and its lookups (SCHEMA-3, SCHEMA-5)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from hudi_core.errors import SchemaError, UnknownColumnError, UsageError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk
from tests.support.drawing import cases
from tests.support.strategies import schemas


def field(name: str, of: t.Type, optional: bool = False) -> t.Field:
    return t.Field(0, name, of, optional)


def schema_of(*fields: t.Field) -> Schema:
    return Schema(record_with_ids(t.Record(fields)))


TABLE = schema_of(
    field("id", t.Long()),
    field("Name", t.String()),
    field("s", t.Record((field("x", t.Int()), field("y", t.Int(), optional=True))), optional=True),
    field("items", t.Array(field("element", t.Record((field("price", t.Double()),))))),
)


def test_a_column_is_found_by_id_path_and_dotted_name() -> None:
    place = TABLE.get("items.element.price")
    assert place is TABLE.find(("items", "element", "price")) is TABLE.place(place.field.id)
    assert (place.positions, place.optional, place.repeated) == ((3, 0, 0), False, True)


def test_a_field_below_an_optional_one_can_be_null() -> None:
    assert TABLE.get("s.x").optional
    assert not TABLE.get("id").optional


def test_a_dotted_name_is_a_column_unless_a_nested_field_has_it() -> None:
    dotted = schema_of(field("a.b", t.Int()), field("c.d", t.Int()), field("a", t.Record((field("b", t.Long()),))))
    assert dotted.get("a.b").path == ("a", "b")
    assert dotted.get(("a.b",)).path == ("a.b",)
    assert dotted.get("c.d").path == ("c.d",)


def test_without_case_the_exact_name_wins_and_several_others_are_ambiguous() -> None:
    mixed = schema_of(field("a", t.Int()), field("A", t.Int()), field("b", t.Int()))
    assert mixed.get("A", case_sensitive=False).path == ("A",)
    assert mixed.get("B", case_sensitive=False).path == ("b",)
    assert mixed.find("B") is None
    twice = schema_of(field("aA", t.Int()), field("Aa", t.Int()))
    with pytest.raises(UnknownColumnError, match="several that differ by case: aA, Aa"):
        twice.find("aa", case_sensitive=False)


def test_an_unknown_column_names_those_that_come_close() -> None:
    with pytest.raises(UnknownColumnError, match=r"^nmae: no such column; did you mean Name\?$"):
        TABLE.get("nmae")
    with pytest.raises(UnknownColumnError, match=r"^zzzz: no such column; columns are id, Name, s, items$"):
        TABLE.get("zzzz")
    with pytest.raises(UnknownColumnError, match="column id 99"):
        TABLE.place(99)


def test_two_columns_of_one_id_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"^b: expected a column id of its own, found 1, the id of a$"):
        Schema(t.Record((t.Field(1, "a", t.Int()), t.Field(1, "b", t.Int()))))


def test_two_fields_of_one_name_are_refused_at_any_depth() -> None:
    inner = t.Record((t.Field(2, "x", t.Int()), t.Field(3, "x", t.Int())))
    with pytest.raises(SchemaError, match=r"^s\.x: expected each name once in a record"):
        Schema(t.Record((t.Field(1, "s", inner),)))


def test_the_greatest_id_is_never_below_one_that_is_there() -> None:
    record = t.Record((t.Field(4, "a", t.Int()),))
    assert Schema(record).max_column_id == 4
    assert Schema(record, max_column_id=2).max_column_id == 4
    assert Schema(record, max_column_id=9).max_column_id == 9


@given(schemas(named=False))
@settings(max_examples=cases(60), deadline=None)
def test_lookups_agree_with_the_walk(schema: Schema) -> None:
    walked = list(walk(schema.record))
    assert len(walked) == len(schema.places) == len(schema.ids)
    for path, item in walked:
        place = schema.get(path)
        assert place.field is item
        assert schema.place(item.id) is place
        inside: t.Type = schema.record
        for position in place.positions:
            found = t.children(inside)[position]
            inside = found.type
        assert found is item


def test_a_schema_is_a_mapping_of_names_to_fields() -> None:
    inner = t.Record((t.Field(3, "b", t.Int()), t.Field(4, "c.d", t.Int())))
    schema = Schema(t.Record((t.Field(1, "a", inner), t.Field(2, "x.y", t.String()))))
    assert schema.names == list(schema) == schema.keys() == ["a", "x.y"]
    assert len(schema) == 2
    assert dict(schema) == dict(schema.items()) == {"a": schema.fields[0], "x.y": schema.fields[1]}
    assert schema.values() == schema.fields
    assert all(name in schema and schema[name].name == name for name in schema)
    assert "a.b" in schema and ("a", "c.d") in schema and schema["a.b"].type == t.Int()
    assert "b" not in schema and "A" not in schema and ("x", "y") not in schema
    assert not Schema(t.Record(()))
    with pytest.raises(UnknownColumnError, match=r"^aa: no such column") as unknown:
        schema["aa"]
    assert isinstance(unknown.value, KeyError)
    for wrong in (0, schema.fields[0], None):
        with pytest.raises(UsageError, match="the name of a column"):
            schema[wrong]  # type: ignore[index]
        with pytest.raises(UsageError, match="the name of a column"):
            wrong in schema  # type: ignore[operator]  # noqa: B015


def test_equal_schemas_are_one_key() -> None:
    first, second = (Schema(t.Record((t.Field(1, "a", t.Int()),)), 3) for _ in range(2))
    assert first == second and hash(first) == hash(second)
    assert {first: 1}[second] == 1

"""Reading Avro schemas (SCHEMA-8 to SCHEMA-13, SCHEMA-16)."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.avro.inbound import field_from_avro, schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.errors import SchemaError
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.walk import walk
from tests.support.drawing import cases
from tests.support.strategies import schemas

Json = dict[str, Any]


def record(*fields: Json, name: str = "R", **attributes: object) -> Json:
    return {"type": "record", "name": name, "fields": list(fields), **attributes}


def field(name: str, of: object, **attributes: object) -> Json:
    return {"name": name, "type": of, **attributes}


def only(of: object, **attributes: object) -> t.Field:
    return schema_from_avro(record(field("f", of, **attributes))).fields[0]


def test_every_attribute_is_kept() -> None:
    avro = record(
        field("a", "int", doc="d", default=5, aliases=["old"], order="descending", extra=[1]),
        field("b", {"type": "string", "avro.java.string": "String"}),
        field("c", {"type": "array", "items": {"type": "long", "unit": "m"}, "big": True}),
        name="ns.R",
        doc="rows",
        aliases=["Old", "other.Old"],
        owner={"x": None},
    )
    schema = schema_from_avro(json.dumps(avro))
    a, b, c = schema.fields
    assert schema.record == t.Record(
        schema.fields, "ns.R", "rows", ("ns.Old", "other.Old"), properties={"owner": {"x": None}}
    )
    assert a == t.Field(0, "a", t.Int(), False, "d", 5, ("old",), {"order": "descending", "extra": [1]})
    assert b.type_properties == {"avro.java.string": "String"}
    element = t.Field(3, "element", t.Long(), optional=False, type_properties={"unit": "m"})
    assert c.type == t.Array(element, {"big": True})


def test_ids_follow_the_block_rule() -> None:
    schema = schema_from_avro(record(field("a", record(field("x", "int"), name="A")), field("b", "int")))
    assert {place.name: column for column, place in schema.places.items()} == {"a": 0, "b": 1, "a.x": 2}


@pytest.mark.parametrize(
    ("of", "optional", "kind"),
    [
        (["null", "int"], True, t.Int()),
        (["int", "null"], True, t.Int()),
        (["int"], False, t.Int()),
        ([{"type": "null"}, {"type": "int"}], True, t.Int()),
        ({"type": {"type": "int"}}, False, t.Int()),
    ],
)
def test_a_union_with_null_is_an_optional_type(of: object, optional: bool, kind: t.Type) -> None:
    found = only(of)
    assert (found.optional, found.type) == (optional, kind)


def test_a_union_of_several_types_is_a_union_wherever_null_is() -> None:
    for place in range(3):
        branches: list[object] = ["int", record(field("x", "long"), name="U")]
        branches.insert(place, "null")
        found = only(branches)
        assert isinstance(found.type, t.Union)
        assert found.optional
        assert [branch.name for branch in found.type.branches] == ["member0", "member1"]
        assert not any(branch.optional for branch in found.type.branches)


def test_a_default_is_a_value_in_the_form_of_the_domain() -> None:
    assert only(["null", "int"], default=None).default is None
    assert only(["null", "int"]).default is t.ABSENT
    assert only(["int", "null"], default=7).default == 7
    assert only(["int", "string", "null"], default=7).default == (0, 7)
    assert only("bytes", default="\u00ff\u0001").default == b"\xff\x01"


def test_names_are_searched_for_in_the_namespace_around_and_then_without_one() -> None:
    inner = record(field("x", "int"), name="Inner")
    avro = record(field("a", inner), field("b", "Inner"), field("c", ["null", "ns.Inner"]), name="ns.R")
    schema = schema_from_avro(avro)
    assert {f.type.name for f in schema.fields if isinstance(f.type, t.Record)} == {"ns.Inner"}
    bare = {"type": "enum", "name": "E", "namespace": "", "symbols": ["A"]}
    fields = schema_from_avro(record(field("a", bare), field("b", "E"), name="ns.R")).fields
    assert fields[0].type == fields[1].type == t.Enumeration(("A",), "E")


def test_a_type_used_twice_has_ids_of_its_own_in_each_place() -> None:
    inner = record(field("x", "int"), name="Inner")
    schema = schema_from_avro(record(field("a", inner), field("b", {"type": "array", "items": "Inner"})))
    assert schema.get("a.x").field.id != schema.get("b.element.x").field.id


@pytest.mark.parametrize(
    ("avro", "where"),
    [
        (record(field("v", "int"), field("next", ["null", "R"])), "schema: next"),
        (record(field("kids", {"type": "array", "items": "R"})), "schema: kids.element"),
        (record(field("m", {"type": "map", "values": "R"})), "schema: m.value"),
        (record(field("a", record(field("l", ["null", "T"]), name="T"))), "schema: a.l"),
    ],
)
def test_recursion_is_refused_with_its_path(avro: Json, where: str) -> None:
    with pytest.raises(SchemaError, match="a type that does not contain itself, found the recursive record") as refused:
        schema_from_avro(avro)
    assert refused.value.where == where


def test_the_same_simple_name_in_another_namespace_is_no_recursion() -> None:
    schema = schema_from_avro(record(field("id", record(field("z", "int"), name="y.Same")), name="x.Same"))
    assert [place.name for place in schema.places.values()] == ["id", "id.z"]


@pytest.mark.parametrize(
    ("avro", "answer"),
    [
        ("int", "schema: expected a record, found int"),
        ({"type": "array", "items": "int"}, "schema: expected a record, found array"),
        (record(field("a", "null")), "schema: a: expected a type other than null, found null alone"),
        (record(field("a", ["null"])), "schema: a: expected a union of types, null at most once"),
        (record(field("a", [])), "schema: a: expected a union of types"),
        (record(field("a", ["null", "null", "int"])), "schema: a: expected a union of types, null at most once"),
        (record(field("a", ["int", ["string"]])), "schema: a.member1: expected a type in a union, found a union"),
        (
            record(field("a", ["int", {"type": "int", "logicalType": "date"}])),
            "schema: a: expected a union of distinct",
        ),
        (record(field("a", "nope")), "schema: a: expected a type, found the unknown name 'nope'"),
        (record(field("a", 5)), "schema: a: expected a type, found 5"),
        (record(field("a", {})), "schema: a: expected a type, found None"),
        (record({"name": "a"}), "schema: a: expected a type, found none"),
        (record(field("a-b", "int")), "schema: expected a field with a name of letters, digits and _, found 'a-b'"),
        (record(field("a", "int"), field("a", "int")), "schema: a: expected each name once in a record"),
        (
            record(field("a", record(name="R"))),
            "schema: a: expected a name that is defined once, found R a second time",
        ),
        (record(name=""), "schema: expected a name of letters, digits and _, found ''"),
        (record(name="int"), "schema: expected a name of letters"),
        ({"type": "record", "name": "R"}, "schema: expected a list of fields of R, found None"),
        (record(field("a", "int", default="x")), "schema: a: expected a value of int, found str 'x'"),
        (record(field("a", "int", default=None)), "schema: a: expected a default that is not null"),
        (record(field("a", ["null", "int"], default=3)), "schema: a: expected the default null, as null is first"),
        (
            record(field("a", {"type": "enum", "name": "E", "symbols": ["A", "A"]})),
            "schema: a: expected a list of distinct",
        ),
        (
            record(field("a", {"type": "enum", "name": "E", "symbols": ["A"], "default": "B"})),
            "schema: a: expected a default among the symbols of E, found 'B'",
        ),
        (record(field("a", {"type": "fixed", "name": "F", "size": -1})), "schema: a: expected a size of F, found -1"),
        (record(field("a", {"type": "array"})), "schema: a: expected an attribute items, found none"),
        (record(field("a", {"type": "map"})), "schema: a: expected an attribute values, found none"),
        (record(field("a", "int", aliases="old")), "schema: a: expected a list of aliases, found 'old'"),
        (
            record(field("v", record(field("metadata", "bytes"), name="V", logicalType="variant"))),
            "schema: v: expected a field value in a variant",
        ),
    ],
)
def test_a_wrong_schema_is_refused_with_the_path(avro: Any, answer: str) -> None:
    with pytest.raises(SchemaError) as refused:
        schema_from_avro(avro)
    assert str(refused.value).startswith(answer)


def test_a_nullable_record_as_root_is_the_record() -> None:
    assert schema_from_avro(["null", record(field("a", "int"))]) == schema_from_avro(record(field("a", "int")))


def test_any_type_can_be_read_alone() -> None:
    assert field_from_avro(["null", "long"]) == t.Field(0, "value", t.Long(), optional=True)


def test_variants_and_blobs_are_known_by_their_mark_and_their_fields() -> None:
    parts = [field("value", "bytes"), field("metadata", "bytes")]
    shredded = [field("metadata", "bytes"), field("value", ["null", "bytes"]), field("typed_value", ["null", "int"])]
    for fields in (parts, shredded):
        found = only(record(*fields, name="variant", logicalType="variant")).type
        assert isinstance(found, t.Record)
        assert found.kind is t.RecordKind.VARIANT
        assert not found.properties
    written = schema_to_avro(t.Record((t.Field(0, "b", blob(), optional=False),), "R"))
    assert only(written["fields"][0]["type"]).type == schema_from_avro(written).fields[0].type
    near = json.loads(json.dumps(written).replace("OUT_OF_LINE", "ELSEWHERE"))
    found = schema_from_avro(near).fields[0].type
    assert isinstance(found, t.Record)
    assert found.kind is t.RecordKind.PLAIN
    assert "logicalType" not in found.properties


def test_deep_nesting_is_refused_however_it_is_written() -> None:
    deep: object = "int"
    for level in range(101):
        deep = record(field("x", deep), name=f"R{level}")
    with pytest.raises(SchemaError, match="at most 100 levels"):
        schema_from_avro(json.dumps(deep))
    chained = [field("f0", record(field("x", "int"), name="R0"))]
    chained += [field(f"f{i}", record(field("x", f"R{i - 1}"), name=f"R{i}")) for i in range(1, 150)]
    with pytest.raises(SchemaError, match="at most 100 levels"):
        schema_from_avro(record(*chained))


def test_a_short_schema_with_endless_columns_is_refused_at_once() -> None:
    doubled = [field("f0", record(field("x", "int"), name="R0"))]
    for i in range(1, 60):
        parts = (field("x", f"R{i - 1}"), field("y", f"R{i - 1}"))
        doubled.append(field(f"f{i}", record(*parts, name=f"R{i}")))
    started = time.monotonic()
    with pytest.raises(SchemaError, match="at most 1,000,000 columns"):
        schema_from_avro(record(*doubled))
    assert time.monotonic() - started < 5


_KEYS = st.sampled_from(
    ["type", "name", "fields", "items", "values", "symbols", "size", "default", "namespace", "aliases"]
)
_WORDS = st.sampled_from(["record", "enum", "fixed", "array", "map", "null", "int", "bytes", "R", "ns.R", "", "a-b"])
_ANY_JSON = st.recursive(
    _WORDS | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=6),
    max_leaves=10,
)


@given(_ANY_JSON)
@settings(max_examples=cases(300))
def test_no_json_gives_anything_but_a_schema_or_a_schema_error(found: object) -> None:
    for avro in (found, record(field("a", found)), record(field("a", "bytes", default=found))):
        try:
            schema = schema_from_avro(json.dumps(avro))
        except SchemaError as error:
            assert error.where.startswith("schema")
        else:
            assert isinstance(schema, Schema)


@given(schemas())
@settings(max_examples=cases(100), deadline=None)
def test_a_named_schema_comes_back_equal(schema: Schema) -> None:
    assert schema_from_avro(json.dumps(schema_to_avro(schema))) == schema


@given(schemas(named=False))
@settings(max_examples=cases(100), deadline=None)
def test_a_schema_without_names_comes_back_with_names_and_then_equal(schema: Schema) -> None:
    named = schema_from_avro(schema_to_avro(schema))
    assert schema_from_avro(schema_to_avro(named)) == named
    unnamed = [(path, item.id, item.optional, item.default, item.doc) for path, item in walk(schema.record)]
    assert unnamed == [(path, item.id, item.optional, item.default, item.doc) for path, item in walk(named.record)]


def test_the_normal_form_is_reached_in_one_step() -> None:
    avro = record(
        field("a", ["int", "null"]),
        field("b", ["string"]),
        field("c", {"type": "bytes", "logicalType": "decimal"}),
        field("d", {"type": {"type": "long"}}),
        name="R",
        namespace="ns",
    )
    once = schema_to_avro(schema_from_avro(avro))
    assert once == {
        "type": "record",
        "name": "R",
        "namespace": "ns",
        "fields": [field("a", ["null", "int"]), field("b", "string"), field("c", "bytes"), field("d", "long")],
    }
    assert schema_to_avro(schema_from_avro(once)) == once


def test_the_docs_of_a_variant_are_kept() -> None:
    schema = schema_from_avro(schema_to_avro(t.Record((t.Field(0, "v", variant(), optional=False),), "R")))
    of = schema.fields[0].type
    assert isinstance(of, t.Record)
    assert [f.doc for f in of.fields] == [f.doc for f in variant().fields]
    assert replace(of, fields=()) == replace(variant(), fields=())

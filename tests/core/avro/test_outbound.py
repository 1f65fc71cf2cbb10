"""Writing Avro schemas (SCHEMA-14, SCHEMA-15)."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import pytest
from hypothesis import given, settings

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro, type_to_avro
from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.walk import same
from tests.support.drawing import cases
from tests.support.strategies import schemas


def field(name: str, of: t.Type, optional: bool = False, default: object = t.ABSENT) -> t.Field:
    return t.Field(0, name, of, optional, default=default)


def list_of(of: t.Type) -> t.Array:
    return t.Array(field("element", of))


def map_of(of: t.Type) -> t.Map:
    return t.Map(field("key", t.String()), field("value", of))


def written(*fields: t.Field, name: str = "ns.R") -> list[Any]:
    """The types of the fields of a record."""
    avro = schema_to_avro(t.Record(fields, name))
    fastavro.parse_schema(json.loads(json.dumps(avro)))
    return [item["type"] for item in avro["fields"]]


def test_attributes_stand_in_the_order_of_avros_java_library() -> None:
    column = t.Field(0, "a", t.Int(), True, "d", None, ("old",), {"order": "ignore", "p": 1}, {"q": 2})
    record = t.Record((column,), "ns.R", "rows", ("ns.Old", "x.Old"), {"owner": "me"})
    assert json.dumps(schema_to_avro(record)) == json.dumps(
        {
            "type": "record",
            "name": "R",
            "namespace": "ns",
            "doc": "rows",
            "fields": [
                {
                    "name": "a",
                    "type": ["null", {"type": "int", "q": 2}],
                    "doc": "d",
                    "default": None,
                    "order": "ignore",
                    "p": 1,
                    "aliases": ["old"],
                }
            ],
            "owner": "me",
            "aliases": ["Old", "x.Old"],
        }
    )


def test_null_is_first_unless_the_default_is_a_value() -> None:
    found = written(
        field("a", t.Int(), True),
        field("b", t.Int(), True, None),
        field("c", t.Int(), True, 5),
        field("d", t.Int(), False, 5),
    )
    assert found == [["null", "int"], ["null", "int"], ["int", "null"], "int"]


def test_a_named_type_is_defined_once_and_then_referred_to_by_name() -> None:
    pair = t.Record((field("x", t.Int()),), "ns.Pair")
    kind = t.Enumeration(("A", "B"), "other.Kind", default="A", aliases=("other.Old",), doc="kinds")
    assert written(field("a", pair), field("b", list_of(pair)), field("c", kind), field("d", kind, True)) == [
        {"type": "record", "name": "Pair", "fields": [{"name": "x", "type": "int"}]},
        {"type": "array", "items": "Pair"},
        {
            "type": "enum",
            "name": "Kind",
            "namespace": "other",
            "doc": "kinds",
            "symbols": ["A", "B"],
            "default": "A",
            "aliases": ["Old"],
        },
        ["null", "other.Kind"],
    ]


def test_types_without_a_name_are_named_after_their_path() -> None:
    inner = t.Record((field("e", t.Enumeration(("A",))), field("f", t.Fixed(2))))
    a, b, c = written(field("a", inner), field("b", list_of(inner)), field("c", map_of(t.Decimal(4, 1, t.Fixed(3)))))
    assert (a["name"], a["namespace"]) == ("a", "ns.R")
    assert [(item["type"]["name"], item["type"]["namespace"]) for item in a["fields"]] == [
        *(("enum", "ns.R.a.e"), ("fixed", "ns.R.a.f")),
    ]
    assert (b["items"]["name"], b["items"]["namespace"]) == ("b", "ns.R")
    assert (c["values"]["name"], c["values"]["namespace"]) == ("fixed", "ns.R.c")


def test_one_name_for_two_types_becomes_two_names() -> None:
    one, two = t.Record((field("x", t.Int()),), "ns.Same"), t.Record((field("x", t.Long()),), "ns.Same")
    a, b, c = written(field("a", one), field("b", two), field("c", one))
    assert (a["name"], (b["namespace"], b["name"]), c) == ("Same", ("ns.R", "b"), "Same")
    assert b["fields"] == [{"name": "x", "type": "long"}]


def test_names_of_paths_that_are_taken_get_a_number() -> None:
    nested = list_of(t.Union((field("member0", t.Record((field("x", t.Int()),))), field("member1", t.Record(())))))
    (a,) = written(field("a", nested))
    assert [item["name"] for item in a["items"]] == ["a", "a_2"]


def test_a_name_without_a_namespace_is_not_referred_to_inside_one() -> None:
    bare = t.Fixed(2, "F")
    first, second = written(field("a", bare), field("b", bare))
    assert (first["name"], first["namespace"]) == ("F", "")
    assert (second["name"], second["namespace"]) == ("fixed", "ns.R.b")
    assert written(field("a", bare), field("b", bare), name="R")[1] == "F"


def test_variants_blobs_and_vectors_have_hudis_names() -> None:
    a, b, c = written(field("a", variant("")), field("b", blob("")), field("c", t.Vector(2)))
    assert [(item["name"], item["namespace"], item["logicalType"]) for item in (a, b, c)] == [
        *(("variant", "", "variant"), ("blob", "", "blob"), ("vector_float_2", "", "vector")),
    ]


def test_every_one_of_several_blobs_is_a_blob_to_other_readers() -> None:
    record = t.Record(
        (field("a", blob("ns.Photo")), field("b", blob("ns.Film")), field("s", t.Record((field("c", blob()),)))), "ns.R"
    )
    schema = schema_from_avro(schema_to_avro(record))
    blobs = [schema.get(name).field.type for name in ("a", "b", "s.c")]
    assert [item.kind for item in blobs if isinstance(item, t.Record)] == [t.RecordKind.BLOB] * 3


def test_the_root_takes_the_given_name_or_a_default_one() -> None:
    assert schema_to_avro(t.Record(()), "a.B") == {"type": "record", "name": "B", "namespace": "a", "fields": []}
    assert schema_to_avro(t.Record(()))["name"] == "topLevelRecord"
    assert schema_to_avro(t.Record((), "a.B"), "C")["name"] == "C"


@pytest.mark.parametrize(
    ("column", "answer"),
    [
        (field("a-b", t.Int()), "a-b: expected a name of letters, digits and _"),
        (field("s", t.Record((field("1", t.Int()),))), "s.1: expected a name"),
        (field("e", t.Enumeration(("A-B",))), "e: expected symbols of letters"),
        (field("f", t.Fixed(1, "a-b")), "f: expected a type name of letters"),
        (field("a", t.Int(), False, None), "a: expected a default of the type, found null for a required field"),
        (
            field("m", t.Map(field("key", t.Int()), field("value", t.Int()))),
            "m: expected string keys of a map, found int",
        ),
    ],
)
def test_invalid_avro_is_refused_with_the_path(column: t.Field, answer: str) -> None:
    with pytest.raises(SchemaError) as refused:
        schema_to_avro(t.Record((column,), "R"))
    assert str(refused.value).startswith(answer)


def test_a_single_type_is_written_too() -> None:
    assert type_to_avro(t.Timestamp()) == {"type": "long", "logicalType": "timestamp-micros"}


@given(schemas(named=False))
@settings(max_examples=cases(100), deadline=None)
def test_fastavro_takes_what_is_written_and_nothing_is_defined_twice(schema: Schema) -> None:
    avro = json.loads(json.dumps(schema_to_avro(schema)))
    fastavro.parse_schema(avro)
    assert same(schema_from_avro(avro).record, schema_from_avro(schema_to_avro(schema)).record)


def test_fastavro_reads_values_that_it_wrote_under_a_written_schema() -> None:
    pair = t.Record((field("x", t.Int()), field("y", t.String(), True, None)), "ns.Pair")
    schema = Schema(
        record_with_ids(t.Record((field("a", pair), field("b", list_of(pair)), field("n", t.Long(), True, 5)), "ns.R"))
    )
    parsed = fastavro.parse_schema(schema_to_avro(schema))
    row = {"a": {"x": 1, "y": None}, "b": [{"x": 2, "y": "two"}], "n": None}
    data = io.BytesIO()
    fastavro.schemaless_writer(data, parsed, row)
    data.seek(0)
    assert fastavro.schemaless_reader(data, parsed, None) == row

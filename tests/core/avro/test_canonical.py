"""Parsing canonical form and fingerprints (SCHEMA-17)."""

from __future__ import annotations

import json

import fastavro
import pytest
from hypothesis import given, settings

from hudi_core.avro.canonical import canonical_form, fingerprint_md5, fingerprint_rabin, fingerprint_sha256
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.errors import SchemaError
from hudi_core.schema.schema import Schema
from tests.support.drawing import cases
from tests.support.strategies import schemas


def test_canonical_forms_drop_docs_and_have_full_names() -> None:
    avro = {
        "namespace": "ns",
        "doc": "d",
        "type": "record",
        "fields": [
            {"type": ["null", {"type": "long", "logicalType": "date"}], "default": None, "name": "a", "doc": "x"},
            {"name": "e", "type": {"type": "enum", "symbols": ["A"], "name": "E", "aliases": ["O"]}},
            {"name": "f", "type": {"type": "fixed", "name": "o.F", "size": 2}},
            {"name": "r", "type": {"type": "array", "items": "E"}},
            {"name": "m", "type": {"type": "map", "values": "R"}},
        ],
        "name": "R",
    }
    assert canonical_form(avro) == (
        '{"name":"ns.R","type":"record","fields":[{"name":"a","type":["null","long"]},'
        '{"name":"e","type":{"name":"ns.E","type":"enum","symbols":["A"]}},'
        '{"name":"f","type":{"name":"o.F","type":"fixed","size":2}},'
        '{"name":"r","type":{"type":"array","items":"ns.E"}},{"name":"m","type":{"type":"map","values":"ns.R"}}]}'
    )


def test_fingerprints_are_those_of_the_specification() -> None:
    canonical = canonical_form("int")
    assert canonical == '"int"'
    assert fingerprint_rabin(canonical) == 0x7275D51A3F395C8F
    assert fingerprint_md5(canonical).hex() == "ef524ea1b91e73173d938ade36c1db32"
    assert fingerprint_sha256(canonical).hex() == "3f2b87a9fe7cc9b13835598c3981cd45e3e355309e5090aa0933d7becb6fba45"


@pytest.mark.parametrize(
    "avro", [5, {"type": "record"}, {"type": "record", "name": "R"}, {"type": None}, "[" * 100_000]
)
def test_an_invalid_schema_has_no_canonical_form(avro: object) -> None:
    with pytest.raises(SchemaError):
        canonical_form(avro)  # type: ignore[arg-type]


@given(schemas())
@settings(max_examples=cases(60), deadline=None)
def test_fastavro_has_the_same_form_and_fingerprint(schema: Schema) -> None:
    avro = json.loads(json.dumps(schema_to_avro(schema)))
    canonical = canonical_form(avro)
    assert canonical == fastavro.schema.to_parsing_canonical_form(avro)
    theirs = fastavro.schema.fingerprint(canonical, "CRC-64-AVRO")
    assert fingerprint_rabin(canonical).to_bytes(8, "little").hex() == theirs

"""The Avro schemas of the corpus: read, written, fingerprinted and converted, against what was recorded of them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import fastavro
import pytest

from hudi_arrow.types import schema_from_arrow, schema_to_arrow
from hudi_core.avro.canonical import canonical_form, fingerprint_rabin, fingerprint_sha256
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.errors import SchemaError
from hudi_core.schema.json import schema_from_json, write_persisted
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk
from hudi_spark.ddl import schema_from_ddl, schema_to_ddl
from hudi_spark.types import schema_from_spark_json, schema_to_spark_json
from tests.support.conformance import ROOT

INDEX = ROOT / "corpus" / "avro-schemas" / "index.json"


@cache
def entries(valid: bool = True) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(INDEX.read_text("utf-8"))["schemas"] if INDEX.is_file() else []
    return [entry for entry in found if entry.get("valid", True) is valid]


def each_schema() -> pytest.MarkDecorator:
    absent: Any = pytest.param(None, marks=pytest.mark.skip(reason="corpus of Avro schemas not present"), id="absent")
    return pytest.mark.parametrize(
        "entry", entries() or [absent], ids=lambda entry: entry["name"] if entry else "absent"
    )


def text_of(entry: dict[str, Any]) -> str:
    return (ROOT / "corpus" / str(entry["file"])).read_text("utf-8")


@each_schema()
def test_a_schema_is_read_as_it_was_recorded(entry: dict[str, Any]) -> None:
    schema = schema_from_avro(text_of(entry))
    assert schema.record.name == entry["full_name"]
    assert [
        [
            field.name,
            "nullable" if field.optional else "required",
            "no default" if field.default is t.ABSENT else "default",
        ]
        for field in schema.fields
    ] == [
        [name, optional, default if default == "no default" else "default"]
        for name, _, optional, default in entry["fields"]
    ]
    arrays = sum(isinstance(field.type, t.Array) for _, field in walk(schema.record))
    maps = sum(isinstance(field.type, t.Map) for _, field in walk(schema.record))
    if not entry["features"]["named_refs"]:
        assert (arrays, maps) == (entry["features"]["arrays"], entry["features"]["maps"])


@each_schema()
def test_a_schema_comes_back_from_avro_and_fastavro_takes_it(entry: dict[str, Any]) -> None:
    schema = schema_from_avro(text_of(entry))
    written = json.loads(json.dumps(schema_to_avro(schema)))
    assert schema_from_avro(written) == schema
    fastavro.parse_schema(written)


@each_schema()
def test_fingerprints_are_those_that_were_recorded(entry: dict[str, Any]) -> None:
    canonical = canonical_form(text_of(entry))
    assert fingerprint_sha256(canonical).hex() == entry["parsing_canonical_form_sha256"]
    assert fingerprint_rabin(canonical).to_bytes(8, "little").hex() == entry["crc_64_avro_fingerprint"]


@each_schema()
def test_a_schema_comes_back_from_everywhere_or_its_losses_are_reported(entry: dict[str, Any]) -> None:
    """SCHEMA-1."""
    schema = schema_from_avro(text_of(entry))
    arrow = schema_to_arrow(schema)
    assert not arrow.losses
    assert schema_from_arrow(arrow.value).value == schema
    internal, spark, ddl = write_persisted(schema), schema_to_spark_json(schema), schema_to_ddl(schema)
    assert schema_from_json(internal.value) == schema or internal.losses
    assert schema_from_spark_json(spark.value).value.fields == schema.fields
    assert schema_from_ddl(ddl.value).value == schema or ddl.losses


@pytest.mark.parametrize(
    "entry",
    entries(valid=False)
    or [pytest.param(None, marks=pytest.mark.skip(reason="every recorded schema is valid"), id="absent")],
    ids=lambda entry: entry["name"] if entry else "absent",
)
def test_a_schema_that_is_not_valid_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(SchemaError):
        schema_from_avro(text_of(entry))

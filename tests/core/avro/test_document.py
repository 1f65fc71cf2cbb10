"""The text of an Avro schema and its names (SCHEMA-8)."""

from __future__ import annotations

import pytest

from hudi_core.avro.document import full_name, is_full_name, namespace, parse_document, sanitize, simple_name
from hudi_core.errors import SchemaError


def test_a_name_with_a_dot_is_full_already() -> None:
    assert full_name("R", "ns") == "ns.R"
    assert full_name("other.R", "ns") == "other.R"
    assert full_name("R", "") == "R"


def test_a_full_name_comes_apart() -> None:
    assert (namespace("a.b.C"), simple_name("a.b.C")) == ("a.b", "C")
    assert (namespace("C"), simple_name("C")) == ("", "C")


def test_a_full_name_is_names_joined_by_dots() -> None:
    assert is_full_name("a.b_1.C")
    assert not is_full_name("a..C")
    assert not is_full_name(".C")


def test_a_bare_primitive_name_is_a_document() -> None:
    assert parse_document(" int ", "schema") == parse_document('"int"', "schema") == "int"


@pytest.mark.parametrize("text", ["junk", "", "{", "[" * 100_000, '{"size": ' + "9" * 5_000 + "}"])
def test_text_that_is_no_json_is_refused_in_one_short_line(text: str) -> None:
    with pytest.raises(SchemaError, match=r"^schema: ") as refused:
        parse_document(text, "schema")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_an_empty_name_cannot_be_sanitized() -> None:
    with pytest.raises(SchemaError):
        sanitize("")

"""Tokens, and the values they stand for."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.sql.tokens import Kind, bytes_value, name_value, number_value, string_value, token_at
from hudi_core.types import nodes as t


@pytest.mark.parametrize(
    ("text", "kind", "key", "end"),
    [
        ("  select", Kind.WORD, "SELECT", 8),
        ("1st", Kind.WORD, "1ST", 3),
        ("1e3)", Kind.NUMBER, "", 3),
        ("<=>", Kind.SYMBOL, "<=>", 3),
        ("->", Kind.SYMBOL, "->", 2),
        (">>", Kind.SYMBOL, ">", 1),
        ("'it''s' x", Kind.STRING, "", 7),
        ("`a``b`.c", Kind.NAME, "", 6),
        ("X'00'", Kind.BYTES, "", 5),
        ("/* a */ -- b\n", Kind.END, "", 13),
        ("'open", Kind.BAD, "", 1),
    ],
)
def test_a_token_has_its_kind_and_its_end(text: str, kind: Kind, key: str, end: int) -> None:
    token = token_at(text, 0)
    assert (token.kind, token.key, token.end) == (kind, key, end)


@given(st.text(max_size=40))
def test_tokens_cover_any_text(text: str) -> None:
    at = 0
    while (token := token_at(text, at)).kind not in (Kind.END, Kind.BAD):
        assert at <= token.start < token.end
        at = token.end


@pytest.mark.parametrize(
    ("source", "value", "of"),
    [
        ("12", 12, None),
        ("1.50", Decimal("1.50"), None),
        ("1e3", 1000.0, t.Double()),
        ("7L", 7, t.Long()),
        ("1.5BD", Decimal("1.5"), t.Decimal(2, 1)),
        ("0.1f", 0.10000000149011612, t.Float()),
    ],
)
def test_a_number_has_the_value_and_type_that_spark_reads(source: str, value: object, of: t.Type | None) -> None:
    assert number_value(source) == (value, of)


def test_names_strings_and_bytes_stand_for_what_is_between_their_quotes() -> None:
    assert name_value("`a``b`") == "a`b"
    assert string_value(r"'a\u0041''\%'") == r"aA'\%"
    assert bytes_value("X'ABC'") == b"\x0a\xbc"
    assert bytes_value("X'0g'") is None

"""Texts of values, and back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.values.order import equal
from hudi_core.values.text import parse_text, to_text
from tests.support.strategies import PRIMITIVES, values_of


@given(st.data())
def test_a_value_is_read_back_from_its_string(data: st.DataObject) -> None:
    of = data.draw(PRIMITIVES)
    value = data.draw(values_of(of))
    assert equal(parse_text(to_text(value, of), of), value, of)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (9.999e-4, "9.999E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.5e300, "1.5E300"),
        (5e-324, "4.9E-324"),
        (2e-5, "2.0E-5"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (123456789.125, "1.23456789125E8"),
    ],
)
def test_doubles_have_the_string_form_of_java(value: float, text: str) -> None:
    assert to_text(value, t.Double()) == text


def test_floats_have_the_string_form_of_their_own_width() -> None:
    assert to_text(0.10000000149011612, t.Float()) == "0.1"
    assert to_text(1.401298464324817e-45, t.Float()) == "1.4E-45"


@pytest.mark.parametrize(
    ("value", "of", "text"),
    [
        (True, t.Boolean(), "true"),
        (Decimal("1.50"), t.Decimal(5, 2), "1.50"),
        (Decimal("0E-10"), t.Decimal(20, 10), "0.0000000000"),
        (-1, t.Date(), "1969-12-31"),
        (1_500_000, t.Timestamp(), "1970-01-01 00:00:01.5"),
        (-1, t.Timestamp(t.Unit.NANOS), "1969-12-31 23:59:59.999999999"),
        (3_600_000, t.Time(t.Unit.MILLIS), "01:00:00"),
        (b"\x00\xff", t.Binary(), "00ff"),
    ],
)
def test_other_values_have_the_string_form_of_sql(value: Any, of: t.Type, text: str) -> None:
    assert to_text(value, of) == text


@pytest.mark.parametrize(
    ("text", "of", "value"),
    [
        (" 12 ", t.Int(), 12),
        ("12.9", t.Int(), 12),
        ("-.5", t.Int(), 0),
        ("YES", t.Boolean(), True),
        ("0", t.Boolean(), False),
        ("1e3", t.Double(), 1000.0),
        ("1.5d", t.Double(), 1.5),
        ("-Infinity", t.Double(), float("-inf")),
        ("2.345", t.Decimal(5, 2), Decimal("2.35")),
        ("-2.345", t.Decimal(5, 2), Decimal("-2.35")),
        ("1e2", t.Decimal(5, 2), Decimal("100.00")),
        ("1970-01-01T00:00:00.5+00:30", t.Timestamp(), -1_799_500_000),
    ],
)
def test_strings_are_read_as_sql_casts_them(text: str, of: t.Type, value: Any) -> None:
    assert parse_text(text, of) == value


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("", t.Int()),
        (".", t.Int()),
        ("1e3", t.Int()),
        ("2147483648", t.Int()),
        ("maybe", t.Boolean()),
        ("1_000.0", t.Double()),
        ("d", t.Double()),
        ("1000.00", t.Decimal(5, 2)),
        ("1e9999999", t.Decimal(5, 2)),
        ("99999999-01-01", t.Date()),
        ("300000-01-01 00:00:00", t.Timestamp()),
        ("C", t.Enumeration(("A",))),
        ("xyz", t.Binary()),
        ("00", t.Fixed(2)),
        ("nope", t.Uuid()),
        ("25:00", t.Time()),
    ],
)
def test_a_string_without_a_meaning_is_refused(text: str, of: t.Type) -> None:
    with pytest.raises(SchemaError, match="expected the text of a"):
        parse_text(text, of)


def test_nested_values_have_no_string_form() -> None:
    with pytest.raises(SchemaError):
        to_text((), t.Record(()))
    with pytest.raises(SchemaError):
        parse_text("[]", t.Array(t.Field(0, "element", t.Int())))

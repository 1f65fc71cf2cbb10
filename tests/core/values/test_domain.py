"""Forms of values: what is accepted, what is refused and where, and what is brought to the form."""

from __future__ import annotations

import datetime
import math
import uuid
from decimal import Context, Decimal, getcontext, localcontext
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.values.domain import check, coerce, to_binary32
from tests.support.strategies import types, values_of

POINT = t.Record((t.Field(0, "x", t.Int()), t.Field(1, "tags", t.Array(t.Field(2, "element", t.String())))))


@given(st.data())
def test_every_value_of_a_type_has_its_form_and_stays_as_it_is(data: st.DataObject) -> None:
    of = data.draw(types())
    value = data.draw(values_of(of))
    check(value, of)
    assert repr(coerce(value, of)) == repr(value)


@pytest.mark.parametrize("of", [t.Int(), t.String(), POINT, t.Decimal(5, 2)])
def test_null_has_the_form_of_every_type(of: t.Type) -> None:
    check(None, of)
    assert coerce(None, of) is None


@pytest.mark.parametrize(
    ("value", "of"),
    [
        (1 << 31, t.Int()),
        (-(1 << 63) - 1, t.Long()),
        (True, t.Int()),
        (1.0, t.Int()),
        (1, t.Double()),
        (0.1, t.Float()),
        ("\ud800", t.String()),
        (b"a", t.String()),
        (b"abc", t.Fixed(2)),
        (b"abcd", t.Vector(2)),
        (Decimal("1.5"), t.Decimal(5, 2)),
        (Decimal("1000.00"), t.Decimal(5, 2)),
        (Decimal("NaN"), t.Decimal(5, 2)),
        ("C", t.Enumeration(("A", "B"))),
        ("ABCDEF00-0000-0000-0000-000000000000", t.Uuid()),
        (-1, t.Time()),
        (86_400_000, t.Time(t.Unit.MILLIS)),
        ([1], t.Array(t.Field(0, "element", t.Int()))),
    ],
)
def test_another_form_is_refused(value: Any, of: t.Type) -> None:
    with pytest.raises(SchemaError, match="expected a value of"):
        check(value, of)


def test_the_path_of_a_wrong_part_is_named() -> None:
    with pytest.raises(SchemaError, match=r"^point\.tags\[\]: expected a value of string, found int 5$"):
        check((1, ("a", 5)), POINT, "point")


@pytest.mark.parametrize(
    ("value", "of", "form"),
    [
        (1, t.Double(), 1.0),
        (0.1, t.Float(), 0.10000000149011612),
        ("1.50", t.Decimal(5, 2), Decimal("1.50")),
        (3, t.Decimal(5, 2), Decimal("3.00")),
        (0.5, t.Decimal(5, 2), Decimal("0.50")),
        (datetime.date(1970, 1, 2), t.Date(), 1),
        (datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999), t.Timestamp(), -1),
        (datetime.datetime(1970, 1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))), t.Timestamp(), 0),
        (datetime.datetime(1970, 1, 1, 0, 0, 1), t.Timestamp(t.Unit.MILLIS), 1_000),
        (datetime.time(0, 0, 1), t.Time(), 1_000_000),
        (uuid.UUID(int=10), t.Uuid(), "00000000-0000-0000-0000-00000000000a"),
        ("ABCDEF00-0000-0000-0000-000000000000", t.Uuid(), "abcdef00-0000-0000-0000-000000000000"),
        (pd.Timestamp(1), t.Timestamp(t.Unit.NANOS), 1),
        (bytearray(b"a"), t.Binary(), b"a"),
        ({"x": 1, "tags": ["a"]}, POINT, (1, ("a",))),
        ({"tags": None}, POINT, (None, None)),
        ({"a": 1}, t.Map(t.Field(0, "key", t.String()), t.Field(1, "value", t.Long())), (("a", 1),)),
    ],
)
def test_python_values_are_converted_to_the_form(value: Any, of: t.Type, form: Any) -> None:
    assert coerce(value, of) == form


@pytest.mark.parametrize(
    ("value", "of"),
    [
        ("1.555", t.Decimal(5, 2)),
        (0.1, t.Decimal(5, 2)),
        ("x", t.Decimal(5, 2)),
        (1.5, t.Int()),
        ("x", t.Uuid()),
        ("ab", POINT),
        (datetime.datetime(1970, 1, 1, 0, 0, 0, 1), t.Timestamp(t.Unit.MILLIS)),
        (pd.Timestamp(1), t.Timestamp()),
        (datetime.time(0, 0, 0, 1), t.Time(t.Unit.MILLIS)),
        (datetime.time(1, tzinfo=datetime.UTC), t.Time()),
        (10**400, t.Double()),
        (-(10**400), t.Float()),
    ],
)
def test_lossy_conversions_are_refused(value: Any, of: t.Type) -> None:
    with pytest.raises(SchemaError):
        coerce(value, of)


def test_numbers_become_decimals_whatever_the_context_of_the_thread() -> None:
    """ENGINE-1604."""
    with localcontext(Context(prec=1, traps=list(getcontext().traps))):
        assert coerce(0.5, t.Decimal(5, 2)) == coerce("0.50", t.Decimal(5, 2)) == Decimal("0.50")
        with pytest.raises(SchemaError):
            coerce(0.125, t.Decimal(5, 2))


def test_binary32_rounds_to_even_and_overflows_to_infinity() -> None:
    assert to_binary32(16_777_217.0) == 16_777_216.0
    assert to_binary32(-1e39) == -math.inf
    assert math.isnan(to_binary32(math.nan))

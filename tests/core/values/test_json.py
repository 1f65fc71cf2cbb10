"""The JSON form of values, and back."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.values.json import from_json, to_json
from hudi_core.values.order import equal
from tests.support.strategies import types, values_of


@given(st.data())
def test_a_value_is_read_back_from_its_json(data: st.DataObject) -> None:
    of = data.draw(types(unions=False))
    value = data.draw(values_of(of))
    written = json.loads(json.dumps(to_json(value, of), allow_nan=False))
    assert equal(from_json(written, of), value, of)


@pytest.mark.parametrize(
    ("value", "of", "form"),
    [
        (None, t.Int(), None),
        (1.5, t.Double(), 1.5),
        (float("inf"), t.Float(), {"float": "Infinity"}),
        (Decimal("1.50"), t.Decimal(5, 2), "1.50"),
        (0, t.Date(), "1970-01-01"),
        (1, t.Timestamp(), "1970-01-01T00:00:00.000001Z"),
        (1, t.Timestamp(t.Unit.MILLIS, zoned=False), "1970-01-01T00:00:00.001000"),
        (1, t.Time(), "00:00:00.000001"),
        (b"ab", t.Binary(), {"base64": "YWI="}),
        ((("k", 1),), t.Map(t.Field(0, "key", t.String()), t.Field(1, "value", t.Int())), [["k", 1]]),
        ((1,), t.Record((t.Field(0, "a", t.Int()),)), {"a": 1}),
        ((1, "x"), t.Union((t.Field(0, "member0", t.Int()), t.Field(1, "member1", t.String()))), "x"),
        (
            (0, (1,)),
            t.Union(
                (
                    t.Field(0, "member0", t.Record((t.Field(1, "a", t.Int()),), name="ns.R")),
                    t.Field(2, "member1", t.Int()),
                )
            ),
            {"$type": "ns.R", "a": 1},
        ),
    ],
)
def test_values_have_the_form_of_the_command_line(value: Any, of: t.Type, form: Any) -> None:
    assert to_json(value, of) == form
    assert from_json(form, of) == value


@pytest.mark.parametrize(
    ("data", "of"),
    [
        ("x", t.Int()),
        ({"float": "x"}, t.Double()),
        ({"base64": "*"}, t.Binary()),
        ("2024-13-01", t.Date()),
        ([1], t.Record((t.Field(0, "a", t.Int()),))),
        ([["k"]], t.Map(t.Field(0, "key", t.String()), t.Field(1, "value", t.Int()))),
        (True, t.Union((t.Field(0, "member0", t.Int()), t.Field(1, "member1", t.String())))),
    ],
)
def test_another_form_is_refused(data: Any, of: t.Type) -> None:
    with pytest.raises(SchemaError):
        from_json(data, of)

"""Default values (SCHEMA-10, SCHEMA-14)."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.avro.defaults import default_from_avro, default_to_avro
from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.values.domain import check
from tests.support.drawing import cases
from tests.support.strategies import types, values_of

PAIR = t.Record(
    (
        t.Field(0, "x", t.Int(), optional=False),
        t.Field(1, "y", t.String(), optional=False, default="why"),
        t.Field(2, "z", t.Long(), optional=True, default=None),
    )
)


@pytest.mark.parametrize(
    ("of", "answer", "value"),
    [
        (t.Boolean(), True, True),
        (t.Date(), 3, 3),
        (t.Float(), 0.1, 0.10000000149011612),
        (t.Double(), 1, 1.0),
        (t.Double(), "-Infinity", -math.inf),
        (t.Binary(), "\u00ff\u0000", b"\xff\x00"),
        (t.Fixed(2), "ab", b"ab"),
        (t.Decimal(4, 1), "\u0001", Decimal("0.1")),
        (t.Decimal(4, 1), "\u00ff", Decimal("-0.1")),
        (t.Decimal(4, 1, t.Fixed(4)), "\u0000\u0000\u0001\u0000", Decimal("25.6")),
        (t.Uuid(), "1B4E28BA-2FA1-11D2-883F-0016D3CCA427", "1b4e28ba-2fa1-11d2-883f-0016d3cca427"),
        (t.Uuid(t.Fixed(16)), "\u0000" * 15 + "\u0001", "00000000-0000-0000-0000-000000000001"),
        (t.Enumeration(("A", "B")), "B", "B"),
        (PAIR, {"x": 1}, (1, "why", None)),
        (PAIR, {"x": 1, "y": "no", "z": 5}, (1, "no", 5)),
        (t.Array(t.Field(0, "element", t.Int())), [1, None], (1, None)),
        (t.Map(t.Field(0, "key", t.String()), t.Field(1, "value", t.Int())), {"a": 1}, (("a", 1),)),
        (t.Union((t.Field(0, "member0", t.Int()), t.Field(1, "member1", t.String()))), 1, (0, 1)),
    ],
)
def test_a_default_takes_the_form_of_the_domain(of: t.Type, answer: Any, value: Any) -> None:
    assert default_from_avro(answer, of, "f") == value
    check(value, of)


@pytest.mark.parametrize(
    ("of", "answer"),
    [
        (t.Boolean(), 1),
        (t.Int(), 1 << 31),
        (t.Int(), True),
        (t.Int(), 1.0),
        (t.Long(), "1"),
        (t.Double(), "x"),
        (t.Double(), 10**400),
        (t.String(), 5),
        (t.Binary(), "\u0100"),
        (t.Binary(), [1]),
        (t.Fixed(2), "abc"),
        (t.Decimal(2, 0), "\u007f\u00ff"),
        (t.Uuid(), "x"),
        (t.Uuid(t.Fixed(16)), "short"),
        (t.Enumeration(("A",)), "B"),
        (t.Vector(2), "1234567"),
        (PAIR, {"y": "no x"}),
        (PAIR, []),
        (t.Array(t.Field(0, "element", t.Int(), optional=False)), [None]),
        (t.Array(t.Field(0, "element", t.Int())), {}),
        (t.Map(t.Field(0, "key", t.String()), t.Field(1, "value", t.Int())), []),
        (t.Union((t.Field(0, "member0", t.Int()), t.Field(1, "member1", t.String()))), "second"),
        (t.Int(), None),
    ],
)
def test_a_default_that_does_not_fit_is_refused(of: t.Type, answer: Any) -> None:
    with pytest.raises(SchemaError, match=r"^f\b"):
        default_from_avro(answer, of, "f")


def test_attributes_that_avro_cannot_express_are_refused() -> None:
    union = t.Union((t.Field(0, "member0", t.Int()), t.Field(1, "member1", t.String())))
    with pytest.raises(SchemaError, match=r"^f: expected a default of the union's first branch"):
        default_to_avro((1, "x"), union, "f")
    with pytest.raises(SchemaError, match=r"^f\[\]: expected null only where the type allows it"):
        default_to_avro((1,), t.Array(t.Field(0, "element", t.Int())), "f")


def test_numbers_that_are_not_finite_are_names() -> None:
    names = [default_to_avro(value, t.Double(), "f") for value in (math.nan, math.inf, -math.inf)]
    assert names == ["NaN", "Infinity", "-Infinity"]
    assert math.isnan(default_from_avro("NaN", t.Float(), "f"))  # type: ignore[arg-type]


@given(types().flatmap(lambda of: st.tuples(st.just(of), values_of(of, as_default=True))))
@settings(max_examples=cases(150), deadline=None)
def test_a_default_comes_back_through_json(pair: tuple[t.Type, Any]) -> None:
    of, value = pair
    assert default_from_avro(json.loads(json.dumps(default_to_avro(value, of, "f"))), of, "f") == value

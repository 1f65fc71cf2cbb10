"""Types for people."""

from __future__ import annotations

import pytest

from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.text import text


@pytest.mark.parametrize(
    ("of", "shown"),
    [
        (t.Boolean(), "boolean"),
        (t.Time(t.Unit.MILLIS), "time-millis"),
        (t.Timestamp(t.Unit.NANOS, zoned=False), "local-timestamp-nanos"),
        (t.Fixed(3), "fixed(3)"),
        (t.Uuid(), "uuid"),
        (t.Enumeration(("A", "B")), "enum(A,B)"),
        (t.Vector(3, t.VectorElement.DOUBLE), "vector(3,double)"),
        (variant(), "variant"),
        (blob(), "blob"),
        (t.Record((t.Field(0, "a", t.Int()), t.Field(1, "b", t.Binary()))), "record<a:int,b:binary>"),
        (t.Map(t.Field(0, "key", t.String()), t.Field(1, "value", t.Double())), "map<string,double>"),
        (t.Union((t.Field(0, "member0", t.Int()), t.Field(1, "member1", t.Float()))), "union<int,float>"),
    ],
)
def test_a_type_is_one_line(of: t.Type, shown: str) -> None:
    assert text(of) == shown


def test_a_type_prints_as_its_text() -> None:
    """TABLE-1357: and a field names it so."""
    decimal = t.Decimal(8, 2)
    assert str(decimal) == text(decimal) == "decimal(8,2)"
    assert "type=array<int>" in repr(t.Field(1, "a", t.Array(t.Field(2, "element", t.Int()))))
    assert repr(t.Decimal(8, 2)).startswith("Decimal(precision=8, scale=2")

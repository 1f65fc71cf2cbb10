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

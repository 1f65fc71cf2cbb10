"""What changed between two versions of a schema."""

from __future__ import annotations

import pytest

from hudi_core.evolve.apply import evolve
from hudi_core.evolve.diff import differences
from hudi_core.evolve.sql import parse_changes
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

POINT = t.Record((t.Field(0, "x", t.Int()), t.Field(0, "y", t.Int())))
TABLE = Schema(
    record_with_ids(
        t.Record(
            (
                t.Field(0, "a", t.Int()),
                t.Field(0, "s", POINT),
                t.Field(0, "b", t.Int(), False),
                t.Field(0, "c", t.Int()),
            )
        )
    )
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("add n struct<q int>", ["n: added as record"]),
        ("drop column s", ["s: dropped, was record"]),
        ("drop s.x", ["s.x: dropped, was int"]),
        ("rename s to p; rename p.x to z", ["p: renamed from s", "p.z: renamed from x"]),
        ("move c first", ["c: moved from place 4 to 1"]),
        ("move a last", ["a: moved from place 1 to 4"]),
        ("drop a", ["a: dropped, was int"]),
        ("add n int first", ["n: added as int"]),
        ("alter a type decimal(12,2) comment 'k'", ["a: type changed from int to decimal(12,2)", "a: comment 'k'"]),
        ("alter b drop not null", ["b: null allowed", "b: default None"]),
        ("alter a set default 5", ["a: default 5"]),
        ("move s.y first", ["s.y: moved from place 2 to 1"]),
        ("drop b; add b int", ["b: dropped, was int", "b: added as int"]),
    ],
)
def test_differences(answer: str, expected: list[str]) -> None:
    after = evolve(TABLE, parse_changes(answer))
    assert [str(difference) for difference in differences(TABLE, after)] == expected


def test_a_schema_does_not_differ_from_itself() -> None:
    assert differences(TABLE, TABLE) == ()


def test_a_type_that_is_stored_otherwise_is_reported() -> None:
    before, after = (Schema(t.Record((t.Field(0, "d", of),))) for of in (t.Decimal(8, 2), t.Decimal(8, 2, t.Fixed(4))))
    assert [str(difference) for difference in differences(before, after)] == ["d: other form of decimal(8,2)"]


def test_names_of_fixed_bytes_are_no_difference() -> None:
    """Persisted schemas leave them out."""
    named, unnamed = t.Fixed(4, "spaces.d.fixed"), t.Fixed(4)
    for with_name, without in ((named, unnamed), (t.Decimal(8, 2, named), t.Decimal(8, 2, unnamed))):
        before, after = (Schema(t.Record((t.Field(0, "d", of),))) for of in (with_name, without))
        assert differences(before, after) == ()

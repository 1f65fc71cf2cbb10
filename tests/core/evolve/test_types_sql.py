"""Types from SQL text."""

from __future__ import annotations

import pytest

from hudi_core.errors import UsageError
from hudi_core.evolve.types_sql import Cursor, parse_type
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.text import text

KEY = t.Field(0, "key", t.String(), optional=False)


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        ("INT", t.Int()),
        ("integer", t.Int()),
        ("smallint", t.Int()),
        ("bigint", t.Long()),
        ("long", t.Long()),
        ("real", t.Float()),
        ("double precision", t.Double()),
        ("varchar(20)", t.String()),
        ("character(20)", t.String()),
        ("binary", t.Binary()),
        ("decimal", t.Decimal(10, 0, t.Fixed(5))),
        ("decimal(12, 4)", t.Decimal(12, 4, t.Fixed(6))),
        ("numeric(3)", t.Decimal(3, 0, t.Fixed(2))),
        ("decimal_bytes(12,4)", t.Decimal(12, 4)),
        ("decimal_fixed(12,4)[9]", t.Decimal(12, 4, t.Fixed(9))),
        ("fixed[7]", t.Fixed(7)),
        ("fixed(7)", t.Fixed(7)),
        ("uuid", t.Uuid()),
        ("date", t.Date()),
        ("time", t.Time()),
        ("time(3)", t.Time(t.Unit.MILLIS)),
        ("timestamp", t.Timestamp()),
        ("timestamp(9)", t.Timestamp(t.Unit.NANOS)),
        ("timestamp_ntz(3)", t.Timestamp(t.Unit.MILLIS, zoned=False)),
        ("local-timestamp-millis", t.Timestamp(t.Unit.MILLIS, zoned=False)),
        ("timestamp-nanos", t.Timestamp(t.Unit.NANOS)),
        ("enum('A', B)", t.Enumeration(("A", "B"))),
        ("vector(3)", t.Vector(3)),
        ("vector[3, DOUBLE, FIXED_BYTES]", t.Vector(3, t.VectorElement.DOUBLE)),
        ("variant", variant()),
        ("blob", blob()),
        ("array<int>", t.Array(t.Field(0, "element", t.Int()))),
        ("array<int not null>", t.Array(t.Field(0, "element", t.Int(), optional=False))),
        ("map<string, array<int>>", t.Map(KEY, t.Field(0, "value", t.Array(t.Field(0, "element", t.Int()))))),
        (
            "struct<a: int not null comment 'x', b string>",
            t.Record((t.Field(0, "a", t.Int(), False, "x"), t.Field(0, "b", t.String(), default=None))),
        ),
    ],
)
def test_types(answer: str, of: t.Type) -> None:
    cursor = Cursor(answer)
    assert parse_type(cursor) == of
    assert cursor.at_end


@pytest.mark.parametrize(
    "of", [t.Int(), t.Timestamp(t.Unit.NANOS, zoned=False), t.Time(t.Unit.MILLIS), t.Vector(2)], ids=text
)
def test_printed_text_is_read_again(of: t.Type) -> None:
    assert parse_type(Cursor(text(of))) == of


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("'int'", "at 1: expected a type"),
        ("decimal(39,0)", "at 9: expected 1 to 38 digits"),
        ("decimal(0)", "at 9: expected 1 to 38 digits"),
        ("decimal(5,6)", "at 11: expected a scale of at most 5"),
        ("decimal_fixed(10,2)[4]", "at 21: expected bytes for 10 digits, at least 5"),
        ("fixed(0)", "at 7: expected a number of bytes above 0"),
        ("timestamp(4)", "at 11: expected 3, 6 or 9 digits"),
        ("map<int,int>", "at 5: expected string, the only type of map keys"),
        ("array<int", "at 10: expected `>`, found the end"),
        ("struct<a int, a int>", "at 15: expected a name used once in its struct"),
        ("vector(3, int)", "at 11: expected FLOAT, DOUBLE or INT8"),
        ("int(5)", "at 1: expected a type"),
        ("string collate x", "at 1: expected a type"),
        ("struct<>", "at 1: expected a field"),
        ("decimal(5,2)[4]", "at 14: expected one list of parameters"),
        ("decimal(5,2,1)", "at 13: expected at most 2 parameters"),
        ("fixed", "at 6: expected `(` or `[`, found the end"),
        ("enum(1)", "at 6: expected a symbol"),
        ("array<" * 200, "expected at most 100 nested types"),
    ],
)
def test_errors_state_the_place(answer: str, reason: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_type(Cursor(answer))
    assert reason in str(raised.value)

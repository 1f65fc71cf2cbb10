"""Types as they are written."""

from __future__ import annotations

import pytest

from hudi_core.errors import SchemaError
from hudi_core.sql.cursor import Cursor
from hudi_core.sql.place import Span
from hudi_core.sql.type_text import TypeText, parse_type_text


def complaint(span: Span, expected: str, found: str | None) -> SchemaError:
    return SchemaError(f"at {span.start}", expected=expected, found=found or span.source or "the end")


def written(text: str) -> TypeText:
    cursor = Cursor(text, complaint)
    of = parse_type_text(cursor)
    cursor.expect_end("the end")
    return of


def test_a_type_has_a_name_and_parameters() -> None:
    assert written("bigint").name == "BIGINT" and written("bigint").is_plain
    assert written("double precision").name == "DOUBLE"
    assert [parameter.value for parameter in written("decimal(10, 2)").parameters] == [10, 2]
    assert written("decimal_fixed(10,2)[5]").sizes[0].value == 5
    assert written("interval day to second").units == ("DAY", "SECOND")
    assert written("string collate utf8_lcase").collation == "utf8_lcase"
    assert written("local-timestamp-millis").name == "LOCAL-TIMESTAMP-MILLIS"


def test_structs_lists_and_maps_have_fields() -> None:
    struct = written("struct<a: int not null comment 'x', `b c` array<array<int>>>")
    assert [(field.name, field.required, field.comment) for field in struct.fields] == [
        ("a", True, "x"),
        ("b c", False, None),
    ]
    assert struct.fields[1].type.fields[0].type.fields[0].type.name == "INT"
    assert [field.name for field in written("map<string, int not null>").fields] == ["key", "value"]
    assert written("map<string, int not null>").fields[1].required
    assert written("struct<>").fields == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at 0: expected a type, found the end"),
        ("array<int", "at 9: expected `>`, found the end"),
        ("array<>", "at 5: expected a type, found <>"),
        ("decimal(10", "at 10: expected `,` or `)`, found the end"),
        ("decimal(1.5)", "at 8: expected a whole number, found 1.5"),
        ("interval day to week", "at 16: expected a unit of an interval, found week"),
        ("array<" * 200 + "int", "at 606: expected at most 100 nested types, found array"),
    ],
)
def test_invalid_types_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as refused:
        written(text)
    assert str(refused.value) == message

"""Whether data under one schema can be read by another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hudi_core.errors import SchemaError
from hudi_core.evolve.compat import IncompatibilityKind, incompatibilities, missing_columns, require_writable
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant

ELEMENT = "element"


def field(name: str, of: t.Type, **more: object) -> t.Field:
    return replace(t.Field(0, name, of, optional=False), **more)


def record(*fields: t.Field, name: str = "r") -> t.Record:
    return t.Record(fields, name=name)


def array(of: t.Type, **more: object) -> t.Array:
    return t.Array(field(ELEMENT, of, **more))


def union(*of: t.Type) -> t.Union:
    return t.Union(tuple(field(f"member{i}", kind) for i, kind in enumerate(of)))


def kinds(reader: t.Record, writer: t.Record, *, names: bool = True) -> list[tuple[IncompatibilityKind, str]]:
    return [(reason.kind, reason.location) for reason in incompatibilities(reader, writer, names=names)]


@pytest.mark.parametrize(
    ("reader", "writer"),
    [
        (t.Long(), t.Int()),
        (t.String(), t.Double()),
        (t.String(), t.Decimal(5, 2)),
        (t.Binary(), t.String()),
        (t.Decimal(12, 4), t.Decimal(10, 2, t.Fixed(9))),
        (t.Timestamp(), t.Long()),
        (t.Enumeration(("A", "B")), t.Enumeration(("B",))),
        (variant("v"), variant("w")),
        (blob(), blob()),
    ],
    ids=str,
)
def test_types_that_can_be_read(reader: t.Type, writer: t.Type) -> None:
    assert kinds(record(field("f", reader)), record(field("f", writer))) == []


@pytest.mark.parametrize(
    ("reader", "writer", "kind"),
    [
        (t.Int(), t.Long(), IncompatibilityKind.TYPE_MISMATCH),
        (t.Timestamp(t.Unit.MILLIS), t.Timestamp(), IncompatibilityKind.TYPE_MISMATCH),
        (t.Decimal(10, 2), t.Decimal(10, 3), IncompatibilityKind.DECIMAL_MISMATCH),
        (t.Fixed(4), t.Fixed(5), IncompatibilityKind.FIXED_SIZE_MISMATCH),
        (t.Enumeration(("A",)), t.Enumeration(("A", "B")), IncompatibilityKind.MISSING_ENUM_SYMBOLS),
        (t.Vector(2), t.Vector(3), IncompatibilityKind.TYPE_MISMATCH),
        (blob(), t.Int(), IncompatibilityKind.TYPE_MISMATCH),
        (t.Int(), record(), IncompatibilityKind.TYPE_MISMATCH),
    ],
    ids=str,
)
def test_types_that_cannot_be_read(reader: t.Type, writer: t.Type, kind: IncompatibilityKind) -> None:
    assert kinds(record(field("f", reader)), record(field("f", writer))) == [(kind, "/f")]


def test_names_count_at_the_root_and_in_unions_only() -> None:
    """COMPAT-3."""
    inner, other = record(field("x", t.Int()), name="inner"), record(field("x", t.Int()), name="other")
    assert kinds(record(name="a"), record(name="b")) == [(IncompatibilityKind.NAME_MISMATCH, "/")]
    assert kinds(record(field("s", inner)), record(field("s", other))) == []
    optional = record(field("s", inner, optional=True)), record(field("s", other, optional=True))
    assert kinds(*optional) == [(IncompatibilityKind.MISSING_UNION_BRANCH, "/s")]
    assert kinds(*optional, names=False) == []


def test_null_needs_an_optional_target() -> None:
    """COMPAT-2."""
    required, optional = record(field("a", t.Int())), record(field("a", t.Int(), optional=True))
    assert kinds(optional, required) == []
    assert kinds(required, optional) == [(IncompatibilityKind.TYPE_MISMATCH, "/a")]


def test_a_new_field_of_the_reader_needs_a_default_or_an_alias() -> None:
    """COMPAT-1."""
    writer = record(field("s", record(field("x", t.Int()))))
    assert kinds(record(field("s", record(field("y", t.Int())))), writer) == [
        (IncompatibilityKind.READER_FIELD_MISSING_DEFAULT_VALUE, "/s")
    ]
    assert kinds(record(field("s", record(field("y", t.Int(), default=1)))), writer) == []
    assert kinds(record(field("s", record(field("y", t.Int(), aliases=("x",))))), writer) == []


def test_aliases_that_fit_several_fields_are_an_error() -> None:
    reader = record(field("a", t.Int(), aliases=("b",)))
    with pytest.raises(SchemaError, match="a: expected one field of the writer, found 2, by alias"):
        incompatibilities(reader, record(field("a", t.Int()), field("b", t.Int())))


def test_every_branch_of_the_writer_needs_one_of_the_reader() -> None:
    """COMPAT-2."""
    reader = record(field("u", union(t.Long(), t.String())))
    assert kinds(reader, record(field("u", union(t.Int(), t.String())))) == []
    assert (
        kinds(reader, record(field("u", union(t.Boolean(), t.Date()))))
        == [(IncompatibilityKind.MISSING_UNION_BRANCH, "/u")] * 2
    )


def test_reasons_name_the_column_and_state_the_cause() -> None:
    """COMPAT-1."""
    reader = record(field("l", array(record(field("a/b", t.Int()))), optional=True))
    writer = record(field("l", array(record(field("a/b", t.Long()))), optional=True))
    (reason,) = incompatibilities(reader, writer)
    assert str(reason) == "l: no branch can read array; l.element.a/b: int cannot read long"
    assert reason.location == "/l"
    (plain,) = incompatibilities(
        record(field("l", array(record(field("a/b", t.Int()))))),
        record(field("l", array(record(field("a/b", t.Long()))))),
    )
    assert (plain.where, plain.location) == ("l.element.a/b", "/l/a~1b")


def test_missing_columns_are_found_at_every_depth() -> None:
    table = record(
        field("a", t.Int()),
        field("s", record(field("x", t.Int()), field("y", t.Int()))),
        field("l", array(record(field("z", t.Int())))),
    )
    batch = record(field("s", record(field("y", t.Int()))), field("l", array(record())))
    assert missing_columns(table, batch) == (("a",), ("s", "x"), ("l", "element", "z"))
    assert missing_columns(table, table) == ()


def test_the_gate_requires_all_columns_and_on_request_a_schema_that_reads_the_table() -> None:
    """COMPAT-4."""
    table = record(field("a", t.Int()), field("b", t.Int()))
    with pytest.raises(SchemaError, match="batch: expected all columns of the table, found no column b"):
        require_writable(table, record(field("a", t.Int())))
    require_writable(table, record(field("a", t.Int())), allow_missing=True)
    require_writable(table, record(field("a", t.Int())), ignored=["b"])
    narrow = record(field("a", t.Boolean()), field("b", t.Int()))
    require_writable(table, narrow)
    with pytest.raises(SchemaError, match="batch: cannot read the table's data: a: boolean cannot read int"):
        require_writable(table, narrow, validate=True)
    require_writable(table, narrow, validate=True, ignored=["b"])

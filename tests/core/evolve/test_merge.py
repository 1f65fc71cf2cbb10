"""What a table's schema becomes by a batch, and a batch's for a table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hudi_core.errors import SchemaError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AddColumn
from hudi_core.evolve.merge import Narrower, merge, requirements
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.meta import with_meta_columns
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


def field(name: str, of: t.Type, **more: object) -> t.Field:
    return replace(t.Field(0, name, of), **more)


def record(*fields: t.Field) -> t.Record:
    return t.Record(fields, name="r")


POINT = record(field("x", t.Int(), optional=False), field("y", t.Int()))
COLUMNS = record(
    field("id", t.Int(), optional=False),
    field("name", t.String()),
    field("s", POINT),
    field("l", t.Array(field("element", POINT))),
)
TABLE = Schema(record_with_ids(COLUMNS), version=5)
NEXT = TABLE.max_column_id + 1


def test_a_batch_of_the_same_columns_in_any_order_changes_nothing() -> None:
    """BATCH-4."""
    assert merge(TABLE, COLUMNS) is TABLE
    assert merge(TABLE, record(*reversed(COLUMNS.fields))) is TABLE
    assert merge(TABLE, record(*(replace(f, optional=not f.optional, doc="x") for f in COLUMNS.fields))) is TABLE
    assert merge(TABLE, record()) is TABLE


def test_columns_that_the_batch_lacks_stay_or_become_optional() -> None:
    """BATCH-1."""
    batch = record(field("name", t.String()), field("s", record(field("y", t.Int()))))
    assert merge(TABLE, batch) is TABLE
    merged = merge(TABLE, batch, missing_optional=True)
    assert merged.get("id").field == replace(TABLE.get("id").field, optional=True, default=None)
    assert merged.get("s.x").field.optional
    assert not merged.get("l.element.x").field.optional


def test_hudis_own_columns_are_never_missing() -> None:
    table = Schema(with_meta_columns(COLUMNS))
    required = Schema(replace(table.record, fields=(replace(table.fields[0], optional=False), *table.fields[1:])))
    assert merge(required, COLUMNS, missing_optional=True) is required


def test_new_columns_come_last_in_their_record_optional_and_with_ids_in_block_order() -> None:
    """BATCH-2."""
    inner = record(field("x", t.Int()), field("z", t.Int(), optional=False, doc="said"), field("y", t.Int()))
    batch = record(
        field("first", t.Array(field("element", t.Int())), optional=False),
        *COLUMNS.fields[:2],
        field("s", inner),
        field("w", t.Int()),
    )
    merged = merge(TABLE, batch, version=9)
    assert [f.name for f in merged.fields] == ["id", "name", "s", "l", "first", "w"]
    ids = {name: merged.get(name).field.id for name in ("first", "first.element", "w", "s.z")}
    assert ids == {"first": NEXT, "first.element": NEXT + 1, "w": NEXT + 2, "s.z": NEXT + 3}
    assert merged.get("s.z").field == t.Field(NEXT + 3, "z", t.Int(), optional=True, default=None)
    assert (merged.max_column_id, merged.version) == (NEXT + 3, 9)


def test_types_widen_by_the_table_and_take_defaults_along() -> None:
    """BATCH-3."""
    table = Schema(record_with_ids(record(field("a", t.Int(), default=3))))
    merged = merge(table, record(field("a", t.String())))
    assert merged.get("a").field == t.Field(0, "a", t.String(), default="3")


@pytest.mark.parametrize(
    ("held", "comes"),
    [
        (t.String(), t.Enumeration(("A",))),
        (t.Enumeration(("A", "B")), t.Enumeration(("A",))),
        (t.Fixed(4, "x"), t.Fixed(4, "y")),
        (t.Decimal(10, 2, t.Fixed(5)), t.Decimal(10, 2)),
    ],
    ids=str,
)
def test_a_type_whose_values_are_the_columns_own_leaves_it_as_it_is(held: t.Type, comes: t.Type) -> None:
    """BATCH-3."""
    table = Schema(record_with_ids(record(field("a", held))))
    assert merge(table, record(field("a", comes))) is table


def test_a_narrower_type_is_refused_or_stays_out() -> None:
    """BATCH-3."""
    table = Schema(record_with_ids(record(field("s", record(field("a", t.Long()))))))
    batch = record(field("s", record(field("a", t.Int()))))
    with pytest.raises(SchemaError, match=r"s\.a: expected a type that long can change to, found int"):
        merge(table, batch)
    assert merge(table, batch, narrower=Narrower.KEEP) is table


@pytest.mark.parametrize(
    "comes", [t.Boolean(), POINT, t.Array(field("element", t.Int())), t.Timestamp()], ids=lambda of: type(of).__name__
)
def test_a_type_that_does_not_fit_is_refused_either_way(comes: t.Type) -> None:
    for narrower in Narrower:
        with pytest.raises(SchemaError, match="id: expected a type that int can change to"):
            merge(TABLE, record(field("id", comes)), narrower=narrower)


def test_a_name_in_other_case_is_refused_unless_case_counts() -> None:
    batch = record(field("ID", t.Int()))
    with pytest.raises(SchemaError, match="ID: expected a name of its own, found id in other case"):
        merge(TABLE, batch)
    assert merge(TABLE, batch, case_sensitive=True).get("ID").field.id == NEXT
    with pytest.raises(SchemaError, match="found q in other case"):
        merge(TABLE, record(field("q", t.Int()), field("Q", t.Int())))


@pytest.mark.parametrize("place", ["new", "new.element", "new.value", "new.inner"])
def test_parts_of_a_new_struct_whose_names_differ_in_case_alone_are_refused(place: str) -> None:
    """CHANGE-1521: in a batch and in a change of the schema."""
    alike: t.Type = record(field("x", t.Int()), field("X", t.Int()))
    kinds: dict[str, t.Type] = {
        "new": alike,
        "new.element": t.Array(field("element", alike)),
        "new.value": t.Map(field("key", t.String()), field("value", alike)),
        "new.inner": record(field("inner", alike)),
    }
    batch = record(field("new", kinds[place]))
    refused = f"{place}.X: expected a name of its own, found x in other case"
    with pytest.raises(SchemaError, match=refused):
        merge(TABLE, batch)
    with pytest.raises(SchemaError, match=refused):
        evolve(TABLE, AddColumn(("new",), kinds[place]))
    assert merge(TABLE, batch, case_sensitive=True).get(f"{place}.X")
    assert evolve(TABLE, AddColumn(("new",), kinds[place]), case_sensitive=True).get(f"{place}.X")


@pytest.mark.parametrize("name", ["_hoodie_commit_time", "a b"])
def test_names_that_no_table_can_have_are_refused(name: str) -> None:
    with pytest.raises(SchemaError):
        merge(TABLE, record(field(name, t.String())))


def test_a_union_stays_and_takes_its_own_branches() -> None:
    either = t.Union(
        (t.Field(0, "member0", t.Int(), optional=False), t.Field(0, "member1", t.String(), optional=False))
    )
    table = Schema(record_with_ids(record(field("u", either))))
    assert merge(table, record(field("u", either))) is table
    assert merge(table, record(field("u", t.String()))) is table
    with pytest.raises(SchemaError, match="u: expected a type that union can change to, found boolean"):
        merge(table, record(field("u", t.Boolean())))


def test_requirements_bring_a_batch_to_the_tables_types_and_nullability() -> None:
    """BATCH-5."""
    table = record(
        field("a", t.Long()), field("l", t.Array(field("element", t.Double()))), field("n", t.Int(), optional=False)
    )
    batch = record(
        field("n", t.Int()),
        field("l", t.Array(field("element", t.Int(), optional=False)), optional=False),
        field("a", t.Int(), optional=False),
        field("more", t.Int()),
    )
    found = requirements(batch, table)
    assert [f.name for f in found.fields] == ["n", "l", "a", "more"]
    assert found.fields[1] == field("l", t.Array(field("element", t.Double())), default=None)
    assert found.fields[2] == field("a", t.Long(), default=None)
    assert found.fields[0] == field("n", t.Int(), default=None)
    assert [f.name for f in requirements(batch, table, reorder=True).fields] == ["a", "l", "n", "more"]


def test_requirements_leave_incompatible_columns_to_the_merge() -> None:
    assert requirements(record(field("a", t.String())), record(field("a", t.Int()))).fields[0].type == t.String()
    assert requirements(COLUMNS, COLUMNS) is COLUMNS
    assert requirements(record(), COLUMNS) is COLUMNS
    assert requirements(COLUMNS, record()) is COLUMNS

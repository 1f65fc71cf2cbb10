"""File schema × wanted schema → read plan."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from hudi_core.errors import SchemaError, UnknownColumnError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AddColumn, AlterType, DropColumn, First, MoveColumn, RenameColumn
from hudi_core.evolve.reconcile import (
    Absent,
    AsStored,
    Convert,
    Default,
    IntoUnion,
    Keep,
    Match,
    Null,
    OutOfUnion,
    ReadArray,
    ReadMap,
    ReadRecord,
    ReadUnion,
    Stored,
    find_stored_column,
    reconcile,
)
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.support.plans import apply_plan

AS_STORED = AsStored()


def field(name: str, of: t.Type, **more: object) -> t.Field:
    return replace(t.Field(0, name, of), **more)


def schema(*fields: t.Field) -> Schema:
    return Schema(record_with_ids(t.Record(fields)))


POINT = t.Record((field("x", t.Int()), field("y", t.Int())))
FILE = schema(
    field("a", t.Int()),
    field("b", t.String()),
    field("s", POINT),
    field("l", t.Array(field("element", POINT))),
    field("m", t.Map(field("key", t.String(), optional=False), field("value", POINT))),
)
ROW = (1, "one", (2, 3), ((4, 5), None), (("k", (6, 7)),))


def union(*of: t.Type) -> t.Union:
    return t.Union(tuple(t.Field(0, f"member{i}", kind, optional=False) for i, kind in enumerate(of)))


def test_the_same_schema_is_read_as_stored() -> None:
    plan = reconcile(FILE, FILE)
    assert plan.as_stored
    assert plan.fields == tuple(Keep(position, AS_STORED) for position in range(5))
    assert apply_plan(plan, ROW) == ROW


def test_renames_and_moves_follow_ids() -> None:
    """RECON-1."""
    wanted = evolve(
        FILE, [RenameColumn("a", "x"), RenameColumn("b", "a"), RenameColumn("x", "b"), MoveColumn("s", First())]
    )
    plan = reconcile(FILE, wanted)
    assert [field.name for field in wanted.fields] == ["s", "b", "a", "l", "m"]
    assert [source.position for source in plan.fields if isinstance(source, Keep)] == [2, 0, 1, 3, 4]
    assert plan.positions == (0, 1, 2, 3, 4)
    assert not plan.as_stored


def test_dropped_and_added_again_is_null_and_not_the_old_data() -> None:
    """RECON-3."""
    wanted = evolve(FILE, [DropColumn("b"), AddColumn("b", t.String()), DropColumn("s.y"), AddColumn("s.y", t.Int())])
    assert apply_plan(reconcile(FILE, wanted), ROW)[:2] == (1, (2, None))
    assert reconcile(FILE, wanted).fields[-1] == Null()


def test_a_rename_onto_a_dropped_name_reads_the_renamed_column() -> None:
    wanted = evolve(FILE, [DropColumn("b"), RenameColumn("a", "b")])
    assert apply_plan(reconcile(FILE, wanted), ROW)[0] == 1


def test_a_column_the_file_lacks_has_its_default() -> None:
    """RECON-2."""
    wanted = evolve(FILE, [AddColumn("n", t.Int(), default=9), AddColumn("o", t.Int())])
    assert reconcile(FILE, wanted).fields[-2:] == (Default(9), Null())


def test_types_are_cast_at_every_depth() -> None:
    changes = [AlterType("a", t.Long()), AlterType("l.element.x", t.Double()), AlterType("m.value.y", t.String())]
    plan = reconcile(FILE, evolve(FILE, changes))
    kinds = [type(source.reading) for source in plan.fields if isinstance(source, Keep)]
    assert kinds == [Convert, AsStored, AsStored, ReadArray, ReadMap]
    assert apply_plan(plan, ROW) == (1, "one", (2, 3), ((4.0, 5), None), (("k", (6, "7")),))


def test_a_struct_with_other_names_is_no_longer_as_stored() -> None:
    plan = reconcile(FILE, evolve(FILE, [RenameColumn("s.x", "z")]))
    source = plan.fields[2]
    assert isinstance(source, Keep)
    assert isinstance(source.reading, ReadRecord)
    assert source.reading.as_stored


def test_a_projection_reads_only_the_wanted_columns() -> None:
    wanted = Schema(t.Record((FILE.fields[3], FILE.fields[0])))
    assert reconcile(FILE, wanted).positions == (0, 3)


def test_by_name_ids_do_not_count() -> None:
    wanted = schema(field("b", t.String()), field("a", t.Long()))
    assert apply_plan(reconcile(FILE, wanted, Match.NAME), ROW) == ("one", 1)


def test_by_name_aliases_count_after_the_name() -> None:
    """RECON-1."""
    wanted = schema(field("new", t.Int(), aliases=("a",)), field("b", t.String(), aliases=("a",)))
    assert apply_plan(reconcile(FILE, wanted, Match.NAME), ROW) == (1, "one")


def test_by_name_in_any_case_an_exact_name_wins() -> None:
    file = schema(field("A", t.Int()), field("a", t.Int()))
    assert apply_plan(reconcile(file, schema(field("a", t.Int())), Match.NAME_ANY_CASE), (1, 2)) == (2,)
    assert apply_plan(reconcile(FILE, schema(field("A", t.Int())), Match.NAME_ANY_CASE), ROW) == (1,)
    assert reconcile(FILE, schema(field("A", t.Int())), Match.NAME).fields == (Null(),)
    with pytest.raises(SchemaError, match="several that differ by case: AB, ab"):
        reconcile(schema(field("AB", t.Int()), field("ab", t.Int())), schema(field("Ab", t.Int())), Match.NAME_ANY_CASE)


def test_a_required_column_without_value_is_refused_unless_null_may_stand_for_it() -> None:
    """RECON-2."""
    wanted = schema(field("z", t.Int(), optional=False))
    with pytest.raises(SchemaError, match="z: expected a stored column, a default or an optional column"):
        reconcile(FILE, wanted, Match.NAME)
    assert reconcile(FILE, wanted, Match.NAME, nulls_for_required=True).fields == (Null(),)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (field("a", t.Boolean()), "a: expected stored values that can be read as boolean, found int"),
        (field("s", t.Int()), "s: expected stored values that can be read as int, found record"),
        (
            field("l", t.Array(field("element", t.Int()))),
            "l.element: expected stored values that can be read as int, found record",
        ),
        (field("a", POINT), "a: expected stored values that can be read as record, found int"),
    ],
)
def test_unreadable_schemas_are_refused_with_the_path(wanted: t.Field, reason: str) -> None:
    with pytest.raises(SchemaError) as raised:
        reconcile(FILE, schema(wanted), Match.NAME)
    assert str(raised.value) == reason


def test_unions_are_read_branch_by_branch() -> None:
    """RECON-4."""
    file = schema(field("u", union(t.Int(), t.String())))
    swapped = schema(field("u", union(t.String(), t.Long())))
    plan = reconcile(file, swapped)
    assert isinstance(plan.fields[0], Keep)
    assert isinstance(plan.fields[0].reading, ReadUnion)
    assert [apply_plan(plan, ((i, v),)) for i, v in ((0, 5), (1, "x"))] == [((1, 5),), ((0, "x"),)]
    assert reconcile(file, file).as_stored


def test_values_go_into_unions_and_out_of_them() -> None:
    """RECON-4."""
    plain, either = schema(field("u", t.Int())), schema(field("u", union(t.String(), t.Int())))
    into, out = reconcile(plain, either), reconcile(either, schema(field("u", t.String())))
    assert isinstance(into.fields[0], Keep)
    assert isinstance(into.fields[0].reading, IntoUnion)
    assert apply_plan(into, (5,)) == ((1, 5),)
    assert isinstance(out.fields[0], Keep)
    assert isinstance(out.fields[0].reading, OutOfUnion)
    assert [apply_plan(out, ((i, v),)) for i, v in ((0, "x"), (1, 5))] == [("x",), ("5",)]
    with pytest.raises(SchemaError, match="expected stored values that can be read as union, found boolean"):
        reconcile(schema(field("u", t.Boolean())), schema(field("u", union(t.Int(), t.Long()))))


def test_a_stored_column_is_found_by_id_with_its_name_and_type_there() -> None:
    wanted = evolve(
        FILE, [RenameColumn("s", "t"), RenameColumn("t.x", "z"), AlterType("t.z", t.Decimal(12, 2, t.Fixed(6)))]
    )
    found = find_stored_column(FILE, wanted, wanted.get("t.z").field.id)
    assert isinstance(found, Stored)
    assert (found.place.name, found.place.field.type, found.place.positions) == ("s.x", t.Int(), (2, 0))
    assert found.promotion is not None
    assert found.promotion.keeps_order


def test_a_stored_column_of_a_nested_type_has_no_promotion() -> None:
    found = find_stored_column(FILE, FILE, FILE.get("s").field.id)
    assert found == Stored(FILE.get("s"), None)


def test_an_absent_column_has_its_default_or_null_in_all_rows() -> None:
    wanted = evolve(FILE, [AddColumn("n", t.Decimal(5, 2), default="1.5"), AddColumn("o", POINT)])
    assert find_stored_column(FILE, wanted, wanted.get("n").field.id) == Absent(Decimal("1.50"))
    assert find_stored_column(FILE, wanted, wanted.get("o.x").field.id) == Absent(None)


def test_below_an_absent_record_a_column_has_its_part_of_the_default() -> None:
    """RECON-5."""
    wanted = evolve(
        FILE, [AddColumn("p", POINT, default=(8, 9)), AddColumn("q", t.Array(field("element", t.Int())), default=(1,))]
    )
    assert find_stored_column(FILE, wanted, wanted.get("p.y").field.id) == Absent(9)
    assert find_stored_column(FILE, wanted, wanted.get("q.element").field.id) == Absent(None)


def test_below_a_stored_record_a_default_is_not_in_the_rows_where_that_is_null() -> None:
    """RECON-1454."""
    wanted = evolve(FILE, [AddColumn("s.d", t.Int(), default=9), AddColumn("s.n", t.Int())])
    assert find_stored_column(FILE, wanted, wanted.get("s.d").field.id) == Absent(9, or_null=True)
    assert find_stored_column(FILE, wanted, wanted.get("s.n").field.id) == Absent(None)


def test_a_stored_column_is_found_by_name_and_alias_at_every_step() -> None:
    wanted = schema(field("t", t.Record((field("x", t.Int()), field("z", t.Int(), aliases=("y",)))), aliases=("s",)))
    found = find_stored_column(FILE, wanted, wanted.get("t.z").field.id, Match.NAME)
    assert isinstance(found, Stored)
    assert found.place.name == "s.y"
    upper = schema(field("S", t.Record((field("X", t.Int()),))))
    assert find_stored_column(FILE, upper, upper.get("S.X").field.id, Match.NAME) == Absent(None)
    assert isinstance(find_stored_column(FILE, upper, upper.get("S.X").field.id, Match.NAME_ANY_CASE), Stored)


def test_an_id_that_is_not_wanted_is_unknown() -> None:
    with pytest.raises(UnknownColumnError):
        find_stored_column(FILE, FILE, 99)

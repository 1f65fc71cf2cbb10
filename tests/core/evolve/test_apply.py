"""Changes of a schema: what they do, and what is refused with the column and the reason."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from hudi_core.errors import SchemaError, UnknownColumnError, UsageError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import (
    AddColumn,
    After,
    AlterType,
    Before,
    Change,
    DropColumn,
    First,
    Last,
    MoveColumn,
    RenameColumn,
    SetDefault,
    SetDoc,
    SetOptional,
)
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.meta import META_COLUMNS, with_meta_columns
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import variant


def field(name: str, of: t.Type, *, optional: bool = False) -> t.Field:
    return t.Field(0, name, of, optional)


ADDRESS = t.Record((field("street", t.String()), field("zip", t.Int(), optional=True)), name="ns.Address")
LINES = t.Array(field("element", t.Record((field("price", t.Float()), field("count", t.Int())))))
TAGS = t.Map(field("key", t.String()), field("value", t.Int(), optional=True))
COLUMNS = t.Record(
    (
        field("id", t.Int()),
        field("name", t.String(), optional=True),
        field("address", ADDRESS, optional=True),
        field("lines", LINES),
        field("tags", TAGS),
    )
)
TABLE = Schema(record_with_ids(COLUMNS), version=7)
WITH_META = Schema(with_meta_columns(COLUMNS))


def names(schema: Schema, parent: str = "") -> list[str]:
    of = schema.get(parent).field.type if parent else schema.record
    return [inner.name for inner in t.children(of)]


def test_a_new_column_comes_last_is_optional_and_has_the_next_id() -> None:
    """CHANGE-3, CHANGE-4."""
    evolved = evolve(TABLE, [AddColumn("new", t.Int(), doc="said")])
    added = evolved.fields[-1]
    assert added == t.Field(TABLE.max_column_id + 1, "new", t.Int(), optional=True, doc="said", default=None)
    assert evolved.max_column_id == TABLE.max_column_id + 1
    assert evolved.version == 0


def test_the_version_is_the_one_that_is_given() -> None:
    assert evolve(TABLE, [DropColumn("id")], version=20240101).version == 20240101


def test_the_fields_of_a_new_nested_column_are_numbered_by_the_block_rule() -> None:
    """CHANGE-3."""
    of = t.Record((field("x", t.Array(field("element", t.Int()))), field("y", t.Int())))
    evolved = evolve(TABLE, [AddColumn("new", of)])
    first = TABLE.max_column_id + 1
    ids = {place.name: place.field.id for place in evolved.places.values() if place.path[0] == "new"}
    assert ids == {"new": first, "new.x": first + 1, "new.y": first + 2, "new.x.element": first + 3}


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (First(), ["new", "street", "zip"]),
        (Last(), ["street", "zip", "new"]),
        (Before("address.zip"), ["street", "new", "zip"]),
        (After("address.street"), ["street", "new", "zip"]),
    ],
    ids=str,
)
def test_places_in_a_record(position: First | Last | Before | After, expected: list[str]) -> None:
    """CHANGE-7."""
    assert names(evolve(TABLE, [AddColumn("address.new", t.Int(), position=position)]), "address") == expected


def test_columns_are_added_to_elements_and_values() -> None:
    evolved = evolve(
        TABLE, [AddColumn("lines.element.new", t.Int()), AddColumn("point", t.Record((field("x", t.Int()),)))]
    )
    assert names(evolved, "lines.element") == ["price", "count", "new"]
    assert names(evolve(evolved, [AddColumn("point.y", t.Int())]), "point") == ["x", "y"]


def test_a_required_column_needs_a_default_for_the_rows_there_are() -> None:
    """CHANGE-4."""
    evolved = evolve(TABLE, [AddColumn("new", t.Int(), optional=False, default=3)])
    assert (evolved.fields[-1].optional, evolved.fields[-1].default) == (False, 3)
    with pytest.raises(SchemaError, match="new: expected a default for the existing rows"):
        evolve(TABLE, [AddColumn("new", t.Int(), optional=False)])


@pytest.mark.parametrize(
    ("of", "answer", "value"),
    [
        (t.Date(), "1970-01-03", 2),
        (t.Date(), datetime.date(1970, 1, 3), 2),
        (t.Decimal(5, 2), Decimal("1.5"), Decimal("1.50")),
        (t.Double(), Decimal("1.5"), 1.5),
        (t.Timestamp(t.Unit.MILLIS), "1970-01-01 00:00:01", 1000),
        (t.Binary(), b"x", b"x"),
    ],
    ids=str,
)
def test_defaults_may_be_written_as_sql_literals(of: t.Type, answer: object, value: object) -> None:
    assert evolve(TABLE, [AddColumn("new", of, default=answer)]).fields[-1].default == value
    altered = evolve(TABLE, [AddColumn("new", of), SetDefault("new", answer)])
    assert altered.fields[-1].default == value


def test_rename_and_move_keep_ids() -> None:
    evolved = evolve(
        TABLE, [RenameColumn("address", "home"), MoveColumn("home", First()), RenameColumn("home.zip", "code")]
    )
    assert names(evolved) == ["home", "id", "name", "lines", "tags"]
    assert evolved.get("home.code").field.id == TABLE.get("address.zip").field.id


def test_swapped_names_swap_nothing_else() -> None:
    evolved = evolve(TABLE, [RenameColumn("id", "x"), RenameColumn("name", "id"), RenameColumn("x", "name")])
    assert [(f.id, f.name) for f in evolved.fields[:2]] == [(0, "name"), (1, "id")]


def test_ids_of_dropped_columns_do_not_come_back() -> None:
    """CHANGE-3."""
    last = evolve(TABLE, [AddColumn("new", t.Int())])
    again = evolve(evolve(last, [DropColumn("new")]), [AddColumn("new", t.Int())])
    assert again.get("new").field.id == last.get("new").field.id + 1
    onto = evolve(TABLE, [DropColumn("name"), RenameColumn("id", "name")])
    assert onto.get("name").field.id == TABLE.get("id").field.id


def test_types_change_where_values_can_follow_and_take_the_default_along() -> None:
    """CHANGE-9."""
    with_default = evolve(TABLE, [AddColumn("new", t.Int(), default=3)])
    evolved = evolve(with_default, [AlterType("new", t.String()), AlterType("lines.element.price", t.Double())])
    assert evolved.get("new").field.default == "3"
    assert evolved.get("lines.element.price").field.type == t.Double()


def test_nullability_docs_and_defaults() -> None:
    """CHANGE-8."""
    evolved = evolve(
        TABLE, [SetOptional("id", True), SetDoc("id", "key"), SetOptional("tags.value", False, force=True)]
    )
    assert (evolved.fields[0].optional, evolved.fields[0].default, evolved.fields[0].doc) == (True, None, "key")
    assert not evolved.get("tags.value").field.optional
    required = evolve(evolved, [SetOptional("id", False, force=True)])
    assert (required.fields[0].optional, required.fields[0].default) == (False, t.ABSENT)
    assert evolve(TABLE, [SetDefault("id", 5), SetDefault("id", t.ABSENT)]).fields[0].default is t.ABSENT


def test_record_names_survive_changes_inside() -> None:
    of = (
        evolve(TABLE, [AddColumn("address.new", t.Int()), MoveColumn("address.new", First())]).get("address").field.type
    )
    assert isinstance(of, t.Record)
    assert of.name == "ns.Address"


def test_nothing_changed_is_the_schema_itself() -> None:
    assert evolve(TABLE, []) is TABLE
    assert evolve(TABLE, [MoveColumn("id", After("id")), MoveColumn("id", Before("id"))]) is TABLE
    assert evolve(TABLE, [SetOptional("id", False), AlterType("id", t.Int()), SetDoc("id", None)]) is TABLE


def test_user_columns_stay_behind_the_ones_that_hudi_keeps() -> None:
    """CHANGE-6."""
    evolved = evolve(WITH_META, [MoveColumn("tags", First()), AddColumn("new", t.Int(), position=Before("tags"))])
    assert names(evolved)[:7] == [*META_COLUMNS, "new", "tags"]


REFUSED: list[tuple[Change, str]] = [
    (AddColumn("id", t.Int()), "id: expected a new name, found id, which is the column id"),
    (AddColumn("ID", t.Int()), "ID: expected a new name, found ID, which is the column id"),
    (AddColumn("address.Zip", t.Int()), "found Zip, which is the column zip"),
    (AddColumn("a-b", t.Int()), "expected a name of letters, digits and _"),
    (AddColumn("", t.Int()), "expected a name of letters, digits and _"),
    (AddColumn("new", t.Record((field("x y", t.Int()),))), "new.x y: expected a name of letters"),
    (AddColumn("nope.new", t.Int()), "nope.new: no such column as nope"),
    (AddColumn("id.new", t.Int()), "id.new: expected a field of a record, found a name inside int"),
    (AddColumn("tags.new", t.Int()), "tags.new: expected a field of a record, found the key or value of a map"),
    (AddColumn("lines.new", t.Int()), "lines.new: expected a field of a record, found the element of an array"),
    (AddColumn("new", t.Int(), default="x"), "new: expected a value of int, found str 'x'"),
    (AddColumn("new", t.Int(), position=After("nope")), "new: no such column as nope"),
    (AddColumn("new", t.Int(), position=After("Name")), "did you mean name"),
    (
        AddColumn("new", t.Int(), position=After("address.zip")),
        "expected a neighbour in the same record, found address.zip",
    ),
    (AddColumn("_hoodie_commit_time", t.String()), "found one of Hudi's own columns"),
    (DropColumn("nmae"), "nmae: no such column; did you mean name?"),
    (DropColumn("lines.element"), "lines.element: expected a field of a record, found the element of an array"),
    (DropColumn("_hoodie_record_key"), "found one of Hudi's own columns"),
    (RenameColumn("id", "id"), "found id, which is the column id"),
    (RenameColumn("id", "Id"), "found Id, which is the column id"),
    (RenameColumn("id", "x.y"), "expected a name of letters"),
    (RenameColumn("id", "_hoodie_operation"), "expected a name that Hudi does not use itself, found _hoodie_operation"),
    (RenameColumn("tags.key", "k"), "found the key or value of a map"),
    (MoveColumn("id", After("address.zip")), "expected a neighbour in the same record"),
    (
        AlterType("id", t.Boolean()),
        "id: expected a type that int can change to (decimal, double, float, long, string), found boolean",
    ),
    (
        AlterType("id", t.Binary()),
        "id: expected a type that int can change to (decimal, double, float, long, string), found binary",
    ),
    (AlterType("address", t.String()), "expected a change between primitive types, found record to string"),
    (AlterType("id", LINES), "expected a change between primitive types, found int to array"),
    (
        AlterType("tags.key", t.Binary()),
        "expected a column whose type can change, found a branch of a union or the key of a map",
    ),
    (SetOptional("name", False), "name: expected a column without nulls, found an optional one"),
    (SetOptional("tags.key", True), "expected a place that can hold null"),
    (SetDefault("id", None), "id: expected a default that is not null, found null"),
    (SetDefault("id", "x"), "id: expected a value of int, found str 'x'"),
]


@pytest.mark.parametrize(("change", "reason"), REFUSED, ids=[str(change)[:60] for change, _ in REFUSED])
def test_refused_with_the_column_and_the_reason(change: Change, reason: str) -> None:
    """CHANGE-2, CHANGE-5."""
    with pytest.raises(SchemaError) as raised:
        evolve(TABLE, [change])
    assert reason in str(raised.value)


def test_an_unknown_column_is_an_error_of_its_own() -> None:
    with pytest.raises(UnknownColumnError):
        evolve(TABLE, [SetDoc("nope", "x")])


def test_the_only_field_of_a_record_stays() -> None:
    """CHANGE-6."""
    one = evolve(TABLE, [DropColumn("address.zip")])
    with pytest.raises(SchemaError, match="found its only field"):
        evolve(one, [DropColumn("address.street")])


@pytest.mark.parametrize("column", META_COLUMNS[:-1])
def test_nothing_comes_between_the_columns_that_hudi_keeps(column: str) -> None:
    with pytest.raises(SchemaError, match=f"found a place beside {column}"):
        evolve(WITH_META, [MoveColumn("id", After(column))])


def test_parts_of_a_variant_do_not_change() -> None:
    """CHANGE-5."""
    schema = evolve(TABLE, [AddColumn("v", variant())])
    with pytest.raises(
        SchemaError, match=r"v\.metadata: expected a column that can change, found a part of v, a variant"
    ):
        evolve(schema, [RenameColumn("v.metadata", "m")])


def test_names_may_differ_by_case_where_that_is_chosen() -> None:
    """CHANGE-2."""
    assert names(evolve(TABLE, [AddColumn("ID", t.Int())], case_sensitive=True))[-1] == "ID"


def test_a_call_takes_any_number_of_changes() -> None:
    """CHANGE-1."""
    evolved = evolve(TABLE, [AddColumn(f"new_{i}", t.Int()) for i in range(2_000)])
    answer = evolve(evolved, [SetDoc(f"new_{i}", "x") for i in range(2_000)])
    assert [field.doc for field in answer.fields[-2_000:]] == ["x"] * 2_000


def test_sql_and_single_changes_are_taken_as_lists_are() -> None:
    expected = evolve(TABLE, [AddColumn("tip", t.Double()), SetDoc("tip", "given")])
    assert evolve(TABLE, "ADD COLUMN tip double; ALTER COLUMN tip COMMENT 'given'") == expected
    assert evolve(TABLE, ["ADD COLUMN tip double", SetDoc("tip", "given")]) == expected
    assert evolve(TABLE, AddColumn("tip", t.Double())) == evolve(TABLE, "add column tip double")


@pytest.mark.parametrize("wrong", [3, None, [("add", "tip")], {"add": "tip"}.items()])
def test_invalid_changes_are_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match="evolve: expected changes as SQL"):
        evolve(TABLE, wrong)  # type: ignore[arg-type]

"""Deviations that no recorded question meets: each is asked on a question made here, and our answer is the declared one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AddColumn, AlterType, DropColumn, RenameColumn
from hudi_core.evolve.reconcile import Match, reconcile
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.keys.path_values import path_values
from hudi_core.options import table_config
from hudi_core.rows.truth import is_true
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.json import schema_from_json, write_persisted
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_plain.values import PlainValues
from tests.conformance.deviations import REFUSED, Deviation, Question, applying
from tests.conformance.deviations.changes import CHANGES
from tests.conformance.deviations.expressions import DEVIATIONS as EXPRESSIONS
from tests.conformance.deviations.merging import DEVIATIONS as MERGES
from tests.conformance.deviations.partitions import PARTITIONS, UNKNOWN
from tests.conformance.deviations.promoted_values import PROMOTED_VALUES
from tests.conformance.deviations.reconciliation import RECONCILIATION
from tests.conformance.deviations.schema import DEVIATIONS as SCHEMAS
from tests.support.ledger import Ledger, attempt
from tests.support.plans import apply_plan
from tests.support.vector_merges import Merger, rules_of
from tests.support.vector_schemas import holding, stepped
from tests.support.vector_truth import both


def declared(rules: Sequence[Deviation], name: str, question: Question, ours: object, theirs: object) -> None:
    """Just this rule applies, ours is its answer, and Apache Hudi's is another."""
    (subject,) = {rule.subject for rule in rules if rule.name == name}
    ledger = Ledger(subject, rules)
    ledger.settle({"id": "made"}, question, ours, theirs)
    assert [rule.name for rule in ledger.settled[0].rules] == [name]
    ledger.close()


def document(column_type: object = "int", column_id: object = 0) -> dict[str, Any]:
    field = {"id": column_id, "name": "a", "optional": True, "type": column_type}
    return {"max_column_id": 7, "version_id": 1, "type": "record", "fields": [field]}


@pytest.mark.parametrize("column_id", ["three", "3", 1.5, True, None])
def test_an_id_that_is_no_whole_number_is_refused(column_id: object) -> None:
    made = document(column_id=column_id)
    ours = attempt(lambda: write_persisted(schema_from_json(json.dumps(made))).value)
    question = {"ask": "parsed", "text": json.dumps(made), "document": made}
    theirs = json.dumps(document(), separators=(",", ":"))
    declared(SCHEMAS, "an id is a whole number", question, ours, theirs)


@pytest.mark.parametrize("spelling", ["fixed[ 3 ]", "fixed [3]", "FIXED[3 ]"])
def test_blanks_in_the_size_of_a_fixed_are_read(spelling: str) -> None:
    made = document(spelling)
    assert schema_from_json(json.dumps(made)).fields[0].type == t.Fixed(3)
    if spelling.islower():
        ours = attempt(lambda: write_persisted(schema_from_json(json.dumps(made))).value)
        question = {"ask": "parsed", "text": json.dumps(made), "document": made}
        declared(SCHEMAS, "spellings of types", question, ours, "refused")


@pytest.mark.parametrize("tree_operator", ["in", "eq"])
@pytest.mark.parametrize(("of", "kind"), [("float", t.Float()), ("double", t.Double())])
def test_zeros_of_two_signs_are_equal(tree_operator: str, of: str, kind: t.Type) -> None:
    literal = {"lit": {of: "0.0"}}
    tree: dict[str, Any] = {"op": "in", "value": {"ref": "f"}, "list": [literal]}
    if tree_operator == "eq":
        tree = {"op": "eq", "left": {"ref": "f"}, "right": literal}
    schema = Schema(record_with_ids(t.Record((t.Field(0, "f", kind, optional=True),), name="R")))
    sql = "f IN (0.0D)" if tree_operator == "in" else "f = 0.0D"
    ours = is_true(bind(parse_predicate(sql), schema), PlainValues(), (-0.0,), schema)
    question = {"ask": "row", "ids": [0], "both": both(tree, {"f": (of, "-0.0")})}
    declared(EXPRESSIONS, "zeros of two signs", question, ours, False)


CONFIG = table_config(
    {
        "hoodie.table.name": "t",
        "hoodie.table.version": "9",
        "hoodie.table.partition.fields": "c",
        "hoodie.table.keygenerator.type": "SIMPLE",
        "hoodie.table.recordkey.fields": "k",
    },
    "table",
)


def test_a_value_that_looks_like_a_hive_folder_is_the_value() -> None:
    for folder in ("c=5", "other=5", "a=b=c", "c=5/d"):
        (value,) = path_values(folder, CONFIG, [t.String()])
        assert value is not None and value.is_exact
        question = {"ask": "folder", "type": "string", "column": "c", "text": folder}
        declared(PARTITIONS, "a value that looks like a hive folder", question, value.lower, folder.partition("=")[2])
    several_levels = {"ask": "folder", "type": "string", "column": "c", "text": "other=5/d"}
    assert applying(PARTITIONS, "partitions", several_levels) == []


@pytest.mark.parametrize(
    ("name", "of", "to", "value", "theirs"),
    [
        (
            "decimal strings without exponents",
            t.Decimal(20, 10, t.Fixed(9)),
            t.String(),
            Decimal((0, (0,), -10)),
            "0E-10",
        ),
        ("forms of date strings", t.String(), t.Date(), "2024-02", REFUSED),
        ("forms of date strings", t.String(), t.Date(), " 2024-02-03T04:05", REFUSED),
    ],
)
def test_values_of_forms_that_apache_hudi_does_not_have(
    name: str, of: t.Type, to: t.Type, value: object, theirs: object
) -> None:
    ours = apply_plan(reconcile(holding(of), holding(to), Match.NAME), (1, value))[1]
    declared(PROMOTED_VALUES, name, {"ask": "value", "from": of, "to": to, "value": value}, ours, theirs)


@pytest.mark.parametrize(
    "text", ["123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000"], ids=["capitals", "bare"]
)
def test_a_uuid_in_another_spelling_is_the_canonical_one(text: str) -> None:
    (value,) = path_values(text, CONFIG, [t.Uuid()])
    assert value is not None and value.is_exact
    question = {"ask": "value", "type": "uuid", "text": text}
    declared(PARTITIONS, "UUIDs in another spelling", question, value.lower, UNKNOWN)


def test_decimals_order_records_as_numbers() -> None:
    of = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
    avro = {"type": "record", "name": "R", "fields": [{"name": "x", "type": "int"}, {"name": "o", "type": of}]}
    older, newer = (
        {"record": {"record": {"x": {"int": number}, "o": {"bytes": unscaled}}}}
        for number, unscaled in enumerate(("ff", "ff00"))
    )
    given = {"mode": "EVENT_TIME_ORDERING", "ordering_fields": ["o"], "avro": avro, "older": older, "newer": newer}
    merger = Merger.of(avro, rules_of(given), False)
    question = {**given, "ask": "delta_merge", "row": merger.row}
    ours = merger.delta([older, newer])
    declared(MERGES, "decimals as ordering values", question, ours, merger.row(newer))


def without_greatest() -> Schema:
    """A schema of which the column with the greatest id was dropped."""
    fields = (t.Field(0, name, t.Int(), optional=True) for name in "abc")
    schema = Schema(record_with_ids(t.Record(tuple(fields), name="R")))
    left: Schema = evolve(schema, [DropColumn("c")])
    return left


def in_json(schema: Schema) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(write_persisted(schema).value)
    return made


def test_no_change_lowers_the_greatest_id() -> None:
    schema = without_greatest()
    ours = in_json(evolve(schema, [RenameColumn("a", "z")]))
    step = {"op": "rename", "name": "a", "new_name": "z"}
    question = {"ask": "step", "schema": schema, "step": step, "document": in_json(schema)}
    lowered = {**ours, "max_column_id": max(schema.places)}
    declared(CHANGES, "column ids after a drop", question, ours, lowered)
    again = evolve(evolve(schema, [RenameColumn("a", "z")]), [AddColumn("d", t.Int())])
    assert again.get("d").field.id > schema.max_column_id


@pytest.mark.parametrize("of", [variant(), blob()], ids=["variant", "blob"])
def test_variants_and_blobs_stay_whole(of: t.Record) -> None:
    schema = columns(t.Field(0, "k", t.Int()), t.Field(0, "v", of, optional=True))
    name = f"v.{of.fields[0].name}"
    for step in ({"op": "rename", "name": name, "new_name": "z"}, {"op": "comment", "name": name, "doc": "a word"}):
        question = {"ask": "step", "schema": schema, "step": step, "document": in_json(schema)}
        ours = attempt(lambda step=step: stepped(schema, step))
        declared(CHANGES, "variants and blobs stay whole", question, ours, in_json(schema))


def columns(*fields: t.Field) -> Schema:
    return Schema(record_with_ids(t.Record(fields, name="R")))


def with_struct(of: t.Type) -> Schema:
    inner = t.Record((t.Field(0, "x", of, optional=True),), name="S")
    return columns(t.Field(0, "k", t.Int()), t.Field(0, "s", inner, optional=True))


def test_a_struct_is_there_when_none_of_the_wanted_fields_is() -> None:
    file = with_struct(t.Int())
    wanted = evolve(file, [AddColumn("s.y", t.Int()), DropColumn("s.x")])
    stored = (1, (2,))
    question = {"ask": "struct", "mode": "vectorised", "file": file, "wanted": wanted, "value": stored}
    ours = apply_plan(reconcile(file, wanted), stored)
    declared(RECONCILIATION, "a struct without any wanted field", question, ours, (1, None))
    declared(RECONCILIATION, "a struct without any wanted field", {**question, "mode": "rows"}, ours, REFUSED)


@pytest.mark.parametrize("held", [None, (2,), (None,)])
def test_a_struct_in_which_a_type_changed_is_read(held: tuple[int | None] | None) -> None:
    file = with_struct(t.Int())
    wanted = evolve(file, [AlterType("s.x", t.Long())])
    stored = (1, held)
    question = {"ask": "struct", "mode": "vectorised", "file": file, "wanted": wanted, "value": stored}
    ours = apply_plan(reconcile(file, wanted), stored)
    assert ours == stored
    declared(RECONCILIATION, "a type that changed inside a struct", question, ours, REFUSED)
    assert applying(RECONCILIATION, "schema_reconcile", {**question, "mode": "rows"}) == []


def test_a_null_struct_is_null_when_a_float_in_it_became_a_double() -> None:
    file = with_struct(t.Float())
    wanted = evolve(file, [AlterType("s.x", t.Double())])
    stored = (1, None)
    question = {"ask": "struct", "mode": "rows", "file": file, "wanted": wanted, "value": stored}
    ours = apply_plan(reconcile(file, wanted), stored)
    declared(RECONCILIATION, "a null struct in which a float became a double", question, ours, (1, (None,)))
    assert applying(RECONCILIATION, "schema_reconcile", {**question, "value": (1, (2.5,))}) == []

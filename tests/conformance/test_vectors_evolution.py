"""Schema changes, promotion and reconciliation against what Apache Hudi does.

Each case asks several questions; each is answered alike, or a deviation says why not. Not asked are Hudi's own means to its
ends: whether its rewriting is needed, its rename maps and merged schemas (what they are for, the rows and the stored names,
is asked), its strict projections, and Avro's own checker.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AlterType
from hudi_core.evolve.compat import incompatibilities, missing_columns, require_writable
from hudi_core.evolve.merge import merge, requirements
from hudi_core.evolve.reconcile import Match, Stored, find_stored_column, reconcile
from hudi_core.schema.json import schema_from_json, write_persisted
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import with_children
from tests.conformance.deviations.evolution import DEVIATIONS
from tests.support.conformance import vectors
from tests.support.ledger import REFUSED, Ledger, alike, attempt
from tests.support.plans import apply_plan
from tests.support.vector_schemas import defaults, holding, persisted_type, schema_of, shape, stepped, type_of
from tests.support.vector_values import decode


def test_schema_changes_answer_like_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger("schema_changes", DEVIATIONS)
    for case in vectors("schema_changes"):
        schema = schema_of({"avro": case["input"]["avro"]})
        for step, result in zip(case["input"]["changes"], case["output"]["steps"], strict=False):
            question = {"ask": "step", "schema": schema, "step": step, "document": document_of(schema)}
            if step["op"] == "type":
                question["type"] = persisted_type(step["type"])
            ours = attempt(lambda schema=schema, step=step: stepped(schema, step))
            theirs = result.get("value", REFUSED)
            document = document_of(ours) if isinstance(ours, Schema) else ours
            ledger.settle(case, question, document, theirs)
            next_one = (
                ours if alike(document, theirs) else attempt(lambda theirs=theirs: schema_from_json(json.dumps(theirs)))
            )
            if not isinstance(next_one, Schema):  # refused by both, or no schema that the core takes
                break
            schema = next_one
    ledger.close()


def document_of(schema: Schema) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(write_persisted(schema).value)
    return document


def test_promotions_answer_like_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger("type_promotion", DEVIATIONS)
    for case in vectors("type_promotion"):
        from_, to = type_of(case["input"]["from"]), type_of(case["input"]["to"])
        for ask, about, ours, theirs in promotion_questions(case, from_, to):
            ledger.settle(case, {"ask": ask, "from": from_, "to": to, **about}, ours, theirs)
    ledger.close()


def promotion_questions(
    case: dict[str, Any], from_: Any, to: Any
) -> Iterator[tuple[str, dict[str, Any], object, object]]:
    output = case["output"]
    changed = attempt(lambda: bool(evolve(holding(from_, optional=True), [AlterType("f", to)])))
    yield "alter", {}, changed, REFUSED if "error" in output["update_column_type"] else True
    if "compat" not in output:
        return
    compat = output["compat"]
    reasons = incompatibilities(holding(to).record, holding(from_).record)
    ours = [(reason.kind.name, reason.location) for reason in reasons]
    yield "check", {"form": "reasons", "column": "f"}, ours, checked(compat["checker"])
    yield "check", {"form": "compatible"}, bool(ours), not compat["is_schema_compatible"].get("value", False)
    yield "check", {"form": "evolution"}, bool(ours), "error" in compat["check_valid_evolution"]
    plan = attempt(lambda: reconcile(holding(from_), holding(to), Match.NAME))
    yield "covers", {}, plan != REFUSED, compat["is_compatible_projection"]["value"]
    for value in output["values"]:
        stored = decode(value["in"], from_)
        if stored is None:
            continue
        rewritten, encoded = value["rewrite_with_new_schema"], value.get("encodes", {})
        theirs = REFUSED if "error" in rewritten or "error" in encoded else decode(rewritten["value"], to)
        found = REFUSED if plan == REFUSED else attempt(lambda stored=stored: apply_plan(plan, (1, stored))[1])
        yield "value", {"value": stored}, found, theirs


def checked(answer: dict[str, Any]) -> object:
    if "error" in answer:
        return REFUSED
    return [(reason["kind"], reason["location"]) for reason in answer["value"]["incompatibilities"]]


def test_reconciliation_answers_like_hudi_or_deviates_with_a_reason() -> None:
    ledger = Ledger("schema_reconcile", DEVIATIONS)
    asking = {
        "reconcile": merge_questions,
        "requirements": requirement_questions,
        "merge": read_questions,
        "pair_checks": gate_questions,
        "rewrite": rewrite_questions,
        "rewrite_deep": rewrite_questions,
        "rewrite_flat": rewrite_questions,
        "project_shallow": nothing,
    }
    for case in vectors("schema_reconcile"):
        for question, ours, theirs in asking[case["op"]](case):
            ledger.settle(case, question, ours, theirs)
    ledger.close()


Answers = Iterator[tuple[dict[str, Any], object, object]]


def nothing(case: dict[str, Any]) -> Answers:
    """Taking top-level fields over by name without a look at their types is no reading of ours."""
    yield from ()


def merge_questions(case: dict[str, Any]) -> Answers:
    given, output = case["input"], case["output"]
    table = schema_of(given["table"])
    incoming = schema_from_avro(given["incoming"]) if given["incoming"] else t.Record(())
    for name, missing_optional in (("keep_missing", False), ("make_missing_nullable", True)):
        question = {"ask": "merge", "table": table, "incoming": incoming}
        ours = attempt(lambda missing=missing_optional: merge(table, incoming, missing_optional=missing))
        theirs = output[name]
        if isinstance(ours, Schema) and "value" in theirs and table.max_column_id > max(table.places):
            yield question, ours.max_column_id, theirs["value"]["max_column_id"]
            ours, theirs = shape(ours.record), shape(schema_from_json(json.dumps(theirs["value"]["internal"])).record)
        elif isinstance(ours, Schema) and "value" in theirs:
            yield {"ask": "same"}, ours is table, theirs["value"]["same_as_table"]
            ours, theirs = json.loads(write_persisted(ours).value), theirs["value"]["internal"]
        else:
            ours, theirs = ours == REFUSED, "error" in theirs
        yield {**question, "ask": "merged"}, ours, theirs
        if f"avro_{name}" in output:
            yield from avro_merge_questions(given, missing_optional, output[f"avro_{name}"])


def avro_merge_questions(given: dict[str, Any], missing_optional: bool, theirs: dict[str, Any]) -> Answers:
    table = schema_from_avro(given["table_avro"])
    incoming = schema_from_avro(given["incoming"]) if given["incoming"] else t.Record(())
    ours = attempt(lambda: schema_from_avro(schema_to_avro(merge(table, incoming, missing_optional=missing_optional))))
    if isinstance(ours, Schema) and "value" in theirs:
        found = schema_from_avro(theirs["value"])
        yield (
            {"ask": "avro"},
            (shape(ours.record), defaults(ours.record)),
            (shape(found.record), defaults(found.record)),
        )
    else:
        yield {"ask": "avro"}, ours == REFUSED, "error" in theirs


def requirement_questions(case: dict[str, Any]) -> Answers:
    source, target = (schema_from_avro(case["input"][side]).record for side in ("source", "target"))
    for name, reorder in (("no_reorder", False), ("reorder", True)):
        ours = requirements(source, target, reorder=reorder)
        theirs = schema_from_avro(case["output"][name]["value"]).record
        question = {"ask": "requirements", "source": source, "target": target}
        yield question, shape(ours), shape(theirs)
        yield {**question, "ask": "defaults"}, defaults(ours), defaults(theirs)


def read_questions(case: dict[str, Any]) -> Answers:
    given = case["input"]
    file = schema_of(given["file"])
    changed = {**given["file"], "changes": [*given["file"].get("changes", []), *given.get("changes", [])]}
    wanted = attempt(lambda: schema_of(given.get("query", changed)))
    yield {"ask": "changed"}, wanted == REFUSED, "error" in case
    if not isinstance(wanted, Schema) or "error" in case:
        return
    output, question = case["output"], {"ask": "read", "file": file, "wanted": wanted}
    for name, answer in output["filter_names"].items():
        found = find_stored_column(file, wanted, wanted.get(name).field.id)
        ours = found.place.name if isinstance(found, Stored) else ""
        yield {**question, "ask": "stored", "column": name}, ours, answer.get("value")
    plan = reconcile(file, wanted, nulls_for_required=True) if "records" in given else None
    for record, rewritten in zip(given.get("records", []), output.get("rewritten", []), strict=True):
        stored = decode(record, file.record)
        ours = attempt(lambda stored=stored: apply_plan(plan, stored))
        answer = rewritten["log_path"]
        theirs = REFUSED if "error" in answer else decode(in_order(answer["value"], wanted.record), wanted.record)
        yield {**question, "ask": "rows", "value": stored}, ours, theirs


def in_order(typed: Any, of: Any) -> Any:
    """A typed value with the fields of records under our names; Hudi has other names for columns that were added again."""
    match of:
        case t.Record(fields) if typed is not None:
            parts = zip(fields, typed["record"].values(), strict=True)
            return {"record": {field.name: in_order(part, field.type) for field, part in parts}}
        case t.Array(element) if typed is not None:
            return {"array": [in_order(part, element.type) for part in typed["array"]]}
        case t.Map(value=item) if typed is not None:
            return {"map": {key: in_order(part, item.type) for key, part in typed["map"].items()}}
        case _:
            return typed


def gate_questions(case: dict[str, Any]) -> Answers:
    table, writer = (schema_from_avro(case["input"][side]) for side in ("table", "writer"))
    output, ignored = case["output"], case["input"]["partition_columns"]
    question = {"ask": "gate", "reader": writer, "writer": table, "avro": case["input"]}
    reasons = incompatibilities(writer.record, table.record)
    reported = [(reason.kind.name, reason.location) for reason in reasons]
    yield {**question, "form": "reasons"}, reported, checked(output["checker"])
    yield {**question, "form": "compatible"}, not reasons, output["is_schema_compatible"].get("value", REFUSED)
    for validate in (True, False):
        for allow_missing in (True, False):
            name = f"check_schema_compatible(validate={validate},projection={allow_missing})".lower()
            options = {"validate": validate, "allow_missing": allow_missing, "ignored": ignored}
            ours = attempt(lambda options=options: require_writable(table.record, writer.record, **options))
            yield {**question, "ask": "require"}, ours == REFUSED, "error" in output[name]
    lacking = missing_columns(table.record, writer.record)
    yield (
        {**question, "ask": "missing"},
        [path[0] for path in lacking if len(path) == 1],
        output["missing_fields"]["value"],
    )
    ours = not lacking and not incompatibilities(writer.record, table.record, names=False)
    yield {**question, "ask": "evolution"}, ours, "value" in output["check_valid_evolution"]
    covered = attempt(lambda: bool(reconcile(table, writer, Match.NAME).positions))
    covered = covered != REFUSED and not missing_columns(writer.record, table.record)
    yield {**question, "ask": "covers"}, covered, output["is_compatible_projection"]["value"]


def rewrite_questions(case: dict[str, Any]) -> Answers:
    given = case["input"]
    file, wanted = schema_from_avro(given["from"]), schema_from_avro(given["to"])
    wanted = with_ids_of(file, wanted, given["renames"])
    stored = decode(given["record"], file.record)
    ours = attempt(lambda: apply_plan(reconcile(file, wanted), stored))
    theirs = REFUSED if "error" in case else decode(case["output"], wanted.record)
    yield {"ask": "rewrite", "file": file, "wanted": wanted, "value": stored}, ours, theirs


def with_ids_of(file: Schema, wanted: Schema, renames: dict[str, str]) -> Schema:
    """The wanted schema with the ids of the file's columns: those of the same path, renames taken back."""
    fresh = count(1000)

    def old(path: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(renames.get(".".join(path[: depth + 1]), name) for depth, name in enumerate(path))

    def numbered(of: t.Type, path: tuple[str, ...]) -> t.Type:
        inner = []
        for field in t.children(of):
            at = (*path, field.name)
            column_id = file.ids[old(at)] if old(at) in file.ids else next(fresh)
            inner.append(replace(field, id=column_id, type=numbered(field.type, at)))
        return with_children(of, tuple(inner))

    return Schema(numbered(wanted.record, ()))

"""Schema changes, promotion and reconciliation against what Apache Hudi does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.errors import SchemaError
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
    Position,
    RenameColumn,
    SetDoc,
    SetOptional,
)
from hudi_core.schema.json import schema_from_json, schema_to_json
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Type
from tests.conformance.deviations import find
from tests.conformance.deviations.evolution import DEVIATIONS
from tests.support.conformance import vectors


def type_of(persisted: object) -> Type:
    field = {"id": 0, "name": "x", "optional": True, "type": persisted}
    document = {"max_column_id": 1000, "version_id": 0, "type": "record", "fields": [field]}
    return schema_from_json(json.dumps(document)).fields[0].type


def position_of(step: dict[str, Any]) -> Position:
    place = step.get("position") or {"type": "no_operation"}
    match place["type"]:
        case "first":
            return First()
        case "after":
            return After(place["ref"])
        case "before":
            return Before(place["ref"])
        case _:
            return Last()


def stepped(schema: Schema, step: dict[str, Any]) -> Schema:
    match step["op"]:
        case "set_max_column_id":
            return replace(schema, max_column_id=step["value"])
        case "set_version":
            return replace(schema, version=step["value"])
        case "delete":
            return dropped(schema, step["names"])
        case "changeset":
            return change_set(schema, step)
        case "reorder" if step["position"]["type"] == "no_operation":
            raise SchemaError(step["name"], expected="a position", found="none")
        case _:
            return evolve(schema, [change_of(step)])


def change_of(step: dict[str, Any]) -> Change:
    match step["op"]:
        case "add":
            return AddColumn(step["name"], type_of(step["type"]), doc=step["doc"], position=position_of(step))
        case "rename":
            return RenameColumn(step["name"], step["new_name"])
        case "nullability":
            return SetOptional(step["name"], step["optional"])
        case "type":
            return AlterType(step["name"], type_of(step["type"]))
        case "comment":
            return SetDoc(step["name"], step["doc"])
        case "reorder":
            return MoveColumn(step["name"], position_of(step))
        case other:
            raise AssertionError(other)


def dropped(schema: Schema, names: list[str]) -> Schema:
    """Hudi drops a list of columns at once; naming one twice, or below another, is naming it once."""
    tops = [name for name in dict.fromkeys(names) if not any(name.startswith(f"{other}.") for other in names)]
    for name in names:
        schema.get(name) if name.split(".")[0] not in ("_hoodie_record_key",) else None
    return evolve(schema, [DropColumn(name) for name in tops])


def change_set(start: Schema, step: dict[str, Any]) -> Schema:
    """All names in a change set of Hudi are those at its start."""
    schema = start

    def change(made: Change) -> None:
        nonlocal schema
        schema = evolve(schema, [made], case_sensitive=step.get("case_sensitive", False))

    def current(name: str) -> tuple[str, ...]:
        found = start.find(name)
        return schema.place(found.field.id).path if found else tuple(name.split("."))

    match step["kind"]:
        case "add":
            for item in step["items"]:
                if "name" in item:
                    if item.get("parent"):
                        start.get(item["parent"])
                    path = ".".join(filter(None, (item.get("parent", ""), item["name"])))
                    change(AddColumn(path, type_of(item["type"]), doc=item.get("doc")))
            for item in step["items"]:
                if "move" in item:
                    move = item["move"]
                    if move["type"] not in ("first", "before", "after"):
                        raise SchemaError(move["src"], expected="a position", found=move["type"])
                    change(MoveColumn(move["src"], position_of({"position": move})))
        case "delete":
            return dropped(start, [item["name"] for item in step["items"]])
        case "update":
            for item in step["items"]:
                if "name" not in item:
                    continue
                start.get(item["name"])
                if "type" in item:
                    change(AlterType(current(item["name"]), type_of(item["type"])))
                if "optional" in item:
                    change(SetOptional(current(item["name"]), item["optional"], item.get("force", False)))
                if "doc" in item:
                    change(SetDoc(current(item["name"]), item["doc"]))
                if "new_name" in item:
                    change(RenameColumn(current(item["name"]), item["new_name"]))
            for item in step["items"]:
                if "move" in item:
                    move = item["move"]
                    change(MoveColumn(current(move["src"]), position_of({"position": {**move, "ref": current(move["ref"])}})))
    return schema


def answer(schema: Schema, step: dict[str, Any]) -> Schema | SchemaError:
    try:
        return stepped(schema, step)
    except SchemaError as error:
        return error


def test_schema_changes() -> None:
    wrong = []
    for case in vectors("schema_changes"):
        schema = schema_from_avro(case["input"]["avro"])
        for step, theirs in zip(case["input"]["changes"], case["output"]["steps"], strict=False):
            ours = answer(schema, step)
            if isinstance(ours, SchemaError):
                if "value" in theirs:
                    wrong.append((case["id"], step, str(ours), "accepted"))
                break
            document = json.loads(schema_to_json(ours).value)
            if "error" in theirs:
                wrong.append((case["id"], step, "accepted", theirs["error"]))
                break
            if document != theirs["value"]:
                wrong.append((case["id"], step, "other", [(a, b) for a, b in zip(document["fields"], theirs["value"]["fields"]) if a!=b] or (document["max_column_id"], theirs["value"]["max_column_id"])))
                break
            schema = ours
    for w in wrong: print(*w, sep="\n    ")
    print(len(wrong))
    assert not wrong

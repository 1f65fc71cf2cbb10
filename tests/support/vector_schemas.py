"""The schemas and schema changes of the vector files, read into our own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

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
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.json import schema_from_json
from hudi_core.schema.schema import Path, Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk

Step = Mapping[str, Any]


def persisted_type(answer: object) -> t.Type:
    """A type of the persisted form: its name, or the JSON of a nested one."""
    field = {"id": 0, "name": "x", "optional": True, "type": answer}
    document = {"max_column_id": 1000, "version_id": 0, "type": "record", "fields": [field]}
    return schema_from_json(json.dumps(document)).fields[0].type


def type_of(answer: Mapping[str, Any]) -> t.Type:
    """A type given as `avro` or as `internal`."""
    if "avro" not in answer:
        return persisted_type(answer["internal"])
    return (
        schema_from_avro({"type": "record", "name": "R", "fields": [{"name": "f", "type": answer["avro"]}]})
        .fields[0]
        .type
    )


def holding(of: t.Type, *, optional: bool = False) -> Schema:
    """A schema with a column `f` of the type behind another column."""
    fields = (t.Field(0, "k", t.Int(), optional=False), t.Field(0, "f", of, optional=optional))
    return Schema(record_with_ids(t.Record(fields, name="R")))


def schema_of(answer: Mapping[str, Any]) -> Schema:
    """A schema given as `avro` or as `internal_json`, with `version_id` and `changes` applied to it."""
    if "internal_json" in answer:
        document = answer["internal_json"]
        schema = schema_from_json(document if isinstance(document, str) else json.dumps(document))
    else:
        schema = replace(schema_from_avro(answer["avro"]), version=answer.get("version_id", 0))
    for step in answer.get("changes", []):
        schema = stepped(schema, step)
    return schema


def stepped(schema: Schema, step: Step) -> Schema:
    """The schema after one step. Raises `SchemaError` when it is refused."""
    match step["op"]:
        case "set_max_column_id":
            return replace(schema, max_column_id=step["value"])
        case "set_version":
            return replace(schema, version=step["value"])
        case "delete":
            return _without(schema, step["names"])
        case "changeset":
            return _after_change_set(schema, step)
        case _:
            return evolve(schema, [_change(step)])


def _change(step: Step) -> Change:
    match step["op"]:
        case "add":
            return AddColumn(
                step["name"], persisted_type(step["type"]), doc=step["doc"], position=_position(step, Last())
            )
        case "rename":
            return RenameColumn(step["name"], step["new_name"])
        case "nullability":
            return SetOptional(step["name"], step["optional"])
        case "type":
            return AlterType(step["name"], persisted_type(step["type"]))
        case "comment":
            return SetDoc(step["name"], step["doc"])
        case "reorder":
            return MoveColumn(step["name"], _position(step))
        case other:
            raise AssertionError(f"unknown step {other}")


def _position(step: Step, otherwise: Position | None = None) -> Position:
    place = step.get("position") or {"type": "no_operation"}
    match place["type"]:
        case "first":
            return First()
        case "after":
            return After(place["ref"])
        case "before":
            return Before(place["ref"])
        case other:
            if otherwise is None:
                raise SchemaError(expected="first, after or before", found=other)
            return otherwise


def _without(schema: Schema, names: Iterable[str]) -> Schema:
    """Hudi drops a list of columns at once; naming one twice, or below another, is naming it once."""
    listed = list(dict.fromkeys(names))
    tops = [name for name in listed if not any(name.startswith(f"{other}.") for other in listed)]
    return evolve(schema, [DropColumn(name) for name in tops])


def _after_change_set(start: Schema, step: Step) -> Schema:
    """All names in a change set of Hudi are those at its start."""
    if step["kind"] == "delete":
        return _without(start, [item["name"] for item in step["items"]])
    schema, case_sensitive = start, step.get("case_sensitive", False)

    def now(name: str) -> Path:
        found = start.find(name)
        return schema.place(found.field.id).path if found else schema.get(name).path

    for item in step["items"]:
        changes = _added(item, start) if step["kind"] == "add" else _updated(item, start)
        for change in changes:
            column = change.column if isinstance(change, AddColumn) else now(str(change.column))
            schema = evolve(schema, [replace(change, column=column)], case_sensitive=case_sensitive)
    for item in step["items"]:
        if "move" in item:
            move = item["move"]
            position = _position({"position": {**move, "ref": now(move["ref"])}})
            schema = evolve(schema, [MoveColumn(now(move["src"]), position)])
    return schema


def _added(item: Step, start: Schema) -> list[Change]:
    if "name" not in item:
        return []
    if item.get("parent"):
        start.get(item["parent"])
    path = ".".join(filter(None, (item.get("parent"), item["name"])))
    return [AddColumn(path, persisted_type(item["type"]), doc=item.get("doc"))]


def _updated(item: Step, start: Schema) -> list[Change]:
    if "name" not in item:
        return []
    name = start.get(item["name"]).name
    made: list[Change] = []
    if "type" in item:
        made.append(AlterType(name, persisted_type(item["type"])))
    if "optional" in item:
        made.append(SetOptional(name, item["optional"], item.get("force", False)))
    if "doc" in item:
        made.append(SetDoc(name, item["doc"]))
    if "new_name" in item:
        made.append(RenameColumn(name, item["new_name"]))
    return made


def shape(of: t.Type, *, ids: bool = False) -> object:
    """What a schema says of its rows: names, nullability, types; without names of types, docs, defaults, and ids unless asked."""
    match of:
        case t.Record() | t.Array() | t.Map() | t.Union():
            inner = [
                (field.id if ids else None, field.name, field.optional, shape(field.type, ids=ids))
                for field in t.children(of)
            ]
            return (type(of).__name__, *inner)
        case t.Fixed(size):
            return f"fixed[{size}]"
        case t.Decimal(precision, scale, fixed):
            return f"decimal({precision}, {scale})[{fixed.size if fixed else ''}]"
        case t.Enumeration(symbols):
            return symbols
        case t.Vector(dimension, element, backing):
            return (dimension, element, backing)
        case _:
            return of


def defaults(of: t.Type) -> list[tuple[Path, object]]:
    """The default of every field of a record that has one."""
    return [(path, field.default) for path, field in walk(of) if field.default is not t.ABSENT]

"""Deviations of schema changes. A question holds the `schema` before a step, the `step`, and the `type` it says."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hudi_core.evolve.fields import RESERVED
from hudi_core.schema.meta import OPERATION
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk
from tests.conformance.deviations import Deviation, Question, refused
from tests.conformance.deviations.promotion import PROMOTION, too_few_digits


def _step(q: Question, *ops: str) -> bool:
    return q["ask"] == "step" and q["step"]["op"] in ops


def _items(q: Question, kind: str) -> list[Any]:
    step = q["step"]
    return step["items"] if q["ask"] == "step" and step["op"] == "changeset" and step["kind"] == kind else []


def _siblings(schema: Schema, path: str) -> list[str]:
    parent = path.rpartition(".")[0]
    place = schema.find(parent) if parent else None
    of = place.field.type if place else schema.record
    return [field.name for field in of.fields] if isinstance(of, t.Record) else []


def _case_clash(q: Question) -> bool:
    """A nested column beside one that differs by case, or two new ones in a change set."""
    if _step(q, "add") and "." in q["step"]["name"]:
        name, siblings = q["step"]["name"].rpartition(".")[2], _siblings(q["schema"], q["step"]["name"])
        return name not in siblings and name.lower() in {held.lower() for held in siblings}
    added = [item["name"] for item in _items(q, "add") if "name" in item and not item.get("parent")]
    return len(set(added)) == len(added) and len({name.lower() for name in added}) < len(added)


def _not_a_name(q: Question) -> bool:
    name = q["step"].get("new_name") if _step(q, "rename") else q["step"].get("name") if _step(q, "add") else None
    if name is None or (_step(q, "rename") and not name):
        return False
    last = name if _step(q, "rename") else name.rpartition(".")[2]
    return not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", last, re.ASCII)


def _takes_own_name(q: Question) -> bool:
    held = {field.name.lower() for field in q["schema"].fields}
    if _step(q, "rename") and "." not in q["step"]["name"] and q["schema"].find(q["step"]["name"]) is not None:
        return q["step"]["new_name"].lower() in RESERVED - held
    return _step(q, "add") and q["step"]["name"].lower() in {OPERATION} - held


def _first_of_all(q: Question) -> bool:
    if not _step(q, "add", "reorder") or "." in q["step"]["name"] or q["step"]["name"] in RESERVED:
        return False
    known = _step(q, "add") or q["schema"].find(q["step"]["name"]) is not None
    return known and (q["step"].get("position") or {}).get("type") == "first"


def _beside_nothing(q: Question) -> bool:
    place = q["step"].get("position") if _step(q, "add") else None
    if not place or place["type"] not in ("after", "before") or not place["ref"]:
        return False
    same_parent = place["ref"].rpartition(".")[0] == q["step"]["name"].rpartition(".")[0]
    return same_parent and q["schema"].find(place["ref"]) is None


def _among_own(q: Question) -> bool:
    if not _step(q, "add", "reorder") or q["step"]["name"] in RESERVED:
        return False
    place = q["step"].get("position") or {}
    names = [field.name for field in q["schema"].fields]
    own = [name for name in names if name in RESERVED]
    return place.get("type") == "after" and place["ref"] in own[:-1] and place["ref"] not in own[:3]


def _moves_own(q: Question) -> bool:
    if not _step(q, "reorder") or q["step"]["name"] not in RESERVED:
        return False
    return q["step"]["position"]["type"] in ("after", "before") and q["schema"].find(q["step"]["name"]) is not None


def _renamed_inside(q: Question) -> bool:
    """A new name for an array's element or a map's key or value."""
    if not _step(q, "rename"):
        return False
    place = q["schema"].find(q["step"]["name"])
    if place is None or len(place.path) < 2:
        return False
    parent = q["schema"].get(place.path[:-1]).field.type
    return isinstance(parent, t.Array | t.Map)


def _nullable_key(q: Question) -> bool:
    if not _step(q, "nullability") or not q["step"]["optional"]:
        return False
    place = q["schema"].find(q["step"]["name"])
    if place is None or len(place.path) < 2:
        return False
    parent = q["schema"].get(place.path[:-1]).field.type
    return isinstance(parent, t.Map) and place.path[-1] == "key"


def _taken_by_sibling(q: Question) -> bool:
    if _step(q, "rename") and "." in q["step"]["name"]:
        top = {field.name.lower() for field in q["schema"].fields}
        others = _siblings(q["schema"], q["step"]["name"])
        return (
            q["step"]["new_name"].lower() in {name.lower() for name in others}
            and q["step"]["new_name"].lower() not in top
        )
    renamed = [item["new_name"] for item in _items(q, "update") if "new_name" in item]
    return len(set(renamed)) < len(renamed)


def _taken_elsewhere(q: Question) -> bool:
    if not _step(q, "rename") or "." not in q["step"]["name"] or q["schema"].find(q["step"]["name"]) is None:
        return False
    top = {field.name.lower() for field in q["schema"].fields}
    siblings = {name.lower() for name in _siblings(q["schema"], q["step"]["name"])}
    return q["step"]["new_name"].lower() in top - siblings


def _before_itself(q: Question) -> bool:
    if not _step(q, "reorder") or q["schema"].find(q["step"]["name"]) is None:
        return False
    place = q["step"]["position"]
    return place["type"] == "before" and place["ref"] == q["step"]["name"]


def _drops_greatest(q: Question) -> bool:
    names = q["step"]["names"] if _step(q, "delete") else [item["name"] for item in _items(q, "delete")]
    dropped: set[int] = set()
    for name in names:
        place = q["schema"].find(name)
        if place is not None:
            if len(place.path) > 1 and not isinstance(q["schema"].get(place.path[:-1]).field.type, t.Record):
                return False  # an element, a key or a value cannot be dropped
            dropped |= {place.field.id, *(field.id for _, field in walk(place.field.type))}
    left = max((column_id for column_id in q["schema"].places if column_id not in dropped), default=-1)
    return bool(dropped) and 0 <= left < q["schema"].max_column_id


def _counts_again(q: Question) -> bool:
    """A change of a column that stays, while the greatest id that was ever given exceeds those that are left."""
    if not _step(q, "rename", "comment", "nullability", "reorder") or q["schema"].find(q["step"]["name"]) is None:
        return False
    exceeds = max(q["schema"].places, default=-1) < q["schema"].max_column_id
    return exceeds and not any(rule.applies(q) for rule in _OTHERS)


def _greatest_stays(q: Question) -> object:
    return {**q["theirs"], "max_column_id": q["schema"].max_column_id}


def _put_first(q: Question) -> object:
    """The document before the step, with the column behind Hudi's own."""
    step, before = q["step"], q["document"]
    greatest = before["max_column_id"]
    if step["op"] == "add":
        greatest += 1
        column = {"id": greatest, "name": step["name"], "optional": True, "type": step["type"]}
        column |= {"doc": step["doc"]} if step["doc"] is not None else {}
    else:
        (column,) = (field for field in before["fields"] if field["name"] == step["name"])
    others = [field for field in before["fields"] if field["name"] != step["name"]]
    own = [field for field in others if field["name"] in RESERVED]
    fields = [*own, column, *(field for field in others if field["name"] not in RESERVED)]
    return {**before, "max_column_id": greatest, "fields": fields}


def _renamed(q: Question) -> object:
    """The document before the step, with another name at the end of a path through records."""

    def inside(record: Any, path: list[str]) -> Any:
        name, *rest = path
        fields = []
        for field in record["fields"]:
            if field["name"] == name:
                field = (
                    {**field, "type": inside(field["type"], rest)} if rest else {**field, "name": q["step"]["new_name"]}
                )
            fields.append(field)
        return {**record, "fields": fields}

    return inside(q["document"], q["step"]["name"].split("."))


def _unchanged(q: Question) -> object:
    return q["document"]


def _few_digits_step(q: Question) -> bool:
    if not _step(q, "type") or q["schema"].find(q["step"]["name"]) is None:
        return False
    from_ = q["schema"].get(q["step"]["name"]).field.type
    return too_few_digits({"ask": "alter", "from": from_, "to": q["type"]})


def _part_of_a_whole(q: Question) -> bool:
    """A step below a variant or a blob, whose parts belong together."""
    if not _step(q, "add", "rename", "type", "nullability", "comment", "reorder") or "." not in q["step"]["name"]:
        return False
    parent = q["schema"].find(q["step"]["name"].rpartition(".")[0])
    of = parent.field.type if parent else None
    return isinstance(of, t.Record) and of.kind is not t.RecordKind.PLAIN


_OTHERS = (
    Deviation(
        "schema_changes",
        "variants and blobs stay whole",
        _part_of_a_whole,
        refused,
        "A part of a variant or a blob is no column that can change.",
        "To Hudi's applier they are records like others; what is left after a change is no variant and no blob.",
    ),
    Deviation(
        "schema_changes",
        "new names that differ in case only",
        _case_clash,
        refused,
        "Refused, unless names are case-sensitive by choice.",
        "Hudi refuses it at the top and overlooks it inside structs and change sets; Spark then cannot tell the columns apart.",
    ),
    Deviation(
        "schema_changes",
        "names that Avro cannot hold",
        _not_a_name,
        refused,
        "Refused.",
        "Hudi accepts the change and then fails to write the schema of the commit: its Avro form allows letters, digits and _.",
    ),
    Deviation(
        "schema_changes",
        "Hudi's own names",
        _takes_own_name,
        refused,
        "Refused, whether the column is there or not.",
        "Hudi accepts the ones that are absent at the moment; a later setting (the operation column) would overwrite them.",
    ),
    Deviation(
        "schema_changes",
        "FIRST at the top of the schema",
        _first_of_all,
        _put_first,
        "The column comes first behind Hudi's own columns.",
        "Hudi refuses FIRST at the top to keep its own columns in front, where they stay here too.",
    ),
    Deviation(
        "schema_changes",
        "beside a column that does not exist",
        _beside_nothing,
        refused,
        "Refused with the names that come close.",
        "Hudi puts the column first without a word.",
    ),
    Deviation(
        "schema_changes",
        "no column between Hudi's own",
        _among_own,
        refused,
        "Refused.",
        "Hudi guards the first three of its five columns only.",
    ),
    Deviation(
        "schema_changes",
        "Hudi's own columns do not move",
        _moves_own,
        refused,
        "Refused.",
        "Hudi looks at the column moved to, not at the one that moves; readers expect its columns first.",
    ),
    Deviation(
        "schema_changes",
        "new names of elements, keys and values",
        _renamed_inside,
        refused,
        "Refused.",
        "Hudi accepts the new name of an element, key or value and forgets it.",
    ),
    Deviation(
        "schema_changes",
        "map keys made optional",
        _nullable_key,
        refused,
        "Refused.",
        "Hudi accepts it and forgets it.",
    ),
    Deviation(
        "schema_changes",
        "a new name that a neighbouring column has",
        _taken_by_sibling,
        refused,
        "Refused.",
        "Hudi compares the new name with full paths, overlooks the neighbour, and fails to write the schema.",
    ),
    Deviation(
        "schema_changes",
        "a new name that a column of another record has",
        _taken_elsewhere,
        _renamed,
        "Accepted.",
        "Hudi compares the new name inside a struct with the names at the top.",
    ),
    Deviation(
        "schema_changes",
        "a move before the column itself",
        _before_itself,
        _unchanged,
        "Nothing changes, as with AFTER.",
        "Hudi raises IndexOutOfBoundsException.",
    ),
    replace(PROMOTION[1], subject="schema_changes", applies=_few_digits_step),
)

CHANGES = (
    Deviation(
        "schema_changes",
        "column ids after a drop",
        lambda q: _drops_greatest(q) or _counts_again(q),
        _greatest_stays,
        "`max_column_id` stays, whatever the change.",
        "Hudi's applier takes the greatest id that is left, so that the next column gets the id of the dropped one and with it "
        "the data in old files; its SQL command repairs that by hand.",
    ),
    *_OTHERS,
)

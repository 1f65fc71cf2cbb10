"""Our answers about schemas where they differ from Apache Hudi's: made from the JSON that was given, or from its answer."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.conformance.avro_form import written
from tests.conformance.deviations import REFUSED, Question


def objects(found: object) -> Iterator[dict[str, Any]]:
    if isinstance(found, dict):
        yield found
    for item in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        yield from objects(item)


def documents(question: Question) -> Iterator[dict[str, Any]]:
    """All objects of a persisted document."""
    return objects(question.get("document"))


_ID_KEYS = ("id", "element_id", "key_id", "value_id")


def is_id(given: object) -> bool:
    """A whole number; true and false are none."""
    return isinstance(given, int) and not isinstance(given, bool)


def ids_in(question: Question) -> list[int]:
    """The ids of a persisted document that are whole numbers."""
    return [item[key] for item in documents(question) for key in _ID_KEYS if key in item and is_id(item[key])]


def no_ids_in(question: Question) -> list[object]:
    """What stands in the place of an id and is none."""
    return [item[key] for item in documents(question) for key in _ID_KEYS if key in item and not is_id(item[key])]


def in_later_branch(schema: Schema, path: tuple[str, ...]) -> bool:
    """Whether a column stands below a branch of a union behind the first."""
    ends = [path[:depth] for depth in range(1, len(path))]
    unions = [end for end in ends if isinstance(schema.get(end).field.type, t.Union)]
    return any(path[len(end)] != "member0" for end in unions)


def greatest_of_all(q: Question) -> object:
    """Ids are counted from 0 without a gap, but for hidden ones."""
    given = [column_id for column_id in q["schema"].places if column_id >= 0]
    return re.sub(r'"max_column_id":\d+', f'"max_column_id":{len(given) - 1}', q["theirs"], count=1)


def hidden_apart(q: Question) -> object:
    """Ids as recorded and, where none are, the next that nobody has; of hidden columns that theirs is hidden
    (`test_vectors_schema.shown_ids`)."""
    free = iter(
        sorted(set(range(len(q["schema"].places))) - {item for item in q["theirs"].values() if item != "hidden"})
    )
    ids: dict[str, object] = {}
    for place in q["schema"].places.values():
        path = place.path
        parents = [q["schema"].get(path[:depth]).field.type for depth in range(1, len(path))]
        disguised = any(isinstance(of, t.Record) and of.kind is not t.RecordKind.PLAIN for of in parents)
        hidden = disguised or isinstance((parents or [None])[-1], t.Union)
        later = in_later_branch(q["schema"], path)
        known = ".".join(name for name in path if not re.fullmatch(r"member\d+", name))
        ids[".".join(path)] = "hidden" if hidden else next(free) if later else q["theirs"][known]
    return ids


def kinds_of_one(q: Question) -> object:
    alone = {path.removesuffix("<0>"): kind for path, kind in q["theirs"].items() if path.endswith("<0>")}
    return {path: alone.get(path, kind) for path, kind in q["theirs"].items() if not path.endswith("<0>")}


def kinds_of_nanos(q: Question) -> object:
    names = {item["name"] for item in objects(q["avro"]) if "name" in item and "-nanos" in json.dumps(item["type"])}
    return {
        path: ("TIMESTAMP", kind[1]) if path.rpartition(".")[2] in names and kind[0] == "LONG" else kind
        for path, kind in q["theirs"].items()
    }


def itself(q: Question) -> object:
    """The Avro schema as it was given, in the form that schemas are written in. A blob's tag elsewhere does not count."""
    given = copy.deepcopy(q["avro"])
    for item in objects(given):
        if item.get("logicalType") == "blob" and all(kind != "BLOB" for kind, _ in q["kinds"].values()):
            del item["logicalType"]
    return written(given)


def back(q: Question) -> object:
    """What Apache Hudi makes of its schema without writing and reading it in between."""
    back = q["back"]
    namespace, _, name = q["record_name"].rpartition(".")
    old = ".".join(filter(None, (back.get("namespace"), back["name"])))
    inner = json.loads(json.dumps(back["fields"]).replace(f'"{old}', f'"{q["record_name"]}'))
    return {**back, "name": name, "namespace": namespace, "fields": inner}


def second_named(q: Question) -> object:
    """A field that names the variant of another field gets a variant of its own, under a name with the field's."""
    made = copy.deepcopy(q["theirs"])
    variants = [item for item in objects(made) if item.get("logicalType") == "variant"]
    for field in made["fields"]:
        branches = field["type"] if isinstance(field["type"], list) else [field["type"]]
        named = [
            {**variants[0], "name": f"variant_{field['name']}"} if item == "variant" else item for item in branches
        ]
        field["type"] = named if isinstance(field["type"], list) else named[0]
    return made


def _dumped(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def rewritten(change: Any) -> Any:
    """The document with each of its objects changed, in the form that documents are written in."""

    def expected(q: Question) -> object:
        document = copy.deepcopy(q["document"])
        for item in list(objects(document)):
            change(item)
        return _dumped(document)

    return expected


def spelled(item: dict[str, Any]) -> None:
    """Type names with a blank behind a comma, and no other."""
    for key in ("type", "element", "key", "value"):
        if isinstance(item.get(key), str):
            item[key] = re.sub(r"\s*,\s*", ", ", re.sub(r"\s*([\[(])\s*|\s+(?=[\])])", r"\1", item[key]))


def underscored(item: dict[str, Any]) -> None:
    renamed = {key.replace("-id", "_id").replace("max-column", "max_column"): part for key, part in item.items()}
    item.clear()
    item.update(renamed)


def _undocumented(item: dict[str, Any]) -> None:
    if item.get("doc", "") is None:
        del item["doc"]


def without_doc(q: Question) -> object:
    if q["ask"] == "parsed":
        return rewritten(_undocumented)(q)
    made = copy.deepcopy(q["theirs"])
    for item in objects(made):
        if item.get("doc") == "null":
            del item["doc"]
    return made


def greatest_raised(q: Question) -> object:
    return _dumped({**q["document"], "max_column_id": max(ids_in(q))})


def avro_of_no_bytes(q: Question) -> object:
    """A record of optional columns that are fixed types of size 0, each named after its place."""
    fields = []
    for field in q["document"]["fields"]:
        fixed = {"type": "fixed", "name": "fixed", "namespace": f"ns.R.{field['name']}", "size": 0}
        fields.append({"name": field["name"], "type": ["null", fixed], "default": None})
    return {"type": "record", "name": "R", "namespace": "ns", "fields": fields}


def appended(q: Question) -> object:
    """The new version before the others of the document; a text that is none is refused."""
    try:
        versions = json.loads(q["text"])["schemas"]
    except (ValueError, KeyError, TypeError):
        return REFUSED
    return _dumped({"schemas": [q["new"], *versions]})


def chosen(q: Question) -> object:
    """The fields that are named, with those inside them that are, in the order of the names."""

    def inside(of: Any, names: list[str]) -> Any:
        if isinstance(of, list):
            return [inside(branch, names) for branch in of]
        if not isinstance(of, dict) or of.get("type") != "record":
            return of
        tops = dict.fromkeys(name.partition(".")[0].lower() for name in names)
        fields = []
        for top in tops:
            (field,) = (item for item in of["fields"] if item["name"].lower() == top)
            below = [name.partition(".")[2] for name in names if name.partition(".")[0].lower() == top]
            fields.append(field if "" in below else {**field, "type": inside(field["type"], below)})
        return {**of, "fields": fields}

    return written(inside(q["avro"], q["names"]))


def greatest_unchanged(q: Question) -> object:
    return {**q["theirs"], "max_column_id": q["chosen"].max_column_id}


def nullable_once(q: Question) -> object:
    return ["null", *(branch for branch in q["avro"] if branch != "null")]

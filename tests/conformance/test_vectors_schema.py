"""Avro schemas, the persisted schema and its history against what Apache Hudi does.

Not asked: Hudi's classes behind a type (carrier, `toString` of nested types), and its round trip that puts null first, which
is what every schema here has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hudi_core.avro.document import record_name, sanitize
from hudi_core.avro.inbound import field_from_avro, schema_from_avro
from hudi_core.avro.outbound import schema_to_avro, type_to_avro
from hudi_core.schema.dialect import place_of_parquet_name
from hudi_core.schema.history import append_schema, schema_at
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.json import (
    EMPTY,
    history_from_json,
    history_to_json,
    schema_from_json,
    type_from_json_text,
    type_to_json_text,
    write_persisted,
)
from hudi_core.schema.meta import with_meta_columns, without_meta_columns
from hudi_core.schema.project import in_order, project, with_all_optional
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.promote import Purpose, promotion
from hudi_core.types.walk import walk
from tests.conformance.deviations.schema import DEVIATIONS, SUBJECT
from tests.support.conformance import vectors
from tests.support.ledger import REFUSED, Ledger, attempt

Case = Mapping[str, Any]
Question = dict[str, Any]


def test_avro_and_persisted_schemas_answer_like_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger(SUBJECT, DEVIATIONS)
    for case in vectors("avro_to_internal_schema"):
        ASKED[case["op"]](ledger, case)
    ledger.close()


def value_of(part: Mapping[str, Any] | None) -> Any:
    """A recorded part of an output; it may have failed on its own."""
    return REFUSED if part is None or "error" in part else part["value"]


def output_of(case: Case) -> Any:
    return case.get("output", REFUSED)


def parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def convert(ledger: Ledger, case: Case) -> None:
    avro, output = case["input"]["avro"], case.get("output", {})
    schema = attempt(lambda: schema_from_avro(avro))
    positions = {tuple(name.split(".")): at for name, at in case["input"].get("positions", {}).items()}
    if isinstance(schema, Schema) and positions:
        schema = Schema(record_with_ids(in_order(schema, positions).record))
    about = {"avro": avro, "schema": schema}
    kinds = attempt(lambda: kinds_of(field_from_avro(avro)))
    theirs = value_of(output.get("hoodie_schema") and {"value": output["hoodie_schema"]["paths"]})
    theirs = theirs if theirs == REFUSED else value_of(theirs)
    recorded = (
        {path: (item["type"], item["nullable"]) for path, item in theirs.items()} if theirs != REFUSED else REFUSED
    )
    about["kinds"] = recorded
    if not positions:
        ledger.settle(case, {**about, "ask": "kinds"}, kinds, recorded)
    text = write_persisted(schema).value if isinstance(schema, Schema) else REFUSED
    internal = value_of(output.get("internal"))
    ledger.settle(
        case, {**about, "ask": "persisted"}, text, REFUSED if internal == REFUSED else output["internal_text"]
    )
    if not isinstance(schema, Schema) or internal == REFUSED:
        return
    ids = {".".join(place.path): column for column, place in schema.places.items()}
    ledger.settle(case, {**about, "ask": "ids"}, shown_ids(ids), shown_ids(value_of(output["ids"])))
    ledger.settle(case, {**about, "ask": "record name"}, schema.record.name, output["record_name_kept"])
    if not positions:
        again = value_of(output["fix_null_ordering"])
        ledger.settle(case, {**about, "ask": "avro again"}, schema_to_avro(schema), again)
    again = schema_to_avro(schema_from_json(text), case["input"]["record_name"])
    read_back = value_of(output["json_read_back"])
    recorded = REFUSED if read_back == REFUSED else value_of(read_back["back"])
    about |= {"back": value_of(output["back"]), "record_name": case["input"]["record_name"]}
    ledger.settle(case, {**about, "ask": "avro of the persisted"}, again, recorded)


def shown_ids(ids: dict[str, int]) -> dict[str, object]:
    """Ids by path, with a word in the place of one that is negative and given once."""
    given = list(ids.values())
    return {path: "hidden" if item < 0 and given.count(item) == 1 else item for path, item in ids.items()}


def kinds_of(root: t.Field) -> dict[str, tuple[str, bool]]:
    """Hudi's word for the type at each path, and whether it is nullable."""
    found = {"$": (kind_of(root.type), root.optional)}

    def inside(of: t.Type, prefix: str) -> None:
        for position, field in enumerate(t.children(of)):
            if isinstance(of, t.Map) and field.name == "key":
                continue
            path = f"{prefix}<{position}>" if isinstance(of, t.Union) else f"{prefix}.{field.name}"
            path = path.removeprefix("$.") if isinstance(root.type, t.Record) else path.removeprefix("$")
            found[path] = (kind_of(field.type), field.optional)
            inside(field.type, path)

    inside(root.type, "$")
    return found


def kind_of(of: t.Type) -> str:
    match of:
        case t.Record(kind=kind):
            return kind.name if kind is not t.RecordKind.PLAIN else "RECORD"
        case t.Binary():
            return "BYTES"
        case t.Enumeration():
            return "ENUM"
        case _:
            return type(of).__name__.upper()


def parse_internal(ledger: Ledger, case: Case) -> None:
    text, output = case["input"]["text"], output_of(case)
    about = {"text": text, "document": parsed(text)}
    if output == {"empty_option": True}:
        ledger.settle(case, {**about, "ask": "parsed"}, schema_from_json(text), EMPTY)
        return
    ours = attempt(lambda: write_persisted(schema_from_json(text)).value)
    ledger.settle(case, {**about, "ask": "parsed"}, ours, REFUSED if output == REFUSED else output["text"])
    if REFUSED not in (ours, output):
        avro = attempt(lambda: schema_to_avro(schema_from_json(text), "ns.R"))
        ledger.settle(case, {**about, "ask": "parsed as avro"}, avro, value_of(output["avro"]))


def parse_schemas(ledger: Ledger, case: Case) -> None:
    text = case["input"]["text"]
    ours = attempt(lambda: {str(item.version): write_persisted(item).value for item in history_from_json(text)})
    ledger.settle(case, {"ask": "history", "text": text}, ours, output_of(case))


def search_schema(ledger: Ledger, case: Case) -> None:
    found = schema_at(history_from_json(case["input"]["text"]), case["input"]["version"])
    ours = "" if found is None else write_persisted(found).value
    ledger.settle(case, {"ask": "schema of an instant"}, ours, output_of(case))


def version_of(answer: Case) -> Schema:
    return Schema(schema_from_avro(answer["avro"]).record, answer["version_id"])


def inherit_schemas(ledger: Ledger, case: Case) -> None:
    old, new = case["input"]["old_text"], version_of(case["input"]["new"])
    ours = attempt(lambda: append_schema(old, new).value)
    about = {"text": old, "document": parsed(old), "new": parsed(write_persisted(new).value)}
    ledger.settle(case, {**about, "ask": "appended"}, ours, output_of(case))


def to_json_list(ledger: Ledger, case: Case) -> None:
    ours = history_to_json([version_of(item) for item in case["input"]["schemas"]]).value
    ledger.settle(case, {"ask": "history document"}, ours, output_of(case))


def empty_schema(ledger: Ledger, case: Case) -> None:
    ours = {"text": write_persisted(EMPTY).value, "version_id": EMPTY.version, "max_column_id": EMPTY.max_column_id}
    ledger.settle(case, {"ask": "empty schema"}, {**ours, "is_empty": not EMPTY.fields}, output_of(case))


def type_text(ledger: Ledger, case: Case) -> None:
    answer, output = case["input"]["type"], output_of(case)
    if output["nested"]:
        assert isinstance(answer, dict)
        return
    of = type_from_json_text(answer)
    assert of is not None
    ledger.settle(case, {"ask": "type text", "type": answer}, type_to_json_text(of), output["printed"])


def type_equals(ledger: Ledger, case: Case) -> None:
    a, b = (type_from_json_text(case["input"][side]) for side in "ab")
    ledger.settle(case, {"ask": "equal types", "types": (a, b)}, a == b, output_of(case))


def decimal_wider(ledger: Ledger, case: Case) -> None:
    wide, narrow = (type_from_json_text(case["input"][side]) for side in "ab")
    assert wide is not None
    assert narrow is not None
    ours = wide != narrow and promotion(narrow, wide, Purpose.ALTER) is not None
    ledger.settle(case, {"ask": "wider", "types": (wide, narrow)}, ours, output_of(case))


def sanitize_name(ledger: Ledger, case: Case) -> None:
    name, mask = case["input"]["name"], case["input"].get("mask", "__")
    ledger.settle(case, {"ask": "sanitized"}, attempt(lambda: sanitize(name, mask)), output_of(case))


def record_qualified_name(ledger: Ledger, case: Case) -> None:
    ledger.settle(case, {"ask": "record name"}, attempt(lambda: record_name(case["input"]["name"])), output_of(case))


def from_input(case: Case) -> Schema:
    return schema_from_avro(case["input"]["avro"])


def add_metadata_fields(ledger: Ledger, case: Case) -> None:
    record = with_meta_columns(from_input(case).record, operation=case["input"]["with_operation"])
    ledger.settle(case, {"ask": "meta columns"}, schema_to_avro(record), output_of(case))


def remove_metadata_fields(ledger: Ledger, case: Case) -> None:
    ours = schema_to_avro(without_meta_columns(from_input(case).record))
    ledger.settle(case, {"ask": "meta columns"}, ours, output_of(case))


def as_nullable(ledger: Ledger, case: Case) -> None:
    ours = schema_to_avro(with_all_optional(from_input(case)))
    ledger.settle(case, {"ask": "all optional"}, ours, output_of(case))


def create_nullable(ledger: Ledger, case: Case) -> None:
    def nullable() -> object:
        of = type_to_avro(field_from_avro(case["input"]["avro"]).type)
        return ["null", *(of if isinstance(of, list) else [of])]

    ledger.settle(case, {"ask": "nullable", "avro": case["input"]["avro"]}, attempt(nullable), output_of(case))


def choose(**options: bool) -> Callable[[Ledger, Case], None]:
    def requested(ledger: Ledger, case: Case) -> None:
        names = case["input"]["names"]
        ours = attempt(lambda: schema_to_avro(project(from_input(case), names, **options)))
        about = {"ask": case["op"], "names": names, "avro": case["input"]["avro"]}
        ledger.settle(case, about, ours, output_of(case))

    return requested


def nested_field(ledger: Ledger, case: Case) -> None:
    schema, name, output = from_input(case), case["input"]["name"], output_of(case)
    place = place_of_parquet_name(schema, name)
    about = {"ask": "nested field", "name": name}
    if place is None or output in (None, REFUSED):
        ledger.settle(case, about, place, output)
        return
    of = type_to_avro(place.field.type, "x")
    ours = (place.field.name, ["null", of] if place.field.optional else of)
    ledger.settle(case, about, ours, (output["name"], output["schema"]))


def prune(ledger: Ledger, case: Case, schema: Schema, names: list[str]) -> None:
    chosen = attempt(lambda: project(schema, names, requested_order=True))
    ours = json.loads(write_persisted(chosen).value) if isinstance(chosen, Schema) else chosen
    ledger.settle(case, {"ask": "pruned", "chosen": chosen}, ours, output_of(case))


def prune_internal(ledger: Ledger, case: Case) -> None:
    prune(ledger, case, from_input(case), case["input"]["names"])


def prune_hoodie_to_internal(ledger: Ledger, case: Case) -> None:
    leaves = [".".join(path) for path, field in walk(from_input(case).record) if not isinstance(field.type, t.NESTED)]
    prune(ledger, case, schema_from_avro(case["input"]["origin"]), leaves)


ASKED: Mapping[str, Callable[[Ledger, Case], None]] = {
    item.__name__: item
    for item in (
        *(convert, parse_internal, parse_schemas, search_schema, inherit_schemas, to_json_list, empty_schema),
        *(type_text, type_equals, decimal_wider, sanitize_name, record_qualified_name),
        *(add_metadata_fields, remove_metadata_fields, as_nullable, create_nullable, nested_field),
        *(prune_internal, prune_hoodie_to_internal),
    )
} | {"generate_projection": choose(case_sensitive=False, requested_order=True), "project_schema": choose()}

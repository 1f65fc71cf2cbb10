"""The cases of key generators: what is asked of each, and what Hudi's three writing paths answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.keys.choose import WriterEnvironment
from hudi_core.keys.generator import WritePath
from hudi_core.keys.zones import parse_zone
from hudi_core.schema.schema import Schema
from hudi_core.types.text import text as type_text
from tests.support.ledger import REFUSED
from tests.support.vector_values import decode

WRITE = "hoodie.datasource.write."
YEAR = 2025
"""When the cases were recorded, as far as years with two digits go."""


@dataclass(frozen=True)
class KeyQuestion:
    """One question: the key of a row, as a writing path makes it. `theirs` is the answer of Hudi's."""

    case: Mapping[str, Any]
    properties: Mapping[str, str]
    schema: Schema
    rows: tuple[Any, ...]
    writer: WritePath
    machine: WriterEnvironment
    theirs: object
    answers: Mapping[str, object] = field(default_factory=dict)
    """What Hudi's paths of writing answer, by path."""

    @property
    def question(self) -> dict[str, Any]:
        """What the rules of deviation may ask."""
        answer = self.properties
        stated = answer.get(f"{WRITE}partitionpath.field", "")
        named = [*_fields(answer.get(f"{WRITE}recordkey.field", "")), *_fields(stated)]
        found = {name: self.schema.find(name) for name in named}
        if answer.get(f"{WRITE}keygenerator.type") in ("NON_PARTITION", "GLOBAL_DELETE"):
            found = {name: found[name] for name in _fields(answer.get(f"{WRITE}recordkey.field", ""))}
        types = {name: type_text(place.field.type) for name, place in found.items() if place}
        return {
            "ask": "key",
            "writer": self.writer.value,
            "generator": answer.get(f"{WRITE}keygenerator.type", ""),
            "partition": stated,
            "record_key": answer.get(f"{WRITE}recordkey.field"),
            "types": types,
            "unknown": [name for name, place in found.items() if place is None],
            "values": {name: _at(self.rows[0], place.positions) for name, place in found.items() if place},
            "slashes": answer.get(f"{WRITE}slash.separated.date.partitioning") == "true",
            "hive": answer.get(f"{WRITE}hive_style_partitioning") == "true",
            "escaped": answer.get(f"{WRITE}partitionpath.urlencode") == "true",
            "consistent": answer.get(f"{WRITE}keygenerator.consistent.logical.timestamp.enabled") == "true",
            "counts": answer.get("hoodie.keygen.timebased.timestamp.type") not in ("DATE_STRING", "MIXED"),
            "properties": answer,
            "answers": self.answers,
            "columns": {
                name: [_at(row, place.positions) for row in self.rows] for name, place in found.items() if place
            },
            "zones": [text for key, text in answer.items() if key.endswith("timezone")],
        }


def generator_and_path(requested: KeyQuestion) -> tuple[str, WritePath]:
    """The kind of the generator, and the path of writing."""
    return requested.properties.get(f"{WRITE}keygenerator.type", ""), requested.writer


def generator_or_path(requested: KeyQuestion) -> object:
    """The kind of the generator on the path of records; each other path is one kind, whatever the generator."""
    of, path = generator_and_path(requested)
    return of if path is WritePath.AVRO else path


def options_that_are_set(requested: KeyQuestion) -> object:
    """These, and the names of the options that the generator is made of."""
    return generator_and_path(requested), frozenset(key for key in requested.properties if not key.endswith(".field"))


def requested_keys(cases: list[dict[str, Any]]) -> Iterator[KeyQuestion]:
    """Every question of the cases of one row."""
    for case in cases:
        if case["op"] != "key":
            continue
        answer, output = case["input"], case["output"]
        schema = _schema(json.dumps(answer["avro"]))
        rows = (decode(answer["record"], schema.record),)
        machine = WriterEnvironment(parse_zone(answer.get("jvm_timezone", "UTC"), ""), YEAR)
        answers = {
            WritePath.AVRO.value: _of_record(output["avro_path"]),
            WritePath.ROW.value: _of_row(output["row_path"]),
            WritePath.INTERNAL_ROW.value: _of_row(output["internal_row_path"]),
        }
        for writer in (WritePath.AVRO, WritePath.ROW, WritePath.INTERNAL_ROW):
            theirs = answers[writer.value]
            yield KeyQuestion(case, answer["properties"], schema, rows, writer, machine, theirs, answers)


def requested_auto_keys(cases: list[dict[str, Any]]) -> Iterator[KeyQuestion]:
    """Every question of the cases of keys that are made up, for several rows each."""
    for case in cases:
        if case["op"] != "auto_key":
            continue
        answer, output = case["input"], case.get("output")
        schema = _schema(json.dumps(answer["avro"]))
        rows = tuple(decode(record, schema.record) for record in answer["records"])
        keys = [] if output is None else [_key(key) for key in output["keys"]]
        theirs = REFUSED if not keys or REFUSED in keys else keys
        yield KeyQuestion(
            case, answer["properties"], schema, rows, WritePath.AVRO, WriterEnvironment(year=YEAR), theirs
        )


def _fields(stated: str) -> list[str]:
    return [part.partition(":")[0].strip() for part in stated.split(",") if part.strip()]


@cache
def _schema(text: str) -> Schema:
    return schema_from_avro(text)


def _at(row: Any, positions: tuple[int, ...]) -> Any:
    for position in positions:
        row = None if row is None else row[position]
    return row


def _key(result: Mapping[str, Any]) -> object:
    return REFUSED if "error" in result else (result["value"]["record_key"], result["value"]["partition_path"])


def _of_record(result: Mapping[str, Any]) -> object:
    return REFUSED if "error" in result else _key(result["value"]["key"])


def _of_row(result: Mapping[str, Any]) -> object:
    if "error" in result:
        return REFUSED
    parts = [result["value"][name] for name in ("record_key", "partition_path")]
    return REFUSED if any("error" in part for part in parts) else tuple(part["value"] for part in parts)

"""Records of the merge vectors as what the product merges: rows of the plain engine, deletes of a delete block."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import fastavro
import numpy as np

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.nodes import StructColumn
from hudi_core.formats import deletes as delete_blocks
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.deletes import DeleteRecords
from hudi_core.merge.records import MergeRecords, fold, merge_records
from hudi_core.merge.rules import MergeRules, merge_rules
from hudi_core.options import MergeMode, TableConfig, table_config
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.merge_columns import MergeColumns, merge_columns
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.meta import OPERATION, RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_plain.engine import ENGINE
from tests.support.vector_values import decode as value_of

WHERE = "table"
KEY = "k1"
DELETED = "deleted"

Side = Mapping[str, Any]


def config_of(properties: Mapping[str, str], version: int = 9) -> TableConfig:
    """A table's configuration with these properties."""
    stated = {"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": str(version)}
    return table_config({**stated, **properties}, WHERE)


def rules_of(given: Mapping[str, Any]) -> MergeRules:
    """The rules of a merge case: stated as properties of a table, or as a payload class."""
    properties = {**given.get("properties", {}), **given.get("table_config", {})}
    properties["hoodie.table.ordering.fields"] = ",".join(given["ordering_fields"])
    if given["mode"] != MergeMode.CUSTOM.value:
        properties["hoodie.record.merge.mode"] = given["mode"]
        properties.pop("hoodie.compaction.payload.class", None)
        if given.get("partial_update_mode"):
            properties["hoodie.table.partial.update.mode"] = given["partial_update_mode"]
        return merge_rules(config_of(properties), WHERE)
    if given.get("payload"):
        properties["hoodie.compaction.payload.class"] = given["payload"]
        return merge_rules(config_of(properties, 6), WHERE)
    properties["hoodie.record.merge.mode"] = given["mode"]
    properties["hoodie.record.merge.strategy.id"] = "ce9acb64-bde0-424c-9b91-f6ebba25356d"
    properties.pop("hoodie.record.merge.mode")
    return merge_rules(config_of(properties, 6), WHERE)


@dataclass(frozen=True)
class Merger:
    """Merges two records of one schema."""

    schema: Schema
    columns: MergeColumns

    @staticmethod
    def of(avro: Any, rules: MergeRules, operations: bool) -> Merger:
        own = schema_from_avro(avro)
        extra = [RECORD_KEY, *([OPERATION] if operations else [])]
        fields = tuple(t.Field(0, name, t.String(), default=None) for name in extra)
        schema = Schema(record_with_ids(replace(own.record, fields=fields + own.record.fields)))
        return Merger(schema, merge_columns(ENGINE, config_of({}), schema, rules, schema, WHERE))

    def records(self, sides: list[Side]) -> tuple[MergeRecords, list[Any]]:
        """The records with one key, oldest first, and the rows they may name."""
        partial = self.columns.rules.partial is not None or any("avro" in item for item in sides)
        found = LogBuffer(self.columns, partial)
        for item in sides:
            if "record" in item:
                ids = None
                if "avro" in item:
                    named = {RECORD_KEY, OPERATION, *(field["name"] for field in item["avro"]["fields"])}
                    ids = {field.id for field in self.schema.fields if field.name in named}
                found.add_rows((self._row(item),), WHERE, ids)
            else:
                found.add_deletes(deletes_of(item.get("delete", item).get("ordering")), WHERE)
        return found.join()[0], found.batches

    def delta(self, sides: list[Side]) -> object:
        """What is left of records in the logs."""
        records, batches = self.records(sides)
        _, left = fold(records, np.zeros(len(records), np.int64), self.columns.rules.precedence)
        return self._shown(left, batches)

    def final(self, older: Side, newer: Side) -> object:
        """What is left of a row of the base file and a record of the logs."""
        records, batches = self.records([older, newer])
        one, other = (records.take(np.array([row])) for row in (0, 1))
        return self._shown(merge_records(one, other, self.columns.rules.precedence), batches)

    def is_delete(self, side: Side) -> bool:
        """Whether the row deletes its key."""
        return bool(self.columns.find_deleted(self._row(side), WHERE)[0])

    def without_ordering(self, side: Side) -> bool:
        """Whether a delete with the row's ordering value is absolute."""
        deleting = replace(self.columns, rules=replace(self.columns.rules, delete_marker=KEY))
        key = self.columns.keys[0]
        found = LogBuffer(replace(deleting, marker=key), False)
        found.add_rows((self._row(side),), WHERE)
        return bool(found.join()[0].absolute[0])

    def row(self, side: Side) -> object:
        """The row as a merge would show it."""
        return self._row(side)

    def _row(self, side: Side) -> tuple[Any, ...]:
        held = side["record"]["record"]

        def value(field: t.Field) -> Any:
            if field.name == RECORD_KEY:
                return KEY
            if field.name == OPERATION and "operation" in side:
                return side["operation"]
            return value_of(held.get(field.name), field.type)

        return tuple(value(field) for field in self.schema.fields)

    def _shown(self, left: MergeRecords, batches: list[Any]) -> object:
        if left.deleted[0]:
            return DELETED
        width = len(self.schema.fields)
        sources = np.broadcast_to(left.sources[0], width).astype(np.int64)
        ((row,),) = ENGINE.rows.gather(batches, [np.array([item]) for item in sources.tolist()], self.schema)
        return row


def deletes_of(ordering: Any) -> DeleteRecords:
    """A delete block's one delete with this ordering value, a typed one or one of a kind that delete blocks have."""
    parsed = fastavro.parse_schema(json.loads(delete_blocks._SCHEMA))
    out = io.BytesIO()
    one = {"recordKey": KEY, "partitionPath": "", "orderingVal": _wrapped(ordering)}
    fastavro.schemaless_writer(out, parsed, {"deleteRecordList": [one]})
    data = out.getvalue()
    found = decode(delete_blocks._SCHEMA, data, np.array([0]), np.array([len(data)]), WHERE)
    assert isinstance(found, StructColumn)
    items = found.fields["deleteRecordList"].items  # type: ignore[union-attr]
    return DeleteRecords(items.fields["recordKey"], items.fields["partitionPath"], items.fields["orderingVal"])


_WRAPPERS = {
    "boolean": "BooleanWrapper",
    "int": "IntWrapper",
    "long": "LongWrapper",
    "float": "FloatWrapper",
    "double": "DoubleWrapper",
    "bytes": "BytesWrapper",
    "string": "StringWrapper",
}


def _wrapped(ordering: Any) -> Any:
    if ordering is None:
        return None
    if isinstance(ordering, list):
        return "ArrayWrapper", {"wrappedValues": [_wrapped(item) for item in ordering]}
    ((tag, value),) = ordering.items()
    if tag == "array":
        return "ArrayWrapper", {"wrappedValues": [_wrapped(item) for item in value]}
    if tag == "DecimalWrapper":
        value = value.to_bytes(16, "big", signed=True)
    return _WRAPPERS.get(tag, tag), {"value": bytes.fromhex(value) if tag == "bytes" else value}

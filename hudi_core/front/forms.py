"""Forms of schema text by name: the core's own, and what the entry points `hudi_core.schemas` offer."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.json import schema_from_json, write_persisted
from hudi_core.schema.loss import ConversionLoss, Converted
from hudi_core.schema.schema import Schema
from hudi_core.schema.text_forms import SchemaText

GROUP = "hudi_core.schemas"


class AvroText:
    """Avro schema JSON. It has no place for column ids and a version."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        return Converted(schema_from_avro(text, where))

    def write(self, schema: Schema) -> Converted[str]:
        fresh = record_with_ids(schema.record)
        losses = [ConversionLoss("", f"version {schema.version}")] if schema.version else []
        if fresh != schema.record or schema.max_column_id != Schema(fresh).max_column_id:
            losses.append(ConversionLoss("", "column ids"))
        return Converted(json.dumps(schema_to_avro(schema), ensure_ascii=False), tuple(losses))


class InternalText:
    """InternalSchema JSON, as Hudi keeps it in `.hoodie/.schema` and in commit metadata."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        return Converted(schema_from_json(text, where))

    def write(self, schema: Schema) -> Converted[str]:
        return write_persisted(schema)


_OWN: dict[str, SchemaText] = {"avro": AvroText(), "internal": InternalText()}


def form(name: str, option: str) -> SchemaText:
    """The form of this name.

    Raises `UsageError`, which names the option, when nobody offers it, `UnsupportedError` when what it is on is not
    installed.
    """
    if name in _OWN:
        return _OWN[name]
    point = _offer().get(name)
    if point is None:
        raise UsageError(option, expected=f"one of {', '.join(sorted([*_OWN, *_offer()]))}", found=name)
    try:
        adapter: SchemaText = point.load()
    except ModuleNotFoundError as missing:
        raise UnsupportedError(option, message=f"the form {name} needs the package {missing.name}") from missing
    return adapter


@cache
def _offer() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}

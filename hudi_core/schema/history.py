"""The schema of an instant, and adding to a history document.

A history document holds every schema that the table had, newest first; the version of a schema is the instant of the commit
that made it, as a number. Schemas that are in a document already stay as they are, byte for byte but for white space.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from hudi_core.errors import SchemaError
from hudi_core.schema.json import compact, history_from_json, write_persisted
from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import Schema


def schema_at(history: Iterable[Schema], instant: int) -> Schema | None:
    """The schema that commits at an instant saw: of the greatest version not above it. None before the first."""
    return max(
        (schema for schema in history if schema.version <= instant), key=lambda schema: schema.version, default=None
    )


def append_schema(document: str, schema: Schema, where: str = "schema history") -> Converted[str]:
    """The history document with one more schema; the empty text is a history without any.

    A schema of the same version gives way to it. Raises `SchemaError` when the document is none, and never drops what it
    holds.
    """
    converted = write_persisted(schema)
    if not converted.value:
        raise SchemaError(where, expected="a schema with a version", found="the empty one")
    documents: list[tuple[int, str]] = []
    if document.strip():
        versions = [item.version for item in history_from_json(document, where)]
        texts = [compact(item) for item in json.loads(document)["schemas"]]
        documents = [pair for pair in zip(versions, texts, strict=True) if pair[0] != schema.version]
    ordered = sorted([(schema.version, converted.value), *documents], key=lambda pair: pair[0], reverse=True)
    return Converted(f'{{"schemas":[{",".join(text for _, text in ordered)}]}}', converted.losses)

"""Forms of schema text: what the entry points `hudi_core.schemas` give by name."""

from __future__ import annotations

from typing import Protocol

from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import Schema


class SchemaText(Protocol):
    """A form of schema text; what the entry points `hudi_core.schemas` give by name. It needs no engine to run."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        """The schema, and what of the text it has no place for. Raises `SchemaError` with `where` and the path."""
        ...

    def write(self, schema: Schema) -> Converted[str]:
        """The text, and what of the schema it has no place for. Raises `SchemaError` where there is no such text."""
        ...

"""Forms of schemas in other libraries: what the entry points `hudi_core.schemas` give by name."""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import Schema

T = TypeVar("T")


class SchemaText(Protocol):
    """A form of schema text; what the entry points `hudi_core.schemas` give by name. It needs no engine to run."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        """The schema, and what of the text it has no place for. Raises `SchemaError` with `where` and the path."""
        ...

    def write(self, schema: Schema) -> Converted[str]:
        """The text, and what of the schema it has no place for. Raises `SchemaError` where there is no such text."""
        ...


@runtime_checkable
class SchemaObjects(Protocol[T]):
    """An optional part of a form: the other library's own objects."""

    def from_object(self, schema: T, where: str) -> Converted[Schema]:
        """The schema, and what of the object it has no place for. Raises `SchemaError`."""
        ...

    def to_object(self, schema: Schema) -> Converted[T]:
        """The object, and what of the schema it has no place for. Raises `UnsupportedError` where the library is missing."""
        ...

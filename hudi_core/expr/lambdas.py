"""The scope of names inside a lambda: its parameters, and the columns of the row around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hudi_core.expr.predicate import Term
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import ColumnPlace, Path, Schema
from hudi_core.types import nodes as t


@dataclass(frozen=True, slots=True)
class Scope:
    """The schema of what a lambda's body sees: what is under its parameters' names, then the columns around it."""

    schema: Schema
    parameters: frozenset[str]
    """Their names in lower case."""
    around: Mapping[Path, Term]
    """The columns around the lambda, by the paths under which the body names them, in the order of `schema`."""

    def names_parameter(self, path: Path) -> bool:
        return path[0].lower() in self.parameters

    def column(self, path: Path) -> ColumnPlace | None:
        """The column around the lambda that a path names; None for a path that leads into one of its lists or maps."""
        return self.schema.get((_name(path),)) if path in self.around else None


def scope_of(parameters: Sequence[tuple[str, t.Type]], around: Mapping[Path, Term]) -> Scope:
    """The scope of a lambda with parameters of these types, whose body names these columns around it."""
    fields = [t.Field(0, name, data_type) for name, data_type in parameters]
    for path, term in around.items():
        fields.append(t.Field(0, _name(path), term.type))
    return Scope(
        Schema(record_with_ids(t.Record(tuple(fields)))), frozenset(name.lower() for name, _ in parameters), around
    )


def _name(path: Path) -> str:
    """A name that no parameter has."""
    return f"row.{'.'.join(path)}"

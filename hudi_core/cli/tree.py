"""A schema as a tree with column ids: rows of a table for people, flat objects for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hudi_core.cli.output import Output, printable
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.json import to_json


def show_schema(out: Output, schema: Schema, title: str = "") -> None:
    """The tree, or one object a column."""
    if out.as_json:
        out.rows((), columns(schema))
    else:
        out.rows(
            ("id", "column", "type", "null", "default", "comment"),
            _tree(schema.record, None),
            title=title,
            folded=("comment",),
        )


def columns(schema: Schema) -> Iterator[dict[str, Any]]:
    """One object a column at every depth, parents before children: `id name type nullable`, `default` if there is one, `doc`."""
    for column_id, place in schema.places.items():
        field = place.field
        default = {} if field.default is t.ABSENT else {"default": to_json(field.default, field.type)}
        yield {
            "id": column_id,
            "name": place.name,
            "type": type_text(field.type),
            "nullable": field.optional,
            **default,
            "doc": field.doc or None,
        }


def _tree(type: t.Type, branches: str | None) -> Iterator[dict[str, Any]]:
    """A row a column. `branches` are the lines of the tree that go on beside what is inside; None at the top."""
    fields = t.children(type)
    for field in fields:
        last = field is fields[-1]
        yield {
            "id": str(field.id) if field.id >= 0 else "",
            "column": printable(field.name)
            if branches is None
            else f"{branches}{'└─' if last else '├─'} {printable(field.name)}",
            "type": _brief(field.type),
            "null": "" if field.optional else "required",
            "default": _default(field),
            "comment": field.doc or "",
        }
        if _brief(field.type) != type_text(field.type):
            yield from _tree(field.type, "" if branches is None else f"{branches}{'   ' if last else '│  '}")


def _brief(type: t.Type) -> str:
    """A nested type by its kind: what is in it stands below it."""
    match type:
        case t.Record(kind=t.RecordKind.PLAIN):
            return "record"
        case t.Array():
            return "array"
        case t.Map():
            return "map"
        case t.Union():
            return "union"
        case _:
            return type_text(type)


def _default(field: t.Field) -> str:
    """Null as the default of what may be null goes without saying."""
    if field.default is t.ABSENT or (field.default is None and field.optional):
        return ""
    shown = to_json(field.default, field.type)
    return printable(f"'{shown}'" if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False))

"""The expression trees of the vector files as nodes, and what can be seen of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from hudi_core.expr import nodes as n
from hudi_core.expr.calls import build, literal_pattern
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.text import parse_text
from tests.support.single_file import ValueInterval
from tests.support.vector_schemas import persisted_type
from tests.support.vector_values import decode

_COMPARISONS = {
    "eq": n.Comparison.EQ,
    "lt": n.Comparison.LT,
    "lteq": n.Comparison.LE,
    "gt": n.Comparison.GT,
    "gteq": n.Comparison.GE,
}
_CARRIED = (t.Date, t.Time, t.Timestamp)
_LITERAL_TYPES: dict[str, t.Type] = {
    "int": t.Int(),
    "short": t.Int(),
    "byte": t.Int(),
    "long": t.Long(),
    "float": t.Float(),
    "double": t.Double(),
}


def schema_of(fields: list[Mapping[str, Any]]) -> Schema:
    """A schema given as a list of fields with ids."""
    made = (t.Field(f["id"], f["name"], persisted_type(f["type"]), f["optional"]) for f in fields)
    return Schema(t.Record(tuple(made)))


def value_in(typed: Any, of: t.Type) -> Any:
    """A typed value of a row as the column holds it."""
    found = decode(typed, of)
    if isinstance(of, t.Decimal) and isinstance(found, str):
        return parse_text(found, of)
    return found


def literal(typed: Mapping[str, Any] | None) -> n.Literal:
    """A literal of the tag's own type."""
    if typed is None:
        return n.Literal(None)
    (tag, value), *_ = typed.items()
    if tag in _LITERAL_TYPES:
        of = _LITERAL_TYPES[tag]
        return n.Literal(decode({tag: value}, of), of)
    if tag in ("bytes", "bytearray", "fixed"):
        return n.Literal(bytes.fromhex(value))
    if tag == "decimal":
        return n.Literal(Decimal(value))
    if tag in ("localdate", "sqldate"):
        return n.Literal(value, t.Date())
    if tag in ("instant", "sqltimestamp"):
        return n.Literal(value, t.Timestamp())
    return n.Literal(value)


def expression(tree: Mapping[str, Any], types: Mapping[str, t.Type]) -> n.Expr:
    """The nodes of a tree over columns of these types, by lower-case name.

    A number beside a column that carries one by a logical type stands for a value of that type.
    """
    operands = [tree.get("left"), tree.get("right"), tree.get("value"), *tree.get("list", ())]
    carried = next(
        (types[part["ref"].lower()] for part in operands if part and part.get("ref", "").lower() in types), None
    )

    def _scalar(part: Mapping[str, Any]) -> n.Scalar:
        found = expression(part, types)
        if isinstance(found, n.Literal) and isinstance(carried, _CARRIED) and type(found.value) is int:
            return n.Literal(found.value, carried)
        assert isinstance(found, n.Name | n.Literal | n.Call | n.Cast | n.Case)
        return found

    def _text_test(operator: str, value: Mapping[str, Any], part: Mapping[str, Any]) -> n.Expr:
        if "lit" not in part:
            return build(operator.replace("_", ""), (_scalar(value), _scalar(part)), None)
        wanted = literal_pattern(part["lit"]["string"])
        return n.Like(_scalar(value), f"{'%' if operator == 'contains' else ''}{wanted}%")

    if "ref" in tree:
        return n.Name((tree["ref"],))
    if "lit" in tree:
        return literal(tree["lit"])
    match tree["op"]:
        case "true" | "false" as truth:
            return n.Literal(truth == "true")
        case "and":
            return n.And((expression(tree["left"], types), expression(tree["right"], types)))
        case "or":
            return n.Or((expression(tree["left"], types), expression(tree["right"], types)))
        case "not":
            return n.Not(expression(tree["arg"], types))
        case "is_null":
            return n.IsNull(_scalar(tree["arg"]))
        case "is_not_null":
            return n.Not(n.IsNull(_scalar(tree["arg"])))
        case "in":
            return n.In(_scalar(tree["value"]), tuple(map(_scalar, tree["list"])))
        case "starts_with" | "contains" as operator:
            return _text_test(operator, tree["left"], tree["right"])
        case "starts_with_any":
            return n.Or(tuple(_text_test("starts_with", tree["value"], item) for item in tree["list"]))
        case operator:
            return n.Compare(_COMPARISONS[operator], _scalar(tree["left"]), _scalar(tree["right"]))


def subtrees(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The tree and every tree inside it."""
    yield tree
    for part in tree.values():
        for item in part if isinstance(part, list) else [part]:
            if isinstance(item, dict) and set(item) & {"op", "ref", "lit", "bound"}:
                yield from subtrees(item)


# ---- data skipping

_FIELD = re.compile(r"(\w+) (decimal\(\d+,\d+\)|struct<[^>]*>|array<[^>]*>|\w+)")
_SQL: dict[str, t.Type] = {
    "bigint": t.Long(),
    "int": t.Int(),
    "string": t.String(),
    "double": t.Double(),
    "float": t.Float(),
    "date": t.Date(),
    "timestamp": t.Timestamp(),
    "boolean": t.Boolean(),
    "binary": t.Binary(),
    "decimal(10,2)": t.Decimal(10, 2),
}
_VALUE = re.compile(r"cast\((null|'[^']*'|[^()\s]+) as (decimal\(\d+,\d+\)|\w+)\) as (\w+)")


def skipping_schema(text: str) -> Schema:
    """The schema `name type, ...` of a data-skipping case, ids counted through."""
    count = iter(range(1_000))

    def field(name: str, answer: str) -> t.Field:
        column_id = next(count)
        if answer.startswith("struct<"):
            inner = [part.split(":") for part in answer[7:-1].split(",")]
            return t.Field(column_id, name, t.Record(tuple(field(*pair) for pair in inner)))
        if answer.startswith("array<"):
            return t.Field(column_id, name, t.Array(field("element", answer[6:-1])))
        return t.Field(column_id, name, _SQL[answer])

    return Schema(t.Record(tuple(field(*found) for found in _FIELD.findall(text))))


def index_rows(sql: str, schema: Schema) -> dict[str, dict[int, ValueInterval]]:
    """By file the statistics that the rows of an index say, in the form of the plain engine of statistics."""
    found: dict[str, dict[int, ValueInterval]] = {}
    for row in sql.split(" union all "):
        (name,) = re.findall(r"'([^']*)' as fileName", row)
        answer = {column: None if text == "null" else text.strip("'") for text, _, column in _VALUE.findall(row)}
        rows = answer["valueCount"]
        found[name] = {
            schema.ids[(field.name,)]: _interval(field, answer, int(rows) if rows is not None else None)
            for field in schema.fields
            if f"{field.name}_nullCount" in answer
        }
    return found


def _interval(field: t.Field, answer: Mapping[str, str | None], rows: int | None) -> ValueInterval:
    low, high, nulls = (answer.get(f"{field.name}_{part}") for part in ("minValue", "maxValue", "nullCount"))
    least, most = (None if text is None else parse_text(text, field.type) for text in (low, high))
    count = None if nulls is None else int(nulls)
    has_values = count is None or rows is None or count < rows
    return ValueInterval(least, most, nulls=count != 0, values=has_values, nans=most is None)

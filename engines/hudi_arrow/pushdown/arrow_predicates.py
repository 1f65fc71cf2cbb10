"""Expressions of pyarrow as predicates. Rule TABLE-693.

pyarrow offers an expression's parts in one way that loses nothing: it serializes an expression as an Arrow stream whose
schema's metadata list its nodes, each literal and each function's options a column. What does not have this form, or
is not known here, is not pushed down.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.pushdown import conditions
from hudi_arrow.pushdown.conditions import MIRRORED, Place, Pushed
from hudi_core.expr.nodes import Comparison
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

_COMPARISONS = {
    "equal": Comparison.EQ,
    "not_equal": Comparison.NE,
    "less": Comparison.LT,
    "less_equal": Comparison.LE,
    "greater": Comparison.GT,
    "greater_equal": Comparison.GE,
}
_MATCH, _SKIP = 0, 1
"""How `is_in` treats nulls: as one more value, or never a member."""


@dataclass(frozen=True, slots=True)
class _Literal:
    value: object
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class _Call:
    function: str
    arguments: tuple[_Node, ...]
    options: dict[str, Any]
    target: pa.DataType | None = None
    """The type that a cast makes."""


_Node = tuple[str, ...] | _Literal | _Call
"""A column's path, a literal or a call."""


class _UnknownFormError(Exception):
    """The serialized form is not the one that is known here."""


def push_predicate(expression: pc.Expression, schema: Schema) -> Pushed | None:
    """The predicate that holds for all rows for which the expression is true; None where there is none."""
    try:
        root = _tree(expression)
    except (_UnknownFormError, pa.ArrowNotImplementedError):
        return None
    return _Translation(schema).condition(root)


class _Translation:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def condition(self, node: _Node) -> Pushed | None:
        if isinstance(node, _Literal):
            return None
        if not isinstance(node, _Call):
            return conditions.truth(conditions.place(self._schema, node))
        match node.function, node.arguments:
            case "and_kleene" | "and" as name, parts:
                return conditions.all_of([self.condition(part) for part in parts], kleene=name == "and_kleene")
            case "or_kleene" | "or" as name, parts:
                return conditions.any_of([self.condition(part) for part in parts], kleene=name == "or_kleene")
            case "invert", (part,):
                return conditions.negate(self.condition(part))
            case "is_valid", (part,):
                return conditions.negate(conditions.is_null(self._place(part)))
            case "is_null", (part,) if not node.options.get("nan_is_null"):
                return conditions.is_null(self._place(part))
            case "if_else", (condition, chosen, _Literal(None, True)):
                # So DuckDB writes IN: null where the column is null.
                return conditions.all_of([self.condition(condition), self.condition(chosen)], kleene=False)
            case name, (left, right) if name in _COMPARISONS:
                return self._compare(_COMPARISONS[name], left, right)
            case "is_in", (part,):
                return self._member(part, node.options)
            case "starts_with" | "ends_with" | "match_substring" as name, (part,):
                return self._match(name, part, node.options)
            case _:
                return None

    def _compare(self, operator: Comparison, left: _Node, right: _Node) -> Pushed | None:
        if isinstance(left, _Literal):
            left, right, operator = right, left, MIRRORED.get(operator, operator)
        if not isinstance(right, _Literal) or not right.is_known:
            return None
        return conditions.compare(operator, self._place(left), right.value)

    def _member(self, part: _Node, options: dict[str, Any]) -> Pushed | None:
        values, on_null = options.get("value_set"), options.get("null_matching_behavior")
        if not isinstance(values, list) or on_null not in (_MATCH, _SKIP):
            return None
        null = on_null == _MATCH and None in values
        return conditions.one_of(self._place(part), [value for value in values if value is not None], null=null)

    def _match(self, name: str, part: _Node, options: dict[str, Any]) -> Pushed | None:
        if options.get("ignore_case") is not False:
            return None
        make: dict[str, Callable[[Place | None, object], Pushed | None]] = {
            "starts_with": conditions.begins_with,
            "ends_with": conditions.ends_with,
            "match_substring": conditions.contains,
        }
        return make[name](self._place(part), options.get("pattern"))

    def _place(self, node: _Node) -> Place | None:
        """The column of a node; a cast to a type that holds each of its values is the column."""
        if isinstance(node, _Call) and node.function == "cast" and node.target is not None:
            place = self._place(node.arguments[0])
            return place if place is not None and _holds(node.target, place.type) else None
        return None if isinstance(node, _Call | _Literal) else conditions.place(self._schema, node)


def _holds(target: pa.DataType, type: t.Type) -> bool:
    match type:
        case t.Int():
            return bool(pa.types.is_int64(target) or pa.types.is_float64(target))
        case t.Float():
            return bool(pa.types.is_float64(target))
        case t.Long():
            return bool(pa.types.is_float64(target))  # literals are compared below 2 to the 53 only
        case t.String():
            return bool(pa.types.is_large_string(target) or pa.types.is_string_view(target))
        case _:
            return False


def _tree(expression: pc.Expression) -> _Node:
    """The expression as nodes. Raises `_UnknownFormError`."""
    serialized = expression.__reduce__()[1][0]
    opened = pa.ipc.open_stream if serialized.to_pybytes()[:6] != b"ARROW1" else pa.ipc.open_file
    table = opened(serialized).read_all()
    return _Parser(table, metadata_pairs(table.schema)).whole()


class _Parser:
    """Reads nodes from their list: a call encloses its arguments and its options."""

    def __init__(self, table: pa.Table, pairs: Sequence[tuple[str, str]]) -> None:
        self._table, self._pairs = table, iter(pairs)

    def whole(self) -> _Node:
        node = self._node(*self._next())
        if next(self._pairs, None) is not None:
            raise _UnknownFormError
        return node

    def _next(self) -> tuple[str, str]:
        pair = next(self._pairs, None)
        if pair is None:
            raise _UnknownFormError
        return pair

    def _node(self, kind: str, text: str) -> _Node:
        match kind:
            case "field_ref":
                return (text,)
            case "nested_field_ref":
                return tuple(self._field_name() for _ in range(int(text)))
            case "literal":
                return _literal(self._table.column(int(text))[0])
            case "call":
                return self._call(text)
            case _:
                raise _UnknownFormError

    def _field_name(self) -> str:
        kind, name = self._next()
        if kind != "field_ref":
            raise _UnknownFormError
        return name

    def _call(self, function: str) -> _Call:
        arguments: list[_Node] = []
        options: dict[str, Any] = {}
        target = None
        while True:
            kind, text = self._next()
            if kind == "end":
                return _Call(function, tuple(arguments), options, target)
            if kind == "options":
                column = self._table.column(int(text))
                options = column[0].as_py()
                if "to_type" in options:
                    target = column.type.field("to_type").type
            else:
                arguments.append(self._node(kind, text))


def _literal(scalar: pa.Scalar) -> _Literal:
    try:
        return _Literal(scalar.as_py())
    except (ValueError, OverflowError):  # a time that Python's cannot hold
        return _Literal(None, is_known=False)


_CAPSULE_POINTER = ctypes.pythonapi.PyCapsule_GetPointer
_CAPSULE_POINTER.restype = ctypes.c_void_p
_CAPSULE_POINTER.argtypes = [ctypes.py_object, ctypes.c_char_p]
_METADATA_OFFSET = 2 * ctypes.sizeof(ctypes.c_void_p)
"""Where Arrow's C data interface has the metadata of a schema: behind its format and its name."""


def metadata_pairs(schema: pa.Schema) -> list[tuple[str, str]]:
    """The metadata of a schema with keys that come more than once, which pyarrow's dictionary of them lacks."""
    capsule = schema.__arrow_c_schema__()
    struct = _CAPSULE_POINTER(capsule, b"arrow_schema")
    address = ctypes.c_void_p.from_address(struct + _METADATA_OFFSET).value
    return list(_pairs(address)) if address else []


def _pairs(address: int) -> Iterator[tuple[str, str]]:
    """The form is a count, and for each pair the length and the bytes of the key and of the value."""

    def number() -> int:
        nonlocal address
        value = ctypes.c_int32.from_address(address).value
        address += ctypes.sizeof(ctypes.c_int32)
        return value

    def text() -> str:
        nonlocal address
        length = number()
        content = ctypes.string_at(address, length)
        address += length
        return content.decode()

    for _ in range(number()):
        yield text(), text()

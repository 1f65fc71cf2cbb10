"""How to read one Avro writer schema: a tree of readers with names resolved, unions sorted out and unwanted fields marked.

Only the physical form counts here: logical types, aliases, defaults and docs do not change the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, assert_never

import numpy as np

from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    ListColumn,
    MapColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
)
from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.json_texts import parse_json

MAX_DEPTH = 100
MAX_NODES = 200_000
MAX_BRANCHES = 127
"""Arrow numbers the branches of a union with int8."""


@dataclass(frozen=True, slots=True)
class Null:
    """No bytes."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """One byte, 0 or 1."""


@dataclass(frozen=True, slots=True)
class Integer:
    """A zigzag varint of `bits` 32 (int) or 64 (long)."""

    bits: int


@dataclass(frozen=True, slots=True)
class Floating:
    """An IEEE number of `size` bytes, 4 or 8, little-endian."""

    size: int


@dataclass(frozen=True, slots=True)
class Sized:
    """A length, then that many bytes: `bytes`, or `string` when `utf8`."""

    utf8: bool


@dataclass(frozen=True, slots=True)
class Fixed:
    """`size` bytes."""

    size: int


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A varint that numbers one of `symbols`."""

    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record; the bytes of one that is not `wanted` are passed over and it is not in the result."""

    name: str
    node: Node
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """The fields one after the other."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """Blocks of a count and that many items; a count of 0 ends."""

    item: Node


@dataclass(frozen=True, slots=True)
class Map:
    """As an array whose items are a string and a value."""

    value: Node
    entry: Record = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "entry", Record((Field("key", Sized(True)), Field("value", self.value))))


@dataclass(frozen=True, slots=True)
class Nullable:
    """A union of null and one other branch; `null` is the null's place, 0 or 1."""

    inner: Leaf | Record | Array | Map
    null: int


@dataclass(frozen=True, slots=True)
class Branches:
    """Any other union: a varint that numbers the branch, then its value. `blanks` are the branches' columns of no rows."""

    names: tuple[str, ...]
    nodes: tuple[Node, ...]
    blanks: tuple[Column, ...] = field(compare=False, repr=False)


Leaf = Boolean | Integer | Floating | Sized | Fixed | Enumeration
Node = Null | Leaf | Record | Array | Map | Nullable | Branches

PRIMITIVES: dict[str, Node] = {
    "null": Null(),
    "boolean": Boolean(),
    "int": Integer(32),
    "long": Integer(64),
    "float": Floating(4),
    "double": Floating(8),
    "bytes": Sized(False),
    "string": Sized(True),
}


@lru_cache(maxsize=256)
def plan(schema_text: str, wanted: frozenset[str] | None = None) -> Node:
    """The reader tree of a writer schema, cut down to the wanted paths.

    A path is field names joined by dots; unions, arrays and maps add nothing to it; a path selects all that is below it. None
    selects everything. Paths that the schema does not have select nothing. Raises SchemaError when the text is not an Avro
    schema, UnsupportedError when no table of columns can hold its values (recursive types) or it is beyond all reason.
    """
    try:
        document = parse_json(schema_text)
    except ValueError as error:
        raise SchemaError("Avro schema", expected="JSON", found=str(error)) from error
    node = _Parser().node(document, "", "$", 0)
    return node if wanted is None else _prune(node, [tuple(path.split(".")) for path in wanted])


class _Parser:
    """Builds nodes from Avro JSON; holds the named types met so far and how many nodes each stands for."""

    def __init__(self) -> None:
        self.named: dict[str, tuple[Node, int] | None] = {}
        self.count = 0

    def node(self, document: Any, namespace: str, path: str, depth: int) -> Node:
        self.grow(1, depth, path)
        match document:
            case str(name):
                return self.reference(name, namespace, path)
            case list(branches):
                return self.union(branches, namespace, path, depth)
            case {"type": dict() | list() as inner}:
                return self.node(inner, namespace, path, depth + 1)
            case {"type": "array"}:
                return Array(self.node(document.get("items"), namespace, f"{path}[]", depth + 1))
            case {"type": "map"}:
                return Map(self.node(document.get("values"), namespace, f"{path}{{}}", depth + 1))
            case {"type": "record" | "error" | "enum" | "fixed"}:
                return self.definition(document, namespace, path, depth)
            case {"type": str(name)}:
                return self.reference(name, namespace, path)
        raise SchemaError(path, expected="an Avro type", found=_short(document))

    def grow(self, nodes: int, depth: int, path: str) -> None:
        self.count += nodes
        if self.count > MAX_NODES or depth > MAX_DEPTH:
            limit = f"at most {MAX_NODES} types, nested at most {MAX_DEPTH} deep"
            raise UnsupportedError(path, expected=f"an Avro schema of {limit}", found="more")

    def reference(self, name: str, namespace: str, path: str) -> Node:
        if name in PRIMITIVES:
            return PRIMITIVES[name]
        full = self.full_name(name, namespace)
        if full not in self.named:
            raise SchemaError(path, expected="a known Avro type", found=_short(name))
        definition = self.named[full]
        if definition is None:
            raise UnsupportedError(path, expected="a type that does not contain itself", found=f"recursive {name}")
        self.grow(definition[1], 0, path)
        return definition[0]

    def full_name(self, name: str, namespace: str) -> str:
        """A name as it is known: one without a dot is looked for in its namespace first."""
        within = f"{namespace}.{name}"
        return within if "." not in name and within in self.named else name

    def definition(self, document: Mapping[str, Any], namespace: str, path: str, depth: int) -> Node:
        full = _full_name(document, namespace, path)
        if full in self.named:
            raise SchemaError(path, expected="one definition of each name", found=f"another {full}")
        self.named[full], before = None, self.count
        node = self.body(document, full.rpartition(".")[0], path, depth)
        self.named[full] = (node, self.count - before)
        return node

    def body(self, document: Mapping[str, Any], namespace: str, path: str, depth: int) -> Node:
        match document:
            case {"type": "fixed", "size": int(size)} if size >= 0 and size is not True:
                return Fixed(size)
            case {"type": "enum", "symbols": [*symbols]} if symbols and all(isinstance(s, str) for s in symbols):
                return Enumeration(tuple(symbols))
            case {"type": "record" | "error", "fields": [*fields]}:
                built = tuple(self.field(item, namespace, path, depth) for item in fields)
                if len({item.name for item in built}) == len(built):
                    return Record(built)
                raise SchemaError(path, expected="fields of different names", found="a name twice")
        raise SchemaError(path, expected=f"a complete {document['type']}", found=_short(document))

    def field(self, document: Any, namespace: str, path: str, depth: int) -> Field:
        match document:
            case {"name": str(name), "type": node}:
                return Field(name, self.node(node, namespace, f"{path}.{name}", depth + 1))
        raise SchemaError(path, expected="a field with name and type", found=_short(document))

    def union(self, branches: list[Any], namespace: str, path: str, depth: int) -> Node:
        if not 1 <= len(branches) <= MAX_BRANCHES:
            raise UnsupportedError(path, expected=f"a union of 1 to {MAX_BRANCHES} types", found=str(len(branches)))
        nodes = tuple(self.node(branch, namespace, path, depth + 1) for branch in branches)
        names = tuple(self.branch_name(branch, namespace) for branch in branches)
        if any(isinstance(node, Nullable | Branches) for node in nodes) or len(set(names)) < len(names):
            raise SchemaError(path, expected="a union of different types", found=_short(branches))
        match nodes:
            case (Null(), inner) if not isinstance(inner, Null | Nullable | Branches):
                return Nullable(inner, null=0)
            case (inner, Null()) if not isinstance(inner, Null | Nullable | Branches):
                return Nullable(inner, null=1)
        return Branches(names, nodes, tuple(blank(node) for node in nodes))

    def branch_name(self, branch: Any, namespace: str) -> str:
        """The name by which Avro calls a branch of a union: the full name of a named type, else the type."""
        match branch:
            case {"type": dict() | list() as inner}:
                return self.branch_name(inner, namespace)
            case {"type": "record" | "error" | "enum" | "fixed"}:
                return _full_name(branch, namespace, "$")
            case {"type": str(name)} | str(name):
                return self.full_name(name, namespace)
        return "union"


def _full_name(document: Mapping[str, Any], namespace: str, path: str) -> str:
    name = document.get("name")
    if not isinstance(name, str) or not name:
        raise SchemaError(path, expected="a name", found=_short(name))
    own = document.get("namespace")
    space = own if isinstance(own, str) else namespace
    return name if "." in name or not space else f"{space}.{name}"


def _prune(node: Node, paths: list[tuple[str, ...]]) -> Node:
    """The node with only the fields on `paths` wanted; an empty path wants all."""
    if () in paths:
        return node
    match node:
        case Record(fields):
            return Record(tuple(_prune_field(branch, paths) for branch in fields))
        case Array(item):
            return Array(_prune(item, paths))
        case Map(value):
            return Map(_prune(value, paths))
        case Nullable(inner):
            return replace(node, inner=_prune(inner, paths))  # type: ignore[arg-type]  # pruning keeps the kind
        case Branches(names, nodes):
            pruned = tuple(_prune(branch, paths) for branch in nodes)
            return Branches(names, pruned, tuple(blank(branch) for branch in pruned))
        case Null() | Boolean() | Integer() | Floating() | Sized() | Fixed() | Enumeration():
            return node
    assert_never(node)


def _prune_field(field: Field, paths: list[tuple[str, ...]]) -> Field:
    below = [path[1:] for path in paths if path[0] == field.name]
    return Field(field.name, _prune(field.node, below), wanted=True) if below else replace(field, wanted=False)


def blank(node: Node) -> Column:
    """The column of no rows that the node's values would fill."""
    none = np.zeros(0, np.uint8)
    ends = np.zeros(1, np.int64)
    match node:
        case Null():
            return NullColumn(0)
        case Boolean():
            return PrimitiveColumn(none.astype(np.bool_))
        case Integer(bits):
            return PrimitiveColumn(none.astype(f"i{bits // 8}"))
        case Floating(size):
            return PrimitiveColumn(none.astype(f"f{size}"))
        case Sized(utf8):
            return StringColumn(ends, none) if utf8 else BinaryColumn(ends, none)
        case Fixed(size):
            return FixedBinaryColumn(size, none.reshape(0, size))
        case Enumeration(symbols):
            return EnumColumn(none.astype(np.int32), symbols)
        case Record(fields):
            return StructColumn(0, {field.name: blank(field.node) for field in fields if field.wanted})
        case Array(item):
            return ListColumn(ends, blank(item))
        case Map(value):
            return MapColumn(ends, StringColumn(ends, none), blank(value))
        case Nullable(inner):
            return blank(inner)
        case Branches(names, _, blanks):
            return UnionColumn(none.astype(np.int8), names, blanks)
    assert_never(node)


def get_fixed_width(node: Node) -> int | None:
    """Bytes of every value of the node; None when values differ in width."""
    match node:
        case Null():
            return 0
        case Boolean():
            return 1
        case Floating(size) | Fixed(size):
            return size
        case Record(fields):
            widths = [get_fixed_width(field.node) for field in fields]
            return None if None in widths else sum(width for width in widths if width)
        case Integer() | Sized() | Enumeration() | Array() | Map() | Nullable() | Branches():
            return None
    assert_never(node)


def least_width(node: Node) -> int:
    """Bytes that a value of the node has at least."""
    match node:
        case Record(fields):
            return sum(least_width(field.node) for field in fields)
        case Branches(nodes=nodes):
            return 1 + min(least_width(branch) for branch in nodes)
        case Null() | Boolean() | Floating() | Fixed():
            return get_fixed_width(node) or 0
        case Integer() | Sized() | Enumeration() | Array() | Map() | Nullable():
            return 1
    assert_never(node)


def _short(document: Any) -> str:
    text = json.dumps(document, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."

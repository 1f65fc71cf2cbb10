"""Random Avro schemas with records, and what fastavro reads from bytes, in the form in which columns give it."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import fastavro
from hypothesis import strategies as st

Typed = tuple[Any, st.SearchStrategy[Any]]
"""An Avro schema, as JSON, and a strategy for values of it as fastavro takes them."""

INTS = st.integers(-(2**31), 2**31 - 1)
LONGS = st.one_of(
    st.integers(-70, 70),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([64, -65, 8191, 8192, 2**20, 2**27, 2**34, 2**48, 2**55, -(2**55), 2**62]),
)
TEXTS = st.one_of(st.text(max_size=12), st.text(alphabet="aé漢😀", min_size=50, max_size=90))


class Names:
    """Gives every named type of one schema a name of its own."""

    def __init__(self) -> None:
        self.used = 0

    def next(self) -> str:
        self.used += 1
        return f"T{self.used}"


PRIMITIVES: list[Typed] = [
    ("null", st.none()),
    ("boolean", st.booleans()),
    ("int", INTS),
    ("long", LONGS),
    ("float", st.floats(width=32)),
    ("double", st.floats()),
    ("bytes", st.binary(max_size=40)),
    ("string", TEXTS),
]


@st.composite
def _named_leaf(draw: st.DrawFn, names: Names) -> Typed:
    if draw(st.booleans()):
        size = draw(st.integers(0, 40))
        return {"type": "fixed", "name": names.next(), "size": size}, st.binary(min_size=size, max_size=size)
    symbols = [f"S{i}" for i in range(draw(st.sampled_from([1, 3, 70])))]
    return {"type": "enum", "name": names.next(), "symbols": symbols}, st.sampled_from(symbols)


@st.composite
def _array(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    schema, values = draw(typed(names, depth - 1))
    return {"type": "array", "items": schema}, st.lists(values, max_size=draw(st.sampled_from([2, 40])))


@st.composite
def _map(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    schema, values = draw(typed(names, depth - 1))
    return {"type": "map", "values": schema}, st.dictionaries(st.text(max_size=5), values, max_size=3)


@st.composite
def _record(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    name = names.next()
    fields = draw(st.lists(typed(names, depth - 1), max_size=4))
    listed = [{"name": f"f{i}", "type": schema} for i, (schema, _) in enumerate(fields)]
    values = st.fixed_dictionaries({f"f{i}": values for i, (_, values) in enumerate(fields)})
    return {"type": "record", "name": name, "fields": listed}, values


@st.composite
def _union(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    """Branches that fastavro can tell apart by the value: null, at most one plain type, and records by their name."""
    branches = [draw(st.sampled_from(PRIMITIVES[1:]))] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(0, 3))):
        schema, values = draw(_record(names, depth - 1))
        branches.append((schema, values.map(lambda value, name=schema["name"]: (name, value))))
    if draw(st.booleans()) or not branches:
        branches.insert(draw(st.integers(0, len(branches))), ("null", st.none()))
    return [schema for schema, _ in branches], st.one_of([values for _, values in branches])


def typed(names: Names, depth: int) -> st.SearchStrategy[Typed]:
    """Any schema nested at most `depth` deep."""
    leaves = st.one_of(st.sampled_from(PRIMITIVES), _named_leaf(names))
    if depth <= 0:
        return leaves
    return st.one_of(leaves, _array(names, depth), _map(names, depth), _record(names, depth), _union(names, depth))


@st.composite
def written(draw: st.DrawFn) -> tuple[str, list[bytes]]:
    """A record schema's text, and records as fastavro writes them; many repeat, so that there are more than examples."""
    schema, values = draw(_record(Names(), 3))
    parsed = fastavro.parse_schema(schema)
    encoded = [encode(parsed, value) for value in draw(st.lists(values, min_size=1, max_size=6))]
    order = draw(st.lists(st.integers(0, len(encoded) - 1), min_size=1, max_size=60))
    return json.dumps(schema), [encoded[i] for i in order]


def encode(parsed_schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, parsed_schema, value)
    return out.getvalue()


def rows_by_fastavro(schema_text: str, records: list[bytes]) -> list[Any]:
    """Each record as fastavro reads it, in the form of `same`."""
    schema = physical(json.loads(schema_text))
    parsed = fastavro.parse_schema(schema)
    read = [fastavro.schemaless_reader(io.BytesIO(item), parsed, return_record_name=True) for item in records]
    return [same(_as_columns(value, schema, {})) for value in read]


def physical(schema: Any) -> Any:
    """The schema without logical types, which columns do not know."""
    match schema:
        case dict():
            return {key: physical(value) for key, value in schema.items() if key not in ("logicalType", "default")}
        case list():
            return [physical(item) for item in schema]
    return schema


def same(value: Any) -> Any:
    """A form in which values are equal exactly when their bytes are, except that every NaN is the same."""
    match value:
        case float():
            return ("float", struct.pack("<d", value) if value == value else "NaN")
        case dict():
            return {name: same(item) for name, item in value.items()}
        case list() | tuple():
            return [same(item) for item in value]
    return value


def _as_columns(value: Any, schema: Any, records: dict[str, Any]) -> Any:
    """Makes pairs of fastavro's maps, and plain dicts of its named records in unions."""
    match schema:
        case {"type": dict() | list() as inner}:
            return _as_columns(value, inner, records)
        case {"type": "record", "name": name, "fields": fields}:
            records[name] = records[f"{schema.get('namespace', '')}.{name}"] = schema
            return {item["name"]: _as_columns(value[item["name"]], item["type"], records) for item in fields}
        case {"type": "map", "values": values}:
            return [[key, _as_columns(item, values, records)] for key, item in value.items()]
        case {"type": "array", "items": items}:
            return [_as_columns(item, items, records) for item in value]
        case str(name) if name in records:
            return _as_columns(value, records[name], records)
        case list() as branches:
            return _as_branch(value, branches, records)
    return value


def _as_branch(value: Any, branches: list[Any], records: dict[str, Any]) -> Any:
    for item in branches:
        if isinstance(item, dict) and item["type"] == "record":
            records[item["name"]] = item
    match value:
        case (str(name), dict() as fields):
            return _as_columns(fields, records[name.rpartition(".")[2]], records)
        case dict() | list():
            kinds = ("record", "map") if isinstance(value, dict) else ("array",)
            fitting = [item for item in branches if isinstance(item, dict) and item["type"] in kinds]
            named = [records[item] for item in branches if isinstance(item, str) and item in records]
            return _as_columns(value, [*fitting, *named][0], records)
    return value

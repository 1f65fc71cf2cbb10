"""Hypothesis strategies shared by all laws: types, schemas, and values in the form of the domain."""

from __future__ import annotations

import decimal
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.nodes import smallest_size
from hudi_core.values.domain import to_binary32

_LETTERS = "abcxyzABC_"
NAMES = st.tuples(st.sampled_from(_LETTERS), st.text(_LETTERS + "019", max_size=4)).map("".join)
"""Names that Avro and SQL both allow."""

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
_DOCS = st.none() | TEXTS
_PROPERTIES: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.dictionaries(
    NAMES.map("x-{}".format), st.integers(0, 9) | TEXTS | st.none(), max_size=2
)
_UNITS = st.sampled_from(t.Unit)


@st.composite
def decimals(draw: st.DrawFn) -> t.Decimal:
    """A decimal of up to 38 digits, backed by bytes or by a fixed that is large enough."""
    precision = draw(st.integers(1, 38))
    scale = draw(st.integers(0, precision))
    size = draw(st.none() | st.integers(smallest_size(precision), 20))
    return t.Decimal(precision, scale, None if size is None else t.Fixed(size))


_SYMBOLS = st.lists(NAMES, min_size=1, max_size=4, unique=True).map(tuple)
PLAIN_PRIMITIVES: st.SearchStrategy[t.Primitive] = st.one_of(
    st.sampled_from(
        [t.Boolean(), t.Int(), t.Long(), t.Float(), t.Double(), t.Date(), t.String(), t.Binary(), t.Uuid()]
    ),
    st.builds(t.Time, unit=_UNITS),
    st.builds(t.Timestamp, unit=_UNITS, zoned=st.booleans()),
    decimals(),
)
"""Types without fields that most engines have a word for."""

PRIMITIVES: st.SearchStrategy[t.Primitive] = st.one_of(
    PLAIN_PRIMITIVES,
    st.builds(t.Fixed, st.integers(1, 20)),
    st.just(t.Uuid(t.Fixed(16))),
    st.builds(t.Enumeration, _SYMBOLS),
    st.builds(t.Vector, st.integers(1, 4), st.sampled_from(t.VectorElement)),
)
"""All types without fields, named types without a name."""


@st.composite
def fields(draw: st.DrawFn, of: st.SearchStrategy[t.Type], name: str = "", plain: bool = False) -> t.Field:
    """A field with id 0; with doc, default, aliases and properties unless `plain`."""
    kind: t.Type = draw(of)
    optional = draw(st.booleans())
    if plain:
        return t.Field(0, name, kind, optional)
    default = draw(st.just(t.ABSENT) | (st.none() if optional else st.nothing()) | values_of(kind, as_default=True))
    return t.Field(
        0,
        name or draw(NAMES),
        kind,
        optional,
        draw(_DOCS),
        default,
        tuple(draw(st.lists(NAMES, max_size=1))),
        draw(_PROPERTIES),
    )


def records(of: st.SearchStrategy[t.Type], max_fields: int = 4) -> st.SearchStrategy[t.Record]:
    """Records without ids whose field names differ even when case does not count."""
    listed = st.lists(fields(of), max_size=max_fields, unique_by=lambda field: field.name.lower())
    return st.builds(t.Record, listed.map(tuple), doc=_DOCS, properties=_PROPERTIES)


def _nested(of: st.SearchStrategy[t.Type]) -> st.SearchStrategy[t.Type]:
    key = t.Field(0, "key", t.String(), optional=False)
    return st.one_of(
        records(of),
        st.builds(t.Array, fields(of, "element", plain=True), properties=_PROPERTIES),
        st.builds(t.Map, st.just(key), fields(of, "value", plain=True), properties=_PROPERTIES),
    )


def _union(kinds: list[t.Type]) -> t.Union:
    return t.Union(tuple(t.Field(0, f"member{i}", kind, optional=False) for i, kind in enumerate(kinds)))


_BRANCHES: tuple[t.Type, ...] = (
    t.Boolean(),
    t.Int(),
    t.Timestamp(),
    t.Double(),
    t.String(),
    t.Binary(),
    t.Decimal(4, 1, t.Fixed(2)),
)
_UNIONS = st.lists(st.sampled_from(_BRANCHES), min_size=2, max_size=4, unique=True).map(_union)
_DISGUISED = st.sampled_from([variant(), blob()])


def types(*, unions: bool = True, disguised: bool = True, plain: bool = False) -> st.SearchStrategy[t.Type]:
    """Any type, a few levels deep, ids all 0. `plain`: of types without fields only `PLAIN_PRIMITIVES`."""
    leaves: st.SearchStrategy[t.Type] = PLAIN_PRIMITIVES if plain else PRIMITIVES
    if unions and not plain:
        leaves |= _UNIONS
    if disguised and not plain:
        leaves |= _DISGUISED
    return st.recursive(leaves, _nested, max_leaves=6)


def schemas(
    *, unions: bool = True, disguised: bool = True, plain: bool = False, named: bool = True, max_fields: int = 5
) -> st.SearchStrategy[Schema]:
    """Schemas with ids. `named` gives every record, enumeration and fixed the full name of its path, as Avro needs it."""
    found = records(types(unions=unions, disguised=disguised, plain=plain), max_fields)
    if named:
        found = found.map(with_names)
    return found.map(lambda record: Schema(record_with_ids(record)))


def with_names(record: t.Record, name: str = "ns.Root") -> t.Record:
    """The record with a full name for everything that can have one, all different."""
    found = _named(record, name)
    assert isinstance(found, t.Record)
    return found


def _named(of: t.Type, name: str) -> t.Type:
    match of:
        case t.Record(kind=t.RecordKind.PLAIN):
            inner = tuple(replace(field, type=_named(field.type, f"{name}.{field.name}")) for field in of.fields)
            return replace(of, name=name, fields=inner)
        case t.Record():
            return replace(of, name=f"{of.kind.value}_{name.replace('.', '_')}")
        case t.Array(element):
            return replace(of, element=replace(element, type=_named(element.type, f"{name}.element")))
        case t.Map(_, value):
            return replace(of, value=replace(value, type=_named(value.type, f"{name}.value")))
        case t.Union(branches):
            return t.Union(tuple(replace(b, type=_named(b.type, f"{name}.{b.name}")) for b in branches))
        case t.Decimal(fixed=t.Fixed() as fixed) | t.Uuid(fixed=t.Fixed() as fixed):
            return replace(of, fixed=replace(fixed, name=f"{name}.fixed"))
        case t.Fixed():
            return replace(of, name=f"{name}.fixed")
        case t.Enumeration() | t.Vector():
            return replace(of, name=f"{name}.named")
        case _:
            return of


def values_of(of: t.Type, *, as_default: bool = False) -> st.SearchStrategy[Any]:
    """Values of the type that are not null. `as_default`: those that Avro can write as a default, without NaN."""
    match of:
        case t.Boolean():
            return st.booleans()
        case t.Int() | t.Date():
            return st.integers(-(1 << 31), (1 << 31) - 1)
        case t.Long() | t.Timestamp():
            return st.integers(-(1 << 63), (1 << 63) - 1)
        case t.Time(unit):
            return st.integers(0, 86_400 * unit.value - 1)
        case t.Float():
            return st.floats(width=32, allow_nan=not as_default).map(to_binary32)
        case t.Double():
            return st.floats(allow_nan=not as_default)
        case t.String():
            return TEXTS
        case t.Binary():
            return st.binary(max_size=6)
        case t.Fixed(size):
            return st.binary(min_size=size, max_size=size)
        case t.Vector(dimension, element):
            return st.binary(min_size=dimension * element.value, max_size=dimension * element.value)
        case t.Uuid():
            return st.uuids().map(str)
        case t.Enumeration(symbols):
            return st.sampled_from(symbols)
        case t.Decimal(precision, scale):
            unscaled = st.integers(-(10**precision) + 1, 10**precision - 1)
            return unscaled.map(lambda n: decimal.Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale)))
        case t.Record(inner):
            return st.tuples(*(values_at(field, as_default=as_default) for field in inner))
        case t.Array(element):
            return st.lists(values_at(element, as_default=as_default), max_size=3).map(tuple)
        case t.Map(key, value):
            pairs = st.tuples(values_of(key.type), values_at(value, as_default=as_default))
            return st.lists(pairs, max_size=3, unique_by=lambda pair: pair[0]).map(tuple)
        case t.Union(branches):
            last = 0 if as_default else len(branches) - 1
            return st.integers(0, last).flatmap(
                lambda i: st.tuples(st.just(i), values_of(branches[i].type, as_default=as_default))
            )


def values_at(field: t.Field, *, as_default: bool = False) -> st.SearchStrategy[Any]:
    """Values of a field; null where it is optional (only null inside a default)."""
    if field.optional and as_default:
        return st.none()
    found = values_of(field.type, as_default=as_default)
    return st.none() | found if field.optional else found


def rows_of(schema: Schema) -> st.SearchStrategy[tuple[Any, ...]]:
    """Rows of a schema: tuples in field order."""
    return values_of(schema.record)

"""Hypothesis strategies for schemas with few names and types, which meet often, and for changes of them."""

from __future__ import annotations

from hypothesis import strategies as st

from hudi_core.evolve.changes import (
    AddColumn,
    After,
    AlterType,
    Before,
    Change,
    DropColumn,
    First,
    Last,
    MoveColumn,
    RenameColumn,
    SetDefault,
    SetDoc,
    SetOptional,
)
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.promote import Purpose, promotion

PRIMITIVES: tuple[t.Type, ...] = (
    t.Boolean(),
    t.Int(),
    t.Long(),
    t.Float(),
    t.Double(),
    t.Date(),
    t.Time(t.Unit.MILLIS),
    t.Time(t.Unit.MICROS),
    *(t.Timestamp(unit, zoned) for unit in t.Unit for zoned in (True, False)),
    t.String(),
    t.Binary(),
    t.Fixed(4),
    t.Uuid(),
    t.Decimal(10, 2),
    t.Decimal(12, 2, t.Fixed(6)),
    t.Decimal(16, 4, t.Fixed(8)),
    t.Decimal(38, 10, t.Fixed(16)),
    t.Enumeration(("RED", "GREEN")),
    t.Enumeration(("RED", "GREEN", "BLUE")),
    t.Vector(2),
)
NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")


def types(depth: int = 2) -> st.SearchStrategy[t.Type]:
    """Primitive types, and records, arrays and maps of them."""
    primitive = st.sampled_from(PRIMITIVES)
    if not depth:
        return primitive
    inner = fields(depth - 1)
    record = st.lists(inner, min_size=1, max_size=4, unique_by=lambda field: field.name).map(
        lambda f: t.Record(tuple(f))
    )
    array = inner.map(lambda field: t.Array(t.Field(0, "element", field.type, field.optional)))
    key = t.Field(0, "key", t.String(), optional=False)
    map_ = inner.map(lambda field: t.Map(key, t.Field(0, "value", field.type, field.optional)))
    return st.one_of(primitive, primitive, record, array, map_)


def fields(depth: int = 2) -> st.SearchStrategy[t.Field]:
    """Fields named a to h, without defaults."""
    return st.builds(
        lambda name, of, optional: t.Field(0, name, of, optional), st.sampled_from(NAMES), types(depth), st.booleans()
    )


def schemas() -> st.SearchStrategy[Schema]:
    """Schemas of one to six columns, ids by the block rule."""
    listed = st.lists(fields(), min_size=1, max_size=6, unique_by=lambda field: field.name)
    return listed.map(lambda found: Schema(record_with_ids(t.Record(tuple(found), name="r"))))


@st.composite
def changes(draw: st.DrawFn, schema: Schema) -> Change:
    """A change that names columns of the schema; it may still be one that is refused."""
    paths = st.sampled_from([place.path for place in schema.places.values()])
    path = draw(paths)
    sibling = (*path[:-1], draw(paths)[-1])
    position = draw(st.sampled_from([First(), Last(), Before(sibling), After(sibling)]))
    new = draw(st.sampled_from(NAMES))
    match draw(st.integers(0, 8)):
        case 0:
            return AddColumn((*path[:-1], new), draw(types(1)), position=position)
        case 1:
            return AddColumn((*path, new), draw(types(1)), doc="new", position=Last())
        case 2:
            return DropColumn(path)
        case 3:
            return RenameColumn(path, new)
        case 4:
            return MoveColumn(path, position)
        case 5:
            of = schema.get(path).field.type
            allowed = [to for to in PRIMITIVES if promotion(of, to, Purpose.ALTER)]
            return AlterType(path, draw(st.sampled_from([*allowed, draw(st.sampled_from(PRIMITIVES))])))
        case 6:
            return SetOptional(path, draw(st.booleans()), draw(st.booleans()))
        case 7:
            return SetDoc(path, draw(st.sampled_from([None, "said"])))
        case _:
            return SetDefault(path, t.ABSENT)

"""Schemas of 10,000 columns: made, converted, changed, merged and searched, against PyIceberg's counterparts.

Every fiftieth column is a record of three, so that lookups and walks have depths to go to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from hudi_arrow.types import schema_from_arrow, schema_to_arrow
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AddColumn, AlterType, Change, DropColumn, First, MoveColumn, RenameColumn
from hudi_core.evolve.merge import merge
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.bench.timing import Missing, Pair, Unbuilt

COLUMNS = 10_000
_DEEP = 50
_TYPES: tuple[t.Type, ...] = (t.Long(), t.String(), t.Double(), t.Int(), t.Date(), t.Timestamp(), t.Boolean())


def _fields(first: int, count: int) -> tuple[t.Field, ...]:
    return tuple(_field(number) for number in range(first, first + count))


def _field(number: int) -> t.Field:
    if number % _DEEP:
        return t.Field(0, f"c{number}", _TYPES[number % len(_TYPES)], default=None)
    inner = tuple(t.Field(0, f"x{part}", _TYPES[part], default=None) for part in range(3))
    return t.Field(0, f"c{number}", t.Record(inner, name=f"r{number}"), default=None)


def schema(first: int = 0, count: int = COLUMNS) -> Schema:
    return Schema(record_with_ids(t.Record(_fields(first, count), name="wide")))


@cache
def kept() -> Schema:
    return schema()


def changes() -> tuple[Change, ...]:
    """Ten, of all kinds, spread over the columns."""
    return (
        AddColumn("added", t.Long()),
        AddColumn("first", t.String(), position=First()),
        AddColumn("c50.deep", t.Int()),
        DropColumn("c77"),
        DropColumn("c5000.x1"),
        RenameColumn("c1234", "renamed"),
        RenameColumn("c100.x0", "y0"),
        AlterType("c3", t.Long()),
        AlterType("c10", t.Long()),
        MoveColumn("c9999", First()),
    )


def _with_places(made: Schema) -> Schema:
    """Schemas find columns by name and id when they are needed first."""
    assert made.places
    return made


def _lookups(names: list[str]) -> Callable[[], object]:
    """Every column by its name and by its id, in a schema that was asked before."""
    known = kept()
    ids = list(known.places)
    return lambda: ([known.get(name) for name in names], [known.place(number) for number in ids])


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "pyiceberg":
        raise Unbuilt("no measurement of this case")
    try:
        from tests.bench import schema_pyiceberg as theirs  # noqa: PLC0415 - its library is only where peers are
    except ModuleNotFoundError as missing:
        raise Missing(f"{missing.name} is not installed") from None
    names = [place.name for place in kept().places.values()]
    ours: dict[str, Callable[[], object]] = {
        "construct_10k": lambda: _with_places(schema()),
        "avro_round_trip_10k": lambda: schema_from_avro(schema_to_avro(kept())),
        "arrow_round_trip_10k": lambda: schema_from_arrow(schema_to_arrow(kept()).value),
        "ten_changes_10k": lambda: evolve(kept(), changes()),
        "merge_10k": lambda: merge(kept(), schema(COLUMNS // 100)),
        "lookup_10k": _lookups(names),
    }
    if case not in ours:
        raise Unbuilt("no measurement of this case")
    # PyIceberg's merge takes most of a minute: once to warm up and once to be timed must do.
    slow = case == "merge_10k"
    counterpart = theirs.counterpart(case, kept(), names)

    def check(mine: object, peers: object) -> None:
        one, other = theirs.columns_of_ours(mine), theirs.columns_of_theirs(peers, kept())
        if case != "ten_changes_10k":  # ours lists places by id: only where columns are moved their order is compared
            one, other = sorted(one), sorted(other)
        assert one == other, "the columns differ"

    return Pair(ours[case], counterpart, check, 0.0 if slow else 3.0, 1 if slow else 3)

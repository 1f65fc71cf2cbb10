"""Read plans on plain values: what every engine's reading of a plan has to agree with."""

from __future__ import annotations

from typing import Any, assert_never

from hudi_core.evolve.reconcile import (
    AsStored,
    Convert,
    Default,
    IntoUnion,
    Keep,
    Null,
    OutOfUnion,
    ReadArray,
    Reading,
    ReadMap,
    ReadRecord,
    ReadUnion,
    Relabel,
)
from hudi_core.values.cast import cast


def apply_plan(plan: Reading, value: Any) -> Any:
    """A stored value, in the form of `hudi_core.values`, read by a plan."""
    if value is None:
        return None
    match plan:
        case AsStored():
            return value
        case Convert(from_, to):
            return cast(from_, to)(value)
        case Relabel():
            return value
        case ReadRecord(fields=fields):
            return tuple(_source(source, value) for source in fields)
        case ReadArray(element=element):
            return tuple(apply_plan(element, part) for part in value)
        case ReadMap(value=reading):
            return tuple((key, apply_plan(reading, part)) for key, part in value)
        case ReadUnion(branches=branches):
            branch, reading = branches[value[0]]
            return branch, apply_plan(reading, value[1])
        case IntoUnion(branch=branch, reading=reading):
            return branch, apply_plan(reading, value)
        case OutOfUnion(branches=readings):
            return apply_plan(readings[value[0]], value[1])
        case _:
            assert_never(plan)


def _source(source: Keep | Default | Null, record: Any) -> Any:
    match source:
        case Keep(position, reading):
            return apply_plan(reading, record[position])
        case Default(value):
            return value
        case Null():
            return None
        case _:
            assert_never(source)

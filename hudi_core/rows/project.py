"""Execution of a read plan: converts stored rows to rows of the wanted schema by an engine's kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, assert_never

from hudi_core.engine import Values
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
    Source,
)
from hudi_core.types.nodes import Field, Type

V = TypeVar("V")
M = TypeVar("M")
Read = Callable[[V], V]


def projection(plan: ReadRecord, values: Values[V, M]) -> Read[V]:
    """The function that reads a column of stored structs as wanted ones; made once for a plan, run on every batch.

    It raises `SchemaError` for a stored value that has no counterpart in the wanted type.
    """
    return _record(plan, values)


def _reading(plan: Reading, wanted_type: Type, values: Values[V, M]) -> Read[V]:
    """The function that reads a column of stored values as values of `wanted_type`."""
    match plan:
        case AsStored():
            return lambda stored: stored
        case Convert(source, to):
            return lambda stored: values.convert(stored, source, to)
        case Relabel(source, to):
            return lambda stored: values.relabel(stored, source, to)
        case ReadRecord():
            return _record(plan, values)
        case ReadArray(array, element):
            read_element = _reading(element, array.element.type, values)
            return lambda stored: values.elements(stored, array.element, read_element)
        case ReadMap(map, value):
            read_value = _reading(value, map.value.type, values)
            return lambda stored: values.entries(stored, map, read_value)
        case ReadUnion():
            return _union(plan, values)
        case IntoUnion(wanted, branch, reading):
            read = _reading(reading, wanted.branches[branch].type, values)
            return lambda stored: values.union(
                wanted, [(values.no(values.is_null(stored)), branch, read(stored))], stored
            )
        case OutOfUnion(branches):
            return _out_of_union([_reading(reading, wanted_type, values) for reading in branches], wanted_type, values)
        case _:
            assert_never(plan)


def _record(plan: ReadRecord, values: Values[V, M]) -> Read[V]:
    sources = [
        (field, _source(source, field, values)) for field, source in zip(plan.wanted.fields, plan.fields, strict=True)
    ]

    def read(stored: V) -> V:
        return values.struct([(field, take(stored)) for field, take in sources], values.is_null(stored), stored)

    return read


def _source(source: Source, field: Field, values: Values[V, M]) -> Read[V]:
    match source:
        case Keep(position, reading):
            read = _reading(reading, field.type, values)
            return lambda stored: read(values.field(stored, position))
        case Default(value):
            return lambda stored: values.literal(value, field.type, stored)
        case Null():
            return lambda stored: values.literal(None, field.type, stored)
        case _:
            assert_never(source)


def _union(plan: ReadUnion, values: Values[V, M]) -> Read[V]:
    wanted = plan.wanted.branches
    branches = [(branch, _reading(reading, wanted[branch].type, values)) for branch, reading in plan.branches]

    def read(stored: V) -> V:
        parts = [
            (values.is_branch(stored, position), branch, take(values.branch(stored, position)))
            for position, (branch, take) in enumerate(branches)
        ]
        return values.union(plan.wanted, parts, stored)

    return read


def _out_of_union(branches: list[Read[V]], union_type: Type, values: Values[V, M]) -> Read[V]:
    def read(stored: V) -> V:
        result = branches[-1](values.branch(stored, len(branches) - 1))
        for position, take in enumerate(branches[:-1]):
            value = take(values.branch(stored, position))
            result = values.choose(values.is_branch(stored, position), value, result, union_type)
        return result

    return read

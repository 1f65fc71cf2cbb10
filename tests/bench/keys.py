"""Keys of a million rows, on Arrow, against the loop over rows that an application in Python would write.

Both begin with the same Arrow batch and end with two Arrow columns. The loop takes the columns that it needs out of the batch,
each as a list of Python's values, and no others.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.values import ArrowValues
from hudi_core.keys.bound import KeyGenerator, KeyStrings
from hudi_core.keys.choose import choose
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.bench.timing import Pair, Unbuilt

ROWS = 1_000_000
_WRITE = "hoodie.datasource.write."
_NULLS = 0.01
"""Rows without a partition value."""


@cache
def batch() -> pa.StructArray:
    """Orders: an id in text, a line number, and a city, which some lack."""
    draw = np.random.default_rng(7)
    ids = [f"order-{number:010d}" for number in draw.integers(0, 10**10, ROWS)]
    cities = pa.array([f"city-{number:02d}" for number in range(60)]).take(pa.array(draw.integers(0, 60, ROWS)))
    lacking = pa.array(draw.random(ROWS) < _NULLS)
    columns = {
        "id": pa.array(ids),
        "line": pa.array(draw.integers(0, 100_000, ROWS)),
        "city": pc.if_else(lacking, pa.scalar(None, pa.string()), cities),
    }
    return pa.record_batch(columns).to_struct_array()


def schema() -> Schema:
    types: dict[str, t.Type] = {"id": t.String(), "line": t.Long(), "city": t.String()}
    return Schema(record_with_ids(t.Record(tuple(t.Field(0, name, type_) for name, type_ in types.items()))))


class LoopGenerator:
    """Keys of one row after the other."""

    def __init__(self, key_fields: list[str], partition_field: str) -> None:
        self.key_fields, self.partition_field = key_fields, partition_field

    def simple_key(self, value: Any) -> str:
        if value is None or value == "":
            raise ValueError("a record key cannot be null or empty")
        return str(value)

    def complex_key(self, values: tuple[Any, ...]) -> str:
        parts, missing = [], 0
        for field, value in zip(self.key_fields, values, strict=True):
            if value is None:
                text, missing = "__null__", missing + 1
            elif value == "":
                text, missing = "__empty__", missing + 1
            else:
                text = str(value)
            parts.append(f"{field}:{text}")
        if missing == len(values):
            raise ValueError("a record key cannot be null or empty")
        return ",".join(parts)

    def partition_path(self, value: Any) -> str:
        if value is None or value == "":
            return "__HIVE_DEFAULT_PARTITION__"
        text = str(value)
        if ".." in text.split("/"):
            raise ValueError("a partition path cannot leave the table")
        return text

    def keys(self, rows: pa.StructArray) -> KeyStrings[pa.Array]:
        columns = [rows.field(field).to_pylist() for field in self.key_fields]
        if len(columns) == 1:
            record_keys = [self.simple_key(value) for value in columns[0]]
        else:
            record_keys = [self.complex_key(values) for values in zip(*columns, strict=True)]
        paths = [self.partition_path(value) for value in rows.field(self.partition_field).to_pylist()]
        return KeyStrings(pa.array(record_keys), pa.array(paths))


def _check(ours: object, theirs: object) -> None:
    assert isinstance(ours, KeyStrings) and isinstance(theirs, KeyStrings)
    assert ours.record_key.equals(theirs.record_key) and ours.partition_path.equals(theirs.partition_path)


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    names = {"simple_batch": ["id"], "complex_batch": ["id", "line"]}.get(case)
    if peer != "python-loop" or names is None:
        raise Unbuilt("no measurement of this case")
    properties = {f"{_WRITE}recordkey.field": ",".join(names), f"{_WRITE}partitionpath.field": "city"}
    maker: KeyGenerator[Any, Any] = KeyGenerator(choose(properties), schema(), ArrowValues())
    loop = LoopGenerator(names, "city")
    root = batch()
    return Pair(lambda: maker.keys(root), lambda: loop.keys(root), _check, 3.0, 3)

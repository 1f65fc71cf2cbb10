"""Keys: every engine makes the same of a row, whatever the generator."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import HudiError
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import choose
from hudi_core.keys.generator import Generator, TimePart, WritePath
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_plain.values import PlainValues
from tests.support.strategies import values_of

pytest.importorskip("pyarrow", reason="compares the arrow engine with the plain one")

from hudi_arrow.arrays import from_values
from hudi_arrow.values import ArrowValues

WRITE = "hoodie.datasource.write."
TIME = "hoodie.keygen.timebased."
TYPES: dict[str, t.Type] = {
    "text": t.String(),
    "int": t.Int(),
    "long": t.Long(),
    "double": t.Double(),
    "flag": t.Boolean(),
    "day": t.Date(),
    "price": t.Decimal(12, 8),
    "at": t.Timestamp(),
    "wall": t.Timestamp(t.Unit.MILLIS, zoned=False),
    "raw": t.Binary(),
}
SCHEMA = Schema(record_with_ids(t.Record(tuple(t.Field(0, name, of) for name, of in TYPES.items()))))
_SHORT = {name: st.none() | values_of(of) for name, of in TYPES.items()} | {
    "text": st.none() | st.text("a/.%=-\u00e9", max_size=4) | st.sampled_from(["..", "../a", "a/..", "a/../b"]),
    "long": st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(0, 2**32),
}
ROWS = st.lists(st.tuples(*_SHORT.values()), min_size=1, max_size=4)
NAMES = st.sampled_from(list(TYPES))
ZONES = st.sampled_from(["UTC", "GMT+5:30", "Europe/Paris", "America/St_Johns"])
FLAG = st.sampled_from(["true", "false"])


@st.composite
def generators(draw: st.DrawFn) -> Generator:
    answer = {
        f"{WRITE}recordkey.field": ",".join(draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))),
        f"{WRITE}hive_style_partitioning": draw(FLAG),
        f"{WRITE}partitionpath.urlencode": draw(FLAG),
        f"{WRITE}keygenerator.consistent.logical.timestamp.enabled": draw(FLAG),
        f"{TIME}timestamp.type": draw(st.sampled_from(["UNIX_TIMESTAMP", "EPOCHMILLISECONDS", "EPOCHMICROSECONDS"])),
        f"{TIME}output.dateformat": draw(st.sampled_from(["yyyy/MM/dd", "yyyy-MM-dd HH", "yyyyMMddHHmmssSSS"])),
        f"{TIME}output.timezone": draw(ZONES),
    }
    how = st.sampled_from(["simple", "timestamp"])
    parts = draw(st.lists(st.tuples(NAMES, how), max_size=2, unique_by=lambda part: part[0]))
    if parts:
        answer[f"{WRITE}partitionpath.field"] = ",".join(f"{name}:{kind}" for name, kind in parts)
    made = choose(answer, writer=draw(st.sampled_from(WritePath)))
    assert isinstance(made, Generator)
    return made


def made_by(engine: Any, generator: Generator, root: Any) -> Any:
    """Keys, or that there are none: errors of a row differ in its number only."""
    try:
        found: Any = KeyGenerator(generator, SCHEMA, engine).keys(root)
    except HudiError as refused:
        return type(refused).__name__
    return found


@given(generators(), ROWS)
def test_a_batch_has_the_keys_of_its_rows(generator: Generator, rows: list[Any]) -> None:
    alone = [made_by(PlainValues(), generator, row) for row in rows]
    together = made_by(ArrowValues(), generator, from_values(rows, SCHEMA.record))
    if isinstance(together, str):
        assert together in alone
    else:
        keys = zip(together.record_key.to_pylist(), together.partition_path.to_pylist(), strict=True)
        assert list(keys) == [(item.record_key, item.partition_path) for item in alone]


@given(generators(), ROWS)
def test_paths_stay_below_the_table_and_have_no_empty_part(generator: Generator, rows: list[Any]) -> None:
    for row in rows:
        found = made_by(PlainValues(), generator, row)
        if not isinstance(found, str) and generator.parts and not any(isinstance(p, TimePart) for p in generator.parts):
            assert found.partition_path and ".." not in found.partition_path.split("/")

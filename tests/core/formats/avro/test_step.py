"""Items of long lists are found where their values start; damage is never anything else."""

from __future__ import annotations

import json

import fastavro
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_core.formats.avro import step as avro_step
from hudi_core.formats.avro.lanes import DamagedLane
from hudi_core.formats.avro.plan import Array, get_fixed_width, plan
from hudi_core.formats.avro.step import find_starts, stepper
from tests.support.avro_values import Names, encode, typed
from tests.support.drawing import cases

ROOMY = settings(
    deadline=None, max_examples=cases(40), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def _item(schema: object) -> avro_step.Node:
    node = plan(json.dumps({"type": "array", "items": schema}))
    assert isinstance(node, Array)
    return node.item


BEHIND = b"more"


@st.composite
def lists(draw: st.DrawFn) -> tuple[avro_step.Node, list[bytes], bytes]:
    """An item's node, many values of it as fastavro writes them, and the list of these, with more behind."""
    schema, values = draw(typed(Names(), 2).filter(lambda found: get_fixed_width(_item(found[0])) is None))
    pool = draw(st.lists(values, min_size=1, max_size=8))
    chosen = np.random.default_rng(draw(st.integers(0, 9))).integers(0, len(pool), draw(st.integers(0, 600)))
    items = [pool[number] for number in chosen.tolist()]
    written = encode(fastavro.parse_schema({"type": "array", "items": schema}), items) + BEHIND
    alone = [encode(fastavro.parse_schema(schema), value) for value in pool]
    return _item(schema), [alone[number] for number in chosen.tolist()], written


@ROOMY
@given(lists())
def test_items_start_and_end_where_their_values_do(case: tuple[avro_step.Node, list[bytes], bytes]) -> None:
    item, values, data = case
    found, end = find_starts(item, np.frombuffer(data, np.uint8), 0, 0)
    step = stepper(item)
    assert [data[start : step(data, start)] for start in found.tolist()] == values
    assert end == len(data) - len(BEHIND)


@ROOMY
@given(lists(), st.data())
def test_damaged_lists_are_damage(case: tuple[avro_step.Node, list[bytes], bytes], data: st.DataObject) -> None:
    item, _, whole = case
    damaged = bytearray(whole[: data.draw(st.integers(1, len(whole)))])
    damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        found, after = find_starts(item, np.frombuffer(bytes(damaged), np.uint8), 0, 0)
    except (DamagedLane, IndexError):
        return
    assert (np.diff(found) >= 0).all()
    assert len(found) == 0 or found[-1] <= after


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("long", lambda i: i**4 - (1 << 40)),
        ("string", lambda i: f"{i}" * (i % 5)),
        ("string", lambda i: f"{i:036}" if i % 1000 < 990 else "x" * (i % 200)),
        ({"type": "array", "items": "string"}, lambda i: [f"{i:020}"] * (i % 150)),
        (["null", "double"], lambda i: None if i % 3 else i / 2),
        ({"type": "map", "values": "bytes"}, lambda i: {str(i): bytes(i % 9)}),
    ],
)
def test_one_list_of_thousands_of_items(type_: object, value: object) -> None:
    array = {"type": "array", "items": type_}
    values = [value(i) for i in range(9000)]  # type: ignore[operator]
    data = encode(fastavro.parse_schema(array), values) + b"behind"
    found, end = find_starts(_item(type_), np.frombuffer(data, np.uint8), 0, 0)
    sizes = [len(encode(fastavro.parse_schema(type_), entry)) for entry in values]  # type: ignore[arg-type]
    assert np.diff(found, append=end - 1).tolist() == sizes
    assert end == len(data) - len(b"behind")


def test_a_count_beyond_the_bytes_is_damage() -> None:
    for rest in (100, 1 << 62):
        with pytest.raises((DamagedLane, IndexError)):
            find_starts(_item("long"), np.zeros(50, np.uint8), 0, rest)

"""Items of long lists are found where walking one by one finds them, whatever is guessed; damage is never anything else."""

from __future__ import annotations

import json

import fastavro
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_core.formats.avro import step as avro_step
from hudi_core.formats.avro.hop import MOST_ROUNDS, hopper
from hudi_core.formats.avro.lanes import Damaged
from hudi_core.formats.avro.plan import Array, fixed_width, plan
from hudi_core.formats.avro.step import find_starts, stepper
from tests.support.avro_values import Names, encode, typed

ROOMY = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def _item(schema: object) -> avro_step.Node:
    node = plan(json.dumps({"type": "array", "items": schema}))
    assert isinstance(node, Array)
    return node.item


@st.composite
def lists(draw: st.DrawFn) -> tuple[avro_step.Node, bytes]:
    """An item's node, and a list of many items as fastavro writes it, with more behind."""
    schema, values = draw(typed(Names(), 2).filter(lambda found: fixed_width(_item(found[0])) is None))
    pool = draw(st.lists(values, min_size=1, max_size=8))
    chosen = np.random.default_rng(draw(st.integers(0, 9))).integers(0, len(pool), draw(st.integers(0, 600)))
    parsed = fastavro.parse_schema({"type": "array", "items": schema})
    return _item(schema), encode(parsed, [pool[number] for number in chosen.tolist()]) + draw(st.binary(max_size=40))


@ROOMY
@given(lists(), st.booleans())
def test_many_at_once_finds_what_one_by_one_finds(case: tuple[avro_step.Node, bytes], few: bool) -> None:
    item, data = case
    buffer = np.frombuffer(data, np.uint8)
    known, end = find_starts(item, buffer, 0, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(avro_step, "MANY", 5)
        patch.setattr(avro_step, "SAMPLE", 2)
        patch.setattr(avro_step, "WORTH_FORESEEING", 8)
        patch.setattr(avro_step, "ITEMS_A_WALK", 4 if few else 40)
        found, after = find_starts(item, buffer, 0, 0)
    assert (found.tolist(), after) == (known.tolist(), end)


@ROOMY
@given(lists(), st.data())
def test_damaged_lists_are_damage(case: tuple[avro_step.Node, bytes], data: st.DataObject) -> None:
    item, whole = case
    damaged = bytearray(whole[: data.draw(st.integers(1, len(whole)))])
    damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(avro_step, "MANY", 5)
        patch.setattr(avro_step, "SAMPLE", 2)
        patch.setattr(avro_step, "WORTH_FORESEEING", 8)
        patch.setattr(avro_step, "ITEMS_A_WALK", 4)
        try:
            found, after = find_starts(item, np.frombuffer(bytes(damaged), np.uint8), 0, 0)
        except (Damaged, IndexError):
            return
    assert (np.diff(found) >= 0).all()
    assert len(found) == 0 or found[-1] <= after


@ROOMY
@given(lists())
def test_a_hop_ends_where_a_step_does(case: tuple[avro_step.Node, bytes]) -> None:
    item, data = case
    starts, _ = find_starts(item, np.frombuffer(data, np.uint8), 0, 0)
    step = stepper(item)
    ends = hopper(item, np.frombuffer(data, np.uint8))(starts)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        known = step(data, start)
        assert end == known or (end > len(data) and known - start > MOST_ROUNDS)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("long", lambda i: i**4 - (1 << 40)),
        ("string", lambda i: f"{i}" * (i % 5)),
        (["null", "double"], lambda i: None if i % 3 else i / 2),
        ({"type": "map", "values": "bytes"}, lambda i: {str(i): bytes(i % 9)}),
    ],
)
def test_one_list_of_thousands_of_items(type_: object, value: object) -> None:
    array = {"type": "array", "items": type_}
    values = [value(i) for i in range(9000)]  # type: ignore[operator]
    data = encode(fastavro.parse_schema(array), values) + b"behind"
    found, end = find_starts(_item(type_), np.frombuffer(data, np.uint8), 0, 0)
    sizes = [len(encode(fastavro.parse_schema(type_), each)) for each in values]  # type: ignore[arg-type]
    assert np.diff(found, append=end - 1).tolist() == sizes
    assert end == len(data) - len(b"behind")


def test_a_count_beyond_the_bytes_is_damage() -> None:
    for rest in (100, 1 << 62):
        with pytest.raises((Damaged, IndexError)):
            find_starts(_item("long"), np.zeros(50, np.uint8), 0, rest)

"""Rows packed for other tasks."""

from __future__ import annotations

from itertools import count

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column, string_list
from hudi_core.parallel.flow import Packet
from hudi_core.table.engines import load_engine
from hudi_core.tagging.key_reader import key_columns
from hudi_core.transactions.reports import pack_object, unpack
from hudi_core.writing.spread import packs
from hudi_core.writing.spread.packs import RowPack, pack_runs
from tests.support.drawing import cases

ENGINE = load_engine("arrow")


@pytest.mark.parametrize("targets", [1, 40, 400])
def test_packets_have_the_bytes_of_their_rows(targets: int) -> None:
    """ENGINE-1172: neighbours that go to one target are a slice of their batch."""
    batch = pack(range(20_000), rows=True)
    (run,) = pack_runs(iter([Packet(0, 0, 3, 0, pack_object(batch))]))
    schema = ENGINE.rows.read_given(pa.table({"n": pa.array([], pa.int64())})).schema
    made = list(run.deal(run.whole, batch.numbers * targets // 20_000, ENGINE, schema, count()))
    assert len(made) == targets
    assert sum(len(packet.content) for packet in made) < 1.1 * run.size + 2_000 * targets


def pack(numbers: range, *, rows: bool) -> RowPack:
    keys = key_columns(string_column([f"k{number}" for number in numbers]), string_column(["p"] * len(numbers)))
    batch = pa.record_batch({"n": pa.array(list(numbers), pa.int64())}) if rows else None
    return RowPack(keys, np.array(numbers, np.int64), batch, tasks=np.array(numbers, np.int64) % 7)


@given(
    st.lists(st.tuples(st.integers(1, 30), st.booleans()), max_size=8),
    st.integers(1, 5),
    st.sampled_from([1, 3000, 1 << 26]),
    st.sampled_from([200, 1 << 22]),
)
@settings(max_examples=cases(120), deadline=None)
def test_each_row_goes_to_its_target_once_and_in_order(
    counts: list[tuple[int, bool]], targets: int, together: int, of_packet: int
) -> None:
    """WRITE-941: whatever runs packets are dealt in; rows of negative targets are left out."""
    given_packs, start = [], 0
    for number, rows in counts:
        given_packs.append(pack(range(start, start + number), rows=rows))
        start += number
    packets = [Packet(0, 0, 3, number, pack_object(one)) for number, one in enumerate(given_packs)]
    schema = ENGINE.rows.read_given(pa.table({"n": pa.array([], pa.int64())})).schema
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packs, "_BYTES_TOGETHER", together)
        patched.setattr(packs, "_BYTES_OF_PACKET", of_packet)
        made, numbers = [], count()
        for run in pack_runs(iter(packets)):
            whole = run.whole
            made += run.deal(whole, whole.numbers * 5 % (targets + 1) - 1, ENGINE, schema, numbers)
    assert [packet.number for packet in made] == list(range(len(made)))
    for target in range(targets):
        own: list[RowPack] = [unpack(packet) for packet in made if packet.part == target]
        assert [int(number) for one in own for number in one.numbers] == [
            number for number in range(start) if number * 5 % (targets + 1) - 1 == target
        ]
        for one in own:
            assert one.tasks is not None
            assert one.tasks.tolist() == (one.numbers % 7).tolist()
            assert string_list(one.keys.records) == [f"k{number}" for number in one.numbers]
            assert one.batch is None or one.batch["n"].to_pylist() == one.numbers.tolist()
    assert all(packet.part >= 0 and packet.source == 3 for packet in made)


def test_packets_are_as_many_as_targets_whatever_comes() -> None:
    """WRITE-941: not as many as packets times tasks."""
    packets = [Packet(0, 0, 0, n, pack_object(pack(range(n * 50, n * 50 + 50), rows=True))) for n in range(40)]
    schema = ENGINE.rows.read_given(pa.table({"n": pa.array([], pa.int64())})).schema
    (run,) = pack_runs(iter(packets))
    assert len(list(run.deal(run.whole, run.whole.numbers % 3, ENGINE, schema, count()))) == 3

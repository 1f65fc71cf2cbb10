"""Rows put together from rows of several batches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hudi_arrow.gather import gather

NUMBERS = pa.array([*range(90), None, *range(91, 100)], pa.int64())
STRINGS = pa.array([None if row % 7 == 0 else f"row {row}" for row in range(100)], pa.string())
VALUE = {"a": "x", "b": [{"c": 1}], "d": [("k", 2)]}


def batch(nullable: bool) -> pa.RecordBatch:
    """A row whose column is the same but for what may be null inside it."""
    entry = pa.struct([pa.field("c", pa.int32(), nullable=nullable)])
    kind = pa.struct(
        [
            pa.field("a", pa.string(), nullable=nullable),
            ("b", pa.list_(pa.field("element", entry, nullable=nullable))),
            ("d", pa.map_(pa.string(), pa.field("value", pa.int64(), nullable=nullable))),
        ]
    )
    return pa.RecordBatch.from_pylist([{"s": VALUE}], pa.schema([("s", kind)]))


@pytest.mark.parametrize("first_may_be_null", [True, False])
def test_columns_that_differ_in_optional_parts_are_reported(first_may_be_null: bool) -> None:
    batches = [batch(first_may_be_null), batch(not first_may_be_null)]
    (joined,) = gather(batches, [np.array([1, 0, -1])])
    joined.validate(full=True)
    assert joined.column("s").to_pylist() == [VALUE, VALUE, None]


@pytest.mark.parametrize("coded", [(), (0,), (1, 2)])
@pytest.mark.parametrize("joined_bytes", [0, 1 << 20])
def test_all_rows_in_another_order_are_those_of_batches_one_by_one(
    joined_bytes: int, coded: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The strings of some batches may be numbers of a dictionary."""
    monkeypatch.setattr("hudi_arrow.gather.JOINED_BYTES", joined_bytes)
    whole = pa.record_batch({"n": NUMBERS, "s": STRINGS})
    batches = [whole.slice(first, 30) for first in range(0, 100, 30)]
    for number in coded:
        numbers, strings = batches[number].columns
        batches[number] = pa.record_batch({"n": numbers, "s": strings.dictionary_encode()})
    chance = np.random.default_rng(6)
    rows, others = chance.permutation(100), chance.integers(-1, 100, 100)
    (joined,) = gather(batches, [rows, others])
    joined.validate(full=True)
    assert joined.column("n").equals(NUMBERS.take(pa.array(rows)))
    assert joined.column("s").cast(pa.string()).equals(STRINGS.take(pa.array(others, mask=others < 0)))


def test_neighbouring_rows_of_a_batch_are_a_slice_of_it() -> None:
    """Rows over two batches, in another order, or of other columns are not."""
    whole = pa.record_batch({"n": NUMBERS, "s": STRINGS})
    batches = [whole.slice(0, 60), whole.slice(60)]
    for rows, is_slice in (
        (np.arange(65, 80), True),
        (np.arange(7, 8), True),
        (np.arange(55, 65), False),
        (np.arange(9, 3, -1), False),
    ):
        (taken,) = gather(batches, [rows, rows])
        taken.validate(full=True)
        assert taken.equals(whole.take(pa.array(rows)))
        assert (taken.column(1).buffers()[2].address == STRINGS.buffers()[2].address) is is_slice
    (absent,) = gather(batches, [np.array([-1]), np.array([-1])])
    assert absent.to_pydict() == {"n": [None], "s": [None]}
    (mixed,) = gather(batches, [np.arange(5, 9), np.arange(6, 10)])
    assert mixed.to_pydict() == {"n": NUMBERS[5:9].to_pylist(), "s": STRINGS[6:10].to_pylist()}

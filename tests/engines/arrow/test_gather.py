"""Rows put together from rows of several batches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hudi_arrow.gather import gather

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
def test_columns_that_differ_in_what_may_be_null(first_may_be_null: bool) -> None:
    batches = [batch(first_may_be_null), batch(not first_may_be_null)]
    (joined,) = gather(batches, [np.array([1, 0, -1])])
    joined.validate(full=True)
    assert joined.column("s").to_pylist() == [VALUE, VALUE, None]

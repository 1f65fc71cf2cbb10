"""Values as buffers, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from hudi_core.columns.nodes import PrimitiveColumn
from hudi_core.types import nodes as t
from hudi_plain.buffers import from_values


@pytest.mark.parametrize("of", [t.Float(), t.Double()], ids=["float", "double"])
def test_a_negative_zero_keeps_its_sign(of: t.Type) -> None:
    record = t.Record((t.Field(1, "a", of),))
    column = from_values([(-0.0,), (None,), (0.0,)], record, "rows").fields["a"]
    assert isinstance(column, PrimitiveColumn)
    assert np.signbit(column.values).tolist() == [True, False, False]

"""TRY_CAST of numbers on Arrow beside the function's own meaning."""

from __future__ import annotations

from math import inf, nan, nextafter
from typing import Any

import pyarrow as pa
import pytest

from hudi_arrow.functions import apply
from hudi_core.functions.casts import TRY_CAST, try_cast
from hudi_core.types import nodes as t

WHOLE = [0, -1, 127, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, -(2**63), None]
REALS = [0.0, -0.0, 0.9, -0.9, nan, inf, -inf, 1e300, None] + [
    near
    for edge in (2.0**31, -(2.0**31), 2.0**31 - 1, -(2.0**31) - 1, 2.0**63, -(2.0**63))
    for near in (nextafter(edge, -inf), edge, nextafter(edge, inf))
]


@pytest.mark.parametrize("target", [t.Int(), t.Long()])
@pytest.mark.parametrize(
    ("source", "kind", "values"),
    [(t.Long(), pa.int64(), WHOLE), (t.Double(), pa.float64(), REALS), (t.Float(), pa.float32(), REALS)],
)
def test_numbers_beyond_the_type_are_null(source: t.Type, kind: pa.DataType, values: list[Any], target: t.Type) -> None:
    """FUNC-32."""
    array = pa.array(values, kind)
    wanted = [None if value is None else try_cast(value, source, target) for value in array.to_pylist()]
    for part, expected in ((array, wanted), (array.slice(3), wanted[3:]), (array[:0], [])):
        assert apply(TRY_CAST, [part], [source], target).to_pylist() == expected

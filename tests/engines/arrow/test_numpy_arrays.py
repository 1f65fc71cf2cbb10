"""Arrays of NumPy's and Python's values through their buffers: the same as pyarrow's own conversions give."""

from __future__ import annotations

import ast
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hudi_arrow
from hudi_arrow.numpy_arrays import flags, from_numpy, from_python, has_value, no_for_null, no_rows, to_numpy, to_scalar
from tests.support.commands import rides

_NUMBERS = [np.bool_, np.int8, np.int32, np.int64, np.uint8, np.uint64, np.float32, np.float64]
_PYTHON: list[tuple[pa.DataType, list[Any]]] = [
    (pa.bool_(), [True, False]),
    (pa.int32(), [0, -(1 << 31), (1 << 31) - 1]),
    (pa.int64(), [0, -(1 << 63)]),
    (pa.float32(), [0.5, -0.0]),
    (pa.float64(), [1e300, float("inf")]),
    (pa.date32(), [-1, 19_000]),
    (pa.timestamp("us", "UTC"), [-1, 1 << 50]),
    (pa.time32("ms"), [0, 1]),
    (pa.time64("us"), [5]),
    (pa.string(), ["", "é", "a" * 100]),
    (pa.large_string(), ["x"]),
    (pa.binary(), [b"", b"\x00"]),
    (pa.binary(3), [b"abc", b"\x00\x00\x01"]),
    (pa.decimal128(38, 4), [Decimal("-0.0001"), Decimal("9" * 34 + ".1234"), Decimal("0.0000")]),
]


@given(st.data(), st.sampled_from(_NUMBERS), st.booleans())
def test_numbers_and_flags_come_back(data: st.DataObject, kind: type[np.generic], nullable: bool) -> None:
    """ENGINE-960."""
    elements = {"allow_nan": False} if issubclass(kind, np.floating) else None
    values = data.draw(arrays(kind, st.integers(0, 40), elements=elements))
    nulls = data.draw(arrays(np.bool_, len(values))) if nullable else None
    made = from_numpy(values, nulls)
    made.validate(full=True)
    assert made.equals(pa.array(values, mask=nulls))
    first = data.draw(st.integers(0, len(values)))
    cut, present = made.slice(first), np.ones(len(values) - first, np.bool_) if nulls is None else ~nulls[first:]
    assert has_value(cut).tolist() == present.tolist()
    wanted = np.where(present, values[first:], kind(0))
    if kind is np.bool_:
        assert flags(cut).tolist() == flags(no_for_null(cut)).tolist() == wanted.tolist()
        assert flags(pa.chunked_array([cut, cut])).tolist() == [*wanted.tolist()] * 2
    else:
        assert to_numpy(cut).tolist() == wanted.tolist()


@pytest.mark.parametrize(("kind", "values"), _PYTHON, ids=[str(kind) for kind, _ in _PYTHON])
def test_values_are_those_of_pyarrow(kind: pa.DataType, values: list[Any]) -> None:
    """ENGINE-960."""
    for given_values in (values, [None, *values, None], [None], []):
        made = from_python(given_values, kind)
        made.validate(full=True)
        assert made.equals(pa.array(given_values, kind))
        assert [to_scalar(value, kind).as_py() for value in given_values] == made.to_pylist()


def test_a_batch_without_rows_has_its_columns() -> None:
    kinds = (
        pa.list_(pa.int8()),
        pa.dictionary(pa.int32(), pa.string()),
        pa.struct([pa.field("x", pa.int8())]),
        pa.uuid(),
    )
    schema = pa.schema([pa.field(str(kind), kind, nullable=False) for kind in kinds], metadata={"made": "here"})
    batch = no_rows(schema)
    assert batch.num_rows == 0 and batch.schema.equals(schema, check_metadata=True)
    assert no_rows(pa.schema([])).num_columns == 0


def test_what_has_no_place_is_refused() -> None:
    with pytest.raises(TypeError, match="datetime64"):
        from_numpy(np.zeros(1, "datetime64[us]"))
    with pytest.raises(OverflowError):
        from_python([1 << 40], pa.int32())
    with pytest.raises(pa.ArrowInvalid, match="3 bytes"):
        from_python([b"ab"], pa.binary(3))


def test_other_modules_leave_conversions_to_this_one() -> None:
    """ENGINE-960. Those that take Python's values of a user, or answer another library's scans, convert as pyarrow does."""
    of_users = {f"incoming/{name}.py" for name in ("frames", "given", "misfits", "python_values")}
    own = {"numpy_arrays.py", "pushdown/dataset.py", *of_users}
    folder = Path(hudi_arrow.__file__).parent
    for file in (file for file in folder.rglob("*.py") if file.relative_to(folder).as_posix() not in own):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            where = f"{file.name}:{node.lineno}"
            called = ast.unparse(node.func)
            assert called not in ("pa.array", "pa.scalar", "pc.scalar"), where
            assert node.func.attr not in ("to_numpy", "empty_table", "from_pylist", "from_pydict"), where


@pytest.mark.parametrize("where", ["fare > 60", "rider LIKE 'a%' AND passengers IN (1, 2)"])
def test_first_rows_load_no_pandas(where: str) -> None:
    """ENGINE-960."""
    code = (
        "import sys, hudi_core; hudi_core.open(sys.argv[1]).scan(where=sys.argv[2]).to_arrow();"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(rides()), where], check=False).returncode == 0

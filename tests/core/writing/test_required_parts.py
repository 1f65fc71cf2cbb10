"""Nulls in required parts of columns are refused on each way in; below a null anything may stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import RowError

NUMBER = pa.field("x", pa.int64(), nullable=False)
ITEM = pa.field("element", pa.struct([NUMBER]), nullable=False)
VALUE = pa.field("value", pa.int64(), nullable=False)
TYPES = {
    "struct": pa.struct([NUMBER, pa.field("y", pa.string())]),
    "array": pa.list_(ITEM),
    "map": pa.map_(pa.string(), VALUE),
    "deep": pa.struct([pa.field("of", pa.list_(pa.field("element", pa.map_(pa.string(), VALUE))))]),
}
GOOD: dict[str, list[Any]] = {
    "struct": [{"x": 1, "y": None}, None],
    "array": [[{"x": 1}, {"x": 2}], None],
    "map": [[("k", 1)], None],
    "deep": [{"of": [[("k", 1)], None]}, {"of": None}],
}
BAD: dict[str, list[tuple[str, Any]]] = {
    "struct": [("c.x", {"x": None, "y": "y"})],
    "array": [("c.element", [{"x": 1}, None]), ("c.element.x", [{"x": 1}, {"x": None}])],
    "map": [("c.value", [("k", 1), ("l", None)])],
    "deep": [("c.of.element.value", {"of": [None, [("k", 1)], [("l", None)]]})],
}


def optional(data_type: pa.DataType) -> pa.DataType:
    """The type with nothing required."""
    if pa.types.is_struct(data_type):
        return pa.struct([pa.field(field.name, optional(field.type)) for field in data_type])
    if pa.types.is_map(data_type):
        return pa.map_(data_type.key_type, optional(data_type.item_type))
    return pa.list_(optional(data_type.value_type)) if pa.types.is_list(data_type) else data_type


def rows(data_type: pa.DataType, values: list[Any], start: int = 0) -> pa.Table:
    keys = [f"k{start + number}" for number in range(len(values))]
    return pa.table({"id": keys, "c": pa.array(values, data_type)})


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize(("name", "path", "value"), [(name, *case) for name, cases in BAD.items() for case in cases])
def test_a_null_in_a_required_part_is_refused(tmp_path: Path, kind: Any, name: str, path: str, value: Any) -> None:
    """WRITE-1531, WRITE-4: by its row and the path of the part, and nothing is written."""
    of = TYPES[name]
    good = rows(of, GOOD[name])
    table = hudi_core.create(tmp_path / "t", good, key="id", type=kind)
    table.upsert(good)
    before = sorted(tmp_path.rglob("*"))
    for op in ("upsert", "append", "insert_overwrite_table"):
        with pytest.raises(RowError, match=f"^{path}: row 3: expected a value, found null"):
            table.refresh().write(rows(optional(of), [*GOOD[name], value]), op)
    with pytest.raises(RowError, match=f"{path}: row 1: expected a value, found null"):
        table.refresh().upsert(rows(optional(of), [value]))
    assert sorted(tmp_path.rglob("*")) == before
    table.refresh().upsert(rows(optional(of), GOOD[name], 1))  # what may be null is not asked for in the rows' types
    assert table.refresh().count() == 3


def test_what_stands_below_a_null_has_no_meaning(tmp_path: Path) -> None:
    """WRITE-1531: as Spark gives it, nulls."""
    parts = pa.StructArray.from_arrays([pa.array([1, None])], fields=[NUMBER], mask=pa.array([False, True]))
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array([1, None]), mask=pa.array([False, True]))
    given = pa.table({"id": ["a", "b"], "c": parts, "d": lists.cast(pa.list_(pa.field("element", pa.int64())))})
    types = given.schema.set(2, pa.field("d", pa.list_(pa.field("element", pa.int64(), nullable=False))))
    table = hudi_core.create(tmp_path / "t", types, key="id", type="mor")
    for _ in range(2):
        table.refresh().upsert(given)
    shown = [{"id": "a", "c": {"x": 1}, "d": [1]}, {"id": "b", "c": None, "d": None}]
    assert table.refresh().to_arrow(meta=False).to_pylist() == shown

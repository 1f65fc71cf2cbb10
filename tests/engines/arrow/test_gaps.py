"""Rows that lack a column which other rows of their batch have, in each form that has such rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import hudi_core
from hudi_arrow.incoming.gaps import refuse_gaps
from hudi_core import RowError, UnknownColumnError

INNER = pa.struct([("a", pa.int64()), ("b", pa.string())])
TYPES = pa.schema(
    [
        ("id", pa.string()), ("city", pa.string()), ("fare", pa.int64()), ("inner", INNER), ("items", pa.list_(INNER)),
    ]
)  # fmt: skip
WHOLE = {"city": "oslo", "fare": 7, "inner": {"a": 1, "b": "x"}, "items": [{"a": 1, "b": "x"}]}
FORMS = ["dictionaries", "one after the other", "json", "jsonl.gz"]


def new_table(folder: Path, kind: str = "cow") -> hudi_core.Table:
    table = hudi_core.create(folder / "t", TYPES, "id", type=kind)
    table.insert([{"id": name, **WHOLE} for name in "abc"])
    return table.refresh()


def data(form: str, folder: Path, rows: list[dict[str, Any]]) -> Any:
    if form == "dictionaries":
        return rows
    if form == "one after the other":
        return (row for row in rows)
    path = folder / f"rows.{form}"
    text = "\n\n".join(json.dumps(row) for row in rows).encode()
    path.write_bytes(pa.compress(text, "gzip", asbytes=True) if form.endswith("gz") else text)
    return path


def stored(folder: Path) -> dict[str, Any]:
    return {row.pop("id"): row for row in hudi_core.open(folder / "t").scan(meta=False).to_arrow().to_pylist()}


@pytest.mark.each_value
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lacks", ["fare", "inner.b", "items.a"])
def test_a_row_that_lacks_a_part_is_refused_where_it_would_replace_another(
    tmp_path: Path, form: str, lacks: str
) -> None:
    """ROWS-800: the row and the column are named, and nothing is written."""
    table = new_table(tmp_path)
    whole: dict[str, Any] = {**WHOLE, "fare": None}
    short = {name: value for name, value in WHOLE.items() if name != lacks}
    if lacks == "inner.b":
        short["inner"] = {"a": 9}
    if lacks == "items.a":
        short["items"] = [{"a": 1, "b": "y"}, {"b": "z"}]
    rows = [{"id": "a", **whole}, {"id": "b", **whole}, {"id": "c", **short}]
    before = stored(tmp_path)
    for missing in (None, "keep"):
        with pytest.raises(
            RowError, match=rf"{lacks}: row 3: expected a value or null in each row, or missing_columns: null"
        ):
            table.upsert(data(form, tmp_path, rows), missing_columns=missing)
    with pytest.raises(RowError, match=rf"{lacks}: row 3: "):
        table.overwrite(data(form, tmp_path, rows))
    assert stored(tmp_path) == before
    table.upsert(data(form, tmp_path, rows), missing_columns="null")
    assert stored(tmp_path)["a"]["fare"] is None


@pytest.mark.parametrize("form", FORMS)
def test_a_part_that_all_rows_lack_is_no_null(tmp_path: Path, form: str) -> None:
    """WRITE-202: what is stored is not replaced by nothing."""
    table = new_table(tmp_path)
    rows = [{"id": name, **WHOLE, "inner": {"a": 9}, "items": [{"b": "y"}]} for name in "ab"]
    before = stored(tmp_path)
    with pytest.raises(UnknownColumnError, match=r"^inner\.b, items\.element\.a: |^inner\.b"):
        table.upsert(data(form, tmp_path, rows))
    assert stored(tmp_path) == before


@pytest.mark.parametrize("form", FORMS)
def test_rows_that_are_added_may_have_gaps(tmp_path: Path, form: str) -> None:
    """ROWS-800."""
    table = new_table(tmp_path)
    table.insert(data(form, tmp_path, [{"id": "x", **WHOLE}, {"id": "y", "city": "rome"}]))
    assert (stored(tmp_path)["y"]["city"], stored(tmp_path)["y"]["fare"]) == ("rome", None)


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_column_that_all_rows_lack_is_kept(tmp_path: Path, kind: str) -> None:
    """WRITE-202, WRITE-203: of dictionaries and lazy frames too."""
    table = new_table(tmp_path, kind)
    rows = [{"id": "a", "fare": 8}, {"id": "b", "fare": None}]
    for given in (rows, pl.DataFrame(rows).lazy(), data("json", tmp_path, rows)):
        with pytest.raises(UnknownColumnError, match=r"^city, inner, items: "):
            table.upsert(given)
    table.upsert(rows, missing_columns="keep")
    assert [(stored(tmp_path)[name]["city"], stored(tmp_path)[name]["fare"]) for name in "ab"] == [
        ("oslo", 8), ("oslo", None)
    ]  # fmt: skip


def test_a_later_block_and_a_dictionary_of_columns_are_held_to_it(tmp_path: Path) -> None:
    """ROWS-800."""
    table = new_table(tmp_path)
    many = ({"id": str(number), **WHOLE} if number != 70_000 else {"id": "z"} for number in range(70_001))
    with pytest.raises(RowError, match=r"^rows: city: row 70,001: "):
        table.upsert(many)
    columns = {"id": ["a", "b"], **{name: [value, value] for name, value in WHOLE.items()}}
    columns["inner"] = [{"a": 1, "b": "x"}, {"b": "x"}]
    with pytest.raises(RowError, match=r"^rows: inner\.a: row 2: "):
        table.upsert(columns)


def test_a_merge_is_held_to_it(tmp_path: Path) -> None:
    """ROWS-800."""
    table = new_table(tmp_path)
    source = [{"id": "a", **WHOLE}, {"id": "b", "city": "rome"}]
    with pytest.raises(RowError, match=r"^rows: fare: row 2: "):
        table.merge(source, on="id").when_matched_update().execute()


def test_values_of_maps_are_held_to_it() -> None:
    """ROWS-800: their keys are no parts."""
    kind = {"pairs": pa.map_(pa.string(), INNER)}
    refuse_gaps(
        [(0, {"pairs": {"k": {"a": 1, "b": "x"}}}), (1, {"pairs": {"l": None}}), (2, {"pairs": None})], kind, "rows"
    )
    with pytest.raises(RowError, match=r"^rows: pairs\.b: row 2: "):
        refuse_gaps([(0, {"pairs": {"k": {"a": 1, "b": "x"}}}), (1, {"pairs": {"k": {"a": 1}}})], kind, "rows")

"""Maps that have a key twice are refused on each way in, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hudi_core
from hudi_arrow.engine import ENGINE
from hudi_arrow.types import schema_from_arrow
from hudi_core import RowError
from hudi_core.writing.map_keys import refuse_repeated_map_keys

MAP = pa.map_(pa.string(), pa.int64())
DEEP = pa.list_(pa.struct([("m", pa.map_(pa.string(), MAP))]))
TYPES = pa.schema([("id", pa.string()), ("m", MAP), ("deep", DEEP)])
ONCE: dict[str, Any] = {"m": [("k", 1), ("l", 1)], "deep": [{"m": [("k", [("k", 1)])]}, None, {"m": None}]}
TWICE = [("k", 1), ("l", 2), ("k", 1)]
ROWS = {
    "m": [{"id": "a", **ONCE}, {"id": "b", **ONCE, "m": TWICE}],
    "deep.m": [{"id": "a", **ONCE}, {"id": "b", **ONCE, "deep": [{"m": []}, {"m": [("l", TWICE)]}]}],
}


def data(form: str, rows: list[dict[str, Any]], folder: Path) -> Any:
    table = pa.Table.from_pylist(rows, TYPES)
    if form == "json":
        (folder / "rows.json").write_text("\n".join(map(json.dumps, rows)))
        return folder / "rows.json"
    if form in ("csv", "parquet", "arrow"):
        path = folder / f"rows.{form}"
        ENGINE.rows.write(str(path), schema_from_arrow(TYPES).value, iter(table.to_batches()))
        return path
    return [{"id": row["id"], "m": row["m"], "deep": None} for row in rows] if form == "dictionaries" else table


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ("table", "m"), ("dictionaries", "m"), ("json", "deep.m"), ("csv", "m"), ("csv", "deep.m"), ("parquet", "deep.m"),
        ("arrow", "m"),
    ],
)  # fmt: skip
def test_a_key_that_a_map_has_twice_is_refused(tmp_path: Path, form: str, path: str) -> None:
    """WRITE-1324: row, column and key are named, and nothing is written; in the source of a merge too."""
    table = hudi_core.create(tmp_path / "t", TYPES, "id")
    rows = data(form, ROWS[path], tmp_path)
    for write in (
        table.upsert,
        table.bulk_insert,
        lambda given: table.merge(given, on="id").when_not_matched_insert().execute(),
    ):
        with pytest.raises(RowError, match=rf"{path}: row 2: expected each key of a map once, found 'k' twice"):
            write(rows)
    assert table.refresh().timeline.completed == ()
    table.upsert(data(form, ROWS[path][:1], tmp_path))
    assert table.refresh().scan(meta=False).to_arrow().num_rows == 1


def test_rows_are_counted_over_batches(tmp_path: Path) -> None:
    """WRITE-1324."""
    table = hudi_core.create(tmp_path / "t", TYPES, "id")
    first = pa.Table.from_pylist(ROWS["m"][:1] * 3, TYPES)
    with pytest.raises(RowError, match="m: row 5: "):
        table.insert(iter([first, pa.Table.from_pylist(ROWS["m"], TYPES)]))


def test_what_is_stored_is_merged_and_rewritten_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1324: a map of an older writer is read, and its file is written anew."""
    table = hudi_core.create(tmp_path / "t", TYPES, "id")
    with monkeypatch.context() as patched:
        patched.setattr("hudi_core.writing.schema_on_write.refuse_repeated_map_keys", lambda *_: None)
        table.insert(pa.Table.from_pylist(ROWS["m"], TYPES))
    table.refresh().upsert(pa.Table.from_pylist([{"id": "a", "m": [], "deep": []}], TYPES))
    rows = {row["id"]: row["m"] for row in table.refresh().scan(meta=False).to_arrow().to_pylist()}
    assert rows == {"a": [], "b": TWICE}


KEYS = st.lists(st.sampled_from(["", "k", "l", "é", "a key that is longer"]), max_size=3)


@given(maps=st.lists(st.none() | KEYS, min_size=1, max_size=6), skipped=st.integers(0, 2))
def test_maps_are_refused_exactly_where_they_repeat_a_key(maps: list[list[str] | None], skipped: int) -> None:
    """WRITE-1324: by brute force, of slices too."""
    values = pa.array([None if keys is None else [(key, 1) for key in keys] for keys in maps], MAP).slice(skipped)
    kind = schema_from_arrow(pa.schema([("m", MAP)])).value.fields[0].type
    wrong = [row for row, keys in enumerate(maps[skipped:], 10) if keys is not None and len(set(keys)) < len(keys)]
    try:
        refuse_repeated_map_keys(ENGINE.rows.to_column(values, kind, "m"), "m", 10)
        row = None
    except RowError as error:
        row = error.row
    assert row == (wrong[0] if wrong else None)


def test_columns_of_structs_are_no_maps(tmp_path: Path) -> None:
    """WRITE-1324."""
    table = hudi_core.create(
        tmp_path / "t", pa.schema([("id", pa.string()), ("s", pa.struct([("k", pa.int64())]))]), "id"
    )
    table.insert(pl.DataFrame({"id": ["a"], "s": [{"k": 1}]}))
    assert table.refresh().scan(meta=False).to_arrow().num_rows == 1


@pytest.mark.parametrize("keys", [pa.int64(), pa.binary(), pa.date32()])
def test_maps_with_other_keys_than_strings_are_refused(tmp_path: Path, keys: pa.DataType) -> None:
    """WRITE-1422."""
    table = hudi_core.create(tmp_path / "t", TYPES, key="id")
    for name, kind, path in (("m", MAP, "m"), ("deep", DEEP, "deep.element.m"), ("new", MAP, "new")):
        inner = pa.map_(keys, MAP if name == "deep" else pa.int64())
        other = pa.list_(pa.struct([("m", inner)])) if kind is DEEP else inner
        rows = pa.table({"id": ["a"], name: pa.array([None], other)})
        with pytest.raises(hudi_core.SchemaError, match=f"^{path}: expected string keys of a map, found"):
            table.insert(rows, add_columns=True)
    assert table.refresh().count() == 0

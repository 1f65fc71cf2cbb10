"""Updates by predicate win over the rows that they read, on both kinds of tables. Rule WRITE-208."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import UnsupportedError, col
from hudi_core.options import PROPERTIES_PATH
from hudi_core.validation.validate import validate
from hudi_core.writing import update_outcomes
from tests.support.drawing import each_pair

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("s", pa.string()), ("n", pa.int64())])
MODEL = "org.apache.hudi.common.model"


def rows(ids: str, ts: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": name, "p": "x", "ts": ts, "s": f"{name}{ts}", "n": ts} for name in ids], TYPES)


def new_table(folder: Path, kind: str, version: int = 9, **named: Any) -> hudi_core.Table:
    named = {"ordering": "ts", **named}
    table = hudi_core.create(folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, **named)
    table.insert(rows("abcd", 5))
    return table


def merging_by(folder: Path, payload: str) -> None:
    """The table's properties as those of a payload class of table version 8."""
    path = folder / "t" / PROPERTIES_PATH
    kept = [line for line in path.read_text().splitlines() if ".merge." not in line and "payload.class" not in line]
    stated = [f"hoodie.compaction.payload.class={MODEL}.{payload}", "hoodie.record.merge.mode=CUSTOM"]
    path.write_text("\n".join([*kept, *stated]) + "\n")


def stored(folder: Path) -> dict[str, tuple[Any, ...]]:
    scan = hudi_core.open(folder / "t").scan(columns=["id", "ts", "s", "n"])
    return {row["id"]: (row["ts"], row["s"], row["n"]) for row in scan.to_arrow().to_pylist()}


@pytest.mark.each_value
@each_pair(
    kind=["cow", "mor"],
    version=[6, 8, 9],
    logs=[False, True],
    options=[{}, {"hoodie.table.cdc.enabled": "true"}, {"hoodie.populate.meta.fields": "false"}],
)
def test_a_lower_ordering_value_wins(
    tmp_path: Path, kind: str, version: int, logs: bool, options: dict[str, str]
) -> None:
    """WRITE-208: over base files and log files; later rows compete with what the update made."""
    table = new_table(tmp_path, kind, version, options=options, indexes=["column_stats", "record_index"])
    if logs:
        table.upsert(rows("ab", 6))
        table.delete(where="id = 'b'")
    others = {"b": (5, "b5", 5), "c": (5, "c5", 5), "d": (5, "d5", 5)}
    if logs:
        del others["b"]
    result = table.update({"ts": 1, "n": col("n") + 10}, where="id = 'a'")
    made = (1, "a6", 16) if logs else (1, "a5", 15)
    assert result.updated == 1
    assert stored(tmp_path) == {"a": made, **others}
    table.upsert(rows("a", 0))
    assert stored(tmp_path)["a"] == made
    table.upsert(rows("a", 2))
    assert stored(tmp_path)["a"] == (2, "a2", 2)
    assert [str(finding) for finding in validate(hudi_core.open(tmp_path / "t"))] == []


def test_only_slices_whose_rows_would_lose_are_rewritten(tmp_path: Path) -> None:
    """WRITE-208."""
    table = new_table(tmp_path, "mor")
    table.insert(rows("ef", 1).set_column(1, "p", pa.array(["y", "y"])))
    assert table.update({"ts": 5}).files_replaced == 0
    assert table.update({"ts": 4, "s": "new"}).files_replaced == 2
    table.update({"ts": 9}, where="p = 'y'")
    assert table.update({"ts": 8}).files_replaced == 1
    assert {values[:2] for values in stored(tmp_path).values()} == {(8, "new")}
    assert table.update({"n": 0}, dry_run=True).files_replaced == 0
    assert table.update({"ts": None}, dry_run=True).files_replaced == 2


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize(
    ("payload", "assigned", "changed"),
    [
        ("FirstValueAvroPayload", {"s": "new"}, (5, "new", 5)),
        ("ReverseOrderHoodieRecordPayload", {"ts": 6}, (6, "a5", 5)),
        ("PartialUpdateAvroPayload", {"s": None}, (5, None, 5)),
        ("PartialUpdateAvroPayload", {"s": "new", "ts": 2}, (2, "new", 5)),
        ("OverwriteNonDefaultsWithLatestAvroPayload", {"n": None}, (5, "a5", None)),
    ],
)
def test_updates_win_whatever_the_merge_rule(
    tmp_path: Path, kind: str, payload: str, assigned: dict[str, Any], changed: tuple[Any, ...]
) -> None:
    """WRITE-208."""
    hudi_core.create(tmp_path / "t", TYPES, "id", partition_by="p", ordering="ts", type=kind, version=8)
    merging_by(tmp_path, payload)
    table = hudi_core.open(tmp_path / "t")
    table.insert(rows("ab", 5))
    assert table.update(assigned, where="id = 'a'").updated == 1
    assert stored(tmp_path) == {"a": changed, "b": (5, "b5", 5)}


def test_nulls_that_were_nulls_lose_nothing(tmp_path: Path) -> None:
    """WRITE-208."""
    hudi_core.create(tmp_path / "t", TYPES, "id", partition_by="p", ordering="ts", type="mor", version=8)
    merging_by(tmp_path, "PartialUpdateAvroPayload")
    table = hudi_core.open(tmp_path / "t")
    table.insert(rows("ab", 5).set_column(3, "s", pa.array([None, None], pa.string())))
    assert table.update({"n": 7}).files_replaced == 0
    assert set(stored(tmp_path).values()) == {(5, None, 7)}


def test_an_update_of_a_slice_to_be_clustered_is_refused_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WRITE-208, COMMIT-200: refused before anything is written."""
    table = new_table(tmp_path, "mor")
    table.upsert(rows("a", 6))
    (file_slice,) = table.refresh().slices()
    monkeypatch.setattr(update_outcomes, "list_excluded_groups", lambda _: {("x", file_slice.file_id)})
    before = content(tmp_path / "t")
    with pytest.raises(
        UnsupportedError, match=f"{file_slice.file_id}: expected a base file to rewrite.*compact it first"
    ):
        table.update({"ts": 1})
    assert content(tmp_path / "t") == before
    table.update({"ts": 7})


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

"""Clusterings of files that were written under several schemas: columns are told by their ids. CLUSTER-10, CLUSTER-33."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster, plan_only, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.planner import plan_clustering
from hudi_core.cluster.preview import preview
from hudi_core.front.opening import create_table, open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.plan import FileSizes

COUNT = 200
BEFORE = pa.schema([("id", pa.string()), ("n", pa.int32()), ("s", pa.string())])
AFTER = pa.schema([("id", pa.string()), ("m", pa.int64()), ("s", pa.float64()), ("extra", pa.string())])


def evolved(path: Path, kind: str, version: int) -> Table:
    """Three files: of the first schema, of one with `n` wider and renamed to `m`, and `s` another column of that name, and of
    that again; their ranges of `m` overlap in the first two alone."""
    table = create_table(path, BEFORE, "id", type=kind, version=version, indexes=["column_stats", "record_index"])
    ids = [f"{number:04}" for number in range(3 * COUNT)]
    old = {"id": ids[:COUNT], "n": [number * 7 % COUNT for number in range(COUNT)], "s": ["old"] * COUNT}
    table.append(pa.table(old, BEFORE))
    alter_schema(table, "RENAME COLUMN n TO m; ALTER COLUMN m TYPE bigint; DROP COLUMN s")
    alter_schema(table, "ADD COLUMN s double; ADD COLUMN extra string")
    for part, base in ((1, COUNT // 2), (2, 1 << 40)):
        numbers = [base + number * 11 % COUNT for number in range(COUNT)]
        of_part = ids[part * COUNT : (part + 1) * COUNT]
        new = {"id": of_part, "m": numbers, "s": [number / 2 for number in numbers], "extra": of_part}
        refreshed(table).append(pa.table(new, AFTER))
    refreshed(table).upsert(pa.table({"id": ids[:1], "m": [3], "s": [0.5], "extra": ["new"]}, AFTER))
    return refreshed(table)


def content(path: Path, mode: MetadataMode = MetadataMode.AUTO) -> list[dict[str, Any]]:
    return sorted(open_table(path, metadata=mode).scan(meta=False).to_json_rows(), key=lambda row: str(row["id"]))


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("mor", 6)])
def test_files_of_several_schemas_are_read_together_without_loss(tmp_path: Path, kind: str, version: int) -> None:
    table = evolved(tmp_path, kind, version)
    before = content(tmp_path)
    assert [before[0][name] for name in ("m", "s", "extra")] == [3, 0.5, "new"]
    assert [before[1][name] for name in ("m", "s", "extra")] == [7, None, None]
    small = FileSizes(3_000, 1)
    files = 2 if kind == "cow" else 3  # of the log file's rows no range is known: it may overlap all
    assert [
        len(group.slices) for group in plan_clustering(table, ClusterOptions(columns=("m",), sizes=small)).groups
    ] == [files]
    options = ClusterOptions(Strategy.HILBERT, ("m", "s"), FileSizes(4_000, 1 << 20))
    queries = ["m = 42", "s IS NULL", f"m > {1 << 40}"]
    gains = preview(table, options, queries).gains
    result = cluster(table, options)
    assert (result.groups, result.files_in, result.rows) == (1, files, files * COUNT)
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == before
    after = open_table(tmp_path)
    assert after.schema.ids == table.schema.ids
    for query, gain in zip(queries, gains, strict=True):  # the sample has not what a log file changed
        assert abs(len(after.scan(query).plan.kept()) - gain.kept_after) <= (kind == "mor")
    assert max(gain.kept_after for gain in gains) < result.files_out


def test_a_schema_may_change_while_a_plan_waits(tmp_path: Path) -> None:
    table = evolved(tmp_path, "mor", 9)
    waiting = plan_only(table, ClusterOptions(columns=("m",), sizes=FileSizes(4_000, 1 << 20)))
    assert waiting.instant is not None
    alter_schema(table, "RENAME COLUMN extra TO more; DROP COLUMN s")
    before = content(tmp_path)
    assert set(before[0]) == {"id", "m", "more"}
    assert run_requested(table, waiting.instant, ClusterOptions()).rows == 3 * COUNT
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == before

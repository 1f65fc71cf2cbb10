"""Plans that wait while the table's schema changes: their runs write under the schema that the table had. COMMIT-1545."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.cluster import operations as clustering
from hudi_core.cluster.options import ClusterOptions
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import plan_only, run_requested
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.schemas import LATEST_SCHEMA
from tests.support.drawing import each_pair

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int32()), ("s", pa.string())])
INDEXES = ["column_stats", "bloom_filters", "record_index"]
CHANGES = (
    "DROP COLUMN s",
    "RENAME COLUMN s TO t",
    "ALTER COLUMN n TYPE bigint",
    "DROP COLUMN s; ADD COLUMN s int",
    "RENAME COLUMN s TO t; RENAME COLUMN n TO s",
    "ADD COLUMN more int DEFAULT 7 FIRST",
)
SERVICES = COMPACTION, LOG_COMPACTION, CLUSTERING = "compaction", "log compaction", "clustering"
WHERE = (None, "n >= 20", "p = 'x' AND n < 20")


def rows(first: int, *keys: str) -> pa.Table:
    made = [{"id": key, "p": "xy"[key > "c"], "n": first + i, "s": f"s{first + i}"} for i, key in enumerate(keys)]
    return pa.Table.from_pylist(made, TYPES)


def made(path: Path, version: int, service: str) -> tuple[Table, str]:
    """A table with a plan that waits, and its time."""
    indexes = INDEXES if version == 6 else [*INDEXES, "partition_stats"]
    kind = "cow" if service == CLUSTERING else "mor"
    table = create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    table.insert(rows(1, "a", "b", "c", "d"))
    if service == CLUSTERING:
        table.refresh().append(rows(30, "aa"))
        planned = clustering.plan_only(table, ClusterOptions(columns=("s",))).instant
    else:
        for first in (10, 20):
            table.refresh().upsert(rows(first, "a", "b", "d"))
        planned = plan_only(table, CompactionOptions(of_logs=service == LOG_COMPACTION, min_log_blocks=2)).instant
    assert planned is not None
    return table.refresh(), planned


def run(table: Table, time: str, service: str) -> None:
    if service == CLUSTERING:
        assert clustering.run_requested(table, time, ClusterOptions()).rows > 0
    else:
        assert run_requested(table, time).rows > 0


def seen(path: Path, *times: str | None) -> list[list[str]]:
    """The rows at times, without a name of a file, by the metadata table and without it."""
    tables = [open_table(path, metadata=mode) for mode in (MetadataMode.REQUIRE, MetadataMode.OFF)]
    return [
        sorted(map(str, table.scan(where, as_of=time, meta=False).to_json_rows()))
        for time in times
        for table in tables
        for where in WHERE
        if where is None or ("n",) in table.schema_at(time).ids
    ]


def changed_rows(table: Table, until: str) -> list[str]:
    return sorted(map(str, table.scan(since="earliest", until=until, meta=False).to_json_rows()))


@pytest.mark.each_value
@each_pair(service=SERVICES, version=(6, 8, 9), change=CHANGES)
def test_a_plan_that_waits_changes_no_answer(tmp_path: Path, service: str, version: int, change: str) -> None:
    table, time = made(tmp_path / "t", version, service)
    table.upsert(rows(40, "z"))
    between = table.refresh().timeline.commits[-1].requested_time
    had = table.refresh().schema
    table = table.refresh().evolve(change)
    times = [time, between, table.timeline.commits[-1].requested_time, None]
    before, since = seen(tmp_path / "t", *times), changed_rows(table, between)
    assert "'s20'" in str(before[0]) or service == CLUSTERING
    run(table, time, service)
    after = open_table(tmp_path / "t")
    assert seen(tmp_path / "t", *times) == before
    assert changed_rows(after, between) == since
    assert after.schema == table.schema
    assert after.schema_at(time).record == after.schema_at(between).record == had.record
    assert list(after.validate()) == []
    after.upsert(after.scan("id IN ('a', 'z')", meta=False).to_arrow())
    assert seen(tmp_path / "t", *times[:3], None) == before
    assert list(after.refresh().validate()) == []


@pytest.mark.each_value
@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("service", SERVICES)
def test_a_batch_widens_and_adds_columns_behind_a_plan(tmp_path: Path, service: str, version: int) -> None:
    """Without a history of schemas the schema of the write requested last stays the table's."""
    table, time = made(tmp_path / "t", version, service)
    key = "z" if service == CLUSTERING else "a"
    wide = pa.table({"id": [key], "p": ["y" if key == "z" else "x"], "n": [1 << 40], "s": ["wide"], "more": [1.5]})
    table.upsert(wide, add_columns=True)
    changed = table.refresh().timeline.commits[-1].requested_time
    before, schema = seen(tmp_path / "t", time, changed, None), table.refresh().schema
    run(table, time, service)
    after = open_table(tmp_path / "t")
    assert seen(tmp_path / "t", time, changed, None) == before
    assert after.schema == schema
    assert after.count(f"n = {1 << 40} AND more = 1.5") == 1
    assert list(after.validate()) == []


def test_the_history_of_schemas_stays_that_of_the_last_change(tmp_path: Path) -> None:
    """The run records what the last write before its plan had recorded."""
    table, time = made(tmp_path / "t", 9, COMPACTION)
    table = table.evolve("RENAME COLUMN s TO t")
    renamed = table.timeline.commits[-1].requested_time
    run(table, time, COMPACTION)
    table.upsert(table.scan("id = 'a'", meta=False).to_arrow())
    waiting = plan_only(table).instant
    assert waiting is not None
    table = table.refresh().evolve("DROP COLUMN t").evolve("ADD COLUMN t int")
    document = table.timeline.schema_file
    run(table, waiting, COMPACTION)
    after = table.refresh()
    assert after.timeline.schema_file == document
    extras = {i.requested_time: e for i, e in zip(after.timeline.commits, after.timeline.extras(), strict=True)}
    assert LATEST_SCHEMA not in extras[time]
    assert json.loads(extras[waiting][LATEST_SCHEMA])["version_id"] == int(renamed)
    assert after.count("t IS NOT NULL") == 0
    assert after.scan("t = 's20'", as_of=waiting).to_arrow().num_rows == 1


@pytest.mark.one_of(2)
@pytest.mark.parametrize("service", SERVICES)
def test_an_expression_index_that_came_behind_the_plan_loses_no_row(tmp_path: Path, service: str) -> None:
    table, time = made(tmp_path / "t", 9, service)
    table = table.evolve("RENAME COLUMN s TO t")
    table = table.index("expression_index", columns=["t"], function="upper", name="u")
    table = table.index("expression_index", columns=["t"], function="lower", name="l", using="bloom_filters")
    before = seen(tmp_path / "t", None)
    run(table.refresh(), time, service)
    assert seen(tmp_path / "t", None) == before
    after = table.refresh()
    for value in {row["t"] for row in after.scan(columns=["t"]).to_json_rows()}:
        assert after.count(f"upper(t) = '{value.upper()}'") == after.count(f"lower(t) = '{value}'") == 1
    assert list(after.validate()) == []

"""Clusterings from their plan to their commit.

Also covers: `cluster/run.py`, `cluster/sample.py`, `cluster/groups.py`, `cluster/notes.py`,
`cluster/conflicts.py`, `cluster/result.py`, `cluster/options.py`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hudi_core.cluster import operations
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cancel, cluster, plan_only, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.partitions import FilterMode, PartitionFilter
from hudi_core.cluster.plan import ClusteringPlan
from hudi_core.cluster.planner import plan_clustering
from hudi_core.cluster.predictions import predictions
from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.lock import LOCK_PATH
from hudi_core.errors import ConflictError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.upkeep.clustering import clustering_options
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.stated_properties import StatedProperties
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.services import pending_work
from hudi_core.transactions.rollback import roll_back_completed
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64()), ("x", pa.float64())])
SIZES = FileSizes(8_000, 4_000)
LINEAR = ClusterOptions(columns=("n",), sizes=SIZES)
ONCE = WriteOptions(attempts=1)
_TEMPLATES = TemporaryDirectory(prefix="hudi-core-tables-")


def rows(first: int, count: int, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table(
        {
            "id": [f"k{number:05}" for number in range(first, first + count)],
            "p": [("a", "b")[number % 2] for number in range(first, first + count)],
            "n": chance.integers(0, 10_000, count),
            "x": chance.random(count),
        },
        schema=TYPES,
    )


def made(path: Path, kind: str = "cow", version: int = 9, indexes: list[str] | None = None) -> Table:
    """Three appends and an update, two partitions, six file slices."""
    copytree(_template(kind, version, tuple(indexes or ())), path, dirs_exist_ok=True)
    return open_table(path)


@cache
def _template(kind: str, version: int, indexes: tuple[str, ...]) -> Path:
    path = Path(_TEMPLATES.name) / "-".join([kind, str(version), *indexes])
    table = create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes or None)
    for number in range(3):
        write(table, rows(number * 400, 400, number), "append")
    write(table, rows(300, 40, 9))
    return path


def content(path: Path, mode: MetadataMode = MetadataMode.AUTO) -> list[dict[str, Any]]:
    """All rows by key, without the name of the file that they are in."""
    found = open_table(path, metadata=mode).scan().to_json_rows()
    return sorted(({**row, "_hoodie_file_name": None} for row in found), key=lambda row: str(row["id"]))


def kept(path: Path, where: str) -> int:
    return len(open_table(path).scan(where).plan.kept())


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("kind", "version", "indexes", "strategy"),
    [
        ("cow", 9, ["column_stats", "partition_stats", "record_index", "bloom_filters"], Strategy.LINEAR),
        ("mor", 9, ["column_stats", "record_index"], Strategy.HILBERT),
        ("mor", 8, ["column_stats", "record_index"], Strategy.ZORDER),
        ("mor", 6, ["column_stats", "record_index"], Strategy.LINEAR),
        ("cow", 6, None, Strategy.HILBERT),
    ],
)
def test_rows_stay_as_they_are_and_queries_skip_files(
    tmp_path: Path, kind: str, version: int, indexes: list[str] | None, strategy: Strategy
) -> None:
    """CLUSTER-10, CLUSTER-11, CLUSTER-37."""
    table = made(tmp_path, kind, version, indexes)
    before = content(tmp_path)
    last = table.timeline.commits[-1].completion_time or table.timeline.commits[-1].requested_time
    options = ClusterOptions(strategy, ("n", "x"), SIZES)
    result = cluster(table, options)
    assert open_table(tmp_path).scan(since=last).count() == 0
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == before
    assert (result.groups, result.files_in, result.rows) == (2, 6, 1200)
    after = open_table(tmp_path, metadata=MetadataMode.REQUIRE if indexes else MetadataMode.AUTO)
    assert {file_slice.instant for file_slice in after.slices()} == {result.instant}
    commit = after.timeline.commits[-1]
    metadata = after.timeline.metadata(commit)
    assert (commit.completes_as, metadata.operation) == ("replacecommit", "CLUSTER")
    assert {partition: len(ids) for partition, ids in metadata.replaced.items()} == {"a": 3, "b": 3}
    assert result.files_out == len(list(after.slices())) > 2
    assert kept(tmp_path, "n = 5000") < result.files_out
    assert [row["id"] for row in after.scan("id = 'k00311'", ["id"]).to_json_rows()] == ["k00311"]
    assert cluster(after, options).instant is None
    write(after, rows(310, 2, 10), options=ONCE)
    changed = {row["id"]: row["n"] for row in content(tmp_path)}
    assert [changed["k00310"], changed["k00311"]] == rows(310, 2, 10)["n"].to_pylist()
    assert len(changed) == len(content(tmp_path)) == 1200


def test_files_of_a_linear_clustering_are_apart(tmp_path: Path) -> None:
    """CLUSTER-4, CLUSTER-33: a clustering of files that are in order already does nothing; of new ones it takes what overlaps."""
    table = made(tmp_path, indexes=["column_stats"])
    first = cluster(table, LINEAR)
    values = [row["n"] for row in content(tmp_path)]
    partitions = 2
    assert np.mean([kept(tmp_path, f"n = {value}") for value in values[:20]]) <= 1.1 * partitions
    low = rows(5_000, 40, 3).set_column(2, "n", pa.array(np.arange(40) * 10))
    write(open_table(tmp_path), low, "append")
    second = cluster(open_table(tmp_path), ClusterOptions(columns=("n",), sizes=FileSizes(8_000, 1)))
    assert 4 <= second.files_in < first.files_out


def test_without_columns_small_files_are_joined(tmp_path: Path) -> None:
    """CLUSTER-30, CLUSTER-35."""
    table = made(tmp_path, "mor")
    before = content(tmp_path)
    result = cluster(table, ClusterOptions())
    assert (result.files_in, result.files_out) == (6, 2)
    assert content(tmp_path) == before
    assert cluster(refreshed(table), ClusterOptions()).instant is None


def test_groups_are_limited(tmp_path: Path) -> None:
    """CLUSTER-36."""
    table = made(tmp_path)
    one = cluster(table, ClusterOptions(columns=("n",), sizes=SIZES, max_groups=1))
    assert (one.groups, one.files_in) == (1, 3)
    largest = max(file_slice.base.size for file_slice in refreshed(table).slices() if file_slice.base)
    options = ClusterOptions(columns=("x",), sizes=SIZES, max_group_bytes=2 * largest)
    groups = plan_clustering(refreshed(table), options).groups
    assert {len(group.slices) for group in groups} == {2}


def test_partitions_are_chosen_by_name_and_by_predicate(tmp_path: Path) -> None:
    """CLUSTER-31."""
    table = made(tmp_path)
    assert plan_only(table, ClusterOptions(columns=("n",), sizes=SIZES, where="p = 'a'")).groups == 1
    by_name = ClusterOptions(columns=("n",), sizes=SIZES, partitions=PartitionFilter(selected=("b",)))
    assert plan_only(refreshed(table), by_name).groups == 1
    assert plan_only(refreshed(table), LINEAR).instant is None
    with pytest.raises(UsageError, match="none"):
        plan_only(table, ClusterOptions(columns=("n",), partitions=PartitionFilter(selected=("none",))))
    recent = ClusterOptions(
        columns=("n",), sizes=SIZES, partitions=PartitionFilter(FilterMode.RECENT_DAYS, skip_latest=2)
    )
    assert plan_only(table, recent).instant is None


@pytest.mark.parametrize("version", [6, 9])
def test_a_plan_waits_and_is_run_or_cancelled(tmp_path: Path, version: int) -> None:
    """CLUSTER-20, CLUSTER-32, CLUSTER-42."""
    table = made(tmp_path, "mor", version)
    before = content(tmp_path)
    waiting = plan_only(table, LINEAR)
    assert (waiting.state, waiting.groups, waiting.files_in) == ("requested", 2, 6)
    assert [len(work.file_groups) for work in pending_work(refreshed(table).timeline)] == [6]
    assert plan_only(table, ClusterOptions(columns=("x",), sizes=SIZES)).instant is None
    assert waiting.instant is not None
    cancel(table, waiting.instant, LINEAR)
    assert list(refreshed(table).timeline.pending) == []
    again = plan_only(refreshed(table), LINEAR)
    assert again.instant is not None
    result = run_requested(table, again.instant, LINEAR)
    assert (result.instant, result.groups, result.rows) == (again.instant, 2, 1200)
    assert content(tmp_path) == before
    with pytest.raises(UsageError, match="not completed"):
        run_requested(table, again.instant, LINEAR)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)])
def test_a_completed_clustering_is_rolled_back_with_its_plan(tmp_path: Path, kind: str, version: int) -> None:
    """ROLLBACK-4."""
    table = made(tmp_path, kind, version, ["record_index"])
    before = content(tmp_path)
    result = cluster(table, LINEAR)
    assert result.instant is not None
    roll_back_completed(refreshed(table), result.instant)
    after = open_table(tmp_path)
    assert list(after.timeline.pending) == []
    assert content(tmp_path) == before
    assert cluster(after, LINEAR).rows == 1200


def test_writers_are_refused_while_a_plan_waits(tmp_path: Path) -> None:
    """CONFLICT-3: updates, overwrites, and partitions that are deleted."""
    table = made(tmp_path)
    waiting = plan_only(table, ClusterOptions(columns=("n",), sizes=SIZES, where="p = 'a'"))
    even, odd = rows(300, 1, 4), rows(301, 1, 4)
    reports: list[tuple[int, int]] = []
    watched = WriteOptions(attempts=1, progress=lambda done, of: reports.append((done, of)))
    for operation in ("upsert", "insert_overwrite", "insert_overwrite_table"):
        with pytest.raises(ConflictError, match="not clustered"):
            write(table, even, operation, watched)
    assert reports == []  # CONFLICT-10: no file was written for a commit that is going to be refused
    with pytest.raises(ConflictError, match="not clustered"):
        delete_partitions(table, ["a"], ONCE)
    assert write(table, odd, options=ONCE).updated == 1
    assert waiting.instant is not None
    assert run_requested(table, waiting.instant, LINEAR).groups == 1


@pytest.mark.parametrize("operation", ["upsert", "insert_overwrite"])
def test_a_writer_takes_a_plan_back_that_nobody_runs(tmp_path: Path, operation: str) -> None:
    """CONFLICT-6."""
    table = made(tmp_path, "mor", indexes=["record_index"])
    waiting = plan_only(table, LINEAR)
    ahead = WriteOptions(attempts=1, cancels_plans=True)
    running = tmp_path / f".hoodie/timeline/{waiting.instant}.clustering.inflight"
    running.touch()
    with pytest.raises(ConflictError, match="not clustered"):
        write(table, rows(302, 1, 6), operation, ahead)
    running.unlink()
    write(table, rows(302, 1, 6), operation, ahead)
    assert list(refreshed(table).timeline.pending) == []
    now = {row["id"]: row["n"] for row in content(tmp_path)}
    assert now["k00302"] == rows(302, 1, 6)["n"][0].as_py()
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF)


def test_neighbours_in_range_that_are_small_are_joined(tmp_path: Path) -> None:
    """CLUSTER-34: files without overlap, of which two fill one."""
    table = create_table(tmp_path, TYPES, "id")
    for part in range(4):
        numbers = pa.array(np.arange(400) + 1_000 * part)
        write(table, rows(part * 400, 400, part).set_column(2, "n", numbers), "append")
    size = max(file_slice.base.size for file_slice in refreshed(table).slices() if file_slice.base)
    options = ClusterOptions(columns=("n",), sizes=FileSizes(2 * size + 1, size + 1))
    groups = plan_clustering(refreshed(table), options).groups
    assert [len(group.slices) for group in groups] == [2, 2]
    assert plan_clustering(refreshed(table), ClusterOptions(columns=("n",), sizes=FileSizes(2 * size, 0))).groups == ()


def test_a_wide_range_groups_the_slices_within_it(tmp_path: Path) -> None:
    """CLUSTER-33: one file overlaps two that do not overlap each other; a fourth lies apart."""
    table = create_table(tmp_path, TYPES, "id")
    for part, (low, high) in enumerate([(0, 1_000), (10, 20), (500, 510), (2_000, 2_010)]):
        numbers = pa.array(np.linspace(low, high, 40).astype(np.int64))
        write(table, rows(part * 40, 40, part).set_column(2, "n", numbers), "append")
    groups = plan_clustering(refreshed(table), ClusterOptions(columns=("n",), sizes=FileSizes(1 << 20, 0))).groups
    assert [len(group.slices) for group in groups] == [3]


def test_a_slice_that_is_alone_is_rewritten_for_its_log_files(tmp_path: Path) -> None:
    """CLUSTER-33."""
    table = create_table(tmp_path, TYPES, "id", type="mor")
    options = ClusterOptions(columns=("n",), sizes=FileSizes(1 << 20, 0))
    write(table, rows(0, 40, 1), "append")
    assert plan_clustering(refreshed(table), options).groups == ()
    write(table, rows(0, 1, 2))
    (file_slice,) = refreshed(table).slices()
    assert file_slice.logs
    assert [len(group.slices) for group in plan_clustering(refreshed(table), options).groups] == [1]


def test_slices_whose_rows_are_all_deleted_leave_no_file(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="mor", indexes=["record_index"])
    write(table, rows(0, 40, 1))
    write(refreshed(table), rows(0, 40, 1).filter(pc.field("p") == "a").select(["id", "p"]), "delete")
    before = refreshed(table).scan().to_arrow().sort_by("id")
    result = cluster(refreshed(table), LINEAR)
    after = refreshed(table)
    assert (result.files_in, result.files_out) == (1, 0)
    assert {file_slice.partition for file_slice in after.slices()} == {"b"}
    assert after.scan().to_arrow().sort_by("id").select(TYPES.names) == before.select(TYPES.names)
    assert [str(finding) for finding in after.validate()] == []


def test_a_file_that_is_much_too_large_is_cut(tmp_path: Path) -> None:
    """CLUSTER-33."""
    table = create_table(tmp_path, TYPES, "id")
    write(table, rows(0, 1_200, 1), "append")
    size = next(file_slice.base.size for file_slice in refreshed(table).slices() if file_slice.base)
    whole = ClusterOptions(columns=("n",), sizes=FileSizes(size, size))
    assert plan_clustering(refreshed(table), whole).groups == ()
    parts = ClusterOptions(columns=("n",), sizes=FileSizes(size // 3 + 1, size))
    assert cluster(table, parts).files_out == 3
    assert kept(tmp_path, "n = 5000") == 1


def test_slices_that_a_writer_changed_since_the_plan_are_left_alone(tmp_path: Path) -> None:
    """CLUSTER-14, CLUSTER-40, CLUSTER-41: a writer that does not look for plans, as Apache Hudi's may be set."""
    table = made(tmp_path, "mor", indexes=["record_index", "column_stats"])
    waiting = plan_only(table, LINEAR)
    assert waiting.instant is not None
    plan = next(tmp_path.glob(f".hoodie/timeline/{waiting.instant}.clustering.requested"))

    def write_unseen(data: pa.Table) -> None:
        hidden = plan.rename(tmp_path / "hidden")
        write(table, data, options=ONCE)
        hidden.rename(plan)

    def during(done: int, _: int) -> None:
        if done == outputs_of_first:
            write_unseen(rows(302, 1, 6))

    outputs_of_first = waiting.files_out // 2
    options = ClusterOptions(columns=("n",), sizes=SIZES, progress=during)
    result = run_requested(table, waiting.instant, options)
    assert (result.groups, result.groups_dropped) == (1, 1)
    now = {row["id"]: row["n"] for row in content(tmp_path)}
    assert now["k00302"] == rows(302, 1, 6)["n"][0].as_py()
    assert len(content(tmp_path)) == len(content(tmp_path, MetadataMode.OFF)) == 1200

    again = plan_only(refreshed(table), ClusterOptions(columns=("x",), sizes=SIZES))
    assert again.instant is not None
    plan = next(tmp_path.glob(f".hoodie/timeline/{again.instant}.clustering.requested"))
    write_unseen(rows(0, 400, 7))
    with pytest.raises(ConflictError, match="nobody has changed"):
        run_requested(table, again.instant, LINEAR)
    assert [instant.requested_time for instant in refreshed(table).timeline.pending] == [again.instant]


def test_writers_wait_where_they_are_faster_than_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLUSTER-54: a commit before each plan can be requested."""
    table = made(tmp_path, "mor")
    locked: list[bool] = []

    def overtaken(latest: Table, options: ClusterOptions) -> ClusteringPlan:
        plan = plan_clustering(latest, options)
        locked.append((tmp_path / LOCK_PATH).exists())
        if not locked[-1]:
            write(latest, rows(300, 2, len(locked)), options=ONCE)
        return plan

    monkeypatch.setattr(operations, "plan_clustering", overtaken)
    waiting = plan_only(table, ClusterOptions(columns=("n",), sizes=SIZES, queries=("n = 5000",)))
    assert locked == [False, False, False, True]
    assert waiting.instant is not None
    before = content(tmp_path)
    result = run_requested(table, waiting.instant, LINEAR)
    assert (result.groups, result.groups_dropped, result.rows) == (2, 0, 1200)
    assert content(tmp_path) == before
    assert predictions(refreshed(table).timeline, ["n = 5000"]) != [None]


def test_an_index_of_keys_that_is_begun_meanwhile_is_a_conflict(tmp_path: Path) -> None:
    """CLUSTER-55: the keys of the files that were written are not known any more."""
    table = made(tmp_path, indexes=["column_stats"])
    before = content(tmp_path)
    properties = tmp_path / ".hoodie" / "hoodie.properties"
    without = properties.read_bytes()

    def begun(_: int, __: int) -> None:
        properties.write_bytes(without + b"hoodie.table.metadata.partitions.inflight=record_index\n")

    with pytest.raises(
        ConflictError, match="expected no new index since the write began, found a new one: record_index"
    ):
        cluster(table, ClusterOptions(columns=("n",), sizes=SIZES, progress=begun))
    properties.write_bytes(without)
    assert list(refreshed(table).timeline.pending) == []
    assert content(tmp_path) == before
    assert cluster(refreshed(table), LINEAR).rows == 1200


def test_a_run_that_may_continue_elsewhere_is_left_alone(tmp_path: Path) -> None:
    """CLUSTER-15."""
    table = made(tmp_path)
    waiting = plan_only(table, LINEAR)
    assert waiting.instant is not None
    table.storage.create(f".hoodie/timeline/{waiting.instant}.clustering.inflight", b"")
    with pytest.raises(ConflictError, match="being run"):
        run_requested(table, waiting.instant, LINEAR)
    table.storage.replace(heartbeat_path(waiting.instant), b"")
    with pytest.raises(ConflictError, match="being run"):
        cancel(table, waiting.instant, LINEAR)
    table.storage.delete(heartbeat_path(waiting.instant))
    cancel(table, waiting.instant, LINEAR)
    assert list(refreshed(table).timeline.pending) == []


def test_a_clustering_that_is_interrupted_leaves_no_plan(tmp_path: Path) -> None:
    """CLUSTER-14."""
    table = made(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*.parquet"))

    def interrupted(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cluster(table, ClusterOptions(columns=("n",), sizes=SIZES, progress=interrupted))
    assert list(refreshed(table).timeline.pending) == []
    assert sorted(path.name for path in tmp_path.rglob("*.parquet")) == before


def test_tables_without_stored_keys_are_clustered_by_nested_and_missing_values(tmp_path: Path) -> None:
    """CLUSTER-3, CLUSTER-10: virtual keys, a field of a struct, nulls."""
    types = pa.schema([("id", pa.string()), ("s", pa.struct([("v", pa.string())]))])
    options = {"hoodie.populate.meta.fields": "false"}
    table = create_table(tmp_path, types, "id", options=options)
    for part in range(3):
        values = [None if number % 7 == 0 else {"v": f"{'long ' * 4}{number * 7919 % 300}"} for number in range(300)]
        write(table, pa.table({"id": [f"{part}-{n}" for n in range(300)], "s": values}, schema=types), "append")
    before = sorted(refreshed(table).scan(meta=False).to_json_rows(), key=str)
    result = cluster(table, ClusterOptions(columns=("s.v",), sizes=FileSizes(4_000, 4_000)))
    assert sorted(refreshed(table).scan(meta=False).to_json_rows(), key=str) == before
    assert result.files_out > 1
    assert len(refreshed(table).scan("s.v IS NULL").plan.kept()) == 1


def test_rows_that_are_alike_are_cut_by_number(tmp_path: Path) -> None:
    """CLUSTER-7, CLUSTER-13: in files of their own."""
    table = create_table(tmp_path, TYPES, "id", indexes=None)
    for number in range(3):
        write(table, rows(number * 400, 400, number).set_column(2, "n", pa.array([0, *[7] * 398, 9])), "append")
    result = cluster(table, LINEAR)
    assert result.files_out >= 4
    assert result.rows == len(content(tmp_path)) == 1200
    assert kept(tmp_path, "n <> 7") == 2
    assert kept(tmp_path, "n = 7") == result.files_out - 2


def test_a_limit_of_small_files_beyond_the_size_of_new_ones_is_refused(tmp_path: Path) -> None:
    """CLUSTER-1682: where files are joined alone; Apache Hudi's properties may state it."""
    with pytest.raises(UsageError, match="sizes: expected a limit of small files of at most the target of 1000 bytes"):
        ClusterOptions(sizes=FileSizes(1000, 2000))
    assert ClusterOptions(columns=("n",), sizes=FileSizes(1000, 2000)).sizes.small == 2000
    plan = "hoodie.clustering.plan.strategy"
    stated = {f"{plan}.target.file.max.bytes": "1000", f"{plan}.small.file.limit": "2000"}
    assert clustering_options(StatedProperties(stated)).sizes == FileSizes(1000, 1000)

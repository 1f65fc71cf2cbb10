"""META-90 to META-96: writers go on while an index is built, builds that die are built again, and two exclude each other.

Also covers: `metadata_writer/building.py`, `index_builds/check.py`, `index_builds/group_files.py`,
`index_kinds/build_plan.py`, `index_kinds/column_definitions.py`, `index_kinds/planned_builds.py`,
`index_builds/removal.py`, `index_builds/row_sources.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.commit.avro_schemas import INDEX_PLAN
from hudi_core.errors import ConflictError, CorruptFileError, UnsupportedError, UsageError
from hudi_core.formats.avro.container import write_container
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds import build as index_build
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.index_kinds.planned_builds import list_planned_builds
from hudi_core.metadata.record_index import locations
from hudi_core.options import PROPERTIES_PATH, TableConfig
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.transactions.rollback import roll_back_completed
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crashes import WHOLE, crashes, later
from tests.support.overlapping import beside

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
ALL = {6: ["column_stats", "bloom_filters", "record_index"]}
each_kind = pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("mor", 6)])


def rows(numbers: Sequence[int], n: int | None = None) -> pa.Table:
    listed = [{"id": f"k{number}", "p": "xy"[number % 2], "n": number if n is None else n} for number in numbers]
    return pa.Table.from_pylist(listed, TYPES)


def new_table(folder: Path, kind: str, version: int, indexes: Sequence[str] | None = ()) -> Table:
    table = create_table(folder, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    write(table, rows(range(6)))
    write(refreshed(table), rows(range(4, 8), 100))
    return refreshed(table)


def read(
    path: str | Path, mode: MetadataMode = MetadataMode.REQUIRE, where: str | None = None
) -> list[tuple[Any, ...]]:
    scan = open_table(path, metadata=mode).scan(where, columns=TYPES.names)
    return sorted(tuple(row.values()) for row in scan.to_json_rows())


def assert_right(path: str | Path, expected: Sequence[tuple[str, int]]) -> None:
    """The rows by key and number, with the metadata table and without; each of them by predicates; and where each key is."""
    table = open_table(path)
    everything = read(path)
    assert [(key, n) for key, _, n in everything] == sorted(expected)
    assert read(path, MetadataMode.OFF) == everything
    for key, partition, n in everything:
        assert read(path, where=f"n = {n} AND id = '{key}'") == [(key, partition, n)]
    metadata = table.snapshot().metadata
    assert metadata is not None
    if "record_index" in metadata.partitions:
        keys = [f"k{number}" for number in range(20)]
        places = {keys[number]: place for number, place in locations(metadata.lookup("record_index", sorted(keys)))}
        places = dict(zip([sorted(keys)[keys.index(key)] for key in places], places.values(), strict=True))
        tagged = {key: "xy"[int(key[1:]) % 2] for key, _ in expected}
        assert {key: place.partition for key, place in places.items()} == tagged
        live = {(file_slice.partition, file_slice.file_id) for file_slice in table.slices()}
        assert {(place.partition, place.file_id) for place in places.values()} <= live


def once(work: Callable[[], object]) -> Callable[[int], None]:
    """Progress of a build that does some work when the first base file is there."""
    left = [work]

    def progress(_: int) -> None:
        if left:
            left.pop()()

    return progress


@pytest.mark.one_of(2)
@each_kind
def test_writes_that_complete_meanwhile_are_in_the_indexes(tmp_path: Path, kind: str, version: int) -> None:
    """META-91, META-92."""
    table = new_table(tmp_path / "t", kind, version)

    def work() -> None:
        during = refreshed(table)
        assert set(during.config.metadata_partitions_inflight) == set(kinds)
        write(during, rows([1, 8], 200))
        write(refreshed(table), rows([0]), "delete")
        write(refreshed(table), rows([3, 10], 300), "insert_overwrite")

    kinds = ALL.get(version, [*ALL[6], "partition_stats"])
    built = build_indexes(table, kinds, progress=once(work))
    assert built.config.kept_partitions == {"files", *kinds} == set(built.config.metadata_partitions)
    assert not list_planned_builds(built.timeline)
    assert [instant.action for instant in built.timeline.completed].count("indexing") == 1
    expected = [("k3", 300), ("k10", 300)]
    assert_right(tmp_path / "t", expected)
    write(refreshed(table), rows([3, 5], 400))
    assert_right(tmp_path / "t", [("k3", 400), ("k5", 400), ("k10", 300)])


def test_an_overwrite_that_began_before_a_record_index_begins_again(tmp_path: Path) -> None:
    """META-91."""
    table = new_table(tmp_path / "t", "cow", 9)
    work = once(lambda: build_indexes(table, ["record_index"]))
    options = WriteOptions(progress=lambda done, _: work(done))
    write(table, rows([1, 2], 5), "insert_overwrite_table", options)
    assert_right(tmp_path / "t", [("k1", 5), ("k2", 5)])


def test_two_builds_exclude_each_other(tmp_path: Path) -> None:
    """META-95."""
    table = new_table(tmp_path / "t", "cow", 9)
    refused: list[str] = []

    def work() -> None:
        for other in (
            lambda: build_indexes(refreshed(table), ["bloom_filters"]),
            lambda: drop_index(refreshed(table), "column_stats"),
        ):
            with pytest.raises(ConflictError, match="no other index build under way, found indexing") as problem:
                other()
            refused.append(str(problem.value))

    built = build_indexes(table, ["column_stats"], progress=once(work))
    assert len(refused) == 2
    assert sorted(built.config.kept_partitions) == ["column_stats", "files"]


def test_one_of_several_builds_that_begin_together_continues(tmp_path: Path) -> None:
    """META-95: the other one is refused by name, or comes when the first is published."""
    table = new_table(tmp_path / "t", "cow", 9)
    kinds = ["column_stats", "bloom_filters", "record_index"]
    together = Barrier(len(kinds))

    def build(kind: str) -> str | None:
        own = open_table(tmp_path / "t")
        together.wait(timeout=60)
        try:
            build_indexes(own, [kind])
        except ConflictError as refused:
            assert "no other index build under way, found indexing" in str(refused)
            return None
        return kind

    with ThreadPoolExecutor(len(kinds)) as pool:
        built = {kind for kind in pool.map(build, kinds) if kind}
    assert built
    after = refreshed(table)
    assert after.config.kept_partitions == {"files", *built} == set(after.config.metadata_partitions)
    assert not list_planned_builds(after.timeline)
    expected = [*((f"k{number}", number) for number in range(4)), *((f"k{number}", 100) for number in range(4, 8))]
    assert_right(tmp_path / "t", expected)


def test_a_writer_that_takes_no_notice_makes_the_build_begin_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-93."""
    table = new_table(tmp_path / "t", "cow", 9)

    def work() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(
                TableConfig, "kept_partitions", property(lambda config: frozenset(config.metadata_partitions))
            )
            write(refreshed(table), rows([11], 11))

    build_indexes(table, ["column_stats", "partition_stats"], progress=once(work))
    expected = [*((f"k{number}", number) for number in range(4)), *((f"k{number}", 100) for number in range(4, 8))]
    assert_right(tmp_path / "t", [*expected, ("k11", 11)])


def test_a_build_that_others_always_miss_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-93."""
    table = new_table(tmp_path / "t", "cow", 9)
    monkeypatch.setattr(index_build, "misses_commit", lambda *_: True)
    with pytest.raises(ConflictError, match="writers that keep indexes under construction up to date"):
        build_indexes(table, ["bloom_filters"])
    left = refreshed(table)
    assert left.config.kept_partitions == {"files"}
    assert not list_planned_builds(left.timeline)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("version", "before", "kinds"),
    [
        (9, ["column_stats"], ["files"]),
        (6, [], ["bloom_filters"]),
        pytest.param(9, [], ["column_stats", "partition_stats", "record_index"], marks=pytest.mark.soak),
        pytest.param(8, ["bloom_filters"], ["record_index"], marks=pytest.mark.soak),
    ],
)
def test_a_build_that_crashes_leaves_the_table_correct(
    tmp_path: Path, version: int, before: Sequence[str], kinds: Sequence[str]
) -> None:
    """META-95: at every change of storage. Readers see all rows, writes and builds go on from there."""
    made = create_table(tmp_path / "made", TYPES, "id", version=version, indexes=before)
    write(made, rows(range(3)))
    expected, options = [("k1", "y", 1), ("k2", "x", 2)], IndexOptions(rebuild=True)
    points = crashes(tmp_path / "made", lambda table: build_indexes(table, kinds, options), step=2)
    for number, (at, path) in enumerate(points):
        assert read(path, MetadataMode.AUTO, "n > 0") == expected, at
        assert not open_table(path).warnings
        if number % 4 == 0:
            write(open_table(path), rows([2], 101), options=WriteOptions(clock=later))
            assert read(path, MetadataMode.AUTO, "n > 0") == [expected[0], ("k2", "x", 101)], at
        if number % 4 == 2:
            built = build_indexes(open_table(path), ["files"], options, clock=later)
            assert {"files", *before} <= set(built.config.metadata_partitions) == built.config.kept_partitions
            assert not list_planned_builds(built.timeline), at
            assert read(path, where="n > 0") == expected, at
    assert set(open_table(tmp_path / WHOLE).config.metadata_partitions) == {"files", *kinds, *before}
    assert read(tmp_path / WHOLE, where="n > 0") == expected


def damaged(path: Path, how: str) -> Table:
    """A table whose metadata table is missing, behind or damaged."""
    table, root = new_table(path, "cow", 9, ["column_stats"]), path / ".hoodie"
    timeline = root / "metadata/.hoodie/timeline"
    if how == "missing":
        (root / "metadata/.hoodie/hoodie.properties").unlink()
    elif how == "behind":
        latest = table.timeline.commits[-1].requested_time
        for file in timeline.glob(f"{latest}*"):
            file.unlink()
    else:
        next((root / "metadata/files").glob(".files-0000-0_*.log.1_0-1-0")).unlink()
    return open_table(path)


@pytest.mark.parametrize(
    ("how", "what"),
    [("missing", "no such file"), ("behind", "latest commit"), ("damaged", "a file that a completed instant")],
)
def test_a_metadata_table_that_cannot_be_used_is_built_again(tmp_path: Path, how: str, what: str) -> None:
    """META-96."""
    table = damaged(tmp_path / "t", how)
    with pytest.raises(CorruptFileError, match=what) as problem:
        build_indexes(table, ["bloom_filters"])
    assert any("index build TABLE files --rebuild" in note for note in problem.value.__notes__)
    built = build_indexes(table, ["files"], IndexOptions(rebuild=True))
    assert sorted(built.config.metadata_partitions) == ["column_stats", "files"]
    expected = [*((f"k{number}", number) for number in range(4)), *((f"k{number}", 100) for number in range(4, 8))]
    assert_right(tmp_path / "t", expected)


def test_a_metadata_table_that_was_built_and_then_left_behind_is_behind(tmp_path: Path) -> None:
    """META-97: also where it has none of the table's commits."""
    table = build_indexes(new_table(tmp_path / "t", "cow", 9, None), ["files"])
    properties = tmp_path / "t" / PROPERTIES_PATH
    stated = properties.read_text()
    properties.write_text(stated.replace("hoodie.table.metadata.partitions=files", ""))
    write(refreshed(table), rows([12], 12))
    properties.write_text(stated)
    assert ("k12", 12) in [(key, n) for key, _, n in read(tmp_path / "t", MetadataMode.AUTO)]
    with pytest.raises(CorruptFileError, match="latest commit"):
        read(tmp_path / "t")


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8)])
def test_a_write_that_was_overtaken_by_another_and_by_a_build_leaves_no_metadata_table_behind(
    tmp_path: Path, kind: str, version: int
) -> None:
    """META-1044."""
    table = new_table(tmp_path / "t", kind, version)

    def overtake() -> None:
        write(refreshed(table), rows([20], 20), "append")
        build_indexes(refreshed(table), ["files"], IndexOptions(rebuild=True))

    write(refreshed(table), rows([21], 21), "append", beside(overtake))
    write(refreshed(table), rows([22], 22), "append")
    there = [(key, n) for key, _, n in read(tmp_path / "t")]
    assert {("k20", 20), ("k21", 21), ("k22", 22)} <= set(there)


def test_a_build_of_another_writer_is_for_people_to_drop(tmp_path: Path) -> None:
    """META-95."""
    table = new_table(tmp_path / "t", "cow", 9)
    info = {"version": 1, "metadataPartitionPath": "bloom_filters", "indexUptoInstant": None, "extraMetadata": {}}
    plan = write_container(INDEX_PLAN, [{"version": 1, "indexPartitionInfos": [info]}])
    (tmp_path / "t/.hoodie/timeline/20300101000000000.indexing.requested").write_bytes(plan)
    with pytest.raises(ConflictError, match="no index build of another writer"):
        build_indexes(table, ["column_stats"])
    with pytest.raises(ConflictError, match="no indexing of another writer under way"):
        write(refreshed(table), rows([1], 1))
    assert drop_index(table, "bloom_filters") == ("bloom_filters",)
    write(refreshed(table), rows([1], 1))
    assert sorted(build_indexes(table, ["column_stats"]).config.metadata_partitions) == ["column_stats", "files"]


@pytest.mark.parametrize("version", [9, 6])
def test_a_write_that_an_index_was_built_on_is_not_rolled_back(tmp_path: Path, version: int) -> None:
    """META-105."""
    table = build_indexes(new_table(tmp_path / "t", "cow", version), ["bloom_filters"])
    latest = table.timeline.commits[-1].requested_time
    with pytest.raises(UnsupportedError, match=r"drop it first, found bloom_filters built at 0*"):
        roll_back_completed(table, latest)
    assert refreshed(table).timeline.commits[-1].requested_time == latest
    write(refreshed(table), rows([1], 50))
    after = refreshed(table)
    roll_back_completed(after, after.timeline.commits[-1].requested_time)
    assert ("k1", "y", 1) in read(tmp_path / "t")


def test_indexes_are_dropped_with_all_their_remains(tmp_path: Path) -> None:
    """META-94."""
    table = new_table(tmp_path / "t", "cow", 9, ["column_stats", "partition_stats", "bloom_filters"])
    assert drop_index(table, "column_stats", dry_run=True) == ("column_stats", "partition_stats")
    assert len(refreshed(table).config.metadata_partitions) == 4
    assert drop_index(table, "column_stats") == ("column_stats", "partition_stats")
    assert sorted(refreshed(table).config.metadata_partitions) == ["bloom_filters", "files"]
    assert not (tmp_path / "t/.hoodie/metadata/column_stats").exists()
    assert "column_stats" not in (tmp_path / "t/.hoodie/.index_defs/index.json").read_text()
    with pytest.raises(UsageError, match="one of bloom_filters, files, found 'column_stats'"):
        drop_index(table, "column_stats")
    write(refreshed(table), rows([12], 12))
    built = build_indexes(table, ["column_stats"], IndexOptions(columns=["n"]))
    assert ("k12", "x", 12) in read(tmp_path / "t", where="n = 12")
    assert drop_index(built, "files") == ("bloom_filters", "column_stats", "files")
    assert not (tmp_path / "t/.hoodie/metadata").exists()


@pytest.mark.parametrize(
    ("kinds", "options", "expected"),
    [
        (["column_stats"], IndexOptions(), "an index that the table does not have"),
        (["nonsense"], IndexOptions(), "one of files, column_stats"),
        (["bloom_filters"], IndexOptions(columns=["n"]), "column_stats, or another index that takes columns"),
        (
            ["column_stats"],
            IndexOptions(columns=["n", "n"], rebuild=True),
            "columns: expected each column once, found n, n",
        ),
        (["column_stats"], IndexOptions(columns=["m"], rebuild=True), "columns of types that can have statistics"),
        ([], IndexOptions(), "index: expected a kind of index, as column_stats, found none"),
        (
            ["bloom_filters"],
            IndexOptions(partitioned=True),
            "partitioned: expected a record index, .* found bloom_filters",
        ),
        (["bloom_filters"], IndexOptions(partitioned=False), "partitioned: expected a record index"),
    ],
)
def test_impossible_builds_are_refused(
    tmp_path: Path, kinds: Sequence[str], options: IndexOptions, expected: str
) -> None:
    """META-90, META-1595."""
    table = create_table(tmp_path / "t", TYPES, "id", indexes=["column_stats"])
    with pytest.raises(UsageError, match=expected):
        build_indexes(table, kinds, options)
    assert not refreshed(table).timeline.instants


@pytest.mark.parametrize(("column", "hint"), [("N", "did you mean n"), ("zz", "columns are"), ("n.x", "columns are")])
def test_statistics_of_no_column_are_refused_by_name(tmp_path: Path, column: str, hint: str) -> None:
    """META-90."""
    table = create_table(tmp_path / "t", TYPES, "id", indexes=["column_stats"])
    with pytest.raises(UsageError, match=f"^columns: expected columns of types .*, found no column {column}; {hint}"):
        build_indexes(table, ["column_stats"], IndexOptions(columns=[column], rebuild=True))


def test_a_column_that_changed_its_name_has_no_statistics(tmp_path: Path) -> None:
    """META-84."""
    table = new_table(tmp_path / "t", "cow", 6, None)
    with pytest.raises(UsageError, match="one of files, column_stats, bloom_filters, record_index"):
        build_indexes(table, ["partition_stats"])
    with pytest.raises(UsageError, match="table version 9 for a partitioned record index"):
        build_indexes(table, ["record_index"], IndexOptions(partitioned=True))
    with pytest.raises(UnsupportedError, match="each record key once"):
        write(table, rows([1, 1]), "append")
        build_indexes(refreshed(table), ["record_index"])
    assert refreshed(table).config.kept_partitions <= {"files"}
    assert read(tmp_path / "t", MetadataMode.AUTO)


def test_the_function_of_an_index_is_no_argument_of_itself() -> None:
    """META-1639: the index would be of the column itself."""
    with pytest.raises(UsageError, match="arguments: expected the function in `function`, found expr"):
        IndexOptions(columns=["s"], arguments={"expr": "lower"})
    assert IndexOptions(columns=["s"], arguments={"pos": "1"}).has_function

"""META-94, META-114 to META-116, WRITE-60 to WRITE-62: expression indexes are built, kept by every write, dropped.

Also covers: `metadata_rows/expression.py`, `metadata/expressions.py`, `index_kinds/after_write.py`,
`index_builds/expression_rows.py`.

"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.front.opening import create_table
from hudi_core.index_builds import group_files as index_files
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata_rows.bounds import HIGHEST_STRING
from hudi_core.metadata_writer import compaction
from hudi_core.parallel.reach import Reach
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.transactions.rollback import roll_back_completed
from hudi_core.transactions.transaction import Transaction
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing import write_run
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.by_predicate import update
from hudi_core.writing.operations import delete_partitions, write
from tests.support.expression_tables import (
    INDEXES,
    LOWER,
    TYPES,
    Copies,
    assert_kept,
    bound,
    indexed,
    rows,
    statistics,
)

KINDS = [
    ("mor", 9),
    pytest.param("cow", 9, marks=pytest.mark.soak),
    pytest.param("mor", 8, marks=pytest.mark.soak),
    pytest.param("cow", 8, marks=pytest.mark.soak),
]
STEPS: dict[str, Callable[[Table], Any]] = {
    "upsert": lambda table: write(table, rows(range(10, 28), 3, lambda number: f"w{number % 2}")),
    "late upsert": lambda table: write(table, rows(range(10, 14), 0, lambda _: "late")),
    "insert": lambda table: write(table, rows(range(100, 104), 4), "insert"),
    "update": lambda table: update(table, {"s": "'Late'"}, "n = 1"),
    "delete by predicate": lambda table: table.delete(where="n = 0"),
    "cluster": lambda table: cluster(table, ClusterOptions(columns=("n",))),
    "overwrite partitions": lambda table: write(table, rows(range(30, 36), 6), "insert_overwrite"),
    "append": lambda table: write(table, rows(range(200, 210), 7), "append"),
    "delete partition": lambda table: delete_partitions(table, ["x"]),
    "roll back": lambda table: roll_back_completed(table, table.timeline.commits[-1].requested_time),
}


@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_every_write_keeps_an_index(tmp_path: Path, indexable: Copies, kind: str, version: int) -> None:
    """WRITE-60: files that come and go, rows that change, partitions that end."""
    table = indexed(indexable(tmp_path / "t", kind, version), LOWER, "expr_index_x", "expr_index_sieve")
    for name, step in STEPS.items():
        step(refreshed(table))
        if name in ("late upsert", "cluster", "append"):
            assert [str(finding) for finding in validate(table, ["expression_index"])] == [], name
        if name == "delete partition":
            assert {file for of, file in statistics(table, LOWER) if of == 6} == {"y"}
    assert_kept(table)
    assert [str(finding) for finding in validate(table)] == []


def test_definitions_are_those_of_apache_hudi(tmp_path: Path, indexable: Copies) -> None:
    """META-114."""
    table = indexed(indexable(tmp_path / "t", version=8), "expr_index_part")
    unnamed = IndexOptions(["day"], function="date_add", arguments={"days": "-3"}, using="bloom_filters")
    with pytest.raises(UnsupportedError, match=r"strings or whole numbers for bloom_filters, found date"):
        build_indexes(table, ["expression_index"], unnamed)
    table = build_indexes(table, ["expression_index"], IndexOptions(["day"], function="to_date"))
    path = tmp_path / "t/.hoodie/.index_defs/index.json"
    written = json.loads(path.read_text())["indexDefinitions"]
    assert written["expr_index_part"] == {
        "indexName": "expr_index_part",
        "indexType": "column_stats",
        "indexFunction": "substring",
        "sourceFields": ["s"],
        "indexOptions": {"expr": "substring", "pos": "1", "len": "2"},
        "version": "V1",
    }
    listed = {entry.name: entry for entry in refreshed(table).indexes()}
    entry = listed["expr_index_part"]
    assert (entry.kind, entry.columns, entry.file_groups) == ("expression_index", ("s",), 2)
    assert entry.function == "column_stats of substring(s, 1, 2)"
    assert listed["expr_index_to_date_day"].function == "column_stats of to_date(day)"


def test_a_metadata_table_that_is_compacted_keeps_indexes(
    tmp_path: Path, indexable: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 2)
    table = indexed(indexable(tmp_path / "t", "mor"), LOWER, "expr_index_sieve")
    for number in range(4):
        write(refreshed(table), rows(range(4), 10 + number, lambda _, number=number: f"W{number}"))  # type: ignore[misc]
    assert any(instant.action == "commit" for instant in metadata_commits(table))
    assert_kept(table)


def metadata_commits(table: Table) -> Sequence[Any]:
    metadata = refreshed(table).snapshot().metadata
    assert metadata is not None
    return metadata.timeline.commits


def test_writers_continue_while_an_index_is_built(tmp_path: Path, indexable: Copies) -> None:
    """WRITE-61, META-113."""
    table = indexable(tmp_path / "t")
    left: list[Callable[[], Any]] = [
        lambda: write(refreshed(table), rows(range(20), 3, lambda _: "New")),
        lambda: cluster(refreshed(table), ClusterOptions(columns=("n",))),
    ]

    def beside(_: int) -> None:
        if left:
            left.pop(0)()

    build_indexes(table, ["expression_index"], INDEXES[LOWER], progress=beside)
    assert not left
    assert_kept(table)


@pytest.mark.parametrize("operation", ["upsert", "insert_overwrite"])
def test_a_write_that_began_before_the_build_keeps_the_index(
    tmp_path: Path, indexable: Copies, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    """WRITE-61."""
    table = indexable(tmp_path / "t")
    commit, begun = Transaction.commit, []

    def late(transaction: Transaction, *arguments: Any) -> Any:
        if not begun:
            begun.append(1)
            indexed(refreshed(table), LOWER, "expr_index_sieve")
        return commit(transaction, *arguments)

    monkeypatch.setattr(Transaction, "commit", late)
    write(refreshed(table), rows(range(10, 28), 3, lambda _: "New"), operation)
    assert_kept(table)


def test_dropping(tmp_path: Path, indexable: Copies) -> None:
    """META-94."""
    table = indexed(indexable(tmp_path / "t"), LOWER, "expr_index_part")
    assert drop_index(table, "low") == (LOWER,)
    assert set(index_definitions(table.storage, refreshed(table).config)) == {"expr_index_part"}
    assert refreshed(table).config.metadata_partitions == ("expr_index_part", "files")
    assert not (tmp_path / "t/.hoodie/metadata" / LOWER).exists()


def test_values_that_depend_on_a_time_zone_are_not_known(tmp_path: Path, indexable: Copies) -> None:
    """META-115, META-116: such an index is not built; one of another writer's is kept with bounds that leave nothing out."""
    table = indexable(tmp_path / "t")
    for column, function, arguments in (
        ("n", "from_unixtime", {"format": "yyyy"}),
        ("at", "hour", {}),
        ("day", "date_format", {"format": "yyyy"}),
        ("s", "to_date", {"format": "yyyy"}),
    ):
        with pytest.raises(UnsupportedError, match="the same in every time zone of a session"):
            build_indexes(table, ["expression_index"], IndexOptions([column], function=function, arguments=arguments))
    assert not refreshed(table).config.kept_partitions
    table = indexed(table, LOWER)
    path = tmp_path / "t/.hoodie/.index_defs/index.json"
    stated = path.read_text().replace('"lower"', '"from_unixtime"').replace('"s"', '"n"')
    path.write_text(stated)
    before = set(statistics(table, LOWER))
    write(refreshed(table), rows(range(10), 3))
    new = {name: record for name, record in statistics(table, LOWER).items() if name not in before}
    assert new
    for record in new.values():
        assert (bound(record, "minValue"), bound(record, "maxValue")) == ("", HIGHEST_STRING)
        assert (record["valueCount"], record["nullCount"]) == (2, 1)
    assert [str(finding) for finding in validate(table, ["expression_index"])] == []
    build_indexes(refreshed(table), ["files"], IndexOptions(rebuild=True))
    assert {bound(record, "minValue") for record in statistics(table, LOWER).values()} == {""}


def test_impossible_builds_are_refused(tmp_path: Path, indexable: Copies) -> None:
    table = indexable(tmp_path / "t")

    def refused(expected: str, kinds: Sequence[str] = ("expression_index",), **options: Any) -> None:
        with pytest.raises((UsageError, UnsupportedError), match=expected):
            build_indexes(refreshed(table), kinds, IndexOptions(**options))

    refused("one column for expression_index.*found none", function="lower")
    refused("one column for expression_index.*found s, n", columns=["s", "n"])
    refused("in a build of its own", ["secondary_index", "expression_index"], columns=["s"])
    refused("letters, digits and underscores", columns=["s"], name="a/b")
    refused("one of identity, lower, .*found 'concat'", columns=["s"], function="concat")
    refused("one of column_stats, bloom_filters of values, found record_index", columns=["s"], using="record_index")
    refused("expression_index, the index that takes a function", ["column_stats"], columns=["s"], function="lower")
    refused("function of the top-level column missing", columns=["missing"])
    refused("whose values can be indexed, found expr='substring', pos='1'", columns=["s"], function="substring",
            arguments={"pos": "1"})  # fmt: skip
    refused("whose values can be indexed", columns=["s"], function="lower", arguments={"pos": "1"})
    refused("a function that takes the type of the column", columns=["n"], function="lower")
    refused("a definition of the index", ["expr_index_other"])
    assert not refreshed(table).config.kept_partitions
    with pytest.raises(UnsupportedError, match=r"values of the column's own type.*found int"):
        indexed(indexable(tmp_path / "eight", version=8), "expr_index_year")
    old = indexable(tmp_path / "old", version=6)
    with pytest.raises(UsageError, match="found expr_index_low"):
        indexed(old, LOWER)
    indexed(refreshed(table), LOWER)
    refused("an index that the table does not have", columns=["s"], name="low", function="upper")
    build_indexes(refreshed(table), [LOWER], IndexOptions(rebuild=True))
    assert_kept(table)


def test_changes_of_an_indexed_column_are_refused(tmp_path: Path, indexable: Copies) -> None:
    """WRITE-62."""
    table = indexed(indexable(tmp_path / "t"), "expr_index_year")
    for change in ("alter column day type string", "rename column day to d", "drop column day"):
        with pytest.raises(UnsupportedError, match="drop the index first"):
            alter_schema(refreshed(table), change)
    alter_schema(refreshed(table), "rename column x to y")
    write(refreshed(table), rows(range(3), 9).rename_columns([*TYPES.names[:6], "y", "ts"]))
    assert [str(finding) for finding in validate(table, ["expression_index"])] == []


def test_a_batch_that_changes_an_indexed_column_is_refused_with_no_warning(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """WRITE-43, WRITE-62."""
    narrow = TYPES.set(TYPES.get_field_index("n"), pa.field("n", pa.int32()))
    table = create_table(tmp_path / "t", narrow, "id", partition_by="p", ordering="ts", type="mor", version=9)
    table = build_indexes(table, ["expression_index"], IndexOptions(["n"], name="n", function="identity"))
    with pytest.raises(UnsupportedError, match="drop the index first"):
        write(table, rows(range(3), 9))
    assert recwarn.list == []


def test_an_index_that_writes_would_not_keep_is_refused_by_name(tmp_path: Path, indexable: Copies) -> None:
    """WRITE-62."""
    table = indexed(indexable(tmp_path / "t"), LOWER)
    path = tmp_path / "t/.hoodie/.index_defs/index.json"
    whole = path.read_text()
    path.write_text(whole.replace('"lower"', '"split"'))
    with pytest.raises(UnsupportedError, match=f"{LOWER}: expected a function of the top-level column s.*split"):
        write(refreshed(table), rows(range(3), 9))
    path.write_text(whole.replace('"V2"', '"V3"'))
    with pytest.raises(UnsupportedError, match=f"{LOWER}: expected an index of one column.*in version V3"):
        write(refreshed(table), rows(range(3), 9))
    path.write_text('{"indexDefinitions": {}}')
    with pytest.raises(UnsupportedError, match=f"{LOWER}: expected a definition of the index"):
        write(refreshed(table), rows(range(3), 9))
    with pytest.raises(UnsupportedError, match="a definition of the index"):
        mend(refreshed(table), [])
        build_indexes(refreshed(table), ["files"], IndexOptions(rebuild=True))


class Elsewhere:
    """A runner of tasks on other machines: what goes there and comes back is pickled."""

    parallelism = 2
    reach = Reach.NOTHING

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        return [pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(work))(task))) for task in tasks]


def test_tasks_run_on_other_machines(indexable: Copies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-130, WRITE-60."""
    monkeypatch.setattr(index_files, "waiting_runner", lambda *_: Elsewhere())
    monkeypatch.setattr(write_run, "runner_of", lambda *_: Elsewhere())
    table = indexed(indexable(tmp_path / "t"), LOWER, "expr_index_sieve")
    write(table, rows(range(10, 28), 3, lambda _: "New"))
    assert_kept(table)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_tables_without_meta_columns_have_the_bounds_of_their_own_column(tmp_path: Path, kind: str) -> None:
    """WRITE-60, TIME-230: the partition column stands where files have the indexed one, five places behind."""
    columns = {"id": ["a", "b"], "p": ["oslo", "rome"], **{f"a{number}": [1, 2] for number in range(4)}}
    given = pa.table({**columns, "s": ["x1", "y2"], "w": pa.array([1, 2], pa.int32())})
    table = create_table(
        tmp_path / "t", given, "id", partition_by="p", type=kind, options={"hoodie.populate.meta.fields": "false"}
    )
    write(table, given)
    table = build_indexes(refreshed(table), ["expression_index"], IndexOptions(["s"], name="low", function="lower"))
    wider = given.set_column(7, "w", pa.array([5, 6], pa.int64())).select([*reversed(given.column_names)])
    more = wider.append_column("new", pa.array([1.5, 2.5]))
    for step in (given, wider, more):
        write(refreshed(table), step)
        assert_sound(table)
    cluster(refreshed(table), ClusterOptions(columns=("s",)))
    assert_sound(table)


def assert_sound(table: Table) -> None:
    table = refreshed(table)
    assert [str(finding) for finding in validate(table)] == []
    assert table.scan("lower(s) = 'x1'", columns=["id"]).to_arrow().to_pylist() == [{"id": "a"}]

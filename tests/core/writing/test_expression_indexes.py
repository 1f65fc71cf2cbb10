"""META-94, META-114 to META-118, WRITE-60 to WRITE-62, VALID-30, VALID-31: expression indexes are built, kept, read, checked.

Also covers: `indexing/expression.py`, `metadata/expressions.py`, `validation/expression_index.py`, `writing/after_write.py`,
`writing/expression_rows.py`, `writing/expression_values.py`.
"""

from __future__ import annotations

import datetime
import json
import math
import pickle
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.columns.hashes import bloom_filter_key
from hudi_core.commit.statuses import ColumnRange
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.indexing import compaction, expression
from hudi_core.indexing.bounds import HIGHEST_STRING
from hudi_core.indexing.statistics_rows import Sizes
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.filters import filter_texts
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing import index_build, index_files, write_run
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.by_predicate import update
from hudi_core.writing.create import create_table
from hudi_core.writing.expression_values import Expression
from hudi_core.writing.index_build import build_indexes
from hudi_core.writing.index_plan import IndexOptions
from hudi_core.writing.index_removal import drop_index
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.rollback import roll_back_completed
from hudi_core.writing.transaction import Transaction
from hudi_core.writing.write_run import WriteOptions
from tests.support.crashes import WHOLE, crashes, later

TYPES = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("s", pa.string()),
        ("n", pa.int64()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", "UTC")),
        ("x", pa.float64()),
        ("ts", pa.int64()),
    ]
)
LOWER = "expr_index_low"
INDEXES: dict[str, IndexOptions] = {
    LOWER: IndexOptions(["s"], name="low", function="lower"),
    "expr_index_year": IndexOptions(["day"], name="year", function="year"),
    "expr_index_x": IndexOptions(["x"], name="x"),
    "expr_index_part": IndexOptions(["s"], name="part", function="substring", arguments={"pos": "1", "len": "2"}),
    "expr_index_sieve": IndexOptions(["s"], name="sieve", function="upper", using="bloom_filters"),
}
KINDS = [
    ("mor", 9),
    pytest.param("cow", 9, marks=pytest.mark.soak),
    pytest.param("mor", 8, marks=pytest.mark.soak),
    pytest.param("cow", 8, marks=pytest.mark.soak),
]
LONG = "É" + "z" * 300
"""A string whose column no footer has statistics of once it is repeated, and that recorded statistics hold in whole."""


def rows(numbers: Sequence[int], ts: int, s: Callable[[int], str | None] = lambda number: f"V{number % 3}") -> pa.Table:
    listed = [
        {
            "id": f"k{number}",
            "p": "xy"[number % 2],
            "s": None if number % 7 == 0 else s(number),
            "n": number % 5 - 2,
            "day": datetime.date(2020 + number % 2, 1, 1),
            "at": datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
            "x": [math.nan, -0.0, 1.5, None][number % 4],
            "ts": ts,
        }
        for number in numbers
    ]
    return pa.Table.from_pylist(listed, TYPES)


Made = Callable[..., Table]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Copies of a table with rows, by kind and version."""
    sources: dict[tuple[str, int], Path] = {}

    def copied(folder: Path, kind: str = "mor", version: int = 9) -> Table:
        if (kind, version) not in sources:
            path = sources[kind, version] = tmp_path_factory.mktemp("made") / "t"
            table = create_table(path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version)
            write(
                table, rows(range(20), 1, lambda number: ["A", "b", LONG, "Ü", "" if number > 9 else "C"][number % 5])
            )
            write(refreshed(table), rows(range(16, 24), 2))
        shutil.copytree(sources[kind, version], folder)
        return open_table(folder)

    return copied


def indexed(table: Table, *partitions: str) -> Table:
    for partition in partitions or INDEXES:
        table = build_indexes(table, ["expression_index"], INDEXES[partition])
    return table


CONDITIONS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "lower(s) = 'w1'": lambda row: row["s"] is not None and row["s"].lower() == "w1",
    f"lower(s) in ('late', '{LONG.lower()}')": lambda row: row["s"] is not None and row["s"].lower() in ("late", LONG.lower()),
    "lower(s) is null": lambda row: row["s"] is None,
    "lower(s) = 'nowhere'": lambda _: False,
    "year(day) = 2021": lambda row: row["day"].year == 2021,
    "year(day) > 2021": lambda _: False,
    "substring(s, 1, 2) = 'V1'": lambda row: row["s"] is not None and row["s"][:2] == "V1",
    "x = 0.0": lambda row: row["x"] == 0,
    "x > 1e300": lambda row: row["x"] is not None and math.isnan(row["x"]),
}  # fmt: skip


def assert_kept(table: Table) -> None:
    """Queries of indexed values give the rows that listing folders gives, and the check of indexes finds nothing."""
    table = refreshed(table)
    live = open_table(table.storage.uri, metadata=MetadataMode.OFF).scan().to_arrow().to_pylist()
    for condition, holds in CONDITIONS.items():
        expected = sorted(row["id"] for row in live if holds(row))
        assert sorted(row["id"] for row in table.scan(where=condition).to_arrow().to_pylist()) == expected, condition
    assert [str(finding) for finding in validate(table, ["expression_index"])] == []


def decided(table: Table, where: str) -> dict[str, int]:
    """By expression index how many slices it left out."""
    steps = refreshed(table).scan(where=where).plan.steps
    return {step.source: step.removed for step in steps if step.source.startswith("expr_index_")}


def statistics(table: Table, partition: str) -> dict[tuple[int, str], dict[str, Any]]:
    """The records of an index by type and name of the file or partition."""
    return {
        (record["type"], record["ColumnStatsMetadata"]["fileName"]): record["ColumnStatsMetadata"]
        for record in refreshed(table).metadata_records(partition)
    }


def bound(record: dict[str, Any], name: str) -> Any:
    return None if record[name] is None else record[name]["value"]


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
def test_every_write_keeps_an_index(tmp_path: Path, made: Made, kind: str, version: int) -> None:
    """WRITE-60: files that come and go, rows that change, partitions that end."""
    table = indexed(made(tmp_path / "t", kind, version), LOWER, "expr_index_x", "expr_index_sieve")
    for name, step in STEPS.items():
        step(refreshed(table))
        if name in ("late upsert", "cluster", "append"):
            assert [str(finding) for finding in validate(table, ["expression_index"])] == [], name
        if name == "delete partition":
            assert {file for of, file in statistics(table, LOWER) if of == 6} == {"y"}
    assert_kept(table)
    assert [str(finding) for finding in validate(table)] == []


@pytest.mark.parametrize("version", [9, 8])
def test_statistics_are_those_of_the_values_in_each_file(tmp_path: Path, made: Made, version: int) -> None:
    """META-35, META-116, META-117: of what is there, of what comes, and of whole partitions."""
    table = indexed(made(tmp_path / "t", "cow", version), LOWER, "expr_index_x")
    write(table, rows(range(40, 60), 3, lambda number: "Ω" if number % 2 else None))
    lower, x = statistics(table, LOWER), statistics(table, "expr_index_x")
    of_partitions: dict[str, list[str]] = {"x": [], "y": []}
    for file_slice in refreshed(table).slices():
        assert file_slice.base is not None
        values = pq.read_table(tmp_path / "t" / file_slice.base.path).to_pydict()
        strings = sorted(value.lower() for value in values["s"] if value is not None)
        of_partitions[file_slice.partition] += strings
        record = lower[3, file_slice.base.name]
        nulls = values["s"].count(None)
        stated = max(len(strings), nulls + 1) if strings else 0
        assert (record["valueCount"], record["nullCount"]) == (stated, nulls)
        ends = [strings[0], strings[-1]] if strings else [None, None]
        assert [bound(record, "minValue"), bound(record, "maxValue")] == ends
        ends = [1.5, {"float": "NaN"}] if file_slice.partition == "x" else [-0.0, 0.0]
        assert [bound(x[3, file_slice.base.name], "minValue"), bound(x[3, file_slice.base.name], "maxValue")] == ends
    for partition, strings in of_partitions.items():
        record = lower[6, partition]
        assert [bound(record, "minValue"), bound(record, "maxValue")] == [min(strings), max(strings)]
        assert record["isTightBound"]


def test_queries_leave_out_slices_by_what_is_built(tmp_path: Path) -> None:
    """SOURCE-15, of both versions of records."""
    for version in (9, 8):
        table = create_table(tmp_path / str(version), TYPES, "id", partition_by="p", type="cow", version=version)
        write(table, rows(range(20), 1, lambda number: "Even" if number % 2 == 0 else "ODD"))
        table = indexed(refreshed(table), LOWER, "expr_index_x")
        assert decided(table, "lower(s) = 'odd'") == {LOWER: 1}
        assert decided(table, "lower(s) = 'odd' and x = 1.5") == {LOWER: 1, "expr_index_x": 1}
        assert decided(table, "x < -1") == {"expr_index_x": 2}


def test_filters_hold_the_values_of_each_file(tmp_path: Path, made: Made) -> None:
    """META-118: of base files and log files, without nulls."""
    table = indexed(made(tmp_path / "t", "mor"), "expr_index_sieve")
    write(table, rows(range(10), 3, lambda _: "mi"))
    table = refreshed(table)
    metadata = table.snapshot().metadata
    assert metadata is not None
    logs = 0
    for file_slice in table.slices():
        for file in file_slice.files:
            key = bloom_filter_key(file_slice.partition, file.name)
            values = pq.read_table(tmp_path / "t" / file.path)["s"].to_pylist() if file not in file_slice.logs else []
            texts = dict(filter_texts(metadata.lookup("expr_index_sieve", [key])))
            assert bool(texts) != ("" in values), "a filter takes no empty string"
            if not texts:
                continue
            (text,) = texts.values()
            held = parse_bloom_filter(text, "t")
            is_log = file in file_slice.logs
            logs += is_log
            passing = held.may_contain(HashedKeys(["MI", "nowhere", "V1"])).tolist()
            assert passing == [is_log, False, "V1" in values]
    assert logs


def test_definitions_are_those_of_apache_hudi(tmp_path: Path, made: Made) -> None:
    """META-114."""
    table = indexed(made(tmp_path / "t", version=8), "expr_index_part")
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
    tmp_path: Path, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 2)
    table = indexed(made(tmp_path / "t", "mor"), LOWER, "expr_index_sieve")
    for number in range(4):
        write(refreshed(table), rows(range(4), 10 + number, lambda _, number=number: f"W{number}"))  # type: ignore[misc]
    assert any(instant.action == "commit" for instant in metadata_commits(table))
    assert_kept(table)


def metadata_commits(table: Table) -> Sequence[Any]:
    metadata = refreshed(table).snapshot().metadata
    assert metadata is not None
    return metadata.timeline.commits


def test_writers_go_on_while_an_index_is_built(tmp_path: Path, made: Made) -> None:
    """WRITE-61, META-113."""
    table = made(tmp_path / "t")
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
    tmp_path: Path, made: Made, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    """WRITE-61."""
    table = made(tmp_path / "t")
    commit, begun = Transaction.commit, []

    def late(transaction: Transaction, *arguments: Any) -> Any:
        if not begun:
            begun.append(1)
            indexed(refreshed(table), LOWER, "expr_index_sieve")
        return commit(transaction, *arguments)

    monkeypatch.setattr(Transaction, "commit", late)
    write(refreshed(table), rows(range(10, 28), 3, lambda _: "New"), operation)
    assert_kept(table)


def test_a_build_that_died_is_carried_out_by_the_next(
    tmp_path: Path, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-95: with the definition that it began with."""
    table = made(tmp_path / "t")

    def dies(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(index_build, "_base_files", dies)
        context.setattr(index_build, "_remove", lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            indexed(table, "expr_index_part")
    assert refreshed(table).config.metadata_partitions_inflight == ("expr_index_part",)
    write(refreshed(table), rows(range(5), 3))
    indexed(refreshed(table), LOWER)
    assert {"expr_index_part", LOWER} <= set(refreshed(table).config.metadata_partitions)
    assert_kept(table)


def test_damage_is_told_and_mended(tmp_path: Path, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """VALID-30: bounds that leave values out, of files and of whole partitions."""
    table = made(tmp_path / "t")
    monkeypatch.setattr(Expression, "of_file", lambda *_: ColumnRange("m", "n", 0, 9))
    indexed(table, LOWER)
    monkeypatch.undo()
    findings = list(validate(table, ["expression_index"]))
    assert {finding.where.partition(", ")[0] for finding in findings} == {f".hoodie/metadata/{LOWER}"}
    assert any("of partition 'y'" in finding.where for finding in findings)
    assert any("a lower bound up to 'a'" in finding.expected for finding in findings), findings
    assert any("nulls" in finding.expected for finding in findings)
    mend(refreshed(table), findings)
    assert [str(finding) for finding in validate(table)] == []
    assert_kept(table)


def test_a_filter_that_denies_a_value_is_told(tmp_path: Path, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """VALID-31."""
    table = made(tmp_path / "t")
    monkeypatch.setattr(Expression, "strings_of_file", lambda *_: [])
    indexed(table, "expr_index_sieve")
    monkeypatch.undo()
    findings = list(validate(table, ["expression_index"]))
    assert {finding.expected for finding in findings} == {"a filter that lets all values of the file pass"}


def test_dropping(tmp_path: Path, made: Made) -> None:
    """META-94."""
    table = indexed(made(tmp_path / "t"), LOWER, "expr_index_part")
    assert drop_index(table, "low") == (LOWER,)
    assert set(index_definitions(table.storage, refreshed(table).config)) == {"expr_index_part"}
    assert refreshed(table).config.metadata_partitions == ("expr_index_part", "files")
    assert not (tmp_path / "t/.hoodie/metadata" / LOWER).exists()


def test_values_that_depend_on_a_time_zone_are_not_known(tmp_path: Path, made: Made) -> None:
    """META-115, META-116: such an index is not built; one of another writer's is kept with bounds that leave nothing out."""
    table = made(tmp_path / "t")
    for column, function, arguments in (
        ("n", "from_unixtime", {"format": "yyyy"}),
        ("at", "hour", {}),
        ("day", "date_format", {"format": "yyyy"}),
        ("s", "to_date", {"format": "yyyy"}),
    ):
        with pytest.raises(UnsupportedError, match="the same in every session's time zone"):
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


def test_what_cannot_be_built_is_refused(tmp_path: Path, made: Made) -> None:
    table = made(tmp_path / "t")

    def refused(expected: str, kinds: Sequence[str] = ("expression_index",), **options: Any) -> None:
        with pytest.raises((UsageError, UnsupportedError), match=expected):
            build_indexes(refreshed(table), kinds, IndexOptions(**options))

    refused("one column of expression_index.*found none", function="lower")
    refused("one column of expression_index.*found s, n", columns=["s", "n"])
    refused("built apart", ["secondary_index", "expression_index"], columns=["s"])
    refused("letters, digits and underscores", columns=["s"], name="a/b")
    refused("one of identity, lower, .*found 'concat'", columns=["s"], function="concat")
    refused("one of column_stats, bloom_filters of values, found record_index", columns=["s"], using="record_index")
    refused("expression_index to be built of a function", ["column_stats"], columns=["s"], function="lower")
    refused("function of the top-level column missing", columns=["missing"])
    refused("whose values can be indexed, found expr='substring', pos='1'", columns=["s"], function="substring",
            arguments={"pos": "1"})  # fmt: skip
    refused("whose values can be indexed", columns=["s"], function="lower", arguments={"pos": "1"})
    refused("of a column of a type that it takes, found another one, or of long", columns=["n"], function="lower")
    refused("a definition of the index", ["expr_index_other"])
    assert not refreshed(table).config.kept_partitions
    old = made(tmp_path / "old", version=6)
    with pytest.raises(UsageError, match="found expr_index_low"):
        indexed(old, LOWER)
    indexed(refreshed(table), LOWER)
    refused("an index that the table does not have", columns=["s"], name="low", function="upper")
    build_indexes(refreshed(table), [LOWER], IndexOptions(rebuild=True))
    assert_kept(table)


def test_changes_of_an_indexed_column_are_refused(tmp_path: Path, made: Made) -> None:
    """WRITE-62."""
    table = indexed(made(tmp_path / "t"), "expr_index_year")
    for change in ("alter column day type string", "rename column day to d", "drop column day"):
        with pytest.raises(UnsupportedError, match="drop the index first"):
            alter_schema(refreshed(table), change)
    alter_schema(refreshed(table), "rename column x to y")
    write(refreshed(table), rows(range(3), 9).rename_columns([*TYPES.names[:6], "y", "ts"]))
    assert [str(finding) for finding in validate(table, ["expression_index"])] == []


def test_an_index_that_writes_would_not_keep_is_refused_by_name(tmp_path: Path, made: Made) -> None:
    """WRITE-62."""
    table = indexed(made(tmp_path / "t"), LOWER)
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


def ids(table: Table, where: str) -> list[str]:
    return sorted(row["id"] for row in refreshed(table).scan(where=where).to_arrow().to_pylist())


def test_a_build_that_dies_leaves_the_table_right(made: Made, tmp_path: Path) -> None:
    """META-95: at every change of storage; the next build of any index builds it too, and writes go on."""
    made(tmp_path / "made", "cow")
    expected = ids(open_table(tmp_path / "made", metadata=MetadataMode.OFF), "lower(s) = 'v1'")
    for at, path in crashes(tmp_path / "made", lambda table: indexed(table, LOWER), step=9):
        table = open_table(path)
        assert ids(table, "lower(s) = 'v1'") == expected, at
        write(table, rows([19], 5, lambda _: "v1"), options=WriteOptions(clock=later))
        table = build_indexes(refreshed(table), ["expression_index"], INDEXES["expr_index_year"], clock=later)
        assert "k19" in ids(table, "lower(s) = 'v1'"), at
        assert table.config.kept_partitions == set(table.config.metadata_partitions), at
        assert [str(finding) for finding in validate(table, ["expression_index", "properties"])] == [], at
    assert ids(open_table(tmp_path / WHOLE), "lower(s) = 'v1'") == expected


def test_a_write_that_dies_leaves_its_index_right(made: Made, tmp_path: Path) -> None:
    """WRITE-30, WRITE-60."""
    indexed(made(tmp_path / "made", "mor"), LOWER)
    change = rows([1, 19, 300], 5, lambda _: "New")
    seen: set[bool] = set()
    for at, path in crashes(tmp_path / "made", lambda table: write(table, change), step=9):
        table = open_table(path)
        seen.add(ids(table, "lower(s) = 'new'") == ["k1", "k19", "k300"])
        assert len(ids(table, "lower(s) = 'new'")) in (0, 3), at
        write(refreshed(table), rows([2], 5, lambda _: "New"), options=WriteOptions(clock=later))
        assert "k2" in ids(table, "lower(s) = 'new'"), at
        assert [str(finding) for finding in validate(refreshed(table), ["expression_index"])] == [], at
    assert False in seen


class Elsewhere:
    """A runner of tasks on other machines: what goes there and comes back is pickled."""

    parallelism = 2

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        return [pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(work))(task))) for task in tasks]


def test_tasks_run_on_other_machines(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-130, WRITE-60."""
    monkeypatch.setattr(index_files, "waiting_runner", lambda *_: Elsewhere())
    monkeypatch.setattr(write_run, "runner_of", lambda *_: Elsewhere())
    table = indexed(made(tmp_path / "t"), LOWER, "expr_index_sieve")
    write(table, rows(range(10, 28), 3, lambda _: "New"))
    assert_kept(table)


def test_nothing_is_known_of_log_files_where_user_code_merges(made: Made, tmp_path: Path) -> None:
    """SOURCE-7: whatever their values are, the merged row may have another."""
    table = indexed(made(tmp_path / "t"), LOWER)
    write(table, rows([1, 3, 5], 3, lambda _: "New"))
    assert refreshed(table).scan(where="lower(s) > 'Ω'").plan.kept() == []
    path = tmp_path / "t/.hoodie/hoodie.properties"
    path.write_text(path.read_text().replace("EVENT_TIME_ORDERING", "CUSTOM"))
    table = open_table(tmp_path / "t")
    logged = sorted(one.file_id for one in table.slices() if one.logs)
    assert logged
    assert sorted(one.file_id for one in table.scan(where="lower(s) > 'Ω'").plan.kept()) == logged


def test_queries_leave_out_slices_by_filters(made: Made, tmp_path: Path) -> None:
    """META-120: of base files and log files, not of a slice with a file without a filter."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", ordering="ts", type="mor")
    write(table, rows(range(20), 1, lambda number: "Even" if number % 2 == 0 else "Odd"))
    table = indexed(refreshed(table), "expr_index_sieve")
    assert decided(table, "upper(s) = 'ODD'") == {"expr_index_sieve": 1}
    assert decided(table, "upper(s) in ('EVEN', 'ODD')") == {"expr_index_sieve": 0}
    assert decided(table, "upper(s) = 'NOWHERE' and n = 1") == {"expr_index_sieve": 2}
    assert decided(table, "upper(s) > 'ODD' or upper(s) = ''") == {"expr_index_sieve": 0}
    write(table, rows([2, 4], 2, lambda _: "Odd"))
    assert decided(table, "upper(s) = 'ODD'") == {"expr_index_sieve": 0}
    assert ids(table, "upper(s) = 'ODD'") == ["k1", "k11", "k13", "k15", "k17", "k19", "k2", "k3", "k4", "k5", "k9"]
    write(refreshed(table), rows([6], 3, lambda _: ""))
    assert decided(table, "upper(s) = 'NOWHERE'") == {"expr_index_sieve": 1}
    path = tmp_path / "t/.hoodie/hoodie.properties"
    path.write_text(path.read_text().replace("EVENT_TIME_ORDERING", "CUSTOM"))
    assert decided(open_table(tmp_path / "t"), "upper(s) = 'NOWHERE'") == {"expr_index_sieve": 1}


def test_a_filter_of_whole_numbers_is_asked_for_their_digits(made: Made, tmp_path: Path) -> None:
    """META-118, META-120."""
    options = IndexOptions(["day"], name="year", function="year", using="bloom_filters")
    table = build_indexes(made(tmp_path / "t", "cow"), ["expression_index"], options)
    assert decided(table, "year(day) = 2020") == {"expr_index_year": 1}
    assert ids(table, "year(day) = 2021") == sorted(f"k{number}" for number in range(24) if number % 2)


def test_damaged_filters_leave_nothing_out(made: Made, tmp_path: Path) -> None:
    table = indexed(made(tmp_path / "t", "cow"), "expr_index_sieve")
    for file in (tmp_path / "t/.hoodie/metadata/expr_index_sieve").glob("*.hfile"):
        file.write_bytes(file.read_bytes()[:-9])
    table = refreshed(table)
    assert decided(table, "upper(s) = 'NOWHERE'") == {"expr_index_sieve": 0}


def test_records_of_apache_hudi_are_of_the_values_whatever_sizes_they_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-35: its sizes are those of the file."""
    sizes = np.array([5000, 5000])
    monkeypatch.setattr(expression, "_no_sizes", lambda count: Sizes(sizes[:count], 2 * sizes[:count]))
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="cow")
    write(table, rows(range(200), 1, lambda number: "Odd" if number % 2 else None))
    table = indexed(refreshed(table), LOWER)
    assert decided(table, "lower(s) = 'odd'") == {LOWER: 1}
    assert decided(table, "lower(s) is null") == {LOWER: 0}
    assert decided(table, "lower(s) > 'p'") == {LOWER: 2}

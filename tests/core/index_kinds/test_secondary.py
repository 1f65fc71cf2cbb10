"""META-94, META-110 to META-113, WRITE-40 to WRITE-43, VALID-24: secondary indexes are built, kept, read, checked.

Also covers: `metadata_rows/secondary.py`, `tagging/secondary_values.py`, `validation/column_indexes.py`,
`validation/secondary_index.py`,
`index_builds/row_sources.py`, `index_kinds/fixed_columns.py`, `index_builds/secondary_rows.py`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.columns.nodes import PrimitiveColumn
from hudi_core.columns.strings import string_list
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.expr.build import col
from hudi_core.formats.secondary_key import secondary_key, split_secondary_key
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.kinds import SECONDARY, of_kind
from hudi_core.metadata_writer import compaction
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.secondary_values import value_strings
from hudi_core.transactions.rollback import roll_back_completed
from hudi_core.transactions.transaction import Transaction
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.by_predicate import update
from hudi_core.writing.operations import delete_partitions, write
from tests.support.expression_tables import TYPES

COLUMNS = {
    "secondary_index_s": "s",
    "secondary_index_numbers": "n",
    "secondary_index_day": "day",
    "secondary_index_at": "at",
}
KINDS = [
    ("mor", 9),
    pytest.param("cow", 9, marks=pytest.mark.soak),
    pytest.param("mor", 8, marks=pytest.mark.soak),
    pytest.param("cow", 8, marks=pytest.mark.soak),
]
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def rows(numbers: Sequence[int], ts: int, s: Callable[[int], str | None] = lambda number: f"v{number % 3}") -> pa.Table:
    listed = [
        {
            "id": f"k${number}" if number % 4 else f"é\\{number}",
            "p": "xy"[number % 2],
            "s": None if number % 7 == 0 else s(number),
            "n": number % 5 - 2,
            "day": datetime.date(1969, 12, 30) + datetime.timedelta(days=number % 6),
            "at": EPOCH + datetime.timedelta(microseconds=number % 3 - 1),
            "x": 0.5,
            "ts": ts,
        }
        for number in numbers
    ]
    return pa.Table.from_pylist(listed, TYPES)


def new_table(folder: Path, kind: str = "mor", version: int = 9, **options: Any) -> Table:
    options = {"partition_by": "p", "ordering": "ts"} | options
    table = create_table(folder, TYPES, "id", type=kind, version=version, **options)
    write(table, rows(range(20), 1, lambda number: ["a", "$", "\\", "\0", "é$\\\0"][number % 5]))
    write(refreshed(table), rows(range(16, 24), 2))
    return refreshed(table)


def indexed(table: Table, *partitions: str) -> Table:
    for partition in partitions or COLUMNS:
        name = partition.removeprefix("secondary_index_")
        table = build_indexes(table, ["secondary_index"], IndexOptions([COLUMNS[partition]], name=name))
    return table


def spelled(value: Any) -> str | None:
    match value:
        case datetime.datetime():
            return str(round((value - EPOCH).total_seconds() * 1_000_000))
        case datetime.date():
            return str((value - EPOCH.date()).days)
        case _:
            return None if value is None else str(value)


def assert_kept(table: Table) -> None:
    """Each index has each row under its value and nothing else; queries by it give the rows that listing folders gives."""
    table = refreshed(table)
    live = open_table(table.storage.uri, metadata=MetadataMode.OFF).scan().to_arrow().to_pylist()
    for partition in of_kind(SECONDARY, table.config.metadata_partitions):
        column = COLUMNS[partition]
        recorded = [split_secondary_key(record["key"], "t") for record in table.metadata_records(partition)]
        expected = [(spelled(row[column]), row["_hoodie_record_key"]) for row in live]
        assert sorted(recorded, key=repr) == sorted(expected, key=repr), column
    for value in {row["s"] for row in live if row["s"] is not None}:
        matches = table.scan(where=col("s") == value).to_arrow().to_pylist()
        assert sorted(row["id"] for row in matches) == sorted(row["id"] for row in live if row["s"] == value)


def moved(batch: pa.Table) -> pa.Table:
    other = pa.array(["y" if value == "x" else "x" for value in batch["p"].to_pylist()])
    return batch.set_column(1, "p", other)


STEPS: dict[str, Callable[[Table], Any]] = {
    "upsert": lambda table: write(table, rows(range(10, 28), 3, lambda number: f"w{number % 2}")),
    "late upsert": lambda table: write(table, rows(range(10, 14), 0, lambda _: "late")),
    "insert": lambda table: write(table, rows(range(100, 104), 4), "insert"),
    "move": lambda table: write(table, moved(rows([2, 3, 5], 5))),
    "update": lambda table: update(table, {"s": "$$"}, "n = 1"),
    "delete by predicate": lambda table: table.delete(where="n = 0"),
    "delete by key": lambda table: table.delete(rows([1, 6], 0).select(["id", "p"])),
    "cluster": lambda table: cluster(table, ClusterOptions(columns=("n",))),
    "overwrite partitions": lambda table: write(table, rows(range(30, 36), 6), "insert_overwrite"),
    "append": lambda table: write(table, rows(range(200, 210), 7), "append"),
    "delete partition": lambda table: delete_partitions(table, ["x"]),
    "overwrite": lambda table: write(table, rows(range(5), 8), "insert_overwrite_table"),
    "roll back": lambda table: roll_back_completed(table, table.timeline.commits[-1].requested_time),
}


@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_every_write_keeps_an_index(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-40: values that change, stay, come and go."""
    table = indexed(new_table(tmp_path / "t", kind, version), "secondary_index_s")
    for name, step in STEPS.items():
        step(refreshed(table))
        keys = [record["key"] for record in table.metadata_records("secondary_index_s")]
        live = refreshed(table).scan(columns=["s", "_hoodie_record_key"]).to_arrow().to_pylist()
        expected = [secondary_key(row["s"], row["_hoodie_record_key"]) for row in live]
        assert sorted(keys) == sorted(expected), name
    assert_kept(table)
    assert [str(finding) for finding in validate(table)] == []


@pytest.mark.parametrize(("kind", "version"), [("cow", 8), pytest.param("mor", 9, marks=pytest.mark.soak)])
def test_values_of_every_type_are_spelled_as_apache_hudi_spells_them(tmp_path: Path, kind: str, version: int) -> None:
    """META-110, META-111."""
    table = indexed(new_table(tmp_path / "t", kind, version))
    assert_kept(table)
    write(table, rows(range(10, 28), 3, lambda number: f"w{number % 2}"))
    assert_kept(table)
    definition = index_definitions(table.storage, refreshed(table).config)["secondary_index_numbers"]
    assert (definition.kind, definition.function, definition.columns) == ("secondary_index", "identity", ("n",))
    assert definition.version == ("V2" if version == 9 else "V1")
    listed = {entry.name: (entry.kind, entry.columns, entry.file_groups) for entry in refreshed(table).indexes()}
    assert listed["secondary_index_numbers"] == ("secondary_index", ("n",), 10)


def test_numbers_of_64_bits_are_spelled_whole() -> None:
    """META-111."""
    numbers = [-(2**63), -1, 0, 7, 2**63 - 1]
    column = PrimitiveColumn(np.array([*numbers, 5]), np.array([True] * 5 + [False]))
    strings = value_strings(column, "t")
    assert string_list(strings)[:-1] == [str(number) for number in numbers]
    assert strings.validity is not None
    assert strings.validity.tolist() == [True] * 5 + [False]


def test_a_query_reads_the_slices_of_its_values_alone(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="cow")
    write(table, rows(range(20), 1, lambda number: "even" if number % 2 == 0 else "odd"))
    table = indexed(refreshed(table), "secondary_index_s")
    step = next(step for step in table.scan(where="s = 'odd'").plan.steps if step.source == "secondary_index_s")
    assert (step.note, step.removed, step.after) == ("", 1, 1)


def test_several_secondary_indexes_of_a_merge_on_read_table_are_not_trusted(tmp_path: Path) -> None:
    """SOURCE-14: Apache Hudi keeps one of them."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="mor")
    write(table, rows(range(20), 1, lambda number: "even" if number % 2 == 0 else "odd"))
    table = indexed(refreshed(table), "secondary_index_s")

    def step() -> tuple[str, int]:
        plan = refreshed(table).scan(where="s = 'odd'").plan
        return next((step.note, step.removed) for step in plan.steps if step.source == "secondary_index_s")

    assert step() == ("", 1)
    indexed(table, "secondary_index_day")
    assert step() == ("one of several of a merge-on-read table, of which Apache Hudi keeps one", 0)


def test_a_metadata_table_that_is_compacted_keeps_tombstones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-112."""
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 2)
    table = indexed(new_table(tmp_path / "t", "mor"), "secondary_index_s")
    for number in range(5):
        write(refreshed(table), rows(range(4), 10 + number, lambda _, number=number: f"v{number}"))  # type: ignore[misc]
    assert any("compaction" in instant.file or instant.action == "commit" for instant in metadata_commits(table))
    assert_kept(table)


def metadata_commits(table: Table) -> Sequence[Any]:
    metadata = refreshed(table).snapshot().metadata
    assert metadata is not None
    return metadata.timeline.commits


def test_virtual_keys_and_tables_without_partitions(tmp_path: Path) -> None:
    virtual = {"hoodie.populate.meta.fields": "false"}
    table = new_table(tmp_path / "t", "cow", options=virtual, partition_by=())
    table = build_indexes(table, ["secondary_index"], IndexOptions(["s"]))
    write(refreshed(table), rows(range(10, 28), 3))
    keys = [record["key"] for record in table.metadata_records("secondary_index_s")]
    live = refreshed(table).scan(columns=["s", "id"]).to_arrow().to_pylist()
    assert sorted(keys) == sorted(secondary_key(row["s"], row["id"]) for row in live)


def test_writers_continue_while_an_index_is_built(tmp_path: Path) -> None:
    """META-113, WRITE-41: commits that change no value, and writes whose files were there before the build began."""
    path = tmp_path / "t"
    table = build_indexes(new_table(path), ["record_index"])
    left: list[Callable[[], Any]] = [
        lambda: write(refreshed(table), rows(range(20), 3, lambda _: "new")),
        lambda: write(refreshed(table), rows(range(20), 4, lambda _: "new")),
        lambda: cluster(refreshed(table), ClusterOptions(columns=("n",))),
    ]
    steps: list[int] = []

    def beside(_: int) -> None:
        steps.append(1)
        if left:
            left.pop(0)()

    build_indexes(table, ["secondary_index"], IndexOptions(["s"]), progress=beside)
    assert not left
    assert len(steps) <= 10, "built once"
    assert_kept(table)


@pytest.mark.parametrize("operation", ["upsert", "insert_overwrite"])
def test_a_write_that_began_before_the_build_keeps_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    """WRITE-41."""
    table = build_indexes(new_table(tmp_path / "t"), ["record_index"])
    commit, begun = Transaction.commit, []

    def late(write: Transaction, *arguments: Any) -> Any:
        if not begun:
            begun.append(1)
            build_indexes(refreshed(table), ["secondary_index"], IndexOptions(["s"]))
        return commit(write, *arguments)

    monkeypatch.setattr(Transaction, "commit", late)
    write(refreshed(table), rows(range(10, 28), 3, lambda _: "new"), operation)
    assert_kept(table)


def test_damage_is_reported_and_repaired(tmp_path: Path) -> None:
    """VALID-24."""
    table = indexed(new_table(tmp_path / "t"), "secondary_index_s", "secondary_index_day")
    for folder in (tmp_path / "t/.hoodie/metadata").glob("secondary_index_*"):
        files = sorted(folder.glob("*.hfile"))
        contents = [file.read_bytes() for file in files]
        for file, content in zip(files, [*contents[1:], contents[0]], strict=True):
            file.write_bytes(content)
    findings = list(validate(table, ["secondary_index"]))
    assert {finding.where for finding in findings} == {
        ".hoodie/metadata/secondary_index_s", ".hoodie/metadata/secondary_index_day"
    }  # fmt: skip
    assert {finding.expected for finding in findings} == {
        "an entry of each row", "entries of the values that rows have"
    }  # fmt: skip
    assert all(finding.mending.rebuilds for finding in findings)
    mend(refreshed(table), findings)
    assert list(validate(table)) == []
    assert_kept(table)


def test_dropping(tmp_path: Path) -> None:
    """META-94: secondary indexes go with the record index that they stand on."""
    table = indexed(new_table(tmp_path / "t"), "secondary_index_s", "secondary_index_day")
    assert drop_index(table, "s") == ("secondary_index_s",)
    assert drop_index(table, "record_index") == ("record_index", "secondary_index_day")
    assert set(index_definitions(table.storage, refreshed(table).config)) == set()
    assert refreshed(table).config.metadata_partitions == ("files",)


def test_impossible_builds_are_refused(tmp_path: Path) -> None:
    table = new_table(tmp_path / "t")

    def refused(expected: str, kinds: Sequence[str] = ("secondary_index",), **options: Any) -> None:
        with pytest.raises((UsageError, UnsupportedError), match=expected):
            build_indexes(refreshed(table), kinds, IndexOptions(**options))

    refused("one column for secondary_index.*found none")
    refused("one column for secondary_index.*found s, n", columns=["s", "n"])
    refused("column_stats in a build of its own", ["secondary_index", "column_stats"], columns=["s"])
    refused("letters, digits and underscores", columns=["s"], name="a/b")
    refused("secondary_index.*, the indexes that take a name", ["record_index"], name="s")
    refused("x as a top-level column of strings", columns=["x"])
    refused("missing as a top-level column", columns=["missing"])
    refused("the column of secondary_index_other", ["secondary_index_other"])
    build_indexes(table, ["secondary_index"], IndexOptions(["s"]))
    refused("an index that the table does not have", columns=["s"])
    refused("a record index of the whole table", ["record_index"], partitioned=True, rebuild=True)
    build_indexes(refreshed(table), ["secondary_index_s"], IndexOptions(rebuild=True))
    assert_kept(table)


def test_an_older_table_and_a_partitioned_record_index_have_no_secondary_index(tmp_path: Path) -> None:
    old = new_table(tmp_path / "old", version=6)
    with pytest.raises(UsageError, match="found secondary_index_s"):
        build_indexes(old, ["secondary_index"], IndexOptions(["s"]))
    table = build_indexes(new_table(tmp_path / "t"), ["record_index"], IndexOptions(partitioned=True))
    with pytest.raises(UnsupportedError, match="a record index of the whole table"):
        build_indexes(table, ["secondary_index"], IndexOptions(["s"]))


def test_changes_of_an_indexed_column_are_refused(tmp_path: Path) -> None:
    """WRITE-43."""
    table = indexed(new_table(tmp_path / "t"), "secondary_index_numbers")
    for change in ("alter column n type double", "rename column n to m", "drop column n"):
        with pytest.raises(UnsupportedError, match="drop the index first"):
            alter_schema(refreshed(table), change)
    alter_schema(refreshed(table), "rename column x to y")


def test_a_batch_that_changes_an_indexed_column_is_refused_before_a_row_is_drawn_and_with_no_warning(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """WRITE-43."""
    narrow = TYPES.set(TYPES.get_field_index("n"), pa.field("n", pa.int32()))
    empty = create_table(tmp_path / "t", narrow, "id", partition_by="p", ordering="ts", type="mor", version=9)
    table = indexed(empty, "secondary_index_numbers")

    def batches() -> Iterator[pa.RecordBatch]:
        raise AssertionError("a batch was drawn")
        yield

    with pytest.raises(UnsupportedError, match="drop the index first"):
        write(refreshed(table), pa.RecordBatchReader.from_batches(TYPES, batches()))
    assert recwarn.list == []


def test_an_index_that_writes_would_not_keep_is_refused_by_name(tmp_path: Path) -> None:
    """WRITE-42."""
    table = indexed(new_table(tmp_path / "t"), "secondary_index_numbers")
    path = tmp_path / "t/.hoodie/.index_defs/index.json"
    path.write_text(path.read_text().replace('"n"', '"x"'))
    with pytest.raises(
        UnsupportedError, match=r"secondary_index_numbers: expected x as a top-level column.*found double"
    ):
        write(refreshed(table), rows(range(3), 9))

"""META-1100: a kind of index that is not there, an index of the greatest length of strings, is a record and its parts.

It is registered here alone: built, kept by writes, checked, used for pruning, listed and dropped by code that does not know it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.slicing import without_nulls
from hudi_core.columns.strings import string_column, string_list
from hudi_core.engine import FileInfo
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.expr.predicate import Column
from hudi_core.formats.names import parse_log_file
from hudi_core.front.opening import create_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.listing import IndexState
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_builds.row_sources import SOURCES, SharedRows, WantedRows
from hudi_core.index_builds.runs import PrefixRows
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.index_kinds.column_definitions import DEFINITIONS, is_asked_for
from hudi_core.index_kinds.file_notes import NOTED, FileNotes
from hudi_core.index_kinds.fixed_columns import refuse_changed_column
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.file_keys import keys_of
from hudi_core.metadata.kinds import KINDS, IndexKind, kind_of, with_kind
from hudi_core.metadata.table import MetadataTable
from hudi_core.metadata_rows.committed_change import CommittedChange
from hudi_core.metadata_rows.removed_files import ROWS_OF_REMOVED_FILES, delete_statistics
from hudi_core.metadata_rows.rows import IndexRows, PartitionRows
from hudi_core.metadata_rows.rows_of_change import ROWS_OF_CHANGE
from hudi_core.metadata_rows.statistics_rows import V2, Sizes, encode_statistics, file_statistics
from hudi_core.planning.sources.expression_indexes import STATISTICS_OF_VALUES, ExpressionIndex
from hudi_core.planning.sources.sources import Sources
from hudi_core.planning.sources.stable_names import stable_column
from hudi_core.pruning.statistics import from_values
from hudi_core.reading.base_files import BaseFiles
from hudi_core.schema.project import project
from hudi_core.schema.schema import Schema
from hudi_core.services.compaction.operations import compact
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.types import nodes as t
from hudi_core.validation.column_indexes import ColumnIndexes
from hudi_core.validation.findings import Finding, Severity, rebuild
from hudi_core.validation.validate import OF_INDEXES, validate
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.operations import write

LENGTHS = IndexKind("lengths", groups=1, partition_prefix="lengths_of_", since=8, notes_files=True, has_columns=True)
INDEX = LENGTHS.partition("name")
TYPES = pa.schema([("id", pa.string()), ("name", pa.string()), ("ts", pa.int64())])


@dataclass(frozen=True)
class Length:
    """The greatest length of the strings in a file, and how many of how many are null."""

    greatest: int
    nulls: int
    rows: int


@dataclass(frozen=True)
class Lengths:
    """The index of a column."""

    partition: str
    column: str

    @property
    def index(self) -> Lengths:
        return self

    def of_file(self, snapshot: Snapshot, slice: FileSlice, file: FileInfo) -> Length | None:
        """Nothing is known of log files."""
        if parse_log_file(file.name) is not None:
            return None
        schema, rows = project(snapshot.schema, [(self.column,)]), snapshot.engine.rows
        lengths, nulls = [0], 0
        for batch in BaseFiles(Sources(snapshot.of_slices(slices_of([slice])))).rows(slice, file, schema):
            field = snapshot.engine.values.field(rows.root(batch), 0)
            strings = rows.to_column(field, t.String(), file.path)
            there = without_nulls(strings)
            assert isinstance(there, StringColumn)
            nulls += length(strings) - length(there)
            lengths += map(len, string_list(there))
        return Length(max(lengths), nulls, len(lengths) - 1 + nulls)

    def rows(self, files: Sequence[tuple[str, str, object]]) -> IndexRows:
        """The records of files, by partition and name, with their notes."""
        known = [(partition, name, note) for partition, name, note in files if isinstance(note, Length)]
        names = string_column([name for _, name, _ in known])
        notes, zeros = [note for _, _, note in known], np.zeros(len(known), np.int64)
        bounds = [note.greatest for note in notes]
        statistics = from_values(
            t.Int(), [0] * len(known), bounds, [note.nulls for note in notes], [note.rows for note in notes]
        )
        keys = keys_of((partition for partition, _, _ in known), names)
        rows = file_statistics(self.column, keys, names, statistics, Sizes(zeros, zeros), V2, of_expression=True)
        return encode_statistics([rows])


# ---- the parts of the kind


def define(table: Table, partition: str, before: IndexDefinition | None, options: IndexOptions) -> IndexDefinition:
    if options.columns is not None and is_asked_for(partition, options):
        return IndexDefinition(indexType="lengths", sourceFields=options.columns, version=V2)
    if before is None:
        raise UsageError("columns", expected=f"the column of {partition}", found="none")
    return before


def open_index(table: Table, partition: str, definition: IndexDefinition | None, schema: Schema | None) -> Lengths:
    if definition is None:
        raise UnsupportedError(partition, expected="a definition of the index", found="none")
    refuse_changed_column(table, partition, definition.columns[0], "an index of lengths", schema)
    return Lengths(partition, definition.columns[0])


def rows_of_change(change: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    index = change.noted[partition]
    assert isinstance(index, Lengths)
    statuses = change.change.statuses
    files = [(one.partition, one.path.rpartition("/")[2], one.notes.get(partition)) for one in statuses]
    yield PartitionRows(partition, index.rows(files))


@dataclass(frozen=True)
class FirstRows:
    """The records with which indexes begin."""

    snapshot: Snapshot
    indexes: tuple[Lengths, ...]
    prefixes: dict[str, str]

    joins = False

    def read(self, share: Sequence[FileSlice]) -> tuple[list[PrefixRows], None]:
        rows: list[PrefixRows] = []
        for index in self.indexes:
            files = [
                (one.partition, file.name, index.of_file(self.snapshot, one, file))
                for one in share
                for file in one.files
            ]
            rows.append(PrefixRows(index.partition, self.prefixes[index.partition], index.rows(files)))
        return rows, None

    def join(self, partials: Sequence[None]) -> Iterator[PrefixRows]:
        return iter(())


def source(wanted: WantedRows, partitions: Sequence[str]) -> SharedRows:
    indexes = tuple(Lengths(name, wanted.definitions[name].columns[0]) for name in partitions)
    return SharedRows(FirstRows(wanted.snapshot, indexes, wanted.prefixes(partitions)), wanted.slices)


def find_lengths(
    partition: str, definition: IndexDefinition, wanted: Schema, versions: Sequence[Schema], id: int
) -> ExpressionIndex | None:
    place = stable_column(definition.columns[0], wanted, versions)
    if place is None:
        return None
    argument = Column(place.field.id, place.name, place.field.type)
    return ExpressionIndex(partition, "length", argument, (), Column(id, f"length({place.name})", t.Int()))


class Check(ColumnIndexes):
    """The check of all indexes of lengths."""

    @property
    def kind(self) -> IndexKind:
        return LENGTHS

    def of_index(self, metadata: MetadataTable, partition: str, definition: IndexDefinition) -> Iterator[Finding]:
        index, snapshot = Lengths(partition, definition.columns[0]), self.subject.snapshot
        stated = {
            key.tobytes(): int(records.statistics.upper[row])  # type: ignore[arg-type]
            for records in metadata.expression_stats(partition, index.column)
            for row, key in enumerate(records.keys)
        }
        for file_slice in snapshot.slices:
            for file in file_slice.files:
                held = index.of_file(snapshot, file_slice, file)
                (key,) = keys_of([file_slice.partition], string_column([file.name]))
                if held is not None and held.greatest > stated.get(key.tobytes(), held.greatest):
                    expected = f"at least {held.greatest}"
                    yield Finding(
                        LENGTHS.name,
                        Severity.ERROR,
                        file.path,
                        expected,
                        str(stated[key.tobytes()]),
                        rebuild(partition),
                    )


PARTS = [
    (DEFINITIONS, define), (NOTED, open_index), (ROWS_OF_CHANGE, rows_of_change),
    (ROWS_OF_REMOVED_FILES, delete_statistics), (SOURCES, source), (STATISTICS_OF_VALUES, find_lengths),
    (OF_INDEXES, lambda subject, _: Check(subject)),
]  # fmt: skip


@pytest.fixture
def known() -> Iterator[ExitStack]:
    """The kind is known until this is closed."""
    with ExitStack() as stack:
        stack.enter_context(with_kind(LENGTHS, PARTS))
        yield stack


def rows(names: Sequence[str | None], ts: int = 0) -> pa.Table:
    ids = [f"k{number}" for number in range(len(names))]
    return pa.table({"id": ids, "name": names, "ts": [ts] * len(names)}, TYPES)


def grown(folder: Path, type: Literal["cow", "mor"] = "cow") -> Table:
    """A table of two files, of short names and of long ones, with the index."""
    table = create_table(folder, TYPES, "id", ordering="ts", type=type)
    write(table, rows(["ab", "c", None]))
    write(refreshed(table), pa.table({"id": ["x", "y"], "name": ["long" * 5, "d"], "ts": [0, 0]}, TYPES), "append")
    return build_indexes(refreshed(table), ["lengths"], IndexOptions(["name"]))


def left(table: Table, least: int) -> tuple[int, int]:
    """How many slices a query of names of at least this length reads of how many; its rows are right."""
    latest, where = refreshed(table), f"length(name) >= {least}"
    scan = latest.scan(where)
    assert sorted(scan.to_arrow()["id"].to_pylist()) == sorted(
        row["id"]
        for row in latest.scan().to_arrow().to_pylist()
        if row["name"] is not None and len(row["name"]) >= least
    )
    plan = scan.plan
    removed = next((step.removed for step in plan.steps if step.source == INDEX), 0)
    return len(plan.slices) - removed, len(plan.slices)


@pytest.mark.parametrize("type", ["cow", pytest.param("mor", marks=pytest.mark.soak)])
def test_a_kind_that_is_not_there_is_a_record_and_its_parts(
    tmp_path: Path, known: ExitStack, type: Literal["cow", "mor"]
) -> None:
    """META-1100."""
    table = grown(tmp_path / "t", type)
    (listed,) = [entry for entry in table.indexes() if entry.name == INDEX]
    assert (listed.kind, listed.columns, listed.state, listed.file_groups) == (
        "lengths",
        ("name",),
        IndexState.READY,
        1,
    )
    assert left(table, 20) == (1, 2)
    write(refreshed(table), rows(["e" * 30, "c", None], 1))
    compact(refreshed(table)) if type == "mor" else None
    assert left(table, 25) == (1, 2)
    assert left(table, 31) == (0, 2)
    cluster(refreshed(table))
    assert left(table, 31)[0] == 0
    assert [str(finding) for finding in validate(refreshed(table))] == []
    with pytest.raises(UnsupportedError, match="while it has an index of lengths"):
        alter_schema(refreshed(table), "drop column name")
    assert drop_index(refreshed(table), "name") == (INDEX,)
    assert INDEX not in index_definitions(table.storage, refreshed(table).config)
    assert left(table, 31)[0] == 1


def test_an_index_of_the_kind_that_does_not_hold_is_found(
    tmp_path: Path, known: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-1100."""
    table = grown(tmp_path / "t")
    with monkeypatch.context() as lying:
        lying.setattr(Lengths, "of_file", lambda *_: Length(1, 0, 2))
        write(refreshed(table), rows(["e" * 30]))
    (finding,) = validate(refreshed(table), ["lengths"])
    assert (finding.expected, finding.found) == ("at least 30", "1")


def test_without_the_kind_its_index_costs_speed_and_writes_refuse_it(tmp_path: Path, known: ExitStack) -> None:
    """META-1100."""
    table = grown(tmp_path / "t")
    known.close()
    assert kind_of(INDEX) is None
    assert LENGTHS not in KINDS
    assert left(table, 20) == (2, 2)
    with pytest.raises(UnsupportedError, match=INDEX):
        write(refreshed(table), rows(["f"], 2))


def test_notes_are_made_by_tasks_elsewhere(tmp_path: Path, known: ExitStack) -> None:
    table = grown(tmp_path / "t")
    notes = FileNotes(table.snapshot(), (Lengths(INDEX, "name"),), table.schema, "0")
    assert pickle.loads(pickle.dumps(notes)).indexes == notes.indexes

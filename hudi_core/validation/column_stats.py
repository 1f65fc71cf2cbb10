"""Records of `column_stats` and `partition_stats` beside the values of the files. Rules VALID-15, VALID-16, VALID-1040,
VALID-1590."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.strings import string_column
from hudi_core.engine import FileInfo
from hudi_core.errors import TableError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.metadata.file_keys import Keys, keys_of, number_partitions
from hudi_core.metadata.statistics import RecordedStatistics
from hudi_core.metadata.table import COLUMN_STATS, PARTITION_STATS, MetadataTable
from hudi_core.planning.sources.slice_statistics import join_keys, partition_keys
from hudi_core.pruning.statistics import ColumnStatistics, concatenate, from_leaves, take_files
from hudi_core.types import nodes as t
from hudi_core.validation.contents import ContentCheck, FileFacts, KeyWatch
from hudi_core.validation.cover import (
    denials,
    describe_too_wide,
    differing_counts,
    find_too_wide,
    in_one_type,
    of_whole_groups,
)
from hudi_core.validation.findings import Finding, Severity, problem, rebuild
from hudi_core.validation.subject import DataFile, Subject, data_file

_FILES_TOGETHER: Final = 1024
"""Files whose statistics become arrays together."""
_COLUMNS_TOGETHER: Final = 16
"""Columns whose records are read together: each read looks through the index from its first block on."""


@dataclass(slots=True)
class _Held:
    """Statistics of one column, of one type, in some files, whose numbers `files` has."""

    files: list[int] = field(default_factory=list)
    leaves: list[LeafStatistics] = field(default_factory=list)
    parts: list[tuple[Numbers, ColumnStatistics]] = field(default_factory=list)

    def pack(self, kind: t.Type) -> None:
        """Makes arrays of what was collected."""
        if self.leaves:
            self.parts.append((np.array(self.files, np.int64), from_leaves(kind, self.leaves)))
            self.files, self.leaves = [], []

    def all(self) -> tuple[Numbers, ColumnStatistics]:
        return np.concatenate([files for files, _ in self.parts]), concatenate([part for _, part in self.parts])


class Statistics(ContentCheck):
    """The checks of recorded statistics: those of `column_stats`, those of `partition_stats`, or both."""

    def __init__(self, subject: Subject, wanted: Collection[str]) -> None:
        self.subject = subject
        self.wanted = [name for name in self._COMPARED if name in wanted]
        self._files: list[DataFile] = []
        self._has_rows: list[bool] = []
        self._held: dict[str, dict[t.Type, _Held]] = defaultdict(lambda: defaultdict(_Held))

    def take(self, facts: FileFacts, watch: KeyWatch | None) -> Iterator[Finding]:
        number = len(self._files)
        self._files.append(facts.file)
        self._has_rows.append(facts.columns is not None and facts.rows > 0)
        for path, leaf in (facts.columns or {}).items():
            held = self._held[".".join(path)][leaf.type]
            held.files.append(number)
            held.leaves.append(leaf)
        if not len(self._files) % _FILES_TOGETHER:
            self._pack()
        return iter(())

    def end(self) -> Iterator[Finding]:
        self._pack()
        for partition in self.wanted:
            metadata = self.subject.find_index(partition)
            if metadata is not None and self._files:
                try:
                    yield from self._COMPARED[partition](self, metadata)
                except TableError as error:
                    yield problem(partition, self.subject.root, error, rebuild(partition))

    def _pack(self) -> None:
        for by_type in self._held.values():
            for kind, held in by_type.items():
                held.pack(kind)

    def _columns_together(self) -> Iterator[list[str]]:
        """The columns that files have, in their order, some at a time."""
        columns = sorted(self._held)
        return (columns[start : start + _COLUMNS_TOGETHER] for start in range(0, len(columns), _COLUMNS_TOGETHER))

    @cached_property
    def _keys(self) -> Keys:
        """The part of each file's keys after the column."""
        return _keys_of(self._files)

    def _of_files(self, metadata: MetadataTable) -> Iterator[Finding]:
        recorded_files = np.zeros(len(self._files), np.bool_)
        strange: dict[bytes, None] = {}
        others = _file_keys(self.subject)
        for columns in self._columns_together():
            trusted, stated = metadata.column_stats(columns), metadata.read_stated_stats(COLUMN_STATS, columns)
            for column in columns:
                for records in trusted[column]:
                    rows, files = join_keys(records.keys, self._keys)
                    recorded_files[files] = True
                    unmatched = np.ones(len(records), np.bool_)
                    unmatched[rows] = False
                    keys = (records.keys[row].tobytes() for row in np.flatnonzero(unmatched).tolist())
                    strange.update(dict.fromkeys(keys))
                yield from self._compare(column, trusted[column], stated[column])
        gone = [key for key in strange if key not in others]
        if gone:
            found = f"records of {len(gone):,} files that do not exist, such as {gone[0].decode()}"
            where = self.subject.metadata_path(COLUMN_STATS)
            yield Finding(
                COLUMN_STATS, Severity.WARNING, where, "records of files that are there", found, rebuild(COLUMN_STATS)
            )
        missing = np.flatnonzero(~recorded_files & np.array(self._has_rows, np.bool_))
        if len(missing):
            found = f"{len(missing):,} without one, such as {self._files[missing[0]].info.path}"
            where = self.subject.metadata_path(COLUMN_STATS)
            yield Finding(
                COLUMN_STATS, Severity.INFO, where, "records of each file with rows", found, rebuild(COLUMN_STATS)
            )

    def _compare(
        self, column: str, trusted: Sequence[RecordedStatistics], stated_records: Sequence[RecordedStatistics]
    ) -> Iterator[Finding]:
        """Records of a column against the content of files: as readers trust them, and as they stand."""
        wrong: set[int] = set()
        for records in trusted:
            for numbers, stated, values in self._pairs(column, records):
                for denial in denials(stated, values):
                    file = int(numbers[denial.row])
                    wrong.add(file)
                    yield self._finding(column, file, Severity.ERROR, denial.expected, denial.found)
                for row in differing_counts(stated, values).tolist():
                    expected = f"{values.nulls[row]:,} nulls of {values.rows[row]:,} values"
                    found = f"{stated.nulls[row]:,} of {stated.rows[row]:,}"
                    yield self._finding(column, int(numbers[row]), Severity.WARNING, expected, found)
        for records in stated_records:
            for numbers, stated, values in self._pairs(column, records):
                for denial in denials(stated, values):
                    file = int(numbers[denial.row])
                    if file not in wrong:
                        found = f"{denial.found}; a reader that trusts it loses rows"
                        yield self._finding(column, file, Severity.WARNING, denial.expected, found)
        too_wide = [
            (int(numbers[denial.row]), denial)
            for records in stated_records
            for numbers, stated, values in self._pairs(column, records)
            for denial in find_too_wide(stated, values, typed=records.typed)
        ]
        if too_wide:
            file, denial = too_wide[0]
            found = describe_too_wide(denial, len(too_wide), "files")
            yield self._finding(column, file, Severity.WARNING, denial.expected, found)

    def _pairs(
        self, column: str, records: RecordedStatistics
    ) -> Iterator[tuple[Numbers, ColumnStatistics, ColumnStatistics]]:
        """Files by number with what records state of a column and what its values are, for each type that files have."""
        rows, files = join_keys(records.keys, self._keys)
        row_of = np.full(len(self._files), -1, np.int64)
        row_of[files] = rows
        for held in self._held[column].values():
            numbers, values = held.all()
            chosen = np.flatnonzero(row_of[numbers] >= 0)
            stated = take_files(records.statistics, row_of[numbers[chosen]])
            yield numbers[chosen], *in_one_type(stated, records.typed, take_files(values, chosen))

    def _finding(self, column: str, file: int, severity: Severity, expected: str, found: str) -> Finding:
        where = f"{self.subject.metadata_path(COLUMN_STATS)}, {column} of {self._files[file].info.path}"
        return Finding(COLUMN_STATS, severity, where, expected, found, rebuild(COLUMN_STATS))

    def _of_partitions(self, metadata: MetadataTable) -> Iterator[Finding]:
        partitions, partition_of = number_partitions(file.partition for file in self._files)
        live = np.array([file.info.path in self.subject.live for file in self._files], np.bool_)
        keys = partition_keys(partitions)
        for columns in self._columns_together():
            of_files, of_partitions = metadata.column_stats(columns), metadata.partition_stats(columns)
            stated = metadata.read_stated_stats(PARTITION_STATS, columns)
            for column in columns:
                if len(self._held[column]) > 1:
                    continue  # a record has a meaning only where all files have one type
                covered = self._find_covered(of_files[column], partition_of, live, len(partitions))
                for records in of_partitions[column]:
                    row_of = _rows_of(records, keys)
                    row_of[~covered] = -1
                    for numbers, whole, values in self._of_live(column, records, row_of[partition_of], live):
                        for denial in denials(whole, values):
                            file = self._files[int(numbers[denial.row])]
                            expected = f"{denial.expected}, for {file.info.name}"
                            yield self._partition_finding(column, file, Severity.ERROR, expected, denial.found)
                for records in stated[column]:
                    row_of = _rows_of(records, keys)
                    for numbers, whole, values in self._of_live(column, records, row_of[partition_of], live):
                        denied = list(find_too_wide(whole, values, typed=records.typed))
                        too_wide = of_whole_groups(denied, partition_of[numbers])
                        if too_wide:
                            file = self._files[int(numbers[too_wide[0].row])]
                            found = describe_too_wide(too_wide[0], len(too_wide), "partitions")
                            yield self._partition_finding(column, file, Severity.WARNING, too_wide[0].expected, found)

    def _of_live(
        self, column: str, records: RecordedStatistics, row_of_file: Numbers, live: Bools
    ) -> Iterator[tuple[Numbers, ColumnStatistics, ColumnStatistics]]:
        """Live files by number with what the record of each one's partition states, and what its values are."""
        for held in self._held[column].values():
            numbers, values = held.all()
            chosen = np.flatnonzero((row_of_file[numbers] >= 0) & live[numbers])
            stated = take_files(records.statistics, row_of_file[numbers[chosen]])
            yield numbers[chosen], *in_one_type(stated, records.typed, take_files(values, chosen))

    def _partition_finding(self, column: str, file: DataFile, severity: Severity, expected: str, found: str) -> Finding:
        where = f"{self.subject.metadata_path(PARTITION_STATS)}, {column} of partition {file.partition!r}"
        return Finding(PARTITION_STATS, severity, where, expected, found, rebuild(PARTITION_STATS))

    def _find_covered(
        self, of_files: Sequence[RecordedStatistics], partition_of: Numbers, live: Bools, partitions: int
    ) -> Bools:
        """Which partitions have a record of a column for each of their live files, by the column's records of files: the others
        are not checked (META-19)."""
        recorded = np.zeros(len(self._files), np.bool_)
        for records in of_files:
            recorded[join_keys(records.keys, self._keys)[1]] = True
        covered = np.ones(partitions, np.bool_)
        covered[partition_of[live & ~recorded]] = False
        return covered

    _COMPARED: ClassVar[Mapping[str, Callable[[Statistics, MetadataTable], Iterator[Finding]]]] = {
        COLUMN_STATS: _of_files,
        PARTITION_STATS: _of_partitions,
    }


def _file_keys(subject: Subject) -> frozenset[bytes]:
    """The part of keys after the column, of data files that are there though their write did not complete, and of those that are
    gone though the clean that deleted them did not."""
    of_cleans = (data_file(path.rpartition("/")[0], FileInfo(path, 0)) for path in subject.cleaned)
    others = [file for file in subject.data_files() if not subject.counts(file)]
    return frozenset(_keys_of([*others, *filter(None, of_cleans)]).tolist())


def _rows_of(records: RecordedStatistics, keys: Keys) -> Numbers:
    """For each key its row in the records; -1 where there is none."""
    rows, places = join_keys(records.keys, keys)
    row_of = np.full(len(keys), -1, np.int64)
    row_of[places] = rows
    return row_of


def _keys_of(files: Sequence[DataFile]) -> Keys:
    return keys_of((file.partition for file in files), string_column([file.info.name for file in files]))

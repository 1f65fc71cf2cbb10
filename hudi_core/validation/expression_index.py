"""Expression indexes beside the values in files: statistics cover them, filters let them pass. Rules VALID-30, VALID-31,
VALID-1590.

Of each index the files of the latest slices are read once more, side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from hudi_core.columns.hashes import bloom_filter_key, partition_stats_key
from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import ColumnRange
from hudi_core.engine import FileInfo
from hudi_core.formats.bloom import parse_bloom_filter
from hudi_core.index_kinds.expression_values import Expression
from hudi_core.index_kinds.expressions import expression_of
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.file_keys import Keys, keys_of, number_partitions
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata.kinds import EXPRESSION, EXPRESSION_INDEX, IndexKind
from hudi_core.metadata.statistics import COLUMN_SIZE
from hudi_core.metadata.table import MetadataTable
from hudi_core.metadata_rows.expression import PARTITION_PREFIX, IndexedExpression
from hudi_core.metadata_rows.rows_of_statistics import statistics_of
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.slice_statistics import join_keys
from hudi_core.pruning.statistics import ColumnStatistics, take_files
from hudi_core.timeline.slices import FileSlice
from hudi_core.validation.column_indexes import ColumnIndexes
from hudi_core.validation.cover import (
    Denial,
    denials,
    describe_too_wide,
    find_too_wide,
    in_one_type,
    of_whole_groups,
)
from hudi_core.validation.findings import Finding, Severity, rebuild
from hudi_core.validation.footers import FilterWatch
from hudi_core.validation.subject import Subject

_FILES_TOGETHER: Final = 1024
"""Files whose filters are looked up together."""


@dataclass(frozen=True, slots=True)
class _LiveFile:
    """A file of a latest slice."""

    slice: FileSlice
    info: FileInfo

    @property
    def partition(self) -> str:
        return self.slice.partition


class ExpressionIndexes(ColumnIndexes):
    """The check of expression indexes."""

    @property
    def kind(self) -> IndexKind:
        return EXPRESSION

    def of_index(self, metadata: MetadataTable, partition: str, definition: IndexDefinition) -> Iterator[Finding]:
        expression = expression_of(self.subject.table, partition, definition)
        files = [_LiveFile(one, info) for one in self.subject.snapshot.slices for info in one.files]
        if expression.term is None or not files:
            return  # nothing is known of the values that readers compute
        checked = self._filters if expression.index.is_filter else self._statistics
        yield from checked(metadata, expression, files)

    # ---- statistics

    def _statistics(
        self, metadata: MetadataTable, expression: Expression, files: Sequence[_LiveFile]
    ) -> Iterator[Finding]:
        index, read = expression.index, partial(_range, self.subject, expression)
        held = statistics_of(list(in_order(read, files)), index.type)
        keys = keys_of((file.partition for file in files), string_column([file.info.name for file in files]))
        without = held.rows != 0  # Apache Hudi makes no record of a base file without rows
        too_wide: list[tuple[_LiveFile, Denial]] = []
        for records in metadata.read_stated_values(index.partition, index.column):
            rows, numbers = join_keys(records.keys, keys)
            without[numbers] = False
            stated = take_files(records.statistics, rows)
            for denied, expected, found in _find_denied(stated, records.typed, take_files(held, numbers)):
                path = files[int(numbers[denied])].info.path
                yield self._finding(index, Severity.ERROR, f"{index.column} of {path}", expected, found)
            pairs = in_one_type(stated, records.typed, take_files(held, numbers))
            wide = find_too_wide(*pairs, typed=records.typed)
            too_wide += [(files[int(numbers[denial.row])], denial) for denial in wide]
        if too_wide:
            file, denial = too_wide[0]
            found = describe_too_wide(denial, len(too_wide), "files")
            place = f"{index.column} of {file.info.path}"
            yield self._finding(index, Severity.WARNING, place, denial.expected, found)
        if without.any():
            example = files[int(np.flatnonzero(without)[0])].info.path
            found = f"{int(without.sum()):,} without one, such as {example}"
            yield self._finding(index, Severity.INFO, None, "a record of each file", found)
        yield from self._of_partitions(metadata, index, files, held)

    def _of_partitions(
        self, metadata: MetadataTable, index: IndexedExpression, files: Sequence[_LiveFile], held: ColumnStatistics
    ) -> Iterator[Finding]:
        partitions, partition_of = number_partitions(file.partition for file in files)
        keys = _partition_keys(index.column, partitions)
        for records in metadata.read_stated_values(index.partition, index.column, of_partitions=True):
            rows, places = join_keys(records.keys, keys)
            row_of = np.full(len(partitions), -1, np.int64)
            row_of[places] = rows
            chosen = np.flatnonzero(row_of[partition_of] >= 0)
            stated = take_files(records.statistics, row_of[partition_of[chosen]])
            for denied, expected, found in _find_denied(stated, records.typed, take_files(held, chosen)):
                file = files[int(chosen[denied])]
                place, wanted = f"{index.column} of partition {file.partition!r}", f"{expected}, for {file.info.name}"
                yield self._finding(index, Severity.ERROR, place, wanted, found)
            pairs = in_one_type(stated, records.typed, take_files(held, chosen))
            wide = list(find_too_wide(*pairs, typed=records.typed))
            too_wide = of_whole_groups(wide, partition_of[chosen])
            if too_wide:
                place = f"{index.column} of partition {files[int(chosen[too_wide[0].row])].partition!r}"
                found = describe_too_wide(too_wide[0], len(too_wide), "partitions")
                yield self._finding(index, Severity.WARNING, place, too_wide[0].expected, found)

    # ---- filters

    def _filters(
        self, metadata: MetadataTable, expression: Expression, files: Sequence[_LiveFile]
    ) -> Iterator[Finding]:
        index = expression.index
        for start in range(0, len(files), _FILES_TOGETHER):
            some = {
                bloom_filter_key(one.partition, one.info.name): one for one in files[start : start + _FILES_TOGETHER]
            }
            named = sorted(some, key=str.encode)
            texts = filter_texts(metadata.lookup(index.partition, named))
            recorded = [(some[named[number]], text) for number, text in texts]
            for (file, _), watch in zip(recorded, in_order(partial(self._put, expression), recorded), strict=True):
                if watch.denied:
                    place, expected = file.info.path, "a filter that lets all values of the file pass"
                    yield self._finding(index, Severity.ERROR, place, expected, watch.in_words)

    def _put(self, expression: Expression, recorded: tuple[_LiveFile, bytes]) -> FilterWatch:
        """A filter that the values of its file were put to."""
        file, text = recorded
        watch = FilterWatch(parse_bloom_filter(text, f"{expression.index.partition}, {file.info.path}"))
        for keys in expression.strings_of_file(self.subject.snapshot, file.slice, file.info) or ():
            watch.take(keys)
        return watch

    def _finding(
        self, index: IndexedExpression, severity: Severity, place: str | None, expected: str, found: str
    ) -> Finding:
        where = self.subject.metadata_path(index.partition)
        named = where if place is None else f"{where}, {place}"
        return Finding(EXPRESSION_INDEX, severity, named, expected, found, rebuild(index.partition))


def _range(subject: Subject, expression: Expression, file: _LiveFile) -> ColumnRange | None:
    known = expression.of_file(subject.snapshot, file.slice, file.info)
    assert not isinstance(known, bytes)
    return known


def _find_denied(stated: ColumnStatistics, typed: bool, held: ColumnStatistics) -> Iterator[tuple[int, str, str]]:
    for denial in denials(*in_one_type(stated, typed, held)):
        yield denial.row, denial.expected, denial.found


def _partition_keys(column: str, partitions: Sequence[str]) -> Keys:
    """The parts of keys of whole partitions after the column."""
    keys = [partition_stats_key(column, partition, PARTITION_PREFIX)[COLUMN_SIZE:] for partition in partitions]
    return np.array([key.encode() for key in keys])

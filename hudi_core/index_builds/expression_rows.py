"""Records with which expression indexes begin, from the values in the files of slices. Rules META-117, META-118, META-130."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import ColumnRange
from hudi_core.engine import FileInfo
from hudi_core.formats.bloom_write import KIND_IN_FILES
from hudi_core.index_builds.runs import PrefixRows
from hudi_core.index_kinds.expression_values import Expression
from hudi_core.metadata.file_keys import keys_of
from hudi_core.metadata_rows.expression import expression_file_rows, expression_partition_rows
from hudi_core.metadata_rows.partition_ranges import FileStatistics, partition_statistics
from hudi_core.metadata_rows.rows import FileFilter, filter_rows
from hudi_core.metadata_rows.rows_of_statistics import statistics_of
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice

Partials = Mapping[str, FileStatistics]
"""By metadata partition the statistics of table partitions, as far as the files of a share have them."""


@dataclass(frozen=True)
class ExpressionRows:
    """Makes the records of shares of file slices. It can be pickled.

    `snapshot` has no slices of its own. By metadata partition, `prefixes` are the prefixes of the file groups; `partitions`
    are the table's, in ascending order; `instant_time` is that of the base files.
    """

    snapshot: Snapshot
    expressions: tuple[Expression, ...]
    prefixes: Mapping[str, str]
    partitions: tuple[str, ...]
    instant_time: str

    def read(self, share: Sequence[FileSlice]) -> tuple[list[PrefixRows], Partials]:
        """The records of a share, and its part of the records of whole partitions. Raises what reading raises."""
        files = [(file_slice, file) for file_slice in share for file in file_slice.files]
        rows: list[PrefixRows] = []
        partials: dict[str, FileStatistics] = {}
        for expression in self.expressions:
            name = expression.index.partition
            values = [expression.of_file(self.snapshot, file_slice, file) for file_slice, file in files]
            if expression.index.is_filter:
                rows.append(self._filters(name, files, values))
            else:
                part, partials[name] = self._statistics(expression, files, values)
                rows.append(part)
        return rows, partials

    @property
    def joins(self) -> bool:
        return True

    def join(self, partials: Sequence[Partials]) -> Iterator[PrefixRows]:
        """Records of whole partitions, from the parts of all shares."""
        for expression in self.expressions:
            name = expression.index.partition
            parts = [partial[name] for partial in partials if name in partial]
            if parts:
                places, statistics = partition_statistics(parts)
                names = [self.partitions[number] for number in places.tolist()]
                rows = expression_partition_rows(expression.index, names, statistics)
                yield PrefixRows(name, self.prefixes[name], rows)

    def _statistics(
        self,
        expression: Expression,
        files: Sequence[tuple[FileSlice, FileInfo]],
        values: Sequence[ColumnRange | bytes | None],
    ) -> tuple[PrefixRows, FileStatistics]:
        ranges = [None if isinstance(known, bytes) else known for known in values]
        statistics = statistics_of(ranges, expression.index.type)
        names = string_column([file.name for _, file in files])
        keys = keys_of((file_slice.partition for file_slice, _ in files), names)
        rows = expression_file_rows(expression.index, keys, names, statistics)
        numbers = np.searchsorted(self.partitions, [file_slice.partition for file_slice, _ in files])
        of_partitions = partition_statistics([FileStatistics(numbers.astype(np.int64), statistics)])
        name = expression.index.partition
        return PrefixRows(name, self.prefixes[name], rows), FileStatistics(*of_partitions)

    def _filters(
        self,
        name: str,
        files: Sequence[tuple[FileSlice, FileInfo]],
        values: Sequence[ColumnRange | bytes | None],
    ) -> PrefixRows:
        filters = [
            FileFilter(file_slice.partition, file.name, KIND_IN_FILES, content)
            for (file_slice, file), content in zip(files, values, strict=True)
            if isinstance(content, bytes)
        ]
        return PrefixRows(name, self.prefixes[name], filter_rows(filters, self.instant_time))

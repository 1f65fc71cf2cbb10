"""The sources of knowledge about a snapshot's slices, in the order in which they are asked; what they say is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hudi_core.engine import FileInfo, Footer
from hudi_core.errors import TableError
from hudi_core.expr.predicate import Column
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata.table import COLUMN_STATS, PARTITION_STATS
from hudi_core.schema.schema import Schema
from hudi_core.stats.store import FileStatistics, Piece
from hudi_core.table.footers import footer_pieces
from hudi_core.table.knowledge import (
    Numbers,
    PartitionKnowledge,
    PartitionValues,
    RecordedKnowledge,
    files_of,
)
from hudi_core.table.partitions import PathValue, path_values
from hudi_core.table.picture import Bounds
from hudi_core.table.prune import Source
from hudi_core.table.ranges import ranges
from hudi_core.table.snapshot import Snapshot
from hudi_core.timeline.schemas import with_ids_of
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import Record

_READERS = 16
"""Footers read at the same time: they wait for storage, not for a processor."""


@dataclass(frozen=True)
class Sources:
    """What is known of the slices of a snapshot. Statistics are read a column at a time, when a predicate first needs them."""

    snapshot: Snapshot
    _footers: dict[str, Footer] = field(default_factory=dict, repr=False, compare=False)
    _stored: dict[tuple[int, Record], Schema] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def partitions(self) -> list[str]:
        return sorted({each.partition for each in self.snapshot.slices})

    @cached_property
    def _partition_numbers(self) -> dict[str, int]:
        return {partition: number for number, partition in enumerate(self.partitions)}

    def partition_number(self, slice: FileSlice) -> int:
        return self._partition_numbers[slice.partition]

    @cached_property
    def partition_of(self) -> Numbers:
        """The number of each slice's partition."""
        return np.array([self.partition_number(each) for each in self.snapshot.slices], np.int64)

    @cached_property
    def values(self) -> Mapping[int, Sequence[PathValue | None]]:
        """What paths say, by column id, a value for each partition."""
        config, schema = self.snapshot.config, self.snapshot.schema
        places = [schema.find(name, case_sensitive=False) for name in config.partition_fields]
        found = [place for place in places if place is not None]
        if len(found) != len(places) or not found:
            return {}
        rows = [path_values(path, config, [place.field.type for place in found]) for path in self.partitions]
        return {place.field.id: [row[position] for row in rows] for position, place in enumerate(found)}

    def in_order(self, columns: Iterable[Column]) -> list[Source]:
        """The sources for a predicate over these columns, those first that cost least and tell most."""
        asked = list(columns)
        return [self._by_paths(asked), *self._by_metadata(), self._by_footers()]

    def _by_paths(self, columns: Sequence[Column]) -> Source:
        name = "partition values"
        if not self.snapshot.config.partition_fields:
            return Source(name, None, "the table has no partitions")
        if not any(column.id in self.values for column in columns):
            return Source(name, None, "no partition column in the predicate")
        return Source(name, lambda left: (self._paths, self.partition_of[left]))

    def _by_metadata(self) -> list[Source]:
        table = self.snapshot.usable(COLUMN_STATS)
        if table is None:
            return [
                Source(
                    "column_stats", None, "not in the metadata table" if self.snapshot.metadata else "no metadata table"
                )
            ]
        found = []
        if self.snapshot.usable(PARTITION_STATS) is not None and len(self.partitions) > 1:
            found.append(Source(PARTITION_STATS, lambda left: (self._partition_stats, self.partition_of[left])))
        return [*found, Source(COLUMN_STATS, lambda left: (self._column_stats, left), about_slices=True)]

    def _by_footers(self) -> Source:
        if self.snapshot.usable(COLUMN_STATS) is not None:
            return Source("footers", None, "column_stats tell as much")
        return Source("footers", self._open_footers, about_slices=True)

    @cached_property
    def _paths(self) -> FileStatistics:
        every = np.arange(len(self.partitions), dtype=np.int64)
        known = PartitionValues(self.values, every)
        return FileStatistics.of(len(self.partitions), lambda column: known.pieces(column) or [])

    @cached_property
    def _partition_stats(self) -> FileStatistics:
        def load(column: Column) -> Iterable[Piece]:
            every = np.arange(len(self.partitions), dtype=np.int64)
            by_path = PartitionValues(self.values, every).pieces(column)
            return by_path if by_path is not None else self._recorded_of_partitions(column)

        return FileStatistics.of(len(self.partitions), load)

    def _recorded_of_partitions(self, column: Column) -> Iterable[Piece]:
        table = self.snapshot.metadata
        assert table is not None
        versions = self.snapshot.history.schemas
        used = [versions[number] for number in np.unique(self._recorded.files.versions)]
        if not self._recorded.files.certain.all():
            return []
        known = PartitionKnowledge(self.partitions, used, self.snapshot.schema, table.partition_stats)
        return self._tried(lambda: list(known.pieces(column, self._covered)))

    def _covered(self, name: str) -> npt.NDArray[np.bool_]:
        """Which partitions have recorded statistics of the column for each of their live files.

        A writer that cannot make statistics of a file leaves it out, and the partition's record, made from the others, says
        nothing of that.
        """
        missing = self._recorded.missing(name)
        covered = np.ones(len(self.partitions), np.bool_)
        covered[self.partition_of[self._recorded.files.slices[missing]]] = False
        return covered

    @cached_property
    def _column_stats(self) -> FileStatistics:
        by_path = PartitionValues(self.values, self.partition_of)

        def load(column: Column) -> Iterable[Piece]:
            found = by_path.pieces(column)
            return found if found is not None else self._tried(lambda: list(self._recorded.pieces(column)))

        return FileStatistics.of(len(self.snapshot.slices), load)

    @cached_property
    def _recorded(self) -> RecordedKnowledge:
        snapshot, table = self.snapshot, self.snapshot.metadata
        assert table is not None
        files = files_of(snapshot.slices, self.version_of)
        return RecordedKnowledge(files, snapshot.history.schemas, snapshot.schema, table.column_stats)

    def bounds(self, column: Column, numbers: Sequence[int]) -> list[Bounds]:
        """Least and greatest value of a column in these slices, from whatever source tells."""
        by_path = PartitionValues(self.values, self.partition_of).pieces(column)
        if by_path is not None:
            return ranges(column, by_path, numbers)
        if self.snapshot.usable(COLUMN_STATS) is not None:
            return ranges(column, self._tried(lambda: list(self._recorded.pieces(column))), numbers)
        return ranges(column, self._footer_pieces(column, np.array(numbers, np.int64)), numbers)

    def version_of(self, slice: FileSlice, name: str) -> tuple[int, bool]:
        """The number of the schema version that a file of a slice was written under, and whether that is certain."""
        history = self.snapshot.history
        log = parse_log_file(name)
        if log is None:
            base = parse_base_file(name)
            instant = base.instant if base else slice.instant
            return history.number_at(instant), history.certain(instant)
        number, certain = history.number_at(log.instant), history.certain(log.instant)
        # In layout 1 a log file goes on collecting blocks of later commits.
        return number, certain and (self.snapshot.timeline.layout > 1 or number == len(history.schemas) - 1)

    def _tried(self, read: Callable[[], Iterable[Piece]]) -> Iterable[Piece]:
        try:
            return read()
        except TableError as error:
            self.snapshot.set_aside(error)
            return []

    def _open_footers(self, left: Numbers) -> tuple[FileStatistics, Numbers]:
        by_path = PartitionValues(self.values, self.partition_of[left])

        def load(column: Column) -> Iterable[Piece]:
            found = by_path.pieces(column)
            if found is not None:
                return found
            pieces = self._footer_pieces(column, left)
            return [Piece(np.searchsorted(left, piece.numbers), piece.statistics) for piece in pieces]

        return FileStatistics.of(len(left), load), np.arange(len(left), dtype=np.int64)

    def _footer_pieces(self, column: Column, numbers: Numbers) -> Iterable[Piece]:
        """What footers tell of a column in these slices."""
        snapshot = self.snapshot
        slices = [snapshot.slices[number] for number in numbers]
        bases = [each.base for each in slices if each.base is not None and not each.logs]
        footers = self.footers(bases)
        stored = {path: self.stored_schema(footer, path) for path, footer in footers.items()}
        return footer_pieces(column, zip(numbers.tolist(), slices, strict=True), stored, snapshot.schema, footers)

    def stored_schema(self, footer: Footer, path: str) -> Schema:
        """A base file's own schema, with the column ids of the version it was written under."""
        base = parse_base_file(path.rpartition("/")[2])
        history = self.snapshot.history
        version = history.number_at(base.instant) if base else 0
        key = (version, footer.schema.record)
        if key not in self._stored:
            greatest = history.latest.max_column_id
            self._stored[key] = with_ids_of(footer.schema, history.schemas[version], greatest)
        return self._stored[key]

    def footer(self, file: FileInfo) -> Footer:
        """The footer of a base file; raises what goes wrong."""
        if file.path not in self._footers:
            reader = self.snapshot.engine.reader(file.name.rpartition(".")[2])
            self._footers[file.path] = reader.footer(self.snapshot.storage, file)
        return self._footers[file.path]

    def footers(self, files: Sequence[FileInfo]) -> Mapping[str, Footer]:
        """Footers of base files by path, read side by side and kept. Those that cannot be read are missing, with a warning."""
        missing = [file for file in files if file.path not in self._footers]
        with ThreadPoolExecutor(_READERS) as pool:
            list(pool.map(self._footer, missing))
        return self._footers

    def _footer(self, file: FileInfo) -> None:
        try:
            self.footer(file)
        except TableError as error:
            self.snapshot.warnings.append(f"{error}; its statistics are not used")

"""The records with which metadata partitions begin: which files they are made from, and by what. Rules META-81 to META-83.

A new kind of index gets a `RowSource` of its own, or a share of one that reads the same files, and its place in `SOURCES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Protocol

from hudi_core.engine import Runner
from hudi_core.index_builds.built_rows import BuiltRows
from hudi_core.index_builds.expression_rows import ExpressionRows
from hudi_core.index_builds.footers import FILES_OF_SHARE, FILTERS_OF_SHARE, FooterRows, shares_of_files
from hudi_core.index_builds.keys import KeyRows, shares_of_slices
from hudi_core.index_builds.runs import GroupNumbers, PrefixRows, SortedRun, sort_runs
from hudi_core.index_builds.secondary_rows import SecondaryRows
from hudi_core.index_kinds.expressions import expression_of
from hudi_core.index_kinds.secondary import IndexedColumn
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.kinds import EXPRESSION_INDEX, SECONDARY_INDEX, PerKind, stores_filters
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, PARTITION_STATS, RECORD_INDEX
from hudi_core.metadata_rows.rows_of_statistics import columns_with_statistics
from hudi_core.metadata_writer.building import NewGroups
from hudi_core.planning.sources.sources import Sources
from hudi_core.schema.meta import bare_schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice

_SHARES_AT_ONCE: Final = 2
"""Shares for each task that runs at the same time: what one round holds."""


class RowSource(Protocol):
    """Makes records of metadata partitions from shares of a table's files. It can be pickled."""

    def read(self, share: Any) -> tuple[Iterable[PrefixRows], Any]:
        """The records of a share, and what `joined` needs of it."""
        ...

    @property
    def joins(self) -> bool:
        """Whether shares make records together."""
        ...

    def join(self, partials: Sequence[Any]) -> Iterator[PrefixRows]:
        """The records that all shares make together."""
        ...


@dataclass(frozen=True, slots=True)
class SharedRows:
    """A source, and the shares that it is to read."""

    source: RowSource
    shares: Sequence[Any]

    def runs(self, runner: Runner, numbers: GroupNumbers) -> Iterator[SortedRun]:
        """All records in sorted runs, which tasks make, some rounds of them one after the other."""
        work, partials = partial(_runs_of, self.source, numbers), []
        at_once = runner.parallelism * _SHARES_AT_ONCE
        for start in range(0, len(self.shares), at_once):
            for runs, rest in runner.run(work, self.shares[start : start + at_once]):
                yield from runs
                partials.append(rest)
        yield from sort_runs(numbers, self.source.join(partials))


def _runs_of(source: RowSource, numbers: GroupNumbers, share: Any) -> tuple[list[SortedRun], Any]:
    rows, rest = source.read(share)
    return list(sort_runs(numbers, rows)), rest


@dataclass(frozen=True)
class WantedRows:
    """The partitions whose records are wanted. `instant_time` is that of the base files."""

    built: BuiltRows
    groups: Mapping[str, NewGroups]
    definitions: Mapping[str, IndexDefinition]
    instant_time: str

    def prefixes(self, partitions: Iterable[str]) -> dict[str, str]:
        """By partition the prefix of its file groups."""
        return {name: next(iter(self.groups[name].counts)) for name in partitions}

    @cached_property
    def snapshot(self) -> Snapshot:
        return Sources(self.built.table.snapshot()).snapshot.without_slices()

    @cached_property
    def slices(self) -> Sequence[Sequence[FileSlice]]:
        """Shares of the table's file slices."""
        return shares_of_slices(self.built.table.slices())


def row_sources(
    built: BuiltRows, partitions: Sequence[NewGroups], definitions: Mapping[str, IndexDefinition], instant_time: str
) -> Iterator[SharedRows]:
    """The sources of the records of metadata partitions. `instant_time` is that of the base files."""
    groups = {of_partition.partition: of_partition for of_partition in partitions}
    wanted = WantedRows(built, groups, definitions, instant_time)
    by_source: dict[MakeSource, list[str]] = {}
    for partition, source in SOURCES.among(groups):
        by_source.setdefault(source, []).append(partition)
    for source, of_source in by_source.items():
        yield source(wanted, of_source)


def _footers(wanted: WantedRows, partitions: Sequence[str]) -> SharedRows:
    table, definition = wanted.built.table, wanted.definitions.get(COLUMN_STATS)
    columns, version = {}, ""
    if definition is not None and not {COLUMN_STATS, PARTITION_STATS}.isdisjoint(partitions):
        version = definition.version
        columns = columns_with_statistics(definition.columns, bare_schema(table.schema), version)
    files = [file for file in wanted.built.data_files if not file.is_change_log]
    names = tuple(sorted({file.partition for file in files}))
    prefixes = wanted.prefixes(sorted(partitions))
    of_paths = frozenset(table.config.partition_fields if table.config.has_path_values else ())
    footers = FooterRows(table.engine, table.storage, prefixes, columns, version, names, wanted.instant_time, of_paths)
    most = FILTERS_OF_SHARE if stores_filters(prefixes) else FILES_OF_SHARE
    return SharedRows(footers, shares_of_files(files, most))


def _keys(wanted: WantedRows, partitions: Sequence[str]) -> SharedRows:
    (partition,) = partitions
    prefix = None if wanted.definitions[partition].is_partitioned else wanted.prefixes(partitions)[partition]
    return SharedRows(KeyRows(wanted.snapshot, wanted.built.table.timeline.zone, prefix), wanted.slices)


def _values(wanted: WantedRows, partitions: Sequence[str]) -> SharedRows:
    indexed = tuple(IndexedColumn(name, wanted.definitions[name].columns[0]) for name in partitions)
    versions = {name: wanted.definitions[name].version for name in partitions}
    return SharedRows(SecondaryRows(wanted.snapshot, indexed, wanted.prefixes(partitions), versions), wanted.slices)


def _expressions(wanted: WantedRows, partitions: Sequence[str]) -> SharedRows:
    table = wanted.built.table
    expressions = tuple(expression_of(table, name, wanted.definitions[name]) for name in partitions)
    names = tuple(sorted({file_slice.partition for file_slice in table.slices()}))
    rows = ExpressionRows(wanted.snapshot, expressions, wanted.prefixes(partitions), names, wanted.instant_time)
    return SharedRows(rows, wanted.slices)


MakeSource = Callable[[WantedRows, Sequence[str]], SharedRows]
SOURCES: Final = PerKind[MakeSource](
    {
        COLUMN_STATS: _footers,
        PARTITION_STATS: _footers,
        BLOOM_FILTERS: _footers,
        RECORD_INDEX: _keys,
        SECONDARY_INDEX: _values,
        EXPRESSION_INDEX: _expressions,
    }
)
"""What reads files for the partitions of a kind: kinds with the same source are made in one pass, which reads each file once."""

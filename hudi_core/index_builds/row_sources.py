"""The records with which metadata partitions begin: which files they are made from, and by what. Rules META-81 to META-83.

A new kind of index gets a `RowSource` of its own, or a share of one that reads the same files, and its place in `row_sources`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from hudi_core.engine import Runner
from hudi_core.index_builds.built_rows import BuiltRows
from hudi_core.index_builds.expression_rows import ExpressionRows
from hudi_core.index_builds.footers import FILES_OF_SHARE, FILTERS_OF_SHARE, FooterRows, shares_of_files
from hudi_core.index_builds.keys import KeyRows, shares_of_slices
from hudi_core.index_builds.runs import GroupNumbers, PrefixRows, SortedRun, sorted_runs
from hudi_core.index_builds.secondary_rows import SecondaryRows
from hudi_core.index_kinds.build_plan import row_schema
from hudi_core.index_kinds.expressions import expression_of
from hudi_core.index_kinds.secondary import IndexedColumn
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.expressions import is_expression
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, PARTITION_STATS, RECORD_INDEX
from hudi_core.metadata_writer.building import NewGroups
from hudi_core.metadata_writer.changes import indexed_columns
from hudi_core.metadata_writer.secondary import is_secondary
from hudi_core.planning.sources.sources import Sources

_SHARES_AT_ONCE: Final = 2
"""Shares for each task that runs at the same time: what one round holds."""
_OF_FOOTERS: Final = frozenset({COLUMN_STATS, PARTITION_STATS, BLOOM_FILTERS})


class RowSource(Protocol):
    """Makes records of metadata partitions from shares of a table's files. It can be pickled."""

    def read(self, share: Any) -> tuple[Iterable[PrefixRows], Any]:
        """The records of a share, and what `joined` needs of it."""
        ...

    def joined(self, partials: Sequence[Any]) -> Iterator[PrefixRows]:
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
        yield from sorted_runs(numbers, self.source.joined(partials))


def _runs_of(source: RowSource, numbers: GroupNumbers, share: Any) -> tuple[list[SortedRun], Any]:
    rows, rest = source.read(share)
    return list(sorted_runs(numbers, rows)), rest


def row_sources(
    built: BuiltRows, partitions: Sequence[NewGroups], definitions: Mapping[str, IndexDefinition], instant_time: str
) -> Iterator[SharedRows]:
    """The sources of the records of metadata partitions. `instant_time` is that of the base files."""
    groups = {of_partition.partition: of_partition for of_partition in partitions}
    table = built.table
    if _OF_FOOTERS & groups.keys():
        prefixes = {name: next(iter(groups[name].counts)) for name in sorted(_OF_FOOTERS & groups.keys())}
        columns, version = {}, ""
        if {COLUMN_STATS, PARTITION_STATS} & groups.keys():
            definition = definitions[COLUMN_STATS]
            version = definition.version
            columns = indexed_columns(definition.columns, row_schema(table), version)
        files = [file for file in built.data_files if not file.is_change_log]
        names = tuple(sorted({file.partition for file in files}))
        footers = FooterRows(table.engine, table.storage, prefixes, columns, version, names, instant_time)
        most = FILTERS_OF_SHARE if BLOOM_FILTERS in prefixes else FILES_OF_SHARE
        yield SharedRows(footers, shares_of_files(files, most))
    secondary, of_expressions = sorted(filter(is_secondary, groups)), sorted(filter(is_expression, groups))
    if RECORD_INDEX not in groups and not secondary and not of_expressions:
        return
    snapshot, shares = Sources(table.snapshot()).snapshot.without_slices(), shares_of_slices(table.slices())
    if RECORD_INDEX in groups:
        partitioned = definitions[RECORD_INDEX].is_partitioned
        prefix = None if partitioned else next(iter(groups[RECORD_INDEX].counts))
        yield SharedRows(KeyRows(snapshot, table.timeline.zone, prefix), shares)
    if secondary:
        indexed = tuple(IndexedColumn(name, definitions[name].columns[0]) for name in secondary)
        prefixes = {name: next(iter(groups[name].counts)) for name in secondary}
        versions = {name: definitions[name].version for name in secondary}
        yield SharedRows(SecondaryRows(snapshot, indexed, prefixes, versions), shares)
    if of_expressions:
        expressions = tuple(expression_of(table, name, definitions[name]) for name in of_expressions)
        prefixes = {name: next(iter(groups[name].counts)) for name in of_expressions}
        names = tuple(sorted({file_slice.partition for file_slice in table.slices()}))
        yield SharedRows(ExpressionRows(snapshot, expressions, prefixes, names, instant_time), shares)

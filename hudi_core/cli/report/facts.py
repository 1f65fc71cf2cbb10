"""The facts of a report: timeline, sizes, layout, health of indexes. Rule CLI-980.

All come from the timeline, the listing, statistics and checks that open no data file; where a column has no recorded statistics,
its footers are read once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from hudi_core.advice.advise import advise
from hudi_core.advice.proposals import Advice
from hudi_core.expr.queries import Condition
from hudi_core.index_builds.listing import Index, indexes
from hudi_core.rows.outside_files import plain_location
from hudi_core.schema.meta import is_meta
from hudi_core.table.column_summary import ColumnSummary, column_summary
from hudi_core.table.summaries import REWRITES, SMALL_BYTES, CommitSummary
from hudi_core.table.summaries import commits as commits_of
from hudi_core.table.table import Table
from hudi_core.timeline.services import pending_work
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.validation.commits import COMMITS
from hudi_core.validation.findings import Finding
from hudi_core.validation.leftovers import LEFTOVERS
from hudi_core.validation.listing import LISTING
from hudi_core.validation.properties import PROPERTIES
from hudi_core.validation.timeline import TIMELINE
from hudi_core.validation.validate import validate
from hudi_core.values.order import is_ordered

CHEAP_CHECKS: Final = (PROPERTIES, TIMELINE, LEFTOVERS, LISTING, COMMITS)
"""Checks that open no data file."""
MOST_COLUMNS: Final = 30
"""Columns that are looked into where none are named."""


@dataclass(frozen=True, slots=True)
class SizeClass:
    """The files of a kind whose sizes are from `low` bytes up to, but not including, `high`."""

    file_kind: str
    low: int
    high: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class PartitionSize:
    """What the latest file slices of a partition take."""

    partition: str
    file_slices: int
    small_files: int
    log_files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Report:
    """A table at a glance."""

    table: str
    uri: str
    type: str
    version: int
    commits: Sequence[CommitSummary]
    services: Mapping[str, int]
    """Completed instants that changed no rows, by action, clusterings and compactions by operation."""
    pending: Sequence[str]
    file_slices: int
    log_files: int
    bytes: int
    sizes: Sequence[SizeClass]
    partitions: Sequence[PartitionSize]
    """Largest first."""
    columns: Sequence[ColumnSummary]
    columns_left_out: int
    indexes: Sequence[Index]
    findings: Sequence[Finding]
    advice: Advice | None

    @property
    def small_files(self) -> int:
        """Base files below Apache Hudi's limit of small files."""
        return sum(partition.small_files for partition in self.partitions)

    def records(self) -> list[dict[str, Any]]:
        """The facts as objects, each with its `kind`."""
        head = {
            name: getattr(self, name)
            for name in ("table", "uri", "type", "version", "file_slices", "small_files", "log_files", "bytes")
        }
        table = {**head, "services": dict(self.services), "pending": list(self.pending)}
        findings = [finding.as_record() for finding in self.findings]
        listed: list[tuple[str, list[dict[str, Any]]]] = [
            ("table", [table]),
            ("commit", [commit.as_dict() for commit in self.commits]),
            ("files", [asdict(one) for one in self.sizes]),
            ("partition", [asdict(one) for one in self.partitions]),
            ("column", [column.as_dict() for column in self.columns]),
            ("index", [{**index.as_dict(), "index_kind": index.kind} for index in self.indexes]),
            ("finding", findings),
            ("advice", [] if self.advice is None else self.advice.records()),
        ]
        return [{**record, "kind": kind} for kind, records in listed for record in records]


def table_report(
    table: Table,
    columns: Sequence[str] = (),
    where: Sequence[Condition] = (),
    advance: Callable[[int], None] = lambda _: None,
) -> Report:
    """Collects the facts. `columns` are looked into, by default the first of those that have an order; `where` are queries for
    which advice is asked; `advance` is told of each step.

    Raises `UnknownColumnError` and `UnsupportedError` as `column_summary`, and as `advise` for a query.
    """
    slices = table.slices()
    names, left_out = (list(columns), 0) if columns else _order(table)
    summaries = []
    for name in names:
        summaries.append(column_summary(table, name, type_text))
        advance(1)
    commits = commits_of(table)
    wrote = {commit.requested_time for commit in commits if commit.operation not in REWRITES}
    rewrote = {
        commit.requested_time: str(commit.operation).lower() for commit in commits if commit.operation in REWRITES
    }
    services = Counter(
        rewrote.get(instant.requested_time, instant.action)
        for instant in table.timeline.completed
        if instant.requested_time not in wrote
    )
    advance(1)
    listed = indexes(table)
    advance(1)
    findings = list(validate(table, CHEAP_CHECKS))
    advance(1)
    return Report(
        table.config.name,
        plain_location(table.storage.uri),
        table.config.type.value,
        table.config.version,
        commits,
        dict(sorted(services.items())),
        [f"{work.instant.action} {work.instant.requested_time}" for work in pending_work(table.timeline)],
        len(slices),
        sum(len(one.logs) for one in slices),
        sum(file.size for one in slices for file in one.files),
        _sizes(slices),
        _partitions(slices),
        summaries,
        left_out,
        listed,
        findings,
        advise(table, where) if where else None,
    )


def _order(table: Table) -> tuple[list[str], int]:
    """The columns to look into, and how many more have an order."""
    names = [
        field.name
        for field in table.schema.fields
        if not is_meta(field.name) and is_ordered(field.type) and not isinstance(field.type, t.Nested)
    ]
    return names[:MOST_COLUMNS], max(0, len(names) - MOST_COLUMNS)


def _sizes(slices: Sequence[FileSlice]) -> list[SizeClass]:
    """Files by powers of two of their sizes, each power between the smallest and the largest once."""
    classes: list[SizeClass] = []
    for file_kind, sizes in (
        ("base", [one.base.size for one in slices if one.base is not None]),
        ("log", [log.size for one in slices for log in one.logs]),
    ):
        of_power: dict[int, list[int]] = defaultdict(list)
        for size in sizes:
            of_power[max(0, size.bit_length() - 1)].append(size)
        for power in range(min(of_power, default=0), max(of_power, default=-1) + 1):
            members = of_power[power]
            classes.append(SizeClass(file_kind, 1 << power, 2 << power, len(members), sum(members)))
    return classes


def _partitions(slices: Sequence[FileSlice]) -> list[PartitionSize]:
    of_partition: dict[str, list[FileSlice]] = defaultdict(list)
    for one in slices:
        of_partition[one.partition].append(one)
    made = [
        PartitionSize(
            partition,
            len(members),
            sum(one.base is not None and one.base.size < SMALL_BYTES for one in members),
            sum(len(one.logs) for one in members),
            sum(file.size for one in members for file in one.files),
        )
        for partition, members in of_partition.items()
    ]
    return sorted(made, key=lambda partition: (-partition.bytes, partition.partition))

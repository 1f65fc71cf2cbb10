"""The checks by name, run side by side. Rules VALID-1 to VALID-4."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Protocol

from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import Footer
from hudi_core.errors import TableError, UsageError
from hudi_core.metadata.kinds import EXPRESSION, EXPRESSION_INDEX, SECONDARY, SECONDARY_INDEX, of_kind
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, PARTITION_STATS, RECORD_INDEX
from hudi_core.parallel.ordered import in_order
from hudi_core.parallel.reach import Reach
from hudi_core.schema.names import names
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.bloom_filters import BloomFilters
from hudi_core.validation.column_stats import Statistics
from hudi_core.validation.commits import COMMITS, commits
from hudi_core.validation.contents import FileFacts, KeyWatch, file_facts
from hudi_core.validation.expression_index import ExpressionIndexes
from hudi_core.validation.findings import Finding, by_hand, problem, rebuild
from hudi_core.validation.footers import FOOTERS, Footers
from hudi_core.validation.leftovers import LEFTOVERS, leftovers
from hudi_core.validation.listing import LISTING, listing
from hudi_core.validation.logs import LOGS, Logs
from hudi_core.validation.orphans import ORPHANS, orphans
from hudi_core.validation.properties import PROPERTIES, properties
from hudi_core.validation.reads import ReadFiles, facts_elsewhere
from hudi_core.validation.record_index import RecordIndex
from hudi_core.validation.secondary_index import SecondaryIndexes
from hudi_core.validation.subject import DataFile, Subject
from hudi_core.validation.timeline import TIMELINE, timeline

_OF_NAMES: Final[Mapping[str, Callable[[Subject], Iterator[Finding]]]] = {
    PROPERTIES: properties,
    TIMELINE: timeline,
    LEFTOVERS: leftovers,
    LISTING: listing,
    COMMITS: commits,
    ORPHANS: orphans,
}
"""Checks of names and listings."""

CHECKS: Final = (
    *(*_OF_NAMES, FOOTERS, LOGS, COLUMN_STATS, PARTITION_STATS, BLOOM_FILTERS, RECORD_INDEX),
    *(SECONDARY_INDEX, EXPRESSION_INDEX),
)
"""The names of all checks, in the order of their findings but for those of the contents of files, which come file by file."""


class ContentCheck(Protocol):
    """A check of what data files hold. `take` is called for each file, in order, then `end` once."""

    def watch(self, file: DataFile, footer: Footer) -> KeyWatch | None: ...

    def take(self, facts: FileFacts, watch: KeyWatch | None) -> Iterator[Finding]: ...

    def end(self) -> Iterator[Finding]: ...


def validate(
    table: Table,
    only: Sequence[str] | None = None,
    clock: Clock = system_clock,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Finding]:
    """Holds the latest state of a table against itself; gives findings as they are made. A sound table has none.

    `only` names checks (`CHECKS`), None is all. Every data file of a completed write is read where its contents are checked;
    `progress` is told how many of how many are. Damage is a finding, never an error; raises `UsageError` for another name, and
    what opening the table raises.
    """
    wanted = CHECKS if only is None else names(only, "only")
    strange = [name for name in wanted if name not in CHECKS]
    if strange:
        raise UsageError("only", expected=f"checks among {', '.join(CHECKS)}", found=", ".join(strange))
    return _findings(Subject(refreshed(table), clock), wanted, progress)


def _findings(
    subject: Subject, wanted: Sequence[str], progress: Callable[[int, int], None] | None
) -> Iterator[Finding]:
    of_names = [name for name in _OF_NAMES if name in wanted]
    for findings in in_order(partial(_of_names, subject), of_names):
        yield from findings
    checks, opening = _content_checks(subject, wanted)
    yield from opening
    if not checks:
        return
    files = [file for file in subject.data_files() if subject.counts(file)]
    for done, facts in enumerate(_facts(subject, files, checks), 1):
        if progress is not None:
            progress(done, len(files))
        watches = facts.watches or [None] * len(checks)
        for check, watch in zip(checks, watches, strict=True):
            yield from check.take(facts, watch)
    for check in checks:
        yield from check.end()


def _facts(subject: Subject, files: Sequence[DataFile], checks: Sequence[ContentCheck]) -> Iterator[FileFacts]:
    """What files hold, in order: read in threads, or by tasks on other machines."""
    runner = subject.table.engine.runner
    if runner.reach is Reach.MEMORY:
        yield from in_order(lambda file: file_facts(subject, file, checks), files)
        return
    index = next((check for check in checks if isinstance(check, RecordIndex)), None)
    names = tuple(check.name if isinstance(check, Footers | BloomFilters | RecordIndex) else None for check in checks)
    work = ReadFiles(Subject(subject.table), names)
    yield from facts_elsewhere(runner, work, [(file, index.slice_of(file) if index else None) for file in files])


def _of_names(subject: Subject, name: str) -> list[Finding]:
    findings: list[Finding] = []
    try:
        findings.extend(_OF_NAMES[name](subject))
    except TableError as error:
        findings.append(problem(name, subject.root, error, by_hand("restore the file from a copy")))
    return findings


def _content_checks(subject: Subject, wanted: Sequence[str]) -> tuple[list[ContentCheck], list[Finding]]:
    """The checks that are wanted and that the table has something for, and what went wrong when they were made ready."""
    checks: list[ContentCheck] = []
    findings: list[Finding] = []
    if FOOTERS in wanted:
        checks.append(Footers(subject))
    if LOGS in wanted:
        checks.append(Logs(subject))
    statistics = [name for name in (COLUMN_STATS, PARTITION_STATS) if name in wanted and subject.find_index(name)]
    if statistics:
        checks.append(Statistics(subject, statistics))
    indexes = () if subject.metadata is None else subject.metadata.partitions
    for kind, of_indexes in ((SECONDARY, SecondaryIndexes), (EXPRESSION, ExpressionIndexes)):
        if kind.name in wanted and of_kind(kind, indexes):
            checks.append(of_indexes(subject))
    for name, made in ((BLOOM_FILTERS, BloomFilters), (RECORD_INDEX, RecordIndex)):
        if name in wanted and subject.find_index(name) is not None:
            check = made(subject)
            error = check.open()
            if error is None:
                checks.append(check)
            else:
                findings.append(problem(name, subject.root, error, rebuild(name)))
    return checks, findings

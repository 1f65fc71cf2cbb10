"""The checks by name, run side by side. Rules VALID-1 to VALID-4."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import TableError, UsageError
from hudi_core.metadata.kinds import (
    EXPRESSION_INDEX,
    SECONDARY_INDEX,
    PerKind,
    get_known_kind,
)
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, PARTITION_STATS, RECORD_INDEX
from hudi_core.parallel.ordered import in_order
from hudi_core.parallel.reach import Reach
from hudi_core.schema.names import names
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.bloom_filters import BloomFilters
from hudi_core.validation.column_stats import Statistics
from hudi_core.validation.commits import COMMITS, commits
from hudi_core.validation.contents import ContentCheck, FileFacts, file_facts
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

_OF_FILES: Final[Mapping[str, Callable[[Subject], ContentCheck]]] = {FOOTERS: Footers, LOGS: Logs}
"""Checks of data files themselves."""
MakeCheck = Callable[[Subject, Sequence[str]], ContentCheck]
"""Makes the check of some metadata partitions, which the table has."""
OF_INDEXES: Final = PerKind[MakeCheck](
    {
        COLUMN_STATS: Statistics,
        PARTITION_STATS: Statistics,
        BLOOM_FILTERS: lambda subject, _: BloomFilters(subject),
        RECORD_INDEX: lambda subject, _: RecordIndex(subject),
        SECONDARY_INDEX: lambda subject, _: SecondaryIndexes(subject),
        EXPRESSION_INDEX: lambda subject, _: ExpressionIndexes(subject),
    }
)
"""Checks of indexes, which have the names of their kinds: those with the same one are checked together."""


def list_checks() -> tuple[str, ...]:
    """The names of all checks, in the order of their findings but for those of the contents of files, which come file by file."""
    return (*_OF_NAMES, *_OF_FILES, *OF_INDEXES)


def validate(
    table: Table,
    only: Sequence[str] | None = None,
    clock: Clock = system_clock,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Finding]:
    """Checks the latest state of a table, and returns each finding as soon as it is made. A sound table has none.

    `only` names checks (`list_checks`); None means all. The checks of contents read every data file of a completed write;
    `progress` gets how many files of how many are read. Damage is a finding and never an error. Raises `UsageError` for a check
    that there is not, and what opening the table raises.
    """
    possible = list_checks()
    wanted = possible if only is None else names(only, "only")
    strange = [name for name in wanted if name not in possible]
    if strange or not wanted:
        found = ", ".join(strange) or "none, by which every table would be sound"
        raise UsageError("only", expected=f"checks among {', '.join(possible)}", found=found)
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
    work = ReadFiles(Subject(subject.table), tuple(check.watcher for check in checks))
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
    checks = [make(subject) for name, make in _OF_FILES.items() if name in wanted]
    findings: list[Finding] = []
    by_check: dict[MakeCheck, list[str]] = {}
    indexes = () if subject.metadata is None else subject.metadata.partitions
    for partition, make in OF_INDEXES.among(indexes):
        if get_known_kind(partition).name in wanted:
            by_check.setdefault(make, []).append(partition)
    for make, partitions in by_check.items():
        check = make(subject, partitions)
        error = check.open()
        if error is None:
            checks.append(check)
        else:
            findings.append(problem(partitions[0], subject.root, error, rebuild(partitions[0])))
    return checks, findings

"""Properties: missing, damaged, or in contradiction with each other or the schema. Rule VALID-6."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hudi_core.commit.properties import BACKUP_PATH
from hudi_core.errors import TableError
from hudi_core.index_kinds.planned_builds import list_planned_builds
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.kinds import has_listing, kind_of
from hudi_core.metadata.table import FILES, METADATA_FOLDER
from hudi_core.options import PROPERTIES_PATH, table_checksum
from hudi_core.validation.findings import Finding, Severity, by_hand, forget, problem
from hudi_core.validation.subject import Subject

PROPERTIES: Final = "properties"
_EDIT: Final = by_hand("correct the property; writers of other settings may have set it")


def properties(subject: Subject) -> Iterator[Finding]:
    """What is wrong with the table's properties, as far as a table with them can be opened at all."""
    yield from _checksum(subject)
    yield from _backup(subject)
    yield from _layout(subject)
    yield from _metadata_partitions(subject)
    yield from _columns(subject)
    yield from _definitions(subject)


def _finding(severity: Severity, place: str, expected: str, found: str) -> Finding:
    return Finding(PROPERTIES, severity, f"{PROPERTIES_PATH}, {place}", expected, found, _EDIT)


def _checksum(subject: Subject) -> Iterator[Finding]:
    config = subject.table.config
    key, stated = "hoodie.table.checksum", config.properties.get("hoodie.table.checksum", "").strip()
    computed = str(table_checksum(config.properties.get("hoodie.database.name", "").strip() or None, config.name))
    if not stated:
        yield _finding(Severity.WARNING, key, f"the checksum {computed}", "none")
    elif stated != computed:
        yield _finding(Severity.WARNING, key, f"{computed}, by the names of database and table", stated)


def _backup(subject: Subject) -> Iterator[Finding]:
    storage = subject.table.storage
    if not storage.exists(PROPERTIES_PATH):
        words = by_hand(f"copy {BACKUP_PATH} to {PROPERTIES_PATH}; the next write does it too")
        yield Finding(
            PROPERTIES, Severity.ERROR, PROPERTIES_PATH, "the table's properties", "their backup alone", words
        )
    elif storage.exists(BACKUP_PATH):
        words = by_hand("delete the backup when no writer is at work; the next change of properties does it too")
        yield Finding(PROPERTIES, Severity.WARNING, BACKUP_PATH, "no backup beside sound properties", "one", words)


def _layout(subject: Subject) -> Iterator[Finding]:
    config = subject.table.config
    expected = config.layout_of_version
    if config.layout != expected:
        place = "hoodie.timeline.layout.version"
        yield _finding(Severity.ERROR, place, f"{expected}, as version {config.version} has it", str(config.layout))


def _metadata_partitions(subject: Subject) -> Iterator[Finding]:
    config, storage = subject.table.config, subject.table.storage
    complete, inflight = set(config.metadata_partitions), set(config.metadata_partitions_inflight)
    place = "hoodie.table.metadata.partitions"
    for partition in sorted(complete & inflight):
        yield _finding(Severity.ERROR, place, f"{partition} either complete or under construction", "both")
    if complete and not has_listing(complete):
        yield _finding(Severity.ERROR, place, f"{FILES} among the partitions", ", ".join(sorted(complete)))
    for partition in sorted(complete):
        if not storage.list(f"{METADATA_FOLDER}/{partition}"):
            yield _finding(Severity.ERROR, place, f"files in {METADATA_FOLDER}/{partition}", "none")


def _columns(subject: Subject) -> Iterator[Finding]:
    """Columns that properties name and the schema does not have."""
    config = subject.table.config
    schema = subject.schema
    if schema is None:
        return
    for key, names in config.named_columns.items():
        for name in names:
            if schema.find(name, case_sensitive=False) is None:
                yield _finding(Severity.ERROR, key, f"a column of the table's schema as {name!r}", "no such column")
    if (
        config.merge_mode is not None
        and config.merge_mode.value == "EVENT_TIME_ORDERING"
        and not config.ordering_fields
    ):
        mode = f"{config.merge_mode.value} without one"
        yield _finding(Severity.WARNING, "hoodie.table.ordering.fields", "an ordering field for the merge mode", mode)


def _definitions(subject: Subject) -> Iterator[Finding]:
    """Indexes without a definition, which a reader needs to use them, and definitions of indexes that there are not."""
    table = subject.table
    try:
        definitions = index_definitions(table.storage, table.config)
    except TableError as error:
        yield problem(PROPERTIES, subject.root, error, by_hand("restore the file of index definitions"))
        return
    for partition in table.config.metadata_partitions:
        if _is_named(partition) and partition not in definitions:
            place = f"{table.config.index_definitions_path}, {partition}"
            words = by_hand(f"drop the index {partition} and build it again")
            yield Finding(PROPERTIES, Severity.ERROR, place, "a definition of the index", "none", words)
    building = {name for build in list_planned_builds(table.timeline) for name in build.partitions}
    for name in sorted(definitions.keys() - table.config.kept_partitions - building):
        place = f"{table.config.index_definitions_path}, {name}"
        # Writers of Apache Hudi try to build such an index at each write, and fail where it cannot be.
        severity = Severity.ERROR if _is_named(name) else Severity.WARNING
        yield Finding(PROPERTIES, severity, place, "definitions of indexes that there are", "one of none", forget(name))


def _is_named(partition: str) -> bool:
    kind = kind_of(partition)
    return kind is not None and kind.is_named

"""Data files that no completed write names, and links. Rules VALID-12, VALID-260."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hudi_core.errors import CorruptFileError
from hudi_core.storage_parts import StorageWithLinks
from hudi_core.timeline.moved_instants import refuse_moved
from hudi_core.validation.findings import Finding, Severity, by_hand, problem
from hudi_core.validation.subject import DataFile, Subject

ORPHANS: Final = "orphans"
_DELETE: Final = by_hand("delete the file when no writer is at work")
_CHANGE: Final = by_hand("make the change of the table's version again, with Apache Hudi, before anything else")
_UNLINK: Final = by_hand("delete the link; where it led out of the table, put what it led to in its place")


def orphans(subject: Subject) -> Iterator[Finding]:
    """Files of writes that the timeline does not have, and files that their own commit does not name.

    Files of pending writes are theirs to complete or to roll back. What an archived commit wrote is not looked up.
    """
    timeline = subject.table.timeline
    known = {instant.requested_time for instant in timeline.instants}
    active = {instant.requested_time for instant, _ in subject.commits}
    written = _list_written(subject)
    try:
        times = timeline.list_unknown((file.instant for file in subject.data_files()), archived=True)
        refuse_moved(timeline, subject.table.config, times)
    except CorruptFileError as error:  # these are no orphans
        yield problem(ORPHANS, subject.root, error, _CHANGE)
        return
    for file in subject.data_files():
        if file.is_log and timeline.layout == 1:
            continue  # it has the time of its slice, and may be of any write that came after
        if file.instant in active:
            if file.info.path not in written:
                yield _report_unnamed(file)
        elif file.instant not in known and not subject.counts(file):
            expected = "a file of a write on the timeline"
            found = f"one of {file.instant}, which is not on the timeline"
            yield Finding(ORPHANS, Severity.WARNING, file.info.path, expected, found, _DELETE)
    storage = subject.table.storage
    for link in storage.links if isinstance(storage, StorageWithLinks) else ():
        yield Finding(ORPHANS, Severity.WARNING, link, "a file or a folder", "a link, which is not followed", _UNLINK)


def _list_written(subject: Subject) -> frozenset[str]:
    """The paths of all files that completed writes of the active timeline name."""
    paths: set[str] = set()
    for _, metadata in subject.commits:
        for partition, stats in metadata.stats.items():
            for stat in stats:
                folder = f"{partition}/" if partition else ""
                paths.add(stat.path)
                paths.update(stat.cdc_files)
                paths.update(f"{folder}{name}" for name in stat.log_files)
    return frozenset(paths)


def _report_unnamed(file: DataFile) -> Finding:
    """Readers that list folders take a base file that counts by its name."""
    severity = Severity.WARNING if file.is_log else Severity.ERROR
    expected = f"a file that the write of {file.instant} names"
    return Finding(ORPHANS, severity, file.info.path, expected, "one that it does not", _DELETE)

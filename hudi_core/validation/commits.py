"""The files that commits record against those on storage: files of the latest slices, and sizes. Rule VALID-11."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hudi_core.engine import FileInfo
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.files import files_in
from hudi_core.timeline.slice_building import latest_slices, visibility
from hudi_core.validation.findings import Finding, Severity, by_hand
from hudi_core.validation.subject import Subject, data_file

COMMITS: Final = "commits"
_LOST: Final = by_hand("restore the file from a copy, or roll back or write again what its commit wrote")


def commits(subject: Subject) -> Iterator[Finding]:
    """Files of the latest slices that are gone, and files whose size differs from their commit's."""
    missing: dict[str, list[FileInfo]] = {}
    for instant, metadata in subject.commits:
        for partition, stats in metadata.stats.items():
            there = subject.sizes.get(partition, {})
            for stat in stats:
                name = stat.path.rpartition("/")[2]
                if not name or stat.errors:
                    continue
                if name not in there:
                    missing.setdefault(partition, []).append(FileInfo(stat.path, stat.file_size or 0))
                else:
                    yield from _size(subject, instant.requested_time, stat, there[name])
    for path in _find_needed(subject, missing):
        yield Finding(COMMITS, Severity.ERROR, path, "a file of the latest file slices", "none", _LOST)


def _size(subject: Subject, time: str, stat: WriteStat, there: int) -> Iterator[Finding]:
    """In layout 1 later writes may have appended to a log file."""
    stated = stat.file_size
    if not stated or stated == there:
        return
    file = data_file(stat.partition, FileInfo(stat.path, there))
    if file is not None and file.is_log and subject.table.timeline.layout == 1 and there > stated:
        return
    expected = f"{stated:,} bytes, as the write of {time} records"
    yield Finding(COMMITS, Severity.ERROR, stat.path, expected, f"{there:,} bytes", _LOST)


def _find_needed(subject: Subject, missing: dict[str, list[FileInfo]]) -> Iterator[str]:
    """The files that are gone and that the latest slices would be made of, were they there. Others were cleaned away."""
    if not missing:
        return
    by_partition = {partition: list(infos) for partition, infos in missing.items()}
    for partition, info in subject.listing.infos():
        by_partition.setdefault(partition, []).append(info)
    gone = {info.path for infos in missing.values() for info in infos}
    for file_slice in latest_slices(files_in(by_partition), visibility(subject.table.timeline)):
        yield from (file.path for file in file_slice.files if file.path in gone)

"""The metadata table's listing beside that of the folders. Rules VALID-10, VALID-1040."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from hudi_core.engine import FileInfo
from hudi_core.errors import TableError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.metadata.table import FILES
from hudi_core.timeline.instants import Instant
from hudi_core.validation.findings import Finding, Severity, by_hand, problem, rebuild
from hudi_core.validation.subject import DataFile, Subject, data_file

LISTING: Final = "listing"
_FINISH: Final = by_hand("nothing: the next clean finishes it (hudi-core clean TABLE)")


def listing(subject: Subject) -> Iterator[Finding]:
    """Files and sizes in which the metadata table and storage differ."""
    if subject.metadata_problem is not None:
        yield problem(LISTING, subject.root, subject.metadata_problem, rebuild(FILES))
    metadata = subject.find_index(FILES)
    if metadata is None:
        return
    try:
        recorded = metadata.files().by_name()
    except TableError as error:
        yield problem(LISTING, subject.root, error, rebuild(FILES))
        return
    unfinished: dict[Instant, list[str]] = defaultdict(list)
    for partition in sorted({*recorded, *subject.sizes}):
        stated, there = recorded.get(partition, {}), subject.sizes.get(partition, {})
        for name in sorted(stated.keys() | there.keys()):
            path = f"{partition}/{name}" if partition else name
            file = data_file(partition, FileInfo(path, there.get(name, 0)))
            if file is not None and name not in there and path in subject.cleaned:
                unfinished[subject.cleaned[path]].append(path)
            elif file is not None:
                yield from _compare(subject, file, stated.get(name), there.get(name))
    for instant, paths in unfinished.items():
        where = f"{subject.table.timeline.folder}/{instant.file}"
        still = f"{len(paths):,} files that it deleted and that are listed still, {paths[0]} among them"
        yield Finding(LISTING, Severity.WARNING, where, "a clean that is completed", still, _FINISH)


def _holds_what_counts(subject: Subject, file: DataFile) -> bool:
    """In layout 1 the name of a log file does not show whether the write that made it completed; its blocks do."""
    timeline = subject.table.timeline
    if not file.is_log or timeline.layout > 1:
        return True
    blocks = read_blocks(subject.table.storage.open(file.info.path, file.info.size))
    return any(timeline.is_committed(block.header.get(HeaderKey.INSTANT_TIME, "")) for block in blocks)


def _compare(subject: Subject, file: DataFile, stated: int | None, there: int | None) -> Iterator[Finding]:
    where = f"{subject.metadata_path(FILES)}, {file.info.path}"
    if there is None:
        yield Finding(
            LISTING, Severity.ERROR, where, "a file that is there", f"none; {stated:,} bytes listed", rebuild(FILES)
        )
    elif stated is None:
        if subject.counts(file) and _holds_what_counts(subject, file):
            yield Finding(LISTING, Severity.ERROR, where, f"a file of {there:,} bytes", "no entry", rebuild(FILES))
    elif stated != there:
        yield Finding(LISTING, Severity.ERROR, where, f"{there:,} bytes", f"{stated:,} bytes", rebuild(FILES))

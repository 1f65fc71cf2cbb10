"""Which times a table can still be read at: not those whose files were cleaned away. Rules QUERY-1 to QUERY-4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hudi_core.errors import UsageError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.timeline.instants import CLEAN, time_order
from hudi_core.timeline.services import clean, latest_clean
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline

CleanedFile = tuple[str, str, str]
"""Partition, file id, instant."""


def refuse_unknown(time: str, whole: Timeline, cut: Timeline) -> None:
    """Raises `UsageError` for a time before the first write that is known."""
    if cut.commits:
        return
    known = whole.with_archived().commits
    if known:
        expected = f"an instant from {known[0].requested_time} on, the first that is known"
        raise UsageError(time, expected=expected, found="an earlier one")


def refuse_cleaned(
    given: str, time: str, whole: Timeline, cut: Timeline, slices: Callable[[], Sequence[FileSlice]]
) -> None:
    """Raises `UsageError` when files that were current at a time are cleaned away.

    `cut` is the timeline at that time, `slices` gives the latest ones there; it is called only where the last clean does
    not record from when on it kept files.
    """
    last = latest_clean(whole)
    if last is None:
        return
    if last.earliest_retained is not None:
        if time_order(time) < time_order(last.earliest_retained):
            expected = f"an instant from {last.earliest_retained} on, the first that the cleaner retained"
            raise UsageError(given, expected=expected, found="one whose files may be cleaned away")
        return
    lost = next(_lost(list(_cleaned_after(time, whole)), cut, slices), None)
    if lost is not None:
        partition, file_id, instant = lost
        where = f"{partition}/{file_id}".lstrip("/")
        expected = "an instant whose files are all there"
        raise UsageError(given, expected=expected, found=f"that of {where} of {instant} cleaned away")


def _cleaned_after(time: str, whole: Timeline) -> Iterator[CleanedFile]:
    for instant in whole.instants:
        if (
            instant.action == CLEAN
            and instant.completed
            and time_order(instant.completion_time or instant.requested_time) > time_order(time)
        ):
            for partition, did in clean(whole, instant).partitions.items():
                yield from _named(partition, did.deleted)


def _named(partition: str, files: Iterable[str]) -> Iterator[CleanedFile]:
    for path in files:
        name = path.rpartition("/")[2]
        base, log = parse_base_file(name), parse_log_file(name)
        if base is not None:
            yield partition, base.file_id, base.instant
        elif log is not None and not log.is_cdc:
            yield partition, log.file_id, log.instant


def _lost(
    cleaned: Sequence[CleanedFile], cut: Timeline, slices: Callable[[], Sequence[FileSlice]]
) -> Iterator[CleanedFile]:
    """Files that counted at the time and are newer than what is there of their file group."""
    counted = [group for group in cleaned if cut.is_committed(group[2]) and group[:2] not in cut.replaced]
    there = (
        {(file_slice.partition, file_slice.file_id): file_slice.instant for file_slice in slices()} if counted else {}
    )
    return (group for group in counted if time_order(there.get(group[:2], "")) < time_order(group[2]))

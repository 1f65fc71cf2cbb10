"""Which times a table can be read at: not those whose files were cleaned away. Those that are yet to come are hardly meant.

Rules QUERY-1 to QUERY-4, QUERY-1460, QUERY-1524.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from time import time_ns
from typing import Final

from hudi_core.errors import ConflictError, UsageError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.timeline.instants import CLEAN, Instant, time_order
from hudi_core.timeline.services import FileGroup, clean, clean_plan
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline
from hudi_core.timeline.times import begins_instant

CleanedFile = tuple[str, str, str]
"""Partition, file id, instant."""


_APART: Final = timedelta(days=1)
"""More than the local times of two zones, and the clocks of two machines, are apart."""
_SECONDS: Final = 14
"""Digits of an instant to the second, as people may name one."""


def find_ahead(whole: Timeline, cut: Timeline) -> str | None:
    """The time of a query that is yet to come and lies after all instants, which clocks that are ahead may have written: a year
    may be mistyped, and the latest rows are the answer. None for a time that has come, and for none. Rule QUERY-1524."""
    return cut.until if cut.until is not None and is_ahead(whole, cut.until) else None


def is_ahead(whole: Timeline, time: str) -> bool:
    """Whether a time is yet to come and lies after all instants. Rule QUERY-1524."""
    tomorrow = datetime.fromtimestamp(time_ns() / 1e9, UTC) + _APART
    if time <= f"{tomorrow.astimezone(whole.zone):%Y%m%d%H%M%S}" or not begins_instant(time):
        return False
    times = (known for one in whole.instants for known in (one.requested_time, one.completion_time) if known)
    return time[:_SECONDS] > max(times, default="")[:_SECONDS]


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
    """Raises `UsageError` when files that were current at a time are cleaned away, or are being.

    A clean leaves what is current when it is planned: only those that completed after the time count, and those that are not
    completed, which may have deleted files all the same. `cut` is the timeline at that time, `slices` gives the latest ones
    there; it is called only where a clean does not record from when on it kept files.
    """
    cleaned: list[CleanedFile] = []
    known = whole.with_archived() if whole.starts_after(time) else whole
    for instant in reversed(known.instants):
        if instant.action != CLEAN or not _may_lack(instant, time):
            continue
        retained, deleted = _record(known, instant)
        if retained is None:
            cleaned += (file for partition, names in deleted.items() for file in _name_files(partition, names))
        elif time_order(time) < time_order(retained):
            expected = f"an instant from {retained} on, the first that the cleaner retained"
            raise UsageError(given, expected=expected, found="one whose files may be cleaned away")
    lost = next(_find_lost(cleaned, cut, slices), None)
    if lost is not None and cut.history is not None:
        # What an archived replace commit took away was no part of the table then.
        replaced = cut.with_archived().replaced
        lost = next((group for group in _find_lost(cleaned, cut, slices) if group[:2] not in replaced), None)
    if lost is not None:
        partition, file_id, instant_time = lost
        where = f"{partition}/{file_id}".lstrip("/")
        expected = "an instant whose files all remain"
        raise UsageError(
            given, expected=expected, found=f"one whose file in {where} of {instant_time} was cleaned away"
        )


def refuse_removed(whole: Timeline, cut: Timeline, listed: Timeline, slices: Sequence[FileSlice]) -> None:
    """Raises `ConflictError` when files that were current at a cut of the timeline were removed after that was read and before
    the files were listed: their rows would not come. `listed` is the timeline as it was then, `slices` are those of the files.
    Rule QUERY-1460.
    """
    uri = whole.storage.uri
    gone = {write.requested_time for write in cut.commits if not write.archived}
    gone.difference_update(write.requested_time for write in listed.commits)
    if gone:
        gone.difference_update(write.requested_time for write in listed.with_archived().commits)
    if gone:
        expected = f"the write {min(gone)}, as when the table was opened"
        raise ConflictError(uri, expected=expected, found="that it was undone since; refresh the table")
    known = {instant.requested_time for instant in whole.instants if instant.action == CLEAN and _has_record(instant)}
    cleans = (one for one in listed.instants if one.action == CLEAN and one.requested_time not in known)
    deleted = (item for one in cleans for item in _record(listed, one)[1].items())
    cleaned = [file for partition, names in deleted for file in _name_files(partition, names)]
    lost = next(_find_lost(cleaned, cut, lambda: slices), None)
    if lost is not None:
        partition, file_id, instant_time = lost
        where = f"{partition}/{file_id}".lstrip("/")
        expected = f"the file in {where} of {instant_time}, as when the table was opened"
        raise ConflictError(uri, expected=expected, found="that it was cleaned away since; refresh the table")


def find_cleaned_instants(whole: Timeline) -> Mapping[FileGroup, Sequence[str]]:
    """The instants in names of files that cleans took, or are taking, by file group."""
    instants: dict[FileGroup, list[str]] = {}
    for instant in whole.instants:
        if instant.action == CLEAN:
            for partition, names in _record(whole, instant)[1].items():
                for _, file_id, written in _name_files(partition, names):
                    instants.setdefault((partition, file_id), []).append(written)
    return instants


def _may_lack(clean_instant: Instant, time: str) -> bool:
    """Whether a clean may have deleted files that were current at a time."""
    if not _has_record(clean_instant):
        return True
    return time_order(clean_instant.completion_time or clean_instant.requested_time) > time_order(time)


def _has_record(clean_instant: Instant) -> bool:
    """Whether a clean is completed; an empty file is none that a writer finished."""
    return clean_instant.completed and clean_instant.size != 0


def _record(whole: Timeline, instant: Instant) -> tuple[str | None, Mapping[str, Sequence[str]]]:
    """From when on a clean keeps files, and the names of those that it deletes in each partition."""
    if _has_record(instant):
        record = clean(whole, instant)
        return record.earliest_retained, {name: did.deleted for name, did in record.partitions.items()}
    plan = clean_plan(whole, instant)
    return plan.earliest_retained, plan.list_deleted()


def _name_files(partition: str, files: Iterable[str]) -> Iterator[CleanedFile]:
    for path in files:
        name = path.rpartition("/")[2]
        base, log = parse_base_file(name), parse_log_file(name)
        if base is not None:
            yield partition, base.file_id, base.instant
        elif log is not None and not log.is_cdc:
            yield partition, log.file_id, log.instant


def _find_lost(
    cleaned: Sequence[CleanedFile], cut: Timeline, slices: Callable[[], Sequence[FileSlice]]
) -> Iterator[CleanedFile]:
    """Files that counted at the time and are newer than what is there of their file group."""
    counted = [group for group in cleaned if cut.is_committed(group[2]) and group[:2] not in cut.replaced]
    there = (
        {(file_slice.partition, file_slice.file_id): file_slice.instant for file_slice in slices()} if counted else {}
    )
    return (group for group in counted if time_order(there.get(group[:2], "")) < time_order(group[2]))

"""Deviations of queries of other times. A question holds the `ask`, the `table` as recorded, the `time` asked about, Apache
Hudi's `answer`, and what else the test knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.deviations import Deviation, Question


def _commits(q: Question) -> Iterator[dict[str, Any]]:
    return (
        each
        for each in q["table"]["timeline"]
        if each["state"] == "completed" and each["action"] in ("commit", "deltacommit", "replacecommit")
    )


def _file_ids(commit: dict[str, Any]) -> set[str]:
    return {stat["file_id"] for stats in (commit.get("write_stats") or {}).values() for stat in stats}


def _overtaken(q: Question) -> bool:
    """A write was requested by the time, and completed after a compaction began that was requested later and wrote a file
    group of the write's anew."""
    compactions = [each for each in _commits(q) if each.get("operation_type") == "COMPACT"]
    return q["ask"] == "as_of" and any(
        each["requested_time"] <= q["time"] < compaction["requested_time"] < (each["completion_time"] or "")
        and _file_ids(each) & _file_ids(compaction)
        for each in _commits(q)
        for compaction in compactions
        if each["action"] == "deltacommit"
    )


def _incomplete(q: Question) -> bool:
    timeline = q["table"]["timeline"]
    done = {each["requested_time"] for each in timeline if each["state"] == "completed"}
    writes = ("commit", "deltacommit", "replacecommit")
    begun = (each["requested_time"] for each in timeline if each["action"] in writes)
    return (
        q["ask"] == "as_of" and "error" in q["answer"] and any(time not in done and time <= q["time"] for time in begun)
    )


def _partial(q: Question) -> bool:
    return q["ask"] == "since" and "error" in q["answer"]


def _lost_the_merge(q: Question) -> bool:
    """Rows of the answer that are no rows of the table, which is merged on read by ordering values."""
    table = q["table"]["table"]
    ordered = table["table_type"] == "MERGE_ON_READ" and table["ordering_fields"]
    return q["ask"] == "since" and bool(ordered) and not _encoded(q) and bool(q["not_in_snapshot"])


def _encoded(q: Question) -> bool:
    """There are rows in folders whose names are encoded; of changes, among those of the answer."""
    if not q["table"]["table"]["url_encode_partitioning"] or "error" in q["answer"]:
        return False
    if q["ask"] == "since":
        return any("%" in text for text in q["not_in_snapshot"])
    return any("%" in row["_hoodie_partition_path"] for row in q["table"]["snapshot"]["rows"])


def _archived(q: Question) -> bool:
    archived = any(
        each["actionState"] == "COMPLETED" for each in q["table"].get("extra", {}).get("archived_entries", ())
    )
    starts = min((each["requested_time"] for each in _commits(q)), default="")
    return q["ask"] == "since" and archived and q["time"] < starts


QUERIES = (
    Deviation(
        "queries",
        "a write that was overtaken by a compaction counts",
        _overtaken,
        "A query of a time sees every write that was requested by then, its own included.",
        "Hudi puts the log of a write that completed after a compaction began into the compaction's slice, and then passes "
        "over the slice because it began after the time asked about: the write's rows are missing.",
    ),
    Deviation(
        "queries",
        "a time after a write that is not complete",
        _incomplete,
        "The completed writes requested by then.",
        "Hudi refuses every time after the first write that is at work or failed.",
    ),
    Deviation(
        "queries",
        "changes in partial log blocks",
        _partial,
        "The changed rows, whole.",
        "Hudi's incremental query raises on partial log blocks.",
    ),
    Deviation(
        "queries",
        "rows that lost the merge did not change",
        _lost_the_merge,
        "Rows of the table at the end of the range, of commits in the range.",
        "Hudi merges only the log blocks of the range with the base file, and so gives late rows that a block before the range "
        "had already outdone, and rows that one had deleted: they were never in the table.",
    ),
    Deviation(
        "queries",
        "partition columns hold values",
        _encoded,
        "The value, as in the file and in every other query.",
        "Hudi's queries of other times than now give the folder's URL-encoded text.",
    ),
    Deviation(
        "queries",
        "changes since before the active timeline's start",
        _archived,
        "All rows of commits since then, archived ones too.",
        "Of version-6 tables Hudi gives only rows of commits that are still active, without a word.",
    ),
)

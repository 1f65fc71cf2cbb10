"""Deviations of queries of tables.

A question holds the `ask`, the `table` as recorded, the `time` asked about and the `answer`; `shown` are the rows of the answer
by column, `snapshot` those of the table, `partial_blocks` says whether log blocks of the table have some of its columns only, and
`form` makes an answer of rows; a `filter` is as it was recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any
from urllib.parse import unquote

from hudi_core.schema.meta import META_COLUMNS, is_meta
from tests.conformance.deviations import Deviation, Question

_COMMIT = "_hoodie_commit_time"
_WRITES = ("commit", "deltacommit", "replacecommit")
_OTHER_TIMES = ("as_of", "since")


def _commits(q: Question) -> Iterator[dict[str, Any]]:
    timeline = q["table"]["timeline"]
    return (item for item in timeline if item["state"] == "completed" and item["action"] in _WRITES)


# Changes since a time -------------------------------------------------------------------------------------------------


def _of_the_range(q: Question) -> object:
    """Rows of the snapshot of commits that completed after the time; archived commits of old tables count by their times."""
    ends = {item["requested_time"]: item["completion_time"] or item["requested_time"] for item in _commits(q)}
    rows = q["snapshot"]
    return q["form"]([row for row in rows if ends.get(row[_COMMIT], row[_COMMIT]) > q["time"]])


def _partial(q: Question) -> bool:
    return q["ask"] == "since" and "error" in q["answer"] and not _archived(q) and q["partial_blocks"]


def _ordered(q: Question) -> bool:
    table = q["table"]["table"]
    return table["table_type"] == "MERGE_ON_READ" and bool(table["ordering_fields"])


def _lost_the_merge(q: Question) -> bool:
    """Rows of the answer that are no rows of the table, which is merged on read by ordering values."""
    return q["ask"] == "since" and _ordered(q) and not _encoded(q) and not _archived(q) and bool(q["not_in_snapshot"])


def _archived(q: Question) -> bool:
    if q["ask"] != "since":
        return False
    archived = any(
        item["actionState"] == "COMPLETED" for item in q["table"].get("extra", {}).get("archived_entries", ())
    )
    starts = min((item["requested_time"] for item in _commits(q)), default="")
    return archived and q["time"] < starts


# Rows of the table at a time ------------------------------------------------------------------------------------------


def _file_ids(commit: dict[str, Any]) -> set[str]:
    return {stat["file_id"] for stats in (commit.get("write_stats") or {}).values() for stat in stats}


def _overtaken(q: Question) -> bool:
    """A write was requested by the time, and completed after a compaction began that was requested later and wrote a file
    group of the write's again."""
    compactions = [item for item in _commits(q) if item.get("operation_type") == "COMPACT"]
    return q["ask"] == "as_of" and any(
        item["requested_time"] <= q["time"] < compaction["requested_time"] < (item["completion_time"] or "")
        and _file_ids(item) & _file_ids(compaction)
        for item in _commits(q)
        for compaction in compactions
        if item["action"] == "deltacommit"
    )


def _incomplete(q: Question) -> bool:
    if q["ask"] != "as_of" or "error" not in q["answer"]:
        return False
    timeline = q["table"]["timeline"]
    done = {item["requested_time"] for item in timeline if item["state"] == "completed"}
    begun = (item["requested_time"] for item in timeline if item["action"] in _WRITES)
    return any(time not in done and time <= q["time"] for time in begun)


def _of_the_writes(q: Question) -> object:
    """By key the table's row where a commit requested by the time wrote it, else the row of the recorded answer."""
    rows = {row["_hoodie_record_key"]: row for row in q["shown"]}
    rows |= {row["_hoodie_record_key"]: row for row in q["snapshot"] if row[_COMMIT] <= q["time"]}
    return q["form"](list(rows.values()))


def _before_the_compaction(q: Question) -> object:
    """The rows at the compaction's own time, which has all earlier writes; of keys changed in between, the answer's."""
    compactions = {item["requested_time"] for item in _commits(q) if item.get("operation_type") == "COMPACT"}
    then = min(time for time in q["others"] if time in compactions and time > q["time"])
    last = q["others"][max(time for time in q["others"] if time < then)]
    here, whole = q["others"][q["time"]], q["others"][then]
    return q["form"]([row if here.get(key) == last.get(key) else here[key] for key, row in whole.items()])


# Partition columns ----------------------------------------------------------------------------------------------------


def _fields(q: Question) -> list[str]:
    return [field.partition(":")[0] for field in q["table"]["table"]["partition_fields"]]


def _encoded(q: Question) -> bool:
    """Rows of the answer are in folders whose names are encoded."""
    if q["ask"] not in _OTHER_TIMES or not q["table"]["table"]["url_encode_partitioning"] or not q["shown"]:
        return False
    return any("%" in str(row.get(field)) for row in q["shown"] for field in _fields(q))


def _decoded(q: Question) -> object:
    fields = _fields(q)
    rows = [{name: unquote(value) if name in fields else value for name, value in row.items()} for row in q["shown"]]
    return q["form"](rows)


def _folder_of_time(q: Question) -> bool:
    """A column that a time-based generator makes folders of, recorded as text though its type is another."""
    if q["table"]["table"]["key_generator"] not in ("TIMESTAMP", "CUSTOM") or not q["shown"]:
        return False
    typed = [field for field in _fields(q) if _avro_type(q, field) in _NUMBERS]
    return any(isinstance(row.get(field), str) for row in q["shown"] for field in typed)


_NUMBERS = ("int", "long")


def _avro_type(q: Question, name: str) -> str:
    for field in (q["table"]["schema"]["latest_table_schema_avro"] or {"fields": []})["fields"]:
        if field["name"] == name:
            of = field["type"]
            of = next((part for part in of if part != "null"), of) if isinstance(of, list) else of
            return str(of["type"] if isinstance(of, dict) else of)
    return ""


def _typed(q: Question) -> object:
    numbers = {field for field in _fields(q) if _avro_type(q, field) in _NUMBERS}
    if q["ask"] == "types":
        return q["theirs"] | {field: {"int": "int32", "long": "int64"}[_avro_type(q, field)] for field in numbers}
    rows = [
        {name: int(value) if name in numbers and isinstance(value, str) else value for name, value in row.items()}
        for row in q["shown"]
    ]
    return q["form"](rows)


_SLASHED = re.compile(r"\d{4}/\d{2}/\d{2}")


def _slashed_date(q: Question) -> bool:
    """The one partition column is recorded as a folder in three parts: year, month and day."""
    table = q["table"]["table"]
    if q["ask"] in ("types", "filter") or len(_fields(q)) != 1 or table["key_generator"] != "SIMPLE" or not q["shown"]:
        return False
    (field,) = _fields(q)
    return any(_SLASHED.fullmatch(str(row.get(field))) for row in q["shown"])


def _with_hyphens(q: Question) -> object:
    (field,) = _fields(q)
    return q["form"]([{**row, field: str(row[field]).replace("/", "-")} for row in q["shown"]])


def _filter_of_a_slashed_date(q: Question) -> bool:
    """The predicate names such a column."""
    return q["ask"] == "filter" and _slashed_date({**q, "ask": "snapshot"}) and _fields(q)[0] in q["filter"]["sql"]


# Images of changes ----------------------------------------------------------------------------------------------------

_SIDES = ("before", "after")


def _days(q: Question) -> bool:
    """An image of a change has a date, as a number."""
    if q["ask"] != "changes":
        return False
    images = (item[side] for item in q["shown"] for side in _SIDES if item[side])
    return any(isinstance(image.get(name), int) for image in images for name in q["dates"])


def _dates(q: Question) -> object:
    return [{**item, **{side: _dated(item[side], q["dates"]) for side in _SIDES}} for item in q["shown"]]


def _dated(image: dict[str, Any] | None, names: list[str]) -> dict[str, Any] | None:
    if image is None:
        return None
    days = {name: image[name] for name in names if isinstance(image.get(name), int)}
    return {**image, **{name: (date(1970, 1, 1) + timedelta(days=day)).isoformat() for name, day in days.items()}}


def _without_own_columns(q: Question) -> bool:
    """An image of a change has none of the meta columns."""
    return q["ask"] == "columns of images" and any(
        item[side] and not any(map(is_meta, item[side])) for item in q["shown"] for side in _SIDES
    )


def _with_own_columns(q: Question) -> object:
    return [{side: item[side] and sorted({*item[side], *META_COLUMNS}) for side in _SIDES} for item in q["shown"]]


QUERIES = (
    Deviation(
        "queries",
        "Hudi's own columns in images of changes",
        _without_own_columns,
        _with_own_columns,
        "Every image has them, unless they are left out by choice.",
        "Images that Hudi takes from its logs of changes have none of them, those from whole files have all five.",
    ),
    Deviation(
        "queries",
        "dates in images of changes are dates",
        _days,
        _dates,
        "`2024-01-10`, as in every other row of JSON.",
        "Hudi writes the number of days since 1970 that Avro carries.",
    ),
    Deviation(
        "queries",
        "time travel to a write that completed after a compaction was requested",
        _overtaken,
        _before_the_compaction,
        "A query of a time sees every write that was requested by then, its own included.",
        "Hudi puts the log of a write that completed after a compaction began into the compaction's slice, and then passes "
        "over the slice because it began after the time asked about: the write's rows are missing.",
    ),
    Deviation(
        "queries",
        "time travel past a write that is not complete",
        _incomplete,
        _of_the_writes,
        "The completed writes requested by then.",
        "Hudi refuses every time after the first write that is at work or failed.",
    ),
    Deviation(
        "queries",
        "incremental queries: log blocks with some of the columns",
        _partial,
        _of_the_range,
        "The changed rows, whole.",
        "Hudi's incremental query raises on partial log blocks.",
    ),
    Deviation(
        "queries",
        "incremental queries: rows that lost the merge",
        _lost_the_merge,
        _of_the_range,
        "Rows of the table at the end of the range, of commits in the range.",
        "Hudi merges only the log blocks of the range with the base file, and so gives late rows that a block before the range "
        "had already outdone, and rows that one had deleted: they were never in the table.",
    ),
    Deviation(
        "queries",
        "values of partition columns",
        _encoded,
        _decoded,
        "The value, as in the file and in every other query.",
        "Hudi's queries of other times than the present give the folder's URL-encoded name.",
    ),
    Deviation(
        "queries",
        "types of timestamp-based partition columns",
        _folder_of_time,
        _typed,
        "The number in the file, in every query.",
        "Hudi reads the column of a time-based generator as a string, because the folder's name is one.",
    ),
    Deviation(
        "queries",
        "slash-separated dates in partition paths",
        _slashed_date,
        _with_hyphens,
        "The value in the file, `2024-01-10`.",
        "Hudi shows the folder, `2024/01/10`.",
    ),
    Deviation(
        "queries",
        "filters on slash-separated dates",
        _filter_of_a_slashed_date,
        lambda q: sorted(q["filter"]["keys_by_file_value"]),
        "A predicate is about the value in the file, `2024-01-10`.",
        "Hudi compares with the folder, `2024/01/10`, and so finds other rows or none.",
    ),
    Deviation(
        "queries",
        "incremental queries from before the active timeline",
        _archived,
        _of_the_range,
        "All rows of commits since then, archived ones too.",
        "Of version-6 tables Hudi gives only rows of commits that are still active, without a word.",
    ),
)

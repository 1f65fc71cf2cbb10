"""Queries of other times, against what Apache Hudi answers: as of an instant, and changes since one."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cache, partial
from itertools import groupby
from typing import Any

import pytest

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.schema.meta import COMMIT_TIME, RECORD_KEY, is_meta
from hudi_core.table.open import open_table
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.types.nodes import Date
from tests.conformance.deviations import find
from tests.conformance.deviations.queries import QUERIES
from tests.support.conformance import TableEntry, tables

pytest.importorskip("pyarrow", reason="tables are read with the arrow engine")

Answer = dict[str, Any]


def answers(kind: str, entry: TableEntry) -> list[Answer]:
    said = entry.expected.get(kind) or entry.expected.get("extra", {}).get(kind)
    return said["queries"] if isinstance(said, dict) else said or []


def each_with(kind: str) -> pytest.MarkDecorator:
    """Parametrise a test over the tables with recorded answers whose rows can be read."""
    found = [entry for entry in tables() if not entry.requires and answers(kind, entry)]
    absent = pytest.param(None, marks=pytest.mark.skip(reason="no recorded answers present"), id="absent")
    return pytest.mark.parametrize("entry", found or [absent], ids=lambda entry: entry.name if entry else "absent")


@cache
def opened(entry: TableEntry) -> Table:
    return open_table(str(entry.unpacked()))


def text(row: object) -> str:
    return json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def as_recorded(entry: TableEntry, answer: Answer, rows: Iterable[dict[str, Any]]) -> list[list[Any]]:
    """Rows in the form of the answer. Keys of tables that do not store them are left out, there and here."""
    columns = answer.get("columns")
    if columns is None:
        return [[row.get(RECORD_KEY), row.get(COMMIT_TIME)] for row in rows]
    keys = [RECORD_KEY] if entry.expected["table"]["populate_meta_fields"] else []
    return [[row[name] for name in (*keys, *columns)] for row in rows]


def same(entry: TableEntry, answer: Answer, rows: list[list[Any]]) -> bool:
    if len(rows) != answer["row_count"]:
        return False
    if "columns" not in answer and not entry.expected["table"]["populate_meta_fields"]:
        return True  # rows are told by a key that they do not store
    texts = sorted(map(text, rows))
    if "sha256" in answer:
        return hashlib.sha256(f"[{','.join(texts)}]".encode()).hexdigest() == answer["sha256"]
    return texts == sorted(map(text, recorded(entry, answer)))


def recorded(entry: TableEntry, answer: Answer) -> list[list[Any]]:
    if entry.expected["table"]["populate_meta_fields"] or "columns" not in answer:
        rows = answer["rows"]
    else:
        rows = [row[1:] for row in answer["rows"]]
    if "slash" not in entry.expected.get("what", ""):
        return rows
    # Apache Hudi shows the folder of a date, with slashes (`specs/table.md`, rule TABLE-12).
    fields = {field.partition(":")[0] for field in entry.expected["table"]["partition_fields"]}
    places = [number + 1 for number, name in enumerate(answer["columns"]) if name in fields]
    return [[str(v).replace("/", "-") if at in places else v for at, v in enumerate(row)] for row in rows]


def differences(
    entry: TableEntry, ask: str, key: str, kind: str, scan: Callable[[Table, str], Scan]
) -> list[tuple[str, str]]:
    """The answers that are neither Apache Hudi's nor declared, and the declarations without a difference."""
    table = opened(entry)
    snapshot = {text(row) for row in as_recorded(entry, {"columns": user_columns(table)}, snapshot_rows(entry))}
    wrong = []
    for answer in answers(kind, entry):
        time = answer[key]
        question = {"ask": ask, "table": entry.expected, "time": time, "answer": answer, "not_in_snapshot": []}
        if "rows" in answer and "columns" in answer:
            question["not_in_snapshot"] = [
                each for row in recorded(entry, answer) if (each := text(row)) not in snapshot
            ]
        rule = find(QUERIES, "queries", question)
        found = as_recorded(entry, answer, scan(table, time).to_json_rows())
        equal = "error" not in answer and same(entry, answer, found)
        if equal == (rule is not None):
            wrong.append((time, rule.name if rule else f"{len(found)} rows, not those of Apache Hudi"))
    return wrong


def user_columns(table: Table) -> list[str]:
    return [field.name for field in table.schema.fields if not is_meta(field.name)]


def snapshot_rows(entry: TableEntry) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = entry.expected["snapshot"]["rows"]
    return rows


def cleaned(answer: Answer) -> bool:
    return "Cleaner cleaned up" in answer.get("error", "")


@each_with("time_travel")
def test_rows_as_of_an_instant_are_those_of_apache_hudi(entry: TableEntry) -> None:
    kept = [answer for answer in answers("time_travel", entry) if not cleaned(answer)]
    several = Answered(entry, {"time_travel": kept})
    assert not differences(several, "as_of", "as_of", "time_travel", lambda table, time: table.scan(as_of=time))


class Answered(TableEntry):
    """A table with some of its recorded answers."""

    def __init__(self, entry: TableEntry, some: dict[str, Any]) -> None:
        super().__init__(entry.folder)
        self.__dict__["expected"] = {**entry.expected, **some}


@each_with("time_travel")
def test_a_time_whose_files_were_cleaned_away_is_refused(entry: TableEntry) -> None:
    for answer in answers("time_travel", entry):
        if cleaned(answer):
            with pytest.raises(UsageError, match="cleaned away"):
                opened(entry).scan(as_of=answer["as_of"])


@each_with("incremental")
def test_changes_since_a_time_are_those_of_apache_hudi(entry: TableEntry) -> None:
    if not entry.expected["table"]["populate_meta_fields"]:
        with pytest.raises(UnsupportedError, match="virtual keys"):
            opened(entry).scan(since="earliest")
        return
    assert not differences(entry, "since", "start_exclusive", "incremental", lambda table, time: table.scan(since=time))


@each_with("incremental")
def test_changes_up_to_a_time_are_rows_of_the_table_then(entry: TableEntry) -> None:
    """From the beginning to the last completion they are all rows; between two times, the rows whose commit lies between."""
    table = opened(entry)
    if not table.config.populate_meta_fields or not table.timeline.commits:
        pytest.skip("rows do not say which commit wrote them")
    if any(each.get("operation_type") == "LOG_COMPACT" for each in entry.expected["timeline"]):
        pytest.skip("log compaction wrote rows anew as its own")
    ends = {each.requested_time: each.completion_time or each.requested_time for each in table.timeline.commits}
    last, middle = max(ends.values()), sorted(ends.values())[len(ends) // 2]
    columns = [RECORD_KEY, COMMIT_TIME]
    rows = [{name: row[name] for name in columns} for row in snapshot_rows(entry)]
    assert counted(table.scan(columns=columns, until=last).to_json_rows()) == counted(rows)
    late = (row for row in rows if ends.get(row[COMMIT_TIME], "") > middle)
    assert counted(table.scan(columns=columns, since=middle, until=last).to_json_rows()) == counted(late)


@each_with("cdc")
def test_changes_one_by_one_are_those_of_apache_hudi(entry: TableEntry) -> None:
    dates = [field.name for field in opened(entry).schema.fields if isinstance(field.type, Date)]
    change = partial(place_of_change, opened(entry).config.record_key_fields)
    for answer in answers("cdc", entry):
        found = opened(entry).changes(since=answer["start_exclusive_completion_time"]).to_json_rows()
        theirs = sorted(answer["changes"], key=change)
        ours = [with_days(each, dates) for each in sorted(found, key=change)]
        # Apache Hudi's images have Hudi's own columns only where they come from whole files.
        assert [like(one, other) for one, other in zip(ours, theirs, strict=True)] == theirs


@each_with("cdc")
def test_changes_from_logs_of_changes_are_those_that_slices_tell(entry: TableEntry) -> None:
    """Logs of changes, which have none of Hudi's own columns, are read where these are not asked for."""
    table = opened(entry)
    if not table.config.cdc_enabled:
        pytest.skip("no changes are logged")
    for answer in answers("cdc", entry):
        since = answer["start_exclusive_completion_time"]
        logged = map(text, table.changes(since=since, meta=False).to_json_rows())
        assert sorted(logged) == sorted(text(bare(said)) for said in table.changes(since=since).to_json_rows())


def bare(said: dict[str, Any]) -> dict[str, Any]:
    """A change without Hudi's own columns."""
    images = {
        side: said[side] and {name: said[side][name] for name in said[side] if not is_meta(name)} for side in SIDES
    }
    return {**said, **images}


SIDES = ("before", "after")


def place_of_change(keys: Sequence[str], said: dict[str, Any]) -> tuple[str, str, str]:
    """Time, operation and record key: what changes are put in order by."""
    image = said["after"] or said["before"]
    return said["ts_ms"], said["op"], json.dumps([image[key] for key in keys])


def with_days(said: dict[str, Any], dates: list[str]) -> dict[str, Any]:
    """Dates of images as day numbers."""
    for image in filter(None, (said["before"], said["after"])):
        for name in dates:
            if image[name] is not None:
                image[name] = (date.fromisoformat(image[name]) - date(1970, 1, 1)).days
    return said


def like(said: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A change with the columns in its images that the other has."""
    return {
        **said,
        **{side: said[side] and {name: said[side][name] for name in other[side] or ()} for side in ("before", "after")},
    }


@each_with("incremental")
def test_changes_put_one_after_the_other_make_the_table(entry: TableEntry) -> None:
    table = opened(entry)
    if not table.config.populate_meta_fields:
        pytest.skip("rows do not say which commit wrote them")
    for feature, why in NOT_TOLD_BY_COMMITS.items():
        if feature in entry.expected.get("features", ()):
            pytest.skip(why)
    try:
        every = list(table.changes("earliest").to_json_rows())
    except UsageError as refused:
        assert "cleaned away" in str(refused)
        pytest.skip("files are cleaned away")
    rows: Counter[str] = Counter()
    for _, commit in groupby(every, key=lambda said: said["ts_ms"]):
        changes = list(commit)
        rows.subtract(text(moved(said["before"])) for said in changes if said["before"])
        assert all(count >= 0 for count in rows.values())
        rows.update(text(moved(said["after"])) for said in changes if said["after"])
    assert +rows == Counter(text(moved(row)) for row in table.scan().to_json_rows())


NOT_TOLD_BY_COMMITS = {
    "readd": "writers give a column that was added again the values of the one of its name that was dropped",
}


def moved(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what changes when it is written anew: Hudi's own columns, and the order of maps."""
    return {name: unordered(value) for name, value in row.items() if not is_meta(name)}


def unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: unordered(inner) for name, inner in value.items()}
    return sorted(map(unordered, value), key=text) if isinstance(value, list) else value


def counted(rows: Iterable[dict[str, Any]]) -> Counter[str]:
    return Counter(map(text, rows))

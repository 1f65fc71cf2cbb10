"""Queries of other times, against what Apache Hudi answers: as of an instant, and changes since one."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any

import pytest

from hudi_core.errors import UsageError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.front.opening import open_table
from hudi_core.schema.meta import COMMIT_TIME, RECORD_KEY, is_meta
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.types.nodes import Date
from tests.conformance.deviations.queries import QUERIES
from tests.support.conformance import TableEntry, tables
from tests.support.ledger import REFUSED, Ledger

Answer = dict[str, Any]


def answers(kind: str, entry: TableEntry) -> list[Answer]:
    output = entry.expected.get(kind) or entry.expected.get("extra", {}).get(kind)
    return output["queries"] if isinstance(output, dict) else output or []


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


def cleaned(answer: Answer) -> bool:
    return "Cleaner cleaned up" in answer.get("error", "")


def form_of(entry: TableEntry, answer: Answer) -> Callable[[Sequence[dict[str, Any]]], object]:
    """What makes an answer of rows, in the form in which this one was recorded.

    That is all rows or a checksum of them, by the columns of that time or by key and commit. Of rows that do not store their keys
    there may be no more than their number.
    """
    stored, columns = entry.expected["table"]["populate_meta_fields"], answer.get("columns")
    names = [RECORD_KEY, COMMIT_TIME] if columns is None else [*([RECORD_KEY] if stored else []), *columns]

    def form(rows: Sequence[dict[str, Any]]) -> object:
        if columns is None and not stored:
            return len(rows)
        texts = sorted(text([row.get(name) for name in names]) for row in rows)
        if "sha256" in answer:
            return hashlib.sha256(f"[{','.join(texts)}]".encode()).hexdigest()
        return texts

    return form


@cache
def has_partial_blocks(entry: TableEntry) -> bool:
    """Whether a block of some log file of the table says that it has some of the columns only."""
    return any(
        block.header.get(HeaderKey.IS_PARTIAL) == "true"
        for path in entry.unpacked().rglob(".*.log.*")
        for block in read_blocks(InMemoryFile(path.read_bytes(), path.name))
    )


def recorded_rows(entry: TableEntry, answer: Answer) -> list[dict[str, Any]]:
    """The rows of an answer by column; of many there is but a checksum, and none are shown."""
    names = [RECORD_KEY, *answer.get("columns", [COMMIT_TIME])]
    return [dict(zip(names, row, strict=True)) for row in answer.get("rows", ())]


def compare(entry: TableEntry, ask: str, key: str, kind: str, scan: Callable[[Table, str], Scan]) -> None:
    """Every answer is Apache Hudi's, or the declared one."""
    table, ledger = opened(entry), Ledger("queries", QUERIES)
    user = {"columns": user_columns(table)}
    of_user = form_of(entry, user)
    snapshot = set(of_user(snapshot_rows(entry)))  # type: ignore[call-overload]
    reported = [answer for answer in answers(kind, entry) if "rows" in answer and "columns" in answer]
    others = {item[key]: {row[RECORD_KEY]: row for row in recorded_rows(entry, item)} for item in reported}
    for answer in answers(kind, entry):
        if cleaned(answer):
            continue  # asked about by itself
        rows, form = recorded_rows(entry, answer), form_of(entry, answer)
        question = {
            "ask": ask,
            "table": entry.expected,
            "time": answer[key],
            "answer": answer,
            "shown": rows if "columns" in answer else [],
            "snapshot": snapshot_rows(entry),
            "partial_blocks": has_partial_blocks(entry),
            "others": others,
            "form": form,
            "not_in_snapshot": set(of_user(rows)) - snapshot
            if rows and set(user["columns"]) <= rows[0].keys()
            else set(),  # type: ignore[call-overload]
        }
        theirs = REFUSED if "error" in answer else answer["sha256"] if "sha256" in answer else form(rows)
        found = list(scan(table, answer[key]).to_json_rows())
        ledger.settle({"id": f"{entry.name} {answer[key]}"}, question, form(found), theirs)
        if "error" not in answer and not ledger.settled[-1].rules:
            assert len(found) == answer["row_count"]
    if ledger.settled:
        ledger.close()


def user_columns(table: Table) -> list[str]:
    return [field.name for field in table.schema.fields if not is_meta(field.name)]


def snapshot_rows(entry: TableEntry) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = entry.expected["snapshot"]["rows"]
    return rows


def some(kind: str, wanted: Callable[[TableEntry, Answer], bool]) -> pytest.MarkDecorator:
    """Parametrise a test over the tables with such recorded answers."""
    found = [item for item in tables() if not item.requires and any(wanted(item, one) for one in answers(kind, item))]
    absent = pytest.param(None, marks=pytest.mark.skip(reason="no such recorded answers present"), id="absent")
    return pytest.mark.parametrize("entry", found or [absent], ids=lambda entry: entry.name if entry else "absent")


@pytest.mark.one_of(3)
@some("time_travel", lambda _, answer: not cleaned(answer))
def test_rows_as_of_an_instant_are_those_of_apache_hudi(entry: TableEntry) -> None:
    """QUERY-1, META-3."""
    compare(entry, "as_of", "as_of", "time_travel", lambda table, time: table.scan(as_of=time))


@some("time_travel", lambda _, answer: cleaned(answer))
def test_a_time_whose_files_were_cleaned_away_is_refused(entry: TableEntry) -> None:
    for answer in answers("time_travel", entry):
        if cleaned(answer):
            with pytest.raises(UsageError, match="cleaned away"):
                opened(entry).scan(as_of=answer["as_of"])


@pytest.mark.one_of(3)
@each_with("incremental")
def test_changes_since_a_time_are_those_of_apache_hudi(entry: TableEntry) -> None:
    """QUERY-5, QUERY-7."""
    compare(entry, "since", "start_exclusive", "incremental", lambda table, time: table.scan(since=time))


@pytest.mark.one_of(3)
@each_with("incremental")
def test_changes_up_to_a_time_are_rows_of_the_table_then(entry: TableEntry) -> None:
    """From the beginning to the last completion they are all rows; between two times, the rows whose commit lies between."""
    table = opened(entry)
    if not table.config.populate_meta_fields or not table.timeline.commits:
        pytest.skip("rows do not say which commit wrote them")
    if any(item.get("operation_type") == "LOG_COMPACT" for item in entry.expected["timeline"]):
        pytest.skip("log compaction wrote rows anew as its own")
    ends = {item.requested_time: item.completion_time or item.requested_time for item in table.timeline.commits}
    last, middle = max(ends.values()), sorted(ends.values())[len(ends) // 2]
    columns = [RECORD_KEY, COMMIT_TIME]
    rows = [{name: row[name] for name in columns} for row in snapshot_rows(entry)]
    assert counted(table.scan(columns=columns, until=last).to_json_rows()) == counted(rows)
    late = (row for row in rows if ends.get(row[COMMIT_TIME], "") > middle)
    assert counted(table.scan(columns=columns, since=middle, until=last).to_json_rows()) == counted(late)


@each_with("cdc")
def test_changes_one_by_one_are_those_of_apache_hudi(entry: TableEntry) -> None:
    """QUERY-13, QUERY-16."""
    dates = [field.name for field in opened(entry).schema.fields if isinstance(field.type, Date)]
    change = partial(place_of_change, opened(entry).config.record_key_fields)
    ledger = Ledger("queries", QUERIES)
    for answer in answers("cdc", entry):
        time = answer["start_exclusive_completion_time"]
        found = sorted(opened(entry).changes(since=time).to_json_rows(), key=change)
        theirs = sorted(answer["changes"], key=change)
        ours = [like(one, other) for one, other in zip(found, theirs, strict=True)]
        question = {"ask": "changes", "table": entry.expected, "dates": dates, "shown": theirs}
        case = {"id": f"{entry.name} {time}"}
        ledger.settle(case, question, ours, theirs)
        about = {"ask": "columns of images", "table": entry.expected, "shown": theirs}
        ledger.settle(case, about, columns_of_images(found), columns_of_images(theirs))
    ledger.close()


@pytest.mark.one_of(3)
@each_with("cdc")
def test_changes_from_logs_of_changes_are_those_that_slices_tell(entry: TableEntry) -> None:
    """Logs of changes, which have none of the meta columns, are read where these are not asked for."""
    table = opened(entry)
    if not table.config.cdc_enabled:
        pytest.skip("no changes are logged")
    for answer in answers("cdc", entry):
        since = answer["start_exclusive_completion_time"]
        logged = map(text, table.changes(since=since, meta=False).to_json_rows())
        assert sorted(logged) == sorted(text(bare(output)) for output in table.changes(since=since).to_json_rows())


def bare(output: dict[str, Any]) -> dict[str, Any]:
    """A change without the meta columns."""
    images = {
        side: output[side] and {name: output[side][name] for name in output[side] if not is_meta(name)}
        for side in SIDES
    }
    return {**output, **images}


SIDES = ("before", "after")


def place_of_change(keys: Sequence[str], output: dict[str, Any]) -> tuple[str, str, str]:
    """Time, operation and record key: what changes are put in order by."""
    image = output["after"] or output["before"]
    return output["ts_ms"], output["op"], json.dumps([image[key] for key in keys])


def columns_of_images(changes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The columns that the images of each change have."""
    return [{side: item[side] and sorted(item[side]) for side in SIDES} for item in changes]


def like(output: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A change with the columns in its images that the other has."""
    return {
        **output,
        **{side: output[side] and {name: output[side][name] for name in other[side] or ()} for side in SIDES},
    }


@pytest.mark.one_of(3)
@each_with("incremental")
def test_changes_put_one_after_the_other_make_the_table(entry: TableEntry) -> None:
    """QUERY-12, QUERY-15."""
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
    for _, commit in groupby(every, key=lambda output: output["ts_ms"]):
        changes = list(commit)
        rows.subtract(text(moved(output["before"])) for output in changes if output["before"])
        assert all(count >= 0 for count in rows.values())
        rows.update(text(moved(output["after"])) for output in changes if output["after"])
    assert +rows == Counter(text(moved(row)) for row in table.scan().to_json_rows())


NOT_TOLD_BY_COMMITS = {
    "readd": "writers give a column that was added again the values of the one of its name that was dropped",
}


def moved(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what changes when it is written again: the meta columns, and the order of maps."""
    return {name: unordered(value) for name, value in row.items() if not is_meta(name)}


def unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: unordered(inner) for name, inner in value.items()}
    return sorted(map(unordered, value), key=text) if isinstance(value, list) else value


def counted(rows: Iterable[dict[str, Any]]) -> Counter[str]:
    return Counter(map(text, rows))

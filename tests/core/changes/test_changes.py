"""Changes one by one, on the packaged table.

Also covers: `changes/commit_changes.py`, `changes/data_skipping.py`, `changes/rows.py`.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hudi_core.changes import changes
from hudi_core.changes.rows import changes_schema
from hudi_core.errors import ConditionWarning, ExpressionError, UnknownColumnError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.schema.meta import COMMIT_TIME, is_meta
from hudi_core.services.compaction.operations import compact
from hudi_core.table.table import Table
from hudi_core.timeline.instants import Instant
from tests.support.commands import rides, rides_in


@pytest.fixture(scope="module")
def table() -> Table:
    return open_table(str(rides()))


def ends(table: Table) -> list[str]:
    return sorted(item.completion_time for item in table.timeline.commits if item.completion_time)


def last(table: Table) -> Instant:
    return max(table.timeline.commits, key=lambda item: item.completion_time or "")


def test_changes_have_the_rows_of_the_table_before_and_after(table: Table) -> None:
    """QUERY-12."""
    schema = changes_schema(table.schema, meta=True)
    assert [field.name for field in schema.fields] == ["op", "ts_ms", "before", "after"]
    for image in schema.fields[2:]:
        assert [field.name for field in image.type.fields] == [field.name for field in table.schema.fields]  # type: ignore[union-attr]
    assert len(set(schema.ids.values())) == len(schema.ids)
    plain = changes_schema(table.schema, meta=False)
    assert not any(is_meta(field.name) for field in plain.fields[3].type.fields)  # type: ignore[union-attr]


def test_a_commit_changes_its_rows(table: Table) -> None:
    commit = last(table)
    found = list(table.changes(since=ends(table)[-2], columns=["op", "ts_ms", f"after.{COMMIT_TIME}"]).to_json_rows())
    rows = list(table.scan(f"{COMMIT_TIME} = '{commit.requested_time}'", columns=["ride_id"]).to_json_rows())
    assert {item["ts_ms"] for item in found} <= {commit.requested_time}
    assert len([item for item in found if item["op"] != "d"]) == len(rows)
    assert {item["after"][COMMIT_TIME] for item in found if item["op"] != "d"} <= {commit.requested_time}


def test_changes_are_filtered_by_their_values(table: Table) -> None:
    since = ends(table)[-4]
    every = list(table.changes(since, columns=["op", "after.ride_id", "after.distance_km"]).to_json_rows())
    far = list(
        table.changes(since, where="op = 'i' AND after.distance_km > 20", columns=["after.ride_id"]).to_json_rows()
    )
    wanted = [
        {"after": {"ride_id": item["after"]["ride_id"]}}
        for item in every
        if item["op"] == "i"
        and (item["after"]["distance_km"] == {"float": "NaN"} or (item["after"]["distance_km"] or 0) > 20)
    ]
    assert far == wanted


def test_a_limit_stops_reading(table: Table) -> None:
    assert table.changes("earliest", limit=3).count() == 3
    assert table.changes("earliest", limit=0).count() == 0


def test_nothing_changed_after_the_last_commit(table: Table) -> None:
    with pytest.warns(ConditionWarning, match="yet to come"):
        found = table.changes("2099-01-01")
    assert (found.count(), found.commits) == (0, [])


def test_compared_slices_are_explained(table: Table) -> None:
    answer = table.changes("earliest").explain().splitlines()
    assert answer[0].endswith("file groups compared")
    assert answer[-1].endswith("commits may have changed rows")


def test_columns_and_predicates_are_of_changes(table: Table) -> None:
    with pytest.raises(UnknownColumnError):
        table.changes(columns=["ride_id"])
    with pytest.raises(ExpressionError):
        table.changes(where="op >")


def test_missing_files_are_reported(tmp_path: object) -> None:
    """QUERY-17."""
    root = rides_in(tmp_path)  # type: ignore[arg-type]
    table = open_table(str(root), metadata="off")
    first = table.timeline.commits[0].requested_time
    next(iter(root.glob(f"city=*/*{first}.parquet"))).unlink()
    with pytest.raises(UsageError, match="cleaned away"):
        open_table(str(root), metadata="off").changes("earliest").count()


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_range_is_answered_where_its_own_files_are_there(tmp_path: Path, kind: str) -> None:
    """QUERY-17: also where the table as it was at its end is cleaned away; a scan of all of that is refused."""
    types = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
    table = create_table(tmp_path / "t", types, "id", partition_by="p", type=kind)
    for number, (key, partition) in enumerate(["ax", "ax", "by", "ax", "cz", "ax", "dw"]):
        table.refresh().upsert([{"id": key, "p": partition, "n": number}])
        if kind == "mor" and number in (1, 3, 5):
            compact(table.refresh())
    times = ends(table.refresh())
    wanted = {
        (since, until): [*table.refresh().changes(since, until).to_json_rows()]
        for since, until in combinations(["earliest", *times], 2)
    }
    assert table.refresh().clean(keep_commits=1).files
    cleaned = table.refresh()
    answers = dict[tuple[str, str], list[Any]]()
    for since, until in wanted:
        with suppress(UsageError):
            answers[since, until] = [*cleaned.changes(since, until).to_json_rows()]
    assert answers == {piece: rows for piece, rows in wanted.items() if piece in answers}
    bounds = ["earliest", *times]
    for since, until in wanted:
        of_range = bounds[bounds.index(since) : bounds.index(until) + 1]
        assert ((since, until) in answers) == all(piece in answers for piece in pairwise(of_range))
    refused = [piece for piece in wanted if piece not in answers]
    early = [piece for piece in answers if piece[1] < times[-2]]
    assert refused and early
    for _, until in early:
        with pytest.raises(UsageError, match="cleaned away"):
            cleaned.scan(since="earliest", until=until).count()


PREDICATES = [
    "op = 'i' AND before.ride_id IS NOT NULL",
    "before.distance_km < 1 OR after.distance_km < 1",
    "after IS NULL AND before.distance_km > 5",
    "after.city = 'oslo'",
    "ts_ms = '{last}' AND after.distance_km > 3",
    "ts_ms < '{last}'",
]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("where", PREDICATES)
def test_file_groups_that_are_left_out_hold_no_change_that_matches(
    table: Table, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = where.format(last=last(table).requested_time)
    found = list(table.changes(ends(table)[-4], where=answer).to_json_rows())
    monkeypatch.setattr(changes, "groups_that_may_match", lambda _, __, compared: np.ones(len(compared), np.bool_))
    monkeypatch.setattr(changes, "times_that_may_match", lambda _, __, times: np.ones(len(times), np.bool_))
    assert found == list(table.changes(ends(table)[-4], where=answer).to_json_rows())


def test_file_groups_that_cannot_have_matching_changes_are_not_compared(table: Table) -> None:
    """QUERY-18."""
    every, time = table.changes("earliest").pieces(), last(table).requested_time
    assert len(table.changes("earliest", where=f"ts_ms = '{time}'").pieces()) < len(every)
    assert table.changes("earliest", where=f"ts_ms > '{time}'").pieces() == []
    assert table.changes("earliest", where="after.ride_id < ''").pieces() == []
    assert table.changes("earliest", where="op = 'd'").pieces() == []
    assert len(table.changes("earliest", where="after.ride_id IS NULL").pieces()) == len(every)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version", "logs"), [("cow", 9, "true"), ("mor", 8, "false"), ("cow", 6, "false")])
def test_changes_applied_in_order_make_the_rows(tmp_path: Path, kind: str, version: int, logs: str) -> None:
    """QUERY-1296: of a key that one file group loses and another gets, the delete comes first."""
    options = {"hoodie.table.cdc.enabled": logs}
    types = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
    table = create_table(
        tmp_path / "t", types, "id", partition_by="p", type=kind, version=version, indexes=["record_index"], options=options
    )  # fmt: skip

    def rows(partition: str, n: int, *keys: str) -> pa.Table:
        return pa.Table.from_pylist([{"id": key, "p": partition, "n": n} for key in keys], types)

    table.upsert(pa.concat_tables([rows("b", 1, "k1", "k2"), rows("c", 1, "k3", "k4")]))
    table.overwrite(pa.concat_tables([rows("b", 2, "k1", "k2"), rows("c", 2, "k3", "k4")]))
    for _ in range(4):  # file ids are random: so is the order of old and new ones
        table.overwrite_partitions(rows("b", 3, "k1", "k2"))
    table.upsert(rows("a", 4, "k1"))  # to a new file group of an earlier partition
    table.upsert(rows("b", 5, "k3"))  # to one that is there
    table.upsert(rows("d", 6, "k4", "k1"))
    table = table.refresh()
    stored = {row["id"]: (row["p"], row["n"]) for row in table.scan(meta=False).to_json_rows()}
    made: dict[str, Any] = {}
    for change in table.changes("earliest").to_json_rows():
        if change["op"] == "d":
            del made[change["before"]["id"]]
        else:
            made[change["after"]["id"]] = change["after"]["p"], change["after"]["n"]
    assert made == stored

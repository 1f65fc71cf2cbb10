"""Tables that are open while others write to them: each query answers as when the table was opened, or is refused.

Rules QUERY-1460, META-1461.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import ConflictError, HudiError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from tests.support.drawing import cases

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
KINDS: list[dict[str, Any]] = [
    {},
    {"type": "mor"},
    {"version": 6, "indexes": ["files"]},
    {"version": 6, "type": "mor"},
    {"version": 8, "type": "mor", "indexes": ["column_stats", "partition_stats", "record_index"]},
    {"indexes": ["column_stats", "partition_stats", "bloom_filters"]},
    {"type": "mor", "indexes": ["column_stats", "partition_stats", "record_index"]},
]
PREDICATES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "true": lambda row: bool(row),
    "n < 4": lambda row: bool(row["n"] < 4),
    "n = 7": lambda row: bool(row["n"] == 7),
    "n > 20": lambda row: bool(row["n"] > 20),
    "id = 'k3'": lambda row: bool(row["id"] == "k3"),
    "p = 'p1' AND n < 6": lambda row: bool(row["p"] == "p1" and row["n"] < 6),
}
WARM: dict[str, Callable[[Table], object]] = {
    "nothing": lambda table: table.storage,
    "schema": lambda table: table.schema,
    "metadata": lambda table: table.snapshot().metadata,
    "slices": lambda table: table.slices(),
    "plan": lambda table: table.scan("n < 4").explain(),
}
ACTIONS: dict[str, Callable[[Table], object]] = {
    "upsert": lambda table: table.upsert(rows(range(0, 9, 2), 30)),
    "insert": lambda table: table.append(rows(range(20, 22), 0)),
    "delete": lambda table: table.delete(where="n < 4"),
    "overwrite": lambda table: table.overwrite_partitions(rows([1], 50)),
    "partition": lambda table: table.delete_partitions(["p1"]),
    "cluster": lambda table: table.cluster(columns=["n"]),
    "compact": lambda table: table.compact(),
    "clean": lambda table: table.clean(keep_versions=1),
    "clean commits": lambda table: table.clean(keep_commits=1),
    "archive": lambda table: table.archive(keep_min=2, keep_max=3),
    "rollback": lambda table: table.rollback(table.timeline.commits[-1].requested_time),
    "restore": lambda table: restore(table),
}
UNDOING = {"rollback", "restore"}


def rows(numbers: Any, more: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": f"k{i}", "p": f"p{i % 3}", "n": i + more} for i in numbers], TYPES)


def restore(table: Table) -> None:
    first = table.timeline.commits[0].requested_time
    table.savepoint(first)
    table.refresh().restore(first)


def act(path: Path, name: str) -> None:
    """Changes the table as another process does; what is refused changes nothing."""
    table = open_table(path)
    if table.timeline.commits:
        try:
            ACTIONS[name](table)
        except HudiError as refused:
            assert not isinstance(refused, ConflictError), refused


def read(table: Table, **options: Any) -> list[dict[str, Any]]:
    return sorted(table.scan(meta=False, **options).to_json_rows(), key=lambda row: str(row["id"]))


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=cases(40, part=4))
@given(
    kind=st.sampled_from(KINDS),
    before=st.lists(st.sampled_from(sorted(ACTIONS)), max_size=3),
    after=st.lists(st.sampled_from(sorted(ACTIONS)), min_size=1, max_size=4),
    warm=st.sampled_from(sorted(WARM)),
    order=st.permutations(sorted(PREDICATES)),
)
def test_a_query_answers_as_when_the_table_was_opened_or_is_refused(
    kind: dict[str, Any], before: list[str], after: list[str], warm: str, order: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        create_table(path, TYPES, "id", partition_by="p", **kind).upsert(rows(range(9), 0))
        for name in before:
            act(path, name)
        table = open_table(path)
        WARM[warm](table)
        whole = read(open_table(path))
        latest = table.timeline.commits[-1].requested_time if table.timeline.commits else None
        for name in after:
            act(path, name)
        times: list[tuple[Callable[[], Table], str | None]] = [(lambda: table, None)]
        if latest is not None:
            times.append((lambda: table, latest))
        if latest is not None and not UNDOING & set(after):
            times.append((lambda: open_table(path), latest))
        for opened, time in times:
            for predicate in order:
                try:
                    answer = read(opened(), where=predicate, as_of=time)
                except HudiError:
                    continue
                assert answer == [row for row in whole if PREDICATES[predicate](row)], (predicate, time)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_query_whose_files_are_removed_since_is_refused(tmp_path: Path, kind: dict[str, Any]) -> None:
    """QUERY-1460."""
    create_table(tmp_path / "t", TYPES, "id", partition_by="p", **kind).upsert(rows(range(9), 0))
    table, planned = open_table(tmp_path / "t"), open_table(tmp_path / "t").scan("n < 90")
    assert len(planned.plan.kept()) == 3
    open_table(tmp_path / "t").overwrite(rows(range(3), 100))
    later = open_table(tmp_path / "t")
    open_table(tmp_path / "t").clean(keep_versions=1)
    with pytest.raises(
        ConflictError, match="as when the table was opened, found that it was cleaned away since; refresh"
    ):
        table.count()
    with pytest.raises(ConflictError, match=r"found .*\.parquet gone, after other changes; refresh the table"):
        planned.to_arrow()
    assert later.count() == table.refresh().count() == 3
    open_table(tmp_path / "t").append(rows(range(9, 12), 0))
    undone = open_table(tmp_path / "t")
    undone.refresh().rollback(undone.timeline.commits[-1].requested_time)
    with pytest.raises(ConflictError, match="as when the table was opened, found that it was undone since; refresh"):
        undone.scan().to_arrow()
    assert undone.refresh().count() == 3


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_statistics_of_partitions_are_of_the_latest_state_alone(tmp_path: Path, kind: dict[str, Any]) -> None:
    """META-1461."""
    create_table(tmp_path / "t", TYPES, "id", partition_by="p", **kind).upsert(rows(range(9), 0))
    table = open_table(tmp_path / "t")
    (first,) = table.timeline.commits
    open_table(tmp_path / "t").delete(where="n < 6")  # partitions of one row each are left
    open_table(tmp_path / "t").cluster(columns=["n"])
    latest = open_table(tmp_path / "t")
    until = first.completion_time or first.requested_time
    queries = [(table, {}), (latest, {"as_of": first.requested_time}), (latest, {"since": "000", "until": until})]
    for opened, time in queries:
        assert [row["n"] for row in read(opened, where="n = 4", **time)] == [4]
    assert read(latest, where="n = 4") == []

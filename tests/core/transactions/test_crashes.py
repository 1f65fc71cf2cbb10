"""Writers that die at each call of the storage that changes something: readers see the table as it was or as it is then, the next
write heals it, and nothing of the dead one is ever read."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.schema.json import history_from_json
from hudi_core.schema.meta import without_meta_columns
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.schemas import LATEST_SCHEMA, read_recorded_history
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crash_operations import BEFORE, OPERATIONS
from tests.support.crashes import crashes, later
from tests.support.drawing import SOAK
from tests.support.written_tables import TYPES, read, rows, rows_of

IN_EACH_RUN = [
    ("cow", 9, ("record_index", "column_stats"), "upsert"),
    ("mor", 8, (), "upsert"),
    ("cow", 9, ("column_stats", "partition_stats", "record_index"), "insert_overwrite_table"),
]
_KINDS = (("cow", 6), ("mor", 9), ("cow", 8), ("mor", 6))
SAMPLED = [(*_KINDS[number % 4], ("column_stats",), op) for number, op in enumerate(OPERATIONS)]
"""Each operation on one kind of table: in an ordinary run at a few of its calls."""
_SAMPLE = 9
BROADER = [
    *((kind, 9, ("column_stats", "record_index"), op) for kind in ("cow", "mor") for op in OPERATIONS),
    *((kind, version, ("column_stats",), op) for kind, version in (("cow", 8), ("mor", 6)) for op in OPERATIONS),
    ("mor", 6, ("column_stats", "record_index"), "upsert"),
    ("cow", 6, ("record_index",), "insert_overwrite_table"),
]


# After one change is before the next, but for what the process does between them.
@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version", "indexes", "op", "after"),
    [
        *((*case, False) for case in IN_EACH_RUN),
        *(pytest.param(*case, False, id="-".join(["sample", case[0], str(case[1]), case[3]])) for case in SAMPLED),
        *(pytest.param(*case, True, marks=pytest.mark.soak) for case in IN_EACH_RUN),
        *(pytest.param(*case, False, marks=pytest.mark.soak) for case in BROADER),
    ],
)
def test_a_dead_writer_leaves_the_table_before_or_after_its_write(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...], op: str, after: bool
) -> None:
    """WRITE-30."""
    made = create_table(
        tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes or None
    )
    write(made, rows(*BEFORE))
    change, then = OPERATIONS[op]
    seen: set[bool] = set()
    sampled = (kind, version, indexes, op) in SAMPLED
    for at, path in crashes(tmp_path / "made", change, after=after, step=_SAMPLE if sampled else 2):
        result = read(path)
        assert result in (BEFORE, sorted(then)), at
        assert read(path, MetadataMode.OFF) == result, at
        seen.add(result == sorted(then))
        write(open_table(path), rows(("a", "x", 3), ("e", "x", 3)), options=WriteOptions(clock=later))
        healed = sorted([*(row for row in result if row[0] != "a"), ("a", "x", 3), ("e", "x", 3)])
        for mode in (MetadataMode.REQUIRE if indexes else MetadataMode.AUTO, MetadataMode.OFF):
            again = open_table(path, metadata=mode)
            assert rows_of(again) == healed, (at, mode)
            for row in healed:
                assert rows_of(again, f"n = {row[2]} AND id = '{row[0]}'") == [row], (at, mode)
    assert seen == {False, True} or (sampled and not SOAK)


CHANGES_OF: dict[str, list[tuple[str, str]]] = {
    "append": [("i", "d"), ("i", "f")],
    "insert": [("i", "d"), ("i", "f")],
    "bulk_insert": [("i", "d"), ("i", "f")],
    "upsert": [("i", "d"), ("u", "a")],
    "delete": [("d", "a")],
    "delete_where": [("d", "a"), ("d", "c")],
    "update": [("u", "a"), ("u", "b")],
    "insert_overwrite": [("d", "a"), ("d", "b"), ("i", "a"), ("i", "d")],
    "insert_overwrite_table": [("d", "a"), ("d", "b"), ("d", "c"), ("i", "a"), ("i", "d")],
    "delete_partition": [("d", "a"), ("d", "b")],
}
"""The changes that each operation makes: whether a row comes, goes or changes, and its key."""


@pytest.mark.parametrize(
    ("kind", "version", "op", "step"),
    [
        ("cow", 9, "upsert", 7),
        *(pytest.param(kind, 9, op, 1, marks=pytest.mark.soak) for kind in ("cow", "mor") for op in OPERATIONS),
        *(pytest.param("cow", 6, op, 1, marks=pytest.mark.soak) for op in ("update", "insert_overwrite")),
    ],
)
def test_changes_of_a_dead_writer_are_those_of_a_whole_commit_or_none(
    tmp_path: Path, kind: str, version: int, op: str, step: int
) -> None:
    """WRITE-30, WRITE-51: a log of changes counts with its commit, and the next ones have logs of their own."""
    made = create_table(
        tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=["column_stats"],
        options={"hoodie.table.cdc.enabled": "true"},
    )  # fmt: skip
    write(made, rows(*BEFORE))
    first = changes(tmp_path / "made")
    assert first == Counter(("i", row[0]) for row in BEFORE)
    change, then = OPERATIONS[op]
    of_change = Counter(CHANGES_OF[op])
    for at, path in crashes(tmp_path / "made", change, step=step):
        result = read(path)
        assert result in (BEFORE, sorted(then)), at
        seen = first if result == BEFORE else first + of_change
        assert changes(path) == seen, at
        write(open_table(path), rows(("a", "x", 3), ("e", "x", 3)), options=WriteOptions(clock=later))
        of_a = "u" if any(row[0] == "a" for row in result) else "i"
        assert changes(path) == seen + Counter([(of_a, "a"), ("i", "e")]), at
        assert [finding for finding in open_table(path).validate() if finding.severity == "error"] == []
    assert changes(tmp_path / "whole") == first + of_change


def changes(path: Path) -> Counter[tuple[str, str]]:
    """How often each change was made to the row of each key, of a table from its first commit on."""
    listed: list[dict[str, Any]] = list(open_table(path).changes(meta=False).to_json_rows())
    return Counter((row["op"], (row["after"] or row["before"])["id"]) for row in listed)


@pytest.mark.parametrize("after", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("kind", "version", "step"),
    [
        ("mor", 9, 3),
        *(pytest.param(kind, version, 1, marks=pytest.mark.soak) for kind in ("cow", "mor") for version in (6, 8, 9)),
    ],
)
def test_a_schema_change_that_crashes_is_whole_or_absent(
    tmp_path: Path, kind: str, version: int, step: int, after: bool
) -> None:
    """WRITE-30, COMMIT-14: also the second change, whose history follows that of the first."""
    made = create_table(tmp_path / "made", TYPES, "id", type=kind, version=version, indexes=["column_stats"])
    write(made, rows(*BEFORE))
    alter_schema(made, "ADD COLUMN first double")
    seen: set[bool] = set()
    change = lambda table: alter_schema(table, "ADD COLUMN m long FIRST")  # noqa: E731
    null = WriteOptions(missing_columns="null", clock=later)
    for at, path in crashes(tmp_path / "made", change, after=after, step=step):
        table = open_table(path)
        changed = "m" in names_of(table)
        seen.add(changed)
        assert read(path) == read(path, MetadataMode.OFF) == BEFORE, at
        alter_schema(table, "RENAME COLUMN first TO last", clock=later)
        write(open_table(path), rows(("a", "x", 3), ("e", "x", 3)), options=null)
        healed = open_table(path, metadata=MetadataMode.REQUIRE)
        assert rows_of(healed) == [("a", "x", 3), *BEFORE[1:], ("e", "x", 3)], at
        assert names_of(healed) == [*(["m"] if changed else []), *TYPES.names, "last"], at
        recorded = read_recorded_history(healed.timeline)
        assert recorded is not None
        history = history_from_json(recorded[0])
        assert len(history) == (4 if changed else 3), at
        assert json.loads(healed.timeline.extras()[-1][LATEST_SCHEMA])["version_id"] == history[0].version, at
    assert seen == {False, True}


def names_of(table: Table) -> list[str]:
    """The names of a table's own columns."""
    return [column.name for column in without_meta_columns(table.schema.record).fields]

"""META-100 to META-104: services of the metadata table change nothing of what it says, whenever a writer dies.

Also covers: `metadata_writer/cleaning.py`, `transactions/metadata_services.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.table import MetadataTable
from hudi_core.metadata_writer import compaction
from hudi_core.metadata_writer.cleaning import list_replaced_files
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import CLEAN, COMMIT, COMPACTION
from hudi_core.transactions import metadata_services
from hudi_core.transactions.metadata_services import serve_metadata_table
from hudi_core.transactions.rollback import roll_back_completed
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crashes import WHOLE, crashes, later

SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
INDEXES = {6: ["column_stats", "bloom_filters", "record_index"]}
ALL = [*INDEXES[6], "partition_stats"]


def rows(numbers: Sequence[int], n: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": f"k{number}", "p": "xy"[number % 2], "n": n} for number in numbers], SCHEMA)


def new_table(folder: Path, kind: str, version: int, indexes: Sequence[str]) -> Table:
    table = create_table(folder, SCHEMA, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    write(table, rows(range(5), 1))
    write(refreshed(table), rows([1, 2, 7], 2))
    write(refreshed(table), rows([0, 3], 0), "delete")
    return refreshed(table)


def metadata(table: Table) -> MetadataTable:
    opened = refreshed(table).snapshot().metadata
    assert opened is not None
    return opened


def served(table: Table) -> bool:
    """Whether the services of the metadata table did anything."""
    before = metadata(table)
    return serve_metadata_table(table, before).timeline.instants != before.timeline.instants


def all_records(table: Table) -> dict[str, list[dict[str, Any]]]:
    return {
        name: sorted(metadata_records(table, name), key=lambda record: str(record["key"]))
        for name in table.config.metadata_partitions
    }


def values(path: Path) -> list[tuple[str, int]]:
    scan = open_table(path, metadata="require").scan(columns=["id", "n"])
    return sorted((row["id"], row["n"]) for row in scan.to_json_rows())


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("mor", 6)])
def test_a_compaction_keeps_all_live_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int
) -> None:
    table = new_table(tmp_path / "t", kind, version, INDEXES.get(version, ALL))
    before = all_records(table)
    assert not served(table)
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 3)
    assert served(table)
    assert all_records(refreshed(table)) == before
    (instant,) = [instant for instant in metadata(table).timeline.completed if instant.action == COMMIT]
    assert instant.requested_time.endswith("001" if version == 6 else instant.requested_time[-3:])
    for group in metadata(table).slices("column_stats"):
        assert not group.logs
    assert not served(table)
    write(refreshed(table), rows([2, 9], 5))
    expected = [("k1", 2), ("k2", 5), ("k4", 1), ("k7", 2), ("k9", 5)]
    assert values(tmp_path / "t") == expected
    assert [record["key"] for record in all_records(refreshed(table))["record_index"]] == [key for key, _ in expected]


def test_writes_compact_by_themselves(tmp_path: Path) -> None:
    """META-100."""
    table = create_table(tmp_path / "t", SCHEMA, "id", indexes=["column_stats"])
    for number in range(10):
        write(refreshed(table), rows([number], number))
    timeline = metadata(table).timeline
    assert [instant.action for instant in timeline.completed].count(COMMIT) == 1
    assert len(metadata(table).slices("files")[0].logs) < 4
    assert values(tmp_path / "t") == [(f"k{number}", number) for number in range(10)]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)])
def test_slices_that_two_compactions_replaced_are_cleaned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int
) -> None:
    """META-104."""
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 2)
    table = build_indexes(new_table(tmp_path / "t", kind, version, []), ["column_stats"])
    for number in range(7):
        write(refreshed(table), rows([number], 20 + number))
    folder = tmp_path / "t/.hoodie/metadata"
    assert [instant.action for instant in metadata(table).timeline.completed].count(CLEAN) >= 2
    assert len(list((folder / "files").glob("files-*.hfile"))) == 2
    assert len(list((folder / "files").glob(".files-*.log*"))) <= 5
    assert len(list((folder / "column_stats").glob("col-stats-0000*.hfile"))) <= 2
    assert [n for _, n in values(tmp_path / "t")] == [20, 21, 22, 23, 24, 25, 26, 2]
    assert open_table(tmp_path / "t", metadata="require").scan("n = 23").to_arrow().num_rows == 1


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [9, 6])
def test_files_of_the_last_two_slices_are_not_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    """META-104: the slices of base files that commits wrote, each with its log files."""
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 2)
    monkeypatch.setattr(metadata_services, "_clean", lambda _, opened: opened)
    table = create_table(tmp_path / "t", SCHEMA, "id", version=version, indexes=["column_stats"])
    needed: list[set[str]] = []
    for number in range(9):
        write(refreshed(table), rows([number], number))
        (latest,) = metadata(table).slices("files")
        assert latest.base is not None
        names = {latest.base.name, *(log.name for log in latest.logs)}
        if needed and latest.base.name in needed[-1]:
            needed[-1] |= names
        else:
            needed.append(names)
    folder = tmp_path / "t/.hoodie/metadata/files"
    replaced = set(list_replaced_files(metadata(table), ["files"])["files"])
    assert len(needed) > 3
    assert replaced >= set().union(*needed[:-2])
    assert replaced.isdisjoint(set().union(*needed[-2:]))
    base = next(folder / name for name in needed[-1] if not name.startswith("."))
    instant = base.stem.rpartition("_")[2]
    base.with_name(base.name.replace(instant, "29990101000000000")).write_bytes(base.read_bytes())
    assert set(list_replaced_files(metadata(table), ["files"])["files"]) == replaced


def test_a_compaction_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-101."""
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 1)
    table = new_table(tmp_path / "t", "cow", 6, [])
    opened = metadata(table)
    latest = opened.timeline.commits[-1].requested_time
    assert compaction.compaction_time(opened, ["20000101000000000"], "unused") is None
    assert compaction.compaction_time(opened, [table.timeline.commits[-1].requested_time], "unused") is None
    assert compaction.compaction_time(opened, ["29990101000000000"], "unused") == f"{latest}001"
    seen: list[bool] = []
    build_indexes(
        table,
        ["bloom_filters"],
        progress=lambda _: seen.append(served(refreshed(table))),
    )
    assert seen
    assert not any(seen)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [9, 6])
def test_a_writer_that_crashes_while_it_compacts_leaves_the_table_correct(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    """META-103: at every change of storage; the next writer finishes what was begun."""
    made = create_table(tmp_path / "made", SCHEMA, "id", version=version, indexes=["bloom_filters"])
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 1)
    for _ in range(3):
        write(refreshed(made), rows([1], 1))
    finished = 0
    for at, path in crashes(tmp_path / "made", lambda table: write(table, rows([2], 2)), step=2):
        seen = values(path)
        assert seen in ([("k1", 1)], [("k1", 1), ("k2", 2)]), at
        begun = any(instant.action in (CLEAN, COMPACTION) for instant in metadata(open_table(path)).timeline.pending)
        finished += begun
        if begun or at % 5 == 1:
            write(open_table(path), rows([3], 3), options=WriteOptions(clock=later))
            assert values(path) == [*seen, ("k3", 3)], at
            assert not metadata(open_table(path)).timeline.pending, at
    assert finished > 1
    assert values(tmp_path / WHOLE) == [("k1", 1), ("k2", 2)]


def test_a_commit_completed_after_a_compaction_began_can_be_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-103."""
    table = new_table(tmp_path / "t", "cow", 9, ["record_index"])
    before = values(tmp_path / "t")
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 1)
    write(table, rows([11], 11))
    assert any(instant.action == COMMIT for instant in metadata(table).timeline.completed)
    latest = refreshed(table)
    roll_back_completed(latest, latest.timeline.commits[-1].requested_time)
    assert values(tmp_path / "t") == before


@pytest.mark.each_value
@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("version", [9, 6])
def test_a_compaction_that_died_goes_on_without_an_index_that_was_dropped_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int, again: bool
) -> None:
    """META-890: else every later write would look for files that went with the index."""
    table = new_table(tmp_path / "t", "cow", version, ["column_stats", "bloom_filters"])

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(compaction, "MAX_DELTA_COMMITS", 1)
        patched.setattr(metadata_services, "compaction_steps", die)
        with pytest.raises(KeyboardInterrupt):
            write(refreshed(table), rows([11], 11))
    assert [one.action for one in metadata(table).timeline.pending] == [COMPACTION]
    if again:
        build_indexes(refreshed(table), ["column_stats"], IndexOptions(rebuild=True))
    else:
        drop_index(refreshed(table), "column_stats")
    before = values(tmp_path / "t")
    write(refreshed(table), rows([13], 13))
    assert values(tmp_path / "t") == sorted([*before, ("k13", 13)])
    assert not metadata(table).timeline.pending
    assert list(validate(open_table(tmp_path / "t"))) == []

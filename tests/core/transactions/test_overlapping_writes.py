"""Writes that complete in another order than they were requested in: records of whole partitions hold for the rows of all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact, schedule
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.table.table import Table
from hudi_core.timeline.instants import InstantState
from hudi_core.transactions import metadata_steps
from hudi_core.transactions.rollback import roll_back
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from tests.support.crashes import crashes, later
from tests.support.expression_tables import LOWER, assert_kept, indexed
from tests.support.expression_tables import rows as expression_rows
from tests.support.overlapping import beside
from tests.support.written_tables import TYPES, read, rows

INDEXES = ("column_stats", "partition_stats")


def new_table(folder: Path, kind: str = "cow", version: int = 9) -> Path:
    path = folder / "t"
    indexes = INDEXES if version > 6 else INDEXES[:1]
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    return path


def append(path: Path, key: str, n: int, options: WriteOptions | None = None) -> None:
    write(open_table(path), rows((key, "x", n)), "append", options)


def expect(path: Path, *expected: tuple[str, str, int]) -> None:
    assert read(path) == sorted(expected)
    for row in expected:
        assert read(path, where=f"n = {row[2]}") == [row]
    found = [finding for finding in validate(open_table(path)) if finding.check != "leftovers"]
    assert [str(finding) for finding in found] == []


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("kind", "version", "op"),
    [
        ("cow", 6, "append"),
        ("mor", 6, "upsert"),
        ("cow", 8, "upsert"),
        ("mor", 8, "append"),
        ("cow", 9, "append"),
        ("mor", 9, "insert"),
    ],
)
def test_a_write_that_completes_after_a_later_one_keeps_its_rows_in_partition_stats(
    tmp_path: Path, kind: str, version: int, op: str
) -> None:
    """META-530, META-531."""
    path = new_table(tmp_path, kind, version)
    append(path, "b", 1, beside(lambda: write(open_table(path), rows(("c", "x", 100)), op)))
    expect(path, ("b", "x", 1), ("c", "x", 100))
    append(path, "d", 50)
    expect(path, ("b", "x", 1), ("c", "x", 100), ("d", "x", 50))


def test_writes_that_complete_in_the_reverse_order_keep_all_rows_in_partition_stats(tmp_path: Path) -> None:
    """META-530."""
    path = new_table(tmp_path, "mor")
    append(path, "a", 1, beside(lambda: append(path, "b", 1000, beside(lambda: append(path, "c", 100)))))
    expect(path, ("a", "x", 1), ("b", "x", 1000), ("c", "x", 100))


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [8, 9])
def test_a_log_file_that_completes_after_a_compaction_was_planned_keeps_its_statistics(
    tmp_path: Path, version: int
) -> None:
    """META-530: the compaction is of a later time than the log file, and has not merged it."""
    path = new_table(tmp_path, "mor", version)
    for n in (1, 2):
        write(open_table(path), rows(("a", "x", n)), "upsert")
    planned: list[object] = []

    def plan() -> None:
        planned.append(schedule(open_table(path), CompactionOptions())[0])

    write(open_table(path), rows(("a", "x", 1000)), "upsert", beside(plan))
    assert planned != [None]
    compact(open_table(path))
    expect(path, ("a", "x", 1000))


def test_a_partition_that_is_deleted_beside_a_write_into_it_keeps_its_statistics(tmp_path: Path) -> None:
    """META-530: a delete of them would hide those of the write."""
    path = new_table(tmp_path)
    append(path, "a", 7)
    append(path, "b", 1, beside(lambda: delete_partitions(open_table(path), ["x"])))
    expect(path, ("b", "x", 1))
    write(open_table(path), rows(("c", "x", 5)), "insert_overwrite")
    delete_partitions(open_table(path), ["x"])
    expect(path)
    assert partition_records(path) == 0


def partition_records(path: Path) -> int:
    """How many partitions have statistics of a column."""
    metadata = open_table(path).snapshot().metadata
    assert metadata is not None
    return sum(len(records.keys) for records in metadata.partition_stats(["n"])["n"])


def tight(path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A write whose records take the place of earlier ones, as those of Apache Hudi do."""

    def run() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(metadata_steps, "overlap_of", lambda *_: metadata_steps.NO_OVERLAP)
            append(path, "c", 100)

    return run


def test_a_write_completes_after_a_later_one_of_apache_hudi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-531: Apache Hudi's writer takes no care of writes that are pending."""
    path = new_table(tmp_path)
    append(path, "b", 1, beside(tight(path, monkeypatch)))
    expect(path, ("b", "x", 1), ("c", "x", 100))
    append(path, "d", 50)
    expect(path, ("b", "x", 1), ("c", "x", 100), ("d", "x", 50))


@pytest.fixture
def of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apache Hudi's writer takes no care of writes that are complete."""
    whole = metadata_steps.overlap_of

    def overlap_of(*arguments: object) -> metadata_steps.Overlap:
        overlap: metadata_steps.Overlap = whole(*arguments)  # type: ignore[arg-type]
        return metadata_steps.NO_OVERLAP if overlap.again else overlap

    monkeypatch.setattr(metadata_steps, "overlap_of", overlap_of)


@pytest.mark.usefixtures("of_others")
def test_apache_hudis_write_completes_after_a_later_one(tmp_path: Path) -> None:
    """META-530."""
    path = new_table(tmp_path)
    append(path, "b", 1, beside(lambda: append(path, "c", 100)))
    expect(path, ("b", "x", 1), ("c", "x", 100))


@pytest.mark.usefixtures("of_others")
def test_apache_hudis_write_completes_in_a_partition_that_was_deleted_meanwhile(tmp_path: Path) -> None:
    """META-530: its records are not hidden."""
    path = new_table(tmp_path)
    append(path, "a", 7)
    append(path, "b", 1, beside(lambda: delete_partitions(open_table(path), ["x"])))
    expect(path, ("b", "x", 1))
    assert partition_records(path) == 1


def test_a_writer_that_dies_between_its_two_delta_commits_leaves_statistics_that_hold(tmp_path: Path) -> None:
    """META-531."""
    path = new_table(tmp_path)

    def overtaken(table: Table) -> None:
        at = Path(table.storage.uri)
        write(table, rows(("b", "x", 1)), "append", beside(lambda: append(at, "c", 100)))

    for _, died in crashes(path, overtaken, first=19, step=3):
        write(open_table(died), rows(("d", "x", 50)), "append", WriteOptions(clock=later))
        expect(died, *(row for row in read(died) if row[0] != "d"), ("d", "x", 50))


def test_a_compaction_that_dies_after_its_second_delta_commit_leaves_no_statistics(tmp_path: Path) -> None:
    """META-1125: it would have left no value below 5 in its file group."""
    path = new_table(tmp_path, "mor")
    for n in (3, 5):
        write(open_table(path), rows(("a", "x", n)), "upsert")
    schedule(open_table(path), CompactionOptions())
    append(path, "c", 100)
    second = 0
    for _, died in crashes(path, compact, first=2, step=1):
        is_complete = any(died.glob(".hoodie/timeline/*_*.commit"))
        second += _has_second_delta_commit(died) and not is_complete
        for instant in [one for one in open_table(died).timeline.pending if one.state is InstantState.INFLIGHT]:
            roll_back(open_table(died), instant, later, keep_plan=True)
        expect(died, ("a", "x", 5), ("c", "x", 100))
        assert _has_second_delta_commit(died) == is_complete
    assert second


def _has_second_delta_commit(path: Path) -> bool:
    timeline = path / ".hoodie" / "metadata" / ".hoodie" / "timeline"
    return any(b"hudi_core.repeats" in one.read_bytes() for one in timeline.glob("*.deltacommit*"))


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 8), ("mor", 9)])
def test_a_write_that_completes_after_a_later_one_keeps_its_rows_in_expression_indexes(
    tmp_path: Path, kind: str, version: int
) -> None:
    """META-530, META-531."""
    path = tmp_path / "t"
    table = create_table(
        path, expression_rows([], 1).schema, "id", partition_by="p", ordering="ts", type=kind, version=version
    )
    indexed(table, *([LOWER] if version == 8 else []))
    first, second = expression_rows(range(20), 1), expression_rows(range(20, 30), 1, lambda _: "zz")
    write(open_table(path), first, "append", beside(lambda: write(open_table(path), second, "append")))
    assert_kept(open_table(path))

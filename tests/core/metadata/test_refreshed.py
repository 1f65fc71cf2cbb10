"""Metadata tables as time goes on: what was read before is used again, and gives what reading again gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from hudi_core.columns.hashes import partition_id, xxh64_id
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import ExpressionError
from hudi_core.formats.random_access import RandomAccess
from hudi_core.front.opening import open_table
from hudi_core.metadata.records import MetadataRecords
from hudi_core.metadata.statistics import PARTITION_KEY, RecordedStatistics, extend, read_statistics
from hudi_core.metadata.table import COLUMN_STATS, METADATA_FOLDER, MetadataTable, open_metadata_table
from hudi_core.parallel.requests import Traffic
from hudi_core.table.open import refreshed
from hudi_core.timeline.timeline import load_timeline
from tests.core.metadata.test_statistics import bound
from tests.support.commands import rides
from tests.support.conformance import TableEntry, each_table
from tests.support.metadata_records import batch, statistics
from tests.support.tables import opened


@dataclass(eq=False)
class Past:
    """A storage that does not show some files yet, and notes which it opens."""

    storage: Storage
    hidden: frozenset[str] = frozenset()
    reads: list[str] = field(default_factory=list)

    @property
    def uri(self) -> str:
        return self.storage.uri

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        found = self.storage.list(folder, recursive=recursive, without=without)
        return [file for file in found if file.path not in self.hidden]

    def exists(self, path: str) -> bool:
        return path not in self.hidden and self.storage.exists(path)

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        return self.storage.read(path)

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        self.reads.append(path)
        return self.storage.open(path, size)

    is_remote = False
    traffic = Traffic()

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        pass


def reported(metadata: MetadataTable, columns: list[str]) -> dict[str, dict[bytes, object]]:
    """By column and key what is known."""
    return {
        column: {key: answer for item in found for key, answer in _rows(item)}
        for column, found in metadata.column_stats(columns).items()
    }


def _rows(found: RecordedStatistics) -> Iterator[tuple[bytes, object]]:
    of = found.statistics
    for row in range(len(found)):
        lower, upper = bound(of, row, lower=True), bound(of, row, lower=False)
        nans = None if of.nans is None else bool(of.nans[row])
        yield (
            found.keys[row].tobytes(),
            (of.type, repr(lower), repr(upper), int(of.nulls[row]), int(of.rows[row]), nans),
        )


@pytest.mark.one_of(2)
@each_table(every=3)
def test_updated_statistics_equal_freshly_read_ones(entry: TableEntry) -> None:
    """META-15."""
    storage, config, timeline = opened(entry.unpacked())
    anew = open_metadata_table(storage, config, timeline)
    if anew is None or "column_stats" not in anew.partitions:
        pytest.skip("the table has no column statistics")
    columns = [field.name for field in open_table(str(entry.unpacked())).schema.fields if field.name][:8]
    wanted = reported(anew, columns)
    past = Past(storage)
    metadata: MetadataTable | None = None
    for back in (3, 1, 0):
        late = {item.requested_time for item in timeline.commits[len(timeline.commits) - back :]}
        mine = f"{METADATA_FOLDER}/{anew.config.timeline_folder}"
        instants = [
            *((timeline.folder, item) for item in timeline.commits),
            *((mine, item) for item in anew.timeline.commits),
        ]
        past.hidden = frozenset(f"{folder}/{item.file}" for folder, item in instants if item.requested_time in late)
        shown = load_timeline(past, config)
        metadata = open_metadata_table(past, config, shown, metadata)
        if metadata is None:
            pytest.skip("the metadata table came later")
        found = reported(metadata, columns)
        assert found == reported(open_metadata_table(past, config, shown), columns)  # type: ignore[arg-type]
    assert found == wanted


def test_later_records_of_partitions_are_trusted_as_those_of_many_files() -> None:
    """META-15, META-24: a range of floats that reaches zero may hide NaN, unless it is that of one row group."""

    def records(path: str, order: int) -> MetadataRecords:
        name = (xxh64_id("c") + partition_id(path)).encode()
        range_ = statistics(("DoubleWrapper", -1.0), ("DoubleWrapper", 1.0), ordinal=6)
        return MetadataRecords([batch({name: range_}, order)], [])

    first = read_statistics(records("p", 0), ["c"], PARTITION_KEY)["c"]
    both = extend(first, records("q", 1), "c", PARTITION_KEY)
    assert both is not None
    assert [len(item) for item in both] == [2]
    assert not both[0].statistics.lower_known.any() and not both[0].statistics.upper_known.any()


def test_nothing_is_read_twice_that_has_not_changed() -> None:
    table = open_table(str(rides()))
    storage = Past(table.storage)
    table = type(table)(table.engine, storage, table.config, table.timeline)
    where = "fare > 110"
    wanted = table.scan(where=where).plan.codes.tolist()
    storage.reads.clear()
    again = refreshed(table)
    assert again.scan(where=where).plan.codes.tolist() == wanted
    assert not [path for path in storage.reads if path.endswith(".hfile")]
    once = len(storage.reads)
    storage.reads.clear()
    assert refreshed(again).scan(where=where).plan.codes.tolist() == wanted
    assert len(storage.reads) <= once


@pytest.mark.parametrize("back", [1, 2])
def test_a_refreshed_table_shows_later_commits(back: int) -> None:
    whole = open_table(str(rides()))
    late = whole.timeline.commits[-back:]
    folders = (whole.timeline.folder, f"{METADATA_FOLDER}/{whole.timeline.folder.removeprefix(METADATA_FOLDER)}")
    past = Past(whole.storage)
    past.hidden = frozenset(f"{folder}/{item.file}" for folder in folders for item in late)
    timeline = load_timeline(past, whole.config)
    before = type(whole)(whole.engine, past, whole.config, timeline)
    known = [item.file_id for item in before.scan(where="fare > 110").plan.kept()]
    past.hidden = frozenset()
    after = refreshed(before)
    assert after.scan(where="fare > 110").plan.codes.tolist() == whole.scan(where="fare > 110").plan.codes.tolist()
    assert [item.file_id for item in before.scan(where="fare > 110").plan.kept()] == known


def test_a_table_to_which_nothing_has_happened_is_refreshed_into_itself() -> None:
    table = open_table(str(rides()))
    assert table.scan(where="fare > 110").plan.codes.tolist()
    assert refreshed(table) is table


def test_an_unusable_part_is_tried_again() -> None:
    table = open_table(str(rides()))
    table.snapshot().warnings.append("the metadata table is damaged")
    assert refreshed(table) is not table


def test_a_metadata_table_that_changed_alone_is_read_again() -> None:
    table = open_table(str(rides()))
    past = Past(table.storage)
    metadata = table.snapshot().metadata
    assert metadata is not None
    last = metadata.timeline.commits[-1]
    shown = type(table)(table.engine, past, table.config, table.timeline)
    assert shown.snapshot().metadata is not None and refreshed(shown) is shown
    past.hidden = frozenset({f"{metadata.timeline.folder}/{last.file}"})
    assert refreshed(shown) is not shown


@pytest.mark.one_of(2)
@each_table(every=3)
def test_a_refreshed_table_plans_as_a_newly_opened_one(entry: TableEntry) -> None:
    reported = [item["sql"] for item in entry.expected.get("filters", ()) if "sql" in item][:1]
    whole = open_table(str(entry.unpacked()))
    if not reported or len(whole.timeline.commits) < 2 or COLUMN_STATS not in whole.config.metadata_partitions:
        pytest.skip("no filter, no earlier commit or no column statistics")
    late = whole.timeline.commits[-1]
    folders = (whole.timeline.folder, f"{METADATA_FOLDER}/{whole.timeline.folder.removeprefix(METADATA_FOLDER)}")
    past = Past(whole.storage, frozenset(f"{folder}/{late.file}" for folder in folders))
    before = type(whole)(whole.engine, past, whole.config, load_timeline(past, whole.config))
    for where in reported:
        with suppress(ExpressionError):  # a column that came with the last commit
            before.scan(where=where).plan  # noqa: B018
    past.hidden = frozenset()
    after = refreshed(before)
    for where in reported:
        assert after.scan(where=where).plan.codes.tolist() == whole.scan(where=where).plan.codes.tolist(), where

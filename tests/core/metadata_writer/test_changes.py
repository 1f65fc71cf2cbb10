"""A metadata table that is made and kept up to date says of the table what is true.

Rules META-50 to META-55, META-60 to META-66, META-70 to META-79.

Also covers: `metadata_writer/initial.py`, `metadata_writer/group_files.py`,
`metadata_rows/rows_of_change.py`, `metadata_rows/record_schema.py`, `metadata_rows/partition_ranges.py`,
`metadata_rows/committed_change.py`, `metadata_rows/rows_of_keys.py`, `metadata_rows/rows_of_statistics.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.hashes import bloom_filter_key, partition_id
from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import ColumnRange, TableChange, WriteStatus
from hudi_core.commit.steps import run
from hudi_core.engine import Storage
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.formats.bloom_write import FilterSettings, encode_bloom_filter
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata.record_index import Location, locations
from hudi_core.metadata.table import MetadataTable, open_metadata_table
from hudi_core.metadata_rows.committed_change import CommittedChange
from hudi_core.metadata_writer.changes import delta_commit
from hudi_core.metadata_writer.initial import new_table_steps
from hudi_core.options import TableConfig, table_config
from hudi_core.schema.schema import Schema, schema_at_place
from hudi_core.timeline.timeline import Timeline
from hudi_core.types import nodes as t
from hudi_plain.storage import PlainStorage

COLUMNS: Mapping[str, t.Type] = {
    "id": t.String(),
    "n": t.Long(),
    "x": t.Double(),
    "day": t.Date(),
    "amount": t.Decimal(10, 2),
    "huge": t.Decimal(30, 5),
    "at": t.Timestamp(t.Unit.MICROS),
    "yes": t.Boolean(),
}
INDEXES = ("column_stats", "bloom_filters", "record_index", "partition_stats")
TIMES = [f"202401010000{second:02d}000" for second in range(60)]

each_version = pytest.mark.parametrize("version", [6, 8, 9])


def schema() -> Schema:
    fields = tuple(t.Field(number, name, of) for number, (name, of) in enumerate(COLUMNS.items()))
    return schema_at_place("test", t.Record(fields))


@dataclass
class Made:
    """A table that has a metadata table and no files."""

    storage: Storage
    config: TableConfig
    files: dict[str, set[str]]
    completions: Any

    def metadata(self) -> MetadataTable:
        timeline = Timeline(self.storage, self.config.timeline_folder, self.config.layout, ())
        found = open_metadata_table(self.storage, self.config, timeline)
        assert found is not None
        return found

    def commit(self, instant_time: str, *statuses: WriteStatus, **more: Any) -> None:
        change = TableChange("UPSERT", "commit", schema(), statuses, **more)
        definitions = index_definitions(self.storage, self.config)
        commit = CommittedChange(self.metadata(), definitions, instant_time, change, self.files)
        run(self.storage, delta_commit(commit, next(self.completions)))
        for partition, ids in change.replaced.items():
            self.files[partition] = {name for name in self.files[partition] if not name.lstrip(".").startswith(ids)}
        for status in statuses:
            names = self.files.setdefault(status.partition, set())
            if not status.is_log:
                names -= {name for name in names if name.lstrip(".").startswith(status.file_id)}
            names.add(status.path.rpartition("/")[2])


def made(folder: Path, version: int, indexes: Sequence[str] = INDEXES, *, partitioned: bool = False) -> Made:
    if version == 6:
        indexes = [index for index in indexes if index != "partition_stats"]
    storage = PlainStorage(str(folder))
    properties = {
        "hoodie.table.name": "t",
        "hoodie.table.version": str(version),
        "hoodie.timeline.layout.version": "1" if version == 6 else "2",
    }
    completions = iter(TIMES[30:])
    steps, more = new_table_steps(
        table_config(properties), indexes, schema(), lambda: next(completions), partitioned_record_index=partitioned
    )
    run(storage, steps)
    return Made(storage, table_config(properties | more), {}, completions)


RANGES: Mapping[str, ColumnRange] = {
    "_hoodie_record_key": ColumnRange("k1", "k9", 0, 9, 50, 60),
    "id": ColumnRange("ab", "é\U0001f600", 1, 9, 50, 60),
    "n": ColumnRange(-5, 1 << 40, 0, 9, 50, 60),
    "x": ColumnRange(0.0, 2.5, 0, 9, 50, 60),
    "day": ColumnRange(-3, 20_000, 2, 9, 50, 60),
    "amount": ColumnRange(Decimal("-1.00"), Decimal("128.00"), 0, 9, 50, 60),
    "huge": ColumnRange(Decimal("-12345678901234567890.12345"), Decimal("0.00001"), 0, 9, 50, 60),
    "at": ColumnRange(-1, 1_700_000_000_000_000, 0, 9, 50, 60),
    "yes": ColumnRange(None, None, 9, 9, 50, 60),
}


def base(partition: str, group: int, instant_time: str, *keys: str, **more: Any) -> WriteStatus:
    file_id = f"00000000-0000-0000-0000-{group:012d}-0"
    path = f"{partition}/{file_id}_0-0-0_{instant_time}.parquet".lstrip("/")
    column = string_column(keys)
    ranges = {**RANGES, **more.pop("columns", {})}
    status = WriteStatus(
        partition,
        file_id,
        path,
        1000 + group,
        rows=9,
        inserts=9,
        updates=0,
        deletes=0,
        columns=ranges,
        added_keys=column,
        bloom_filter=encode_bloom_filter(column, FilterSettings(entries=10)),
        bloom_filter_type="DYNAMIC_V0",
    )
    return replace(status, **more)


def log(partition: str, group: int, instant_time: str, **more: Any) -> WriteStatus:
    file_id = f"00000000-0000-0000-0000-{group:012d}-0"
    path = f"{partition}/.{file_id}_{instant_time}.log.1_0-0-0".lstrip("/")
    status = WriteStatus(partition, file_id, path, 77, rows=0, inserts=0, updates=0, deletes=3, is_log=True)
    return replace(status, **more)


def located(metadata: MetadataTable, *keys: str) -> dict[str, Location]:
    ordered = sorted(keys)
    return {ordered[number]: place for number, place in locations(metadata.lookup("record_index", keys))}


@pytest.mark.each_value
@each_version
@pytest.mark.parametrize("partition", ["", "p=1/q=é"])
def test_files_and_locations_and_filters_are_read_back(tmp_path: Path, version: int, partition: str) -> None:
    table = made(tmp_path, version)
    assert not len(table.metadata().files())
    keys = [f"key-{number}" for number in range(40)]
    one, two = base(partition, 1, TIMES[0], *keys[:20]), base(partition, 2, TIMES[0], *keys[20:])
    table.commit(TIMES[0], one, two)
    table.commit(TIMES[1], replace(base(partition, 1, TIMES[1], "new"), removed_keys=string_column([keys[0]])))
    metadata = table.metadata()
    listed = metadata.files().by_name()
    assert listed[partition] == {
        f"{one.file_id}_0-0-0_{TIMES[0]}.parquet": 1001,
        f"{two.file_id}_0-0-0_{TIMES[0]}.parquet": 1002,
        f"{one.file_id}_0-0-0_{TIMES[1]}.parquet": 1001,
    }
    places = located(metadata, *keys, "new", "other")
    assert set(places) == {*keys[1:], "new"}
    assert places[keys[5]] == places["new"] == Location(partition, one.file_id)
    assert places[keys[25]] == Location(partition, two.file_id)
    key = bloom_filter_key(partition, f"{two.file_id}_0-0-0_{TIMES[0]}.parquet")
    assert dict(filter_texts(metadata.lookup("bloom_filters", [key]))) == {0: two.bloom_filter}


@each_version
def test_statistics_of_files_are_read_back(tmp_path: Path, version: int) -> None:
    table = made(tmp_path, version)
    table.commit(TIMES[0], base("p", 1, TIMES[0], "a"))
    found = table.metadata().column_stats([*COLUMNS, "_hoodie_record_key"])
    for column, ranges in RANGES.items():
        if version < 9 and column == "huge":
            assert not found[column]
            continue
        (recorded,) = found[column]
        of = recorded.statistics
        assert (of.nulls.tolist(), of.rows.tolist()) == ([ranges.nulls], [ranges.values])
        assert of.lower_known.tolist() == [ranges.lower is not None]
        if version == 9:
            assert of.type == COLUMNS.get(column, t.String())
        if isinstance(of.lower, ByteStrings) and isinstance(of.type, t.String) and isinstance(ranges.lower, str):
            whole = version == 9 or column == "_hoodie_record_key"
            assert of.lower[0].decode() == (ranges.lower if whole else ranges.lower[0])


def test_partition_statistics_of_several_commits_cover_their_files(tmp_path: Path) -> None:
    table = made(tmp_path, 9)
    table.commit(TIMES[0], base("p", 1, TIMES[0]), base("p", 2, TIMES[0], columns={"n": ColumnRange(-50, 7, 1, 9)}))
    assert bounds(table, "n") == {"p": (-50, 1 << 40, 1, 18)}
    table.commit(TIMES[1], base("p", 2, TIMES[1], columns={"n": ColumnRange(0, 1, 4, 9)}))
    assert bounds(table, "n") == {"p": (-5, 1 << 40, 4, 18)}
    table.commit(TIMES[2], base("q", 3, TIMES[2], columns={"n": ColumnRange(3, 3, 0, 9)}), log("p", 1, TIMES[2]))
    assert bounds(table, "n") == {"p": (-5, 1 << 40, 4, 18), "q": (3, 3, 0, 9)}
    table.commit(TIMES[3], replaced={"p": ("00000000-0000-0000-0000-000000000001-0",)})
    assert bounds(table, "n") == {"p": (0, 1, 4, 9), "q": (3, 3, 0, 9)}
    table.commit(TIMES[4], deleted_partitions=("q",))
    assert bounds(table, "n") == {"p": (0, 1, 4, 9)}


def test_a_file_that_loses_all_its_rows_makes_nothing_unknown(tmp_path: Path) -> None:
    """META-1589."""
    table = made(tmp_path, 9)
    table.commit(TIMES[0], base("p", 1, TIMES[0]), base("p", 2, TIMES[0], columns={"n": ColumnRange(-50, 7, 1, 9)}))
    table.commit(TIMES[1], base("p", 2, TIMES[1], rows=0, columns={}))
    assert bounds(table, "n") == {"p": (-5, 1 << 40, 0, 9)}
    table.commit(TIMES[2], base("p", 3, TIMES[2], columns={"n": ColumnRange(3, 3, 0, 9)}))
    assert bounds(table, "n") == {"p": (-5, 1 << 40, 0, 18)}
    (recorded,) = (part for part in table.metadata().column_stats(["n"])["n"])
    empty = (recorded.statistics.rows == 0) & (recorded.statistics.nulls == 0) & ~recorded.statistics.lower_known
    assert empty.sum() == 1


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("cow", 8), ("mor", 9), ("mor", 6)])
def test_a_partition_stays_known_while_its_files_lose_their_rows(tmp_path: Path, kind: Any, version: Any) -> None:
    """META-1589: by commits, and where the index is built of footers."""
    indexes = ["column_stats", *(["partition_stats"] if version > 6 else [])]
    types = {"id": "string", "p": "string", "n": "int"}
    table = hudi_core.create(
        tmp_path / "t", hudi_core.schema_of(types), "id", partition_by="p", type=kind, version=version, indexes=indexes
    )
    for start in (0, 100):
        table.refresh().append([{"id": f"k{start + number}", "p": "x", "n": start + number} for number in range(3)])
    table.refresh().append([{"id": "z", "p": "y", "n": 500}])
    table.refresh().delete(where="n BETWEEN 100 AND 110 OR p = 'y'")
    if kind == "mor":
        table.refresh().compact()
    table.refresh().upsert([{"id": "k1", "p": "x", "n": 7}])
    for made_by in ("commits", "build"):
        if made_by == "build":
            table.refresh().index("files", rebuild=True)
        latest = table.refresh()
        assert [finding for finding in latest.validate() if finding.severity != "info"] == []
        metadata = latest.snapshot().metadata
        assert metadata is not None
        if version > 6:
            assert any(one.statistics.lower_known.any() for one in metadata.partition_stats(["n"])["n"])
            for where, kept in (("n > 50", 0), ("n IS NULL", 0), ("n < 5", 1)):
                assert len(latest.slices(where=where)) == kept, (made_by, where)
        of_files = [one.statistics for one in metadata.column_stats(["n"])["n"]]
        assert sum(((one.rows == 0) & (one.nulls == 0)).sum() for one in of_files) >= 2
        assert latest.scan(columns=["id", "n"]).to_arrow().num_rows == 3


def test_rows_of_some_columns_have_statistics_of_these_alone(tmp_path: Path) -> None:
    """WRITE-55: what the others had stays."""
    table = made(tmp_path, 9)
    table.commit(TIMES[0], base("p", 1, TIMES[0]))
    partial = {"_hoodie_record_key": ColumnRange("k1", "k1", 0, 1), "n": ColumnRange(1 << 41, 1 << 41, 0, 1)}
    table.commit(TIMES[1], log("p", 1, TIMES[1], rows=1, columns=partial, is_partial=True))
    assert bounds(table, "n") == {"p": (-5, 1 << 41, 0, 10)}
    assert bounds(table, "x") == {"p": (0.0, 2.5, 0, 9)}
    found = table.metadata().column_stats(["n", "x"])
    assert [len(recorded.keys) for column in ("n", "x") for recorded in found[column]] == [2, 1]


def bounds(table: Made, column: str) -> dict[str, tuple[Any, ...]]:
    names = {partition_id(name): name for name in ("p", "q", "")}
    (recorded,) = table.metadata().partition_stats([column])[column]
    of = recorded.statistics
    keys = [row.tobytes().decode() for row in recorded.keys]
    columns = zip(of.lower.tolist(), of.upper.tolist(), of.nulls.tolist(), of.rows.tolist(), strict=True)  # type: ignore[union-attr]
    return {names[key]: values for key, values in zip(keys, columns, strict=True)}


def test_a_key_that_moves_is_where_it_went(tmp_path: Path) -> None:
    table = made(tmp_path, 9)
    table.commit(TIMES[0], base("p", 1, TIMES[0], "a", "b"))
    gone = replace(base("p", 1, TIMES[1]), removed_keys=string_column(["a", "b"]))
    table.commit(TIMES[1], gone, base("q", 2, TIMES[1], "a"))
    assert located(table.metadata(), "a", "b") == {"a": Location("q", "00000000-0000-0000-0000-000000000002-0")}


def test_a_key_in_two_file_groups_is_refused(tmp_path: Path) -> None:
    table = made(tmp_path, 9)
    with pytest.raises(UsageError, match="'b' in two"):
        table.commit(TIMES[0], base("p", 1, TIMES[0], "a", "b"), base("p", 2, TIMES[0], "b", "c"))


def test_a_file_id_that_is_no_uuid_is_kept(tmp_path: Path) -> None:
    table = made(tmp_path, 9)
    table.commit(TIMES[0], replace(base("p", 1, TIMES[0], "a"), file_id="00000001-bucket-0"))
    assert located(table.metadata(), "a") == {"a": Location("p", "00000001-bucket-0")}


def test_a_partitioned_record_index_has_groups_of_each_partition(tmp_path: Path) -> None:
    table = made(tmp_path, 9, ["record_index"], partitioned=True)
    table.commit(TIMES[0], base("p_1", 1, TIMES[0], "a"), base("q", 2, TIMES[0], "a"))
    table.commit(TIMES[1], base("q", 3, TIMES[1], "b"))
    names = {item.file_id for item in table.metadata().slices("record_index")}
    assert names == {"record-index-p%5F1-0000-0", "record-index-q-0000-0"}
    assert located(table.metadata(), "b") == {"b": Location("q", "00000000-0000-0000-0000-000000000003-0")}


def test_a_partition_that_is_not_kept_up_to_date_is_refused(tmp_path: Path) -> None:
    table = made(tmp_path, 9)
    properties = {**table.config.properties, "hoodie.table.metadata.partitions": "files,expr_index_x"}
    table.config = table_config(properties)
    with pytest.raises(UnsupportedError, match="found expr_index_x"):
        table.commit(TIMES[0], base("p", 1, TIMES[0], "a"))


@pytest.mark.parametrize(
    ("version", "indexes", "message"),
    [
        (9, ["something"], "found something"),
        (9, ["partition_stats"], "column_stats as well, which partition_stats needs"),
        (6, ["column_stats", "partition_stats"], "found partition_stats"),
    ],
)
def test_indexes_that_no_table_has_are_refused(version: int, indexes: list[str], message: str) -> None:
    config = table_config({"hoodie.table.name": "t", "hoodie.table.version": str(version)})
    with pytest.raises(UsageError, match=message):
        new_table_steps(config, indexes, schema(), lambda: "")

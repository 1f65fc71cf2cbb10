"""Planted faults of what files hold, and of what is recorded of it: each is reported by its own check alone.

VALID-3 to VALID-5, VALID-13 to VALID-18, VALID-1590.

Also covers: `validation/bloom_filters.py`, `validation/column_stats.py`,
`validation/cover.py`, `validation/footers.py`, `validation/logs.py`, `validation/record_index.py`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hudi_core
from hudi_core.columns.strings import string_column, string_list
from hudi_core.index_builds import footers as index_footers
from hudi_core.index_builds import keys as index_keys
from hudi_core.index_builds.build import build_metadata_table
from hudi_core.metadata_rows import bounds as recorded_bounds
from hudi_core.metadata_rows import statistics_rows
from hudi_core.metadata_rows.rows import GroupKeys
from hudi_core.pruning.statistics import ColumnStatistics
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.types import nodes as t
from hudi_core.validation.cover import denials, differing_counts, find_too_wide, of_whole_groups
from hudi_core.validation.findings import Finding, Severity
from hudi_core.validation.mend import mend
from tests.support.faulty_tables import (
    GREATEST,
    base_file,
    checks_of,
    copied,
    findings_of,
    made,
    rewritten,
    with_true_sizes,
)


@pytest.fixture(scope="module")
def cow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("cow") / "t")


@pytest.fixture(scope="module")
def mor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("mor") / "t", "mor")


@pytest.fixture
def table(cow: Path, tmp_path: Path) -> Table:
    return copied(cow, tmp_path / "t")


def only(table: Table, check: str, severity: Severity = Severity.ERROR) -> list[Finding]:
    """The findings, all of one check and one severity."""
    findings = findings_of(table)
    assert checks_of(findings) == {check}
    assert {finding.severity for finding in findings} == {severity}
    return findings


# Footers


def test_a_key_range_that_leaves_keys_out(table: Table) -> None:
    rewritten(base_file(table), hoodie_min_record_key="k05")
    (finding,) = only(with_true_sizes(table), "footers")
    assert finding.where.endswith(", key range")
    assert finding.found.startswith("'k05' to")


def test_a_bloom_filter_of_other_keys(table: Table) -> None:
    path = base_file(table)
    other = next(file for file in path.parent.parent.glob("?/*.parquet") if file.parent != path.parent)
    name = "org.apache.hudi.bloomfilter"
    rewritten(path, **{name: pq.ParquetFile(other).metadata.metadata[name.encode()].decode()})
    (finding,) = only(with_true_sizes(table), "footers")
    assert "keys denied, 'k" in finding.found


def test_bounds_in_a_footer_that_leave_a_value_out(table: Table) -> None:
    path = next(file for file in Path(table.storage.uri).glob("?/*.parquet") if GREATEST.encode() in file.read_bytes())
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    smaller = b"a" * len(GREATEST.encode())
    path.write_bytes(content[:footer] + content[footer:].replace(GREATEST.encode(), smaller))
    (finding,) = only(table, "footers")
    assert finding.where.endswith(", statistics of s")
    assert repr(GREATEST) in finding.expected


def test_a_base_file_that_is_damaged(table: Table) -> None:
    path = base_file(table)
    path.write_bytes(bytes(path.stat().st_size))
    (finding,) = only(table, "footers")
    assert finding.where == str(path.relative_to(table.storage.uri))


def test_a_base_file_of_another_schema(table: Table) -> None:
    path = base_file(table)
    data = pq.ParquetFile(path).read()
    changed = data.set_column(data.schema.get_field_index("n"), "n", data.column("s"))
    pq.write_table(changed, path)
    (finding,) = only(with_true_sizes(table), "footers")
    assert finding.expected == "a schema that reads as the table's"


# Log files


def log_of(table: Table) -> Path:
    file_slice = next(file_slice for file_slice in table.slices() if file_slice.logs)
    return Path(table.storage.uri) / file_slice.logs[0].path


def test_a_log_file_without_its_last_block(mor: Path, tmp_path: Path) -> None:
    table = copied(mor, tmp_path / "t")
    path = log_of(table)
    content = path.read_bytes()
    path.write_bytes(content[:-8] + bytes(8))
    (finding,) = only(table, "logs")
    assert finding.where == f"{path.relative_to(table.storage.uri)}, from byte 0 on"


@pytest.mark.parametrize("size", [0, 3, 60])
def test_a_log_file_of_a_writer_that_died(tmp_path: Path, size: int) -> None:
    """VALID-14: in table version 6 a rollback leaves it."""
    table = hudi_core.create(tmp_path / "t", [{"id": "a", "n": 0}], key="id", type="mor", version=6)
    for number in range(2):
        table.upsert([{"id": "a", "n": number}])
    log = log_of(table.refresh())
    log.with_name(log.name.replace(".log.1_", ".log.2_")).write_bytes(log.read_bytes()[:size])
    found = [finding for finding in table.refresh().validate() if finding.check == "logs"]
    assert [finding.severity for finding in found] == ["warning"] * (size > 0)
    assert table.refresh().to_arrow().to_pylist() == [{"id": "a", "n": 1}]


def test_a_log_file_whose_records_cannot_be_read(mor: Path, tmp_path: Path) -> None:
    table = copied(mor, tmp_path / "t")
    path = log_of(table)
    content = path.read_bytes()
    middle = content.index(b"k0")
    path.write_bytes(content[: middle - 40] + b"\xff" * 40 + content[middle:])
    only(table, "logs")


# What is recorded


def statistics_altered(
    monkeypatch: pytest.MonkeyPatch, rows_of: str, change: Callable[[ColumnStatistics], Any]
) -> None:
    """Records of the column n are built with other statistics; `rows_of` is the function that makes records of them."""
    original, place = getattr(index_footers, rows_of), 3 if rows_of == "file_statistics_rows" else 2

    def altered(column: str, *arguments: Any) -> Any:
        given = list(arguments)
        if column == "n":
            given[place - 1] = change(given[place - 1])
        return original(column, *given)

    monkeypatch.setattr(index_footers, rows_of, altered)


NARROW = {
    "lower": lambda known: replace(known, lower=known.lower + 1),
    "upper": lambda known: replace(known, upper=known.upper - 1),
    "nulls alone": lambda known: replace(known, nulls=known.rows),
}


@pytest.mark.each_value
@pytest.mark.parametrize("fault", NARROW)
@pytest.mark.parametrize("partition", ["column_stats", "partition_stats"])
def test_statistics_that_leave_values_out(
    table: Table, monkeypatch: pytest.MonkeyPatch, partition: str, fault: str
) -> None:
    rows_of = "file_statistics_rows" if partition == "column_stats" else "partition_statistics_rows"
    statistics_altered(monkeypatch, rows_of, NARROW[fault])
    table = build_metadata_table(table, ["column_stats", "partition_stats"])
    findings = [finding for finding in findings_of(table) if finding.severity is Severity.ERROR]
    assert checks_of(findings) == {partition}
    assert checks_of(findings_of(table)) == {partition}
    assert all(f"{partition}, n of" in finding.where for finding in findings)
    assert {finding.mending.rebuilds for finding in findings} == {partition}


def test_untrusted_statistics_that_other_readers_use_are_a_warning(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Apache Hudi counts a row group without statistics: long strings as nulls."""
    original = index_footers.file_statistics_rows

    def altered(column: str, keys: Any, names: Any, known: Any, sizes: Any, version: str) -> Any:
        if column == "s":
            known = replace(known, nulls=known.rows)
            sizes = replace(sizes, uncompressed=np.full(len(known), 5000))
        return original(column, keys, names, known, sizes, version)

    monkeypatch.setattr(index_footers, "file_statistics_rows", altered)
    findings = only(build_metadata_table(table, ["column_stats"]), "column_stats", Severity.WARNING)
    assert len(findings) == 4
    assert all(finding.found == "nulls alone; a reader that trusts it loses rows" for finding in findings)


def test_counts_that_differ(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    statistics_altered(monkeypatch, "file_statistics_rows", lambda known: replace(known, rows=known.rows + 5))
    findings = only(build_metadata_table(table, ["column_stats"]), "column_stats", Severity.WARNING)
    assert len(findings) == 4
    assert all(" nulls of " in finding.expected for finding in findings)


def test_statistics_of_files_that_are_not_there_and_none_of_files_that_are(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = index_footers.keys_of

    def altered(partitions: Any, names: Any) -> Any:
        keys = original(partitions, names)
        keys[0] = b"0" * 36
        return keys

    monkeypatch.setattr(index_footers, "keys_of", altered)
    table = build_metadata_table(table, ["column_stats"])
    findings = findings_of(table)
    assert [(finding.check, finding.severity) for finding in findings] == [
        ("column_stats", Severity.WARNING),
        ("column_stats", Severity.INFO),
    ]
    assert findings[0].found.startswith("records of 1 files that do not exist")
    assert findings[1].found.startswith("1 without")


TIMES = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", "UTC")),
        ("wall", pa.timestamp("ms")),
    ]
)
ENDS = {t.Date(): (-(1 << 31), (1 << 31) - 1)}


@pytest.mark.parametrize("version", [8, 9])
def test_days_and_timestamps_whose_bounds_other_readers_do_not_take_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: Any
) -> None:
    """VALID-1590: as older releases recorded what was not known. A repair records what is."""
    table = hudi_core.create(tmp_path / "t", TIMES, "id", partition_by="p", version=version, indexes=["files"])
    day, at = datetime.date(2024, 5, 6), datetime.datetime(2024, 5, 6, 7, tzinfo=datetime.UTC)
    times = {"day": day, "at": at, "wall": at.replace(tzinfo=None)}
    table.upsert([{"id": f"k{number}", "p": "xy"[number % 2], **times} for number in range(4)])
    original = statistics_rows.record_bounds

    def record_unknown(statistics: ColumnStatistics, **options: Any) -> ColumnStatistics:
        if isinstance(statistics.type, t.Date | t.Timestamp):
            nothing = np.zeros(len(statistics), np.bool_)
            statistics = replace(statistics, lower_known=nothing, upper_known=nothing)
        return original(statistics, **options)

    with monkeypatch.context() as older:
        older.setattr(statistics_rows, "record_bounds", record_unknown)
        older.setattr(recorded_bounds, "widest_times", lambda kind, **_: ENDS.get(kind))
        table.refresh().index("column_stats", columns=["day", "at", "wall"])
        table.refresh().index("partition_stats")
        table.refresh().index("expression_index", columns=["day"], name="day")
    findings = findings_of(table.refresh())
    assert {(finding.check, finding.severity) for finding in findings} == {
        (check, Severity.WARNING) for check in ("column_stats", "partition_stats", "expression_index")
    }
    of_column = [f"{finding.where} {finding.found}" for finding in findings]
    for column, ends in (("day", "-2147483648"), ("at", "-9223372036854775808"), ("wall", "-9223372036854775808")):
        assert sum(f" {column} of " in one and f"{ends} in 2 " in one for one in of_column) == (
            4 if column == "day" else 2
        )
    assert len(findings) == 8
    assert findings_of(mend(table.refresh(), findings).table) == []


def test_a_bound_that_is_a_value_is_none_that_was_recorded_for_want_of_one() -> None:
    """VALID-1590."""

    def days(*lower: int) -> ColumnStatistics:
        known, counts = np.ones(len(lower), np.bool_), np.full(len(lower), 3)
        bounds = np.array(lower, np.int64)
        return ColumnStatistics(t.Date(), bounds, bounds, known, known, np.zeros(len(lower), np.int64), counts)

    end = -(1 << 31)
    denied = list(find_too_wide(days(end, end, 5), days(end, 5, 5), typed=True))
    assert [(one.row, one.expected, one.found) for one in denied] == [
        (1, "a lower bound from -1073741824 on, or none", "-2147483648")
    ]
    assert [one.row for one in of_whole_groups(denied, np.array([0, 0, 1]))] == []
    assert [one.row for one in of_whole_groups(denied, np.array([0, 1, 2]))] == [1]
    assert list(find_too_wide(days(-720_000), days(5), typed=True)) == []
    assert [one.row for one in find_too_wide(days(-720_000), days(5), typed=False)] == [0]


def test_bloom_filters_of_other_keys_and_of_other_files(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    original = index_footers.filter_rows

    def swapped(filters: list[Any], instant_time: str) -> Any:
        ends = sorted(filters, key=lambda stored: stored.partition)
        first, last = ends[0], ends[-1]
        return original([replace(first, content=last.content), *ends[1:], replace(last, name="gone")], instant_time)

    monkeypatch.setattr(index_footers, "filter_rows", swapped)
    findings = findings_of(build_metadata_table(table, ["bloom_filters"]))
    assert checks_of(findings) == {"bloom_filters"}
    assert [finding.severity for finding in findings] == [Severity.ERROR, Severity.WARNING]
    assert "keys denied" in findings[0].found
    assert findings[1].found == "1 of others"


def test_bloom_filters_that_are_missing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    original = index_footers.filter_rows
    monkeypatch.setattr(index_footers, "filter_rows", lambda filters, time: original(filters[1:], time))
    (finding,) = only(build_metadata_table(table, ["bloom_filters"]), "bloom_filters", Severity.INFO)
    assert finding.found.startswith("1 without")


FAULTS_OF_LOCATIONS: dict[str, Callable[[list[str], str, str], list[tuple[str, str, list[str]]]]] = {
    "a location of each key": lambda keys, partition, file_id: [(partition, file_id, keys[1:])],
    "each key where it is": lambda keys, partition, file_id: [
        (partition, file_id, keys[1:]),
        ("x" if partition == "y" else "y", file_id, keys[:1]),
    ],
    "keys that it holds alone": lambda keys, partition, file_id: [
        (partition, file_id, [*keys, f"dead {partition} {keys[0]}"])
    ],
    "locations in live file groups": lambda keys, partition, file_id: [
        (partition, file_id, keys),
        (partition, "no-such-group-0", [f"dead {partition} {keys[0]}"]),
    ],
}
"""For each finding what the index has of a file group with keys."""


@pytest.mark.each_value
@pytest.mark.parametrize("expected", FAULTS_OF_LOCATIONS)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_record_index_that_is_not_of_the_live_keys(
    cow: Path, mor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, expected: str
) -> None:
    table, original = copied(cow if kind == "cow" else mor, tmp_path / "t"), index_keys.location_rows

    def altered(groups: list[GroupKeys], time: int) -> Any:
        (group,) = groups
        made = FAULTS_OF_LOCATIONS[expected](string_list(group.keys), group.partition, group.file_id)
        return original([GroupKeys(partition, file_id, string_column(keys)) for partition, file_id, keys in made], time)

    monkeypatch.setattr(index_keys, "location_rows", altered)
    findings = only(build_metadata_table(table, ["record_index"]), "record_index")
    assert expected in {finding.expected for finding in findings}
    assert {finding.mending.rebuilds for finding in findings} == {"record_index"}


def test_an_index_whose_files_are_damaged(table: Table) -> None:
    for index in ("column_stats", "bloom_filters", "record_index"):
        built = build_metadata_table(refreshed(table), [index])
        for path in (Path(table.storage.uri) / ".hoodie/metadata" / index).glob("*.hfile"):
            path.write_bytes(bytes(path.stat().st_size))
        assert checks_of(findings_of(built)) == {index}


# Comparing


def statistics(lower: list[float], upper: list[float], nulls: list[int], rows: list[int], nans: list[bool]) -> Any:
    known = np.ones(len(lower), np.bool_)

    return ColumnStatistics(
        t.Double(), np.array(lower), np.array(upper), known, known, np.array(nulls), np.array(rows), np.array(nans)
    )


def test_a_covering_interval_is_not_denied() -> None:
    held = statistics([1.0], [2.0], [1], [5], [False])
    assert list(denials(held, held)) == []
    assert list(denials(statistics([-0.0], [2.5], [-1], [-1], [True]), held)) == []
    (denial,) = denials(statistics([0.0], [3.0], [1], [5], [False]), statistics([1.0], [2.0], [1], [5], [True]))
    assert denial.expected == "NaN among the values"
    (denial,) = denials(statistics([0.0], [3.0], [0], [5], [False]), held)
    assert (denial.expected, denial.found) == ("1 nulls", "no null")


def test_an_unknown_count_is_recorded_as_one_null() -> None:
    held = statistics([1.0] * 3, [2.0] * 3, [3] * 3, [5] * 3, [False] * 3)
    stated = statistics([1.0] * 3, [2.0] * 3, [1, 2, -1], [2, 5, 5], [False] * 3)
    assert differing_counts(stated, held).tolist() == [1]

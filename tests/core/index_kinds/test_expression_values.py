"""META-35, META-116 to META-118: what expression indexes record of the values in files, and what queries make of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from hudi_core.columns.hashes import bloom_filter_key
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.front.opening import create_table, open_table
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata_rows import expression
from hudi_core.metadata_rows.statistics_rows import Sizes
from hudi_core.table.open import refreshed
from hudi_core.writing.operations import write
from tests.support.expression_tables import (
    LOWER,
    TYPES,
    Copies,
    bound,
    decided,
    indexed,
    rows,
    statistics,
)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [9, 8])
def test_statistics_are_those_of_the_values_in_each_file(tmp_path: Path, indexable: Copies, version: int) -> None:
    """META-35, META-116, META-117, META-1142: of what is there, of what comes, and of whole partitions."""
    table = indexed(indexable(tmp_path / "t", "cow", version), LOWER, "expr_index_x")
    write(table, rows(range(40, 60), 3, lambda number: "Ω" if number % 2 else None))
    lower, x = statistics(table, LOWER), statistics(table, "expr_index_x")
    of_partitions: dict[str, list[str]] = {"x": [], "y": []}
    for file_slice in refreshed(table).slices():
        assert file_slice.base is not None
        values = pq.read_table(tmp_path / "t" / file_slice.base.path).to_pydict()
        strings = sorted(value.lower() for value in values["s"] if value is not None)
        of_partitions[file_slice.partition] += strings
        record = lower[3, file_slice.base.name]
        nulls = values["s"].count(None)
        stated = len(strings) + (nulls if 0 < len(strings) <= nulls else 0)
        assert (record["valueCount"], record["nullCount"]) == (stated, nulls)
        ends = [strings[0], strings[-1]] if strings else [None, None]
        assert [bound(record, "minValue"), bound(record, "maxValue")] == ends
        ends = [1.5, {"float": "NaN"}] if file_slice.partition == "x" else [-0.0, 0.0]
        assert [bound(x[3, file_slice.base.name], "minValue"), bound(x[3, file_slice.base.name], "maxValue")] == ends
    for partition, strings in of_partitions.items():
        record = lower[6, partition]
        assert [bound(record, "minValue"), bound(record, "maxValue")] == [min(strings), max(strings)]
        assert record["isTightBound"]


def test_queries_skip_slices_by_built_indexes(tmp_path: Path) -> None:
    """SOURCE-15, of both versions of records."""
    for version in (9, 8):
        table = create_table(tmp_path / str(version), TYPES, "id", partition_by="p", type="cow", version=version)
        write(table, rows(range(20), 1, lambda number: "Even" if number % 2 == 0 else "ODD"))
        table = indexed(refreshed(table), LOWER, "expr_index_x")
        assert decided(table, "lower(s) = 'odd'") == {LOWER: 1}
        assert decided(table, "lower(s) = 'odd' and x = 1.5") == {LOWER: 1, "expr_index_x": 1}
        assert decided(table, "x < -1") == {"expr_index_x": 2}


def test_filters_hold_the_values_of_each_file(tmp_path: Path, indexable: Copies) -> None:
    """META-118: of base files and log files, without nulls."""
    table = indexed(indexable(tmp_path / "t", "mor"), "expr_index_sieve")
    write(table, rows(range(10), 3, lambda _: "mi"))
    table = refreshed(table)
    metadata = table.snapshot().metadata
    assert metadata is not None
    logs = 0
    for file_slice in table.slices():
        for file in file_slice.files:
            key = bloom_filter_key(file_slice.partition, file.name)
            values = pq.read_table(tmp_path / "t" / file.path)["s"].to_pylist() if file not in file_slice.logs else []
            texts = dict(filter_texts(metadata.lookup("expr_index_sieve", [key])))
            assert bool(texts) != ("" in values), "a filter takes no empty string"
            if not texts:
                continue
            (text,) = texts.values()
            held = parse_bloom_filter(text, "t")
            is_log = file in file_slice.logs
            logs += is_log
            passing = held.may_contain(HashedKeys(["MI", "nowhere", "V1"])).tolist()
            assert passing == [is_log, False, "V1" in values]
    assert logs


def test_nothing_is_known_of_log_files_where_user_code_merges(indexable: Copies, tmp_path: Path) -> None:
    """SOURCE-7: whatever their values are, the merged row may have another."""
    table = indexed(indexable(tmp_path / "t"), LOWER)
    write(table, rows([1, 3, 5], 3, lambda _: "New"))
    assert refreshed(table).scan(where="lower(s) > 'Ω'").plan.kept() == []
    path = tmp_path / "t/.hoodie/hoodie.properties"
    path.write_text(path.read_text().replace("EVENT_TIME_ORDERING", "CUSTOM"))
    table = open_table(tmp_path / "t")
    logged = sorted(one.file_id for one in table.slices() if one.logs)
    assert logged
    assert sorted(one.file_id for one in table.scan(where="lower(s) > 'Ω'").plan.kept()) == logged


def test_records_of_apache_hudi_are_of_the_values_whatever_sizes_they_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-35: its sizes are those of the file."""
    sizes = np.array([5000, 5000])
    monkeypatch.setattr(expression, "_no_sizes", lambda count: Sizes(sizes[:count], 2 * sizes[:count]))
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="cow")
    write(table, rows(range(200), 1, lambda number: "Odd" if number % 2 else None))
    table = indexed(refreshed(table), LOWER)
    assert decided(table, "lower(s) = 'odd'") == {LOWER: 1}
    assert decided(table, "lower(s) is null") == {LOWER: 0}
    assert decided(table, "lower(s) > 'p'") == {LOWER: 2}

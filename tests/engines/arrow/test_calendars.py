"""Parquet files that count days and instants in the old calendar: read, filtered, indexed and written again. Rule FORMAT-1571."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hudi_core

DAYS = {"a": -719_164, "b": -171_595, "c": -141_428, "d": -141_427, "e": None, "f": 18_262}
"""Days as the file counts them."""
DATES = {
    "a": date(1, 1, 1), "b": date(1500, 3, 1), "c": date(1582, 10, 4), "d": date(1582, 10, 15), "e": None, "f": date(2020, 1, 1),
}  # fmt: skip
INSTANTS = pa.timestamp("us", "UTC")
TYPES = pa.schema(
    [
        ("id", pa.string()), ("n", pa.int32()), ("d", pa.date32()), ("at", INSTANTS), ("local", pa.timestamp("us")),
        ("l", pa.list_(pa.date32())), ("m", pa.map_(pa.string(), INSTANTS)), ("s", pa.struct([("d", pa.date32())])),
    ]
)  # fmt: skip
NOTES = {"org.apache.spark.version": "3.5.9", "org.apache.spark.legacyDateTime": "", "org.apache.spark.timeZone": "UTC"}
FOUND = {
    "d = DATE '0001-01-01'": "a", "d < DATE '1500-03-02'": "ab", "d = DATE '1582-10-04'": "c", "d IS NULL": "e",
    "at = TIMESTAMP '0001-01-01 00:00:00'": "a", "at < TIMESTAMP '1582-10-15 00:00:00'": "abc",
    "s.d >= DATE '1582-10-04'": "cdf", "d >= DATE '1582-10-15'": "df",
}  # fmt: skip


def rows(dates: dict[str, Any]) -> pa.Table:
    moments = {
        key: None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC) for key, day in DATES.items()
    }
    return pa.Table.from_pylist(
        [
            {
                "id": key, "n": 1, "d": day, "at": moments[key], "local": datetime(1500, 1, 1),
                "l": [day, None], "m": [("x", moments[key])], "s": None if day is None else {"d": day},
            }
            for key, day in dates.items()
        ],
        TYPES,
    )  # fmt: skip


def in_old_calendar(table: pa.Table) -> pa.Table:
    """The rows as Spark stores them in its old mode, in the session's zone UTC."""

    def days() -> pa.Array:
        return pa.array([DAYS[key] for key in table["id"].to_pylist()], pa.int32()).cast(pa.date32())

    keys = table["id"].to_pylist()
    ticks = pa.array([None if DAYS[key] is None else DAYS[key] * 86_400_000_000 for key in keys], pa.int64()).cast(
        INSTANTS
    )
    lists = pa.ListArray.from_arrays(
        pa.array(range(0, 2 * len(keys) + 1, 2), pa.int32()),
        pa.array([part for key in keys for part in (DAYS[key], None)], pa.int32()).cast(pa.date32()),
    )
    maps = pa.MapArray.from_arrays(pa.array(range(len(keys) + 1), pa.int32()), pa.array(["x"] * len(keys)), ticks)
    structs = pa.StructArray.from_arrays([days()], ["d"], mask=days().is_null())
    for name, column in {"d": days(), "at": ticks, "l": lists, "m": maps, "s": structs}.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


@pytest.mark.parametrize(("kind", "group"), [("cow", 2), ("mor", 100)])
def test_days_and_instants_are_read_as_spark_reads_them(tmp_path: Path, kind: str, group: int) -> None:
    """FORMAT-1571: after an update of another row too, whose file notes no old calendar."""
    given = rows(DATES)
    hudi_core.create(tmp_path / "t", TYPES, "id", type=kind).insert(given)
    (file,) = (tmp_path / "t").glob("*.parquet")
    old = in_old_calendar(pq.read_table(file))
    with pq.ParquetWriter(
        file, old.schema, store_schema=False, compression="zstd", write_page_index=True, version="2.6"
    ) as writer:  # as this library writes: pages of columns without a change are copied
        writer.write_table(old, row_group_size=group)
        writer.add_key_value_metadata(NOTES)
    expected = {row["id"]: row for row in given.to_pylist()}

    def check() -> hudi_core.Table:
        table = hudi_core.open(tmp_path / "t")
        assert {row["id"]: row for row in table.scan(meta=False).to_arrow().to_pylist()} == expected
        for where, keys in FOUND.items():
            assert "".join(sorted(table.scan(where).to_arrow()["id"].to_pylist())) == keys, where
        return table

    check().index("column_stats")
    check().upsert(given.slice(5, 1))
    check().cluster(columns=["d"])
    check()


def test_recorded_bounds_may_be_of_the_old_calendar(tmp_path: Path) -> None:
    """FORMAT-1571: a writer that takes them from the footer records days as the file counts them."""
    given = rows({"b": DATES["b"]})
    hudi_core.create(tmp_path / "t", TYPES, "id").insert(given)
    (file,) = (tmp_path / "t").glob("*.parquet")
    old = in_old_calendar(pq.read_table(file))
    pq.write_table(old, file)  # for the bounds of the index
    hudi_core.open(tmp_path / "t").index("column_stats")
    pq.write_table(old.replace_schema_metadata(NOTES), file)
    table = hudi_core.open(tmp_path / "t")
    assert table.scan("d = DATE '1500-03-01'").count() == 1
    assert table.scan("at = TIMESTAMP '1500-03-01 00:00:00'").count() == 1


@pytest.mark.parametrize("older", ["INT64", "INT96"])
def test_rows_that_come_in_such_a_file_are_read_so_too(tmp_path: Path, older: str) -> None:
    """FORMAT-1571."""
    given = rows(DATES)
    notes = NOTES | ({"org.apache.spark.legacyINT96": ""} if older == "INT96" else {})
    plain = in_old_calendar(given).drop_columns(["local"])
    as_int96 = older == "INT96"
    with pq.ParquetWriter(
        tmp_path / "rows.parquet", plain.schema, store_schema=False, use_deprecated_int96_timestamps=as_int96
    ) as writer:
        writer.write_table(plain)
        writer.add_key_value_metadata(notes)
    wanted = given.drop_columns(["local"])
    table = hudi_core.create(tmp_path / "t", wanted.schema, "id")
    table.insert(str(tmp_path / "rows.parquet"))
    stored = table.refresh().scan(meta=False).to_arrow().to_pylist()
    assert {row["id"]: row for row in stored} == {row["id"]: row for row in wanted.to_pylist()}

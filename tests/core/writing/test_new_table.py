"""Properties of new tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import UsageError
from hudi_core.options import KeyGeneratorType, MergeMode, TableType, TimeZone, table_config
from hudi_core.schema.schema import Schema
from hudi_core.table.open import refreshed
from hudi_core.types import nodes as t
from hudi_core.writing.create import create_table
from hudi_core.writing.new_table import NewTable, new_properties, options_of, table_name

SCHEMA = Schema(t.Record(tuple(t.Field(number, name, t.String()) for number, name in enumerate(("a", "b", "c", "ts")))))
NEW = NewTable("trips", SCHEMA, key=("a",), partition_by=("c",), ordering=("ts",))
EVENT_TIME, COMMIT_TIME = MergeMode.EVENT_TIME_ORDERING, MergeMode.COMMIT_TIME_ORDERING


@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize("type", ["cow", "mor"])
def test_properties_are_read_back_as_they_were_meant(version: int, type: str) -> None:
    """CREATE-2."""
    config = table_config(new_properties(replace(NEW, version=version, type=type)))
    assert (config.name, config.version, config.layout) == ("trips", version, 1 if version == 6 else 2)
    assert config.type is (TableType.COPY_ON_WRITE if type == "cow" else TableType.MERGE_ON_READ)
    assert (config.record_key_fields, config.partition_fields, config.ordering_fields) == (("a",), ("c",), ("ts",))
    assert config.key_generator is KeyGeneratorType.SIMPLE
    assert config.timezone is TimeZone.UTC
    assert config.findings == ()


def test_merging_stands_where_the_version_looks_for_it() -> None:
    """CREATE-2."""
    keys = ("hoodie.record.merge.mode", "hoodie.record.merge.strategy.id", "hoodie.compaction.payload.class")
    stated = {version: [key in new_properties(replace(NEW, version=version)) for key in keys] for version in (6, 8, 9)}
    assert stated == {6: [False, True, True], 8: [True, True, True], 9: [True, False, False]}


def test_the_merge_mode_follows_from_the_ordering_column() -> None:
    """CREATE-3."""
    assert table_config(new_properties(NEW)).merge_mode is EVENT_TIME
    assert table_config(new_properties(replace(NEW, ordering=()))).merge_mode is COMMIT_TIME
    stated = replace(NEW, options={"hoodie.record.merge.mode": COMMIT_TIME.value})
    assert table_config(new_properties(stated)).merge_mode is COMMIT_TIME


@pytest.mark.parametrize(
    ("key", "partition_by", "generator"),
    [
        (("a",), (), KeyGeneratorType.NON_PARTITION),
        (("a",), ("c",), KeyGeneratorType.SIMPLE),
        (("a", "b"), ("c",), KeyGeneratorType.COMPLEX),
        (("a",), ("b", "c"), KeyGeneratorType.COMPLEX),
        (("a",), ("b:SIMPLE", "ts:TIMESTAMP"), KeyGeneratorType.CUSTOM),
    ],
)
def test_the_key_generator_follows_from_the_columns(
    key: tuple[str, ...], partition_by: tuple[str, ...], generator: KeyGeneratorType
) -> None:
    """CREATE-2."""
    assert table_config(new_properties(replace(NEW, key=key, partition_by=partition_by))).key_generator is generator


@pytest.mark.parametrize("version", [6, 8])
def test_keys_that_writers_of_apache_hudi_stop_at_are_refused(version: int) -> None:
    """CREATE-4."""
    with pytest.raises(UsageError, match="COMPLEX"):
        new_properties(replace(NEW, version=version, partition_by=("b", "c")))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 7}, "one of 6, 8, 9"),
        ({"type": "both"}, "one of cow, mor"),
        ({"key": ("x",)}, "key: expected a column of a, b, c, ts, found 'x'"),
        ({"ordering": ("x",)}, "ordering column"),
        ({"partition_by": ("c:DAILY",)}, "c:DAILY"),
        ({"key": ("a:SIMPLE",)}, "a:SIMPLE"),
        ({"options": {"hoodie.record.merge.mode": "CUSTOM"}}, "COMMIT_TIME_ORDERING"),
        ({"ordering": (), "options": {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}}, "an ordering column"),
        ({"options": {"hoodie.table.keygenerator.type": "BEST"}}, "BEST"),
        ({"schema": Schema(t.Record((t.Field(0, "_hoodie_x", t.String()),))), "key": (), "partition_by": (), "ordering": ()},
         "Hudi's own"),
    ],
)  # fmt: skip
def test_what_no_table_can_be_is_refused(changes: dict[str, object], message: str) -> None:
    """CREATE-1."""
    with pytest.raises(UsageError, match=message):
        new_properties(replace(NEW, **changes))  # type: ignore[arg-type]


def test_names_come_from_folders_and_options_are_strings() -> None:
    assert [table_name(uri) for uri in ("/a/b c/", "s3://x/trips", "/")] == ["b_c", "trips", "table"]
    assert options_of({"a": True, "b": 3}) == {"a": "true", "b": "3"}


@pytest.mark.parametrize(("name", "row"), [("2024", "hoodie.__024.__024_record"), ("a-b", "hoodie.a__b.a__b_record")])
def test_a_table_of_any_name_has_rows_with_a_name_of_avro(tmp_path: Path, name: str, row: str) -> None:
    """CREATE-5."""
    rows = pa.table({"id": ["a"]})
    table = create_table(tmp_path / "t", rows.schema, "id", name=name)
    table.insert(rows)
    stated = json.loads(table.config.properties["hoodie.table.create.schema"])
    assert f"{stated['namespace']}.{stated['name']}" == row
    assert refreshed(table).scan().count() == 1

"""Properties of new tables.

Also covers: `creating/creation_options.py`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.creating.new_table import NewTable, new_properties, table_name
from hudi_core.errors import HudiError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.options import KeyGeneratorType, MergeMode, TableType, TimeZone, table_config
from hudi_core.schema.schema import Schema
from hudi_core.stated_properties import property_texts
from hudi_core.table.open import refreshed
from hudi_core.types import nodes as t

SCHEMA = Schema(t.Record(tuple(t.Field(number, name, t.String()) for number, name in enumerate(("a", "b", "c", "ts")))))
NEW = NewTable("trips", SCHEMA, key=("a",), partition_by=("c",), ordering=("ts",))
EVENT_TIME, COMMIT_TIME = MergeMode.EVENT_TIME_ORDERING, MergeMode.COMMIT_TIME_ORDERING
PAIRS = t.Array(t.Field(2, "element", t.Record((t.Field(3, "x", t.Long()), t.Field(4, "X", t.Long())))))


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


def test_merge_properties_have_the_names_of_the_version() -> None:
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
@pytest.mark.parametrize("bare", [False, True])
def test_keys_that_writers_of_apache_hudi_stop_at_are_warned_of(tmp_path: Path, version: int, bare: bool) -> None:
    """CREATE-4, KEY-3: with the field's name, or without it where the table's rows have none."""
    rows = pa.table({"a": ["1", "2"], "b": ["x", "y"], "c": ["z", "z"]})
    with pytest.warns(UserWarning, match=r"complex\.keygen\.validation\.enable=false"):
        table = create_table(tmp_path / "t", rows, key="a", partition_by=["b", "c"], version=version)
    if bare:
        with (tmp_path / "t/.hoodie/hoodie.properties").open("a") as properties:
            properties.write("hoodie.write.complex.keygen.new.encoding=true\n")
        table = open_table(tmp_path / "t")
    table.insert(rows)
    table.upsert(rows)
    table.delete(rows.slice(1))
    keys = open_table(tmp_path / "t").scan(columns=["_hoodie_record_key"]).to_arrow()["_hoodie_record_key"]
    assert keys.to_pylist() == ["1" if bare else "a:1"]
    if not bare:
        with (tmp_path / "t/.hoodie/hoodie.properties").open("a") as properties:
            properties.write("hoodie.write.complex.keygen.new.encoding=true\n")
        with pytest.raises(UnsupportedError, match=r"keygen\.new\.encoding says whether keys have their field's name"):
            open_table(tmp_path / "t").upsert(rows)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"partition_by": ("b", "c")}, "key: expected several key columns or stored keys"),
        ({"partition_by": ("b:SIMPLE", "c:TIMESTAMP")}, "found CUSTOM"),
        ({"key": ()}, "expected key columns where the value is false"),
    ],
)
def test_virtual_keys_that_writers_of_apache_hudi_take_apart_otherwise_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    """CREATE-7."""
    options = {"hoodie.populate.meta.fields": "false"}
    with pytest.raises(UsageError, match=message):
        new_properties(replace(NEW, options=options, **changes))
    new_properties(replace(NEW, options=options))
    new_properties(replace(NEW, options=options, key=("a", "b"), partition_by=("b", "c")))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 7}, "one of 6, 8, 9"),
        ({"type": "both"}, "one of cow, mor"),
        ({"key": ("x",)}, "key: expected a column of the schema .a, b, c, ts., found 'x'"),
        ({"ordering": ("x",)}, "ordering: expected"),
        ({"partition_by": ("c:DAILY",)}, "c:DAILY"),
        ({"key": ("a:SIMPLE",)}, "a:SIMPLE"),
        ({"options": {"hoodie.record.merge.mode": "CUSTOM"}}, "COMMIT_TIME_ORDERING"),
        ({"ordering": (), "options": {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}}, "an ordering column"),
        ({"options": {"hoodie.table.keygenerator.type": "BEST"}}, "BEST"),
        ({"schema": Schema(t.Record((t.Field(0, "_hoodie_x", t.String()),))), "key": (), "partition_by": (), "ordering": ()},
         "no column that Hudi itself adds"),
        ({"schema": Schema(t.Record((t.Field(0, "_HOODIE_File_Name", t.String()),))), "key": (), "partition_by": (),
          "ordering": ()}, "no column that Hudi itself adds, found _HOODIE_File_Name"),
        ({"schema": Schema(t.Record(())), "key": (), "partition_by": (), "ordering": ()}, "schema: expected columns"),
        ({"schema": Schema(t.Record((t.Field(0, "a", t.String()), t.Field(1, "A", t.String())))),
          "partition_by": (), "ordering": ()}, "differ in more than case"),
        ({"schema": Schema(t.Record((t.Field(0, "a", t.String()), t.Field(1, "s", PAIRS)))), "partition_by": (), "ordering": ()},
         "names that differ in more than case, found two of s.element.x"),
        ({"schema": Schema(t.Record((t.Field(0, "a", t.Decimal(39, 2)),))), "key": (), "partition_by": (), "ordering": ()},
         "decimals of at most 38 digits, found a of 39"),
        ({"key": ("a", "b", "a")}, "each column once"),
        ({"partition_by": ("b", "b")}, "partition_by: expected each column once"),
        ({"ordering": ("b", "a", "b")}, "ordering: expected each column once"),
        ({"version": "9"}, "one of 6, 8, 9, found '9'"),
        ({"options": {"hoodie.datasource.write.precombine.field": "b"}}, "the argument ordering= instead"),
        ({"options": {"hoodie.table.version": "6"}}, "the argument version= instead"),
        ({"options": {"hoodie.table.metadata.partitions": "files"}}, "the argument indexes= instead"),
        ({"options": {"hoodie.compaction.payload.class": "org.example.Own"}}, "hoodie.record.merge.mode=EVENT_TIME_ORDERING or"),
        ({"options": {"hoodie.datasource.write.record.merge.mode": "EVENT_TIME_ORDERING"}},
         "COMMIT_TIME_ORDERING, which stands for payload classes and mergers, found hoodie.datasource.write.record.merge.mode=E"),
        ({"options": {"populate.meta.fields": "false"}}, "expected a property of a table"),
    ],
)  # fmt: skip
def test_types_that_no_table_can_have_are_refused(changes: dict[str, object], message: str) -> None:
    """CREATE-1, CREATE-1536, CREATE-1578."""
    with pytest.raises(UsageError, match=message):
        new_properties(replace(NEW, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"options": {"hoodie.populate.meta.fields": "maybe"}},
            "options: expected a valid hoodie.populate.meta.fields",
        ),
        ({"options": {"hoodie.table.cdc.supplemental.logging.mode": "X"}}, "a valid hoodie.table.cdc"),
        ({"options": {"hoodie.table.timeline.timezone": "Mars"}}, "a valid hoodie.table.timeline.timezone"),
        ({"options": {"hoodie.table.base.file.format": "ORC"}}, "base files in Parquet"),
        ({"options": {"hoodie.table.format": "iceberg"}}, "native table format"),
        ({"options": {"hoodie.table.keygenerator.type": "USER_PROVIDED"}}, "one of the user's"),
        ({"options": {"hoodie.table.keygenerator.type": "TIMESTAMP"}, "partition_by": "n"}, "timestamp.type"),
        ({"options": {"hoodie.table.keygenerator.type": "SIMPLE"}, "key": "id,n"}, "expected one field"),
        ({"key": "tags"}, "tags: expected a field of a primitive type"),
        ({"partition_by": "tags"}, "tags: expected a field of a primitive type"),
        ({"indexes": ["bloom"]}, "indexes: expected some of"),
        ({"key": ""}, "key: expected a column, or several with commas between them, found ''"),
        ({"key": " , "}, "key: expected a column, or several"),
        ({"partition_by": ""}, "partition_by: expected a column"),
        ({"ordering": " "}, "ordering: expected a column"),
    ],
)
def test_a_table_that_nobody_could_write_to_is_not_created(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    """CREATE-6, CREATE-1000."""
    types = pa.schema([("id", pa.string()), ("n", pa.int64()), ("tags", pa.list_(pa.string()))])
    with pytest.raises(HudiError, match=message):
        create_table(tmp_path / "t", types, **{"key": "id", **arguments})
    assert list(tmp_path.iterdir()) == []


def test_indexes_are_named_as_columns_are(tmp_path: Path) -> None:
    """In one string or several."""
    rows = pa.table({"id": ["a"]})
    made = [create_table(tmp_path / name, rows, "id", indexes=given).config.metadata_partitions
            for name, given in (("a", "column_stats, record_index"), ("b", ["record_index", "column_stats"]))]  # fmt: skip
    assert made[0] == made[1] == ("column_stats", "files", "record_index")


def test_names_come_from_folders_and_options_are_strings() -> None:
    assert [table_name(uri) for uri in ("/a/b c/", "s3://x/trips", "/")] == ["b_c", "trips", "table"]
    assert property_texts({"a": True, "b": 3}, "options") == {"a": "true", "b": "3"}


@pytest.mark.parametrize(("name", "row"), [("2024", "hoodie.__024.__024_record"), ("a-b", "hoodie.a__b.a__b_record")])
def test_a_table_of_any_name_has_rows_with_a_name_of_avro(tmp_path: Path, name: str, row: str) -> None:
    """CREATE-5."""
    rows = pa.table({"id": ["a"]})
    table = create_table(tmp_path / "t", rows.schema, "id", name=name)
    table.insert(rows)
    stated = json.loads(table.config.properties["hoodie.table.create.schema"])
    assert f"{stated['namespace']}.{stated['name']}" == row
    assert refreshed(table).scan().count() == 1


def test_options_that_repeat_an_argument_are_taken_and_those_of_writes_have_no_effect(tmp_path: Path) -> None:
    """CREATE-6."""
    options = {
        "hoodie.datasource.write.recordkey.field": "id, n",
        "hoodie.table.type": "MERGE_ON_READ",
        "hoodie.parquet.max.file.size": "1000000",
    }
    schema = pa.schema([("id", pa.string()), ("n", pa.int32())])
    with pytest.warns(UserWarning, match="hoodie.parquet.max.file.size is an option of writes") as noticed:
        table = create_table(tmp_path / "t", schema, "id,n", type="mor", options=options)
    assert len(noticed) == 1
    assert not [name for name in table.config.properties if "parquet" in name or "recordkey.field" in name[-15:]]


@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_new_table_has_the_folders_of_one_of_apache_hudi(tmp_path: Path, version: int) -> None:
    """CREATE-230: without that of the timeline Apache Hudi neither reads it nor writes to it."""
    given = pa.schema([("id", pa.string()), ("v", pa.int64())])
    create_table(tmp_path / "t", given, "id", version=version)
    folders = {path.relative_to(tmp_path / "t").as_posix() for path in (tmp_path / "t").rglob("*") if path.is_dir()}
    timeline = {".hoodie/timeline", ".hoodie/timeline/history"} if version > 6 else set()
    bootstrap = {".hoodie/.aux/.bootstrap/.partitions", ".hoodie/.aux/.bootstrap/.fileids"}
    assert folders > {".hoodie/.schema", ".hoodie/.temp"} | timeline | bootstrap
    assert [path.name for path in (tmp_path / "t").rglob("*") if path.is_file()] == ["hoodie.properties"]
    assert list(open_table(tmp_path / "t").validate()) == []


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("hoodie.table.cdc.enable", "hoodie.table.cdc.enabled"),
        ("hoodie.table.CDC.enabled", "hoodie.table.cdc.enabled"),
        ("hoodie.table.timeline.time.zone", "hoodie.table.timeline.timezone"),
        ("hoodie.table.keygenerator.typ", "hoodie.table.keygenerator.type"),
        ("hoodie.table.recordkey.field", "hoodie.table.recordkey.fields"),
    ],
)
def test_a_misspelled_property_is_refused_by_the_one_that_is_meant(tmp_path: Path, option: str, meant: str) -> None:
    """CREATE-1279: the table would silently be without it."""
    schema = pa.schema([("id", pa.string())])
    with pytest.raises(UsageError, match=f"options: expected {meant}, found {option}"):
        create_table(tmp_path / "t", schema, "id", options={option: "true"})
    assert not (tmp_path / "t").exists()
    others = {"hoodie.table.owner": "me", "hoodie.table.services.enabled": "false"}
    assert create_table(tmp_path / "t", schema, "id", options=others).config.properties.items() >= others.items()


TIMES = {
    "hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS",
    "hoodie.keygen.timebased.output.dateformat": "yyyy/MM/dd",
}
GENERATOR_CLASS = "hoodie.datasource.write.keygenerator.class"


def test_a_class_of_a_key_generator_counts_as_its_type_does(tmp_path: Path) -> None:
    """CREATE-1663: rows would silently go to other partitions."""
    schema = pa.schema([("id", pa.string()), ("at", pa.int64())])
    options = {GENERATOR_CLASS: "org.apache.hudi.keygen.TimestampBasedKeyGenerator", **TIMES}
    table = create_table(tmp_path / "t", schema, "id", partition_by="at", options=options)
    assert table.config.properties["hoodie.table.keygenerator.type"] == "TIMESTAMP"
    assert GENERATOR_CLASS not in table.config.properties


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({GENERATOR_CLASS: "com.example.Keys"}, "a key generator of Apache Hudi's"),
        (
            {
                GENERATOR_CLASS: "org.apache.hudi.keygen.ComplexKeyGenerator",
                "hoodie.table.keygenerator.type": "SIMPLE",
            },
            "the class of SIMPLE",
        ),
        (TIMES, "with times in its paths, found the key generator SIMPLE"),
        ({**TIMES, GENERATOR_CLASS: "org.apache.hudi.keygen.SimpleKeyGenerator"}, "found the key generator SIMPLE"),
    ],
)
def test_options_of_keys_without_effect_are_refused(tmp_path: Path, options: dict[str, str], message: str) -> None:
    """CREATE-1663."""
    schema = pa.schema([("id", pa.string()), ("at", pa.int64())])
    with pytest.raises(UsageError, match=message):
        create_table(tmp_path / "t", schema, "id", partition_by="at", options=options)
    assert not (tmp_path / "t").exists()

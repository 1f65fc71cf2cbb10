"""What `hoodie.properties` says of a table, and what is refused."""

from __future__ import annotations

import json
import re

import pytest

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.properties import parse_properties
from hudi_core.options import (
    PROPERTIES_PATH,
    BaseFileFormat,
    CdcMode,
    KeyGeneratorType,
    MergeMode,
    TableConfig,
    TableType,
    TimeZone,
    table_config,
)
from tests.support.conformance import ROOT, TableEntry, each_table

LEAST = {
    "hoodie.table.name": "rides",
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.table.version": "9",
}


def config(**changes: str) -> TableConfig:
    return table_config(LEAST | {key.replace("__", "."): value for key, value in changes.items()})


def test_least_properties_give_hudis_defaults() -> None:
    found = table_config(LEAST)
    assert (found.name, found.type, found.version, found.layout) == ("rides", TableType.COPY_ON_WRITE, 9, 2)
    assert found.populate_meta_fields
    assert found.base_file_format is BaseFileFormat.PARQUET
    assert found.timeline_folder == ".hoodie/timeline"
    assert found.history_folder == ".hoodie/timeline/history"
    assert found.index_definitions_path == ".hoodie/.index_defs/index.json"
    assert found.key_generator is KeyGeneratorType.NON_PARTITION
    assert found.cdc_mode is CdcMode.DATA_BEFORE_AFTER
    assert found.timezone is TimeZone.LOCAL
    assert found.metadata_partitions == found.record_key_fields == found.partition_fields == ()
    assert found.findings == ()


def test_layout_1_ignores_the_timeline_path_that_writers_state_all_the_same() -> None:
    """TIME-2."""
    found = config(hoodie__table__version="6", hoodie__timeline__path="timeline", hoodie__archivelog__folder="history")
    assert (found.layout, found.timeline_folder, found.history_folder) == (1, ".hoodie", ".hoodie/history")
    assert config(hoodie__table__version="6").history_folder == ".hoodie/archived"


def test_both_spellings_of_the_ordering_fields_count() -> None:
    old, new = "hoodie.table.precombine.field", "hoodie.table.ordering.fields"
    assert table_config(LEAST | {old: "ts"}).ordering_fields == ("ts",)
    assert table_config(LEAST | {new: "ts, seq"}).ordering_fields == ("ts", "seq")
    assert table_config(LEAST | {new: "", old: "ts"}).ordering_fields == ("ts",)


def test_custom_key_generator_states_a_type_with_each_partition_field() -> None:
    found = config(hoodie__table__partition__fields="region:SIMPLE,event_ts:timestamp")
    assert found.partition_fields == ("region", "event_ts")
    assert found.partition_field_types == ("SIMPLE", "TIMESTAMP")
    assert found.key_generator is KeyGeneratorType.CUSTOM


@pytest.mark.parametrize(
    ("fields", "keys", "expected"),
    [
        ("", "a", KeyGeneratorType.NON_PARTITION),
        ("", "a,b", KeyGeneratorType.NON_PARTITION),
        ("p", "a", KeyGeneratorType.SIMPLE),
        ("p", "", KeyGeneratorType.SIMPLE),
        ("p", "a,b", KeyGeneratorType.COMPLEX),
        ("p,q", "a", KeyGeneratorType.COMPLEX),
    ],
)
def test_key_generator_is_inferred_when_none_is_stated(fields: str, keys: str, expected: KeyGeneratorType) -> None:
    found = config(hoodie__table__partition__fields=fields, hoodie__table__recordkey__fields=keys)
    assert found.key_generator is expected


@pytest.mark.parametrize(
    ("key", "stated", "expected"),
    [
        ("type", "TIMESTAMP", KeyGeneratorType.TIMESTAMP),
        ("type", "complex_avro", KeyGeneratorType.COMPLEX),
        ("type", "HOODIE_TABLE_METADATA", KeyGeneratorType.METADATA_TABLE),
        ("type", "SOMETHING_NEW", KeyGeneratorType.USER_PROVIDED),
        ("class", "org.apache.hudi.keygen.NonpartitionedKeyGenerator", KeyGeneratorType.NON_PARTITION),
        ("class", "org.apache.hudi.keygen.ComplexAvroKeyGenerator", KeyGeneratorType.COMPLEX),
        ("class", "com.example.Mine", KeyGeneratorType.USER_PROVIDED),
    ],
)
def test_stated_key_generator_is_known_by_type_or_class(key: str, stated: str, expected: KeyGeneratorType) -> None:
    assert table_config(LEAST | {f"hoodie.table.keygenerator.{key}": stated}).key_generator is expected


def test_slash_separated_dates_are_known_by_option_or_by_extractor() -> None:
    extractor = "org.apache.hudi.hive.SlashEncodedDayPartitionValueExtractor"
    assert config(hoodie__table__partition_extractor_class=extractor).slash_separated_dates
    assert config(hoodie__datasource__write__slash__separated__date__partitioning="true").slash_separated_dates
    assert not table_config(LEAST).slash_separated_dates


def test_wrong_checksum_is_a_finding_and_not_a_failure() -> None:
    (finding,) = config(hoodie__table__checksum="1").findings
    assert "hoodie.table.checksum is 1" in finding


def test_checksum_without_database_starts_with_the_dot() -> None:
    assert table_config(LEAST | {"hoodie.table.checksum": "3607106139"}).findings == ()


@pytest.mark.parametrize("version", ["ten", "-1", "10.0", "9" * 5000])
def test_what_is_no_version_is_damage(version: str) -> None:
    """TABLE-710."""
    with pytest.raises(CorruptFileError, match=r"place: expected a number as hoodie\.table\.version, found '"):
        table_config(LEAST | {"hoodie.table.version": version}, "place")


@pytest.mark.parametrize("version", ["0", "1", "7", "11", "99999999999999999999"])
def test_unknown_table_version_is_unsupported(version: str) -> None:
    with pytest.raises(
        UnsupportedError, match=r"place: expected a table version of 2, 3, 4, 5, 6, 8, 9, 10, found version \d+"
    ):
        table_config(LEAST | {"hoodie.table.version": version}, "place")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("hoodie.table.name", ""),
        ("hoodie.table.type", "cow"),
        ("hoodie.table.version", ""),
        ("hoodie.table.version", "baz"),
        ("hoodie.table.version", "٩"),
        ("hoodie.timeline.layout.version", "3"),
        ("hoodie.timeline.layout.version", "_"),
        ("hoodie.table.base.file.format", "foo"),
        ("hoodie.record.merge.mode", "SOME"),
        ("hoodie.populate.meta.fields", "1"),
        ("hoodie.datasource.write.partitionpath.urlencode", "-1"),
    ],
)
def test_value_that_cannot_be_meant_is_refused_with_place_and_key(key: str, text: str) -> None:
    with pytest.raises(CorruptFileError, match=rf"^place: .*{re.escape(key)}"):
        table_config(LEAST | {key: text}, "place")


def test_config_is_frozen_and_keeps_all_properties() -> None:
    found = table_config(LEAST | {"some.other": "x"})
    assert found.properties["some.other"] == "x"
    with pytest.raises(ValueError, match="frozen"):
        found.name = "other"


@each_table()
def test_every_table_is_configured_as_recorded(entry: TableEntry) -> None:
    path = entry.unpacked() / PROPERTIES_PATH
    found = table_config(parse_properties(path.read_bytes(), str(path)), str(path))
    expected = entry.expected["table"]
    assert found.properties == expected["properties"]
    assert found.findings == ()
    assert (found.name, found.type.value, found.version, found.layout) == (
        expected["table_name"],
        expected["table_type"],
        expected["table_version"],
        expected["timeline_layout_version"],
    )
    assert found.base_file_format.value == expected["base_file_format"]
    assert list(found.record_key_fields) == expected["record_key_fields"]
    assert list(found.partition_fields) == [field.partition(":")[0] for field in expected["partition_fields"]]
    assert list(found.ordering_fields) == expected["ordering_fields"]
    assert found.hive_style_partitioning == expected["hive_style_partitioning"]
    assert found.url_encode_partitioning == expected["url_encode_partitioning"]
    assert found.populate_meta_fields == expected["populate_meta_fields"]
    assert sorted(found.metadata_partitions) == sorted(expected["metadata_partitions"])
    if expected["merge_mode"] is not None:
        assert found.merge_mode is MergeMode(expected["merge_mode"])


def properties_files() -> list[dict[str, object]]:
    listed = ROOT / "corpus" / "properties" / "expected.json"
    found: list[dict[str, object]] = json.loads(listed.read_text("utf-8")) if listed.is_file() else []
    return found


@pytest.mark.skipif(not properties_files(), reason="corpus folder not present")
@pytest.mark.parametrize("case", properties_files(), ids=lambda case: str(case["name"]))
def test_properties_of_the_corpus_are_configured_or_refused(case: dict[str, object]) -> None:
    path = ROOT / "corpus" / str(case["file"])
    properties = parse_properties(path.read_bytes(), str(path))
    assert properties == case["parsed"]
    if are_sound(properties):
        assert table_config(properties, str(path)).properties == case["parsed"]
    else:
        with pytest.raises(CorruptFileError, match=re.escape(str(path))):
            table_config(properties, str(path))


def are_sound(properties: dict[str, str]) -> bool:
    """Whether the properties name a table and every value that has few spellings has one of them."""
    numbers = ("hoodie.table.version", "hoodie.timeline.layout.version")
    switches = [key for key in properties if properties[key].strip() and key in _SWITCHES]
    return (
        properties.keys() >= {"hoodie.table.name", "hoodie.table.version"}
        and all(properties.get(key, "1").strip().isdigit() for key in numbers)
        and all(properties[key].strip().lower() in ("true", "false") for key in switches)
        and properties.get("hoodie.table.type", "").strip().upper() in ("", "COPY_ON_WRITE", "MERGE_ON_READ")
        and properties.get("hoodie.table.base.file.format", "").strip().upper()
        in ("", "PARQUET", "ORC", "HFILE", "LANCE")
    )


_SWITCHES = (
    "hoodie.datasource.write.hive_style_partitioning",
    "hoodie.datasource.write.partitionpath.urlencode",
    "hoodie.datasource.write.drop.partition.columns",
    "hoodie.populate.meta.fields",
    "hoodie.table.cdc.enabled",
)


@pytest.mark.parametrize(
    "wrong",
    [
        {"hoodie.table.type": "cow"},
        {"hoodie.table.base.file.format": "foo"},
        {"hoodie.timeline.layout.version": "_"},
        {"hoodie.datasource.write.hive_style_partitioning": "0"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_value_that_cannot_be_meant_is_an_error_that_names_the_file(wrong: dict[str, str]) -> None:
    properties = {"hoodie.table.name": "t", "hoodie.table.version": "9"}
    assert are_sound(properties) and not are_sound(properties | wrong)
    table_config(properties, "place")
    with pytest.raises(CorruptFileError, match=f"^place: expected a valid {next(iter(wrong))}"):
        table_config(properties | wrong, "place")


def test_a_table_that_states_no_type_is_copy_on_write() -> None:
    """TABLE-1."""
    found = table_config({"hoodie.table.name": "t", "hoodie.table.version": "9"})
    assert found.type is TableType.COPY_ON_WRITE

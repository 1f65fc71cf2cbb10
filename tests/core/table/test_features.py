"""Which features tables use, and who else can read them: recorded tables, made ones, and the table of facts.

Also covers: `table/readers.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.table.features import Feature, features
from hudi_core.table.readers import READERS, Reads, answers
from tests.support.commands import ran
from tests.support.conformance import TableEntry, each_table_where
from tests.support.restated import restated
from tests.support.written_tables import rows

OF_NAMES = {
    "mor_v9": {Feature.LOG_FILES},
    "evolution": {Feature.RENAMED_COLUMNS},
    "virtual_keys": {Feature.VIRTUAL_KEYS},
    "lance": {Feature.LANCE},
    "cdc_data": {Feature.CDC},
    "delete_marker": {Feature.DELETE_MARKER},
    "drop_columns": {Feature.DROPPED_PARTITION_COLUMNS},
    "rindex_partitioned": {Feature.PARTITIONED_RECORD_INDEX},
    "rindex_global": {Feature.RECORD_INDEX},
    "index_secondary": {Feature.SECONDARY_INDEX},
    "index_expr": {Feature.EXPRESSION_INDEX},
}


def read(answers_of: list[Any]) -> dict[str, str]:
    return {answer["reader"]: answer["reads"] for answer in answers_of}


@each_table_where(lambda entry: any(part in entry.name for part in OF_NAMES), "features")
def test_recorded_tables_use_what_their_names_say(entry: TableEntry) -> None:
    """TABLE-721."""
    used = set(features(open_table(entry.unpacked())))
    for part, expected in OF_NAMES.items():
        if part in entry.name and "avro_evolution" not in entry.name:
            assert expected - used in (set(), {Feature.LOG_FILES}), (part, used)
    assert not used & {Feature.NATIVE_LOGS, Feature.SORTED_FILES, Feature.BOOTSTRAP, Feature.EXTERNAL_FILES}


@pytest.mark.parametrize("type_", ["cow", "mor"])
@pytest.mark.parametrize("version", [6, 8, 9])
def test_plain_tables_are_read_by_who_knows_their_version(tmp_path: Path, type_: Any, version: Any) -> None:
    """TABLE-721."""
    made = create_table(tmp_path / "t", rows(), key="id", type=type_, version=version)
    made.insert(rows(("a", "x", 1)))
    made.refresh().upsert(rows(("a", "x", 2)))
    (answer,) = ran("inspect", tmp_path / "t", "--json").lines
    by_reader = read(answer["readers"])
    assert by_reader["Apache Hudi 0.14 to 0.15"] == ("yes" if version == 6 else "no")
    assert by_reader["Apache Hudi 1.0"] == ("yes" if version < 9 else "no")
    assert by_reader["Apache Hudi 1.2.1"] == by_reader["hudi-rs 0.6"] == "yes"
    assert by_reader["Trino from 479"] == ("wrong" if type_ == "mor" else "yes")
    assert answer["last_writer"].startswith("hudi_core ")
    assert answer["features"] == [*(["log files to merge"] if type_ == "mor" else []), "instants in UTC"]


def test_a_renamed_column_is_read_wrong_by_hudi_rs(tmp_path: Path) -> None:
    """TABLE-721."""
    made = create_table(tmp_path / "t", rows(), key="id")
    made.insert(rows(("a", "x", 1)))
    made.refresh().evolve("RENAME COLUMN n TO m")
    (answer,) = ran("inspect", tmp_path / "t", "--json").lines
    assert read(answer["readers"])["hudi-rs 0.6"] == "wrong"
    shown = ran("inspect", tmp_path / "t").out
    assert "hudi-rs 0.6: wrong (it reads old files by the new names: null where a column was renamed)" in shown


@pytest.mark.parametrize(
    ("key", "value", "feature"),
    [
        ("hoodie.table.storage.layout", "lsm_tree", Feature.SORTED_FILES),
        ("hoodie.meta.fields.mode", "COMMIT_TIME_ONLY", Feature.SELECTIVE_META_FIELDS),
        ("hoodie.bootstrap.base.path", "s3://b/t", Feature.BOOTSTRAP_PATH),
        ("hoodie.table.ordering.fields", "n,id", Feature.ORDERING_COLUMNS),
        ("hoodie.table.base.file.format", "orc", Feature.ORC),
        ("hoodie.table.base.file.format", "HFILE", Feature.HFILE),
        ("hoodie.record.merge.mode", "CUSTOM", Feature.CUSTOM_MERGE),
        ("hoodie.table.timeline.timezone", "utc", Feature.UTC),
    ],
)
def test_features_of_properties(tmp_path: Path, key: str, value: str, feature: Feature) -> None:
    """TABLE-721: also of a table without commits."""
    create_table(tmp_path / "t", rows(), key="id")
    restated(tmp_path / "t", {key: value})
    assert feature in features(open_table(tmp_path / "t"))


def test_the_table_of_facts_is_about_features_and_readers() -> None:
    """TABLE-721: each fact has its reason, and no reader says of itself that it can read what it has no fact about."""
    assert len({reader.name for reader in READERS}) == len(READERS)
    for reader in READERS:
        for feature, (reads, reason) in reader.facts.items():
            assert isinstance(feature, Feature) and reads is not Reads.YES and reason
    for version in (2, 6, 8, 9, 10):
        for answer in answers(version, Feature):
            assert answer.because or answer.reads is Reads.YES


def test_version_10_is_read_by_no_release() -> None:
    """TABLE-721."""
    by_reader = {answer.reader: answer.reads for answer in answers(10, [])}
    assert by_reader.pop("Apache Hudi, its master branch") is Reads.YES
    assert set(by_reader.values()) == {Reads.NO}

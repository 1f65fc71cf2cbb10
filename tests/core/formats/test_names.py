"""FORMAT-5 to FORMAT-8: names of base files and log files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.formats.names import BaseFileName, LogFileName, parse_base_file, parse_log_file
from tests.support.conformance import TableEntry, each_table_where, vectors

PARTS = st.text("abcXYZ019-%=é", min_size=1, max_size=12)
DIGITS = st.integers(0, 10**17).map(str)
TOKENS = st.builds("{}-{}-{}".format, *[st.integers(0, 9999)] * 3)
BASES = st.builds(BaseFileName, PARTS, TOKENS, DIGITS, st.sampled_from([".parquet", ".orc", ".hfile", ".lance"]))
LOGS = st.builds(LogFileName, PARTS, DIGITS, st.integers(0, 2**31 - 1), TOKENS, st.sampled_from(["", ".cdc", "-cdc"]))


def cases(operation: str) -> list[dict[str, Any]]:
    return [case for case in vectors("partition_paths") if case["op"] == operation]


def hudi_refuses_its_own_file_id(name: BaseFileName) -> bool:
    """Its pattern for base files takes ASCII letters, digits and dashes only, though it escapes file ids with `%`."""
    return not (name.file_id.isascii() and name.file_id.replace("-", "").isalnum())


def test_names_are_sorted_into_kinds_as_hudi_does() -> None:
    for case in cases("file_name"):
        name, output = case["input"]["name"], case["output"]
        base, log = parse_base_file(name), parse_log_file(name)
        if base is None or not hudi_refuses_its_own_file_id(base):
            assert (base is not None) == output["is_base_file"]["value"], name
        assert (log is not None) == output["is_log_file"]["value"], name
        if base:
            recorded = (output["file_id"], output["write_token_of_base_file"], output["commit_time"])
            assert [base.file_id, base.write_token, base.instant] == [part["value"] for part in recorded]
        if log and "value" in (whole := output["log"]["object"]):
            assert [log.file_id, log.instant, log.version, log.write_token, log.suffix, log.is_cdc] == [
                whole["value"][part]
                for part in ("file_id", "delta_commit_time", "version", "write_token", "suffix", "cdc")
            ]


def test_names_are_made_as_hudi_makes_them() -> None:
    for case in cases("make_names"):
        given_, output = case["input"], case["output"]
        if None in (given_["file_id"], given_["instant"]):
            continue
        token = given_["token"]
        base = BaseFileName(given_["file_id"], str(token).lower(), given_["instant"], given_["extension"])
        if token:
            assert base.file_name() == output["base"]["value"]
        if given_["log_extension"] == ".log":
            log = LogFileName(given_["file_id"], given_["instant"], given_["version"], token, "")
            assert log.file_name() == output["log"]["value"]


def test_logs_apply_in_the_order_of_hudi() -> None:
    for case in cases("log_order"):
        logs = [parse_log_file(name) for name in case["input"]["names"]]
        ordered = sorted((log for log in logs if log), key=lambda log: log.order)
        assert [log.file_name() for log in ordered] == case["output"]["ascending"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "_SUCCESS",
        ".hoodie_partition_metadata",
        ".hoodie_partition_metadata.parquet",
        "part-00000.parquet",
        "f-0_1-0-1_20240101000000000.parquet.crc",
        ".f-0_1-0-1_20240101000000000.parquet",
        "f-0_1-0-1_20240101000000000.parquet.marker.CREATE",
        ".f-0_20240101000000000.log.1_1-0-1.crc",
        ".commits_.archive.1_1-0-1",
        "p/f-0_1-0-1_20240101000000000.parquet",
        ".f-0_20240101000000000.log." + "9" * 5000,
        "..f-0_20240101000000000.log.1_1-0-1",
    ],
)
def test_other_names_are_of_neither_kind(name: str) -> None:
    assert parse_base_file(name) is None
    assert parse_log_file(name) is None


def test_a_file_id_of_a_partitioned_record_index_is_taken_whole() -> None:
    base = parse_base_file("record-index-p%3D1.5%2Fä-0002-0_0-1-2_20240101000000000.hfile")
    log = parse_log_file(".record-index-p%3D1.5%2Fä-0002-0_20240101000000000.log.1_0-1-2")
    assert base is not None
    assert log is not None
    assert base.file_id == log.file_id == "record-index-p%3D1.5%2Fä-0002-0"


@given(BASES)
def test_a_base_file_name_reads_back(name: BaseFileName) -> None:
    assert parse_base_file(name.file_name()) == name
    assert parse_log_file(name.file_name()) is None


@given(LOGS)
def test_a_log_file_name_reads_back(name: LogFileName) -> None:
    assert parse_log_file(name.file_name()) == name
    assert parse_base_file(name.file_name()) is None


@each_table_where(lambda entry: entry.has("*.parquet", "*.hfile", "*.lance", "*.log.*"), "data files")
def test_every_data_file_of_a_table_has_a_name_of_its_kind(entry: TableEntry) -> None:
    folder = entry.unpacked()
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        while inside[:2] == (".hoodie", "metadata"):
            inside = inside[2:]
        if not path.is_file() or ".hoodie" in inside:
            continue
        if path.suffix in (".parquet", ".hfile", ".lance"):
            name = parse_base_file(path.name)
            assert name is not None, path.name
            assert name.file_name() == path.name
        elif ".log." in path.name:
            log = parse_log_file(path.name)
            assert log is not None, path.name
            assert log.file_name() == path.name

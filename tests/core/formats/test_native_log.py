"""Native log files as blocks: names, footers, positions.

Also covers: `formats/parquet/key_values.py`.
"""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column
from hudi_core.errors import CorruptFileError, HudiError, UnsupportedError
from hudi_core.formats.log import BlockKind, HeaderKey
from hudi_core.formats.name_columns import base_names
from hudi_core.formats.names import LogFileName, NativeKind, parse_base_file, parse_log_file
from hudi_core.formats.native_log import log_blocks, read_position_list
from hudi_core.formats.random_access import InMemoryFile
from tests.support.hfiles import Shape, build
from tests.support.logged_tables import Block
from tests.support.native_tables import FOOTER, Native, native_files, native_name, position_list

INSTANT = "20240101000100001"
ROWS = Block(rows=[{"id": "a", "ts": 1, "v": "x", "n": 1}])
NAMES = [
    "136281f3-c24e-423b-a65a-95dbfbddce1d_1-0-1_20250409161256974_2.log.parquet",
    "136281f3-c24e-423b-a65a-95dbfbddce1d-0_1-0-1_20250409161256974_3.deletes.parquet",
    "files-0000-0_0-0-0_20250409161256974_1.log.hfile",
    "a-0_1-2-3_20250409161256974_1.cdc.lance",
    "a-0_1-2-3_20250409161256974_1.deletes.formats-to-come",
]


@pytest.mark.parametrize("name", NAMES)
def test_native_names_are_log_files_and_never_base_files(name: str) -> None:
    """FORMAT-710."""
    log = parse_log_file(name)
    assert log is not None
    assert log.is_native
    assert log.file_name() == name
    assert parse_base_file(name) is None
    assert not len(base_names(string_column([name])).rows)


@pytest.mark.parametrize(
    "name",
    [
        "a_1-0-1_2_1.archive.parquet",
        "a_1-0-1_2_x.log.parquet",
        "a_1-0_2_1.log.parquet",
        "a.b_1-0-1_2_1.log.parquet",
        "a_1-0-1_2_1.log.par.quet",
        "a_1-0-1_2_1.log",
        ".a_1-0-1_2_1.log.parquet",
    ],
)
def test_other_names_are_no_native_logs(name: str) -> None:
    """FORMAT-710."""
    log = parse_log_file(name)
    assert log is None or not log.is_native


def test_rows_come_before_deletes_of_the_same_version_and_those_before_changes() -> None:
    """FORMAT-711."""
    names = [
        LogFileName("f", instant, version, "1-0-1", "", kind, "parquet")
        for instant in ("1", "2")
        for version in (1, 2)
        for kind in NativeKind
    ]
    assert sorted({*names}, key=lambda name: name.order) == names


def test_a_file_is_one_block_with_the_headers_of_its_footer() -> None:
    """LOG-710, LOG-711."""
    both = Block(ROWS.rows, [("b", None)])
    for name, content in native_files(Native(both), INSTANT).items():
        (block,) = log_blocks(name, InMemoryFile(content, name))
        assert block.kind is (BlockKind.DELETE if ".deletes." in name else BlockKind.PARQUET_DATA)
        assert block.header[HeaderKey.INSTANT_TIME] == INSTANT
        assert json.loads(block.header[HeaderKey.SCHEMA])["name"] == "logged"
        assert block.content() == content
        assert block.where == name


def test_an_hfile_is_a_block_of_records() -> None:
    """LOG-710, LOG-711."""
    members = json.dumps({"VERSION": "2", "INSTANT_TIME": INSTANT, "SCHEMA": '"string"'})
    content = build([(b"a", b"1")], Shape(info={FOOTER.encode(): members.encode()}))
    (block,) = log_blocks(name := native_name(INSTANT, 1, "log", "hfile"), InMemoryFile(content, name))
    assert block.kind is BlockKind.HFILE_DATA
    assert block.header[HeaderKey.SCHEMA] == '"string"'


@pytest.mark.parametrize(
    ("native", "error", "found"),
    [
        (Native(ROWS, members={"VERSION": "3"}), UnsupportedError, "found 3"),
        (Native(ROWS, members={"VERSION": "9" * 5000}), UnsupportedError, "found 9999"),
        (Native(ROWS, footer={FOOTER: '{"a":' + "[" * 100_000}), CorruptFileError, "nested too deeply"),
        (Native(ROWS, members={"VERSION": "two"}), CorruptFileError, "'two'"),
        (Native(ROWS, members={"SCHEMA": None}), CorruptFileError, "a SCHEMA in"),
        (Native(ROWS, members={"INSTANT_TIME": "20240101000100002"}), CorruptFileError, "the instant of its name"),
        (Native(ROWS, members={"VERSION": 2}), CorruptFileError, "an object of texts"),
        (Native(ROWS, footer={FOOTER: "["}), CorruptFileError, "JSON in"),
        (Native(ROWS, footer={FOOTER: "[]"}), CorruptFileError, "an object of texts"),
        (Native(ROWS, footer={}), CorruptFileError, "a SCHEMA in"),
    ],
)
def test_footers_that_cannot_be_meant_are_refused(native: Native, error: type[HudiError], found: str) -> None:
    """LOG-711."""
    (content,) = native_files(native, INSTANT).values()
    with pytest.raises(error, match=found):
        list(log_blocks(name := native_name(INSTANT, 1, "log"), InMemoryFile(content, name)))


@pytest.mark.parametrize(("kind", "extension"), [("log", "lance"), ("log", "orc"), ("deletes", "hfile"), ("cdc", "x")])
def test_formats_that_are_not_read_are_refused_by_name(kind: str, extension: str) -> None:
    """LOG-710."""
    with pytest.raises(UnsupportedError, match=f"one in '{extension}'"):
        list(log_blocks(native_name(INSTANT, 1, kind, extension), InMemoryFile(b"", "f")))


@pytest.mark.parametrize("missing", ["VERSION", "INSTANT_TIME"])
def test_a_version_may_be_missing_and_the_instant_is_also_in_the_name(missing: str) -> None:
    """LOG-711."""
    (content,) = native_files(Native(ROWS, members={missing: None}), INSTANT).values()
    (block,) = log_blocks(name := native_name(INSTANT, 1, "log"), InMemoryFile(content, name))
    assert block.header[HeaderKey.INSTANT_TIME] == INSTANT


@pytest.mark.parametrize("cut", [0, 3, 11, 12, 40])
def test_bytes_that_are_no_parquet_file_are_refused(cut: int) -> None:
    """LOG-711."""
    (content,) = native_files(Native(ROWS), INSTANT).values()
    for part in (content[:cut], content[-cut:] if cut else b"", content[:-8] + b"\xff\xff\xff\x7fPAR1"):
        with pytest.raises(CorruptFileError, match="a Parquet file"):
            list(log_blocks(native_name(INSTANT, 1, "log"), InMemoryFile(part, "f")))


@given(st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 300)))
def test_positions_come_in_their_order_with_repeats(positions: list[int]) -> None:
    """LOG-713."""
    assert read_position_list(position_list(positions), "f").tolist() == positions


@given(st.lists(st.integers(0, 1 << 40), min_size=1), st.integers(1, 12))
def test_positions_that_are_cut_or_have_bytes_left_are_refused(positions: list[int], cut: int) -> None:
    """LOG-713."""
    data = base64.b64decode(position_list(positions))
    for other in (data[:-cut], data + b"\0", data + b"\x80", b"\xff\xff\xff\xff" + data[4:]):
        with pytest.raises(CorruptFileError):
            read_position_list(base64.b64encode(other).decode(), "f")
    with pytest.raises(CorruptFileError, match="base64"):
        read_position_list("*", "f")
    with pytest.raises(CorruptFileError, match="63 bits"):
        read_position_list(base64.b64encode(b"\0\0\0\x01" + b"\xff" * 9 + b"\1").decode(), "f")

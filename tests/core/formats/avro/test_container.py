"""Container files are read whole, or refused with their name and what is wrong: never another error."""

from __future__ import annotations

import io
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.container import one_block, read_container
from tests.support.drawing import cases

SCHEMA = {
    "type": "record",
    "name": "Instant",
    "fields": [
        {"name": "operation", "type": ["null", "string"]},
        {"name": "stats", "type": {"type": "map", "values": {"type": "array", "items": "long"}}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "rate", "type": "double"},
    ],
}
RECORD = {"operation": "upsert", "stats": {"2024": [1, 2], "": []}, "kind": "B", "rate": 0.5}


def container(*records: dict[str, Any], codec: str = "null") -> bytes:
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(SCHEMA), records, codec=codec, sync_marker=b"sixteen bytes...")
    return out.getvalue()


@pytest.mark.parametrize("codec", ["null", "deflate"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_all_records_are_read(codec: str, count: int) -> None:
    assert read_container(container(*[RECORD] * count, codec=codec), "file") == [RECORD] * count


@pytest.mark.parametrize("content", [b"", b"Obj", b"{}", b"PAR1" * 4])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(CorruptFileError, match=r"^file: expected an Avro container file"):
        read_container(content, "file")


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_a_file_cut_off_within_a_block_is_corrupt(codec: str) -> None:
    whole = container(RECORD, codec=codec)
    begin = len(container(codec=codec))
    for end in range(begin + 1, len(whole)):
        with pytest.raises(CorruptFileError, match=r"^file: "):
            read_container(whole[:end], "file")


@settings(deadline=None, max_examples=cases(400), suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["null", "deflate"]), st.data())
def test_mutated_bytes_give_records_or_a_corrupt_file_error(codec: str, data: st.DataObject) -> None:
    content = bytearray(container(RECORD, RECORD, codec=codec))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert isinstance(read_container(bytes(content), "file"), list)
    except CorruptFileError as error:
        assert str(error).startswith("file: ")


@pytest.mark.parametrize("codec", ["snappy", "zstandard", "lz4", "nosuch"])
def test_a_codec_without_a_library_is_no_damage(codec: str) -> None:
    """FORMAT-262."""
    name = codec.encode()
    content = container(RECORD).replace(b"\x08null", bytes([2 * len(name)]) + name)
    assert name in content
    for read in (read_container, one_block):
        with pytest.raises(UnsupportedError, match="f: expected a codec whose library is installed, found ValueError"):
            read(content, "f")


@pytest.mark.parametrize("codec", ["xz", "bzip2", "deflate"])
def test_damage_in_what_is_compressed_is_damage(codec: str) -> None:
    """FORMAT-262."""
    name = codec.encode()
    with pytest.raises(CorruptFileError, match="f: expected a whole Avro container file"):
        read_container(container(RECORD).replace(b"\x08null", bytes([2 * len(name)]) + name), "f")

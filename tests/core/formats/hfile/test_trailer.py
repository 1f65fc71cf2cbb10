"""FORMAT-15 and FORMAT-18: the trailer, file info, and protobuf."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.formats.hfile.trailer import parse_file_info, protobuf_fields


def test_fields_of_every_wire_type_are_read() -> None:
    message = b"\x08\x96\x01" + b"\x11" + bytes([1] + [0] * 7) + b"\x1a\x02ab" + b"\x25\x05\0\0\0" + b"\x80\x01\x07"
    assert list(protobuf_fields(message, "t")) == [(1, 150), (2, 1), (3, b"ab"), (4, 5), (16, 7)]


@pytest.mark.parametrize(
    "message", [b"\x08", b"\x08\xff", b"\x08" + b"\xff" * 11, b"\x11\0", b"\x1a\x05ab", b"\x0b", b"\x0e\0", b"\x25"]
)
def test_a_message_cut_short_or_of_another_form_is_corrupt(message: bytes) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: expected "):
        list(protobuf_fields(message, "t"))


@given(st.binary(max_size=40))
def test_any_bytes_are_a_message_or_corrupt(message: bytes) -> None:
    try:
        list(protobuf_fields(message, "t"))
    except CorruptFileError as error:
        assert str(error).startswith("t: ")


def test_file_info_is_read_and_unknown_fields_are_left_out() -> None:
    entry = b"\x0a\x01k\x12\x01v\x18\x05"
    body = b"\x0a" + bytes([len(entry)]) + entry + b"\x10\x01"
    assert parse_file_info(b"PBUF" + bytes([len(body)]) + body, "t") == {b"k": b"v"}


@pytest.mark.parametrize("data", [b"", b"PBU", b"HADO\0", b"PBUF", b"PBUF\x05\0"])
def test_file_info_of_another_form_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: file info: expected "):
        parse_file_info(data, "t")

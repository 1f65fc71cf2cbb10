"""Structures of Thrift's compact protocol, read and passed over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.formats.parquet import thrift

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)


def _varint(value: int) -> bytes:
    parts = []
    while value >= 128:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _values(kind: int, inside: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Encoded values of a kind; structures come from `inside`."""
    if kind in _INTEGERS:
        return st.integers(-(2**63), 2**63 - 1).map(thrift.integer)
    if kind == _BINARY:
        return st.binary(max_size=200).map(lambda content: _varint(len(content)) + content)
    if kind == _STRUCT:
        return inside
    return {_TRUE: st.just(b""), _FALSE: st.just(b""), _BYTE: st.binary(min_size=1, max_size=1)}.get(
        kind, st.binary(min_size=8, max_size=8)
    )


@st.composite
def _lists(draw: st.DrawFn, inside: st.SearchStrategy[bytes]) -> bytes:
    kind = draw(st.sampled_from([_TRUE, _BYTE, *_INTEGERS, _DOUBLE, _BINARY, _STRUCT]))
    of_kind = st.sampled_from([b"\1", b"\2"]) if kind == _TRUE else _values(kind, inside)
    items = draw(st.lists(of_kind, max_size=20))
    header = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
    return header + b"".join(items)


@st.composite
def _structures(draw: st.DrawFn, inside: st.SearchStrategy[bytes]) -> bytes:
    parts = []
    for _ in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from([_TRUE, _FALSE, _BYTE, *_INTEGERS, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT]))
        value = draw(_lists(inside) if kind in (_LIST, _SET) else _values(kind, inside))
        gap = draw(st.integers(0, 15))  # 0: the id follows, as a number of its own
        parts.append(bytes([gap << 4 | kind]) + (b"" if gap else thrift.integer(draw(st.integers(1, 2**15)))) + value)
    return b"".join([*parts, b"\0"])


_ANY = st.recursive(st.just(b"\0"), _structures, max_leaves=6)


@given(_ANY, st.binary(max_size=4))
def test_a_structure_is_passed_over_as_it_is_read(content: bytes, behind: bytes) -> None:
    reader = thrift.Reader(content + behind)
    reader.skip(thrift.STRUCT)
    assert reader.offset == thrift.structure(content + behind)[1] == len(content)


@given(_ANY, st.data())
def test_what_ends_too_soon_is_neither_read_nor_passed_over(content: bytes, data: st.DataObject) -> None:
    cut = content[: data.draw(st.integers(0, len(content) - 1))]
    for read in (thrift.structure, lambda part: thrift.Reader(part).skip(thrift.STRUCT)):
        act: Any = read
        with pytest.raises(IndexError):
            act(cut)


def test_numbers_of_more_than_64_bits_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 64 bits"):
        thrift.Reader(bytes([0x16, *[0xFF] * 12, 1, 0])).skip(thrift.STRUCT)

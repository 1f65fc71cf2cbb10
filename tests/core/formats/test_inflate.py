"""FORMAT-19: gzip members inflated, and made, by each library that is there."""

from __future__ import annotations

import gzip
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.formats import inflate as module
from hudi_core.formats.inflate import LIBRARIES, deflate, inflate

TEXT = bytes(range(256)) * 40
WHOLE = gzip.compress(TEXT)


@pytest.fixture(autouse=True, params=LIBRARIES, ids=lambda library: library.__name__)
def _library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    library: ModuleType = request.param
    monkeypatch.setattr(module, "LIBRARIES", (library,))


def test_a_member_is_inflated() -> None:
    assert inflate(memoryview(WHOLE), len(TEXT), "t") == TEXT
    assert inflate(memoryview(gzip.compress(b"")), 0, "t") == b""


@given(st.binary(max_size=2000))
def test_deflated_bytes_are_a_gzip_member_of_the_same_bytes(content: bytes) -> None:
    member = deflate(content * 20)
    assert gzip.decompress(member) == inflate(memoryview(member), len(content) * 20, "t") == content * 20


@pytest.mark.parametrize("size", [len(TEXT) - 1, len(TEXT) + 1, 0])
def test_another_size_than_stated_is_damage(size: int) -> None:
    with pytest.raises(
        CorruptFileError, match=f"t: expected gzip data of {size} bytes, found data that ends with the size {len(TEXT)}"
    ):
        inflate(memoryview(WHOLE), size, "t")


def test_something_behind_the_member_is_damage() -> None:
    with pytest.raises(CorruptFileError, match="found data that ends with the size"):
        inflate(memoryview(WHOLE + b"x"), len(TEXT), "t")


def test_a_size_that_so_few_bytes_cannot_have_is_refused_unread() -> None:
    with pytest.raises(CorruptFileError, match="can inflate to"):
        inflate(memoryview(WHOLE), 1 << 40, "t")


@pytest.mark.parametrize("cut", range(0, len(WHOLE), 7))
def test_a_member_that_was_cut_is_damage(cut: int) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: "):
        inflate(memoryview(WHOLE[:cut]), len(TEXT), "t")


@pytest.mark.parametrize("at", range(10, len(WHOLE), 11))
def test_a_changed_bit_is_damage(at: int) -> None:
    changed = bytearray(WHOLE)
    changed[at] ^= 0x10
    with pytest.raises(CorruptFileError, match=r"^t: "):
        inflate(memoryview(bytes(changed)), len(TEXT), "t")


@given(data=st.binary(max_size=64), size=st.integers(0, 1 << 12))
def test_any_bytes_are_data_or_damage(data: bytes, size: int) -> None:
    for library in LIBRARIES:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(module, "LIBRARIES", (library,))
            for content in (data, WHOLE[:10] + data):
                try:
                    assert len(inflate(memoryview(content), size, "t")) == size
                except CorruptFileError as error:
                    assert str(error).startswith("t: ")

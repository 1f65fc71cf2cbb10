"""MD5 of columns is that of each text by itself."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hudi_core.formats import md5
from hudi_core.formats.md5 import md5_digests
from hudi_core.formats.text_columns import byte_column, taken


def by_itself(text: bytes) -> bytes:
    return hashlib.md5(text, usedforsecurity=False).digest()


@given(st.lists(st.binary(max_size=140), max_size=12), st.sampled_from([0, 1024]))
@example([b"a" * size for size in (0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 5000)], 0)
@example([b"%06d.parquet" % number for number in range(10_000)], 1024)
def test_digests_are_those_of_the_texts(texts: list[bytes], many: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(md5, "_MANY", many)
        found = md5_digests(byte_column(texts))
    assert found.shape == (len(texts), 16)
    assert [row.tobytes() for row in found] == [by_itself(text) for text in texts]


@pytest.mark.parametrize("many", [0, 1024])
def test_texts_in_the_middle_of_a_column(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(md5, "_MANY", many)
    column = taken(byte_column([b"before", b"one", b"", b"three", b"after"]), slice(1, 4))
    assert [row.tobytes() for row in md5_digests(column)] == [by_itself(text) for text in (b"one", b"", b"three")]

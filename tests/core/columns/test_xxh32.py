"""XXH32 of columns is that of each text by itself."""

from __future__ import annotations

import xxhash
from hypothesis import example, given
from hypothesis import strategies as st

from hudi_core.columns.strings import take_strings, utf8_column
from hudi_core.columns.xxh32 import xxh32_hashes


@given(st.lists(st.binary(max_size=90), max_size=12), st.integers(0, (1 << 32) - 1))
@example([b"", b"a" * 16, b"b" * 5000, b"c" * 31], 0)
@example([b"a" * 15] * 9000, 0)
def test_hashes_are_those_of_the_strings(texts: list[bytes], seed: int) -> None:
    assert xxh32_hashes(utf8_column(texts), seed).tolist() == [xxhash.xxh32_intdigest(text, seed) for text in texts]


def test_strings_in_the_middle_of_a_column() -> None:
    column = take_strings(utf8_column([b"before", b"one", b"", b"three", b"after"]), slice(1, 4))
    assert xxh32_hashes(column).tolist() == [xxhash.xxh32_intdigest(text) for text in (b"one", b"", b"three")]

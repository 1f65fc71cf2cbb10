"""Strings of bytes in two arrays, and columns made of them.

Also covers: `columns/strings.py`.
"""

from __future__ import annotations

import random

import numpy as np

from hudi_core.columns.byte_strings import ByteStrings, WordReader, common_prefix, concat_byte_strings

SOME = [b"", b"a", b"abcdefgh", b"abcdefghi", "é\U0001f600".encode(), b"\0\xff"]


def test_strings_give_back_what_was_put_in() -> None:
    texts = ByteStrings.from_list(SOME)
    assert [texts[number] for number in range(len(texts))] == SOME
    taken = texts.take(np.array([3, 0, 3]))
    assert [taken[number] for number in range(3)] == [SOME[3], SOME[0], SOME[3]]


def test_joined_keeps_order_also_of_strings_that_do_not_begin_at_zero() -> None:
    whole = ByteStrings.from_list(SOME)
    later = ByteStrings(whole.offsets[2:], whole.data)
    both = concat_byte_strings([later, whole])
    assert [both[number] for number in range(len(both))] == SOME[2:] + SOME


def test_prefixes_and_lengths_sort_as_the_bytes_do() -> None:
    r = random.Random(1)
    texts = [bytes(r.choices(b"\0ab\xff", k=r.randint(0, 20))) for _ in range(300)]
    reader = WordReader(ByteStrings.from_list(texts))
    words = [reader.read(word) for word in range(4)]
    keys = [[(int(found[at]), int(size[at])) for found, size in words] for at in range(len(texts))]
    assert sorted(range(300), key=lambda at: keys[at]) == sorted(range(300), key=lambda at: texts[at])


def test_the_common_prefix_is_shared_by_all_strings() -> None:
    assert common_prefix(ByteStrings.from_list([])) == 0
    assert common_prefix(ByteStrings.from_list([b"abc"])) == 3
    assert common_prefix(ByteStrings.from_list([b"abcdefghij", b"abcdefghik"])) == 9
    assert common_prefix(ByteStrings.from_list([b"abc", b"ab"])) == 2
    assert common_prefix(ByteStrings.from_list([b"a\0", b"a"])) == 1
    assert common_prefix(ByteStrings.from_list([b"xa", b"ya"])) == 0

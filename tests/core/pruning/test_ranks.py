from __future__ import annotations

import random
from bisect import bisect_left

import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.pruning.ranks import LiteralWords, at_most, place_bounds, places, ranks


def _random_texts(r: random.Random) -> list[bytes]:
    alphabet = r.choice([b"ab", b"a\0b", b"a\xc3\xff\0"])
    starts = r.choice([[b""], [b"", b"https://", b"https://example/"], [b"0123456789abcdef" * 2]])
    lengths = [0, 1, 3, 7, 8, 9, 15, 16, 17, 30]
    return [r.choice(starts) + bytes(r.choices(alphabet, k=r.choice(lengths))) for _ in range(r.randint(0, 60))]


@pytest.mark.parametrize("seed", range(200))
def test_ranks_are_places_in_the_sorted_order(seed: int) -> None:
    texts = _random_texts(random.Random(seed))
    found, one = ranks(ByteStrings.from_list(texts))
    in_order = sorted(set(texts))
    assert found.tolist() == [in_order.index(text) for text in texts]
    assert [texts[place] for place in one] == in_order


@pytest.mark.parametrize("seed", range(200))
def test_places_distinguish_equal_from_between(seed: int) -> None:
    r = random.Random(seed)
    texts = _random_texts(r)
    literals = sorted({r.choice(texts or [b"a"])[: r.randint(0, 40)] for _ in range(r.randint(0, 8))})
    expected = []
    for text in texts:
        below = bisect_left(literals, text)
        expected.append(2 * below + (below < len(literals) and literals[below] == text))
    assert places(ByteStrings.from_list(texts), literals).tolist() == expected


def test_long_strings_that_differ_at_the_end_are_distinguished() -> None:
    texts = [b"x" * 5_000 + end for end in (b"b", b"", b"a", b"b")]
    assert ranks(ByteStrings.from_list(texts))[0].tolist() == [2, 0, 1, 2]
    assert places(ByteStrings.from_list(texts), [texts[2]]).tolist() == [2, 0, 1, 2]


@pytest.mark.parametrize("seed", range(50))
def test_bounds_are_in_order_whatever_lies_between_them(seed: int) -> None:
    r = random.Random(seed)
    lower = _random_texts(r)
    upper = [r.choice([text, text + b"\0", text[:-1], text[:9] + b"b", b""]) for text in lower]
    strings = ByteStrings.from_list(lower), ByteStrings.from_list(upper)
    expected = [one <= other for one, other in zip(lower, upper, strict=True)]
    assert at_most(*strings).tolist() == expected
    literals = sorted({text[:9] for text in lower[::5]})
    first, last, in_order = place_bounds(*strings, LiteralWords.from_list(literals))
    assert in_order.tolist() == expected
    assert [first.tolist(), last.tolist()] == [places(item, literals).tolist() for item in strings]


def test_many_literals_that_differ_late_are_placed_word_by_word() -> None:
    literals = [b"x" * 9_000 + b"%06d" % number for number in range(0, 300, 2)]
    texts = [b"x" * 9_000 + b"%06d" % number for number in range(300)]
    assert places(ByteStrings.from_list(texts), literals).tolist() == [number + 1 for number in range(300)]

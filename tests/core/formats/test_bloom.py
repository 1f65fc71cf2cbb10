"""Bloom filters: what Apache Hudi writes is read, probes answer as its own do, damage is told.

Also covers: `columns/murmur.py`.
"""

from __future__ import annotations

import base64
import struct
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.murmur import hash_chain
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column
from hudi_core.errors import CorruptFileError, HudiError, UnsupportedError
from hudi_core.formats.bloom import BloomFilter, HashedKeys, KeySample, parse_bloom_filter, positions
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, encode_bloom_filter
from tests.support.conformance import vectors
from tests.support.vector_blooms import keys_of

SMALL = b"/////wAAAAcBAAAAYFgYAHBBYBgoJAVAAA=="
GROWING = b"/////wAAAAcBAAAAYAAAAAoAAAADAAAAAf////8AAAAHAQAAAGBYGABwQWAYKCQFQAA="


def murmur(key: bytes, seed: int = 0) -> int:
    return int(next(hash_chain(column([key]), seed)).view(np.int32)[0])


def column(keys: list[bytes]) -> StringColumn:
    return StringColumn(np.cumsum([0, *map(len, keys)]), np.frombuffer(b"".join(keys), np.uint8))


def cases(*operations: str) -> list[dict[str, Any]]:
    return [case for case in vectors("bloom") if case["op"] in operations]


def test_hashes_are_those_of_apache_hudi() -> None:
    """FORMAT-25."""
    for case in cases("murmur"):
        answer = case["input"]
        key = bytes.fromhex(answer["hex"]) if "hex" in answer else answer["text"].encode()
        assert murmur(key, answer.get("seed", -1)) == case["output"]["hash"], case["id"]


def test_positions_are_those_of_apache_hudi() -> None:
    """FORMAT-24."""
    for case in cases("hash_function"):
        answer = case["input"]
        if answer["hash_type"] == 1 and "output" in case:
            found = [
                int(item[0]) for item in positions(string_column([answer["text"]]), answer["max"], answer["hashes"])
            ]
            assert found == case["output"]["positions"], case["id"]


def test_probes_answer_as_those_of_apache_hudi() -> None:
    """FORMAT-23."""
    reported = 0
    for case in cases("filter", "filter_from_text"):
        output = case.get("output", {})
        text = output.get("text") or case["input"].get("text")
        if not text or "might_contain" not in output:
            continue
        reported += 1
        found = parse_bloom_filter(text.encode(), case["id"])
        for key, expected in output["might_contain"].items():
            if isinstance(expected, bool):
                assert found.may_contain(HashedKeys([key])).tolist() == [expected], (case["id"], key)
        for run in output.get("probe_counts", ()):
            hits = int(found.may_contain(HashedKeys(keys_of(run["keys"]))).sum())
            assert hits == run["hits"], case["id"]
    assert reported


def test_runs_of_recorded_keys_have_their_prefix_and_suffix() -> None:
    assert keys_of({"prefix": "k-", "from": 9, "count": 2, "suffix": "/x"}) == ["k-9/x", "k-10/x"]
    assert keys_of({"from": 0, "count": 1}) == ["0"]
    assert keys_of(["a", ""]) == ["a", ""]


@pytest.mark.parametrize("text", [SMALL, GROWING])
def test_keys_that_were_put_in_are_found(text: bytes) -> None:
    found = parse_bloom_filter(text, "a file")
    assert found.may_contain(HashedKeys(["key1", "other", "key2", "key3", ""])).tolist() == [
        True,
        False,
        True,
        True,
        False,
    ]


@given(st.lists(st.binary(max_size=20), min_size=1, max_size=9), st.integers(1, 5))
def test_keys_are_hashed_as_each_by_itself(keys: list[bytes], rounds: int) -> None:
    together = [found.tolist() for found in islice(hash_chain(column(keys)), rounds)]
    apart = [[found.tolist()[0] for found in islice(hash_chain(column([key])), rounds)] for key in keys]
    assert [list(item) for item in zip(*together, strict=True)] == apart


@given(st.binary(max_size=80))
def test_damage_is_reported(data: bytes) -> None:
    for text in (data, base64.b64encode(data), base64.b64encode(base64.b64decode(GROWING)[: len(data)])):
        try:
            parse_bloom_filter(text, "a file")
        except HudiError as error:
            assert "a file" in str(error)


@given(st.lists(st.binary(min_size=21, max_size=21), min_size=1, max_size=3))
def test_fill_is_that_of_the_fullest_row(rows: list[bytes]) -> None:
    """FORMAT-28."""
    shares = [sum(octet.bit_count() for octet in row) / 168 for row in rows]
    assert BloomFilter(np.frombuffer(b"".join(rows), np.uint8).reshape(-1, 21), 168, 3).fill == max(shares)


@pytest.mark.parametrize("cut", [1, 12, 13, 24, 26, 30])
def test_truncated_text_is_damage(cut: int) -> None:
    with pytest.raises(CorruptFileError, match="a file"):
        parse_bloom_filter(base64.b64encode(base64.b64decode(GROWING)[:cut]), "a file")


@pytest.mark.parametrize("spoilt", [b"A", b"=", b"==", b"\n", b" ", b"-", b"\xff", b"AAA"])
@pytest.mark.parametrize("at", [0, 10, len(GROWING)])
def test_text_that_is_not_base64_to_the_letter_is_damage(spoilt: bytes, at: int) -> None:
    with pytest.raises(CorruptFileError, match="a file"):
        parse_bloom_filter(GROWING[:at] + spoilt + GROWING[at:], "a file")


def test_hashes_of_ancient_writers_are_not_known() -> None:
    """FORMAT-25."""
    for header in (struct.pack(">iibi", -1, 7, 0, 8), struct.pack(">iibi", 7, 96, 0, 0)):
        with pytest.raises(UnsupportedError, match="Murmur"):
            parse_bloom_filter(base64.b64encode(header + b"\0"), "a file")


@given(
    st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4),
    st.lists(st.text(min_size=1, max_size=12), max_size=6),
)
def test_few_keys_are_held_as_each_of_them_may_be(held: list[str], others: list[str]) -> None:
    growing = FilterSettings(FilterKind.DYNAMIC_V0, 2, 1e-3, 4)
    for settings_of in (FilterSettings(FilterKind.SIMPLE, 8, 0.01), growing):
        full = parse_bloom_filter(
            encode_bloom_filter(string_column([*held, *others][len(others) // 2 :]), settings_of), "filter"
        )
        few = KeySample(string_column([*others, *held]))
        rows = slice(len(others), None)
        assert full.holds(few.hashes(full.hashes, rows)) == full.may_contain(HashedKeys(held)).all()

"""Bloom filters are written bit for bit as Apache Hudi writes them, and what is written is found."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column
from hudi_core.errors import UsageError
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, encode_bloom_filter, extend_bloom_filter
from tests.support.conformance import vectors
from tests.support.vector_blooms import keys_of


def test_filters_are_those_of_apache_hudi() -> None:
    """FORMAT-26, FORMAT-27."""
    reported = refused = 0
    for case in vectors("bloom"):
        answer = case["input"]
        # two filters put together are no longer what keys put in one after the other give
        if case["op"] != "filter" or "or_keys" in answer or answer["type"] not in ("SIMPLE", "DYNAMIC_V0"):
            continue
        settings = FilterSettings(
            FilterKind(answer["type"]), answer["num_entries"], answer["error_rate"], answer["max_entries"]
        )
        failed = case.get("output", {}).get("add_errors", {})
        for key in failed:
            with pytest.raises(UsageError, match="empty"):
                encode_bloom_filter(string_column([key]), settings)
        keys = string_column([key for key in keys_of(answer["keys"]) if key not in failed])
        if "error" in case:
            refused += 1
            with pytest.raises(UsageError, match="bloom filter"):
                encode_bloom_filter(keys, settings)
            continue
        text = encode_bloom_filter(keys, settings)
        reported += 1
        assert len(text) == case["output"]["text_length"], case["id"]
        assert hashlib.sha256(text).hexdigest() == case["output"]["text_sha256"], case["id"]
    assert reported
    assert refused


@given(
    st.lists(st.text(min_size=1, max_size=40), max_size=60, unique=True),
    st.sampled_from(FilterKind),
    st.integers(1, 20),
    st.sampled_from([0.3, 1e-3, 1e-9]),
)
def test_keys_that_are_written_are_found(keys: list[str], kind: FilterKind, entries: int, rate: float) -> None:
    column = string_column(keys)
    found = parse_bloom_filter(
        encode_bloom_filter(column, FilterSettings(kind, entries, rate, 2 * entries)), "a filter"
    )
    assert found.may_contain(HashedKeys(column)).all()
    some = np.arange(len(keys))[::2]
    assert found.may_contain(HashedKeys(column), some).all()


def test_absent_keys_pass_as_rarely_as_the_filter_states() -> None:
    present = string_column([f"key-{number}" for number in range(3_000)])
    absent = HashedKeys([f"other-{number}" for number in range(20_000)])
    for entries in (1_500, 3_000, 6_000):
        settings = FilterSettings(FilterKind.SIMPLE, entries, 1e-2)
        found = parse_bloom_filter(encode_bloom_filter(present, settings), "a filter")
        passed = float(found.may_contain(absent).mean())
        assert passed == pytest.approx(found.false_positives, rel=0.3, abs=2e-3)
        assert not found.saturated
        assert 0.2 < found.fill < 0.8


@pytest.mark.parametrize("entries", [1, 3, 700, 40_000])
def test_a_filter_with_fewer_hashes_keeps_its_rate(entries: int) -> None:
    """FORMAT-1420."""
    fewest = FilterSettings(FilterKind.DYNAMIC_V0, entries, 1e-6, max_entries=entries)
    settings = FilterSettings(FilterKind.DYNAMIC_V0, entries, 1e-6, max_entries=entries, most_hashes=12)
    bits, hashes = settings.shape
    assert hashes == 12
    assert fewest.shape[0] < bits < 1.1 * fewest.shape[0] + 2
    assert (1 - math.exp(-hashes * entries / bits)) ** hashes <= 1e-6 * (1 + 1e-9)
    assert FilterSettings(FilterKind.SIMPLE, entries, 1e-3, most_hashes=12).shape == (
        FilterSettings(FilterKind.SIMPLE, entries, 1e-3).shape
    )
    keys = string_column([f"key {number}" for number in range(entries)])
    found = parse_bloom_filter(encode_bloom_filter(keys, settings), "a filter")
    assert (found.bits, found.hashes) == settings.shape
    assert found.may_contain(HashedKeys(keys)).all()
    assert not found.may_contain(HashedKeys([f"other {number}" for number in range(10_000)])).any()
    assert entries < 700 or found.false_positives < 1.5e-6


def test_a_filter_with_far_too_many_keys_is_saturated() -> None:
    """FORMAT-28."""
    keys = string_column([f"key-{number}" for number in range(2_000)])
    found = parse_bloom_filter(encode_bloom_filter(keys, FilterSettings(entries=50, max_entries=100)), "a filter")
    assert found.saturated
    assert found.fill > 0.99


@pytest.mark.parametrize(("entries", "rate"), [(0, 0.1), (10, 0.0), (10, 1.0), (10, -1.0), (2**31, 1e-9)])
def test_settings_that_give_no_filter_are_refused(entries: int, rate: float) -> None:
    """FORMAT-26."""
    with pytest.raises(UsageError, match="bloom filter"):
        encode_bloom_filter(string_column(["a"]), FilterSettings(FilterKind.SIMPLE, entries, rate))


def test_an_empty_key_is_refused() -> None:
    """FORMAT-26."""
    with pytest.raises(UsageError, match="empty"):
        encode_bloom_filter(string_column(["a", ""]), FilterSettings())


@given(st.lists(st.text(min_size=1), min_size=10, max_size=60, unique=True), st.integers(0, 6))
def test_a_filter_with_more_keys_is_that_of_all_keys(keys: list[str], more: int) -> None:
    """FORMAT-1185. Bit for bit as if its writer had gone on, while there is room."""
    entries = len(keys) - more
    settings = FilterSettings(FilterKind.DYNAMIC_V0, entries, 1e-6, max_entries=entries)
    old = encode_bloom_filter(string_column(keys[:entries]), settings)
    extended = extend_bloom_filter(old, string_column(keys[entries:]), "a filter")
    assert extended == (encode_bloom_filter(string_column(keys), settings) if 10 * more <= entries else None)


def test_filters_of_other_shapes_are_not_gone_on_with() -> None:
    """FORMAT-1185."""
    keys = string_column([f"key {number}" for number in range(100)])
    several = FilterSettings(FilterKind.DYNAMIC_V0, 10, 1e-6, max_entries=100)
    for settings in (FilterSettings(FilterKind.SIMPLE, 1000), several):
        assert extend_bloom_filter(encode_bloom_filter(keys, settings), string_column(["new"]), "a filter") is None

"""Many keys put to one bloom filter: its first hashes alone where they show that the file holds some of the keys."""

from __future__ import annotations

import numpy as np

from hudi_core.columns.strings import string_column
from hudi_core.formats.bloom import CACHED_ROUNDS, HashedKeys, parse_bloom_filter
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, encode_bloom_filter
from hudi_core.tagging.filters import passing_keys

HELD = [f"k{number}" for number in range(100)]
FILTER = parse_bloom_filter(
    encode_bloom_filter(string_column(HELD), FilterSettings(FilterKind.SIMPLE, 100, 1e-9)), "filter"
)


def test_a_file_that_holds_many_of_the_keys_is_known_by_the_first_hashes() -> None:
    """INDEX-22."""
    keys = HashedKeys([*HELD, *(f"other{number}" for number in range(1_000))])
    part = slice(0, len(keys))
    first = np.flatnonzero(FILTER.may_contain(keys, part, CACHED_ROUNDS))
    assert len(first) > np.count_nonzero(FILTER.may_contain(keys, part)) == len(HELD)
    assert passing_keys(FILTER, keys, part).tolist() == first.tolist()


def test_few_keys_that_pass_the_first_hashes_are_put_to_the_others() -> None:
    """INDEX-22."""
    keys = HashedKeys([*HELD[:5], *(f"other{number}" for number in range(20_000))])
    part = slice(2, len(keys))
    assert np.count_nonzero(FILTER.may_contain(keys, part, CACHED_ROUNDS)) > 3
    assert passing_keys(FILTER, keys, part).tolist() == [2, 3, 4]

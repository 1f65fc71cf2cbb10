"""Cuts between keys, from samples."""

from __future__ import annotations

import pickle
from bisect import bisect_right

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.tagging.key_reader import key_columns
from hudi_core.writing.plan import Share
from hudi_core.writing.spread.cuts import Sampler, range_cuts, sample_size, share_cuts
from tests.support.drawing import cases

KEYS = st.lists(st.tuples(st.sampled_from("xyz"), st.text("ab\u00e9\U0001f600", max_size=4)), max_size=40)


def columns(keys: list[tuple[str, str]]) -> KeyColumns:
    return key_columns(string_column([key for _, key in keys]), string_column([path for path, _ in keys]))


@given(KEYS, st.integers(1, 6), st.booleans())
@settings(max_examples=cases(300), deadline=None)
def test_ranges_keep_the_order_of_keys(keys: list[tuple[str, str]], count: int, by_key: bool) -> None:
    """WRITE-422: a greater key has no lower range, equal keys have one; with all keys in the sample no range has many more
    than its part."""
    sampler = Sampler(0)
    sampler.add(columns(keys))
    sample = sampler.sample()
    cuts = range_cuts([] if sample is None else [sample], count, by_key=by_key)
    targets = cuts.targets(columns(keys)).tolist()
    named = sorted(
        (("" if by_key else path, key.encode()), target) for (path, key), target in zip(keys, targets, strict=True)
    )
    assert [target for _, target in named] == sorted(targets)
    assert len({target for _, target in named}) <= count
    assert all(0 <= target < count for target in targets)
    assert len({(key, target) for key, target in named}) == len({key for key, _ in named})
    if len({key for key, _ in named}) == len(keys) and keys:
        assert max(np.bincount(targets)) <= -(-len(keys) // count) + 1


@given(KEYS, st.lists(st.integers(1, 9), min_size=1, max_size=4))
@settings(max_examples=cases(300), deadline=None)
def test_shares_have_their_rows(keys: list[tuple[str, str]], rows: list[int]) -> None:
    """WRITE-422: of keys that are all in the sample, and come once, each share gets what it is planned to get."""
    of_x = list(dict.fromkeys(key for path, key in keys if path == "x"))[: sum(rows)]
    counts, left = [], len(of_x)
    for count in rows:
        counts.append(min(count, left))
        left -= counts[-1]
    counts = [count for count in counts if count]
    shares = {"x": tuple(Share(10 + number, count) for number, count in enumerate(counts))}
    given_keys = columns([("x", key) for key in of_x])
    sampler = Sampler(0)
    sampler.add(given_keys)
    sample = sampler.sample()
    cuts = share_cuts([] if sample is None else [sample], shares)
    if of_x:
        found = np.bincount(cuts.targets(given_keys))[10:].tolist()
        assert found == counts[: len(found)] and sum(counts) - sum(found) == left * 0


def test_samples_are_even_and_bounded() -> None:
    """WRITE-422: of a part with many keys a sample is drawn, whose size depends on the part and in which each key may be."""
    keys = columns([("x", f"{number:06}") for number in range(30_000)])
    for part in (0, 1_000):
        sampler = Sampler(part)
        for _ in range(2):
            sampler.add(keys)
        sample = sampler.sample()
        assert sample is not None
        assert len(sample.keys) == sample_size(part) < 30_000
        assert sample.weight * len(sample.keys) == 60_000
        cuts = range_cuts([sample], 4, by_key=False)
        counts = np.bincount(cuts.targets(keys), minlength=4)
        assert counts.min() > (6_500 if part == 0 else 3_500)


def test_partitions_without_a_sample_stand_between_their_neighbours() -> None:
    """WRITE-422: the sample may have missed a partition; its rows go where they stand in the order of partitions."""
    sampler = Sampler(0)
    sampler.add(columns([("b", "1"), ("b", "2"), ("d", "1"), ("d", "2")]))
    sample = sampler.sample()
    assert sample is not None
    cuts = range_cuts([sample], 4, by_key=False)
    assert cuts.targets(columns([("a", "9"), ("b", "1"), ("c", "0"), ("d", "2"), ("e", "0")])).tolist() == [
        0,
        0,
        1,
        3,
        3,
    ]


@given(
    KEYS, st.lists(st.tuples(st.sampled_from("wxy"), st.text("ab\u00e9", max_size=4)), max_size=20), st.integers(1, 4)
)
@settings(max_examples=cases(200), deadline=None)
def test_targets_are_those_of_a_search_in_each_partition(
    sampled: list[tuple[str, str]], keys: list[tuple[str, str]], count: int
) -> None:
    """WRITE-422: also where the cuts were sent to another process."""
    sampler = Sampler(0)
    sampler.add(columns(sampled))
    sample = sampler.sample()
    shares = {path: tuple(Share(10 * (place + 1) + one, 2) for one in range(count)) for place, path in enumerate("wxy")}
    cuts = pickle.loads(pickle.dumps(share_cuts([] if sample is None else [sample], shares)))
    for (path, key), target in zip(keys, cuts.targets(columns(keys)).tolist(), strict=True):
        place = cuts.paths.index(path)
        first, end = ([0, *cuts.ends.tolist()])[place : place + 2]
        of_path = [cuts.keys[number] for number in range(first, end)]
        assert target == cuts.numbers[first + place + bisect_right(of_path, key.encode())]
        assert target in [share.task for share in shares[path]]

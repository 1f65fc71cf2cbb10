"""Which of 10,000 files each of a million keys may be in, by the files' key ranges; as each file's run of the sorted keys.

clustered   neighbouring files overlap by half, so that a key is in two ranges
wide        one file in ten spans all keys, so that a key is in a thousand ranges

Sorting the keys is part of the work. The peer is an interval tree over whole numbers, made beforehand and asked key by key: for
one key in a hundred, or in twenty thousand. The runs of all files are compared with those of the sorted numbers.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.tagging.sorted_keys import sort_keys
from tests.bench.timing import Missing, Pair, Unbuilt

COUNT, FILES = 1_000_000, 10_000
_SPAN = 1 << 40
_PARTS = {"clustered_1m_keys_10k_files": 100, "wide_1m_keys_10k_files": 20_000}
_DIGITS = 13

Numbers = NDArray[np.int64]


@cache
def keys() -> Numbers:
    return np.random.default_rng(3).integers(0, _SPAN, COUNT)


def ranges(case: str) -> tuple[Numbers, Numbers]:
    """The least and the greatest key of each file, both inclusive."""
    random = np.random.default_rng(4)
    width = _SPAN // FILES
    low = np.arange(FILES) * width
    high = low + 2 * width
    if case.startswith("wide"):
        wide = random.permutation(FILES)[: FILES // 10]
        low[wide], high[wide] = random.integers(0, width, len(wide)), _SPAN - random.integers(1, width, len(wide))
    return low, high


def texts(numbers: Numbers) -> StringColumn:
    """Keys as texts: `order-` and the number with leading zeros."""
    digits = numbers[:, np.newaxis] // 10 ** np.arange(_DIGITS - 1, -1, -1) % 10
    letters = np.empty((len(numbers), 6 + _DIGITS), np.uint8)
    letters[:, :6] = np.frombuffer(b"order-", np.uint8)
    letters[:, 6:] = digits + ord("0")
    return StringColumn(np.arange(len(numbers) + 1, dtype=np.int64) * letters.shape[1], letters.reshape(-1))


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "intervaltree" or case not in _PARTS:
        raise Unbuilt("no measurement of this case")
    try:
        from intervaltree import IntervalTree  # noqa: PLC0415 - only where peers are
    except ModuleNotFoundError as missing:
        raise Missing(f"{missing.name} is not installed") from None
    part = _PARTS[case]
    low, high = ranges(case)
    requested = texts(keys())
    bounds = [ByteStrings(found.offsets, found.data) for found in (texts(low), texts(high))]
    tree = IntervalTree.from_tuples(zip(low.tolist(), (high + 1).tolist(), range(FILES), strict=True))
    some = keys()[::part].tolist()

    def ours() -> object:
        ordered = sort_keys(requested)
        return ordered, ordered.runs(*bounds)

    def theirs() -> object:
        return [tree[key] for key in some]

    def agree(mine: object, peers: object) -> None:
        assert isinstance(mine, tuple)
        assert isinstance(peers, list)
        ordered, (starts, stops) = mine
        sorted_numbers = np.sort(keys())
        assert np.array_equal(starts, np.searchsorted(sorted_numbers, low)), "runs begin elsewhere"
        assert np.array_equal(stops, np.searchsorted(sorted_numbers, high, side="right")), "runs end elsewhere"
        place = np.empty(COUNT, np.int64)
        place[ordered.order] = np.arange(COUNT)
        for at, found in zip(place[::part].tolist(), peers, strict=True):
            assert {item.data for item in found} == set(np.flatnonzero((starts <= at) & (at < stops)).tolist())

    return Pair(ours, theirs, agree, part=1 / part)

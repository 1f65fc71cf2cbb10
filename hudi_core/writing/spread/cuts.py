"""Cuts between keys: samples of keys, and which part or file a key goes to by cuts that are taken from them. Rule WRITE-422."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hudi_core.arrays import Floats, Numbers
from hudi_core.columns.byte_strings import ByteStrings, concat_byte_strings
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings
from hudi_core.tagging.key_columns import KeyColumns, concat_keys, take_keys
from hudi_core.tagging.sorted_keys import sort_keys
from hudi_core.writing.plan import Share

_LARGEST: Final = 1 << 12
"""Keys in the sample of a part."""
_PARTS: Final = 64
"""Parts with samples of that size; those of later parts are smaller, so that all together grow with the logarithm of parts."""
_LEAST: Final = 16
_ROUNDING: Final = 1e-3
"""A part of a row, by which sums of floats may miss a whole number of them."""
_NO_KEYS: Final = ByteStrings.from_list([])


def sample_size(part: int) -> int:
    """How many keys of a part are sampled."""
    return max(_LEAST, _LARGEST if part < _PARTS else _LARGEST * _PARTS // part)


@dataclass(frozen=True, slots=True, eq=False)
class KeySample:
    """Some keys, each of which stands for `weight` keys."""

    keys: KeyColumns
    weight: float


@dataclass
class Sampler:
    """Draws a sample of keys that come in batches: each has the same chance. The same keys in one order give one sample."""

    part: int
    _count: int = 0
    _keys: list[KeyColumns] = field(default_factory=list)
    _chances: list[Floats] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.part)

    def add(self, keys: KeyColumns) -> None:
        size, chances = sample_size(self.part), self._random.random(len(keys))
        self._count += len(keys)
        if len(keys) > size:
            rows = np.sort(np.argpartition(chances, size)[:size])
            keys, chances = take_keys(keys, rows), chances[rows]
        self._keys.append(keys)
        self._chances.append(chances)
        if sum(map(len, self._chances)) > 2 * size:
            self._thin(size)

    def sample(self) -> KeySample | None:
        """The sample; None of no keys."""
        if self._count == 0:
            return None
        self._thin(sample_size(self.part))
        return KeySample(self._keys[0], self._count / len(self._keys[0]))

    def _thin(self, size: int) -> None:
        keys, chances = concat_keys(self._keys), np.concatenate(self._chances)
        if len(chances) > size:
            rows = np.sort(np.argpartition(chances, size)[:size])
            keys, chances = take_keys(keys, rows), chances[rows]
        self._keys, self._chances = [keys], [chances]


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """Cuts of a partition, ascending, and the target of keys before the first, from each on to the next, and from the last on."""

    keys: ByteStrings
    targets: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class KeyCuts:
    """Which target each key goes to. Equal keys of one partition go to one. `by_key`: partitions do not count.

    It is sent to each task, so the cuts of all partitions are in a few arrays, which are loaded at once.
    """

    paths: tuple[str, ...]
    """The partitions, ascending."""
    keys: ByteStrings
    """The cuts of all partitions, one after the other."""
    ends: Numbers
    """How many cuts there are up to the end of each partition."""
    numbers: Numbers
    """The targets of all partitions, one after the other: one more than it has cuts for each."""
    by_key: bool = False

    @staticmethod
    def join(cuts: Mapping[str, _Cut], by_key: bool = False) -> KeyCuts:
        """The cuts of partitions, by path."""
        paths = tuple(sorted(cuts))
        parts = [cuts[path] for path in paths]
        return KeyCuts(
            paths,
            concat_byte_strings([_NO_KEYS, *(part.keys for part in parts)]),
            np.cumsum([len(part.keys) for part in parts], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int64), *(part.targets for part in parts)]),
            by_key,
        )

    def targets(self, keys: KeyColumns) -> Numbers:
        """The targets of keys. Those of a partition without a sample go where it stands between its neighbours."""
        if not self.paths:
            return np.zeros(len(keys), np.int64)
        paths = [""] * len(keys.paths) if self.by_key else keys.paths
        places = np.array([bisect_right(self.paths, path) - 1 for path in paths], np.int64)
        is_cut = np.array([self.paths[place] == path for place, path in zip(places, paths, strict=True)], np.bool_)
        of_keys = places[keys.partitions]
        below = self.ends[of_keys]
        if len(self.keys) and is_cut.any():
            below = np.where(is_cut[keys.partitions], self._count_below(keys.records, of_keys), below)
        return np.where(of_keys < 0, 0, self.numbers[of_keys + below])

    def _count_below(self, records: StringColumn, places: Numbers) -> Numbers:
        """How many cuts, of all partitions up to that of each key, are not above it, if its partition is at this place."""
        order = sort_keys(records)
        ranks = np.empty(len(order), np.int64)
        ranks[order.order] = np.arange(len(order))
        starts, _ = order.runs(self.keys, self.keys)
        step = len(order) + 1
        of_cuts = np.repeat(np.arange(len(self.paths)), np.diff(self.ends, prepend=0))
        return np.searchsorted(of_cuts * step + starts, places * step + ranks, "right")


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """The sampled keys of a partition in order, as rows of a column, and how many keys those up to each stand for."""

    keys: StringColumn
    rows: Numbers
    ends: Floats

    def cut(self, weights: Floats, targets: Numbers) -> _Cut:
        """Cuts after so many keys."""
        places = np.minimum(np.searchsorted(self.ends, weights + _ROUNDING, "right"), len(self.ends) - 1)
        keys = take_strings(self.keys, self.rows[places])
        return _Cut(ByteStrings(keys.offsets, keys.data), targets)


def _by_partition(samples: Sequence[KeySample], by_key: bool) -> dict[str, _Sorted]:
    """The sampled keys of each partition, in the order of their paths: sorted once, however many partitions there are."""
    if not samples:
        return {}
    keys = concat_keys([sample.keys for sample in samples])
    order = sort_keys(keys.records).order
    weights = np.concatenate([np.full(len(sample.keys), sample.weight) for sample in samples])[order]
    ordered = take_keys(keys, order)
    every = [("", np.arange(len(ordered)))] if by_key else sorted(ordered.by_partition(), key=lambda part: part[0])
    return {path: _Sorted(ordered.records, rows, np.cumsum(weights[rows])) for path, rows in every}


def range_cuts(samples: Sequence[KeySample], count: int, *, by_key: bool) -> KeyCuts:
    """Ranges of keys, `count` of about as many keys each, by partition and key."""
    partitions = _by_partition(samples, by_key)
    total = sum(float(partition.ends[-1]) for partition in partitions.values())
    bounds = total * np.arange(1, count) / max(count, 1)
    cuts: dict[str, _Cut] = {}
    start = 0.0
    for path, partition in partitions.items():
        end = start + float(partition.ends[-1])
        first, last = np.searchsorted(bounds, [start, end], "right")
        inner = bounds[first:last]
        cuts[path] = partition.cut(inner[inner < end] - start, np.arange(first, first + len(inner[inner < end]) + 1))
        start = end
    return KeyCuts.join(cuts or {"": _Cut(_NO_KEYS, np.zeros(1, np.int64))}, by_key)


def share_cuts(samples: Sequence[KeySample], shares: Mapping[str, Sequence[Share]]) -> KeyCuts:
    """The cuts between the files of partitions: each gets about the rows of its share, in the order of keys."""
    is_cut = any(len(of_path) > 1 for of_path in shares.values())
    partitions = _by_partition(samples, by_key=False) if is_cut else {}
    cuts: dict[str, _Cut] = {}
    for path, of_path in shares.items():
        if not of_path:
            continue
        targets = np.array([share.task for share in of_path], np.int64)
        rows = np.cumsum([share.rows for share in of_path])
        partition = partitions.get(path)
        if partition is None or len(of_path) == 1:
            cuts[path] = _Cut(_NO_KEYS, targets[:1])
        else:
            cuts[path] = partition.cut(rows[:-1] / rows[-1] * partition.ends[-1], targets)
    return KeyCuts.join(cuts)

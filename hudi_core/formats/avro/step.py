"""Where the items of one list start, without looking at what they are: for long lists in few records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

import numpy as np

from hudi_core.formats.avro.hop import hopper
from hudi_core.formats.avro.lanes import Damaged
from hudi_core.formats.avro.plan import (
    Array,
    Boolean,
    Branches,
    Enumeration,
    Fixed,
    Floating,
    Integer,
    Map,
    Node,
    Null,
    Nullable,
    Record,
    Sized,
    fixed_width,
)
from hudi_core.formats.chains import walk
from hudi_core.formats.columns import Bytes8, Offsets
from hudi_core.formats.spans import windows

Octets = Sequence[int]
"""Bytes, or a memoryview of them."""

Step = Callable[[Octets, int], int]
"""(bytes, where the value begins) → where it ends. Past the end of the bytes is an IndexError."""

MANY = 2048
"""Items of a block from which on many are looked for at once."""

SAMPLE = 64
"""Items that are walked one by one, to see how long they are."""

SEVERAL = 512
"""Items of a block from which on it is tried whether those to come begin as the walked ones did."""

MOST_IN_A_ROW = 16384

MOST_BEGINNINGS = 8
"""Different beginnings of items that are looked for."""

ITEMS_A_WALK = 128
REACH = 256
"""Bytes behind a cut that are tried as beginnings, at most."""

WORTH_FORESEEING = 16
"""Bytes of an item: shorter ones have no beginning to know them by."""

TOGETHER = 4096
"""Ends found together: what is made for them stays in the cache."""

HOPS_TO_MEET = 12
"""Items after which most wrong beginnings have run into a right one, or into nothing."""


def find_starts(item: Node, data: Bytes8, at: int, rest: int) -> tuple[Offsets, int]:
    """Where each item of a list starts, from `at` with `rest` items left in its block; and where the list ends.

    Values of the item have a byte at least, and no fixed number. `data` ends where the record does. Raises Damaged or
    IndexError when the bytes end before. Time goes with the bytes, whatever the counts claim.
    """
    octets, step, found = data.data, stepper(item), [np.zeros(0, np.int64)]
    while True:
        if rest > len(data) - at:
            raise Damaged
        if rest >= MANY and isinstance(item, Integer | Enumeration):
            starts, at = _by_last_bytes(data, at, rest)
            found.append(starts)
            rest = 0
        while rest >= SEVERAL:
            starts, at = _one_by_one(step, octets, at, SAMPLE)
            others, at = _in_a_row(item, step, data, at, starts, rest - SAMPLE)
            found += [starts, others]
            rest -= SAMPLE + len(others)
            if len(others) < SEVERAL:  # they do not begin alike
                break
        while rest >= MANY:
            starts, at = _one_by_one(step, octets, at, SAMPLE)
            marks = _by_guesses(item, data, at, rest - SAMPLE, (at - int(starts[0])) // SAMPLE + 1)
            found += [starts, marks[:-1]]
            rest -= SAMPLE + len(marks) - 1
            at = int(marks[-1])
            if len(marks) < MANY:  # guesses do not help here
                break
        starts, at = _one_by_one(step, octets, at, rest)
        found.append(starts)
        rest, at = _block(octets, at)
        if rest == 0:
            return np.concatenate(found), at


def _one_by_one(step: Step, octets: Octets, at: int, count: int) -> tuple[Offsets, int]:
    """Where so many items start, and where the last ends."""
    found = []
    for _ in range(count):
        found.append(at)
        at = step(octets, at)
    return np.array(found, np.int64), at


def _by_last_bytes(data: Bytes8, at: int, count: int) -> tuple[Offsets, int]:
    """As `_one_by_one` for numbers: each ends with a byte whose top bit is clear."""
    lasts = np.flatnonzero(data[at : at + 10 * count] < 128)[:count]
    if len(lasts) < count:
        raise Damaged
    starts = np.empty(count, np.int64)
    starts[0], starts[1:] = at, lasts[:-1] + (at + 1)
    return starts, at + int(lasts[-1]) + 1


def _by_guesses(item: Node, data: Bytes8, at: int, count: int, typical: int) -> Offsets:
    """Where items from `at` on start, as many as can be proved of the next `count`; behind them where the last of these ends.

    Many are walked at once, from beginnings that are guessed: behind each cut, the place that most of the bytes there lead to.
    """
    data = data[: at + 2 * count * typical]
    walks = min(count, (len(data) - at) // typical) // ITEMS_A_WALK
    if walks < 2:
        return np.array([at], np.int64)
    hop = hopper(item, data)
    reach = min(REACH, 2 * typical)
    cuts = at + (len(data) - at) * np.arange(1, walks) // walks
    tried = (cuts[:, np.newaxis] + np.arange(reach)).reshape(-1)
    of = np.repeat(np.arange(len(cuts)), reach)
    for _ in range(HOPS_TO_MEET):
        tried = hop(tried)
        of, tried = of[tried < len(data)], tried[tried < len(data)]
    places, votes = np.unique(tried + of * len(data), return_counts=True)
    order = np.lexsort((votes, places // len(data)))
    last = np.append(np.diff(places[order] // len(data)) > 0, True) if len(order) else np.zeros(0, np.bool_)
    guesses = np.unique(places[order][last] % len(data))
    marks, _ = walk(hop, np.append(at, guesses[guesses > at]), len(data), 6 * ITEMS_A_WALK)
    return marks[: count + 1]


class _Foreseeing:
    """Passes over the items of lists. When it has walked some, it looks for bytes that begin as they all did, and finds where
    the items there would end, all at once.

    Guesses are proved by being asked for: whoever asks knows that an item begins there. So no list has to be long; there may
    be many.
    """

    def __init__(self, item: Node) -> None:
        self._item, self._step = item, stepper(item)
        self._rows: dict[int, int] = {}  # numbers of foreseen items, by where they begin
        self._ends: list[int] = []
        self._last: list[int] = []  # the number of the last of those that lie behind the item without a gap
        self._walked: list[int] = []
        self._due = SAMPLE

    def __call__(self, data: Octets, at: int, count: int) -> int:
        """Where so many items end."""
        while count:
            row = self._rows.get(at)
            if row is None:
                self._walked.append(at)
                at = self._step(data, at)
                count -= 1
                if len(self._walked) >= self._due:
                    self._due *= 2  # what does not help is tried a few times only
                    self._foresee(np.frombuffer(data, np.uint8), at)  # type: ignore[call-overload]  # bytes, all of them
            else:
                last = min(self._last[row], row + count - 1)
                at = self._ends[last]
                count -= last - row + 1
        return at

    def _foresee(self, data: Bytes8, end: int) -> None:
        starts, after = _foreseen(self._item, data, np.array(self._walked[-SAMPLE:], np.int64), end)
        known, rows = len(self._ends), np.arange(len(starts))
        breaks = rows[np.append(after[:-1] != starts[1:], True)[: len(rows)]]
        self._rows.update(zip(starts.tolist(), (known + rows).tolist(), strict=True))
        self._ends += after.tolist()
        self._last += (known + breaks[np.searchsorted(breaks, rows)]).tolist()


def _foreseen(item: Node, data: Bytes8, walked: Offsets, end: int) -> tuple[Offsets, Offsets]:
    """Where from `end` on items may begin, for bytes are there as the walked ones began with, and where they would end."""
    shortest = int(np.diff(walked, append=end).min())
    none = np.zeros(0, np.int64)
    if shortest < WORTH_FORESEEING:
        return none, none
    begins = windows(data, walked, 8)
    for size in (8, 4, 2):
        alike = set(begins[:, :size].copy().view(f"<u{size}").ravel().tolist())
        if len(alike) <= MOST_BEGINNINGS:
            break
    else:
        return none, none
    if end + size > len(data):
        return none, none
    places = np.ndarray((len(data) - end - size + 1,), f"<u{size}", data, end, (1,))
    guesses = np.flatnonzero(np.logical_or.reduce([places == each for each in alike])) + end
    if len(guesses) * shortest > 2 * (len(data) - end):
        return none, none  # bytes that are everywhere say nothing
    hop = hopper(item, data)
    ends = [hop(guesses[low : low + TOGETHER]) for low in range(0, len(guesses), TOGETHER)]
    after = np.concatenate([none, *ends])
    sound = after <= len(data)
    return guesses[sound], after[sound]


def _in_a_row(item: Node, step: Step, data: Bytes8, at: int, walked: Offsets, count: int) -> tuple[Offsets, int]:
    """Where the next items from `at` on start, at most `count`, and where the last of these ends. Those that do not begin as
    the walked ones are walked too, but only a few."""
    typical = (at - int(walked[0])) // len(walked) + 1
    starts, ends = _foreseen(item, data[: at + min(count, MOST_IN_A_ROW) * typical * 5 // 4], walked, at)
    breaks = np.append(np.flatnonzero(ends[:-1] != starts[1:]), len(starts) - 1)
    found, strays = [np.zeros(0, np.int64)], 0
    while count and len(starts) and strays < SAMPLE:
        first = int(np.searchsorted(starts, at))
        if first < len(starts) and int(starts[first]) == at:
            last = int(breaks[np.searchsorted(breaks, first)])
            found.append(starts[first : last + 1][:count])
            at = int(ends[first + len(found[-1]) - 1])
        else:
            found.append(np.array([at], np.int64))
            at = step(data.data, at)
            strays += 1
        count -= len(found[-1])
    return np.concatenate(found), at


def stepper(node: Node) -> Step:
    """The function that passes over one value of the node."""
    first, steps = _sequence(node)
    if not steps:
        return lambda _, at: at + first
    if len(steps) == 1 and first == steps[0][1] == 0:
        return steps[0][0]

    def step(data: Octets, at: int) -> int:
        at += first
        for each, behind in steps:
            at = each(data, at) + behind
        return at

    return step


def _sequence(node: Node) -> tuple[int, list[tuple[Step, int]]]:
    """A value as so many bytes, and then steps, each with so many bytes behind it."""
    match node:
        case Null() | Boolean() | Floating() | Fixed():
            return fixed_width(node) or 0, []
        case Integer() | Enumeration():
            return 0, [(_varint_end, 0)]
        case Sized():
            return 0, [(_sized_end, 0)]
        case Record(fields):
            first, steps = 0, list[tuple[Step, int]]()
            for before, inner in (_sequence(each.node) for each in fields):
                if steps:
                    steps[-1] = (steps[-1][0], steps[-1][1] + before)
                else:
                    first += before
                steps += inner
            return first, steps
        case Array(item):
            return 0, [(_list(item), 0)]
        case Map():
            return 0, [(_list(node.entry), 0)]
        case Nullable(inner, null):
            return 0, [(_union([Null(), inner] if null == 0 else [inner, Null()]), 0)]
        case Branches(nodes=nodes):
            return 0, [(_union(nodes), 0)]
    assert_never(node)


def _varint_end(data: Octets, at: int) -> int:
    while data[at] >= 128:
        at += 1
    return at + 1


def _sized_end(data: Octets, at: int) -> int:
    size = data[at]
    at += 1
    if size >= 128:
        size, at = _varint(data, at - 1)
    if size & 1:
        raise Damaged
    return at + (size >> 1)


def _varint(data: Octets, at: int) -> tuple[int, int]:
    """The varint at `at` before zigzag, and where it ends."""
    raw = shift = 0
    while (byte := data[at]) >= 128 and shift < 63:
        raw |= (byte & 127) << shift
        shift += 7
        at += 1
    return raw | byte << shift, at + 1


def _block(data: Octets, at: int) -> tuple[int, int]:
    """The count in a list's block header, and where the block's first item starts."""
    raw, at = _varint(data, at)
    if raw & 1:
        at = _varint_end(data, at)
    return (raw + 1) >> 1, at


def _union(nodes: Sequence[Node]) -> Step:
    steps = {2 * number: stepper(node) for number, node in enumerate(nodes)}

    def step(data: Octets, at: int) -> int:
        branch = data[at]
        at += 1
        if branch >= 128:
            branch, at = _varint(data, at - 1)
        if branch not in steps:
            raise Damaged
        return steps[branch](data, at)

    return step


def _list(item: Node) -> Step:
    width = fixed_width(item)
    several = _one_after_another(item) if isinstance(item, Integer | Enumeration) else _Foreseeing(item)

    def step(data: Octets, at: int) -> int:
        while True:
            count, at = _block(data, at)
            if count == 0:
                return at
            at = several(data, at, count) if width is None else at + count * width

    return step


def _one_after_another(item: Node) -> Callable[[Octets, int, int], int]:
    inner = stepper(item)

    def several(data: Octets, at: int, count: int) -> int:
        for _ in range(count):
            at = inner(data, at)
        return at

    return several

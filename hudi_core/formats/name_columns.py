"""Names of base files, a column of them taken apart at once. Rule FORMAT-5; one by one: `names`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import gather, windows

_EXTENSIONS: Final = (b".parquet", b".orc", b".hfile", b".lance")
_ID, _TOKEN, _DIGIT, _FIRST = 1, 2, 4, 8
_UNDERSCORE = ord("_")


def _classes() -> NDArray[np.uint8]:
    """What each byte may be part of."""
    found = np.full(256, _ID | _FIRST, np.uint8)
    found[[ord("_"), ord("/")]] = 0
    found[ord(".")] = _ID
    for first, last, more in (("0", "9", _TOKEN | _DIGIT), ("A", "Z", _TOKEN), ("a", "z", _TOKEN), ("-", "-", _TOKEN)):
        found[ord(first) : ord(last) + 1] |= more
    return found


_CLASSES: Final = _classes()


@dataclass(frozen=True, slots=True, eq=False)
class BaseNames:
    """The names in a column that are base files': their rows, ascending, and for each the file id and the instant."""

    rows: NDArray[np.int64]
    ids: StringColumn
    instants: StringColumn


def base_names(names: StringColumn) -> BaseNames:
    """What `parse_base_file` tells of each name of a column without nulls."""
    rows = np.arange(len(names.offsets) - 1)
    starts, ends, data = names.offsets[:-1], names.offsets[1:], names.data
    under = np.flatnonzero(data == _UNDERSCORE)
    first = np.searchsorted(under, starts)
    rows = rows[np.searchsorted(under, ends) - first == 2]
    if not len(rows):
        nothing = StringColumn(np.zeros(1, np.int64), np.zeros(0, np.uint8))
        return BaseNames(rows, nothing, nothing)
    begin, one, two, end = starts[rows], under[first[rows]], under[first[rows] + 1], ends[rows]
    dot = _dots(data, two, end)
    sound = (begin < one) & (one + 1 < two) & (two + 1 < dot)
    rows, begin, one, two, dot = rows[sound], begin[sound], one[sound], two[sound], dot[sound]
    if len(rows):
        classes = _CLASSES[data]
        parts = np.stack([begin, one, one + 1, two, two + 1, dot], axis=1)
        common = np.bitwise_and.reduceat(classes, parts.ravel()).reshape(-1, 6)
        sound = (classes[begin] & _FIRST > 0) & (common[:, 0] & _ID > 0)
        sound &= (common[:, 2] & _TOKEN > 0) & (common[:, 4] & _DIGIT > 0)
        rows, begin, one, two, dot = rows[sound], begin[sound], one[sound], two[sound], dot[sound]
    return BaseNames(
        rows, StringColumn(*gather(data, begin, one - begin)), StringColumn(*gather(data, two + 1, dot - two - 1))
    )


def _dots(data: NDArray[np.uint8], after: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the extension of each name begins; `after` where it has none that base files have."""
    found = after.copy()
    for extension in _EXTENSIONS:
        at = np.flatnonzero(ends - after > len(extension))
        if not len(at):
            continue
        tails = windows(data, ends[at] - len(extension), len(extension))
        same = at[(tails == np.frombuffer(extension, np.uint8)).all(1)]
        found[same] = ends[same] - len(extension)
    return found

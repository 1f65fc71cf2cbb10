"""Names of base files, a column of them taken apart at once. Rule FORMAT-5; one by one: `names`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers, Octets
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import gather, windows

_EXTENSIONS: Final = (b".parquet", b".orc", b".hfile", b".lance")
_ID, _TOKEN, _DIGIT, _FIRST = 1, 2, 4, 8
_UNDERSCORE = ord("_")


def _classes() -> Octets:
    """What each byte may be part of."""
    classes = np.full(256, _ID | _FIRST, np.uint8)
    classes[[ord("_"), ord("/")]] = 0
    classes[ord(".")] = _ID
    for first, last, more in (("0", "9", _TOKEN | _DIGIT), ("A", "Z", _TOKEN), ("a", "z", _TOKEN), ("-", "-", _TOKEN)):
        classes[ord(first) : ord(last) + 1] |= more
    return classes


_CLASSES: Final = _classes()


@dataclass(frozen=True, slots=True, eq=False)
class BaseNames:
    """The names in a column that are base files': their rows, ascending, and for each the file id and the instant."""

    rows: Numbers
    ids: StringColumn
    instants: StringColumn


def base_names(names: StringColumn) -> BaseNames:
    """The result of `parse_base_file` for each name in a column without nulls."""
    rows = np.arange(len(names.offsets) - 1)
    starts, ends, data = names.offsets[:-1], names.offsets[1:], names.data
    underscores = np.flatnonzero(data == _UNDERSCORE)
    first = np.searchsorted(underscores, starts)
    rows = rows[np.searchsorted(underscores, ends) - first == 2]
    if not len(rows):
        nothing = StringColumn(np.zeros(1, np.int64), np.zeros(0, np.uint8))
        return BaseNames(rows, nothing, nothing)
    start, id_end, token_end, end = (
        starts[rows],
        underscores[first[rows]],
        underscores[first[rows] + 1],
        ends[rows],
    )
    dot = _dots(data, token_end, end)
    sound = (start < id_end) & (id_end + 1 < token_end) & (token_end + 1 < dot)
    rows, start, id_end, token_end, dot = (column[sound] for column in (rows, start, id_end, token_end, dot))
    if len(rows):
        classes = _CLASSES[data]
        parts = np.stack([start, id_end, id_end + 1, token_end, token_end + 1, dot], axis=1)
        common = np.bitwise_and.reduceat(classes, parts.ravel()).reshape(-1, 6)
        sound = (classes[start] & _FIRST > 0) & (common[:, 0] & _ID > 0)
        sound &= (common[:, 2] & _TOKEN > 0) & (common[:, 4] & _DIGIT > 0)
        rows, start, id_end, token_end, dot = (column[sound] for column in (rows, start, id_end, token_end, dot))
    return BaseNames(
        rows,
        StringColumn(*gather(data, start, id_end - start)),
        StringColumn(*gather(data, token_end + 1, dot - token_end - 1)),
    )


def _dots(data: Octets, after: Numbers, ends: Numbers) -> Numbers:
    """Where the extension of each name begins; `after` where it has none that base files have."""
    dots = after.copy()
    for extension in _EXTENSIONS:
        rows = np.flatnonzero(ends - after > len(extension))
        if not len(rows):
            continue
        tails = windows(data, ends[rows] - len(extension), len(extension))
        matching = rows[(tails == np.frombuffer(extension, np.uint8)).all(1)]
        dots[matching] = ends[matching] - len(extension)
    return dots

"""Columns of texts: made, chosen, joined, and put in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import StringColumn, validity_of
from hudi_core.columns.spans import gather

Numbers = NDArray[np.int64]


def string_column(texts: Sequence[str]) -> StringColumn:
    """The texts as a column without nulls."""
    return utf8_column([text.encode("utf-8", "surrogatepass") for text in texts])


def utf8_column(texts: Sequence[bytes]) -> StringColumn:
    """Texts in UTF-8 as a column without nulls."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return StringColumn(np.append(0, lengths).cumsum(), np.frombuffer(b"".join(texts), np.uint8))


def take_strings(texts: StringColumn, rows: Numbers | slice) -> StringColumn:
    """The texts of these rows, in the order given."""
    if isinstance(rows, slice):
        validity = None if texts.validity is None else texts.validity[rows]
        return StringColumn(texts.offsets[rows.start : rows.stop + 1], texts.data, validity)
    starts = texts.offsets[rows]
    offsets, data = gather(texts.data, starts, texts.offsets[rows + 1] - starts)
    return StringColumn(offsets, data, None if texts.validity is None else texts.validity[rows])


def concat_strings(parts: Sequence[StringColumn]) -> StringColumn:
    """The texts of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    lengths = [np.diff(part.offsets) for part in parts]
    data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
    validity = None
    if any(part.validity is not None for part in parts):
        validity = np.concatenate([validity_of(part) for part in parts])
    offsets = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
    return StringColumn(offsets, np.concatenate(data) if data else np.empty(0, np.uint8), validity)


def string_list(texts: StringColumn) -> list[str]:
    """The texts of a column without nulls as Python's."""
    whole, bounds = texts.data.tobytes(), texts.offsets.tolist()
    return [whole[low:high].decode("utf-8", "surrogatepass") for low, high in pairwise(bounds)]

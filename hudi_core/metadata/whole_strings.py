"""Lower bounds of strings that are recorded in short and, beside the type, in whole. Rule META-67."""

from __future__ import annotations

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import ByteStrings, concat_byte_strings
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import gather


def whole_lower(lower: ByteStrings, details: StringColumn | None, rows: Numbers | None) -> ByteStrings:
    """Lower bounds in whole, where the details of their records (None: of all) have them; a detail that does not begin with the
    bound is none of it."""
    if details is None or (details.validity is not None and not details.validity.any()):
        return lower
    stated = ByteStrings(details.offsets, details.data)
    valid = np.ones(len(stated), np.bool_) if details.validity is None else details.validity
    if rows is not None:
        stated, valid = stated.take(rows), valid[rows]
    extends = valid & _begins_with(stated, lower)
    if not extends.any():
        return lower
    count = len(lower)
    return concat_byte_strings([lower, stated]).take(np.arange(count) + np.where(extends, count, 0))


def _begins_with(strings: ByteStrings, beginnings: ByteStrings) -> Bools:
    """Whether each string begins with its counterpart."""
    sizes = np.diff(beginnings.offsets)
    begins: Bools = np.diff(strings.offsets) >= sizes
    rows = np.flatnonzero(begins & (sizes > 0))
    if len(rows):
        offsets, data = gather(strings.data, strings.offsets[rows], sizes[rows])
        wanted = beginnings.take(rows)
        begins[rows] = ~np.logical_or.reduceat(data != wanted.data, offsets[:-1])
    return begins

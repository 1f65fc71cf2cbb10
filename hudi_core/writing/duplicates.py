"""Rows of an insert whose key is there already: what becomes of them. Rules WRITE-1152, WRITE-1153."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import to_list
from hudi_core.columns.strings import take_strings
from hudi_core.errors import RowError
from hudi_core.pruning.ranks import order_texts
from hudi_core.stated_properties import StatedProperties
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns
from hudi_core.writing.moves import LEFT_OUT
from hudi_core.writing.task_rows import Places

INSERT_DUPLICATES: Final = "hoodie.datasource.insert.dup.policy"
DROP_DUPLICATES: Final = "hoodie.datasource.write.insert.drop.duplicates"
"""An older name of the policy `drop`, with true."""


class DuplicatePolicy(StrEnum):
    """What an insert does with a row whose key an earlier row has, in the table or in the input."""

    NONE = "none"
    """It is added as any other; no key is looked up."""
    DROP = "drop"
    """It is left out."""
    FAIL = "fail"
    """The insert is refused."""


def duplicate_policy(*stated: Mapping[str, str]) -> DuplicatePolicy:
    """The policy that the first of these properties states which state one. Raises `UsageError` for a value that is none."""
    for properties in stated:
        policy = StatedProperties(properties).choice(INSERT_DUPLICATES, {one.value: one for one in DuplicatePolicy})
        if policy is not None:
            return policy
        if properties.get(DROP_DUPLICATES, "").strip().lower() == "true":
            return DuplicatePolicy.DROP
    return DuplicatePolicy.NONE


def places_without_duplicates(
    keys: KeyColumns,
    held: Numbers,
    policy: DuplicatePolicy,
    *,
    whole_table: bool,
    numbers: Numbers | None = None,
) -> Places:
    """The places of the rows of an insert. `held` has the slices that hold their keys. With `whole_table` keys of different
    partitions are one key. `numbers` are the numbers of the rows, None where they are counted from 0.

    Raises `RowError` for the first row whose key is there, where such a row is refused.
    """
    is_there = held > NOWHERE
    repeated = is_there | _find_later(keys, whole_table=whole_table)
    if policy is DuplicatePolicy.FAIL and repeated.any():
        of_input = np.arange(len(keys)) if numbers is None else numbers
        rows = np.flatnonzero(repeated)
        row = int(rows[of_input[rows].argmin()])
        (key,) = to_list(take_strings(keys.records, np.array([row])))
        found = f"{key!r}, which {'the table' if is_there[row] else 'an earlier row'} has"
        raise RowError(int(of_input[row]), expected="a record key that is not there yet", found=found)
    return Places(np.where(repeated, LEFT_OUT, NOWHERE))


def _find_later(keys: KeyColumns, *, whole_table: bool) -> Bools:
    """The rows with a key that an earlier row has."""
    later = np.zeros(len(keys), np.bool_)
    every = [np.arange(len(keys), dtype=np.int64)] if len(keys) else []
    for rows in every if whole_table else [rows for _, rows in keys.by_partition()]:
        records = take_strings(keys.records, rows)
        order, differs = order_texts(ByteStrings(records.offsets, records.data))
        if not differs.all():
            later[rows] = True
            later[np.minimum.reduceat(rows[order], np.flatnonzero(differs))] = False
    return later

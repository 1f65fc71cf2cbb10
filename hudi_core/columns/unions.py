"""Unions with and without a branch for null: Avro has one, engines have a validity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import Column, NullColumn, UnionColumn, length, spread, validity_of
from hudi_core.columns.slicing import without_nulls

NULL = "null"


def without_null_branch(column: UnionColumn) -> UnionColumn:
    """The union of the other branches; rows of the null branch are null rows of its first one. The union has another."""
    null = next((branch for branch, child in enumerate(column.children) if isinstance(child, NullColumn)), None)
    if null is None:
        return column
    names = column.names[:null] + column.names[null + 1 :]
    children = list(column.children[:null] + column.children[null + 1 :])
    branches = column.branches - (column.branches > null).astype(np.int8)
    is_null = column.branches == null
    branches[is_null] = 0
    if is_null.any():
        in_first = branches == 0
        children[0] = spread(children[0], np.flatnonzero(~is_null[in_first]), int(np.count_nonzero(in_first)))
    return UnionColumn(branches, names, tuple(children))


def with_null_branch(branches: NDArray[np.int8], names: Sequence[str], children: Sequence[Column]) -> UnionColumn:
    """A union whose rows are null where their row in their child is; a branch of null comes behind the others.

    Row i is the next unread row of `children[branches[i]]`.
    """
    extended = branches.copy()
    filled = []
    for branch, child in enumerate(children):
        valid = validity_of(child)
        if not valid.all():
            extended[np.flatnonzero(branches == branch)[~valid]] = len(children)
        filled.append(without_nulls(child))
    nulls = NullColumn(int(np.count_nonzero(extended == len(children))))
    return UnionColumn(extended, (*names, NULL), (*filled, nulls))


def only_branch(column: Column) -> Column:
    """The values of a union that has but one branch besides null; any other column as it is."""
    if not isinstance(column, UnionColumn):
        return column
    others = [branch for branch, child in enumerate(column.children) if not isinstance(child, NullColumn)]
    if len(others) != 1:
        return column
    (branch,) = others
    rows = np.flatnonzero(column.branches == branch)
    child = column.children[branch]
    total = len(column.branches)
    return child if length(child) == total else spread(child, rows, total)

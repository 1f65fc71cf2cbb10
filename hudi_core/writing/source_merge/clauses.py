"""The parts of a merge: the columns by which rows of a source meet rows of a table, and clauses.

Rules: WRITE-610, WRITE-611, WRITE-1580, WRITE-1592.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hudi_core.errors import UnsupportedError, UsageError, describe, list_names
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import And, Compare, Comparison, Expr, Name
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.queries import Condition
from hudi_core.schema.names import refuse_repeated

SOURCE: Final = "source"
TARGET: Final = "target"
"""The names by which conditions and values speak of the two rows: `source.fare`, `target.fare`."""

On = str | Sequence[str] | Expr | ExpressionBuilder
"""Names of columns that both sides have, or equalities: `target.id = source.ride AND target.city = source.town`."""


class Action(StrEnum):
    """What a clause does with a row."""

    UPDATE = "update"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class Clause:
    """What becomes of rows for which the condition is true. Without `values` each column has the source's of its name."""

    action: Action
    condition: Condition | None = None
    values: Mapping[str, object] | None = None
    unmatched: bool = False
    """It is for rows of the table that no row of the source matches."""


def check_clauses(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses. Raises `UsageError` for none, for one that no row reaches, and for values that are none."""
    if not clauses:
        raise UsageError("merge", expected="a clause, as when_matched_update()", found="none")
    kinds = [(clause.action is Action.INSERT, clause.unmatched) for clause in clauses]
    for kind in dict.fromkeys(kinds):
        of_kind = [clause for clause, own in zip(clauses, kinds, strict=True) if own == kind]
        for before in of_kind[:-1]:
            if before.condition is None:
                expected = f"a condition for each {before.action} but the last clause of its kind"
                raise UsageError("merge", expected=expected, found="a clause behind it that no row reaches")
    for clause in clauses:
        if clause.values is not None and (not isinstance(clause.values, Mapping) or not clause.values):
            expected = 'values by column, as {"n": col("source.n")}, or none for all columns of the source'
            raise UsageError(clause.action, expected=expected, found=describe(clause.values))
        if clause.unmatched and clause.action is Action.UPDATE and clause.values is None:
            expected = 'values by column, as {"n": 0}, since no row of the source has any'
            raise UsageError(clause.action, expected=expected, found="none")
    return tuple(clauses)


def match_columns(on: On) -> dict[str, str]:
    """The table's column, and the source's, of each equality. Raises `UsageError`, also for a column of the table that comes
    twice, and `UnsupportedError` for others."""
    pairs = list(_list_pairs(on))
    targets = [target for target, _ in pairs]
    refuse_repeated("on", targets, map(str.lower, targets))
    return dict(pairs)


def _list_pairs(on: On) -> Iterator[tuple[str, str]]:
    if isinstance(on, str) and on.replace("_", "").replace(".", "").isalnum():
        yield on, on
        return
    if isinstance(on, Iterable) and not isinstance(on, str | ExpressionBuilder):
        names = list(on)
        if not names or not all(isinstance(name, str) for name in names):
            raise UsageError("on", expected="names of columns, or equalities of columns", found=describe(on))
        yield from ((name, name) for name in names)
        return
    if isinstance(on, ExpressionBuilder):
        on = on.node
    yield from _pairs(parse_predicate(on) if isinstance(on, str) else on)


def _pairs(tree: Expr) -> Iterator[tuple[str, str]]:
    if isinstance(tree, And):
        for part in tree.parts:
            yield from _pairs(part)
        return
    if isinstance(tree, Compare) and tree.operator is Comparison.EQ:
        sides = {side.path[0].lower(): side.path[1:] for side in (tree.left, tree.right) if isinstance(side, Name)}
        if set(sides) == {SOURCE, TARGET} and all(sides.values()):
            yield ".".join(sides[TARGET]), ".".join(sides[SOURCE])
            return
    raise UnsupportedError(
        "on", expected=f"equalities of columns, as {TARGET}.id = {SOURCE}.id, joined by AND", found="another condition"
    )


def refuse_other_columns(on: Mapping[str, str], wanted: Sequence[Sequence[str]]) -> None:
    """Raises `UnsupportedError` unless rows are matched by exactly one of these sets of the table's columns."""
    names = {name.lower() for name in on}
    if not any(names == {name.lower() for name in one} for one in wanted):
        expected = " or ".join(list_names(list(one)) for one in wanted)
        raise UnsupportedError(
            "on", expected=f"the columns of the table's keys, {expected}", found=list_names(list(on))
        )

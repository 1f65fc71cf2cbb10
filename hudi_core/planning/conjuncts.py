"""Conjuncts: the parts of a predicate's outermost AND, in the forms that sources of statistics answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hudi_core.expr.bind import bind
from hudi_core.expr.leaves import every
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Predicate
from hudi_core.expr.text import to_sql
from hudi_core.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One part of the predicate's outermost AND: as the user wrote it, and as it is bound.

    `hinted` is TRUE on the same rows, and has the conditions that indexes answer as columns of their own.
    """

    text: str
    tree: Expr
    predicate: Predicate
    hinted: Predicate


Alternatives = Callable[[Conjunct], Sequence[Sequence[Conjunct]]]
"""A conjunct taken apart: the parts of its outermost OR, each as the parts of its AND. None for one that is a leaf."""


def bound_conjunct(tree: Expr, schema: Schema, *, case_sensitive: bool) -> Conjunct:
    """A part of a predicate on rows of the schema. Raises `ExpressionError`."""
    predicate = bind(tree, schema, case_sensitive=case_sensitive)
    return Conjunct(to_sql(tree), tree, predicate, predicate)


def whole(conjuncts: Sequence[Conjunct]) -> Predicate:
    """The predicate that a conjunction is."""
    return every([conjunct.predicate for conjunct in conjuncts])


def hinted(conjuncts: Sequence[Conjunct]) -> Predicate:
    """The predicate that a conjunction is, with the conditions that indexes answer."""
    return every([conjunct.hinted for conjunct in conjuncts])

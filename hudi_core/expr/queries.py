"""Queries that were put to a table: predicates, and how often each; files of them. Rule ADVICE-7."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Final

from hudi_core.errors import ExpressionError, HudiError, StorageError, UsageError, describe
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Expr
from hudi_core.expr.sql_predicate import predicate_tree
from hudi_core.expr.text import to_sql
from hudi_core.notebook import show_briefly

Condition = str | Expr | ExpressionBuilder
"""A predicate: SQL, nodes or a builder."""

_COMMENTS: Final = ("--", "#")


@show_briefly
@dataclass(frozen=True, slots=True)
class Query:
    """A predicate, and how often it was put."""

    where: Condition
    weight: int = 1

    @property
    def text(self) -> str:
        """The predicate as it was given; SQL for one that was not given as SQL."""
        return self.where if isinstance(self.where, str) else condition_text(self.where)


def condition_text(where: Condition) -> str:
    """The SQL of a predicate, the same for all ways to write it. Raises as `predicate_tree`.

    >>> condition_text("n=1  AND NOT (m<2)")
    'n = 1 AND NOT m < 2'
    """
    return to_sql(predicate_tree(where))


def as_queries(given: Iterable[Condition | Query], where: str = "where") -> tuple[Query, ...]:
    """Predicates as queries, each put once. Raises `UsageError`, at `where`, for what is no list of them."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise UsageError(where, expected="a list of predicates", found=describe(given))
    return tuple(one if isinstance(one, Query) else Query(one) for one in given)


def read_queries(path: str | PathLike[str], check: Callable[[str], object] = condition_text) -> tuple[Query, ...]:
    """The queries of a local file: a predicate a line, in the order in which they come first; each line counts once.

    Blank lines and lines that begin with `--` or `#` are passed over; a semicolon may end a line. `check` is called with each
    query and raises for one that cannot be put. Raises `ExpressionError` that names the line, `UsageError` for a file without
    queries or that is not UTF-8, `StorageError` for one that cannot be read.
    """
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError(str(path), expected="a file of predicates in UTF-8", found="other bytes") from None
    except OSError as problem:
        raise StorageError(str(path), message=problem.strerror or str(problem)) from problem
    queries: dict[str, Query] = {}
    for number, line in enumerate(lines, 1):
        where = line.strip().removesuffix(";").rstrip()
        if not where or where.startswith(_COMMENTS):
            continue
        try:
            text = condition_text(where)
            if text not in queries:
                check(where)
        except HudiError as error:
            raise ExpressionError(f"{path}, line {number:,}", message=str(error)) from error
        known = queries.get(text, Query(where, 0))
        queries[text] = replace(known, weight=known.weight + 1)
    if not queries:
        raise UsageError(str(path), expected="a predicate a line", found="no predicate")
    return tuple(queries.values())

"""The tree of a predicate given as SQL, nodes or a builder; the clock is read once for a whole query. EXPR-37."""

from __future__ import annotations

import time
from typing import get_args

from hudi_core.errors import UsageError, described
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Call, Expr, Literal
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.walk import changed
from hudi_core.types import nodes as t

_DAYS = frozenset({"current_date", "curdate"})
_INSTANTS = frozenset({"current_timestamp", "now"})
_MICROS_OF_A_DAY = 86_400_000_000


def predicate_tree(where: str | Expr | ExpressionBuilder, now: int | None = None) -> Expr:
    """The tree of a predicate. `now`, in microseconds since 1970 (None: the clock's), stands for `current_date` and its like.

    Raises `ExpressionError` for a string that is no predicate, `UsageError` for any other object.

    >>> predicate_tree("d < current_date", 86_400_000_000).right
    Literal(value=1, type=Date())
    """
    tree = (
        where.node
        if isinstance(where, ExpressionBuilder)
        else parse_predicate(where)
        if isinstance(where, str)
        else where
    )
    if not isinstance(tree, get_args(Expr)):
        raise UsageError(
            "where",
            expected="a predicate as SQL, as \"fare > 80 AND city = 'oslo'\", or made with hudi_core.col, "
            "as (col('fare') > 80) & (col('city') == 'oslo')",
            found=described(where),
        )
    moment = time.time_ns() // 1000 if now is None else now

    def literal_of(node: Expr) -> Expr | None:
        match node:
            case Call(function, ()) if function in _DAYS:
                return Literal(moment // _MICROS_OF_A_DAY, t.Date())
            case Call(function, ()) if function in _INSTANTS:
                return Literal(moment, t.Timestamp())
            case Call("localtimestamp", ()):
                return Literal(moment, t.Timestamp(zoned=False))
            case _:
                return None

    return changed(tree, literal_of)

"""Writing expressions in Python: `(col("a") > 3) & col("b").like("x%")` makes the nodes of `a > 3 AND b LIKE 'x%'`.

comparisons   == != < <= > >=, eq_null_safe, is_in, between, like, rlike, startswith, endswith, contains
logic         & | ~ (never `and`, `or`, `not`, which Python decides itself: they raise)
tests         is_null, is_not_null, is_true, is_false
values        + - * / % -x abs(x), cast, function("year", col("d"))
SQL           expr("upper(city)"), which goes on as the others do
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from hudi_core.arguments import AnswersOtherWords
from hudi_core.errors import ExpressionError, SchemaError, UsageError, describe
from hudi_core.expr import calls, nodes
from hudi_core.expr.nodes import Comparison, Expr, Scalar
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.text import to_sql
from hudi_core.truth import FALSE, TRUE
from hudi_core.types.nodes import Date, Double, Time, Timestamp, Type
from hudi_core.types.sql import sql_type
from hudi_core.values.domain import coerce


def col(*path: str) -> ExpressionBuilder:
    """A column. Each argument is one name; a single dotted text is a path, and a name with a dot in it is in back-ticks.

    >>> col("a.b"), col("a", "b.c")
    (a.b, a.`b.c`)
    """
    other = next((name for name in path if not isinstance(name, str)), None)
    if other is not None or not path:
        raise UsageError("col", expected="the name of a column", found=describe(other) if path else "none")
    if len(path) != 1:
        return ExpressionBuilder(nodes.Name(path))
    names = [part.replace("``", "`") for part in _split(path[0])]
    if not all(names):
        raise UsageError("col", expected="a name between two dots", found=repr(path[0]))
    return ExpressionBuilder(nodes.Name(tuple(names)))


def lit(value: object, type: Type | str | None = None) -> ExpressionBuilder:
    """A literal: null, bool, int, float, Decimal, str, bytes, a date, time or datetime of Python's (naive: no zone), a
    `uuid.UUID`, or a scalar of NumPy's that is one of these.

    `type` (or its SQL name) is needed where the value alone does not determine the type: `lit(1, "bigint")`, `lit("2024-01-01",
    "date")`.
    """
    if isinstance(value, np.generic):
        value = to_python(value, "lit")
    if isinstance(value, UUID):
        value = str(value)
    if type is not None and not isinstance(type, str | Type):
        raise UsageError("lit", expected="a type, or its name in SQL", found=describe(type))
    data_type = sql_type(type) if isinstance(type, str) else type or _own_type(value)
    if data_type is None and isinstance(type, str):
        raise UsageError("lit", expected="the SQL name of a type", found=repr(type))
    if data_type is None and value is not None and not isinstance(value, bool | int | Decimal | str | bytes):
        raise UsageError("lit", expected="a value that SQL can express", found=repr(value))
    if data_type is not None and not isinstance(value, str):
        try:
            value = coerce(value, data_type)
        except SchemaError as wrong:
            raise UsageError("lit", expected=wrong.expected, found=wrong.found) from None
    return ExpressionBuilder(nodes.Literal(value, data_type))


def expr(sql: str) -> ExpressionBuilder:
    """An expression in SQL. Raises `ExpressionError` with the place in the text, and `UsageError` for what is no string.

    >>> expr("upper(city)") == "OSLO"
    upper(city) = 'OSLO'
    """
    return ExpressionBuilder(parse_predicate(sql))


def function(name: str, *arguments: object) -> ExpressionBuilder:
    """A call of a function by its SQL name; an unknown one makes the predicate unknown when pruning."""
    return ExpressionBuilder(calls.build(name.lower(), tuple(_node(argument) for argument in arguments), None))


class ExpressionBuilder(AnswersOtherWords):
    """An expression under construction; `node` is what it has become."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: Expr) -> None:
        self.node = node

    def __repr__(self) -> str:
        return to_sql(self.node)

    def __bool__(self) -> bool:
        raise ExpressionError(
            to_sql(self.node),
            expected="`&`, `|` and `~` to join conditions, with brackets around comparisons",
            found="`and`, `or`, `not`, `in` or a chained comparison",
        )

    def __iter__(self) -> Any:
        raise TypeError("an expression is no sequence")

    # ---- logic

    def __and__(self, other: object) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.And((*_parts(self.node, nodes.And), *_parts(_node(other), nodes.And))))

    def __rand__(self, other: object) -> ExpressionBuilder:
        return lit(other) & self

    def __or__(self, other: object) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.Or((*_parts(self.node, nodes.Or), *_parts(_node(other), nodes.Or))))

    def __ror__(self, other: object) -> ExpressionBuilder:
        return lit(other) | self

    def __invert__(self) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.Not(self.node))

    # ---- comparisons

    def __eq__(self, other: object) -> ExpressionBuilder:  # type: ignore[override]
        return self._compare(Comparison.EQ, other)

    def __ne__(self, other: object) -> ExpressionBuilder:  # type: ignore[override]
        return self._compare(Comparison.NE, other)

    def __lt__(self, other: object) -> ExpressionBuilder:
        return self._compare(Comparison.LT, other)

    def __le__(self, other: object) -> ExpressionBuilder:
        return self._compare(Comparison.LE, other)

    def __gt__(self, other: object) -> ExpressionBuilder:
        return self._compare(Comparison.GT, other)

    def __ge__(self, other: object) -> ExpressionBuilder:
        return self._compare(Comparison.GE, other)

    def eq_null_safe(self, other: object) -> ExpressionBuilder:
        """`<=>`: nulls are equal to each other and to nothing else."""
        return self._compare(Comparison.NULL_SAFE_EQ, other)

    def is_in(self, choices: Iterable[object]) -> ExpressionBuilder:
        """One of the choices; a None among them is a null. Raises `UsageError` for a string, which is no list of its letters."""
        if isinstance(choices, str | bytes) or not isinstance(choices, Iterable):
            raise UsageError("is_in", expected="a list of values", found=describe(choices))
        return ExpressionBuilder(nodes.In(self._scalar, tuple(_scalar(choice) for choice in choices)))

    def between(self, low: object, high: object) -> ExpressionBuilder:
        """From `low` to `high`, both included."""
        return ExpressionBuilder(nodes.Between(self._scalar, _scalar(low), _scalar(high)))

    def like(self, pattern: str, escape: str = "\\") -> ExpressionBuilder:
        """`%` is any run of characters, `_` any one, after the escape character they are themselves."""
        if len(escape) != 1:
            raise UsageError("like", expected="one escape character", found=repr(escape))
        return ExpressionBuilder(nodes.Like(self._scalar, pattern, escape))

    def rlike(self, pattern: str) -> ExpressionBuilder:
        """The regular expression, of Java's kind, is found somewhere in the text."""
        return ExpressionBuilder(nodes.RegexLike(self._scalar, pattern))

    def startswith(self, text: str) -> ExpressionBuilder:
        return self.like(calls.literal_pattern(text) + "%")

    def endswith(self, text: str) -> ExpressionBuilder:
        return self.like("%" + calls.literal_pattern(text))

    def contains(self, text: str) -> ExpressionBuilder:
        return self.like(f"%{calls.literal_pattern(text)}%")

    def is_null(self) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.IsNull(self._scalar))

    def is_not_null(self) -> ExpressionBuilder:
        return ~self.is_null()

    def is_true(self) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.Is(self.node, TRUE))

    def is_false(self) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.Is(self.node, FALSE))

    # ---- values

    def __add__(self, other: object) -> ExpressionBuilder:
        return self._call("+", other)

    def __radd__(self, other: object) -> ExpressionBuilder:
        return lit(other) + self

    def __sub__(self, other: object) -> ExpressionBuilder:
        return self._call("-", other)

    def __rsub__(self, other: object) -> ExpressionBuilder:
        return lit(other) - self

    def __mul__(self, other: object) -> ExpressionBuilder:
        return self._call("*", other)

    def __rmul__(self, other: object) -> ExpressionBuilder:
        return lit(other) * self

    def __truediv__(self, other: object) -> ExpressionBuilder:
        return self._call("/", other)

    def __rtruediv__(self, other: object) -> ExpressionBuilder:
        return lit(other) / self

    def __mod__(self, other: object) -> ExpressionBuilder:
        return self._call("%", other)

    def __rmod__(self, other: object) -> ExpressionBuilder:
        return lit(other) % self

    def __neg__(self) -> ExpressionBuilder:
        return self._call("negative")

    def __abs__(self) -> ExpressionBuilder:
        return self._call("abs")

    def cast(self, to: Type | str) -> ExpressionBuilder:
        """`CAST(... AS to)`; `to` is a type or the SQL name of one without numbers."""
        named = sql_type(to) if isinstance(to, str) else to
        if named is None:
            raise UsageError("cast", expected="the SQL name of a type", found=repr(to))
        return ExpressionBuilder(nodes.Cast(self._scalar, named))

    @property
    def _scalar(self) -> Scalar:
        return calls.scalar(self.node)

    def _compare(self, operator: Comparison, other: object) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.Compare(operator, self._scalar, _scalar(other)))

    def _call(self, name: str, *others: object) -> ExpressionBuilder:
        return ExpressionBuilder(nodes.Call(name, (self._scalar, *map(_scalar, others))))


def _node(value: object) -> Expr:
    return value.node if isinstance(value, ExpressionBuilder) else lit(value).node


def _scalar(value: object) -> Scalar:
    return calls.scalar(_node(value))


def _parts(node: Expr, kind: type[nodes.And | nodes.Or]) -> tuple[Expr, ...]:
    return node.parts if isinstance(node, kind) else (node,)


def to_python(value: np.generic, where: str) -> object:
    """A scalar of NumPy's as Python's. Raises `UsageError` for a time of parts of a microsecond, which Python's cannot hold."""
    if isinstance(value, np.datetime64) and np.datetime_data(value.dtype)[0] not in ("generic", "Y", "M", "W", "D"):
        micros = value.astype("datetime64[us]")
        if not np.isnat(value) and micros != value:
            raise UsageError(where, expected="a time of whole microseconds", found=str(value))
        value = micros
    scalar: object = value.item()
    return scalar


def _own_type(value: object) -> Type | None:
    """The type of Python's values that SQL writes with their type."""
    match value:
        case float():
            return Double()
        case datetime.datetime():
            return Timestamp(zoned=value.tzinfo is not None)
        case datetime.date():
            return Date()
        case datetime.time():
            return Time()
        case _:
            return None


def _split(path: str) -> list[str]:
    """A dotted path's names; between back-ticks a dot belongs to the name."""
    if "`" not in path:
        return path.split(".")
    names, rest = [], path
    while rest:
        if rest.startswith("`"):
            end = 1
            while rest[end : end + 1] != "`" or rest[end + 1 : end + 2] == "`":
                if end >= len(rest):
                    raise UsageError("col", expected="a closing back-tick", found=repr(path))
                end += 2 if rest[end : end + 2] == "``" else 1
            names.append(rest[1:end])
            rest = rest[end + 1 :].removeprefix(".")
        else:
            name, _, rest = rest.partition(".")
            names.append(name)
    return names

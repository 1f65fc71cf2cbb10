"""The tree of a predicate given as SQL, nodes or a builder; the clock is read once for a whole query. EXPR-37.

An unknown function in a predicate becomes a warning: files are kept for it, and rows cannot be filtered by it. EXPR-42.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, get_args

from hudi_core.arguments import warn_caller
from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import ConditionWarning, UsageError, describe
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.calls import ALIASES, SUGAR_NAMES
from hudi_core.expr.nodes import And, Call, Compare, Comparison, Expr, In, Is, Literal, Name, Not, Or, Scalar
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Predicate, unknowns_of
from hudi_core.expr.terms import FORMS, read_text
from hudi_core.expr.text import quote, to_sql
from hudi_core.expr.walk import change_tree, check_depth, names_in, parts_of, walk
from hudi_core.functions.coerce import sql_equivalent
from hudi_core.functions.scalar.cast import cast
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

if TYPE_CHECKING:
    from hudi_core.functions import registry
else:
    registry = ModuleByNeed("hudi_core.functions.registry")  # most predicates call no function

_DAYS = frozenset({"current_date", "curdate"})
_INSTANTS = frozenset({"current_timestamp", "now"})
_MICROS_OF_A_DAY = 86_400_000_000


def predicate_tree(where: str | Expr | ExpressionBuilder, now: int | None = None) -> Expr:
    """The tree of a predicate. `now`, in microseconds since 1970 (None: the clock's), stands for `current_date` and its like.

    Raises `ExpressionError` for a string that is no predicate and for a tree that is too deep, `UsageError` for any other object.

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
            found=describe(where),
        )
    check_depth(tree)
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

    return change_tree(tree, literal_of)


_SYNTAX: Final = frozenset({"cast", "try_cast", "collate", "get_field", "interval", "struct", "like", "ilike", "rlike"})
"""Calls that stand for syntax: nobody wrote their names."""

_MAX_SHOWN: Final = 80
_CLOSE: Final = 0.7
"""How alike two names have to be, from 0 to 1, for one to be suggested for the other."""


def warnings_of(tree: Expr, predicate: Predicate) -> list[str]:
    """A sentence for each unknown function of a predicate, or for each condition that is not known for another reason."""
    conditions = unknowns_of(predicate)
    if not conditions:
        return []
    functions = list(dict.fromkeys(_unknown_functions(tree)))
    if functions:
        return [f"function {name} is not known: {_CONSEQUENCE}{_suggestion(name)}" for name in functions]
    return [f"{_shorten(text)} is not known: {_CONSEQUENCE}" for text in dict.fromkeys(conditions)]


def doubts_of(tree: Expr, schema: Schema) -> list[str]:
    """A sentence for each condition that is right and hardly meant: a comparison with NULL, one on constants alone of which a
    text names a column of the schema, one with a text in double quotes that does, and IN of a column that is no string and a text
    that none of its values has. Rules EXPR-1087 and EXPR-1381."""
    doubts: list[str] = []
    for node in walk(tree):
        match node:
            case Compare(operator, left, right) if operator is not Comparison.NULL_SAFE_EQ:
                doubts += _doubts_of_nulls(node, left, right)
            case In(Name() as column, choices):
                doubts += _doubts_of_texts(column, choices, schema)
            case _:
                continue
    doubts += _doubts_of_constants(tree, schema)
    return list(dict.fromkeys(doubts))


def warn_of(doubts: Iterable[str]) -> None:
    """Warns of what is hardly meant in a query's condition, at the line that asked. Rule EXPR-1513."""
    for doubt in doubts:
        warn_caller(doubt, ConditionWarning)


def _doubts_of_nulls(node: Compare, left: Scalar, right: Scalar) -> Iterator[str]:
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Literal) and side.value is None:
            negated = " NOT" if node.operator is Comparison.NE else ""
            yield f"{to_sql(node)} is never true; write {to_sql(other)} IS{negated} NULL"
            return


def _doubts_of_constants(tree: Expr, schema: Schema) -> Iterator[str]:
    names = _by_small_letters(schema)
    for condition in _conditions_of(tree):
        if names_in(condition):
            yield from _doubts_of_quotes(condition, schema, names)
            continue
        name = next((name for node in walk(condition) if (name := _find_named(node, schema, names)) is not None), None)
        if name is not None:
            yield f"{to_sql(condition)} has no column; write {name} or {_in_backticks(name)} for the column"


def doubts_of_value(tree: Expr, schema: Schema) -> Iterator[str]:
    """A sentence for each text in double quotes that names a column of the schema: other dialects of SQL mean the column."""
    return _doubts_of_quotes(tree, schema, _by_small_letters(schema))


def _doubts_of_quotes(tree: Expr, schema: Schema, names: Mapping[str, str]) -> Iterator[str]:
    for node in walk(tree):
        if not isinstance(node, Literal) or node.span is None:
            continue
        written = node.span.text[node.span.start : node.span.end]
        if written.startswith('"') and (name := _find_named(node, schema, names)) is not None:
            column = f"{name} or {_in_backticks(name)}"
            yield f"{written} is a text; write {column} for the column, or {quote(str(node.value))} for the text"


def _find_named(node: Expr, schema: Schema, names: Mapping[str, str]) -> str | None:
    """The column that a text names."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        return None
    place = schema.find(node.value)
    return names.get(node.value.lower()) if place is None else place.name


def _by_small_letters(schema: Schema) -> dict[str, str]:
    return {name.lower(): name for name in schema.names}


def _conditions_of(tree: Expr) -> Iterator[Expr]:
    """The conditions that AND, OR, NOT and IS join."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, And | Or | Not | Is):
            waiting.extend(reversed(parts_of(node)))
        else:
            yield node


def _in_backticks(name: str) -> str:
    return ".".join(f"`{part}`" for part in name.split("."))


def _doubts_of_texts(column: Name, choices: Sequence[Scalar], schema: Schema) -> Iterator[str]:
    """IN makes texts of all values where one is a text, so `day IN ('2024-3-1')` is never true. Names the first such text."""
    texts = [choice.value for choice in choices if isinstance(choice, Literal) and isinstance(choice.value, str)]
    place = schema.find(column.path, case_sensitive=False) if texts else None
    if place is None:
        return
    data_type = sql_equivalent(place.field.type)
    if isinstance(data_type, t.String | t.Boolean | t.Binary | t.Nested):
        return
    for text in texts:
        value = read_text(text, data_type)
        shown = None if value is None else cast(value, data_type, t.String())
        if shown != text:
            name = to_sql(column)
            advice = "" if shown is None else f"; write {name} = {quote(text)}, or {quote(shown)} in the list"
            yield f"IN compares {name} as text here, which is never {quote(text)}{advice}"
            return


_CONSEQUENCE: Final = "no file is skipped by it and rows cannot be filtered by it"


def _unknown_functions(tree: Expr) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, Call) and node.function[0].isalpha():
            is_known = node.function in {*registry.NAMES, *SUGAR_NAMES, *FORMS, *_SYNTAX}
            if not is_known:
                yield node.function


def _suggestion(name: str) -> str:
    if name == "col":
        return "; write the name of a column without col(...)"
    close = difflib.get_close_matches(name, sorted(registry.NAMES | ALIASES.keys() | SUGAR_NAMES), n=2, cutoff=_CLOSE)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."

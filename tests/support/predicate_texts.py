"""Texts of predicates in Spark's grammar: every function with any arguments, literals at the ends of types, loose tokens."""

from __future__ import annotations

from hypothesis import strategies as st

from hudi_core.expr.calls import ALIASES, SUGAR_NAMES
from hudi_core.functions.registry import NAMES, find
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

_COLUMNS: dict[str, t.Type] = {
    "i": t.Int(),
    "l": t.Long(),
    "f": t.Float(),
    "d": t.Double(),
    "s": t.String(),
    "x": t.Binary(),
    "b": t.Boolean(),
    "dt": t.Date(),
    "ts": t.Timestamp(),
    "wall": t.Timestamp(zoned=False),
    "dc": t.Decimal(10, 2),
    "a": t.Array(t.Field(0, "element", t.Int())),
    "m": t.Map(t.Field(0, "key", t.String()), t.Field(0, "value", t.Int())),
}
SCHEMA = Schema(record_with_ids(t.Record(tuple(t.Field(0, name, of) for name, of in _COLUMNS.items()))))
"""A column of each type, which the texts name."""

_NUMBERS = (
    *("0", "-1", "2147483647", "-2147483648", "9223372036854775808", "99999999999999999999999999999999999999"),
    *(
        "1e29BD",
        "0.1BD",
        "1e999999999BD",
        "-0.0",
        "1.5",
        "-1e308D",
        "1e400",
        "1e38F",
        "127Y",
        "-128Y",
        "32767S",
        "300Y",
    ),
    *("2000000000", "1e-320", "5L", "16", "3"),
)
_STRINGS = (
    *(
        "''",
        "'a'",
        "'%'",
        "'_'",
        r"'\\'",
        "'['",
        "'('",
        "'12.7'",
        "'99999999999999999999'",
        "'NaN'",
        "'é漢😀'",
        "'YEAR'",
    ),
    *("'2020-01-01'", "'1999 x'", "'2020-01-01 10:00:00'", "'yyyy-MM-dd[ HH]'", "'yyyy{'", "'$.a'", "'{\"a\":1}'"),
)
_VALUES = (
    *("NULL", "TRUE", "X''", "X'FF'", "date'2020-02-29'", "date'+9999-12-31'", "date'1999 x'", "timestamp'4294967297'"),
    *("timestamp'294247-01-10 04:00:54.775807'", "timestamp'-290308-12-21 19:59:06'", "timestamp_ntz'2020-01-01'"),
    *("double('NaN')", "float('-Infinity')", "array(1, 2)", "array()", "map('a', 1)", "(1, 2)", "current_date"),
    *("interval 1 day", "interval 1 month", "interval -5 hours", "cast(null as int)", "cast(null as decimal(5, 2))"),
)
_TYPES = (
    *("int", "bigint", "tinyint", "smallint", "string", "double", "float", "decimal(38, 38)", "date", "timestamp"),
    *("timestamp_ntz", "boolean", "binary", "array<int>", "interval", "decimal(99)"),
)
_FUNCTIONS = sorted(name for name in {*NAMES, *SUGAR_NAMES, *ALIASES, "coalesce", "no_such"} if name.isidentifier())
_OPERATORS = ("+", "-", "*", "/", "%", "||", "DIV", "&", "|", "^", "<<", ">>>", "=", "<", "<=>", "LIKE", "RLIKE", "IN")
_LEAVES = st.sampled_from((*_NUMBERS, *_STRINGS, *_VALUES, *_COLUMNS))
_WORDS = (
    *(
        "AND",
        "OR",
        "NOT",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "BETWEEN",
        "IS",
        "CAST",
        "AS",
        "EXTRACT",
        "FROM",
        "TRIM",
    ),
    *(
        "INTERVAL",
        "DAY",
        "ESCAPE",
        "COLLATE",
        "ANY",
        "->",
        "=>",
        "::",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        "!",
        "~",
        "'",
        "`",
        '"',
    ),
)


def _called(name: str, arguments: list[str]) -> str:
    known = find(name)
    if known is not None and known.takes_lambda and arguments:
        arguments = [*arguments[:-1], f"x -> {arguments[-1]}"]
    return f"{name}({', '.join(arguments)})"


def _composed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, st.sampled_from(_OPERATORS), inner).map(" ".join)
    return st.one_of(
        st.builds(_called, st.sampled_from(_FUNCTIONS), st.lists(inner, max_size=4)),
        st.builds(_called, st.sampled_from(_FUNCTIONS), st.lists(inner, min_size=1, max_size=2)),
        pairs.map("({})".format),
        st.builds("CAST({} AS {})".format, inner, st.sampled_from(_TYPES)),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, pairs, inner, inner),
        st.builds("{}{}".format, st.sampled_from("-~+"), inner),
    )


EXPRESSIONS = st.recursive(_LEAVES, _composed, max_leaves=8)
"""Expressions by the grammar, whatever their types."""
LOOSE = st.lists(_LEAVES | st.sampled_from((*_WORDS, *_OPERATORS, *_FUNCTIONS)), max_size=12).map(" ".join)
"""Words of the grammar in any order."""

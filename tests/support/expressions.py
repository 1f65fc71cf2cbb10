"""Hypothesis strategies for the laws of expressions: a schema, rows at the edges, and predicates over them."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from hudi_core.expr import nodes as n
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import Truth
from hudi_core.types import nodes as t
from hudi_core.values.domain import INT_RANGE, LONG_RANGE, to_binary32
from tests.support.sql_oracle import Row

COLUMNS: dict[str, t.Type] = {
    "i": t.Int(),
    "j": t.Int(),
    "l": t.Long(),
    "f": t.Float(),
    "d": t.Double(),
    "p": t.Decimal(5, 2),
    "q": t.Decimal(18, 4),
    "dt": t.Date(),
    "ts": t.Timestamp(),
    "lt": t.Timestamp(zoned=False),
    "s": t.String(),
    "u": t.String(),
    "b": t.Boolean(),
    "x": t.Binary(),
    "e": t.Enumeration(("apple", "b", "B")),
}
SCHEMA = Schema(record_with_ids(t.Record(tuple(t.Field(0, name, of) for name, of in COLUMNS.items()))))
_IDS = {name: SCHEMA.ids[(name,)] for name in COLUMNS}

_DAY = 86_400_000_000
_SMALL = st.integers(-12, 12)
_INTS = _SMALL | st.sampled_from(
    [*INT_RANGE, INT_RANGE[0] + 1, INT_RANGE[1] - 1, 16_777_216, 16_777_217, 715_827_883, -1000]
)
_LONGS = _INTS | st.sampled_from([*LONG_RANGE, LONG_RANGE[1] - 1, (1 << 53) + 1, 1 << 32, 3_000_000_000, 1_705_968_000])
_EDGES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    2.0,
    -2.5,
    0.1,
    12.0,
    100.25,
    1e-300,
    5e-324,
    1e19,
    -1e19,
    16_777_216.0,
    2147483647.5,
)
_REALS = st.sampled_from((*_EDGES, 16_777_217.0, math.inf, -math.inf, math.nan))
_DATES = (
    st.sampled_from([0, -1, 1, 18_262, 18_627, 18_628, 19_723, -25_567, -141_428, 2_932_896, -719_162, 59]) | _SMALL
)
_CLOCKS = st.sampled_from([0, 1, -1, _DAY - 1, 3_600_000_000, 999_999, -999_999, 43_200_123_456])
_MICROS = st.builds(lambda days, rest: days * _DAY + rest, _DATES, _CLOCKS)
_WORDS = ("", "a", "A", "ab", "abc", "aB", "b", "a%", "a_", "a\\", "z", "abcabc", "mmm", "1:", "19")
_LETTERS = ("é", "\ud7ff", "\ue000", "\U0010ffff", "\U0001f600y", "a\U0010ffff")
_NUMBERED = ("5", " 7 ", "12.7", "-1", "1e1", "NaN", "true", "2020-01-01", "1970-01-01 00:00:01")
_TEXTS = st.sampled_from(_WORDS + _LETTERS + _NUMBERED)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "i": _INTS,
    "j": _INTS,
    "l": _LONGS,
    "f": _REALS.map(to_binary32),
    "d": _REALS,
    "p": st.integers(-99_999, 99_999).map(lambda k: Decimal(k).scaleb(-2))
    | st.sampled_from(list(map(Decimal, ("1.50", "0.00")))),
    "q": st.sampled_from(
        list(map(Decimal, ("1.5000", "0.0001", "-2.5000", "12.0000", "99999999999999.9999", "0.0000")))
    ),
    "dt": _DATES,
    "ts": _MICROS,
    "lt": _MICROS,
    "s": _TEXTS,
    "u": _TEXTS,
    "b": st.booleans(),
    "x": st.sampled_from([b"", b"a", b"ab", b"\x00", b"\xff"]),
    "e": st.sampled_from(["apple", "b", "B"]),
}


def rows() -> st.SearchStrategy[tuple[Any, ...]]:
    """A row in the form of the domain."""
    return st.tuples(*(st.none() | VALUES[name] for name in COLUMNS))


def seen(row: tuple[Any, ...]) -> Row:
    """The row as the oracle takes it."""
    return {(name,): (value, of) for (name, of), value in zip(COLUMNS.items(), row, strict=True)}


# ---- literals


def _decimal(text: str) -> n.Literal:
    return n.Literal(Decimal(text))


_WHOLE = st.builds(n.Literal, _INTS | _LONGS)
_EXACT = st.sampled_from(
    ["1.5", "0.5", "-2.5", "12.0", "2147483647.5", "0.0001", "1.005", "99999999999999999999", "-0.0"]
).map(_decimal)
_DOUBLES = st.builds(n.Literal, _REALS, st.just(t.Double()))
_FLOATS = st.builds(n.Literal, _REALS.map(to_binary32), st.just(t.Float()))
_NUMBERS = st.one_of(_WHOLE, _EXACT, _DOUBLES, _FLOATS, st.builds(n.Literal, _LONGS, st.just(t.Long())))
_NUMBER_TEXTS = st.sampled_from(["5", " 7 ", "12.7", "-1", "0"]).map(n.Literal)
_DATE_LITERALS = st.builds(n.Literal, _DATES, st.just(t.Date()))
_DATE_TEXTS = st.sampled_from(["2020-01-01", "1969-12-31", "0001-01-01", "9999-12-31"])
_TIME_LITERALS = st.builds(n.Literal, _MICROS, st.just(t.Timestamp()) | st.just(t.Timestamp(zoned=False)))
_TEXT_LITERALS = st.builds(n.Literal, _TEXTS)
_NULLS = st.just(n.Literal(None))


def _col(*names: str) -> st.SearchStrategy[n.Scalar]:
    return st.sampled_from(names).map(lambda name: n.Name((name,)))


def _call(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[n.Scalar]:
    return st.tuples(*arguments).map(lambda found: n.Call(name, found))


def _cast(to: t.Type, value: st.SearchStrategy[n.Scalar]) -> st.SearchStrategy[n.Scalar]:
    return value.map(lambda found: n.Cast(found, to))


def _is_short(exact: n.Literal) -> bool:
    return len(str(exact.value)) < 7


_PLUS = st.builds(n.Literal, st.sampled_from([0, 1, -1, 3, 2147483647, -2147483648, 7, 2]))
_FACTORS = st.builds(n.Literal, st.sampled_from([1, -1, 2, 3, -3, 1000, 0]))
_REAL_FACTORS = st.builds(n.Literal, st.sampled_from([2.0, -0.5, 1.1, 1e200, 0.0, math.inf]), st.just(t.Double()))
_UNITS = st.sampled_from(["YEAR", "MONTH", "DAY", "HOUR", "minute"]).map(n.Literal)
_DAYS = st.builds(n.Literal, st.sampled_from([0, 1, -1, 31, 2147483647]))

_PLAIN_INTS = _col("i", "j", "l")
_PLAIN_NUMBERS = _col("i", "j", "l", "f", "d", "p", "q")
_MOMENTS = _col("dt", "ts", "lt")

NUMBERS: st.SearchStrategy[n.Scalar] = st.one_of(
    _PLAIN_NUMBERS,
    _PLAIN_NUMBERS,
    _call("+", _PLAIN_INTS, _PLUS),
    _call("-", _PLAIN_INTS, _PLUS),
    _call("-", _PLUS, _PLAIN_INTS),
    _call("*", _PLAIN_INTS, _FACTORS),
    _call("+", _PLAIN_INTS, _PLAIN_INTS),
    _call("+", _col("p"), _EXACT.filter(_is_short)),
    _call("*", _col("p"), _FACTORS),
    _call("+", _col("d", "f"), _NUMBERS),
    _call("-", _REAL_FACTORS, _col("d")),
    _call("*", _col("d", "i"), _REAL_FACTORS),
    _call("/", _PLAIN_INTS | _col("d"), _REAL_FACTORS | _FACTORS),
    _call("%", _PLAIN_INTS, _FACTORS),
    _call("negative", _PLAIN_NUMBERS),
    _call("abs", _PLAIN_NUMBERS),
    _call("abs", _call("negative", _PLAIN_INTS)),
    _call("year", _MOMENTS),
    _call("month", _MOMENTS),
    _call("day", _MOMENTS),
    _call("hour", _col("ts", "lt")),
    _call("length", _col("s")),
    _call("unix_timestamp", _MOMENTS),
    _call("year", _call("date_add", _col("dt"), st.just(n.Literal(40)))),
    _call("coalesce", _col("i"), _col("j")),
    _call("coalesce", _col("d"), st.just(n.Literal(-1.0, t.Double()))),
    _cast(t.Int(), _PLAIN_NUMBERS),
    _cast(t.Int(), _col("s", "ts")),
    _cast(t.Long(), _PLAIN_NUMBERS | _col("ts", "b")),
    _cast(t.Double(), _PLAIN_NUMBERS | _col("s", "ts")),
    _cast(t.Float(), _col("i", "l", "d")),
    _cast(t.Decimal(6, 1), _PLAIN_NUMBERS),
    _cast(t.Decimal(25, 3), _PLAIN_NUMBERS),
)
"""Numbers: columns, arithmetic, functions and casts of them."""

TEXTS: st.SearchStrategy[n.Scalar] = st.one_of(
    _col("s", "u", "e"),
    _col("s"),
    _call("substring", _col("s"), st.just(n.Literal(1)), st.sampled_from([0, 1, 2, 3, -1]).map(n.Literal)),
    _call("substring", _col("s"), st.just(n.Literal(2)), st.just(n.Literal(2))),
    _call("lower", _col("s")),
    _call("upper", _col("s", "e")),
    _call("concat", _col("s"), st.just(n.Literal("b"))),
    _cast(t.String(), _col("i", "l", "p", "dt", "ts", "b")),
    _call("coalesce", _col("s"), _col("u"), st.just(n.Literal("z"))),
)
"""Texts: columns, functions and casts."""

MOMENTS: st.SearchStrategy[n.Scalar] = st.one_of(
    _MOMENTS,
    _MOMENTS,
    _cast(t.Date(), _col("ts", "lt", "s")),
    _cast(t.Timestamp(), _col("dt", "lt")),
    _call("date_trunc", _UNITS, _col("ts")),
    _call("date_add", _col("dt"), _DAYS),
    _call("date_sub", _col("dt"), _DAYS),
)
"""Dates and timestamps."""


# ---- predicates


def _compares(left: st.SearchStrategy[n.Scalar], right: st.SearchStrategy[n.Scalar]) -> st.SearchStrategy[n.Expr]:
    one_way = st.builds(n.Compare, st.sampled_from(n.Comparison), left, right)
    return one_way | st.builds(n.Compare, st.sampled_from(n.Comparison), right, left)


def _lists(value: st.SearchStrategy[n.Scalar], of: st.SearchStrategy[n.Literal]) -> st.SearchStrategy[n.Expr]:
    return st.builds(n.In, value, st.lists(of, min_size=1, max_size=4).map(tuple))


def _ranges(value: st.SearchStrategy[n.Scalar], of: st.SearchStrategy[n.Literal]) -> st.SearchStrategy[n.Expr]:
    return st.builds(n.Between, value, of, of)


_PATTERNS = st.text("ab%_cA!é", max_size=5)
_ESCAPED = st.sampled_from(["a!%%", "!_", "a!!", "%!%b%"])
LEAVES: st.SearchStrategy[n.Expr] = st.one_of(
    _compares(NUMBERS, _NUMBERS | _NULLS),
    _compares(_PLAIN_NUMBERS, _NUMBERS | _NUMBER_TEXTS),
    _compares(_PLAIN_NUMBERS, NUMBERS),
    _compares(TEXTS, _TEXT_LITERALS | _NULLS | _WHOLE | _EXACT),
    _compares(TEXTS, _col("s", "u")),
    _compares(MOMENTS, _DATE_LITERALS | _TIME_LITERALS | _NULLS | _DATE_TEXTS.map(n.Literal)),
    _compares(_MOMENTS, _MOMENTS | _cast(t.Date(), _col("ts", "lt", "s"))),  # no date that is beyond all timestamps
    _compares(_col("dt"), _call("date_add", _col("dt"), _DAYS)),
    _compares(_col("b"), st.sampled_from([True, False, None, "true", "no"]).map(n.Literal)),
    st.builds(n.Compare, st.sampled_from([n.Comparison.EQ, n.Comparison.NE]), _col("b"), _WHOLE),
    _compares(_col("x"), st.sampled_from([b"", b"a", b"\xff"]).map(n.Literal)),
    _lists(NUMBERS, _WHOLE | _EXACT | _NULLS),
    _lists(NUMBERS, _WHOLE | _DOUBLES | _NULLS),
    _lists(_PLAIN_INTS, _WHOLE | _NUMBER_TEXTS),
    _lists(TEXTS, _TEXT_LITERALS | _NULLS),
    _lists(_col("s"), _WHOLE),
    _lists(
        MOMENTS.filter(lambda m: isinstance(m, n.Name) and m.path == ("dt",)),
        _DATE_LITERALS | _DATE_TEXTS.map(n.Literal),
    ),
    _ranges(NUMBERS, _NUMBERS | _NULLS),
    _ranges(TEXTS, _TEXT_LITERALS),
    _ranges(MOMENTS, _DATE_LITERALS | _TIME_LITERALS),
    st.builds(n.Like, TEXTS | _col("i"), _PATTERNS),
    st.builds(n.Like, TEXTS, _ESCAPED, st.just("!")),
    st.builds(n.IsNull, NUMBERS | TEXTS | MOMENTS | _col("b", "x")),
    _col("b"),
    st.sampled_from([True, False, None]).map(n.Literal),
)
"""Predicates without logic."""


def _composed(inner: st.SearchStrategy[n.Expr]) -> st.SearchStrategy[n.Expr]:
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    branches = st.lists(
        st.tuples(inner, _col("b") | st.sampled_from([True, None]).map(n.Literal)), min_size=1, max_size=2
    )
    return st.one_of(
        st.builds(n.And, parts),
        st.builds(n.Or, parts),
        st.builds(n.Not, inner),
        st.builds(n.Is, inner, st.sampled_from(Truth)),
        st.builds(n.Case, branches.map(tuple), _col("b") | _NULLS),
        st.builds(
            n.Compare, st.sampled_from([n.Comparison.EQ, n.Comparison.NULL_SAFE_EQ]), inner.map(made_scalar), _col("b")
        ),
    )


def made_scalar(expr: n.Expr) -> n.Scalar:
    """A predicate as the boolean it gives."""
    if isinstance(expr, n.Name | n.Literal | n.Call | n.Cast | n.Case):
        return expr
    return n.Case(((expr, n.Literal(True)), (n.Not(expr), n.Literal(False))))


PREDICATES: st.SearchStrategy[n.Expr] = LEAVES | st.recursive(LEAVES, _composed, max_leaves=6)

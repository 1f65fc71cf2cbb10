"""Calls of the known functions for tests: the types each takes, and arguments that reach its corners."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from hudi_core.expr.functions import Function
from hudi_core.types import nodes as t
from tests.support.strategies import values_of

Types = tuple[list[t.Type], t.Type]


@dataclass(frozen=True)
class Calls:
    """Signatures of one function, and values for an argument by its number and type."""

    types: st.SearchStrategy[Types]
    values: Callable[[int, t.Type], st.SearchStrategy[Any]]


_TEXT = st.text("aAbBzZ %_éßİσΣ1.-$\\\n", max_size=6)
_NUMBER_TEXT = st.sampled_from(
    ["1", "-7", " 12.7 ", "+5", "", "x", "1e3", "NaN", "-Infinity", "true", "2024-02-29", "2023-02-29", "1970-01-01 00:00:01.5",
     "99999999999", "9223372036854775808", "0.005", "-0.0", "ab"]
)  # fmt: skip
_DIGITS = [t.Decimal(5, 2), t.Decimal(10, 0), t.Decimal(18, 6), t.Decimal(38, 10), t.Decimal(38, 0), t.Decimal(38, 38)]
_EDGES = {
    t.Int: [-(1 << 31), (1 << 31) - 1, -1, 0, 1, 2, 7],
    t.Long: [-(1 << 63), (1 << 63) - 1, -1, 0, 1, 2, 7, (1 << 53) + 1, (1 << 60) + (1 << 36) + 1],
    t.Float: [0.0, -0.0, 1.5, -2.0, float("nan"), float("inf"), -float("inf"), 3.4028234663852886e38],
    t.Double: [0.0, -0.0, 1.5, -2.0, 0.1, float("nan"), float("inf"), -float("inf"), 1e300, 2.0**63, -(2.0**63), 0.005],
}
_TIMES = [t.Timestamp(unit, zoned) for unit in t.Unit for zoned in (True, False)]


def _values(_: int, of: t.Type) -> st.SearchStrategy[Any]:
    found = values_of(of)
    if type(of) in _EDGES:
        found |= st.sampled_from(_EDGES[type(of)])
    if isinstance(of, t.String):
        return _TEXT | _NUMBER_TEXT | found
    if isinstance(of, t.Timestamp):
        found |= st.integers(-(10**9), 4 * 10**9).map(lambda second: second * of.unit.value)
    if isinstance(of, t.Date):
        found |= st.integers(-800_000, 800_000)
    return found


def _fixed(*rest: list[Any]) -> Callable[[int, t.Type], st.SearchStrategy[Any]]:
    """Arguments after the first come from lists."""
    return lambda number, of: _values(number, of) if number == 0 else st.sampled_from(rest[number - 1])


_REALS: list[Types] = [([a, b], t.Double()) for a in (t.Double(), t.Float(), t.Long()) for b in (t.Double(), t.Int())]
_INTEGERS: list[Types] = [
    ([t.Int(), t.Int()], t.Int()),
    ([t.Long(), t.Int()], t.Long()),
    ([t.Long(), t.Long()], t.Long()),
]
_FLOATS: list[Types] = [([t.Float(), t.Float()], t.Float()), ([t.Long(), t.Float()], t.Float())]
_NUMERIC = st.sampled_from(_REALS + _INTEGERS + _FLOATS) | st.tuples(
    st.lists(st.sampled_from(_DIGITS), min_size=2, max_size=2), st.sampled_from(_DIGITS)
)
_WITH_DECIMALS = _NUMERIC | st.sampled_from(
    [([t.Decimal(10, 2), t.Int()], t.Decimal(20, 2)), ([t.Decimal(10, 2), t.Double()], t.Double())]
)
_ONE_NUMBER = st.sampled_from([([of], of) for of in (t.Int(), t.Long(), t.Float(), t.Double(), *_DIGITS)])
_DATED: list[t.Type] = [t.Date(), *_TIMES]
_PATTERNS = ["yyyy-MM-dd", "yyyy/MM/dd HH:mm:ss.SSS", "'at' h a, EEE d MMM yy", "D", "HH", "mm:ss.SSSSSS"]


def _of(*signatures: Types) -> st.SearchStrategy[Types]:
    return st.sampled_from(list(signatures))


_WHOLE = Calls(
    _of(
        *(([of], t.Long()) for of in (t.Float(), t.Double())),
        *(([of], t.Decimal(of.precision - of.scale + 1)) for of in _DIGITS if of.scale),
    ),
    _values,
)
_DATE_PART = Calls(_of(*(([of], t.Int()) for of in _DATED)), _values)
_CASED = Calls(_of(([t.String()], t.String())), _values)
_TRIMMED = Calls(_of(([t.String()], t.String()), ([t.String(), t.String()], t.String())), _values)
_MOVED = Calls(_of(*(([of, t.Int()], t.Date()) for of in _DATED)), _values)

CALLS: dict[Function, Calls] = {
    Function.CAST: Calls(
        _of(*(([t.String()], to) for to in (t.Int(), t.Double(), t.Date(), t.Decimal(8, 2)))), _values
    ),
    Function.ADD: Calls(_WITH_DECIMALS, _values),
    Function.SUBTRACT: Calls(_WITH_DECIMALS, _values),
    Function.MULTIPLY: Calls(_WITH_DECIMALS, _values),
    Function.DIVIDE: Calls(_WITH_DECIMALS, _values),
    Function.MODULO: Calls(_WITH_DECIMALS, _values),
    Function.NEGATE: Calls(_ONE_NUMBER, _values),
    Function.ABS: Calls(_ONE_NUMBER, _values),
    Function.CEIL: _WHOLE,
    Function.FLOOR: _WHOLE,
    Function.ROUND: Calls(
        _of(
            *(([of, t.Int()], of) for of in (t.Int(), t.Long(), t.Float(), t.Double())),
            *(([of, t.Int()], to) for of, to in itertools.product(_DIGITS, (t.Decimal(6, 1), t.Decimal(38, 0)))),
        ),
        _fixed([0, 1, 2, 5, -1, -3, -12, 400, -400]),
    ),
    Function.COALESCE: Calls(
        _of(
            ([t.Int(), t.Int(), t.Long()], t.Long()), ([t.String(), t.String()], t.String()), ([t.Double()], t.Double())
        ),
        _values,
    ),
    Function.LOWER: _CASED,
    Function.UPPER: _CASED,
    Function.LENGTH: Calls(_of(([t.String()], t.Int()), ([t.Binary()], t.Int())), _values),
    Function.SUBSTRING: Calls(
        _of(
            ([t.String(), t.Int()], t.String()),
            ([t.String(), t.Int(), t.Int()], t.String()),
            ([t.Binary(), t.Int(), t.Int()], t.Binary()),
        ),
        lambda number, of: st.integers(-8, 8) | st.sampled_from(_EDGES[t.Int]) if number else _values(number, of),
    ),
    Function.CONCAT: Calls(
        _of(([t.String()], t.String()), ([t.String()] * 3, t.String()), ([t.Binary()] * 2, t.Binary())), _values
    ),
    Function.TRIM: _TRIMMED,
    Function.LTRIM: _TRIMMED,
    Function.RTRIM: _TRIMMED,
    Function.REGEXP_REPLACE: Calls(
        _of(([t.String()] * 3, t.String())), _fixed(["a*", "(a)(b)?", "[^a-z]", "b$"], ["<$0>", "", "x\\$"])
    ),
    Function.REGEXP_EXTRACT: Calls(
        _of(([t.String(), t.String()], t.String()), ([t.String(), t.String(), t.Int()], t.String())),
        _fixed(["(a)(b)?", "(?i)(b+)", "([é])"], [0, 1]),
    ),
    Function.SPLIT: Calls(
        _of(([t.String(), t.String(), t.Int()], t.String())),
        _fixed(["a", "[ab]", "(?i)B+", "x*", "", "\\."], [0, 1, 2, 5, -1]),
    ),
    Function.YEAR: _DATE_PART,
    Function.QUARTER: _DATE_PART,
    Function.MONTH: _DATE_PART,
    Function.DAY: _DATE_PART,
    Function.DAY_OF_WEEK: _DATE_PART,
    Function.DAY_OF_YEAR: _DATE_PART,
    Function.HOUR: _DATE_PART,
    Function.MINUTE: _DATE_PART,
    Function.SECOND: _DATE_PART,
    Function.UNIX_DATE: _DATE_PART,
    Function.DATE: Calls(_of(*(([of], t.Date()) for of in (*_DATED, t.String()))), _values),
    Function.DATE_TRUNC: Calls(
        _of(
            *(([t.String(), of], to) for of in _DATED for to in (t.Timestamp(), t.Timestamp(t.Unit.NANOS, zoned=False)))
        ),
        lambda number, of: (
            _values(number, of)
            if number
            else st.sampled_from(
                ["year", "QUARTER", "month", "week", "Day", "hour", "minute", "second", "millisecond", "no"]
            )
        ),
    ),
    Function.DATE_ADD: _MOVED,
    Function.DATE_SUB: _MOVED,
    Function.DATE_FORMAT: Calls(_of(*(([of, t.String()], t.String()) for of in _DATED)), _fixed(_PATTERNS)),
    Function.UNIX_TIMESTAMP: Calls(
        _of(*(([of], t.Long()) for of in (*_DATED, t.String())), ([t.String(), t.String()], t.Long())),
        _fixed(["yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss"]),
    ),
    Function.FROM_UNIXTIME: Calls(
        _of(([t.Long()], t.String()), ([t.Long(), t.String()], t.String())), _fixed(_PATTERNS)
    ),
}
"""Every function; `values` may be asked for argument 0 of types that the signatures do not have."""

"""Calls of the known functions for tests: the types each takes, and arguments that reach its corners."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from hypothesis import strategies as st

from hudi_core.functions.record import Argument, Function, MismatchError
from hudi_core.functions.registry import function
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
        *(([of, t.Int()], to) for of, to in itertools.product(_DIGITS, (t.Decimal(8, 1), t.Decimal(38, 0)))),
    ),
    _fixed([0, 1, 2, 5, -1, -3, 40, -40]),
)
_DATE_PART = Calls(_of(*(([of], t.Int()) for of in _DATED)), _values)
_CASED = Calls(_of(([t.String()], t.String())), _values)
_TRIMMED = Calls(_of(([t.String()], t.String()), ([t.String(), t.String()], t.String())), _values)

_NESTED: list[t.Type] = [
    *(t.Array(t.Field(0, "element", of)) for of in (t.Int(), t.String(), t.Double())),
    t.Map(t.Field(0, "key", t.String(), optional=False), t.Field(0, "value", t.Long())),
]
_STRUCT = t.Record((t.Field(0, "a", t.Int()), t.Field(0, "b", t.String())))
_INTS = t.Array(t.Field(0, "element", t.Int()))
_CONDITIONS = t.Array(t.Field(0, "element", t.Boolean()))


def _triples(_: int, of: t.Type) -> st.SearchStrategy[Any]:
    """Arrays of one length: a lambda gives as many values as there are elements."""
    assert isinstance(of, t.Array)
    return st.tuples(*[st.none() | _values(0, of.element.type)] * 3)


_TEXT_MAP = t.Map(t.Field(0, "key", t.String(), optional=False), t.Field(0, "value", t.Long()))
_TEXTS = t.Array(t.Field(0, "element", t.String()))
_PAIR = t.Record((t.Field(0, "a", t.Int(), optional=False), t.Field(0, "b", t.String())))
_PAIR_LIST = t.Array(t.Field(0, "element", _PAIR))


def _entries(_: int, of: t.Type) -> st.SearchStrategy[Any]:
    """Maps of three entries, and what a lambda gives of them: keys that differ, or anything else."""
    if isinstance(of, t.Map):
        return st.tuples(*[st.none() | values_of(t.Long())] * 3).map(lambda held: tuple(zip("abc", held, strict=True)))
    if of == _TEXTS:
        return st.permutations(["x", "y", "z"]).map(tuple)
    return _triples(0, of)


_LIKE = Calls(_of(([t.String()] * 2, t.Boolean())), _fixed(["a%", "_", "%B%", "", "é_%"]))
_CHARSETS = ["utf-8", "US-ASCII", "UTF-16", "iso-8859-1"]
_URLS = ["http://me:x@h.org:80/p?a=1#r", "mailto:a@b.c", "", "a b", "http://h_1/p", "//h", "?q", "http://[::1]/"]
_REGEXES = ["a*", "(a)(b)?", "[^a-z]", "b$"]
_PARTS_OF_TIME: list[list[Any]] = [
    [1970, -1, 2024, 300_000], [1, 2, 13], [1, 29, 30], [0, 23, 24], [0, 59, -1], [Decimal("0.000000"), Decimal("60.000000"),
     Decimal("60.500000"), Decimal("1.000001")],
]  # fmt: skip
_DOCUMENTS = ['{"a": [1, {"b": "é"}]}', '{"a": {"b": 1.50}, "c": null}', "[]", "{", "", '{"a": "x"}']
_PADDED = Calls(
    _of(
        ([t.String(), t.Int()], t.String()),
        ([t.String(), t.Int(), t.String()], t.String()),
        ([t.Binary(), t.Int(), t.Binary()], t.Binary()),
    ),
    lambda number, of: st.integers(-3, 12) if number == 1 else _values(number, of),
)


def _unit(number: int, of: t.Type) -> st.SearchStrategy[Any]:
    return _values(number, of) if number else st.sampled_from(["MONTH", "YEAR", "WEEK", "DAY", "HOUR", "MICROSECOND"])


CALLS: dict[Function, Calls] = {
    function("cast"): Calls(
        _of(*(([t.String()], to) for to in (t.Int(), t.Double(), t.Date(), t.Decimal(8, 2)))), _values
    ),
    function("+"): Calls(_WITH_DECIMALS, _values),
    function("-"): Calls(_WITH_DECIMALS, _values),
    function("*"): Calls(_WITH_DECIMALS, _values),
    function("/"): Calls(_WITH_DECIMALS, _values),
    function("%"): Calls(_WITH_DECIMALS, _values),
    function("negative"): Calls(_ONE_NUMBER, _values),
    function("abs"): Calls(_ONE_NUMBER, _values),
    function("ceil"): _WHOLE,
    function("floor"): _WHOLE,
    function("round"): Calls(
        _of(
            *(([of, t.Int()], of) for of in (t.Int(), t.Long(), t.Float(), t.Double())),
            *(([of, t.Int()], to) for of, to in itertools.product(_DIGITS, (t.Decimal(6, 1), t.Decimal(38, 0)))),
        ),
        _fixed([0, 1, 2, 5, -1, -3, -12, 400, -400]),
    ),
    function("lower"): _CASED,
    function("upper"): _CASED,
    function("length"): Calls(_of(([t.String()], t.Int()), ([t.Binary()], t.Int())), _values),
    function("substring"): Calls(
        _of(
            ([t.String(), t.Int()], t.String()),
            ([t.String(), t.Int(), t.Int()], t.String()),
            ([t.Binary(), t.Int(), t.Int()], t.Binary()),
        ),
        lambda number, of: st.integers(-8, 8) | st.sampled_from(_EDGES[t.Int]) if number else _values(number, of),
    ),
    function("concat"): Calls(
        _of(([t.String()], t.String()), ([t.String()] * 3, t.String()), ([t.Binary()] * 2, t.Binary())), _values
    ),
    function("trim"): _TRIMMED,
    function("ltrim"): _TRIMMED,
    function("rtrim"): _TRIMMED,
    function("regexp_replace"): Calls(
        _of(([t.String()] * 3, t.String())), _fixed(["a*", "(a)(b)?", "[^a-z]", "b$"], ["<$0>", "", "x\\$"])
    ),
    function("regexp_extract"): Calls(
        _of(([t.String(), t.String()], t.String()), ([t.String(), t.String(), t.Int()], t.String())),
        _fixed(["(a)(b)?", "(?i)(b+)", "([é])"], [0, 1]),
    ),
    function("split[]"): Calls(
        _of(([t.String(), t.String(), t.Int()], t.String())),
        _fixed(["a", "[ab]", "(?i)B+", "x*", "", "\\."], [0, 1, 2, 5, -1]),
    ),
    function("year"): _DATE_PART,
    function("quarter"): _DATE_PART,
    function("month"): _DATE_PART,
    function("day"): _DATE_PART,
    function("dayofweek"): _DATE_PART,
    function("dayofyear"): _DATE_PART,
    function("hour"): _DATE_PART,
    function("minute"): _DATE_PART,
    function("second"): _DATE_PART,
    function("date_trunc"): Calls(
        _of(*(([t.String(), of], of) for of in _TIMES)),
        lambda number, of: (
            _values(number, of)
            if number
            else st.sampled_from(
                ["year", "QUARTER", "month", "week", "Day", "hour", "minute", "second", "millisecond", "no"]
            )
        ),
    ),
    function("date_format"): Calls(_of(*(([of, t.String()], t.String()) for of in _DATED)), _fixed(_PATTERNS)),
    function("unix_timestamp"): Calls(
        _of(*(([of], t.Long()) for of in (*_DATED, t.String())), ([t.String(), t.String()], t.Long())),
        _fixed(["yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss"]),
    ),
    function("to_date"): Calls(_of(([t.String(), t.String()], t.Date())), _fixed(["yyyy-MM-dd", "dd/MM/yyyy HH"])),
    function("to_timestamp"): Calls(
        _of(([t.String(), t.String()], t.Timestamp())), _fixed(["yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss.SSS"])
    ),
    function("timestampadd"): Calls(
        _of(*(([t.String(), t.Long(), of], of) for of in (t.Timestamp(), t.Timestamp(t.Unit.NANOS, False)))),
        lambda number, of: st.integers(-40, 40) if number == 1 else _unit(number, of),
    ),
    function("date_part"): Calls(
        _of(*(([t.String(), of], t.Decimal(8, 6)) for of in (t.Timestamp(), t.Timestamp(t.Unit.NANOS, False)))),
        lambda number, of: _values(number, of) if number else st.sampled_from(["second", "SECS"]),
    ),
    function("timestampdiff"): Calls(
        _of(([t.String(), t.Timestamp(), t.Timestamp()], t.Long())), lambda n, of: _unit(n, of)
    ),
    function("get_field"): Calls(
        _of(([_STRUCT, t.String()], t.Int()), ([t.Array(t.Field(0, "element", _STRUCT)), t.String()], _INTS)),
        _fixed(["a"]),
    ),
    function("try_cast"): Calls(
        _of(
            *(
                ([of], to)
                for of in (t.String(), t.Float(), t.Double(), t.Decimal(38, 10), t.Timestamp())
                for to in (t.Int(), t.Long())
            ),
            ([t.Long()], t.Int()),
            ([t.Double()], t.Timestamp()),
        ),
        _values,
    ),
    function("->*"): Calls(
        _of(
            *(
                (
                    [_PAIR_LIST, *others],
                    t.Array(
                        t.Field(
                            0,
                            "element",
                            t.Record(
                                tuple(
                                    t.Field(0, f"x{number}", of)
                                    for number, of in enumerate([t.Int(), t.String(), *others])
                                )
                            ),
                        )
                    ),
                )
                for others in ([], [t.String()], [t.Long(), t.Double()])
            )
        ),
        lambda number, of: (
            st.lists(st.tuples(_values(0, t.Int()), st.none() | _TEXT), max_size=3).map(tuple)
            if number == 0
            else _values(number, of)
        ),
    ),
    function("zip_with"): Calls(_of(([_INTS, _INTS, _CONDITIONS], _CONDITIONS)), _triples),
    function("map_filter"): Calls(_of(([_TEXT_MAP, _CONDITIONS], _TEXT_MAP)), _entries),
    function("transform_keys"): Calls(_of(([_TEXT_MAP, _TEXTS], _TEXT_MAP)), _entries),
    function("transform_values"): Calls(
        _of(([_TEXT_MAP, _CONDITIONS], t.Map(_TEXT_MAP.key, t.Field(0, "value", t.Boolean())))), _entries
    ),
    function("->"): Calls(
        _of(
            *(
                (
                    [_INTS, *others],
                    t.Array(
                        t.Field(
                            0,
                            "element",
                            t.Record(
                                tuple(t.Field(0, f"x{number}", of) for number, of in enumerate([t.Int(), *others]))
                            ),
                        )
                    ),
                )
                for others in ([], [t.String()], [t.Long(), t.Double()])
            )
        ),
        _values,
    ),
    function("flatten"): Calls(_of(([t.Array(t.Field(0, "element", _INTS))], _INTS)), _values),
    function("slice"): Calls(_of(([_INTS, t.Int(), t.Int()], _INTS)), _fixed([-4, -1, 1, 2, 5], [0, 1, 3])),
    function("exists"): Calls(_of(([_INTS, _CONDITIONS], t.Boolean())), _triples),
    function("forall"): Calls(_of(([_INTS, _CONDITIONS], t.Boolean())), _triples),
    function("filter"): Calls(_of(*(([of, _CONDITIONS], of) for of in _NESTED[:3])), _triples),
    function("transform"): Calls(_of(([_INTS, _CONDITIONS], _CONDITIONS)), _triples),
    function("like"): _LIKE,
    function("ilike"): _LIKE,
    function("rlike"): Calls(_of(([t.String()] * 2, t.Boolean())), _fixed(["a+", "^b", "é|B", "(a)(b)?", ""])),
    function("named_struct"): Calls(
        _of(([t.String(), t.Int(), t.String(), t.String()], _STRUCT)),
        lambda number, of: st.just("ab"[number // 2]) if number % 2 == 0 else _values(number, of),
    ),
    function("get_json_object"): Calls(
        _of(([t.String(), t.String()], t.String())),
        lambda n, _: st.sampled_from(["$.a", "$.a[1]", "$", "$['a'].b"] if n else _DOCUMENTS),
    ),
    function("split"): Calls(
        _of(
            *(
                ([t.String(), t.String(), *limit], t.Array(t.Field(0, "element", t.String())))
                for limit in ([], [t.Int()])
            )
        ),
        _fixed(["a", "[ab]", "x*", "\\.", ""], [-1, 0, 1, 2, 5]),
    ),
    function("bround"): Calls(
        _of(*(([of, t.Int()], of) for of in (t.Int(), t.Long(), t.Float(), t.Double()))), _fixed([0, 1, 2, -1, -3, 400])
    ),
    function("positive"): Calls(_ONE_NUMBER, _values),
    function("mask"): Calls(_of(([t.String()], t.String())), _values),
    function("conv"): Calls(
        _of(([t.String(), t.Int(), t.Int()], t.String())), _fixed([2, 10, 16, 36, 1], [10, 16, -10, 2, 40])
    ),
    function("encode"): Calls(_of(([t.String()] * 2, t.Binary())), _fixed(_CHARSETS)),
    function("decode"): Calls(_of(([t.Binary(), t.String()], t.String())), _fixed(_CHARSETS)),
    function("parse_url"): Calls(
        _of(([t.String()] * 2, t.String())),
        lambda n, _: st.sampled_from(["HOST", "QUERY", "FILE", "USERINFO", "x"] if n else _URLS),
    ),
    function("typeof"): Calls(_of(([t.Int()], t.String()), ([t.Decimal(5, 2)], t.String())), _values),
    function("json_array_length"): Calls(_of(([t.String()], t.Int())), lambda *_: st.sampled_from(_DOCUMENTS)),
    function("json_object_keys"): Calls(_of(([t.String()], _TEXTS)), lambda *_: st.sampled_from(_DOCUMENTS)),
    function("regexp_count"): Calls(_of(([t.String()] * 2, t.Int())), _fixed(_REGEXES)),
    function("regexp_substr"): Calls(_of(([t.String()] * 2, t.String())), _fixed(_REGEXES)),
    function("regexp_instr"): Calls(_of(([t.String()] * 2, t.Int())), _fixed(_REGEXES)),
    function("regexp_extract_all"): Calls(
        _of(([t.String(), t.String(), t.Int()], _TEXTS)), _fixed(["(a)(b)?", "(?i)(b+)", "([é])"], [0, 1])
    ),
    function("array_append"): Calls(_of(([_INTS, t.Int()], _INTS)), _values),
    function("array_prepend"): Calls(_of(([_INTS, t.Int()], _INTS)), _values),
    function("array_insert"): Calls(_of(([_INTS, t.Int(), t.Int()], _INTS)), _fixed([-4, -1, 1, 2, 5], [0, 7])),
    **dict.fromkeys(
        map(function, ("from_utc_timestamp", "to_utc_timestamp")),
        Calls(
            _of(*(([t.Timestamp(unit), t.String()], t.Timestamp(unit)) for unit in (t.Unit.MILLIS, t.Unit.MICROS))),
            lambda n, _: (
                st.sampled_from(["Europe/Berlin", "America/New_York", "+05:30", "UTC"])
                if n
                else st.integers(-(10**12), 4 * 10**12)
            ),
        ),
    ),
    function("url_decode"): Calls(
        _of(([t.String()], t.String())), lambda *_: st.sampled_from(["a+b", "%C3%A9", "é", ""])
    ),
    function("map_from_arrays"): Calls(
        _of(([_TEXTS, _INTS], t.Map(_TEXT_MAP.key, t.Field(0, "value", t.Int())))),
        lambda n, _: st.sampled_from([(1, None, 3), (4, 5, 6)] if n else [("a", "b", "c"), ("c", "", "é")]),
    ),
    function("map_from_entries"): Calls(
        _of(([_PAIR_LIST], t.Map(_PAIR.fields[0], _PAIR.fields[1]))),
        lambda *_: st.sampled_from([((1, "a"), (2, None)), ((1, "a"), None), ()]),
    ),
    function("map_concat"): Calls(
        _of(([_TEXT_MAP, _TEXT_MAP], _TEXT_MAP)),
        lambda n, _: st.sampled_from([(("c", 1),), ()] if n else [(("a", 1), ("b", None)), ()]),
    ),
    function("array_repeat"): Calls(
        _of(([t.Int(), t.Int()], _INTS), ([t.String(), t.Int()], _TEXTS)), _fixed([-1, 0, 1, 3])
    ),
    function("array_compact"): Calls(_of(([_INTS], _INTS)), _values),
    **dict.fromkeys(
        map(function, ("try_add", "try_subtract", "try_multiply")), Calls(st.sampled_from(_INTEGERS), _values)
    ),
    function("try_divide"): Calls(_of(([t.Double()] * 2, t.Double())), _values),
    **{
        function(name): Calls(
            _of(([*[t.Int()] * 5, t.Decimal(16, 6)], t.Timestamp(zoned=zoned))),
            lambda n, _: st.sampled_from(_PARTS_OF_TIME[n]),
        )
        for name, zoned in (("make_timestamp", True), ("make_timestamp_ntz", False))
    },
    function("repeat"): Calls(_of(([t.String(), t.Int()], t.String())), _fixed([-1, 0, 1, 3])),
    function("space"): Calls(_of(([t.Int()], t.String())), lambda *_: st.integers(-2, 5)),
    function("map"): Calls(
        _of(([t.String(), t.Long()], _NESTED[-1])),
        lambda number, of: _values(number, of).filter(lambda v: v is not None),
    ),
    function("element_at"): Calls(
        _of(([_INTS, t.Int()], t.Int()), ([_NESTED[-1], t.String()], t.Long())),
        lambda number, of: st.sampled_from([-3, -1, 1, 2, 7]) if isinstance(of, t.Int) else _values(number, of),
    ),
    function("lpad"): _PADDED,
    function("rpad"): _PADDED,
    function("trunc"): Calls(_of(([t.Date(), t.String()], t.Date())), _fixed(["year", "QUARTER", "mon", "Week"])),
    function("div"): Calls(_of(([t.Long(), t.Long()], t.Long())), _values),
    function("from_unixtime"): Calls(
        _of(([t.Long()], t.String()), ([t.Long(), t.String()], t.String())), _fixed(_PATTERNS)
    ),
}
"""`values` may be asked for argument 0 of types that the signatures do not have."""

_POOL = [
    *_NESTED,
    t.Int(),
    t.Long(),
    t.Double(),
    t.String(),
    t.Binary(),
    t.Date(),
    t.Timestamp(),
    t.Boolean(),
    t.Decimal(10, 2),
]


@cache
def calls_of(known: Function) -> Calls:
    """Calls of a function: its own ones, or all that its signature makes of arguments of few types."""
    if known in CALLS:
        return CALLS[known]
    found: dict[str, Types] = {}
    for count in [number for number in known.arity[:6] if number][:4]:
        for given in itertools.islice(itertools.product(_POOL, repeat=count), 4000):
            try:
                signature = known.signature([Argument(of) for of in given])
            except MismatchError:
                continue
            if signature is not None and not signature.null and signature.instead is None:
                found[repr(signature)] = list(signature.types), signature.result_type
    assert found, f"no call of {known.name} without constants: say its own ones"
    return Calls(st.sampled_from(list(found.values())), _values)

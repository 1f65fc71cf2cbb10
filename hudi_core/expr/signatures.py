"""The known functions: what arguments each takes, how they are brought to its types, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeGuard

from hudi_core.errors import UnsupportedError
from hudi_core.expr import coerce, numeric
from hudi_core.expr.applied import MismatchError, applied, cast_to
from hudi_core.expr.functions import Function
from hudi_core.expr.leaves import negate
from hudi_core.expr.literals import NULL
from hudi_core.expr.predicate import Choose, Constant, Term
from hudi_core.expr.preimage import is_null
from hudi_core.expr.scalar import regex
from hudi_core.expr.scalar.apply import DEFAULT_PATTERN
from hudi_core.expr.scalar.dates import PARTS_OF_DATE, PARTS_OF_DAY, truncation
from hudi_core.expr.scalar.patterns import date_pattern, parse_micros
from hudi_core.expr.scalar.text import WHOLE
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text

PART_OF_SPLIT = "split[]"
"""The name under which `split(text, pattern)[index]` is known: a list by itself is no value that is compared."""
_DATE_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK")


def call(name: str, arguments: Sequence[Term], utc: bool = True) -> Term | None:
    """The term of a function's call by its lower-case SQL name; None when the core does not know it.

    `utc` says whether the session's zone is UTC: in another, what looks at the clock of a zoned timestamp is not known.
    Raises `MismatchError`.
    """
    make = _KNOWN.get(name)
    if make is None or (name in _OF_CLOCK and not utc and any(map(_is_zoned, arguments))):
        return None
    try:
        return make(list(arguments))
    except UnsupportedError:  # a pattern or a pair of types that the core cannot evaluate
        return None


def coalesced(arguments: list[Term]) -> Term | None:
    """The first value that is not null."""
    given = [argument for argument in arguments if not (isinstance(argument, Constant) and argument.value is None)]
    if not given:
        return NULL
    common = coerce.widest(argument.type for argument in given)
    if common is None:
        raise MismatchError(f"values of one type in coalesce, such as {type_text(given[0].type)}", given[-1].type)
    brought = [cast_to(argument, common) for argument in given]
    if len(brought) == 1:
        return brought[0]
    branches = tuple((negate(is_null(argument)), argument) for argument in brought[:-1])
    return Choose(branches, brought[-1], common)


def _text(term: Term) -> Term:
    return cast_to(term, t.String())


def _of_text(function: Function, of: t.Type, arguments: list[Term]) -> Term | None:
    return applied(function, [_text(argument) for argument in arguments], of)


def _length(arguments: list[Term]) -> Term | None:
    (value,) = arguments
    return applied(Function.LENGTH, [value if _is_bytes(value) else _text(value)], t.Int())


def _substring(arguments: list[Term]) -> Term | None:
    value, start, *length = arguments
    whole = [cast_to(part, t.Int()) for part in (start, *(length or [Constant(WHOLE, t.Int())]))]
    kept = value if _is_bytes(value) else _text(value)
    return applied(Function.SUBSTRING, [kept, *whole], t.Binary() if _is_bytes(value) else t.String())


def _concat(arguments: list[Term]) -> Term | None:
    if not arguments:
        return Constant("", t.String())
    if all(map(_is_bytes, arguments)):
        return applied(Function.CONCAT, arguments, t.Binary())
    return applied(Function.CONCAT, [_text(argument) for argument in arguments], t.String())


def _regexp_replace(arguments: list[Term]) -> Term | None:
    value, pattern, replacement, *position = arguments
    if position and position[0] != Constant(1, t.Int()):
        return None
    if not _is_text_constant(pattern) or not _is_text_constant(replacement):
        return None
    regex.parse(str(pattern.value))
    return applied(Function.REGEXP_REPLACE, [_text(value), pattern, replacement], t.String())


def _part_of_split(arguments: list[Term]) -> Term | None:
    value, pattern, index = arguments
    if not _is_text_constant(pattern):
        return None
    regex.parse(str(pattern.value))
    return applied(Function.SPLIT, [_text(value), pattern, cast_to(index, t.Int())], t.String())


def _regexp_extract(arguments: list[Term]) -> Term | None:
    value, pattern, *group = arguments
    index = group[0] if group else Constant(1, t.Int())
    if not _is_text_constant(pattern) or not isinstance(index, Constant):
        return None
    regex.parse(str(pattern.value))
    return applied(Function.REGEXP_EXTRACT, [_text(value), pattern, cast_to(index, t.Int())], t.String())


def _part_of_date(function: Function, arguments: list[Term]) -> Term | None:
    (value,) = arguments
    return applied(function, [value if isinstance(value.type, t.Timestamp) else cast_to(value, t.Date())], t.Int())


def _part_of_day(function: Function, arguments: list[Term]) -> Term | None:
    return applied(function, [_moment(arguments[0])], t.Int())


def _unix_date(arguments: list[Term]) -> Term:
    return applied(Function.UNIX_DATE, [cast_to(arguments[0], t.Date())], t.Int())


def _days_between(arguments: list[Term]) -> Term | None:
    """The later day comes first, as in SQL."""
    return numeric.arithmetic(Function.SUBTRACT, [_unix_date([each]) for each in arguments])


def _date_trunc(arguments: list[Term]) -> Term | None:
    unit, value = arguments
    if not _is_text_constant(unit):
        return None
    moment = _moment(value)
    if truncation(str(unit.value)) is None:
        return Constant(None, moment.type)
    return applied(Function.DATE_TRUNC, [Constant(str(unit.value).upper(), t.String()), moment], moment.type)


def _trunc(arguments: list[Term]) -> Term | None:
    value, unit = arguments
    if not _is_text_constant(unit):
        return None
    if truncation(str(unit.value)) is None or truncation(str(unit.value)) not in map(truncation, _DATE_UNITS):
        return Constant(None, t.Date())
    cut = _date_trunc([unit, cast_to(cast_to(value, t.Date()), t.Timestamp(zoned=False))])
    return None if cut is None else cast_to(cut, t.Date())


def _date_moved(function: Function, arguments: list[Term]) -> Term | None:
    value, days = arguments
    return applied(function, [cast_to(value, t.Date()), cast_to(days, t.Int())], t.Date())


def _to_date(arguments: list[Term]) -> Term | None:
    value, *pattern = arguments
    if not pattern or not isinstance(coerce.seen(value.type), t.String):
        return cast_to(value, t.Date())
    moment = _to_timestamp(arguments)
    return None if moment is None else cast_to(moment, t.Date())


def _to_timestamp(arguments: list[Term]) -> Term | None:
    value, *pattern = arguments
    if not pattern or not isinstance(coerce.seen(value.type), t.String):
        return cast_to(value, t.Timestamp())
    if not _is_text_constant(pattern[0]) or "S" in str(pattern[0].value):  # seconds carry no fraction
        return None
    seconds = _unix_timestamp(arguments)
    return None if seconds is None else cast_to(seconds, t.Timestamp())


def _unix_timestamp(arguments: list[Term]) -> Term | None:
    if not arguments:
        return None
    value, *given = arguments
    if not isinstance(coerce.seen(value.type), t.String):
        return applied(Function.UNIX_TIMESTAMP, [_moment(value)], t.Long())
    pattern = _date_pattern(given)
    if pattern is None:
        return None
    parse_micros("", date_pattern(str(pattern.value)))
    return applied(Function.UNIX_TIMESTAMP, [_text(value), pattern], t.Long())


def _from_unixtime(arguments: list[Term]) -> Term | None:
    value, *given = arguments
    pattern = _date_pattern(given)
    return None if pattern is None else applied(Function.FROM_UNIXTIME, [cast_to(value, t.Long()), pattern], t.String())


def _date_format(arguments: list[Term]) -> Term | None:
    value, pattern = arguments
    known = _date_pattern([pattern])
    moment = value if isinstance(value.type, t.Date) else _moment(value)
    return None if known is None else applied(Function.DATE_FORMAT, [moment, known], t.String())


def _date_pattern(given: list[Term]) -> Constant | None:
    pattern = given[0] if given else Constant(DEFAULT_PATTERN, t.String())
    if not _is_text_constant(pattern):
        return None
    date_pattern(str(pattern.value))
    return pattern


def _moment(term: Term) -> Term:
    return term if isinstance(term.type, t.Timestamp) else cast_to(term, t.Timestamp())


def _is_bytes(term: Term) -> bool:
    return isinstance(term.type, t.Binary | t.Fixed)


def _is_zoned(term: Term) -> bool:
    return isinstance(term.type, t.Timestamp) and term.type.zoned


def _is_text_constant(term: Term) -> TypeGuard[Constant]:
    return isinstance(term, Constant) and isinstance(term.value, str)


_KNOWN: dict[str, Callable[[list[Term]], Term | None]] = {
    **{
        function.value: partial(numeric.arithmetic, function)
        for function in (Function.ADD, Function.SUBTRACT, Function.MULTIPLY, Function.DIVIDE, Function.MODULO)
    },
    **{function.value: partial(numeric.unary, function) for function in (Function.NEGATE, Function.ABS)},
    **{function.value: partial(numeric.whole, function) for function in (Function.CEIL, Function.FLOOR)},
    "round": numeric.rounded,
    "div": numeric.whole_quotient,
    **{
        function.value: partial(_of_text, function, t.String())
        for function in (Function.LOWER, Function.UPPER, Function.TRIM, Function.LTRIM, Function.RTRIM)
    },
    **{function.value: partial(_part_of_date, function) for function in PARTS_OF_DATE},
    **{function.value: partial(_part_of_day, function) for function in PARTS_OF_DAY},
    **{function.value: partial(_date_moved, function) for function in (Function.DATE_ADD, Function.DATE_SUB)},
    "coalesce": coalesced,
    "length": _length,
    "substring": _substring,
    "concat": _concat,
    "regexp_replace": _regexp_replace,
    "regexp_extract": _regexp_extract,
    PART_OF_SPLIT: _part_of_split,
    "unix_date": _unix_date,
    "datediff": _days_between,
    "date_trunc": _date_trunc,
    "trunc": _trunc,
    "to_date": _to_date,
    "to_timestamp": _to_timestamp,
    "unix_timestamp": _unix_timestamp,
    "from_unixtime": _from_unixtime,
    "date_format": _date_format,
}
KNOWN_NAMES = frozenset(name for name in _KNOWN if name.isidentifier())
"""The functions that have names, by these."""

_PARTS = [function.value for function in (*PARTS_OF_DATE, *PARTS_OF_DAY)]
_DAYS = ["date_add", "date_sub", "datediff"]
_OF_CLOCK = frozenset({*_PARTS, *_DAYS, "date_trunc", "trunc", "to_date", "date_format", "unix_date"})
ARITIES: dict[str, range] = {
    **dict.fromkeys(["+", "-", "*", "/", "%", "div", "date_trunc", "trunc", "date_format", *_DAYS], range(2, 3)),
    **dict.fromkeys(["negative", "abs", "lower", "upper", "length", "unix_date", *_PARTS], range(1, 2)),
    **dict.fromkeys(["ceil", "floor", "round", "trim", "ltrim", "rtrim"], range(1, 3)),
    **dict.fromkeys(["to_date", "to_timestamp", "from_unixtime"], range(1, 3)),
    "unix_timestamp": range(3),
    "substring": range(2, 4),
    "regexp_replace": range(3, 5),
    "regexp_extract": range(2, 4),
    "coalesce": range(1, 1 << 16),
}
"""How many arguments a known function takes, for those that do not take any number."""

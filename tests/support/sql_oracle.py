"""What an expression means on one row, evaluated naively over the nodes: the oracle for binding, and for everything after it.

Nothing is desugared, no cut is made, no function is taken back: values are brought together pair by pair and compared as
Python compares them, LIKE is matched by hand, the calendar is NumPy's. It follows Spark SQL without ANSI mode, in UTC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from hudi_core.expr import nodes as n
from hudi_core.truth import NULL, TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.values.text import to_text

Typed = tuple[Any, t.Type | None]
"""A value with its type; the type is None for an untyped null."""
Row = Mapping[tuple[str, ...], Typed]

_WIDE = Context(prec=500)
_DAY = 86_400_000_000
_INTS: dict[type[Any], int] = {t.Int: 32, t.Long: 64}
_LOGIC = {True: TRUE, False: Truth.FALSE, None: NULL}


def truth(expr: n.Expr, row: Row) -> Truth:
    """TRUE, FALSE or NULL."""
    return _LOGIC[holds(expr, row)]


def holds(expr: n.Expr, row: Row) -> bool | None:
    """True, False, or None for NULL."""
    match expr:
        case n.And(parts):
            found = [holds(part, row) for part in parts]
            return False if False in found else None if None in found else True
        case n.Or(parts):
            found = [holds(part, row) for part in parts]
            return True if True in found else None if None in found else False
        case n.Not(part):
            inner = holds(part, row)
            return None if inner is None else not inner
        case n.Is(part, wanted):
            return _LOGIC[holds(part, row)] is wanted
        case n.IsNull(value):
            return evaluate(value, row)[0] is None
        case n.Compare(operator, left, right):
            return compare(operator, evaluate(left, row), evaluate(right, row))
        case n.Between(value, low, high):
            subject = evaluate(value, row)
            above = compare(n.Comparison.GE, subject, evaluate(low, row))
            under = compare(n.Comparison.LE, subject, evaluate(high, row))
            return False if False in (above, under) else None if None in (above, under) else True
        case n.In(value, choices):
            return is_one_of(evaluate(value, row), [evaluate(choice, row) for choice in choices])
        case n.Like(value, pattern, escape):
            text = as_text(evaluate(value, row))
            return None if text is None else like(text, pattern, escape)
        case n.Case(branches, otherwise):
            for when, then in branches:
                if holds(when, row):
                    return holds(then, row)
            return holds(otherwise, row)
        case n.Name() | n.Literal() | n.Call() | n.Cast():
            value = evaluate(expr, row)[0]
            return None if value is None else bool(value)
        case _:
            raise AssertionError(expr)


def evaluate(expr: n.Scalar, row: Row) -> Typed:
    match expr:
        case n.Name(path):
            value, of = row[path]
            return value, t.String() if isinstance(of, t.Enumeration) else of
        case n.Literal(value, of):
            return literal(value, of)
        case n.Cast(value, to):
            return cast(evaluate(value, row), to), to
        case n.Case(branches, otherwise):
            return _case(branches, otherwise, row)
        case n.Call(name, arguments):
            return call(name, [evaluate(argument, row) for argument in arguments])
    raise AssertionError(expr)


def literal(value: Any, of: t.Type | None) -> Typed:
    if of is not None:
        return (cast((value, t.String()), of) if isinstance(value, str) else value), of
    match value:
        case None:
            return None, None
        case bool():
            return value, t.Boolean()
        case int():
            for kind, bits in _INTS.items():
                if -(1 << bits - 1) <= value < 1 << bits - 1:
                    return value, kind()
            return Decimal(value), t.Decimal(len(str(abs(value))))
        case Decimal():
            _, digits, exponent = value.as_tuple()
            scale = max(-int(exponent), 0)
            return value, t.Decimal(max(len(digits), scale), scale)
        case float():
            return value, t.Double()
        case bytes():
            return value, t.Binary()
        case _:
            return value, t.String()


# ---- comparing


def compare(operator: n.Comparison, left: Typed, right: Typed) -> bool | None:
    pair = together(left, right)
    if operator is n.Comparison.NULL_SAFE_EQ:
        return pair[0] is None and pair[1] is None if None in pair else _order(*pair) == 0
    if None in pair:
        return None
    sign = _order(*pair)
    return {"=": sign == 0, "<>": sign != 0, "<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[
        operator.value
    ]


def is_one_of(subject: Typed, choices: list[Typed]) -> bool | None:
    listed = [choice for choice in choices if choice[1] is not None]
    kinds = [of for _, of in (subject, *listed) if of is not None]
    if any(isinstance(of, t.String) for of in kinds):
        listed = [(as_text(choice), t.String()) for choice in listed]
        subject = (as_text(subject), t.String())
    elif any(isinstance(of, t.Double) for of in kinds) or {t.Float, t.Decimal} <= set(map(type, kinds)):
        listed = [(cast(choice, t.Double()), t.Double()) for choice in listed]
        subject = (cast(subject, t.Double()), t.Double())
    elif any(isinstance(of, t.Float) for of in kinds):
        listed = [(cast(choice, t.Float()), t.Float()) for choice in listed]
        subject = (cast(subject, t.Float()), t.Float())
    found = [compare(n.Comparison.EQ, subject, choice) for choice in listed]
    found += [None] * (len(choices) - len(listed))
    return True if True in found else None if None in found or subject[0] is None else False


def together(left: Typed, right: Typed) -> tuple[Any, Any]:
    """Two values in a form that Python compares."""
    (a, of), (b, other) = left, right
    if of is None or other is None:
        return a, b
    if isinstance(of, t.String) != isinstance(other, t.String):
        target = other if isinstance(of, t.String) else of
        target = t.Double() if isinstance(target, t.Decimal) else target
        return together((cast(left, target), target), (cast(right, target), target))
    kinds = {type(of), type(other)}
    if t.Float in kinds and kinds <= {t.Float, t.Int, t.Long}:
        return cast(left, t.Float()), cast(right, t.Float())
    if t.Double in kinds or t.Float in kinds:
        return cast(left, t.Double()), cast(right, t.Double())
    if kinds == {t.Date, t.Timestamp}:
        return tuple(None if v is None else v * _DAY if isinstance(k, t.Date) else v for v, k in (left, right))  # type: ignore[return-value]
    if kinds <= {t.Int, t.Long, t.Decimal, t.Boolean}:
        return tuple(None if v is None else Fraction(v) for v in (a, b))  # type: ignore[return-value]
    return a, b


def _order(a: Any, b: Any) -> int:
    if isinstance(a, float) and isinstance(b, float):
        a, b = ((1, 0.0) if math.isnan(v) else (0, v) for v in (a, b))
    if isinstance(a, str):
        a, b = a.encode("utf-8"), b.encode("utf-8")
    return int(a > b) - int(a < b)


def like(text: str, pattern: str, escape: str) -> bool:
    """Every way to match is tried, remembering the places already tried."""
    wanted: list[tuple[str, str]] = []
    rest = list(pattern)
    while rest:
        head = rest.pop(0)
        if head == escape:
            wanted.append(("is", rest.pop(0)))
        else:
            wanted.append((head, "") if head in "%_" else ("is", head))

    @cache
    def at(i: int, j: int) -> bool:
        if j == len(wanted):
            return i == len(text)
        kind, letter = wanted[j]
        if kind == "%":
            return at(i, j + 1) or (i < len(text) and at(i + 1, j))
        return i < len(text) and (kind == "_" or text[i] == letter) and at(i + 1, j + 1)

    return at(0, 0)


# ---- casts


def as_text(value: Typed) -> str | None:
    found = cast(value, t.String())
    return None if found is None else str(found)


def cast(value: Typed, to: t.Type) -> Any:
    found, of = value
    if found is None or of is None or of == to:
        return found
    if isinstance(of, t.String):
        return _from_text(found, to)
    if isinstance(to, t.String):
        return to_text(found, of)
    if isinstance(of, t.Date):
        return found * _DAY if isinstance(to, t.Timestamp) else found
    if isinstance(of, t.Timestamp):
        return _from_timestamp(found, to)
    return _from_number(found, to)


def _from_timestamp(micros: int, to: t.Type) -> Any:
    match to:
        case t.Date():
            return micros // _DAY
        case t.Int() | t.Long():
            return wrap(micros // 1_000_000, _INTS[type(to)])
        case t.Double():
            return micros / 1_000_000
        case _:
            return micros


def _from_number(number: Any, to: t.Type) -> Any:
    match to:
        case t.Boolean():
            return number != 0
        case t.Double():
            return float(number)
        case t.Float():
            with np.errstate(over="ignore"):
                return float(np.float32(number)) if isinstance(number, float) else _nearest_single(number)
        case t.Int() | t.Long():
            bits = _INTS[type(to)]
            if isinstance(number, float):
                least, most = -(1 << bits - 1), (1 << bits - 1) - 1
                return (
                    0 if math.isnan(number) else least if number <= least else most if number >= most else int(number)
                )
            return wrap(int(number), bits)
        case t.Decimal(precision, scale):
            if isinstance(number, float) and not math.isfinite(number):
                return None
            exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
            return _fit(exact, precision, scale)
    raise AssertionError(to)


def _nearest_single(number: Any) -> float:
    """The nearest binary32, rounding an exact number once: of the two around it the nearer, of equally near ones the even."""
    if isinstance(number, bool | int) and abs(int(number)) < 1 << 24:
        return float(number)
    if isinstance(number, Decimal):
        return float(np.float32(float(number)))
    with np.errstate(over="ignore"):
        guess = np.float32(float(number))
    around = [guess, np.nextafter(guess, np.float32(-np.inf)), np.nextafter(guess, np.float32(np.inf))]
    exact = Fraction(number)
    best = min(around, key=lambda f: (abs(Fraction(float(f)) - exact), int(f.view(np.uint32)) & 1))
    return float(best)


def _from_text(text: str, to: t.Type) -> Any:
    bare = text.strip()
    match to:
        case t.Int() | t.Long():
            head, _, tail = bare.partition(".")
            digits = head.lstrip("+-") if head[:1] in ("+", "-") and len(head) - len(head.lstrip("+-")) == 1 else head
            if not all(c in "0123456789" for c in digits + tail) or not digits + tail:
                return None
            number = int(head) if digits else 0
            return number if -(1 << _INTS[type(to)] - 1) <= number < 1 << _INTS[type(to)] - 1 else None
        case t.Double() | t.Float():
            try:
                found = float(bare) if "_" not in bare else None
            except ValueError:
                return None
            return None if found is None else found if isinstance(to, t.Double) else float(np.float32(found))
        case t.Decimal(precision, scale):
            try:
                return _fit(Decimal(bare), precision, scale)
            except InvalidOperation:
                return None
        case t.Boolean():
            return {"true": True, "t": True, "yes": True, "y": True, "1": True}.get(
                bare.lower(), {"false": False, "f": False, "no": False, "n": False, "0": False}.get(bare.lower())
            )
        case t.Date():
            try:
                return (
                    int(np.datetime64(bare[:10], "D").astype(int))
                    if bare[10:11] in ("", " ") and len(bare) > 9
                    else None
                )
            except ValueError:
                return None
        case t.Timestamp():
            try:
                return int(np.datetime64(bare.removesuffix("Z").replace(" ", "T"), "us").astype(int))
            except ValueError:
                return None
        case t.Binary():
            return text.encode("utf-8")
    return text


def _fit(number: Decimal, precision: int, scale: int) -> Decimal | None:
    found = number.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_UP, context=_WIDE)
    return found if abs(found) < Decimal(10) ** (precision - scale) else None


def wrap(number: int, bits: int) -> int:
    unsigned = number & ((1 << bits) - 1)
    return unsigned - (1 << bits) if unsigned >> (bits - 1) else unsigned


# ---- functions


def _case(branches: Any, otherwise: n.Scalar, row: Row) -> Typed:
    values = [evaluate(then, row) for _, then in branches] + [evaluate(otherwise, row)]
    chosen = next((i for i, (when, _) in enumerate(branches) if holds(when, row)), len(branches))
    kinds = [of for _, of in values if of is not None]
    to = next((of for of in kinds if isinstance(of, t.String)), kinds[0] if kinds else None)
    return (values[chosen][0], None) if to is None else (cast(values[chosen], to), to)


def call(name: str, arguments: list[Typed]) -> Typed:
    (first, of), *_ = arguments
    values = [value for value, _ in arguments]
    if name == "coalesce":
        return next(((value, kind) for value, kind in arguments if value is not None), (None, of))
    if name in ("+", "-", "*", "/", "%"):
        return _calculated(name, *arguments)
    if name == "negative":
        return (None if first is None else _signed(-first, of)), of
    if name == "abs":
        return (None if first is None else _signed(abs(first), of)), of
    gives: t.Type = {"length": t.Int(), "year": t.Int(), "month": t.Int(), "day": t.Int(), "hour": t.Int()}.get(
        name, t.String()
    )
    if name in ("date_add", "date_sub"):
        gives = t.Date()
    if name == "datediff":
        gives = t.Int()
    if name == "date_trunc":
        gives = t.Timestamp()
    if name == "unix_timestamp":
        gives = t.Long()
    if None in values:
        return None, gives
    return _function(name, values, of), gives


def _function(name: str, values: list[Any], of: t.Type | None) -> Any:
    first = values[0]
    match name:
        case "lower" | "upper":
            return first.lower() if name == "lower" else first.upper()
        case "length":
            return len(first)
        case "concat":
            return "".join(values)
        case "substring":
            _, start, count = values
            return "".join(c for i, c in enumerate(first, 1) if max(start, 1) <= i < max(start, 1) + count)
        case "year" | "month" | "day" | "hour":
            return _part(name, _moment(first, of))
        case "date_add":
            return wrap(first + values[1], 32)
        case "date_sub":
            return wrap(first - values[1], 32)
        case "datediff":
            return first - values[1]
        case "date_format" | "from_unixtime":
            shown = values[1] if len(values) > 1 else "yyyy-MM-dd HH:mm:ss"
            micros = first * 1_000_000 if name == "from_unixtime" else first * _DAY if isinstance(of, t.Date) else first
            return _formatted(micros, shown)
        case "unix_timestamp":
            micros = first * _DAY if isinstance(of, t.Date) else first
            return int(Fraction(micros, 1_000_000))
        case "date_trunc":
            unit = {"YEAR": "Y", "MONTH": "M", "DAY": "D", "HOUR": "h", "MINUTE": "m"}[first.upper()]
            return int(
                np.datetime64(values[1], "us").astype(f"datetime64[{unit}]").astype("datetime64[us]").astype(int)
            )
    raise AssertionError(name)


def _formatted(micros: int, pattern: str) -> str:
    """A point in time by a pattern of `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and signs between them."""
    text = str(np.datetime64(micros, "us"))
    parts = {
        "yyyy": text[:4],
        "MM": text[5:7],
        "dd": text[8:10],
        "HH": text[11:13],
        "mm": text[14:16],
        "ss": text[17:19],
    }
    return re.sub("[a-zA-Z]+", lambda run: parts[run.group()], pattern)


def _moment(value: int, of: t.Type | None) -> np.datetime64:
    return np.datetime64(value, "D" if isinstance(of, t.Date) else "us")


def _part(name: str, moment: np.datetime64) -> int:
    year = moment.astype("datetime64[Y]")
    month = moment.astype("datetime64[M]")
    match name:
        case "year":
            return int(year.astype(int)) + 1970
        case "month":
            return int((month - year.astype("datetime64[M]")).astype(int)) + 1
        case "day":
            return int((moment.astype("datetime64[D]") - month.astype("datetime64[D]")).astype(int)) + 1
        case _:
            return int(
                (moment.astype("datetime64[h]") - moment.astype("datetime64[D]").astype("datetime64[h]")).astype(int)
            )


def _signed(number: Any, of: t.Type | None) -> Any:
    return wrap(number, _INTS[type(of)]) if type(of) in _INTS else number


def _calculated(name: str, left: Typed, right: Typed) -> Typed:
    kinds = {type(left[1]), type(right[1])}
    if t.Decimal in kinds and not kinds & {t.Float, t.Double}:
        return _decimals(name, left, right)
    if t.Double in kinds or t.Decimal in kinds or name == "/" or (t.Float in kinds and t.String in kinds):
        of: t.Type = t.Double()
    elif t.Float in kinds:
        of = t.Float()
    else:
        of = t.Long() if t.Long in kinds else t.Int()
    a, b = cast(left, of), cast(right, of)
    if a is None or b is None or (name in "/%" and b == 0):
        return None, of
    if type(of) in _INTS:
        exact = {"+": a + b, "-": a - b, "*": a * b, "%": a - b * int(Fraction(a, b or 1))}[name]
        return wrap(exact, _INTS[type(of)]), of
    with np.errstate(all="ignore"):
        single = np.float32 if isinstance(of, t.Float) else np.float64
        x, y = single(a), single(b)
        found = {"+": x + y, "-": x - y, "*": x * y, "/": x / y, "%": np.fmod(x, y)}[name]
    return float(found), of


def _decimals(name: str, left: Typed, right: Typed) -> Typed:
    def typed(value: Typed) -> t.Decimal:
        if isinstance(value[1], t.Decimal):
            return value[1]
        return t.Decimal(20 if isinstance(value[1], t.Long) else 10)

    a, b = typed(left), typed(right)
    scale = max(a.scale, b.scale)
    of = t.Decimal(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)
    if name == "*":
        of = t.Decimal(a.precision + b.precision + 1, a.scale + b.scale)
    assert of.precision <= 38 and name in ("+", "-", "*"), "left out of the law: results that Spark rounds to 38 digits"
    if left[0] is None or right[0] is None:
        return None, of
    x, y = _WIDE.create_decimal(left[0]), _WIDE.create_decimal(right[0])
    exact = {"+": _WIDE.add, "-": _WIDE.subtract, "*": _WIDE.multiply}[name](x, y)
    return _fit(exact, of.precision, of.scale), of

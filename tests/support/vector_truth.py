"""What the trees of the expression vectors give on a row: by SQL, and by Apache Hudi's evaluation as it is.

Written from the SQL standard and from what Apache Hudi's classes do, without the code that is tested. Where both differ, the
first node that makes the difference names the cause.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from tests.conformance.deviations import REFUSED

UNKNOWN = "unknown"
"""Any truth is possible: a column is not there, or the function has no meaning that is known."""

Row = Mapping[str, tuple[str, Any]]
"""By column its type, as the vectors name it, and its value."""


class Cause(Enum):
    """Why Apache Hudi's answer is another."""

    NULL = "null"
    TYPE = "type"
    COMPARATOR = "comparator"
    DECIMAL_IN_LIST = "decimal in a list"
    UUID_ORDER = "order of UUIDs"
    ZEROS = "zeros of two signs"
    UNKNOWN_COLUMN = "unknown column"
    TEXT_OF_BYTES = "text of bytes"


@dataclass(frozen=True)
class Both:
    """The truth by SQL, Apache Hudi's answer, and why they differ; `constant` when Apache Hudi knows it as it binds."""

    sql: object
    hudi: object
    cause: Cause | None = None
    constant: bool = False


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "lt": lambda a, b: a < b,
    "lteq": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "gteq": lambda a, b: a >= b,
}
_NO_COMPARATOR = ("decimal", "binary", "fixed", "time-millis")
_NUMBERS = ("byte", "short", "int", "long", "float", "double", "decimal")
_WHOLE = (
    "date",
    "time-micros",
    "timestamp-millis",
    "timestamp-micros",
    "local-timestamp-millis",
    "local-timestamp-micros",
)


def both(tree: Mapping[str, Any], row: Row) -> Both:
    """Both answers to a tree; columns that the row does not have are unknown."""
    if "ref" in tree:
        if tree["ref"] not in row:
            return Both(UNKNOWN, True, Cause.UNKNOWN_COLUMN, constant=True)
        value = row[tree["ref"]][1]
        return Both(value, value)
    if "lit" in tree:
        value = next(iter(tree["lit"].values())) if tree["lit"] is not None else None
        return Both(value, value)
    match tree["op"]:
        case "true" | "false" as truth:
            return Both(truth == "true", truth == "true", constant=True)
        case "and" | "or" as operator:
            return _joined(operator, both(tree["left"], row), both(tree["right"], row))
        case "not":
            return _negated(both(tree["arg"], row))
        case _ if any(part["ref"] not in row for part in _operands(tree) if "ref" in part):
            return Both(UNKNOWN, True, Cause.UNKNOWN_COLUMN, constant=True)
        case "is_null" | "is_not_null" as operator:
            truth = (_value(tree["arg"], row)[1] is None) is (operator == "is_null")
            return Both(truth, truth)
        case "in":
            return _in_list(_value(tree["value"], row), [_value(entry, row) for entry in tree["list"]])
        case "starts_with" | "contains" as operator:
            return _text_test(operator, _value(tree["left"], row), _value(tree["right"], row))
        case operator:
            return _compared(operator, _value(tree["left"], row), _value(tree["right"], row))


def _operands(tree: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parts = [tree.get(name) for name in ("left", "right", "value", "arg")]
    return [part for part in (*parts, *tree.get("list", ())) if part is not None]


_Typed = tuple[str, Any, bool]
"""Type, value, and whether it is a column's."""


def _value(part: Mapping[str, Any], row: Row) -> _Typed:
    if "ref" in part:
        return *row[part["ref"]], True
    if part["lit"] is None:
        return "null", None, False
    ((tag, value), *_) = part["lit"].items()
    return tag, value, False


def _class(of: str) -> str:
    """The Java class that carries a type."""
    base = of.partition("(")[0].partition("[")[0]
    return {"binary": "bytes", **dict.fromkeys(_WHOLE, "long"), "date": "int", "time-millis": "int"}.get(base, base)


def _comparable(one: _Typed, other: _Typed) -> tuple[Any, Any] | None:
    """Two values in a form in which Python compares them as SQL does; None where a text is no such value."""
    types = {one[0].partition("(")[0], other[0].partition("(")[0]}
    if types & set(_NUMBERS) and types & {"string", "utf8"}:
        found = tuple(_number(value) if of == "string" else _exact(value) for of, value, _ in (one, other))
        return None if None in found else found  # type: ignore[return-value]
    return _plain(one), _plain(other)


def _number(text: str) -> Any:
    try:
        return Fraction(text.strip())
    except ValueError:
        return None


def _exact(value: Any) -> Any:
    number = float(value) if isinstance(value, str) and value.lower().lstrip("-+") in ("nan", "infinity") else value
    return number if isinstance(number, float) and not math.isfinite(number) else Fraction(number)


def _plain(typed: _Typed) -> Any:
    of, value, _ = typed
    base = of.partition("(")[0].partition("[")[0]
    if base in _NUMBERS:
        return _exact(value)
    if base in ("localdate", "sqldate"):
        return (date.fromisoformat(value) - date(1970, 1, 1)).days
    if base in ("bytes", "bytearray", "fixed") and isinstance(value, str):
        return bytes.fromhex(value)
    return value


def _compared(operator: str, one: _Typed, other: _Typed) -> Both:
    pair = None if one[1] is None or other[1] is None else _comparable(one, other)
    sql = None if pair is None else _COMPARISONS[operator](*pair)
    if any(of.partition("(")[0] in _NO_COMPARATOR for of, _, column in (one, other) if column):
        return Both(sql, REFUSED, Cause.COMPARATOR)
    if one[1] is None or other[1] is None:
        return Both(sql, REFUSED, Cause.NULL)
    if _class(one[0]) != _class(other[0]):
        return Both(sql, REFUSED, Cause.TYPE)
    if _class(one[0]) == "uuid":
        signed = _COMPARISONS[operator](*(_signed(entry[1]) for entry in (one, other)))
        return Both(sql, signed, None if sql == signed else Cause.UUID_ORDER)
    if _are_zeros(one, other):
        ordered = _COMPARISONS[operator](*(math.copysign(1, float(entry[1])) for entry in (one, other)))
        return Both(sql, ordered, None if sql == ordered else Cause.ZEROS)
    return Both(sql, sql)


def _are_zeros(one: _Typed, other: _Typed) -> bool:
    """Two zeros of a type that has them with either sign."""
    return _class(one[0]) in ("float", "double") and float(one[1]) == float(other[1]) == 0.0


def _signed(text: str) -> tuple[int, int]:
    high, low = divmod(uuid.UUID(text).int, 1 << 64)
    return high - (high >> 63 << 64), low - (low >> 63 << 64)


def _in_list(value: _Typed, items: list[_Typed]) -> Both:
    truths: list[object] = []
    for item in items:
        null = value[1] is None or item[1] is None
        pair = None if null else _alike_in_list(value, item)
        truths.append(None if pair is None else pair[0] == pair[1])
    sql: object = True if True in truths else None if None in truths or value[1] is None else False
    found = any(
        (item[1] is None) if value[1] is None else item[1] is not None and _equal_objects(value, item) for item in items
    )
    if sql == found and isinstance(sql, bool):
        return Both(sql, found)
    if value[1] is None or any(item[1] is None for item in items if sql is None):
        return Both(sql, found, Cause.NULL)
    mixed = any(item[1] is not None and _class(item[0]) != _class(value[0]) for item in items)
    if mixed:
        return Both(sql, found, Cause.TYPE)
    return Both(sql, found, Cause.ZEROS if _class(value[0]) in ("float", "double") else Cause.DECIMAL_IN_LIST)


def _alike_in_list(value: _Typed, item: _Typed) -> tuple[Any, Any] | None:
    """The values of a list come to one type: a text and a number to texts."""
    if {value[0], item[0]} & {"string"} and {value[0].partition("(")[0], item[0].partition("(")[0]} & set(_NUMBERS):
        return str(value[1]), str(item[1])
    return _comparable(value, item)


def _equal_objects(value: _Typed, item: _Typed) -> bool:
    """Java's `equals`: of one class, decimals of one scale, zeros of one sign."""
    if _class(value[0]) != _class(item[0]):
        return False
    if _class(value[0]) == "decimal":
        return Decimal(value[1]).as_tuple() == Decimal(item[1]).as_tuple()
    if _are_zeros(value, item):
        return math.copysign(1, float(value[1])) == math.copysign(1, float(item[1]))
    return bool(_plain(value) == _plain(item))


def _text_test(operator: str, one: _Typed, other: _Typed) -> Both:
    if _class(one[0]) == "bytes":
        shown = "java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]"
        hudi: object = REFUSED if one[1] is None else _has(operator, shown, str(other[1]))
        return Both(
            None if one[1] is None else _has(operator, _decoded(one[1]), str(other[1])), hudi, Cause.TEXT_OF_BYTES
        )
    if one[1] is None or other[1] is None:
        return Both(None, REFUSED, Cause.NULL)
    truth = _has(operator, str(one[1]), str(other[1]))
    return Both(truth, truth)


def _decoded(value: object) -> str:
    assert isinstance(value, bytes | bytearray)
    return value.decode("utf-8", "replace")


def _has(operator: str, text: str, part: str) -> bool:
    return text.startswith(part) if operator == "starts_with" else part in text


def _kleene(operator: str, one: object, other: object) -> object:
    deciding = operator == "or"
    for truth in (deciding, UNKNOWN, None):
        if truth in (one, other):
            return truth
    return not deciding


def _joined(operator: str, one: Both, other: Both) -> Both:
    sql = _kleene(operator, one.sql, other.sql)
    deciding = operator == "or"
    for part, beside in ((one, other), (other, one)):
        if part.constant:  # folded when it is bound
            hudi = deciding if part.hudi is deciding else beside.hudi
            folded = part.hudi is deciding or beside.constant
            return Both(sql, hudi, one.cause or other.cause, constant=folded)
    return Both(sql, _evaluated(operator, one.hudi, other.hudi), one.cause or other.cause or Cause.NULL)


def _evaluated(operator: str, left: object, right: object) -> object:
    """Apache Hudi's AND and OR of what is no constant: the right side is left out where the left decides, or is null under OR."""
    if left == REFUSED:
        return REFUSED
    if left is (operator == "or"):
        return left
    if operator == "or" and left is None:
        return False
    if right == REFUSED:
        return REFUSED
    return False if left is None or right is None else right


def _negated(part: Both) -> Both:
    sql = part.sql if part.sql in (None, UNKNOWN) else not part.sql
    if part.hudi in (REFUSED, None):
        return Both(sql, REFUSED, part.cause or Cause.NULL)
    return Both(sql, not part.hudi, part.cause, part.constant)

"""A search for a row that statistics leave possible and a predicate is TRUE on: what no pruning may lose.

Rows are made of the bounds, values between them and values about the literals; the truth is the oracle's.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

from hudi_core.expr import nodes as n
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.order import less
from tests.support.single_file import ValueInterval
from tests.support.sql_oracle import holds

_TRIED = 3_000
"""Rows tried, at most."""


def could_match(predicate: n.Expr, columns: Mapping[int, ValueInterval], schema: Schema) -> bool | None:
    """Whether such a row is there; None where the oracle has no meaning for a part of the predicate."""
    used = sorted({part.path for part in parts(predicate) if isinstance(part, n.Name)})
    literals = [
        part.pattern if isinstance(part, n.Like) else part.value
        for part in parts(predicate)
        if isinstance(part, n.Literal | n.Like)
    ]
    places = [schema.find(".".join(path), case_sensitive=False) for path in used]
    if any(place is None for place in places):
        return None
    tried = []
    for place in places:
        assert place is not None
        tried.append(list(_candidates(place.field.type, columns.get(place.field.id), literals)))
    most = max(2, int(_TRIED ** (1 / max(len(tried), 1))))
    for values in itertools.product(*(item[:most] for item in tried)):
        row = {
            path: (value, place.field.type)  # type: ignore[union-attr]
            for path, place, value in zip(used, places, values, strict=True)
        }
        try:
            if holds(predicate, row):
                return True
        except (NotImplementedError, AssertionError, KeyError, TypeError, ValueError):
            return None
    return False


def parts(of: Any) -> Iterator[Any]:
    """The nodes of an expression, the whole first."""
    yield of
    for item in (getattr(of, field.name) for field in fields(of)) if is_dataclass(of) else of:
        if is_dataclass(item) or isinstance(item, tuple):
            yield from parts(item)


def _candidates(of: t.Type, known: ValueInterval | None, literals: Iterable[Any]) -> list[Any]:
    known = known or ValueInterval(None, None)
    values: list[Any] = []
    if known.values:
        made = [known.lower, known.upper, *_between(known.lower, known.upper), *_about(of, literals)]
        for value in made:
            if value is not None and _inside(value, known, of) and value not in values:
                values.append(value)
        if known.nans and isinstance(of, t.Float | t.Double):
            values.append(math.nan)
    return [*([None] if known.nulls else []), *values]


def _inside(value: Any, known: ValueInterval, of: t.Type) -> bool:
    low_ok = known.lower is None or not less(value, known.lower, of)
    return low_ok and (known.upper is None or not less(known.upper, value, of))


def _between(low: Any, high: Any) -> Iterator[Any]:
    if isinstance(low, bool) or low is None or high is None or not isinstance(low, int | float | Decimal):
        return
    yield from (low + 1, high - 1)
    if isinstance(low, int):
        yield from (low + (high - low) * part // 16 for part in range(1, 16))


def _about(of: t.Type, literals: Iterable[Any]) -> Iterator[Any]:
    match of:
        case t.Boolean():
            yield from (True, False)
        case t.Int() | t.Long() | t.Date() | t.Timestamp() | t.Float() | t.Double() | t.Decimal():
            numbers = [number for item in (*literals, 0, 1) if (number := _as_number(item, of)) is not None]
            for one, other in itertools.product(numbers, repeat=2):
                yield from (_as(one + other, of), _as(one - other, of))
            for number in numbers:
                yield from (_as(item, of) for item in (number / 2, number * 2, -number))
        case t.String():
            for literal in literals:
                if isinstance(literal, str):
                    text = literal.replace("%", "").replace("_", "b")
                    yield from (text, text.upper(), f"{text}a", literal, text[:1], text[1:])
            yield from ("", "m", "é")
        case t.Binary():
            yield from (literal for literal in literals if isinstance(literal, bytes))
            yield b""


def _as(number: Decimal, of: t.Type) -> Any:
    match of:
        case t.Float() | t.Double():
            return float(number)
        case t.Decimal(_, scale):
            return number.quantize(Decimal(1).scaleb(-scale))
        case _:
            return int(number)


def _as_number(literal: Any, of: t.Type) -> Decimal | None:
    if isinstance(literal, str):
        try:
            if isinstance(of, t.Date):
                return Decimal((date.fromisoformat(literal[:10]) - date(1970, 1, 1)).days)
            if isinstance(of, t.Timestamp):
                moment = datetime.fromisoformat(literal).replace(tzinfo=timezone.utc)  # noqa: UP017
                return Decimal(int(moment.timestamp()) * of.unit.value)
            return Decimal(literal)
        except (ValueError, ArithmeticError):
            return None
    return None if isinstance(literal, bytes) or literal is None else Decimal(literal)

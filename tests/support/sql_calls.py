"""Values of calls as plain JSON, so that the core's and Spark's own can stand side by side in a file of cases."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from hudi_core.expr.bind import bind, bind_term
from hudi_core.expr.nodes import Call, Case, Cast, Literal, Name
from hudi_core.expr.parse import parse_predicate
from hudi_core.rows.truth import evaluate, truth_masks
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE
from hudi_core.types import nodes as t
from hudi_core.values.text import to_text
from hudi_plain.values import PlainValues

_NO_COLUMNS = Schema(record_with_ids(t.Record(())))


def core_value(sql: str) -> Any:
    """What the core makes of a call of constants."""
    node = parse_predicate(sql)
    if isinstance(node, Name | Literal | Call | Cast | Case):
        term = bind_term(node, _NO_COLUMNS)
        return shown(evaluate(term, PlainValues(), (), _NO_COLUMNS), term.type)
    masks = truth_masks(bind(node, _NO_COLUMNS), PlainValues(), (), _NO_COLUMNS)
    return {TRUE: True, FALSE: False, NULL: None}[next(truth for truth, holds in masks.items() if holds)]


def shown(value: Any, of: t.Type | None = None) -> Any:
    """A value as JSON: moments and decimals as texts, bytes as hexadecimal digits, doubles as their shortest texts."""
    match value:
        case None | bool() | str():
            return value
        case bytes() | bytearray():
            return {"bytes": bytes(value).hex()}
        case float():
            return {"real": repr(value)}
        case Decimal():
            return {"decimal": str(value)}
        case list() | tuple():
            inner = of.element.type if isinstance(of, t.Array) else None
            return [shown(item, inner) for item in value]
        case _ if isinstance(of, t.Date | t.Timestamp):
            return to_text(value, of)
        case _:
            return value


def as_spark_shows(sql: str, zone: str) -> str:
    """What the core makes of a call of constants in a session zone, as the text that Spark shows."""
    node = parse_predicate(sql)
    assert isinstance(node, Name | Literal | Call | Cast | Case)
    term = bind_term(node, _NO_COLUMNS, session_zone=zone)
    return _in_one_line(evaluate(term, PlainValues(), (), _NO_COLUMNS), term.type, zone)


def _in_one_line(value: Any, of: t.Type, zone: str) -> str:
    match value, of:
        case None, _:
            return "NULL"
        case tuple(), t.Array(element):
            return f"[{','.join(_in_one_line(item, element.type, zone) for item in value)}]"
        case _, t.Timestamp(unit, True):
            seconds = value // unit.value
            shift = datetime.fromtimestamp(seconds, UTC).astimezone(zoneinfo.ZoneInfo(zone)).utcoffset()
            assert shift is not None
            return to_text(value + int(shift.total_seconds()) * unit.value, of)
        case _:
            return to_text(value, of)

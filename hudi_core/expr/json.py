"""Nodes as JSON, and back: one object for each node, whose one key names its kind.

{"column": ["a", "b"]}   {"literal": 3}   {"literal": "2024-01-01", "type": "DATE"}   {"decimal": "1.50"}
{"compare": "<=", "left": ..., "right": ...}   {"and": [...]}   {"not": ...}   {"call": "year", "arguments": [...]}
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, assert_never

from hudi_core.errors import ExpressionError
from hudi_core.expr.calls import scalar
from hudi_core.expr.nodes import (
    And,
    Between,
    Call,
    Case,
    Cast,
    Compare,
    Comparison,
    Expr,
    In,
    Is,
    IsNull,
    Lambda,
    Like,
    Literal,
    Name,
    Not,
    Or,
    RegexLike,
)
from hudi_core.truth import Truth
from hudi_core.types.nodes import Type
from hudi_core.types.sql import parse_named_type, sql_name


def to_json(expr: Expr) -> dict[str, Any]:
    """The value in the form of `json.dumps`. NaN and the infinities are their names, with the type."""
    match expr:
        case Name(path):
            return {"column": list(path)}
        case Literal():
            return _literal(expr)
        case Compare(operator, left, right):
            return {"compare": operator.value, "left": to_json(left), "right": to_json(right)}
        case In(value, choices):
            return {"in": to_json(value), "choices": [to_json(choice) for choice in choices]}
        case Between(value, lower, upper):
            return {"between": to_json(value), "low": to_json(lower), "high": to_json(upper)}
        case Like(value, pattern, escape):
            return {"like": to_json(value), "pattern": pattern, "escape": escape}
        case RegexLike(value, pattern):
            return {"rlike": to_json(value), "pattern": pattern}
        case IsNull(value):
            return {"is_null": to_json(value)}
        case Is(part, truth):
            return {"is": truth.value, "part": to_json(part)}
        case Not(part):
            return {"not": to_json(part)}
        case And(parts):
            return {"and": [to_json(part) for part in parts]}
        case Or(parts):
            return {"or": [to_json(part) for part in parts]}
        case Lambda(parameters, body):
            return {"lambda": list(parameters), "body": to_json(body)}
        case Call(function, arguments):
            return {"call": function, "arguments": [to_json(argument) for argument in arguments]}
        case Cast(value, to, try_):
            return {"cast": to_json(value), "type": sql_name(to), **({"try": True} if try_ else {})}
        case Case(branches, otherwise):
            whens = [{"when": to_json(when), "then": to_json(then)} for when, then in branches]
            return {"case": whens, "otherwise": to_json(otherwise)}
        case _:
            assert_never(expr)


def from_json(data: Any) -> Expr:
    """The node that `to_json` wrote. Raises `ExpressionError` for what is none."""
    try:
        return _expr(data)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation, RecursionError) as wrong:
        raise ExpressionError("expression JSON", expected="an expression", found=_show(data)) from wrong


def _expr(data: Any) -> Expr:
    match data:
        case {"column": [*path]} if path and all(isinstance(part, str) for part in path):
            return Name(tuple(path))
        case {"literal": _} | {"decimal": _} | {"bytes": _}:
            return _read_literal(data)
        case {"compare": operator, "left": left, "right": right}:
            return Compare(Comparison(operator), scalar(_expr(left)), scalar(_expr(right)))
        case {"in": value, "choices": [*choices]}:
            return In(scalar(_expr(value)), tuple(scalar(_expr(choice)) for choice in choices))
        case {"between": value, "low": lower, "high": upper}:
            return Between(scalar(_expr(value)), scalar(_expr(lower)), scalar(_expr(upper)))
        case {"like": value, "pattern": str() as pattern, "escape": str() as escape} if len(escape) == 1:
            return Like(scalar(_expr(value)), pattern, escape)
        case {"rlike": value, "pattern": str() as pattern}:
            return RegexLike(scalar(_expr(value)), pattern)
        case {"is_null": value}:
            return IsNull(scalar(_expr(value)))
        case {"is": truth, "part": part}:
            return Is(_expr(part), Truth(truth))
        case {"not": part}:
            return Not(_expr(part))
        case {"and": [*parts]}:
            return And(tuple(_expr(part) for part in parts))
        case {"or": [*parts]}:
            return Or(tuple(_expr(part) for part in parts))
        case {"lambda": [*parameters], "body": body} if parameters and all(
            isinstance(name, str) for name in parameters
        ):
            return Lambda(tuple(parameters), _expr(body))
        case {"call": str() as function, "arguments": [*arguments]}:
            return Call(function, tuple(scalar(_expr(argument)) for argument in arguments))
        case {"cast": value, "type": str() as name}:
            return Cast(scalar(_expr(value)), _type(name), bool(data.get("try", False)))
        case {"case": [*branches], "otherwise": otherwise}:
            whens = tuple((_expr(branch["when"]), scalar(_expr(branch["then"]))) for branch in branches)
            return Case(whens, scalar(_expr(otherwise)))
        case _:
            raise ExpressionError("expression JSON", expected="an expression", found=_show(data))


def _literal(literal: Literal) -> dict[str, Any]:
    typed = {} if literal.type is None else {"type": sql_name(literal.type)}
    match literal.value:
        case Decimal() as exact:
            return {"decimal": str(exact), **typed}
        case bytes() as data:
            return {"bytes": data.hex(), **typed}
        case float() as real:
            return {"literal": real if math.isfinite(real) else str(real), "type": typed.get("type", "DOUBLE")}
        case value:
            return {"literal": value, **typed}


def _read_literal(data: Mapping[str, Any]) -> Literal:
    data_type = _type(data["type"]) if "type" in data else None
    match data:
        case {"decimal": str() as digits}:
            return Literal(Decimal(digits), data_type)
        case {"bytes": str() as digits}:
            return Literal(bytes.fromhex(digits), data_type)
        case {"literal": (int() | float() | str()) as literal, "type": "DOUBLE" | "FLOAT"} if not isinstance(
            literal, bool
        ):
            real = float(literal)
            return Literal(math.nan if real != real else real, data_type)
        case {"literal": None | bool() | int() | str() as value}:
            return Literal(value, data_type)
        case _:
            raise ExpressionError("expression JSON", expected="a literal", found=_show(data))


def _type(name: str) -> Type:
    data_type = parse_named_type(name)
    if data_type is None:
        raise ExpressionError("expression JSON", expected="the SQL name of a type", found=repr(name))
    return data_type


def _show(data: Any) -> str:
    text = reprlib.repr(data)  # which goes only a few levels deep
    return text if len(text) <= 60 else f"{text[:57]}..."

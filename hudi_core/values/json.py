"""The JSON form of values, as the command line writes it, and back.

Decimals and dates are strings, timestamps ISO with microseconds and a `Z` when zoned, bytes `{"base64": ...}`, NaN and the
infinities `{"float": "NaN"}`, records objects, maps lists of pairs. A union is its value; a named record in one has its
name as `$type`.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any, assert_never

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import clock_text, date_text, timestamp_text
from hudi_core.values.domain import check, coerce
from hudi_core.values.text import parse_text, to_text


def from_json(data: Any, type: t.Type, where: str = "") -> Any:
    """The value whose JSON form `to_json` gives; null is None. Raises `SchemaError` for another form, with the path.

    A plain number stands for a float also where it is whole. A union is read as the first of its branches that fits.

    >>> from_json("1970-01-01T00:00:01.5Z", t.Timestamp()), from_json({"float": "-Infinity"}, t.Double())
    (1500000, -inf)
    """
    if data is None:
        return None
    match type, data:
        case t.Record(fields), Mapping():
            return tuple(from_json(data.get(field.name), field.type, _inside(where, field.name)) for field in fields)
        case t.Array(element), list():
            return tuple(from_json(part, element.type, f"{where}[]") for part in data)
        case t.Map(key, item), list() if all(isinstance(pair, list) and len(pair) == 2 for pair in data):
            named, valued = _inside(where, "key"), _inside(where, "value")
            return tuple((from_json(name, key.type, named), from_json(part, item.type, valued)) for name, part in data)
        case t.Union(branches), _:
            return _branch(data, branches, where)
        case ((t.Binary() | t.Fixed() | t.Vector()), {"base64": str() as text}):
            result: Any = _bytes(text, where)
        case ((t.Float() | t.Double()), {"float": str() as text}):
            result = parse_text(text, type)
        case ((t.Float() | t.Double()), int() | float()) if not isinstance(data, bool):
            result = coerce(data, type, where)
        case ((t.Decimal() | t.Date() | t.Time() | t.Timestamp()), str()):
            result = parse_text(data, type)
        case _:
            result = data
    check(result, type, where)
    return result


def to_json(value: Any, type: t.Type) -> Any:
    """The form that `json.dumps` takes of a value in the form of `hudi_core.values.domain`; null is None.

    >>> to_json(0, t.Timestamp()), to_json(float("nan"), t.Double()), to_json((1, None), t.Array(t.Field(0, "element", t.Int())))
    ('1970-01-01T00:00:00.000000Z', {'float': 'NaN'}, [1, None])
    """
    if value is None:
        return None
    match type:
        case t.Boolean() | t.Int() | t.Long() | t.String() | t.Enumeration() | t.Uuid():
            return value
        case t.Float() | t.Double():
            return value if math.isfinite(value) else {"float": to_text(value, type)}
        case t.Decimal():
            return to_text(value, type)
        case t.Date():
            return date_text(value)
        case t.Time(unit):
            return clock_text(value, unit.value, 6)
        case t.Timestamp(unit, zoned):
            return timestamp_text(value, unit.value, separator="T", digits=6) + ("Z" if zoned else "")
        case t.Binary() | t.Fixed() | t.Vector():
            return {"base64": base64.b64encode(value).decode("ascii")}
        case t.Record(fields):
            return {field.name: to_json(part, field.type) for field, part in zip(fields, value, strict=True)}
        case t.Array(element):
            return [to_json(part, element.type) for part in value]
        case t.Map(key, item):
            return [[to_json(name, key.type), to_json(part, item.type)] for name, part in value]
        case t.Union(branches):
            position, inner = value
            branch = branches[position].type
            shown = to_json(inner, branch)
            return {"$type": branch.name, **shown} if isinstance(branch, t.Record) and branch.name else shown
        case _:
            assert_never(type)


def _branch(data: Any, branches: tuple[t.Field, ...], where: str) -> tuple[int, Any]:
    name = data.get("$type") if isinstance(data, Mapping) else None
    for position, branch in enumerate(branches):
        if name is not None and (not isinstance(branch.type, t.Record) or branch.type.name != name):
            continue
        try:
            return position, from_json(data, branch.type, where)
        except SchemaError:
            continue
    kinds = ", ".join(type_text(branch.type) for branch in branches)
    raise SchemaError(where, expected=f"a value of one of {kinds}", found=repr(data)[:60])


def _bytes(text: str, where: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise SchemaError(where, expected="bytes in base64", found=repr(text)[:60]) from None


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name

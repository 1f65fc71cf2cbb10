"""The JSON form of values, as the command line writes it.

Decimals and dates are strings, timestamps ISO with microseconds and a `Z` when zoned, bytes `{"base64": ...}`, NaN and the
infinities `{"float": "NaN"}`, records objects, maps lists of pairs. A union is its value; a named record in one says its
name as `$type`.
"""

from __future__ import annotations

import base64
import math
from typing import Any, assert_never

from hudi_core.types import nodes as t
from hudi_core.values.calendar import clock_text, date_text, timestamp_text
from hudi_core.values.text import to_text


def to_json(value: Any, of: t.Type) -> Any:
    """What `json.dumps` takes, of a value in the form of `hudi_core.values.domain`; null is None.

    >>> to_json(0, t.Timestamp()), to_json(float("nan"), t.Double()), to_json((1, None), t.Array(t.Field(0, "element", t.Int())))
    ('1970-01-01T00:00:00.000000Z', {'float': 'NaN'}, [1, None])
    """
    if value is None:
        return None
    match of:
        case t.Boolean() | t.Int() | t.Long() | t.String() | t.Enumeration() | t.Uuid():
            return value
        case t.Float() | t.Double():
            return value if math.isfinite(value) else {"float": to_text(value, of)}
        case t.Decimal():
            return to_text(value, of)
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
            assert_never(of)

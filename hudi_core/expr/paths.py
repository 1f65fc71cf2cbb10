"""Names that lead into lists and maps, as Spark SQL takes them.

`items.price` are the prices of an array's structs, `m.k` is `m['k']`.
"""

from __future__ import annotations

from hudi_core.expr.nodes import Call, Literal, Name, Scalar
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


def inside(name: Name, schema: Schema, *, case_sensitive: bool) -> Call | None:
    """The calls that take the rest of a name from a column's lists, maps and structs; None where it does not lead into them."""
    for length in range(len(name.path) - 1, 0, -1):
        place = schema.find(name.path[:length], case_sensitive=case_sensitive)
        if place is not None and not place.repeated:
            return _take(Name(name.path[:length], name.span), place.field.type, name, length, case_sensitive)
    return None


def field_of(value: Scalar, part: str, schema: Schema, *, case_sensitive: bool) -> Name | None:
    """The name of a struct's field that is a column; None where the struct is no column or has no such field."""
    match value:
        case Name(path, span):
            name = Name((*path, part), span)
        case Call("get_field", (inner, Literal(str() as field))):
            outer = field_of(inner, field, schema, case_sensitive=case_sensitive)
            if outer is None:
                return None
            name = Name((*outer.path, part), outer.span)
        case _:
            return None
    place = schema.find(name.path, case_sensitive=case_sensitive)
    return None if place is None or place.repeated else name


def _take(column: Name, data_type: t.Type, name: Name, length: int, case_sensitive: bool) -> Call | None:
    value: Scalar = column
    for part in name.path[length:]:
        arrays = 0
        while isinstance(data_type, t.Array):
            data_type, arrays = data_type.element.type, arrays + 1
        match data_type:
            case t.Record(fields) if arrays <= 1:
                field = _field(fields, part, case_sensitive)
                if field is None:
                    return None
                value, data_type = Call("get_field", (value, Literal(part)), name.span), field.type
            case t.Map(_, entry) if arrays == 0:
                value, data_type = Call("[]", (value, Literal(part)), name.span), entry.type
            case _:
                return None
        if arrays:
            data_type = t.Array(t.Field(0, "element", data_type))
    return value if isinstance(value, Call) else None


def _field(fields: tuple[t.Field, ...], name: str, case_sensitive: bool) -> t.Field | None:
    exact = next((field for field in fields if field.name == name), None)
    if exact is not None or case_sensitive:
        return exact
    return next((field for field in fields if field.name.lower() == name.lower()), None)

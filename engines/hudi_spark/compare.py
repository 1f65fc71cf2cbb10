"""Order and equality on Spark by `hudi_core.values.order`: Spark's own order, but for vectors, which go by their bytes.

Answers are masks: no wherever a value is null. They are written so that Spark pushes them down to files.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from hudi_core.errors import UnsupportedError
from hudi_core.expr.predicate import Cut
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values import order
from hudi_spark.cells import Cell, constant, elements_of, field_of, mask, struct_of
from hudi_spark.literals import literal, operand
from hudi_spark.scalars import by_value


def below(value: Cell, cut: Cut, data_type: t.Type) -> Cell:
    """The value lies below the cut."""
    value, data_type = _comparable(value, data_type)
    limit = operand(cut.value, data_type)
    return mask(lambda plan: plan.isNotNull() & (plan <= limit if cut.after else plan < limit), value)


def one_of(value: Cell, values: tuple[object, ...], data_type: t.Type) -> Cell:
    """The value equals one of these."""
    if not values:
        return constant(False, value)
    value, data_type = _comparable(value, data_type)
    wanted = [operand(choice, data_type) for choice in values]
    if isinstance(data_type, t.Float | t.Double) and 0.0 in values:
        # Long lists, and the dictionaries of files, are hashed, and zero and its negative have two hashes.
        wanted += [literal(0.0, data_type), literal(-0.0, data_type)]
    if isinstance(data_type, t.Nested) or len(wanted) == 1:
        equal = [mask(lambda plan, one=choice: plan.eqNullSafe(one), value) for choice in wanted]
        return reduce(lambda a, b: mask(lambda x, y: x | y, a, b), equal)
    return mask(lambda plan: plan.isNotNull() & plan.isin(*wanted), value)


def less(left: Cell, right: Cell, or_equal: bool, type: t.Type) -> Cell:
    """`left < right`, or `left <= right`."""
    (left, _), (right, _) = _comparable(left, type), _comparable(right, type)
    return mask(lambda a, b: a.isNotNull() & b.isNotNull() & (a <= b if or_equal else a < b), left, right)


def _comparable(value: Cell, type: t.Type) -> tuple[Cell, t.Type]:
    """Values that Spark orders as the core does: vectors as the bytes they are."""
    if not order.is_ordered(type):
        raise UnsupportedError(type_text(type), message="comparing values of this type is not supported on Spark")
    wanted = _pack(type)
    return (value, type) if wanted is type else (_in_bytes(value, type, wanted), wanted)


def _pack(type: t.Type) -> t.Type:
    """The type with bytes for vectors; the same object where there are none."""
    match type:
        case t.Vector():
            return t.Binary()
        case t.Record(fields):
            inner = tuple(replace(field, type=_pack(field.type)) for field in fields)
            same = all(a.type is b.type for a, b in zip(inner, fields, strict=True))
            return type if same else t.Record(inner)
        case t.Array(element):
            packed = _pack(element.type)
            return type if packed is element.type else t.Array(replace(element, type=packed))
        case _:
            return type


def _in_bytes(value: Cell, type: t.Type, wanted: t.Type) -> Cell:
    match type, wanted:
        case t.Vector(), _:
            return by_value(bytes, [value], [type], wanted)
        case t.Record(fields), t.Record(others):
            parts = [
                (field.name, _in_bytes(field_of(value, number), field.type, other.type))
                for number, (field, other) in enumerate(zip(fields, others, strict=True))
            ]
            return struct_of(parts, wanted, mask(lambda plan: plan.isNull(), value))
        case t.Array(element), t.Array(other):
            return elements_of(value, other, lambda items: _in_bytes(items, element.type, other.type))
        case _:
            return value

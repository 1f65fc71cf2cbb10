"""Operations on Arrow arrays: a column is an array, a mask a boolean array without nulls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow import arrays, casts, compare, functions, text
from hudi_arrow.arrays import Array, in_parts
from hudi_arrow.buffers import to_array
from hudi_arrow.distinct import map_values
from hudi_arrow.numpy_arrays import bitmap, flags, from_numpy, has_value
from hudi_arrow.types import to_arrow
from hudi_core.columns.strings import number_strings
from hudi_core.errors import RowError
from hudi_core.expr.predicate import Cut
from hudi_core.functions.record import Function
from hudi_core.functions.scalar.like import Pattern
from hudi_core.types.nodes import Field, Map, Nested, String, Timestamp, Type, Union


class ArrowValues:
    """`hudi_core.engine.Values` on a batch at a time. Arrays may be dictionary-encoded or of Arrow's other layouts."""

    def field(self, struct: Array, position: int) -> Array:
        return arrays.field(struct, position)

    def is_branch(self, union: Array, position: int) -> Array:
        return pc.is_valid(arrays.branch(union, position))

    def branch(self, union: Array, position: int) -> Array:
        return arrays.branch(union, position)

    def struct(self, fields: Sequence[tuple[Field, Array]], nulls: Array, like: Array) -> Array:
        named = [(pa.field(field.name, array.type, field.optional), array) for field, array in fields]
        return arrays.struct_of(named, nulls, len(like))

    def union(self, type: Union, parts: Sequence[tuple[Array, int, Array]], like: Array) -> Array:
        kind = to_arrow(type)
        codes = np.zeros(len(like), np.int8)
        columns = [pa.nulls(len(like), kind.field(number).type) for number in range(kind.num_fields)]
        for mask, branch, array in parts:
            codes[flags(mask)] = branch
            columns[branch] = pc.if_else(mask, array.cast(columns[branch].type), columns[branch])
        return arrays.union_of(kind, codes, columns)

    def elements(self, array: Array, element: Field, change: Callable[[Array], Array]) -> Array:
        parts = arrays.lists(array)
        items = change(parts.items[0])
        inner = pa.field(element.name, items.type, element.optional)
        kind = pa.large_list(inner) if pa.types.is_large_list(array.type) else pa.list_(inner)
        return arrays.lists_of(kind, parts._replace(items=(items,)), _validity(array), len(array))

    def entries(self, map: Array, type: Map, change: Callable[[Array], Array]) -> Array:
        parts = arrays.lists(map)
        keys, items = parts.items[0], change(parts.items[1])
        kind = pa.map_(keys.type, pa.field(type.value.name, items.type, type.value.optional))
        return arrays.lists_of(kind, parts._replace(items=(keys, items)), _validity(map), len(map))

    def literal(self, value: object, type: Type, like: Array) -> Array:
        if isinstance(value, str) and isinstance(type, String):
            return arrays.repeat_coded(value, len(like))
        return arrays.repeat(value, type, len(like))

    def is_null(self, value: Array) -> Array:
        return pc.is_null(value if arrays.is_coded(value) else arrays.plain(value))

    def below(self, value: Array, cut: Cut, type: Type) -> Array:
        return compare.below(value, cut, type)

    def one_of(self, value: Array, values: tuple[object, ...], type: Type) -> Array:
        return compare.one_of(value, values, type)

    def within(self, value: Array, values: tuple[object, ...], members: tuple[bool, ...], type: Type) -> Array:
        return compare.within(value, values, members, type)

    def less(self, left: Array, right: Array, or_equal: bool, type: Type) -> Array:
        return compare.less(left, right, or_equal, type)

    def matches(self, value: Array, pattern: Pattern | str) -> Array:
        return text.matches(value, pattern)

    def matches_one(self, value: Array, patterns: tuple[Pattern | str, ...]) -> Array:
        return text.matches_one(value, patterns)

    def apply(self, function: Function, arguments: Sequence[Array], types: Sequence[Type], type: Type) -> Array:
        return functions.apply(function, arguments, types, type)

    def convert(self, value: Array, source: Type, to: Type) -> Array:
        return casts.convert(value, source, to)

    def relabel(self, value: Array, source: Timestamp, to: Timestamp) -> Array:
        return arrays.conform(value, source).view(pa.int64()).view(to_arrow(to))

    def choose(self, when: Array, then: Array, otherwise: Array, type: Type) -> Array:
        then, otherwise = arrays.conform(then, type), arrays.conform(otherwise, type)
        if then.type != otherwise.type:  # two layouts of one type
            then, otherwise = then.cast(to_arrow(type)), otherwise.cast(to_arrow(type))
        if not pc.any(when, min_count=0).as_py():
            return otherwise
        if isinstance(type, Nested):  # not every version of the kernel takes every nested type
            rows = np.arange(len(then)) + np.where(flags(when), 0, len(then))
            return pa.concat_arrays([then, otherwise]).take(from_numpy(rows))
        return pc.if_else(when, then, otherwise)

    def replace(self, value: Array, where: Array, constant: object, type: Type) -> Array:
        if not pc.any(where, min_count=0).as_py():
            return value if arrays.is_coded(value) else arrays.conform(value, type)
        value = arrays.conform(value, type)
        given = arrays.from_values([constant], type).cast(value.type)[0]
        nulls = where.equals(pc.is_null(value))

        def make(first: int, count: int) -> Array:
            rows = value.slice(first, count)
            return pc.fill_null(rows, given) if nulls else pc.if_else(where.slice(first, count), given, rows)

        return in_parts(make, len(value))

    def join(self, parts: Sequence[str | Array]) -> Array:
        return text.join(parts)

    def map(self, value: Array, rule: Callable[[Any], Any], source: Type, to: Type) -> Array:
        return map_values(value, rule, source, to)

    def number_rows(self, like: Array, first: int, prefix: str) -> Array:
        return to_array(number_strings(prefix, first, len(like)), String(), pa.string(), "numbers of rows")

    def refuse(self, value: Array, where: Array, expected: str, found: str) -> Array:
        if pc.any(where, min_count=0).as_py():
            raise RowError(pc.index(where, True).as_py(), expected=expected, found=found)
        return value

    def every(self, masks: Sequence[Array], like: Array) -> Array:
        return reduce(pc.and_, masks) if masks else from_numpy(np.ones(len(like), np.bool_))

    def some(self, masks: Sequence[Array], like: Array) -> Array:
        return reduce(pc.or_, masks) if masks else from_numpy(np.zeros(len(like), np.bool_))

    def no(self, mask: Array) -> Array:
        return pc.invert(mask)


def _validity(array: Array) -> pa.Buffer | None:
    return bitmap(has_value(array)) if array.null_count else None

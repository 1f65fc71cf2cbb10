"""Operations on a Python value: a column is the value of one row, a mask a bool. The reference for every other engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hudi_core.errors import RowError
from hudi_core.expr.cuts import holds, is_below
from hudi_core.expr.predicate import Cut
from hudi_core.functions.record import Function
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.like import Pattern
from hudi_core.types.nodes import Field, Map, Timestamp, Type, Union
from hudi_core.values.cast import cast
from hudi_core.values.order import equal, less


class PlainValues:
    """`hudi_core.engine.Values` on one row at a time. Values have the form of `hudi_core.values.domain`."""

    def field(self, struct: Any, position: int) -> Any:
        return None if struct is None else struct[position]

    def is_branch(self, union: Any, position: int) -> bool:
        return union is not None and union[0] == position

    def branch(self, union: Any, position: int) -> Any:
        return union[1] if self.is_branch(union, position) else None

    def struct(self, fields: Sequence[tuple[Field, Any]], nulls: bool, like: Any) -> Any:
        return None if nulls else tuple(value for _, value in fields)

    def union(self, type: Union, parts: Sequence[tuple[bool, int, Any]], like: Any) -> Any:
        return next(((branch, value) for mask, branch, value in parts if mask), None)

    def elements(self, array: Any, element: Field, change: Callable[[Any], Any]) -> Any:
        return None if array is None else tuple(change(value) for value in array)

    def entries(self, map: Any, type: Map, change: Callable[[Any], Any]) -> Any:
        return None if map is None else tuple((key, change(value)) for key, value in map)

    def literal(self, value: object, type: Type, like: Any) -> Any:
        return value

    def is_null(self, value: Any) -> bool:
        return value is None

    def below(self, value: Any, cut: Cut, type: Type) -> bool:
        return value is not None and is_below(value, cut, type)

    def one_of(self, value: Any, values: tuple[object, ...], type: Type) -> bool:
        return value is not None and any(equal(value, choice, type) for choice in values)

    def within(self, value: Any, values: tuple[object, ...], members: tuple[bool, ...], type: Type) -> bool:
        return value is not None and holds(value, values, members, type)

    def less(self, left: Any, right: Any, or_equal: bool, type: Type) -> bool:
        if left is None or right is None:
            return False
        return not less(right, left, type) if or_equal else less(left, right, type)

    def matches(self, value: Any, pattern: Pattern | str) -> bool:
        if value is None:
            return False
        wanted = regex.parse(pattern) if isinstance(pattern, str) else regex.like(pattern)
        return wanted.compiled.search(value) is not None

    def matches_one(self, value: Any, patterns: tuple[Pattern | str, ...]) -> bool:
        return any(self.matches(value, pattern) for pattern in patterns)

    def apply(self, function: Function, arguments: Sequence[Any], types: Sequence[Type], type: Type) -> Any:
        return function.apply(arguments, types, type)

    def convert(self, value: Any, source: Type, to: Type) -> Any:
        return cast(source, to)(value)

    def relabel(self, value: Any, source: Timestamp, to: Timestamp) -> Any:
        return value

    def choose(self, when: bool, then: Any, otherwise: Any, type: Type) -> Any:
        return then if when else otherwise

    def replace(self, value: Any, where: bool, constant: object, type: Type) -> Any:
        return constant if where else value

    def join(self, parts: Sequence[Any]) -> Any:
        return None if None in parts else "".join(parts)

    def map(self, value: Any, rule: Callable[[Any], Any], source: Type, to: Type) -> Any:
        return None if value is None else rule(value)

    def number_rows(self, like: Any, first: int, prefix: str) -> Any:
        return f"{prefix}{first}"

    def refuse(self, value: Any, where: bool, expected: str, found: str) -> Any:
        if where:
            raise RowError(0, expected=expected, found=found)
        return value

    def every(self, masks: Sequence[bool], like: Any) -> bool:
        return all(masks)

    def some(self, masks: Sequence[bool], like: Any) -> bool:
        return any(masks)

    def no(self, mask: bool) -> bool:
        return not mask

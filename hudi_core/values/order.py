"""The total order of each type: what every comparison, cut, bound and sort goes by.

NaN equals itself and is greatest, -0.0 equals 0.0, false comes before true, text is ordered by its unsigned UTF-8 bytes
(which is the order of code points, and so of Python's `str`), bytes as unsigned bytes. Inside nested values null comes
first; records and arrays go part by part; maps go by their entries sorted by key, and unions by branch first.
"""

from __future__ import annotations

from typing import Any, assert_never

from hudi_core.types import nodes as t


def sort_key(value: Any, type: t.Type) -> Any:
    """A key that orders and equates values of one type, in the form of `hudi_core.values.domain` and not null.

    >>> sorted([float("nan"), 1.0, float("-inf")], key=lambda value: sort_key(value, t.Double()))
    [-inf, 1.0, nan]
    """
    match type:
        case t.Float() | t.Double():
            return (True, 0.0) if value != value else (False, value)
        case t.Record(fields):
            return tuple(_nullable(part, field.type) for part, field in zip(value, fields, strict=True))
        case t.Array(element):
            return tuple(_nullable(part, element.type) for part in value)
        case t.Map(key, item):
            return tuple(sorted((sort_key(name, key.type), _nullable(part, item.type)) for name, part in value))
        case t.Union(branches):
            position, inner = value
            return position, _nullable(inner, branches[position].type)
        case (
            t.Boolean()
            | t.Int()
            | t.Long()
            | t.Date()
            | t.Time()
            | t.Timestamp()
            | t.String()
            | t.Binary()
            | t.Fixed()
            | t.Uuid()
            | t.Decimal()
            | t.Enumeration()
            | t.Vector()
        ):
            return value
        case _:
            assert_never(type)


def less(left: Any, right: Any, type: t.Type) -> bool:
    """Whether `left` comes before `right`; neither is null."""
    return bool(sort_key(left, type) < sort_key(right, type))


def equal(left: Any, right: Any, type: t.Type) -> bool:
    """Whether two values are the same in the order of their type; neither is null."""
    return bool(sort_key(left, type) == sort_key(right, type))


def distinct(values: tuple[Any, ...], type: t.Type) -> tuple[Any, ...]:
    """The values without repetitions, sorted; none is null."""
    if isinstance(
        type, t.Int | t.Long | t.String | t.Date | t.Timestamp
    ):  # long lists of these: they are their own keys
        return tuple(sorted(set(values)))
    keyed = {sort_key(value, type): value for value in values}
    return tuple(keyed[key] for key in sorted(keyed))


def is_ordered(type: t.Type) -> bool:
    """Whether SQL compares values of the type with `<`: maps and unions, at any depth, are only tested for equality."""
    return not isinstance(type, t.Map | t.Union) and all(is_ordered(child.type) for child in t.children(type))


def after_prefix(prefix: str) -> str | None:
    """The least text above every text that starts with `prefix`; None when there is none.

    >>> after_prefix("ab"), after_prefix("a\U0010ffff"), after_prefix("")
    ('ac', 'b', None)
    """
    head = prefix.rstrip("\U0010ffff")
    if not head:
        return None
    following = 0xE000 if head[-1] == "\ud7ff" else ord(head[-1]) + 1  # surrogates are not characters
    return head[:-1] + chr(following)


def _nullable(value: Any, type: t.Type) -> tuple[Any, ...]:
    return (False,) if value is None else (True, sort_key(value, type))

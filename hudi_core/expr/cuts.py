"""Cuts through the order of a type's values, also at constants that are none of them, and sets of values defined by the
listed values and the gaps between them. Rule EXPR-1425.
"""

from __future__ import annotations

import uuid
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from hudi_core.expr.predicate import Cut
from hudi_core.types import nodes as t
from hudi_core.types.nodes import Type
from hudi_core.values.order import equal, less

_LEAST: Final = "00000000-0000-0000-0000-000000000000"
_GREATEST: Final = "ffffffff-ffff-ffff-ffff-ffffffffffff"
_DIGITS: Final = "0123456789abcdef"
_UUID_BYTES: Final = 16


def is_below(value: object, cut: Cut, type: Type) -> bool:
    """Whether a value, not null, lies below a cut."""
    return not less(cut.value, value, type) if cut.after else less(value, cut.value, type)


def holds(value: object, values: Sequence[object], members: Sequence[bool], type: Type) -> bool:
    """Whether a value, not null, is in the set that `Within` has."""
    below = bisect_left(values, True, key=lambda listed: not less(listed, value, type))
    return members[2 * below + (below < len(values) and equal(values[below], value, type))]


def ranges_of(values: Sequence[object], members: Sequence[bool]) -> Iterator[tuple[Cut | None, Cut | None]]:
    """The set that `Within` has as ranges, ascending: each from a cut up to another, None for no end.

    >>> list(ranges_of([1, 5], [True, False, False, True, True]))
    [(None, Cut(value=1, after=False)), (Cut(value=5, after=False), None)]
    """
    for is_member, run in groupby(range(len(members)), key=members.__getitem__):
        if is_member:
            first, *others = run
            last = others[-1] if others else first
            before, at_first = divmod(first, 2)
            after, at_last = divmod(last, 2)
            yield (
                Cut(values[before]) if at_first else Cut(values[before - 1], True) if before else None,
                Cut(values[after], True) if at_last else Cut(values[after]) if after < len(values) else None,
            )


def find_cut(cut: Cut, type: t.Type) -> Cut:
    """The cut at a value of the type that parts its values as the given cut does, whose place may be any bytes or string.

    >>> find_cut(Cut(b"b"), t.Fixed(2)), find_cut(Cut(b"bcd"), t.Fixed(2))
    (Cut(value=b'b\\x00', after=False), Cut(value=b'bc', after=True))
    """
    match type:
        case t.Fixed(size) if isinstance(cut.value, bytes) and len(cut.value) != size:
            if len(cut.value) < size:
                return Cut(cut.value.ljust(size, b"\0"))
            return Cut(cut.value[:size], after=True)
        case t.Uuid(fixed=t.Fixed()) if isinstance(cut.value, str) and not _is_canonical(cut.value):
            return _find_uuid(cut.value)
        case _:
            return cut


def drop_others(values: tuple[Any, ...], type: t.Type) -> tuple[Any, ...]:
    """The values that a term of the type can have."""
    match type:
        case t.Fixed(size):
            return tuple(value for value in values if len(value) == size)
        case t.Uuid(fixed=t.Fixed()):
            return tuple(value for value in values if _is_canonical(value))
        case _:
            return values


def spell_uuid(value: bytes) -> str | None:
    """The canonical string of a UUID's bytes; None where they are not 16."""
    return str(uuid.UUID(bytes=value)) if len(value) == _UUID_BYTES else None


def _find_uuid(string: str) -> Cut:
    """The cut among canonical UUIDs where the string stands, which is none of them."""
    for place, (char, least) in enumerate(zip(string, _LEAST, strict=False)):
        allowed = "-" if least == "-" else _DIGITS
        if char in allowed:
            continue
        greater = next((one for one in allowed if one > char), None)
        if greater is None:
            return Cut(string[:place] + _GREATEST[place:], after=True)
        return Cut(string[:place] + greater + _LEAST[place + 1 :])
    if len(string) < len(_LEAST):
        return Cut(string + _LEAST[len(string) :])
    return Cut(string[: len(_LEAST)], after=True)


def _is_canonical(string: str) -> bool:
    return len(string) == len(_LEAST) and all(
        char == "-" if least == "-" else char in _DIGITS for char, least in zip(string, _LEAST, strict=True)
    )

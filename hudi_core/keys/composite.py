"""Composite record keys as text, `name:value,name:value`: put together and taken apart. Rules KEY-8 and KEY-9."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

NULL: Final = "__null__"
"""Stands for null in a key with names."""
EMPTY: Final = "__empty__"
"""Stands for the empty text in a key with names."""


def composite_key(names: Sequence[str], values: Sequence[str | None]) -> str:
    """The key of fields with these texts. Nothing in them is escaped, so that several rows may share a key.

    >>> composite_key(("a", "b"), ("1", None))
    'a:1,b:__null__'
    """
    shown = (NULL if value is None else value or EMPTY for value in values)
    return ",".join(f"{name}:{value}" for name, value in zip(names, shown, strict=True))


def key_parts(key: str, names: Collection[str] = ()) -> tuple[str | None, ...]:
    """The texts of a key's fields, as Hudi takes a key apart: those of `names` only, if there are any.

    A field ends at the last comma before the next colon. A key without a comma or without a colon is one text.

    >>> key_parts("a:1,2,b:x:y,c:__null__"), key_parts("id:5"), key_parts("a:1,b:2", ["b"])
    (('1,2', 'x:y', None), ('id:5',), ('2',))
    """
    if "," not in key or ":" not in key:
        return (key,)
    found: list[str | None] = []
    at = 0
    while (colon := key.find(":", at)) >= 0:
        end = _end_of_value(key, colon + 1)
        if not names or key[at:colon] in names:
            found.append({NULL: None, EMPTY: ""}.get(key[colon + 1 : end], key[colon + 1 : end]))
        at = end + 1
    return tuple(found)


def _end_of_value(key: str, start: int) -> int:
    """Where a value that starts here ends: at a comma that a name and a colon follow, or at the key's end."""
    colon = key.find(":", start)
    while colon >= 0:
        comma = key.rfind(",", start, colon)
        if comma >= 0:
            return comma
        start = colon + 1
        colon = key.find(":", start)
    return len(key)

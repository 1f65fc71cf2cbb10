"""Comparisons by a collation, as comparisons by the bytes of other strings: EXPR-28."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hudi_core.expr.nodes import Call, Literal, Scalar
from hudi_core.expr.walk import place_of
from hudi_core.functions.strings import LOWERED

_BUILT_IN: Final = "SYSTEM.BUILTIN."
_TRIMMED: Final = "_RTRIM"


def uncollated(sides: Sequence[Scalar]) -> Sequence[Scalar]:
    """What compares by bytes as these sides of a comparison compare by the collation that one of them names; the sides themselves
    where none does, and where it is not known."""
    names = {name for side in sides if (name := _collation(side)) is not None}
    if len(names) != 1:
        return sides
    (name,) = names
    plain = name.removesuffix(_TRIMMED)
    if plain not in ("UTF8_BINARY", "UTF8_LCASE"):
        return sides
    bare = [side.arguments[0] if isinstance(side, Call) and _collation(side) else side for side in sides]
    if plain != name:
        bare = [Call("rtrim", (side,), place_of(side)) for side in bare]
    return bare if plain == "UTF8_BINARY" else [Call(LOWERED.name, (side,), place_of(side)) for side in bare]


def _collation(side: Scalar) -> str | None:
    match side:
        case Call("collate", (_, Literal(str() as name))):
            return name.upper().removeprefix(_BUILT_IN)
        case _:
            return None

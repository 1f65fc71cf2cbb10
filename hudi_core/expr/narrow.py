"""Values of 8 and 16 bits, which have no type of their own here: how wide an expression is, and where that matters.

They are ints that a cast to TINYINT or SMALLINT made. What Spark calculates of such values alone wraps at their width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hudi_core.expr.nodes import Call, Case, Cast, Literal, Scalar
from hudi_core.functions.casts import NARROW
from hudi_core.functions.record import Argument, Function
from hudi_core.types import nodes as t

_WIDTHS: Final = {function.name: width for width, function in NARROW.items()}
_WRAPPING: Final = frozenset({"+", "-", "*", "%", "&", "|", "^", "~", "negative", "abs", "positive"})
"""Functions whose result has the width of the widest argument, and is wrapped to it."""
_ROUNDING: Final = frozenset({"round", "bround"})
"""Functions whose result has the width of the first argument, and is wrapped to it."""
_CHOOSING: Final = frozenset({"coalesce", "greatest", "least"})
_WIDENING: Final = frozenset({"/", "shiftleft", "shiftright", "shiftrightunsigned", "bit_count"})
"""Functions that take such a value for an int, or a double."""
_ARITHMETIC: Final = frozenset({"+", "-", "*", "%", "/", "div", *_CHOOSING})


def width(expr: Scalar) -> int | None:
    """8 or 16, the bits of an expression's values; None for other values."""
    match expr:
        case Call(function, _) if function in _WIDTHS:
            return _WIDTHS[function]
        case Call(function, (first, *_)) if function in _ROUNDING:
            return width(first)
        case Call(function, arguments) if function in _WRAPPING or function in _CHOOSING:
            return _widest(arguments)
        case Case(branches, otherwise):
            return _widest([then for _, then in branches] + [otherwise])
        case _:
            return None


def wraps(name: str) -> bool:
    """Whether what a function makes of such values is wrapped to their width."""
    return name in _WRAPPING or name in _ROUNDING


def widen_parts(expr: Call) -> Scalar | None:
    """What a call would give that is wrapped to 8 or 16 bits, if it were not; None for other calls."""
    if width(expr) is None or not (expr.function in _WIDTHS or wraps(expr.function)):
        return None
    first, *others = expr.arguments
    if expr.function in _WIDTHS:
        return Cast(first, t.Long())
    kept = others if expr.function in _ROUNDING else [Cast(other, t.Long()) for other in others]
    return replace(expr, arguments=(Cast(first, t.Long()), *kept))


def matters(function: Function | None, name: str, arguments: Sequence[Argument], widths: Sequence[int | None]) -> bool:
    """Whether a call may give another result for values of 8 or 16 bits than for the same ints.

    It may where a parameter takes the type of its argument. Raises as the function's signature does.
    """
    narrow = [place for place, bits in enumerate(widths) if bits is not None]
    if not narrow or name in _WIDTHS or name in _WIDENING:
        return False
    if name in _WRAPPING or name in _ROUNDING or name in _CHOOSING or name in _ARITHMETIC:
        exact = any(isinstance(argument.type, t.Decimal) for argument in arguments)
        return exact or (name == "div" and len(narrow) == len(arguments))
    if function is None:
        return True
    wide = [
        replace(argument, type=t.Long()) if place in narrow else argument for place, argument in enumerate(arguments)
    ]
    taken, taken_wide = function.signature(arguments), function.signature(wide)
    if taken is None or taken_wide is None or len(taken.types) != len(taken_wide.types):
        return True
    return taken.result_type != taken_wide.result_type or any(
        taken.types[place] != taken_wide.types[place] for place in narrow if place < len(taken.types)
    )


def _widest(parts: Sequence[Scalar]) -> int | None:
    """The width of the widest part, untyped nulls apart; None where one is no value of 8 or 16 bits."""
    widest = None
    for part in reversed(parts):  # chains of operators are deep on the left
        if part == Literal(None):
            continue
        bits = width(part)
        if bits is None:
            return None
        widest = max(bits, widest or bits)
    return widest

"""Comparisons of several values at once: `(a, b) IN ((1, 2), (3, 4))`, `(a, b) = (1, 2)`.

SQL's structs are compared field by field, and nulls in them are equal to each other: a struct is not null because a field is.
"""

from __future__ import annotations

from hudi_core.expr.nodes import And, Call, Compare, Comparison, Expr, Not, Or, Scalar

STRUCT = "struct"
_EQUALITIES = {Comparison.EQ, Comparison.NE, Comparison.NULL_SAFE_EQ}


def one_of(value: Scalar, choices: tuple[Scalar, ...]) -> Expr | None:
    """IN of a struct among structs of as many fields, as conditions on the fields; None for any other IN."""
    pairs = [_fields(value, choice) for choice in choices]
    if not pairs or None in pairs:
        return None
    parts = tuple(_all_equal(pair) for pair in pairs if pair is not None)
    return parts[0] if len(parts) == 1 else Or(parts)


def compared(operator: Comparison, left: Scalar, right: Scalar) -> Expr:
    """A comparison; of two structs of as many fields, where it asks whether they are equal, as conditions on the fields."""
    pairs = _fields(left, right) if operator in _EQUALITIES else None
    if pairs is None:
        return Compare(operator, left, right)
    equal = _all_equal(pairs)
    return Not(equal) if operator is Comparison.NE else equal


def _fields(left: Scalar, right: Scalar) -> list[tuple[Scalar, Scalar]] | None:
    match left, right:
        case Call(function, one), Call(other, two) if function == other == STRUCT and len(one) == len(two) > 0:
            return list(zip(one, two, strict=True))
        case _:
            return None


def _all_equal(pairs: list[tuple[Scalar, Scalar]]) -> Expr:
    parts: list[Expr] = [_equal(left, right) for left, right in pairs]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _equal(left: Scalar, right: Scalar) -> Expr:
    return compared(Comparison.NULL_SAFE_EQ, left, right)

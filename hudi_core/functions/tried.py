"""Arithmetic that gives null in place of a result that does not fit: try_add, try_subtract, try_multiply, try_divide."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hudi_core.functions.arithmetic import signature_of_operator
from hudi_core.functions.record import Argument, Function, Signature
from hudi_core.functions.scalar.arithmetic import arithmetic
from hudi_core.types import nodes as t
from hudi_core.values.domain import INT_RANGE, LONG_RANGE


def _sign(symbol: str, arguments: Sequence[Argument]) -> Signature | None:
    """The signature for numbers; dates and intervals are not known."""
    if any(isinstance(argument.type, t.Date | t.Timestamp) for argument in arguments):
        return None
    return signature_of_operator(symbol, arguments)


def _evaluate(symbol: str, values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    if not isinstance(result_type, t.Int | t.Long):
        return arithmetic(symbol, list(values), list(types), result_type)
    left, right = values
    exact = {"+": left + right, "-": left - right, "*": left * right}[symbol]
    least, greatest = INT_RANGE if isinstance(result_type, t.Int) else LONG_RANGE
    return exact if least <= exact <= greatest else None


FUNCTIONS = tuple(
    Function(name, range(2, 3), partial(_sign, symbol), partial(_evaluate, symbol))
    for name, symbol in (("try_add", "+"), ("try_subtract", "-"), ("try_multiply", "*"), ("try_divide", "/"))
)

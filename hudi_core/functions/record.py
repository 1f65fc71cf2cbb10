"""The record of one function of SQL, which binding, pruning and every engine use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text

Types = Sequence[t.Type]
Evaluate = Callable[[Sequence[Any], Types, t.Type], Any]
"""Values, their types and the result's type to the value, in the form of `hudi_core.values.domain`."""


class MismatchError(Exception):
    """An argument's type is none the function takes."""

    def __init__(self, expected: str, found: t.Type | str) -> None:
        super().__init__(expected, found)
        self.expected, self.found = expected, found if isinstance(found, str) else type_text(found)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call: its type, and its value where that is a constant."""

    type: t.Type
    constant: bool = False
    value: Any = None

    @property
    def is_null(self) -> bool:
        return self.constant and self.value is None

    @property
    def is_untyped(self) -> bool:
        """Whether it is a null that was given no type; one of strings counts as such."""
        return self.is_null and isinstance(self.type, t.String)


@dataclass(frozen=True, slots=True)
class Signature:
    """How a call is made: the types its arguments are converted to by SQL's cast, and its result's type."""

    types: tuple[t.Type, ...]
    result_type: t.Type
    instead: int | None = None
    """The argument that the call comes to, where it changes nothing further."""
    null: bool = False
    """The call is null in every row."""
    zoned: bool = False
    """The value depends on the session's zone, whatever the types of the arguments."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Positions from `first` to `last`, both included, over which a function never falls, or never rises.

    It stands still from one multiple of `grain` to the next. `by_one`: it moves by one position with each.
    """

    first: int
    last: int
    rising: bool = True
    grain: int = 1
    by_one: bool = False


@dataclass(frozen=True, slots=True)
class PartialCall:
    """A call of which all arguments but the one at `variable` are constants, none of them null.

    `ends` are the positions of the least and the greatest value of that argument's type.
    """

    types: tuple[t.Type, ...]
    values: tuple[Any, ...]
    variable: int
    result_type: t.Type
    ends: tuple[int, int]

    @property
    def argument(self) -> t.Type:
        """The type of the argument that is no constant."""
        return self.types[self.variable]


FirstNotBelow = Callable[[Any, bool], int]
"""The first position at which a function is not below a cut before a value, or after it."""


def _nowhere(_: PartialCall) -> Iterable[Stretch]:
    return ()


def _bisect(_: PartialCall) -> FirstNotBelow | None:
    return None


class Zone(Enum):
    """What a function needs the session's time zone for, beside implicit casts of its arguments."""

    UNUSED = "unused"
    SHOWN = "shown"
    """For what a clock shows at a point in time."""
    READ = "read"
    """For the point in time at which a clock shows what an argument says, unless that is a point in time itself."""
    PRINTED = "printed"
    """For what a clock shows at a point in time that is given as a number."""


@dataclass(frozen=True, slots=True)
class Native:
    """Spark's function of the very same meaning, with ANSI mode on or off and in every session zone.

    It serves calls of at most `most` arguments whose types are all of `only`, after those that `takes` names are converted to
    its types by SQL's cast.
    """

    name: str
    takes: tuple[t.Type, ...] = ()
    only: tuple[type[t.Type], ...] = (t.String, t.Binary, t.Boolean, t.Int, t.Long, t.Float, t.Double, t.Date)
    most: int = 1 << 16

    def serves(self, types: Types) -> bool:
        """Whether it gives the answer for arguments of these types."""
        converted = (*self.takes, *types[len(self.takes) :])
        return len(types) <= self.most and all(isinstance(data_type, self.only) for data_type in converted)


@dataclass(frozen=True, eq=False)
class Function:
    """A function of SQL. Its meaning is Spark's without ANSI mode, in UTC.

    `stretches` and `edge` give where it rises and falls, for pruning; absent where not known.
    """

    name: str
    """Its SQL name in lower case, or an operator's symbol."""
    arity: range = field(repr=False)
    signature: Callable[[Sequence[Argument]], Signature | None] = field(repr=False)
    """The signature of a call with these arguments; None for an unknown one. Raises `MismatchError`, `ExpressionError`."""
    evaluate: Evaluate = field(repr=False)
    """The value of values. None of them is null where the function is `strict`."""
    aliases: tuple[str, ...] = field(default=(), repr=False)
    strict: bool = field(default=True, repr=False)
    """Any null argument gives null."""
    zone: Zone = field(default=Zone.UNUSED, repr=False)
    """What it needs the session's time zone for."""
    counts: bool = field(default=False, repr=False)
    """`evaluate` takes NumPy arrays of 64-bit integers where it takes integers; the result may come with a mask of the
    values that are not null."""
    stretches: Callable[[PartialCall], Iterable[Stretch]] = field(default=_nowhere, repr=False)
    edge: Callable[[PartialCall], FirstNotBelow | None] = field(default=_bisect, repr=False)
    """Where edges of stretches can be calculated; elsewhere they are bisected for."""
    spark: Native | None = field(default=None, repr=False)
    takes_lambda: bool = field(default=False, repr=False)
    """The last argument is written as a lambda: its values are the array of what that gives of the elements, pairs or entries
    of the other arguments."""
    last_digit: bool = field(default=False, repr=False)
    """The last digit of a real result may be another in another library of mathematics."""

    def apply(self, values: Sequence[Any], types: Types, result_type: t.Type) -> Any:
        """The function's value; null for any null where it is strict. Raises `UnsupportedError` for types it does not take."""
        if self.strict and any(value is None for value in values):
            return None
        result = self.evaluate(values, types, result_type)
        return (result[0] if result[1] else None) if self.counts and isinstance(result, tuple) else result

"""The parameters of functions: kinds of parameters, each with the type that an argument is converted to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hudi_core.functions import coerce
from hudi_core.functions.record import Argument, Evaluate, MismatchError, Signature
from hudi_core.types import nodes as t
from hudi_core.values.domain import LONG_RANGE

Kind = Callable[[Argument], t.Type]
BuildSignature = Callable[[Sequence[Argument]], Signature | None]
Result = t.Type | Callable[[Sequence[t.Type]], t.Type]
"""A result's type, or what gives it by the types the arguments are converted to."""


def string(_: Argument) -> t.Type:
    return t.String()


def integer(_: Argument) -> t.Type:
    return t.Int()


def long(_: Argument) -> t.Type:
    return t.Long()


def double(_: Argument) -> t.Type:
    return t.Double()


def boolean(_: Argument) -> t.Type:
    return t.Boolean()


def date(_: Argument) -> t.Type:
    return t.Date()


def binary(argument: Argument) -> t.Type:
    """Bytes; the bytes of a string."""
    return argument.type if is_bytes(argument.type) else t.Binary()


def bytes_or_string(argument: Argument) -> t.Type:
    return argument.type if is_bytes(argument.type) else t.String()


def moment(argument: Argument) -> t.Timestamp:
    """A timestamp."""
    return argument.type if isinstance(argument.type, t.Timestamp) else t.Timestamp()


def moment_or_date(argument: Argument) -> t.Type:
    return argument.type if isinstance(argument.type, t.Timestamp) else t.Date()


def array(argument: Argument) -> t.Array:
    if not isinstance(argument.type, t.Array):
        raise MismatchError("an array", argument.type)
    return argument.type


def mapping(argument: Argument) -> t.Map:
    if not isinstance(argument.type, t.Map):
        raise MismatchError("a map", argument.type)
    return argument.type


def anything(argument: Argument) -> t.Type:
    return argument.type


def numeric(argument: Argument) -> t.Type:
    """A number as it is; a string counts as a double."""
    data_type = coerce.sql_equivalent(argument.type)
    if isinstance(data_type, t.String):
        return t.Double()
    if not coerce.is_number(data_type):
        raise MismatchError("a number", argument.type)
    return data_type


def integral(argument: Argument) -> t.Type:
    """An int or a long as it is; what else there is counts as a long."""
    return argument.type if isinstance(argument.type, t.Int | t.Long) else t.Long()


def is_bytes(type: t.Type) -> bool:
    return isinstance(type, t.Binary | t.Fixed)


def find_known_string(argument: Argument) -> str | None:
    """The string an argument is in every row; None when it is no constant, or no string."""
    return argument.value if isinstance(argument.value, str) else None


def signature(*kinds: Kind, gives: Result) -> BuildSignature:
    """A signature of so many parameters, of which a call may leave out the last."""

    def sign(arguments: Sequence[Argument]) -> Signature:
        types = tuple(kind(argument) for kind, argument in zip(kinds, arguments, strict=False))
        return Signature(types, gives if isinstance(gives, t.Type) else gives(types))

    return sign


def signature_of_many(kind: Kind, gives: Result) -> BuildSignature:
    """A signature of any number of parameters of one kind."""

    def sign(arguments: Sequence[Argument]) -> Signature:
        types = tuple(map(kind, arguments))
        return Signature(types, gives if isinstance(gives, t.Type) else gives(types))

    return sign


def first(types: Sequence[t.Type]) -> t.Type:
    """The result has the type of the first argument."""
    return coerce.sql_equivalent(types[0])


def within_long(value: int) -> int | None:
    """A count that 64 bits hold; null for any other."""
    return value if LONG_RANGE[0] <= value <= LONG_RANGE[1] else None


def of_values(rule: Callable[..., object]) -> Evaluate:
    """A meaning that does not depend on types."""
    return lambda values, types, result_type: rule(*values)

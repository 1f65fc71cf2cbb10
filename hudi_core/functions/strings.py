"""Functions of strings, and of bytes where they take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, MismatchError, Native, Signature
from hudi_core.functions.scalar import regex, text
from hudi_core.types import nodes as t


def _signature_of_concat(arguments: Sequence[Argument]) -> Signature:
    """Strings, or bytes where all are, or arrays of one type."""
    arrays = [argument.type for argument in arguments if isinstance(argument.type, t.Array)]
    if arrays:
        common = coerce.widest(arrays) if len(arrays) == len(arguments) else None
        if common is None:
            raise MismatchError("arrays of one type", arguments[-1].type)
        return Signature((common,) * len(arguments), common)
    data_type = t.Binary() if arguments and all(p.is_bytes(argument.type) for argument in arguments) else t.String()
    return Signature((data_type,) * len(arguments), data_type)


def _concat(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    if isinstance(result_type, t.Array):
        return tuple(item for array in values for item in array)
    empty: Any = b"" if isinstance(result_type, t.Binary) else ""
    return empty.join(values)


def _bytes_or_string(types: Sequence[t.Type]) -> t.Type:
    return t.Binary() if p.is_bytes(types[0]) else t.String()


def _with_pattern(*kinds: p.Kind) -> p.BuildSignature:
    """A signature whose second argument is a regular expression that is the same in every row."""
    sign = p.signature(*kinds, gives=t.String())

    def signature(arguments: Sequence[Argument]) -> Signature | None:
        pattern = p.find_known_string(arguments[1])
        if pattern is None:
            return None
        regex.parse(pattern)
        return sign(arguments)

    return signature


def _signature_of_replace(arguments: Sequence[Argument]) -> Signature | None:
    """The replacement has to be a constant; a position but the first is not known."""
    later = [(place.constant, place.value) for place in arguments[3:]]
    if p.find_known_string(arguments[2]) is None or later not in ([], [(True, 1)]):
        return None
    return _with_pattern(p.string, p.string, p.string, p.integer)(arguments)


def _signature_of_extract(arguments: Sequence[Argument]) -> Signature | None:
    if len(arguments) > 2 and not arguments[2].constant:
        return None
    return _with_pattern(p.string, p.string, p.integer)(arguments)


def _change_case(name: str, evaluate: Any, alias: str) -> Function:
    return Function(
        *(name, range(1, 2), p.signature(p.string, gives=t.String()), p.of_values(evaluate)),
        aliases=(alias,),
        spark=Native(name, only=(t.String, t.Enumeration)),
    )


def _trim(name: str, *aliases: str, **sides: Any) -> Function:
    sign = p.signature(p.string, p.string, gives=t.String())
    return Function(
        *(name, range(1, 3), sign, lambda values, *_: text.trim(*values, **sides)),
        aliases=aliases,
        spark=Native(name, only=(t.String,), most=1),
    )


LENGTH = Function(
    *("length", range(1, 2), p.signature(p.bytes_or_string, gives=t.Int()), p.of_values(len)),
    aliases=("char_length", "character_length", "len"),
    spark=Native("length", only=(t.String, t.Enumeration, t.Binary, t.Fixed)),
)
SUBSTRING = Function(
    *("substring", range(2, 4), p.signature(p.bytes_or_string, p.integer, p.integer, gives=_bytes_or_string)),
    p.of_values(text.substring),
    aliases=("substr",),
    spark=Native("substring", only=(t.String, t.Int)),
)
PART_OF_SPLIT = Function(
    *("split[]", range(3, 4), _with_pattern(p.string, p.string, p.integer), p.of_values(text.split)),
)
"""`split(text, pattern)[index]`; the part's number counts from 0."""
UPPER = _change_case("upper", str.upper, "ucase")


def lower(string: str) -> str:
    """The string of which the bytes order as the collation UTF8_LCASE does: each character in lower case by itself.

    >>> lower("ΑΣΟΣ"), lower("İ") == "i\u0307", lower("ς")
    ('ασοσ', True, 'σ')
    """
    return "".join(map(str.lower, string)).replace("ς", "σ")


def _signature_of_lowered(arguments: Sequence[Argument]) -> Signature | None:
    is_string = isinstance(coerce.sql_equivalent(arguments[0].type), t.String)
    return Signature((t.String(),), t.String()) if is_string else None


LOWERED = Function("collate utf8_lcase", range(1, 2), _signature_of_lowered, p.of_values(lower))
"""The strings that a collation compares; nobody writes its name."""
FUNCTIONS = (
    _change_case("lower", str.lower, "lcase"),
    UPPER,
    LOWERED,
    LENGTH,
    SUBSTRING,
    PART_OF_SPLIT,
    Function(
        *("concat", range(1 << 16), _signature_of_concat, _concat),
        spark=Native("concat", only=(t.String, t.Binary, t.Array)),
    ),
    _trim("trim", "btrim"),
    _trim("ltrim", right=False),
    _trim("rtrim", left=False),
    Function("regexp_replace", range(3, 5), _signature_of_replace, lambda values, *_: text.regexp_replace(*values[:3])),
    Function("regexp_extract", range(2, 4), _signature_of_extract, p.of_values(text.regexp_extract)),
)

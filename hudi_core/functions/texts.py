"""Texts made and taken apart: masked characters, numbers of another base, character sets, URLs, the name of a type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from hudi_core.errors import UnsupportedError
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, Signature
from hudi_core.types import nodes as t
from hudi_core.types.sql import sql_name

_WORD = 1 << 64
_BASES = range(2, 37)
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CHARSETS: Final = {
    "US-ASCII": "ascii", "ISO-8859-1": "latin-1", "UTF-8": "utf-8", "UTF-16BE": "utf-16-be", "UTF-16LE": "utf-16-le",
    "UTF-16": "utf-16-be",
}  # fmt: skip
_BOM = b"\xfe\xff"
_URL = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?P<authority>[^/?#]*))?(?P<steps>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?"
)
_NO_URL = re.compile(r"[\x00-\x20\x7f\"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})|#.*#")
_SERVER = re.compile(
    r"(?:(?P<user>[^@\[\]]*)@)?(?P<host>(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.?"
    r"|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:.]+\])(?::\d*)?",
    re.ASCII,
)


def mask(
    value: str | None,
    upper: str | None = "X",
    lower: str | None = "x",
    digit: str | None = "n",
    other: str | None = None,
) -> str | None:
    """Each character exchanged for that of its kind, or as it is where there is none.

    >>> mask("AbCD123-@$#"), mask("Ab1-", None, "q", "d", "o")
    ('XxXXnnn-@$#', 'Aqdo')
    """
    return None if value is None else "".join(_mask_char(char, upper, lower, digit, other) for char in value)


def _mask_char(char: str, upper: str | None, lower: str | None, digit: str | None, other: str | None) -> str:
    if char > "\uffff":  # two characters of Java's, of no kind
        return char if other is None else other * 2
    by = upper if char.isupper() else lower if char.islower() else digit if char.isdecimal() else other
    return char if by is None else by


def _signature_of_mask(arguments: Sequence[Argument]) -> Signature | None:
    """What stands for a kind is a constant of one character, or null."""
    known = all(argument.is_null or len(p.find_known_string(argument) or "") == 1 for argument in arguments[1:])
    return Signature((t.String(),) * len(arguments), t.String()) if known else None


def convert(value: str, base: int, to: int) -> str | None:
    """The digits of a 64-bit number in another base, up to the first character that is none; with a sign for a negative base.

    >>> convert("100", 2, 10), convert("-10", 16, -10), convert("-1", 10, 16)
    ('4', '-16', 'FFFFFFFFFFFFFFFF')
    """
    digits = value.strip(" ")
    if base not in _BASES or abs(to) not in _BASES or not digits:
        return None
    negative = digits.startswith("-")
    number = 0
    for char in digits[negative:]:
        digit = _DIGITS.find(char.upper()) if char.isascii() else -1
        if not 0 <= digit < base:
            break
        number = min(number * base + digit, _WORD - 1)  # as large as 64 bits at most, however many digits there are
    if negative and to > 0:
        number = _WORD - 1 if number >= _WORD // 2 else -number % _WORD
    if to < 0 and number >= _WORD // 2:
        number, negative = _WORD - number, True
    shown = _in_base(number, abs(to))
    return f"-{shown}" if negative and to < 0 else shown


def _in_base(number: int, base: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, base)
        digits = _DIGITS[digit] + digits
    return digits or "0"


# ---- character sets


def _signature_of_charset(kind: p.Kind, gives: t.Type, arguments: Sequence[Argument]) -> Signature | None:
    if arguments[1].is_null:
        return Signature((), gives, null=True)
    known = (p.find_known_string(arguments[1]) or "").upper() in _CHARSETS
    return Signature((kind(arguments[0]), t.String()), gives) if known else None


def _encode(value: str, charset: str) -> bytes:
    name = charset.upper()
    return (_BOM if name == "UTF-16" and value else b"") + value.encode(_CHARSETS[name], "replace")


def _decode(value: bytes, charset: str) -> str:
    name = charset.upper()
    if name == "UTF-16" and value[:2] in (_BOM, _BOM[::-1]):
        return value[2:].decode("utf-16-be" if value.startswith(_BOM) else "utf-16-le", "replace")
    return value.decode(_CHARSETS[name], "replace")


# ---- URLs


@lru_cache(maxsize=256)
def _query_of(key: str) -> re.Pattern[str]:
    return re.compile(f"(?:&|^){re.escape(key)}=([^&]*)")


def parse_url(url: str, part: str, key: str | None = None) -> str | None:
    """A part of a URL, or the value of a key of its query; null for what is no URL, and for what it has not.

    >>> parse_url("http://me@spark.apache.org:80/p?a=1&b=2#r", "HOST"), parse_url("http://h/p?a=1&b=2", "QUERY", "b")
    ('spark.apache.org', '2')
    """
    match = None if _NO_URL.search(url) else _URL.fullmatch(url)
    if match is None or (match["scheme"] and not url[len(match["scheme"]) + 1 :]):
        return None
    if key is not None:
        value = _query_of(key).search(match["query"] or "") if part == "QUERY" else None
        return value[1] if value else None
    opaque = match["scheme"] is not None and match["authority"] is None and not match["steps"].startswith("/")
    authority = match["authority"] or None
    server = _SERVER.fullmatch(authority or "")
    path, query = (None, None) if opaque else (match["steps"], match["query"])
    match part:
        case "HOST":
            return server["host"] if server else None
        case "USERINFO":
            return server["user"] if server else None
        case "AUTHORITY":
            return authority
        case "PATH":
            return path
        case "QUERY":
            return query
        case "FILE":
            return path if query is None else f"{path}?{query}"
        case "REF":
            return match["fragment"]
        case "PROTOCOL":
            return match["scheme"]
        case _:
            return None


def _signature_of_url(arguments: Sequence[Argument]) -> Signature | None:
    """A key is a constant without signs of regular expressions, for Spark takes it for one."""
    key = p.find_known_string(arguments[2]) if len(arguments) > 2 else "key"
    if len(arguments) > 2 and arguments[2].is_null:
        return Signature((), t.String(), null=True)
    return None if key is None or re.escape(key) != key else Signature((t.String(),) * len(arguments), t.String())


# ---- types


def _name(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> str:
    return type_name(types[0])


def type_name(type: t.Type) -> str:
    """The name that Spark shows of a type.

    >>> type_name(t.Array(t.Field(0, "element", t.Decimal(5, 2))))
    'array<decimal(5,2)>'
    """
    match type:
        case t.Array(element):
            return f"array<{type_name(element.type)}>"
        case t.Map(key, value):
            return f"map<{type_name(key.type)},{type_name(value.type)}>"
        case t.Record(fields):
            return f"struct<{','.join(f'{field.name}:{type_name(field.type)}' for field in fields)}>"
        case t.Enumeration() | t.Uuid():
            return "string"
        case t.Fixed():
            return "binary"
        case t.Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case t.Timestamp(_, zoned):
            return "timestamp" if zoned else "timestamp_ntz"
        case t.Boolean() | t.Int() | t.Long() | t.Float() | t.Double() | t.Date() | t.String() | t.Binary():
            return sql_name(type).lower()
        case _:
            raise UnsupportedError("typeof", expected="a type that Spark has", found=sql_name(type))


def _signature_of_typeof(arguments: Sequence[Argument]) -> Signature | None:
    data_type = arguments[0].type
    if arguments[0].is_untyped:
        return None  # of an untyped null, which has a type of its own
    type_name(data_type)
    return Signature((data_type,), t.String())


_three = p.signature(p.string, p.integer, p.integer, gives=t.String())
FUNCTIONS = (
    Function("mask", range(1, 6), _signature_of_mask, p.of_values(mask), strict=False),
    Function("conv", range(3, 4), _three, p.of_values(convert)),
    Function(
        *("encode", range(2, 3), lambda arguments: _signature_of_charset(p.string, t.Binary(), arguments)),
        p.of_values(_encode),
    ),
    Function(
        *("decode", range(2, 3), lambda arguments: _signature_of_charset(p.binary, t.String(), arguments)),
        p.of_values(_decode),
    ),
    Function("parse_url", range(2, 4), _signature_of_url, p.of_values(parse_url)),
    Function("typeof", range(1, 2), _signature_of_typeof, _name, strict=False),
)

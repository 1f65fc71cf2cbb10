"""Tokens of SQL text, with Spark SQL's literals, names and comments, and the values they stand for."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Final, NamedTuple

from hudi_core.errors import SchemaError
from hudi_core.types.nodes import Decimal as DecimalType
from hudi_core.types.nodes import Double, Float, Int, Long, Type
from hudi_core.types.sql import MAX_PRECISION
from hudi_core.values.domain import to_binary32

_WIDTHS: Final[Mapping[str, tuple[int | None, str, Type | None]]] = {
    "": (None, "", None), "L": (64, "bigint", Long()), "S": (16, "smallint", Int()), "Y": (8, "tinyint", Int()),
}  # fmt: skip
"""Bits, names and types of integers by their suffix."""
_NUMBER = re.compile(
    r"(?P<sign>-?)(?P<whole>[0-9]*)\.?(?P<fraction>[0-9]*)(?:E(?P<power>[+-]?[0-9]+))?(?P<suffix>BD|[LSYDF]?)"
)
_MAX_POWER_DIGITS: Final = 6
_PLAIN_DIGITS: Final = 18
_MAX_SHOWN: Final = 60


class Kind(Enum):
    """The kind of a token; the value is its name in messages."""

    WORD = "a word"
    NAME = "a quoted name"
    NUMBER = "a number"
    STRING = "a string"
    BYTES = "bytes"
    SYMBOL = "a symbol"
    END = "the end"
    BAD = "no token"


class Token(NamedTuple):
    """`key` is the upper-case word or the symbol, empty for other kinds; the token is the text from start to end."""

    kind: Kind
    key: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""(?:\s+|--[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*
    (?:(?P<word>(?![xXrR]['"])[^\W\d]\w*)
    |(?P<symbol><=>|<>|!=|!<|!>|<=|>=|==|=>|->|::|\|\||[-+*%<>=(),\[\]!|&^~:;]|/(?!\*)|\.(?!\d))
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?:BD|bd|[lLsSyYdDfF])?(?!\w))
    |(?P<string>'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'|"[^"\\]*(?:(?:\\.|"")[^"\\]*)*"|[rR](?:'[^']*'|"[^"]*"))
    |(?P<name>`[^`]*(?:``[^`]*)*`)
    |(?P<bytes>[xX](?:'[^']*'|"[^"]*"))
    |(?P<digits>\d\w*)
    |(?P<end>\Z)
    |(?P<bad>.))""",
    re.VERBOSE | re.DOTALL,
)
_KINDS = {kind.name.lower(): kind for kind in Kind} | {"digits": Kind.WORD}
_INTEGERS = re.compile(r"\s*\((\s*-?[0-9]{1,38}(?:\s*,\s*-?[0-9]{1,38})*\s*)\)", re.ASCII)
_STRINGS = re.compile(r"\s*\((\s*'[^'\\]*'(?:\s*,\s*'[^'\\]*')*\s*)\)")
_STRING = re.compile(r"'([^']*)'")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[01][0-7]{2}|.)", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def token_at(text: str, offset: int) -> Token:
    """The token at an offset, blanks and comments before it skipped. What is none, such as an open quote, is `BAD`."""
    match = _TOKEN.match(text, offset)
    assert match is not None  # one of the alternatives always matches
    group = match.lastgroup or "bad"
    start, end = match.span(group)
    if group == "word" or group == "digits":
        return Token(Kind.WORD, match[group].upper(), start, end)
    if group == "symbol":
        return Token(Kind.SYMBOL, match[group], start, end)
    return Token(_KINDS[group], "", start, end)


def plain_list(text: str, offset: int) -> tuple[list[int] | list[str], int] | None:
    """A bracketed list of nothing but integers, or of strings without escapes, read at one go, and the offset behind it.

    Such lists may hold many thousands of values. None when it is another kind of list.
    """
    integers = _INTEGERS.match(text, offset)
    if integers is not None:
        return list(map(int, integers[1].split(","))), integers.end()
    strings = _STRINGS.match(text, offset)
    return (_STRING.findall(strings[1]), strings.end()) if strings is not None else None


def parts_between_commas(text: str) -> list[str]:
    """The parts of a text between its commas, but for commas in brackets, strings and comments.

    >>> parts_between_commas("a = f(1, 2), b = 'x, y'")
    ['a = f(1, 2)', " b = 'x, y'"]
    """
    parts, begun, depth, offset = [], 0, 0, 0
    while (token := token_at(text, offset)).kind is not Kind.END and token.end > offset:
        depth += (token.key in ("(", "[")) - (token.key in (")", "]"))
        if token.key == "," and depth == 0:
            parts.append(text[begun : token.start])
            begun = token.end
        offset = token.end
    return [*parts, text[begun:]]


def string_value(quoted: str) -> str:
    """The string a quoted literal stands for: doubled quotes, backslash escapes (Spark's: `\\n`, `\\u0041`, `\\101`), `r'raw'`.

    `\\%` and `\\_` keep their backslash, for LIKE.

    >>> string_value("'it''s'"), string_value(r"'a\\tb\\u0041'"), string_value(r"r'a\\tb'")
    ("it's", 'a\\tbA', 'a\\\\tb')
    """
    if quoted[0] in "rR":
        return quoted[2:-1]
    quote, inner = quoted[0], quoted[1:-1]
    if "\\" not in inner:
        return inner.replace(quote * 2, quote)
    pieces = re.split(rf"(\\.|{quote}{quote})", inner, flags=re.DOTALL) if quote * 2 in inner else [inner]
    joined = "".join(quote if piece == quote * 2 else piece for piece in pieces)
    return _ESCAPE.sub(_unescape, joined)


def name_value(quoted: str) -> str:
    """The name between back-ticks, doubled ones halved."""
    return quoted[1:-1].replace("``", "`")


def number_value(source: str) -> tuple[int | float | Decimal, Type | None]:
    """The value of a number as Spark reads it: exact integers and decimals, an exponent or a suffix D or F makes it binary.

    The type is that of a suffix or an exponent; None for a number that has only digits and a point. Raises `SchemaError` for a
    number beyond the range of its type, and for one of more than 38 digits.
    """
    if len(source) <= _PLAIN_DIGITS and source.isdecimal():  # most numbers, and there may be many thousands
        return int(source), None
    match = _NUMBER.fullmatch(source.upper())
    assert match is not None  # the token of a number has this form
    suffix = match["suffix"]
    if suffix in ("L", "S", "Y") and ("." in source or match["power"]):
        raise SchemaError(expected=f"digits alone before {suffix}, the suffix of integers", found=source)
    if suffix in ("D", "F") or (match["power"] and suffix != "BD"):
        real = float(source[: len(source) - len(suffix)])
        real = to_binary32(real) if suffix == "F" else real
        if math.isinf(real):
            raise _beyond("float" if suffix == "F" else "double", source)
        return real, Float() if suffix == "F" else Double()
    exact, data_type = _exact(match, source)
    if suffix == "BD":
        return exact, data_type
    if "." in source:
        return exact, None
    bits, name, of_suffix = _WIDTHS[suffix]
    value = int(exact)
    if bits is not None and not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise _beyond(name, source)
    return value, of_suffix


def _exact(match: re.Match[str], source: str) -> tuple[Decimal, DecimalType]:
    """A decimal of at most 38 digits, those behind the point among them; a zero has no sign."""
    digits, power = (match["whole"] + match["fraction"]).lstrip("0") or "0", match["power"] or "0"
    if len(power.lstrip("+-0")) > _MAX_POWER_DIGITS:
        raise _beyond("decimal", source)
    scale = len(match["fraction"]) - int(power)
    precision = max(len(digits) - min(scale, 0), scale, 1)
    if precision > MAX_PRECISION:
        raise _beyond("decimal", source)
    unscaled = int(digits) * 10 ** max(-scale, 0)
    sign = match["sign"] == "-" and unscaled > 0
    return Decimal((sign, tuple(map(int, str(unscaled))), -max(scale, 0))), DecimalType(precision, max(scale, 0))


def _beyond(name: str, source: str) -> SchemaError:
    shown = source if len(source) <= _MAX_SHOWN else f"{source[:_MAX_SHOWN]}..."
    return SchemaError(expected=f"a number within the range of {name}", found=shown)


def bytes_value(source: str) -> bytes | None:
    """The bytes of `X'...'`, a missing first digit taken for 0; None for what are no hexadecimal digits."""
    digits = source[2:-1]
    try:
        return bytes.fromhex(digits.zfill(len(digits) + len(digits) % 2))
    except ValueError:
        return None


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) == 1:
        return _ESCAPED.get(code, code)
    point = int(code[1:], 16) if code[0] in "uU" else int(code, 8)
    return chr(point) if point <= 0x10FFFF else code

"""Codes of texts: how a name sounds, a number with its check digit, the characters that a URL may have."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote_plus, unquote_to_bytes

from hudi_core.errors import ExpressionError
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Function, Native
from hudi_core.types import nodes as t

_SOUNDS: Final = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230127022455012623017202", strict=True))
_STRING: Final = t.String()
_SILENT: Final = "7"
"""The sound of H and W, which do not part two letters of one sound."""
_NO_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SIGNED: Final = re.compile(r"%\+(?=[0-9A-Fa-f])")
"""An escape of a number with a sign, which Java reads."""


def soundex(value: str) -> str:
    """The first letter and three digits for the sounds behind it. What begins with no letter of ASCII's is left as it is.

    >>> soundex("Miller"), soundex("Ashcraft"), soundex("a"), soundex("7a")
    ('M460', 'A261', 'A000', '7a')
    """
    first = _capital(value[:1])
    if first is None:
        return value
    code, last = first, _SOUNDS[first]
    for character in value[1:]:
        letter = _capital(character)
        sound = "0" if letter is None else _SOUNDS[letter]
        if sound == _SILENT:
            continue
        if sound not in ("0", last):
            code += sound
        last = sound
        if len(code) == 4:
            break
    return code.ljust(4, "0")


def _capital(character: str) -> str | None:
    return character.upper() if character.isascii() and character.isalpha() else None


def luhn_check(digits: str) -> bool:
    """Whether the last digit of a number is that of Luhn's formula.

    >>> luhn_check("8112189876"), luhn_check("79927398714"), luhn_check("")
    (True, False, False)
    """
    if not digits.isdecimal():
        return False
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0


def url_encode(value: str) -> str:
    """The text as a form of a web page sends it.

    >>> url_encode("a b&c=é~*")
    'a+b%26c%3D%C3%A9%7E*'
    """
    return quote_plus(value, safe="*").replace("~", "%7E")


def url_decode(value: str) -> str:
    """The text that `url_encode` makes the value of. Raises `ExpressionError` for a `%` without two digits.

    >>> url_decode("a+b%26c"), url_decode("%+41")
    ('a b&c', '\\x041')
    """
    decoded = _try_url_decode(value)
    if decoded is None:
        raise ExpressionError("url_decode", expected="two hexadecimal digits behind each %", found=repr(value))
    return decoded


def _try_url_decode(value: str) -> str | None:
    plain = _SIGNED.sub("%0", value)
    if _NO_ESCAPE.search(plain):
        return None
    return unquote_to_bytes(plain.replace("+", " ")).decode("utf-8", "replace")


def _of_text(name: str, rule: Callable[[str], Any], gives: t.Type = _STRING, spark: bool = False) -> Function:
    native = Native(name, only=(t.String,)) if spark else None
    return Function(name, range(1, 2), p.signature(p.string, gives=gives), p.of_values(rule), spark=native)


FUNCTIONS = (
    _of_text("soundex", soundex, spark=True),
    _of_text("luhn_check", luhn_check, t.Boolean(), spark=True),
    _of_text("url_encode", url_encode, spark=True),
    _of_text("url_decode", url_decode),
    _of_text("try_url_decode", _try_url_decode),
)

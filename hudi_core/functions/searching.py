"""Finding, replacing and padding in strings. Positions count characters from 1; of bytes, bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from hudi_core.errors import ExpressionError
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, Native, Signature
from hudi_core.functions.scalar import text
from hudi_core.functions.scalar.arithmetic import wrap
from hudi_core.types import nodes as t

Text = TypeVar("Text", str, bytes)
_MAX_MET: Final = 1 << 24
"""Pairs of characters of two strings that are compared."""


def locate(part: str | None, string: str | None, place: int | None = 1) -> int | None:
    """The first place of a part from a place on, 0 where there is none; also where that place is null.

    >>> locate("a", "banana", 3), locate("x", "banana"), locate("", "banana", 4)
    (4, 0, 1)
    """
    if place is None:
        return 0
    if part is None or string is None:
        return None
    if place < 1:
        return 0
    return string.find(part, place - 1) + 1 if part else 1


def _pad(left: bool) -> Any:
    def evaluate(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
        value, length, *filling = values
        blank: Any = b"\0" if isinstance(value, bytes) else " "
        return text.pad(value, length, filling[0] if filling else blank, left)

    return evaluate


def _blanks(count: int) -> str:
    text.check_made("space", count)
    return " " * count


def translate(value: str, characters: str, by: str) -> str:
    """Every character exchanged for the one at its place in `by`, or left out where that is shorter.

    >>> translate("AaBbCc", "abca", "12")
    'A1B2C'
    """
    table: dict[str, str] = {}
    for place, character in enumerate(characters):
        table.setdefault(character, by[place].replace("\0", "") if place < len(by) else "")
    return "".join(table.get(character, character) for character in value)


def initcap(value: str) -> str:
    """Lower case, with a capital at the start and behind every blank.

    >>> initcap("sPark-sql  ǆ")
    'Spark-sql  ǅ'
    """
    lowered = value.lower()
    starts = (not place or lowered[place - 1] == " " for place in range(len(lowered)))
    return "".join(_title(char) if start else char for char, start in zip(lowered, starts, strict=True))


def _title(character: str) -> str:
    title = character.title()
    return title if len(title) == 1 and character <= "\uffff" else character


def overlay(value: Text, by: Text, place: int, length: int = -1) -> Text:
    """The value with a part exchanged, of as many characters as `by` has where `length` is missing.

    >>> overlay("Spark SQL", "_", 6), overlay("Spark SQL", "ANSI ", 7, 0)
    ('Spark_SQL', 'Spark ANSI SQL')
    """
    removed = length if length >= 0 else len(by)
    return text.substring(value, 1, wrap(place - 1, 32)) + by + text.substring(value, wrap(place + removed, 32))


def substring_index(value: str, delimiter: str, count: int) -> str:
    """What is before so many delimiters, counted from the end where negative.

    >>> substring_index("a.b.c", ".", 2), substring_index("a.b.c", ".", -1), substring_index("a.b", ".", 5)
    ('a.b', 'c', 'a.b')
    """
    if not count or not delimiter:
        return ""
    place = -1 if count > 0 else len(value)
    for _ in range(abs(count)):
        if count > 0:
            place = value.find(delimiter, place + 1)
        else:
            place = value.rfind(delimiter, 0, max(place - 1 + len(delimiter), 0)) if place > 0 else -1
        if place < 0:
            return value
    return value[:place] if count > 0 else value[place + len(delimiter) :]


def split_part(value: str, delimiter: str, part_number: int) -> str:
    """The part with this number, from 1, or from the end where negative; empty where there is none."""
    parts = value.split(delimiter) if delimiter else [value]
    place = part_number - 1 if part_number > 0 else len(parts) + part_number
    return parts[place] if part_number and 0 <= place < len(parts) else ""


def levenshtein(left: str, right: str) -> int:
    """How many characters are to be changed, added or left out to make one string of the other. Raises `ExpressionError` for
    strings that would take too long: each character of the one meets each of the other."""
    if len(left) * len(right) > _MAX_MET:
        expected = f"strings with at most {_MAX_MET:,} pairs of characters"
        raise ExpressionError("levenshtein", expected=expected, found=f"{len(left):,} and {len(right):,} characters")
    row = list(range(len(right) + 1))
    for count, character in enumerate(left, 1):
        before, row[0] = row[0], count
        for place, other in enumerate(right, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (character != other))
    return row[-1]


def find_in_set(part: str, listed: str) -> int:
    """The number, from 1, of a part of a list with commas; 0 where there is none."""
    parts = listed.split(",")
    return parts.index(part) + 1 if "," not in part and part in parts else 0


def _join(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> str | None:
    """What is not null of the arguments, and of the elements of lists, with the first argument between."""
    between, *parts = values
    if between is None:
        return None
    strings = [part if isinstance(part, tuple) else (part,) for part in parts]
    return str(between).join(string for group in strings for string in group if string is not None)


def _string_or_strings(argument: Any) -> t.Type:
    data_type = argument.type
    return data_type if isinstance(data_type, t.Array) and isinstance(data_type.element.type, t.String) else t.String()


def _make_test(name: str, rule: Callable[[Any, Any], bool]) -> Function:
    def test(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> bool:
        first, second = values
        if isinstance(first, str) is not isinstance(second, str):
            first, second = (part.encode() if isinstance(part, str) else part for part in values)
        return rule(first, second)

    sign = p.signature(p.bytes_or_string, p.bytes_or_string, gives=t.Boolean())
    return Function(name, range(2, 3), sign, test, spark=Native(name, only=(t.String,)))


def _of_strings(name: str, count: range, rule: Callable[..., Any], *kinds: p.Kind, **rest: Any) -> Function:
    gives = rest.pop("gives", t.String())
    return Function(name, count, p.signature(*kinds, gives=gives), p.of_values(rule), **rest)


def _of_one_kind(*kinds: p.Kind | None) -> p.BuildSignature:
    """A signature whose first argument, and those without a kind, are all strings or all bytes."""

    def sign(arguments: Sequence[Argument]) -> Signature:
        data_type: t.Type = t.Binary() if p.is_bytes(arguments[0].type) else t.String()
        paired = zip(kinds, arguments, strict=False)
        return Signature(tuple(data_type if kind is None else kind(argument) for kind, argument in paired), data_type)

    return sign


_padding = _of_one_kind(None, p.integer, None)
_overlaid = _of_one_kind(None, None, p.integer, p.integer)
_STRINGS = (t.String, t.Int)
FUNCTIONS = (
    _of_strings("replace", range(2, 4), text.replace,
                *[p.string] * 3, spark=Native("replace", only=_STRINGS)),
    _of_strings("instr", range(2, 3), lambda whole, part: locate(part, whole), p.string, p.string, gives=t.Int(),
                spark=Native("instr", only=_STRINGS)),
    _of_strings("locate", range(2, 4), locate, p.string, p.string, p.integer, gives=t.Int(), strict=False,
                aliases=("position",), spark=Native("locate", only=_STRINGS)),
    Function("lpad", range(2, 4), _padding,
             _pad(True), spark=Native("lpad", only=_STRINGS)),
    Function("rpad", range(2, 4), _padding,
             _pad(False), spark=Native("rpad", only=_STRINGS)),
    _of_strings("right", range(2, 3), lambda value, count: value[-count:] if count > 0 else "", p.string, p.integer,
                spark=Native("right", only=_STRINGS)),
    _of_strings("translate", range(3, 4), translate, *[p.string] * 3, spark=Native("translate", only=_STRINGS)),
    _of_strings("repeat", range(2, 3), text.repeat, p.string, p.integer,
                spark=Native("repeat", only=_STRINGS)),
    _of_strings("space", range(1, 2), _blanks, p.integer),
    _of_strings("initcap", range(1, 2), initcap, p.string, spark=Native("initcap", only=_STRINGS)),
    Function("overlay", range(3, 5), _overlaid, p.of_values(overlay)),
    _of_strings("substring_index", range(3, 4), substring_index, p.string, p.string, p.integer,
                spark=Native("substring_index", only=_STRINGS)),
    _of_strings("split_part", range(3, 4), split_part, p.string, p.string, p.integer),
    _of_strings("levenshtein", range(2, 3), levenshtein, p.string, p.string, gives=t.Int(),
                spark=Native("levenshtein", only=_STRINGS)),
    _of_strings("find_in_set", range(2, 3), find_in_set, p.string, p.string, gives=t.Int(),
                spark=Native("find_in_set", only=_STRINGS)),
    Function("concat_ws", range(1, 1 << 16), p.signature_of_many(_string_or_strings, t.String()), _join, strict=False),
    _make_test("startswith", lambda whole, part: whole.startswith(part)),
    _make_test("endswith", lambda whole, part: whole.endswith(part)),
    _make_test("contains", lambda whole, part: part in whole),
)  # fmt: skip

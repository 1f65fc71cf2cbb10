"""Java's regular expressions and LIKE patterns, written for Python's `re` and for RE2 so that both find the same.

What they do not have in common with Java is spelled out (`.`, `$`, `\\s`, ignoring case) or refused: class intersections,
Unicode categories, flags inside a pattern. Letters and digits outside ASCII are no characters of `\\w`, but of words (`\\b`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.functions.scalar.like import AnyChar, AnyRun, Pattern

if TYPE_CHECKING:
    from hudi_core.functions.scalar import retries
else:
    retries = ModuleByNeed("hudi_core.functions.scalar.retries")  # for predicates with a regular expression alone

_SETS = {
    "d": "0-9", "w": "0-9A-Za-z_", "s": r"\t-\r ",
    "Digit": "0-9", "Alpha": "A-Za-z", "Alnum": "0-9A-Za-z", "Lower": "a-z", "Upper": "A-Z", "Space": r"\t-\r ",
    "Punct": r"!-/:-@\[-`{-~", "XDigit": "0-9A-Fa-f", "ASCII": r"\x00-\x7f", "Cntrl": r"\x00-\x1f\x7f",
}  # fmt: skip
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_META = frozenset("\\.^$|?*+()[]{}")
_META_IN_SET = frozenset("\\]^-[&~|")
_LINE_ENDS = "\n\r\u0085\u2028\u2029"
_LAST_LINE_END = f"(?:\r\n|[{_LINE_ENDS}])?"
_CODE = re.compile(r"u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}")
_REPEAT = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_MOST_REPEATS = 1_000  # RE2 refuses more
_WHOLE_LINE = "\0end"
_WHOLE_TEXT = "\0text"


@dataclass(frozen=True, slots=True)
class Regex:
    """One pattern in both dialects. `re2` is None where RE2 has no such thing; `groups` counts the capturing ones."""

    python: re.Pattern[str]
    re2: str | None
    groups: int
    retried: str | None = None
    """The pattern, where Python may take a time that doubles with each character of the text."""
    of_words: bool = False
    """It has `\\b` or `\\B`, for which RE2 knows the words of ASCII alone."""

    @property
    def compiled(self) -> re.Pattern[str]:
        """For Python's matcher. Raises `ExpressionError` for a pattern that may keep it busy without end."""
        if self.retried is not None:
            expected = (
                "a pattern whose repeated parts match a text in one way, or repeats that give nothing back, as `a++`"
            )
            raise ExpressionError(
                self.retried, expected=expected, found="a repeat within which a text matches in several ways"
            )
        return self.python

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """All matches as Java finds them: behind an empty one the search goes on a character later. Raises as `compiled`."""
        start = 0
        while start <= len(text) and (match := self.compiled.search(text, start)) is not None:
            yield match
            start = match.end() + (match.start() == match.end())


@lru_cache(maxsize=256)
def parse(pattern: str) -> Regex:
    """A Java regular expression. Raises `ExpressionError` when it is none, `UnsupportedError` for what is not known here."""
    scanner = _Scanner(pattern)
    pieces = scanner.scan()
    python = "".join(_PYTHON_FORMS.get(piece, piece) for piece in pieces)
    try:
        compiled = re.compile(python, re.ASCII)
    except (re.error, OverflowError) as problem:
        raise ExpressionError(pattern, expected="a regular expression", found=str(problem)) from None
    ends = [offset for offset, piece in enumerate(pieces) if piece == _WHOLE_LINE]
    in_re2 = scanner.regular and all(_nothing_follows(pieces, offset) for offset in ends)
    re2 = "".join(_RE2_ENDS.get(piece, piece) for piece in pieces) if in_re2 else None
    of_words = r"\b" in pieces or r"\B" in pieces
    return Regex(compiled, re2, compiled.groups, pattern if retries.retries(pieces) else None, of_words)


@lru_cache(maxsize=256)
def like(pattern: Pattern) -> Regex:
    """A LIKE pattern; the whole text has to match."""
    body = "".join(map(_like_part, pattern))
    return Regex(re.compile(rf"(?s)\A{_without_retries(pattern)}\Z"), rf"(?s)\A{body}\z", 0)


@lru_cache(maxsize=256)
def like_in_java(pattern: Pattern) -> str:
    """A LIKE pattern as a regular expression of Java's; the whole text has to match."""
    return rf"(?s)\A{_without_retries(pattern)}\z"


def _without_retries(pattern: Pattern) -> str:
    """A LIKE pattern for a matcher that tries one way after another: what stands between two `%` is taken where it comes first,
    for no later place lets more match."""
    parts = [[""]]
    for part in pattern:
        if part == AnyRun():
            parts.append([])
        else:
            parts[-1].append(_like_part(part))
    first, *between = ["".join(part) for part in parts]
    if not between:
        return first
    return first + "".join(f"(?>.*?{part})" for part in between[:-1] if part) + ".*" + between[-1]


def any_like(patterns: Iterable[Pattern]) -> str:
    """In RE2's dialect the regular expression that is in the strings that one of the LIKE patterns matches.

    For patterns that `joins` takes: of others together RE2 may need more states than it has room for.
    """
    return f"(?s){'|'.join(map(_search, patterns))}"


def joins(pattern: Pattern) -> bool:
    """Whether RE2 looks for many such LIKE patterns as fast as for one: those that begin with a string, and `%string` with or
    without `%` behind it."""
    match pattern:
        case (str(), *_) | (AnyRun(), str()) | (AnyRun(), str(), AnyRun()):
            return AnyChar() not in pattern
        case _:
            return False


def _search(pattern: Pattern) -> str:
    """A LIKE pattern as what is in a string, not as what all of it is."""
    first, last = int(pattern[0] == AnyRun()), len(pattern) - (pattern[-1] == AnyRun())
    body = "".join(map(_like_part, pattern[first:last]))
    return ("" if first else r"\A") + body + ("" if last < len(pattern) else r"\z")


def replacement(text: str, regex: Regex) -> list[str | int]:
    """A Java replacement text in pieces: texts, and the numbers of groups. Raises `ExpressionError`."""
    parts: list[str | int] = []
    offset = 0
    while offset < len(text):
        char = text[offset]
        offset += 1
        if char == "\\" and offset < len(text):
            parts.append(text[offset])
            offset += 1
        elif char == "$" and text[offset : offset + 1].isdecimal() and text[offset].isascii():
            group = int(text[offset])
            offset += 1
            while (
                text[offset : offset + 1].isdecimal()
                and text[offset].isascii()
                and group * 10 + int(text[offset]) <= regex.groups
            ):
                group = group * 10 + int(text[offset])
                offset += 1
            if group > regex.groups:
                raise ExpressionError(text, expected=f"a group up to {regex.groups}", found=f"${group}")
            parts.append(group)
        elif char in "\\$":
            raise ExpressionError(text, expected="a group's number after `$`, a character after `\\`", found=repr(char))
        else:
            parts.append(char)
    return parts


def _like_part(part: str | AnyChar | AnyRun) -> str:
    match part:
        case AnyChar():
            return "."
        case AnyRun():
            return ".*"
        case _:
            return "".join(map(_escape_literal, part))


def _escape_literal(char: str, special: frozenset[str] = _META) -> str:
    return f"\\{char}" if char in special else char


def _nothing_follows(pieces: list[str], offset: int) -> bool:
    """RE2 has no look-ahead: a `$` there takes the line end in, so it has to be the last of its outermost alternative."""
    depth = sum(piece.startswith("(") and piece[-1] != ")" for piece in pieces[:offset]) - pieces[:offset].count(")")
    rest = offset + 1
    while rest < len(pieces) and pieces[rest] == ")":
        rest, depth = rest + 1, depth - 1
    return rest == len(pieces) or (depth == 0 and pieces[rest] == "|")


_WORD = r"(?u:[^\W\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2182\u2185-\u2189\u2460-\u24ff\u2776-\u2793]|[\u0300-\u036f])"
"""A character of a word for `\\b`, which has letters and digits of all scripts and the accents behind them, unlike `\\w`."""
_PYTHON_FORMS = {
    _WHOLE_LINE: rf"(?!(?<=\r)\n)(?={_LAST_LINE_END}\Z)",  # not between the two of a line end
    _WHOLE_TEXT: r"\Z",
    r"\b": rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    r"\B": rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
}
_RE2_ENDS = {_WHOLE_LINE: rf"{_LAST_LINE_END}\z", _WHOLE_TEXT: r"\z"}


@dataclass(slots=True)
class _Scanner:
    pattern: str
    position: int = 0
    ignore_case: bool = False
    dot_is_all: bool = False
    regular: bool = True
    """No look-around, back reference, possessive quantifier or atomic group."""
    pieces: list[str] = field(default_factory=list)

    def scan(self) -> list[str]:
        flags = re.match(r"\(\?([is]+)\)", self.pattern)
        if flags:
            self.position, self.ignore_case, self.dot_is_all = flags.end(), "i" in flags[1], "s" in flags[1]
        while self.position < len(self.pattern):
            self.pieces.append(self._next())
        return self.pieces

    def _next(self) -> str:
        char = self._take()
        match char:
            case "\\":
                return self._escape()
            case "[":
                return self._set()
            case "(":
                return self._group()
            case ".":
                return r"(?s:.)" if self.dot_is_all else f"[^{_LINE_ENDS}]"
            case "^":
                return r"\A"
            case "$":
                return _WHOLE_LINE
            case "*" | "+" | "?":
                return self._quantify(char)
            case "{":
                return self._quantify(self._repeat())
            case "|" | ")":
                return char
            case _:
                return self._literal(char)

    def _take(self) -> str:
        if self.position >= len(self.pattern):
            raise self._make_refusal("more", "the end")
        char = self.pattern[self.position]
        self.position += 1
        return char

    def _literal(self, char: str) -> str:
        if self.ignore_case and char.isascii() and char.isalpha():
            return f"[{char.lower()}{char.upper()}]"
        return _escape_literal(char)

    def _quantify(self, quantifier: str) -> str:
        suffix = self.pattern[self.position : self.position + 1]
        if suffix not in ("?", "+") or not suffix:
            return quantifier
        self.position += 1
        self.regular = self.regular and suffix == "?"
        return quantifier + suffix

    def _repeat(self) -> str:
        match = _REPEAT.match(self.pattern, self.position - 1)
        if match is None:
            raise self._make_refusal("a count like {2,3}", "`{`")
        self.position = match.end()
        self.regular = self.regular and max(int(match[1]), int(match[2] or 0)) <= _MOST_REPEATS
        return match[0]

    def _group(self) -> str:
        if self.pattern[self.position : self.position + 1] != "?":
            return "("
        opening = re.compile(r"\?(?::|=|!|<=|<!|>|<[A-Za-z][A-Za-z0-9]*>)").match(self.pattern, self.position)
        if opening is None:
            raise self._make_unsupported(f"({self.pattern[self.position : self.position + 3]}")
        self.position = opening.end()
        if opening[0] == "?:":
            return "(?:"
        if opening[0].endswith(">") and len(opening[0]) > 2:
            return "("
        self.regular = False
        return f"({opening[0]}"

    def _escape(self) -> str:
        char = self._take()
        match char:
            case "d" | "w" | "s":
                return f"[{_SETS[char]}]"
            case "D" | "W" | "S":
                return f"[^{_SETS[char.lower()]}]"
            case "p" | "P":
                return f"[{'^' if char == 'P' else ''}{self._property()}]"
            case "b" | "B" | "A":
                return f"\\{char}"
            case "z":
                return _WHOLE_TEXT
            case "Z":
                return _WHOLE_LINE
            case "Q":
                end = self.pattern.find("\\E", self.position)
                quoted = self.pattern[self.position : end if end >= 0 else len(self.pattern)]
                self.position += len(quoted) + (2 if end >= 0 else 0)
                return "".join(map(self._literal, quoted))
            case _ if char in "123456789":
                if self.ignore_case:
                    raise self._make_unsupported(f"\\{char} in a pattern that ignores case")
                self.regular = False
                return f"(?:\\{char})"
            case _:
                return self._literal(self._escape_char(char))

    def _escape_char(self, char: str) -> str:
        code = _CODE.match(self.pattern, self.position - 1)
        if code is not None:
            self.position = code.end()
            point = int(code[1] or code[2] or code[3], 16)
            if point > 0x10FFFF:
                raise self._make_refusal("a code point", code[0])
            if 0xD800 <= point < 0xE000:
                return self._surrogate_pair(point)
            return chr(point)
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char.isascii() and char.isalnum():
            raise self._make_unsupported(f"\\{char}")
        return char

    def _surrogate_pair(self, high: int) -> str:
        """The character of two halves, each an escape. One half alone is no character of a text here."""
        code = _CODE.match(self.pattern, self.position + 1) if self.pattern.startswith("\\u", self.position) else None
        low = int(code[1], 16) if code is not None else 0
        if code is None or high >= 0xDC00 or not 0xDC00 <= low < 0xE000:
            raise self._make_unsupported(f"\\u{high:04x}")
        self.position = code.end()
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))

    def _property(self) -> str:
        match = re.compile(r"\{(\w+)\}").match(self.pattern, self.position)
        if match is None or match[1] not in _SETS or len(match[1]) == 1:
            raise self._make_unsupported(f"\\p{match[0] if match else ''}")
        self.position = match.end()
        return _SETS[match[1]]

    def _set(self) -> str:
        """A character class; a single place in it is a character or a named set, a range two characters."""
        negated = self.pattern[self.position : self.position + 1] == "^"
        self.position += negated
        parts: list[str] = []
        while True:
            first = self._take()
            if first == "]" and parts:
                return f"[{'^' if negated else ''}{''.join(parts)}]"
            if first == "[" or self.pattern.startswith("&&", self.position - 1):
                raise self._make_unsupported("a class within a class")
            if first == "\\":
                named = self._take()
                if named in "dws":
                    parts.append(_SETS[named])
                    continue
                if named == "p":
                    parts.append(self._property())
                    continue
                if named in "DWSPbBAzZQ":
                    raise self._make_unsupported(f"\\{named} in a class")
                first = self._escape_char(named)
            last = first
            after = self.pattern[self.position + 1 : self.position + 2]
            if self.pattern.startswith("-", self.position) and after not in ("]", "["):
                self.position += 1
                last = self._take()
                last = self._escape_char(self._take()) if last == "\\" else last
            if last < first:
                raise self._make_refusal("a range from low to high", f"{first}-{last}")
            parts.append(_range(first, last))
            if self.ignore_case:
                parts.extend(_other_case(first, last))

    def _make_refusal(self, expected: str, found: str) -> ExpressionError:
        return ExpressionError(self.pattern, expected=expected, found=f"{found} at character {self.position}")

    def _make_unsupported(self, construct: str) -> UnsupportedError:
        return UnsupportedError(self.pattern, message=f"`{construct}` in a regular expression is not supported")


def _range(start: str, last: str) -> str:
    first = _escape_literal(start, _META_IN_SET)
    return first if start == last else f"{first}-{_escape_literal(last, _META_IN_SET)}"


def _other_case(low: str, stop: str) -> list[str]:
    """The ASCII letters of a range in their other case."""
    ranges = []
    for first, last, change in (("a", "z", str.upper), ("A", "Z", str.lower)):
        start, end = max(low, first), min(stop, last)
        if start <= end:
            ranges.append(_range(change(start), change(end)))
    return ranges

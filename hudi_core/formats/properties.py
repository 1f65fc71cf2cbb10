"""Java properties text, the form of `hoodie.properties` and `.hoodie_partition_metadata`. Rules FORMAT-1 to FORMAT-4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hudi_core.errors import CorruptFileError

_LINE = re.compile(r"\r\n|\r|\n")
_COMMENT_BYTES = 4096
_BLANKS = " \t\f"
_KEY = re.compile(r"((?:[^\\=: \t\f]|\\.)*)[ \t\f]*[=:]?[ \t\f]*", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f", **{mark: f"\\{mark}" for mark in "\\=:#!"}}


def parse_properties(data: bytes, where: str) -> dict[str, str]:
    """Keys and values in file order; of a key given twice the last value counts.

    Bytes are UTF-8, or Latin-1 where they are not valid UTF-8. `CorruptFileError` names the line of a bad `\\u` escape,
    of half a surrogate pair, or of a NUL byte, which no writer leaves in such a text (a file zeroed by a crash is full of
    them).
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    properties: dict[str, str] = {}
    for line_number, line in _logical_lines(text):
        place = f"{where}: line {line_number}"
        if "\0" in line:
            raise CorruptFileError(place, expected="the text of a properties file", found="a NUL byte")
        split = _KEY.match(line)
        assert split is not None  # the pattern matches the empty text
        properties[_unescape(split[1], place)] = _unescape(line[split.end() :], place)
    return properties


def leading_comments(data: bytes) -> tuple[str, ...]:
    """The lines of comment at the top, without their marks."""
    comments: list[str] = []
    for line in _LINE.split(data[:_COMMENT_BYTES].decode("utf-8", "replace")):
        if not line.startswith(("#", "!")):
            break
        comments.append(line[1:].strip())
    return tuple(comments)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are neither blank nor a comment, joined where they are continued, with the number of their first one."""
    parts: list[str] = []
    first = 0
    for line_number, raw in enumerate(_LINE.split(text), start=1):
        line = raw.lstrip(_BLANKS)
        if not parts:
            if not line or line[0] in "#!":
                continue
            first = line_number
        continued = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        parts.append(line[:-1] if continued else line)
        if not continued:
            if logical := "".join(parts):
                yield first, logical
            parts = []
    if logical := "".join(parts):
        yield first, logical


def _unescape(text: str, where: str) -> str:
    if "\\" not in text:
        return text

    def replace(escape: re.Match[str]) -> str:
        mark = escape[1]
        if len(mark) == 5:
            return chr(int(mark[1:], 16))
        if mark == "u":
            raise CorruptFileError(where, expected="four hexadecimal digits after \\u", found=repr(text))
        return _CONTROLS.get(mark, mark)

    halves = _ESCAPE.sub(replace, text)
    try:
        return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise CorruptFileError(where, expected="surrogates in pairs", found=repr(text)) from None


def format_properties(properties: Mapping[str, str], comment: str) -> bytes:
    """The text of `properties` in their order, ASCII only, after the comment (one `#` line for each line of it)."""
    lines = [f"#{_ascii(line)}" for line in _LINE.split(comment)] if comment else []
    lines += [f"{_escape(key, blanks=True)}={_escape(value, blanks=False)}" for key, value in properties.items()]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _escape(text: str, *, blanks: bool) -> str:
    """`blanks`: escape every space, as a key needs it; a value only needs its leading one escaped."""
    escaped = _ascii("".join(_WRITTEN.get(char, char) for char in text))
    if blanks:
        return escaped.replace(" ", "\\ ")
    return f"\\{escaped}" if escaped.startswith(" ") else escaped


def _ascii(text: str) -> str:
    return "".join(char if " " <= char <= "~" else _utf16_escapes(char) for char in text)


def _utf16_escapes(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))

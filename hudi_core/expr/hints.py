"""What was probably meant where a predicate is refused: signs and words of other languages. Rule EXPR-1086."""

from __future__ import annotations

import re
from typing import Final

from hudi_core.sql.place import Span

_BEHIND: Final = 40
_AHEAD: Final = 60
_MARK: Final = "\x00"
"""Marks the place of the error in the text, in which the patterns below are looked for."""
_STRINGS: Final = re.compile(r"'[^']*'|\"[^\"]*\"")

_WHOLE_QUERY: Final = "a predicate only chooses rows; hudi-core sql takes a whole query"
_AT_PLACE: Final = (
    (r"&\x00?&|\x00&&", "write AND for &&"),
    (r"^\s*\x00\s*SELECT\b.*\bWHERE\b", "write what follows WHERE; hudi-core sql takes a whole query"),
    (r"^\s*\x00\s*SELECT\b", _WHOLE_QUERY),
    (r"^\s*WHERE\s+\x00", "leave WHERE out"),
    (r"\x00\s*(?:LIMIT|ORDER|GROUP|HAVING|UNION|JOIN)\b|\bCOUNT\s*\(\s*\x00\s*\*", _WHOLE_QUERY),
    (r"\x00\s*;", "leave the semicolon out"),
    (r"\x00=>", "write >= for =>"),
    (r"=\x00<", "write <= for =<"),
    (r"==\x00=", "write = for ==="),
    (r"\*\x00\*", "write power(x, y) for x ** y"),
    (r"\x00\s*~", "write RLIKE for a regular expression"),
    (r"\x00\s*XOR\b", "write <> between two conditions in brackets"),
    (r"\x00\s*(STARTSWITH|CONTAINS|ENDSWITH)\b", r"write \1(column, 'text')"),
    (r"\bIS\s+(?:NOT\s+)?\x00\s*NAN\b", "write isnan(column)"),
    (r"\bIS\s+\x00\s*(?:NONE|MISSING|EMPTY|NIL)\b", "write IS NULL"),
    (r"\bIS\s+NOT\s+\x00\s*(?:NONE|MISSING|EMPTY|NIL)\b", "write IS NOT NULL"),
    (r"\bIS\s+NOT\s+\x00", "write <> to compare with a value"),
    (r"\bIS\s+\x00", "write = to compare with a value"),
    (r"\x00\s*EXISTS\b", "write column IS NOT NULL"),
    (r"\bIN\s+\x00(?!\()", "write a list in round brackets: IN (1, 2)"),
    (r"\bLIKE\s+[^'\"\s]+\s*\x00", "write the pattern in quotes: LIKE 'a%'"),
    (r"\d\x00,\d{3}\b|\x00\d+_\d", "write numbers without separators of thousands"),
    (r"\x00\s*(?:[?$@{]|:\w)", "write the value or the column itself: a predicate has no parameters"),
    ("\x00\\s*[\u201c\u201d\u2018\u2019\u00ab\u00bb]", "write straight quotes: 'text'"),
    ("\x00\\s*\u2265", "write >="),
    ("\x00\\s*\u2264", "write <="),
    ("\x00\\s*\u2260", "write <>"),
    (r"\x00\s*#", "write -- before a comment"),
    (r"=\s*\x00\s*NAN\b", "write isnan(column)"),
    (
        r"(?:=|<>|<|>|\bLIKE|\(|,)\s*\x00\s*`?([^\W\d]\w*)`?\s*(?:$|\)|,|\bAND\b|\bOR\b)",
        r"write a text in quotes: '\1'",
    ),
)
_PATTERNS: Final = tuple((re.compile(pattern, re.IGNORECASE | re.DOTALL), text) for pattern, text in _AT_PLACE)
_COLUMN_IN_QUOTES: Final = re.compile(r'\x00"([^\W\d][\w.]*)"')
_JOINED_BY_SIGNS: Final = re.compile(r"\|\||[&|~]")


def hint(span: Span, expected: str | None) -> str | None:
    """What to write in place of a known mistake; None where the text has none there.

    >>> hint(Span("fare > 8 && tip = 1", 10, 11), "a column")
    'write AND for &&'
    """
    text, start = span.text, span.start
    around = text[max(start - _BEHIND, 0) : start] + _MARK + text[start : start + _AHEAD]
    column = _COLUMN_IN_QUOTES.search(around)
    if column is not None and expected is not None:
        return f"write {column[1]} or `{column[1]}` for the column: text in double quotes is a string"
    if expected == "a closing quote":
        return "write '' for a quote inside a string" if text.count("'") > 2 else None
    if expected is not None and ("condition" in expected or "boolean" in expected):
        return "write AND, OR and NOT between conditions" if _JOINED_BY_SIGNS.search(_STRINGS.sub("", text)) else None
    for pattern, shown in _PATTERNS:
        found = pattern.search(around)
        if found is not None:
            return found.expand(shown) if "\\" in shown else shown
    return None

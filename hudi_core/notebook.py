"""Objects as people see them: in one to six lines in a shell, as tables of HTML in notebooks. Rule TABLE-980."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, fields
from enum import Enum
from html import escape
from itertools import islice
from typing import Any, Final, TypeVar

T = TypeVar("T")

_LINES: Final = 6
_LINE: Final = 110
_VALUE: Final = 60
_ITEMS: Final = 4
"""Items of a collection that are shown."""
_ROW: Final = 130
_ROWS: Final = 100
"""Rows of a list that a notebook shows."""


def html_table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), title: str = "") -> str:
    """A table of texts, under a line of heads and a title if there are any.

    >>> html_table([("a", "<1>")], title="t")
    '<table><caption>t</caption><tr><td>a</td><td>&lt;1&gt;</td></tr></table>'
    """
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    heads = f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>" if head else ""
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{caption}{heads}{body}</table>"


class Listing(list[T]):
    """A list of objects with fields: a line for each of the first ones in a shell, a table with a row for each in notebooks."""

    def __repr__(self) -> str:
        if not self:
            return "[]"
        shown = self if len(self) <= _ITEMS else self[: _ITEMS - 1]
        names, rows = _rows(shown)
        widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (names, *rows)
        ]
        more = [f"and {len(self) - len(shown):,} more"] if len(shown) < len(self) else []
        return "\n".join(
            [self._title, *(line if len(line) <= _ROW else f"{line[: _ROW - 3]}..." for line in lines), *more]
        )

    def _repr_html_(self) -> str:
        names, rows = _rows(self[:_ROWS])
        more = f", the first {_ROWS}" if len(self) > _ROWS else ""
        return html_table(rows, names, f"{self._title}{more}") if self else "none"

    @property
    def _title(self) -> str:
        return f"{len(self):,} of {type(self[0]).__name__}"


def _rows(items: Sequence[object]) -> tuple[list[str], list[list[str]]]:
    """The names of the fields that any of the objects has a value of, and the values of each in a few words."""
    given = [dict(_fields(item)) for item in items]
    names = list(dict.fromkeys(name for fields_of in given for name in fields_of))
    return names, [[_item(fields_of[name]) if name in fields_of else "" for name in names] for fields_of in given]


def show_briefly(kind: type[T]) -> type[T]:
    """Gives a class of fields a short `repr`, and a table for notebooks unless it has one of its own."""
    shown: Any = kind
    shown.__repr__ = brief_text
    if not hasattr(kind, "_repr_html_"):
        shown._repr_html_ = brief_html
    return kind


def brief_text(value: object) -> str:
    """A value by its fields, in one line where they fit, else in at most six. Fields that have their defaults are left out."""
    name, parts = type(value).__name__, [(field, brief(part)) for field, part in _fields(value)]
    line = f"{name}({', '.join(f'{field}={part}' for field, part in parts)})"
    if len(line) <= _LINE:
        return line
    lines, shown = _pack(parts)
    if shown < len(parts):
        rest = _cut(", ".join(field for field, _ in parts[shown:]), _LINE - 20)
        lines.append(f"  and {len(parts) - shown} more: {rest}")
    return "\n".join([name, *lines])


def _pack(parts: Sequence[tuple[str, str]]) -> tuple[list[str], int]:
    """Lines with as many fields as have room in them, and how many fields these are. The last line is free where some are not."""
    lines: list[str] = []
    counts: list[int] = []
    for number, (field, part) in enumerate(parts, 1):
        text = f"{field}: {part}"
        if lines and len(lines[-1]) + 2 + len(text) <= _LINE:
            lines[-1] += f", {text}"
            counts[-1] = number
        else:
            lines.append(f"  {text}")
            counts.append(number)
    room = _LINES - 1
    if len(lines) <= room:
        return lines, len(parts)
    return lines[: room - 1], counts[room - 2]


def brief_html(value: object) -> str:
    """What `brief_text` shows, as a table, with all fields."""
    return html_table(((field, brief(part)) for field, part in _fields(value)), title=type(value).__name__)


def brief(value: object) -> str:
    """A value in a few words.

    >>> brief("a"), brief(()), brief([1, 2]), brief({"b": 1})
    ("'a'", 'none', '1, 2', 'b: 1')
    >>> brief(range(1_000))
    '1,000: 0, 1, 2, 3, ...'
    """
    match value:
        case Enum():
            return str(value.value)
        case str() | bytes():
            return _cut(repr(value), _VALUE)
        case Mapping():
            return _collection((f"{_item(key)}: {brief(part)}" for key, part in value.items()), len(value))
        case Sequence() | Set():
            kinds = {type(item) for item in value}
            if len(kinds) == 1 and hasattr(kind := kinds.pop(), "_repr_html_"):
                return f"{len(value):,} of {kind.__name__}"
            return _collection(map(_item, value), len(value))
        case None | bool() | int() | float():
            return repr(value)
    size = getattr(value, "size", None)
    if isinstance(size, int) and hasattr(value, "dtype"):
        return f"{size:,} values"
    for text in (repr(value), str(value)):
        if len(text) <= _VALUE and not text.startswith("<"):
            return text
    return type(value).__name__


def _item(value: object) -> str:
    return _cut(value, _VALUE) if isinstance(value, str) and not isinstance(value, Enum) else brief(value)


def _collection(items: Iterable[str], count: int) -> str:
    if not count:
        return "none"
    text = ", ".join(islice(items, _ITEMS))
    return _cut(text, _VALUE) if count <= _ITEMS else f"{count:,}: {_cut(text, _VALUE)}, ..."


def _cut(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 3]}..."


def _fields(value: Any) -> Iterator[tuple[str, object]]:
    """The fields of an object of a dataclass or a model, but for those that have their defaults, and private ones."""
    if hasattr(type(value), "model_fields"):
        defaults = {
            name: field.get_default(call_default_factory=False) for name, field in type(value).model_fields.items()
        }
    else:
        defaults = {field.name: _default(field) for field in fields(value) if field.repr}
    for name, default in defaults.items():
        part = getattr(value, name)
        if not name.startswith("_") and not _is_same(part, default):
            yield name, part


def _default(field: Any) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _is_same(value: object, default: object) -> bool:
    """Whether a value is its default. Arrays never are."""
    return value is default or (type(value) is type(default) and not hasattr(value, "dtype") and value == default)

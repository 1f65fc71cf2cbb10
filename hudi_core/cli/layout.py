"""Tables for people, as wide as what they are shown on: which columns are folded, cut, put below their row or left out.

Rules CLI-670, CLI-671.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

GAP: Final = 2
"""Blanks between two columns."""
_NARROWEST: Final = 24
"""Columns on the screen that a text which may be folded or cut is left."""
_SHORTEST: Final = 19
"""Columns that an identifier is left: its first eight characters and its last ones still tell it from others."""
_LEAST_ROOM: Final = 12
"""Columns on the screen that the entries of a record are left in any case."""
_ELLIPSIS: Final = "…"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its cells, and what may become of it where it is too wide.

    `wraps` are texts of words, which go over several lines. `elided` are identifiers, of which the middle is left out. `cut` are
    values, of which the end is left out. `below` texts go under their row; `spare` columns are left out.
    """

    name: str
    heading: str
    cells: Sequence[Text]
    right: bool = False
    wraps: bool = False
    elided: bool = False
    cut: bool = False
    below: bool = False
    spare: bool = False
    width: int = 0

    @property
    def natural(self) -> int:
        """The width at which nothing is folded."""
        return max(cell_len(self.heading), self.widest)

    @property
    def widest(self) -> int:
        return max((cell.cell_len for cell in self.cells), default=0)

    @property
    def folded_heading(self) -> int:
        """The width of the heading where it goes over several lines, a word on each."""
        return max(map(cell_len, self.heading.split() or [""]))


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns with their widths, those whose texts are below the rows, and the names of those that there is no room for."""

    columns: Sequence[Column]
    below: Sequence[Column] = ()
    left_out: Sequence[str] = ()

    def lines(self, console: Console) -> Iterator[Text]:
        """The table: headings in bold, then the rows."""
        yield from self._row([Text(column.heading, style="bold") for column in self.columns], console)
        for number in range(len(self.columns[0].cells) if self.columns else 0):
            yield from self._row([_shorten(column, column.cells[number]) for column in self.columns], console)
            for column in self.below:
                yield from _indent(column, number, console)

    def _row(self, cells: Sequence[Text], console: Console) -> Iterator[Text]:
        folded = [_fold_text(cell, column.width, console) for column, cell in zip(self.columns, cells, strict=True)]
        for number in range(max(map(len, folded), default=0)):
            line = Text()
            for place, (column, parts) in enumerate(zip(self.columns, folded, strict=True)):
                part = parts[number] if number < len(parts) else Text()
                blank = " " * max(column.width - part.cell_len, 0)
                line.append(" " * GAP if place else "")
                line.append(blank if column.right else "")
                line.append_text(part)
                line.append("" if column.right else blank)
            line.rstrip()
            yield line


def layout(columns: Sequence[Column], width: int) -> Layout | None:
    """The widest form of a table that fits; None where not even its first column does.

    In this order texts of words are folded, headings go over several lines, identifiers lose their middle, values their end,
    texts go below their rows, spare columns are left out, and at last those at the end.
    """
    for ways in _WAYS:
        shown = [replace(column, width=column.natural) for column in columns]
        for narrower in ways:
            shown = narrower(shown, width)
        if _fits(shown, width):
            return Layout(shown)
    below = [column for column in shown if column.below]
    shown = [column for column in shown if not column.below]
    kept = _that_fit(shown, width)
    if not kept:
        return None
    names = {column.name for column in kept}
    return Layout(_widen(kept, columns, width), below, [column.name for column in shown if column.name not in names])


def _fits(columns: Sequence[Column], width: int) -> bool:
    return _sum(columns) <= width


def _sum(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def _with_folded_headings(columns: Sequence[Column], _: int) -> list[Column]:
    return [replace(column, width=max(column.folded_heading, column.widest)) for column in columns]


def _fold(columns: Sequence[Column], width: int) -> list[Column]:
    return _narrow(columns, width, lambda column: column.wraps, _NARROWEST)


def _elide(columns: Sequence[Column], width: int) -> list[Column]:
    return _narrow(columns, width, lambda column: column.elided, _SHORTEST)


def _cut(columns: Sequence[Column], width: int) -> list[Column]:
    return _narrow(columns, width, lambda column: column.cut, _NARROWEST)


def _narrow(columns: Sequence[Column], width: int, chosen: Callable[[Column], bool], least: int) -> list[Column]:
    """The columns, the chosen ones no wider than the widest common bound that makes all fit, none below the least width."""
    lowest = [
        min(column.width, max(least, column.folded_heading)) if chosen(column) else column.width for column in columns
    ]

    def bound(most: int) -> list[Column]:
        widths = (max(low, min(column.width, most)) for column, low in zip(columns, lowest, strict=True))
        return [replace(column, width=narrow) for column, narrow in zip(columns, widths, strict=True)]

    low, high = 0, max((column.width for column in columns), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(bound(middle), width) else (low, middle - 1)
    return bound(low)


_WAYS: Final = (
    (),
    (_fold,),
    (_with_folded_headings, _fold),
    (_with_folded_headings, _fold, _elide),
    (_with_folded_headings, _fold, _elide, _cut),
)
"""The ways to make a table narrower, what loses least first."""


def _that_fit(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns without spare ones, the last of these first, then without those at the end."""
    taken = _sum(columns)
    dropped: set[int] = set()
    places = range(len(columns) - 1, -1, -1)
    for place in (*(place for place in places if columns[place].spare), *places):
        if taken <= width:
            break
        if place not in dropped:
            dropped.add(place)
            taken -= columns[place].width + GAP
    return [column for place, column in enumerate(columns) if place not in dropped]


def _widen(shown: Sequence[Column], columns: Sequence[Column], width: int) -> list[Column]:
    """What is left, as wide again as there is room for, from the first on."""
    room = width - _sum(shown)
    natural = {column.name: column.natural for column in columns}
    wider = []
    for column in shown:
        more = min(room, natural[column.name] - column.width)
        room -= more
        wider.append(replace(column, width=column.width + more))
    return wider


def _shorten(column: Column, text: Text) -> Text:
    """A cell as wide as its column where it is an identifier or a value."""
    if text.cell_len <= column.width or not (column.elided or column.cut):
        return text
    style = text.style
    if column.cut:
        return Text(_beginning(text.plain, column.width - 1) + _ELLIPSIS, style=style)
    end = column.width - 1 - column.width // 2
    return Text(_beginning(text.plain, column.width // 2) + _ELLIPSIS + text.plain[-end:], style=style)


def _beginning(text: str, width: int) -> str:
    """As much of the beginning as fits; a blank for half a character that takes two columns."""
    return set_cell_size(text, width)


def _fold_text(text: Text, width: int, console: Console) -> list[Text]:
    """A text in lines of at most this width, broken between words where it can be."""
    if text.cell_len <= width:
        return [text]
    parts = list(text.wrap(console, width, overflow="fold"))
    for part in parts:
        part.rstrip()
    return parts


def _indent(column: Column, number: int, console: Console) -> Iterator[Text]:
    """The text of a row below it, with its heading; nothing where it has none."""
    text = column.cells[number]
    if text.plain in ("", "-"):
        return
    whole = Text(f"{column.heading}: ", style="dim")
    whole.append_text(text)
    for part in _fold_text(whole, max(console.width - 4, 1), console):
        yield Text("    ").append_text(part)


def entries(names: Sequence[str], cells: Sequence[Text], console: Console) -> Iterator[Text]:
    """The entries of one record under each other."""
    lead = max(map(cell_len, names), default=0)
    room = max(console.width - lead - GAP, _LEAST_ROOM)
    for name, cell in zip(names, cells, strict=True):
        for place, part in enumerate(_fold_text(cell, room, console)):
            line = Text(name if place == 0 else "", style="bold")
            line.append(" " * (lead + GAP - line.cell_len), style="not bold")
            line = Text().append_text(line).append_text(part)
            line.rstrip()
            yield line

"""Quotes of a CSV file: a quoted value ends before a comma or a line's end, and has each quote of its own twice. Rules ROWS-1272,
ROWS-1576.

pyarrow takes what comes between the quote that ends a value and the next comma for a part of it, without the quote. A value with
a quote that is written once, or behind a backslash, would be another one, and rows behind a quote that is never closed would be a
part of it.

Runs of quotes are looked at for a block at once. A run opens a value only at its beginning, so all that a run does follows from
its length, from the bytes around it and from whether it is within a value: a run of an odd length behind a comma or a line's end
changes that, any other one of an odd length ends a value or is a part of one without quotes, and one of an even length keeps it.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

import numpy as np

from hudi_core.arrays import Bools, Numbers, Octets
from hudi_core.errors import CorruptFileError, RowError

_BLOCK: Final = 1 << 22
_QUOTE, _CR, _LF = b'"\r\n'
_ENDS_VALUE: Final = np.isin(np.arange(256), list(b",\r\n"))
_SHOWN: Final = 20
_EXPECTED: Final = 'a comma or the end of the line behind a quoted value, and "" for each quote within it'
_ESCAPED: Final = "; a backslash escapes no quote"


@dataclass(frozen=True, slots=True)
class _Block:
    """A part of a file with the runs of quotes in it."""

    begin: int
    around: Octets
    """Its bytes, with one more at each end: a line's end before the first and behind the last one of the file."""
    begins: Numbers
    """The places of runs in the block."""
    ends: Numbers
    within: Bools
    """Whether a run begins within a quoted value; one entry more for what is behind the last run."""
    opens: Bools
    """Whether a run opens a value that it does not end."""
    is_wrong: Bools
    """Whether a run ends a value, and neither a comma nor a line's end is behind it."""


def refuse_stray_quotes(source: Path) -> None:
    """Raises `RowError` (`CorruptFileError` in the first line) for the first quoted value of a file that something follows, or
    that nothing closes."""
    with source.open("rb") as file:
        if file.seek(0, 2) == 0:
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            if content.find(b'"') >= 0:
                _refuse(content, source)


def _refuse(content: mmap, source: Path) -> None:
    opened, is_open = 0, False
    for block in _blocks_of(content):
        runs = len(block.begins)
        wrong = int(block.is_wrong.argmax()) if block.is_wrong.any() else runs
        opening = block.opens[:wrong].nonzero()[0]
        opened = int(block.begins[opening[-1]]) + block.begin if len(opening) else opened
        if wrong < runs:
            begin, end = int(block.begins[wrong]) + block.begin, int(block.ends[wrong]) + block.begin
            opened = opened if block.within[wrong] else begin
            shown = _show(content, max(opened, begin - _SHOWN), end + _SHOWN, opened)
            is_escaped = content[max(begin - 1, 0) : begin] == b"\\"
            raise _error(content, source, opened, _EXPECTED, shown + _ESCAPED * is_escaped)
        is_open = bool(block.within[-1])
    if is_open:
        shown = _show(content, opened, opened + 2 * _SHOWN, opened)
        raise _error(content, source, opened, "a quote that closes the last value", shown)


def _error(content: mmap, source: Path, opened: int, expected: str, found: str) -> RowError | CorruptFileError:
    row = _count_lines(content, opened) - 1  # the first line has the names of columns
    if row < 0:
        return CorruptFileError(str(source), expected=expected, found=f"{found} in the first line")
    return RowError(row, expected=expected, found=found, path=str(source))


def _show(content: mmap, begin: int, end: int, opened: int) -> str:
    text = repr(content[begin:end].decode(errors="replace"))
    return "..." * (begin > opened) + text + "..." * (end < len(content))


def _blocks_of(content: mmap) -> Iterator[_Block]:
    """A file block by block. No run is in two blocks."""
    size, is_within = len(content), False
    begin, before = _first_byte(content), b"\n"
    while begin < size:
        end = min(begin + _BLOCK, size)
        while end < size and content[end] == _QUOTE:
            end += 1
        around = before + content[begin : end + 1] + b"\n" * (end == size)
        block = _block_of(begin, np.frombuffer(around, np.uint8), is_within)
        yield block
        begin, before, is_within = end, around[-2:-1], bool(block.within[-1])


def _first_byte(content: mmap) -> int:
    return len(BOM_UTF8) if content[: len(BOM_UTF8)] == BOM_UTF8 else 0


def _block_of(begin: int, around: Octets, is_within: bool) -> _Block:
    quotes = (around[1:-1] == _QUOTE).nonzero()[0]
    is_first = np.ones(len(quotes), np.bool_)
    is_first[1:] = np.diff(quotes) > 1
    begins = quotes[is_first]
    lengths = np.diff(np.append(is_first.nonzero()[0], len(quotes)))
    ends = begins + lengths
    starts_value, ends_value = _ENDS_VALUE[around[begins]], _ENDS_VALUE[around[ends + 1]]
    is_odd = lengths % 2 == 1
    changes, is_reset = starts_value & is_odd, ~starts_value & is_odd
    changed = np.concatenate([[0], np.cumsum(changes)])
    resets = np.where(is_reset, np.arange(1, len(begins) + 1), 0)
    resets = np.concatenate([[0], np.maximum.accumulate(resets)])
    within = (changed - changed[resets] + (is_within & (resets == 0))) % 2 == 1
    is_wrong = ~ends_value & np.where(within[:-1], is_odd, starts_value & ~is_odd)
    return _Block(begin, around, begins, ends, within, ~within[:-1] & changes, is_wrong)


def _count_lines(content: mmap, end: int) -> int:
    """How many lines end before a place. Blank lines do not count, nor line breaks within values."""
    count, line = 0, _first_byte(content)
    for block in _blocks_of(content):
        bytes_of = block.around[1:-1]
        is_break = (bytes_of == _LF) | ((bytes_of == _CR) & (block.around[2:] != _LF))
        breaks = is_break.nonzero()[0]
        breaks = breaks[~block.within[np.searchsorted(block.begins, breaks)]]
        is_pair = (bytes_of[breaks] == _LF) & (block.around[breaks] == _CR)
        places = breaks + block.begin
        begins = np.concatenate([[line], places[:-1] + 1])[: len(places)]
        is_line = (places - begins > is_pair) & (places < end)
        count += int(is_line.sum())
        line = int(places[-1]) + 1 if len(places) else line
        if line >= end:
            break
    return count

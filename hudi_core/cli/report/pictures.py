"""The pictures of a report as SVG: what commits wrote, one after the other, and how large files are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from hudi_core.cli.report.facts import SizeClass
from hudi_core.cli.words import format_count, size
from hudi_core.table.summaries import SMALL_BYTES, CommitSummary

MOST_COMMITS: Final = 120
"""Commits that are drawn one by one: the latest."""
_WIDTH, _HEIGHT = 920, 220
_LEFT, _TOP, _FOOT = 88, 8, 24
_ROWS = ("inserted", "updated", "deleted")
_WIDEST: Final = 64.0
_TIMES_APART: Final = 260
"""The least width that has room for two times."""
_TIME_LETTERS: Final = 14
"""Digits of a requested time up to its seconds."""


def commits_svg(commits: Sequence[CommitSummary]) -> str:
    """A bar for each of the latest commits, oldest first: the rows that it wrote, or its bytes where one does not count rows."""
    drawn = commits[-MOST_COMMITS:]
    by_rows = all(commit.inserted is not None for commit in drawn)
    bars = [_parts(commit, by_rows=by_rows) for commit in drawn]
    top = max((sum(count for _, count in parts) for parts in bars), default=0) or 1
    wide = _slot(len(drawn))
    shapes = "".join(
        _bar(_LEFT + place * wide, wide, parts, top, _commit_title(commit))
        for place, (commit, parts) in enumerate(zip(drawn, bars, strict=True))
    )
    times = "" if not drawn else _time_label(_LEFT, drawn[0], "start")
    if wide * len(drawn) >= _TIMES_APART:
        times += _time_label(_LEFT + wide * len(drawn), drawn[-1], "end")
    highest = format_count(top, "row") if by_rows else size(top)
    label = (
        f"{format_count(len(drawn), 'commit')}, each with {'rows' if by_rows else 'bytes'} written; at most {highest}"
    )
    return _chart(label, f"{_scale(highest)}{shapes}{times}")


def sizes_svg(classes: Sequence[SizeClass]) -> str:
    """A bar for each class of sizes of one kind of file: how many files, under it the size from which it counts."""
    top = max((one.files for one in classes), default=0) or 1
    wide = _slot(len(classes))
    shapes, names = [], []
    for place, one in enumerate(classes):
        kind = "updated" if one.high <= SMALL_BYTES else "inserted"
        title = (
            f"{format_count(one.files, 'file')} from {size(one.low)} to {size(one.high)}, {size(one.bytes)} together"
        )
        left = _LEFT + place * wide
        shapes.append(_bar(left, wide, [(kind, one.files)], top, title))
        names.append(f"<text class=label x={left + 1:g} y={_HEIGHT - 6}>{size(one.low)}</text>")
    label = f"Sizes of {format_count(sum(one.files for one in classes), 'file')}, by powers of two"
    every = -(-len(names) // 12) or 1
    return _chart(label, f"{_scale(f'{top:,}')}{''.join(shapes)}{''.join(names[::every])}")


def _slot(count: int) -> float:
    """How wide a bar is with what parts it from the next."""
    return min((_WIDTH - _LEFT) / max(count, 1), _WIDEST)


def _time_label(place: float, commit: CommitSummary, anchor: str) -> str:
    time = escape(_time(commit.requested_time))
    return f"<text class=label x={place:g} y={_HEIGHT - 6} text-anchor={anchor}>{time}</text>"


def _parts(commit: CommitSummary, *, by_rows: bool) -> list[tuple[str, int]]:
    if not by_rows:
        return [("inserted", commit.bytes or 0)]
    return [(name, getattr(commit, name) or 0) for name in _ROWS]


def _commit_title(commit: CommitSummary) -> str:
    counts = [f"{getattr(commit, name):,} {name}" for name in _ROWS if getattr(commit, name)]
    written = [] if commit.bytes is None else [size(commit.bytes)]
    what = ", ".join([*counts, *written]) or "no rows"
    return f"{commit.requested_time} {(commit.operation or commit.action).lower()}: {what}"


def _time(requested: str) -> str:
    """A requested time as date and clock.

    >>> _time("20261121124621743"), _time("001")
    ('2026-11-21 12:46', '001')
    """
    if len(requested) < _TIME_LETTERS:
        return requested
    return f"{requested[:4]}-{requested[4:6]}-{requested[6:8]} {requested[8:10]}:{requested[10:12]}"


def _bar(left: float, wide: float, parts: Sequence[tuple[str, int]], top: int, title: str) -> str:
    """Parts on top of each other."""
    bottom, tall = float(_HEIGHT - _FOOT), _HEIGHT - _FOOT - _TOP
    rectangles = []
    for kind, count in parts:
        if count:
            height = max(1.0, tall * count / top)
            bottom -= height
            width = max(wide - max(1.0, wide * 0.12), 0.8)
            rectangles.append(
                f"<rect class={kind} x={left:.2f} y={bottom:.2f} width={width:.2f} height={height:.2f} />"
            )
    return f"<g><title>{escape(title)}</title>{''.join(rectangles)}</g>"


def _scale(highest: str) -> str:
    base = _HEIGHT - _FOOT
    return (
        f"<line class=tick x1={_LEFT} x2={_WIDTH} y1={_TOP} y2={_TOP} />"
        f"<line class=base x1={_LEFT} x2={_WIDTH} y1={base} y2={base} />"
        f"<text class=label x={_LEFT - 6} y={_TOP + 10} text-anchor=end>{escape(highest)}</text>"
        f"<text class=label x={_LEFT - 6} y={base} text-anchor=end>0</text>"
    )


def _chart(label: str, inside: str) -> str:
    return (
        f"<svg class=chart viewBox='0 0 {_WIDTH} {_HEIGHT}' role=img aria-label=\"{escape(label, quote=True)}\">"
        f"{inside}</svg>"
    )

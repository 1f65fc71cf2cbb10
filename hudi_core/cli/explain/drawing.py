"""The picture of one column as SVG: the ranges of slices against the values that can match, kept and skipped apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from hudi_core.cli.explain.picture import ColumnPicture, DrawnSlice
from hudi_core.cli.explain.scale import Tick
from hudi_core.truth import Verdict

_WIDTH = 920
_ZONE, _GAP = 36, 10
"""Widths of the places for null and NaN, beside the axis, and of what parts them from it."""
_UNKNOWN = (
    "<defs><pattern id=unknown width=6 height=6 patternUnits=userSpaceOnUse patternTransform='rotate(45)'>"
    "<rect width=2 height=6 fill=currentColor opacity=.4 /></pattern></defs>"
)
"""The hatching of what is not known: a full range is a whole bar."""
_TOP, _HEAD, _FOOT = 20, 17, 20
_TALLEST, _ROW, _THINNEST = 420.0, 9.0, 0.5
"""Heights: of all rows of a group that are many, of a row of few, and of a row of ever so many."""
_LETTER = 6.4
"""A letter's width, rather too wide than too narrow: what would overlap is left out."""

KINDS = {Verdict.READ: "read", Verdict.ALL_MATCH: "all", Verdict.SKIP: "skip"}
"""The style of each verdict."""


def column_svg(picture: ColumnPicture, verdicts: Sequence[Verdict]) -> str:
    """The picture over slices with these verdicts. The rows of a group carry the numbers of their slices."""
    layout = _Layout.for_picture(picture)
    order = sorted(range(len(verdicts)), key=lambda number: _place(picture.ranges[number]))
    groups = [
        ("read", [number for number in order if verdicts[number] is not Verdict.SKIP]),
        ("skipped", [number for number in order if verdicts[number] is Verdict.SKIP]),
    ]
    top, parts = float(_TOP), []
    for title, numbers in groups:
        if numbers:
            pitch = min(max(_TALLEST / len(numbers), _THINNEST), _ROW)
            parts.append(f"<text class=group x=0 y={top + 11:g}>{title}: {len(numbers):,}</text>")
            top += _HEAD
            rows = " ".join(map(str, numbers))
            drawn = _rows(picture, verdicts, numbers, layout, top, pitch)
            parts.append(f"<g class=rows data-top={top:g} data-pitch={pitch:.4g} data-rows='{rows}'>{drawn}</g>")
            top += pitch * len(numbers) + 10
    bottom = top - 4
    label = escape(
        f"Ranges of {picture.name} in {len(verdicts):,} slices. May match: {may_match(picture)}.", quote=True
    )
    return (
        f"<svg class=column viewBox='0 0 {_WIDTH} {bottom + _FOOT:g}' role=img tabindex=0 aria-label=\"{label}\">{_UNKNOWN}"
        f"{_draw_wanted(picture, layout, bottom)}{_axis(picture, layout, bottom)}{''.join(parts)}"
        f"{_marks(picture.marks, layout, bottom)}<rect class=cursor x=0 width={_WIDTH} height=0 /></svg>"
    )


def may_match(picture: ColumnPicture) -> str:
    """The values with which a row may match, in words.

    >>> from hudi_core.types import nodes as t
    >>> from hudi_core.cli.explain.picture import Band
    >>> bands = (Band(0.0, 0.2, "below 3"), Band(0.5, 0.5, "7"))
    >>> may_match(ColumnPicture("a", t.Int(), bands, True, False, (), (), ()))
    'below 3, 7, null'
    """
    if picture.any_matches:
        return "any value of this column alone"
    names = [band.label for band in picture.matching]
    names += ["NaN"] * picture.nans_match + ["null"] * picture.nulls_match
    shown = [*names[:8], f"and {len(names) - 8:,} more"] if len(names) > 9 else names
    return ", ".join(shown) or "nothing"


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the axis begins and ends, and where null and NaN have their places beside it (None: nowhere)."""

    left: float
    right: float
    null: float | None
    nan: float | None

    @staticmethod
    def for_picture(picture: ColumnPicture) -> _Layout:
        aside = _ZONE + _GAP
        left = aside if picture.has_nulls else 0
        right = _WIDTH - (aside if picture.has_nans else 0)
        return _Layout(left, right, 0.0 if picture.has_nulls else None, right + _GAP if picture.has_nans else None)

    def x(self, place: float) -> float:
        return self.left + place * (self.right - self.left)


def _place(drawn: DrawnSlice | None) -> tuple[int, float, float]:
    """Slices with bounds first, by these; then those without a value, then those of which little or nothing is known."""
    if drawn is None:
        return 3, 0.0, 0.0
    if drawn.band is None:
        return 1, 0.0, 0.0
    return (0 if drawn.bounded else 2), drawn.band.start, drawn.band.end


def _rows(
    picture: ColumnPicture,
    verdicts: Sequence[Verdict],
    numbers: Iterable[int],
    layout: _Layout,
    top: float,
    pitch: float,
) -> str:
    """One path for each style: a thousand slices are a few paths."""
    height = max(pitch - (2 if pitch > 5 else 0.8 if pitch > 2 else 0), 0.5)
    paths: dict[str, list[str]] = {}
    for row, number in enumerate(numbers):
        y, kind = top + row * pitch, KINDS[verdicts[number]]
        drawn = picture.ranges[number]
        if drawn is None or (drawn.band and not drawn.bounded):
            paths.setdefault(f"{kind} unknown", []).append(_box(layout.left, layout.right, y, height))
        elif drawn.band is not None:
            begin, end = layout.x(drawn.band.start), layout.x(drawn.band.end)
            wide = max(end - begin, 3.0)
            begin = min(begin, layout.right - wide) if end > begin else begin - wide / 2
            paths.setdefault(kind, []).append(_box(begin, begin + wide, y, height))
        unsure = " unknown" if drawn is None else ""
        if layout.null is not None and (drawn is None or drawn.nulls):
            paths.setdefault(kind + unsure, []).append(_box(layout.null, layout.null + _ZONE, y, height))
        if layout.nan is not None and (drawn is None or drawn.nans):
            paths.setdefault(kind + unsure, []).append(_box(layout.nan, layout.nan + _ZONE, y, height))
    return "".join(f"<path class='{kind}' d='{''.join(boxes)}'/>" for kind, boxes in paths.items())


def _box(left: float, right: float, y: float, height: float) -> str:
    return f"M{left:.1f} {y:.1f}H{right:.1f}v{height:.1f}H{left:.1f}z"


def _draw_wanted(picture: ColumnPicture, layout: _Layout, bottom: float) -> str:
    """The stretches that may match, behind everything; none when all may."""
    if picture.any_matches:
        return ""
    stretches = [(layout.x(band.start), layout.x(band.end)) for band in picture.matching]
    if picture.nulls_match and layout.null is not None:
        stretches.append((layout.null, layout.null + _ZONE))
    if picture.nans_match and layout.nan is not None:
        stretches.append((layout.nan, layout.nan + _ZONE))
    widened = [(left - 1.5, right + 1.5) if right - left < 3 else (left, right) for left, right in stretches]
    return "".join(
        f"<rect class=match x={left:.1f} y={_TOP - 4} width={right - left:.1f} height={bottom - _TOP + 4:.1f} />"
        for left, right in widened
    )


def _axis(picture: ColumnPicture, layout: _Layout, bottom: float) -> str:
    base = bottom + 14
    parts = [f"<line class=base x1={layout.left:g} x2={layout.right:g} y1={bottom:g} y2={bottom:g} />"]
    for zone, label in ((layout.null, "null"), (layout.nan, "NaN")):
        if zone is not None:
            parts.append(f"<line class=base x1={zone:g} x2={zone + _ZONE:g} y1={bottom:g} y2={bottom:g} />")
            parts.append(f"<text class=label x={zone + _ZONE / 2:g} y={base:g} text-anchor=middle>{label}</text>")
    for place, label in _apart(picture.ticks, layout):
        parts.append(f"<line class=tick x1={place:.1f} x2={place:.1f} y1={_TOP - 4} y2={bottom:g} />")
        parts.append(_label("label", place, base, label, layout))
    return "".join(parts)


def _marks(marks: Sequence[Tick], layout: _Layout, bottom: float) -> str:
    """The values that the predicate names: a line each, and as many texts as have room."""
    lines = "".join(f"M{layout.x(place):.1f} {_TOP - 4}V{bottom:.1f}" for place, _ in marks)
    texts = "".join(_label("mark", place, _TOP - 8, label, layout) for place, label in _apart(marks, layout))
    return f"<path class=marks d='{lines}'/>{texts}" if marks else ""


def _label(kind: str, x: float, y: float, label: str, layout: _Layout) -> str:
    return f"<text class={kind} x={_inside(x, label, layout):.1f} y={y:g} text-anchor=middle>{escape(label)}</text>"


def _inside(x: float, label: str, layout: _Layout) -> float:
    """The middle of a text that stays between the ends of the axis."""
    half = len(label) * _LETTER / 2
    return max(min(x, layout.right - half), layout.left + half)


def _apart(ticks: Sequence[Tick], layout: _Layout) -> list[Tick]:
    """The ticks, in pixels, whose texts do not overlap; the first come first."""
    labels: list[Tick] = []
    free = layout.left - 1
    for place, label in ticks:
        half = len(label) * _LETTER / 2
        middle = _inside(layout.x(place), label, layout)
        if middle - half >= free:
            labels.append((layout.x(place), label))
            free = middle + half + 8
    return labels

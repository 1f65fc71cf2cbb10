"""The explanation of a plan as one self-contained HTML page: what each step removed, and ranges against the predicate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from hudi_core.table.picture import Band, ColumnPicture
from hudi_core.table.plan import ALL_MATCH, READ, SKIP, Decision, ScanPlan
from hudi_core.truth import Verdict
from hudi_core.types.text import text as type_text

_WIDTH = 760
_LEFT, _RIGHT = 8, 8
_ROW = 5


@dataclass(frozen=True, slots=True)
class Drawn:
    """What the page shows in detail: some slices with their decisions, and a picture for each column over those slices."""

    decisions: Sequence[Decision]
    pictures: Sequence[ColumnPicture]


def html_page(table: str, where: str, plan: ScanPlan, drawn: Drawn) -> str:
    """The page. Nothing is loaded from elsewhere; hovering a range tells the slice, its range and what decided."""
    total = len(plan.slices)
    kept = total - plan.count(SKIP)
    seconds = sum(step.seconds for step in plan.steps)
    parts = [
        f"<header><p class=kicker>hudi-core explain</p><h1>{escape(table)}</h1>",
        f"<pre class=where>{escape(where)}</pre>",
        "<div class=figures>",
        _figure(f"{total:,}", "file slices"),
        _figure(f"{plan.count(SKIP):,}", "skipped", "skip"),
        _figure(f"{plan.count(READ):,}", "to read", "read"),
        _figure(f"{plan.count(ALL_MATCH):,}", "every row matches", "all"),
        _figure(_duration(seconds), "to decide"),
        "</div></header>",
        "<section><h2>Who removed what</h2>",
        _steps(plan),
        "</section>",
        *(f"<section>{_column(picture, drawn.decisions)}</section>" for picture in drawn.pictures),
        "<section><h2>Slices</h2>",
        _slices(drawn.decisions, total),
        "</section>",
    ]
    if plan.warnings:
        said = "".join(f"<li>{escape(warning)}</li>" for warning in plan.warnings)
        parts.insert(9, f"<section class=warn><h2>Warnings</h2><ul>{said}</ul></section>")
    title = f"{kept:,} of {total:,} slices · {table}"
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{''.join(parts)}"
        f"<div id=tip hidden></div><script>{_SCRIPT}</script></body></html>\n"
    )


def _figure(value: str, label: str, kind: str = "") -> str:
    return f"<div class='figure {kind}'><b>{escape(value)}</b><span>{escape(label)}</span></div>"


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _steps(plan: ScanPlan) -> str:
    """A bar a step: what was left before it, and which part of that it removed."""
    total = max(1, len(plan.slices))
    rows = []
    for step in plan.steps:
        kept_share, removed_share = 100 * step.after / total, 100 * step.removed / total
        note = f"<span class=note>{escape(step.note)}</span>" if step.note else ""
        rows.append(
            f"<tr><th>{escape(step.source)}{note}</th><td class=bar><div class=track>"
            f"<i class=kept style='width:{kept_share:.2f}%'></i><i class=gone style='width:{removed_share:.2f}%'></i></div></td>"
            f"<td class=num>−{step.removed:,}</td><td class=num>{step.after:,} left</td>"
            f"<td class=num>{_duration(step.seconds)}</td></tr>"
        )
    return f"<table class=steps>{''.join(rows)}</table>"


def _column(picture: ColumnPicture, decisions: Sequence[Decision]) -> str:
    """Ranges of one column: slices that are read above, skipped ones below, each sorted by where its range begins."""
    order = sorted(range(len(decisions)), key=lambda number: _place(picture.ranges[number]))
    groups = [
        ("read", [n for n in order if decisions[n].verdict is not Verdict.SKIP]),
        ("skipped", [n for n in order if decisions[n].verdict is Verdict.SKIP]),
    ]
    span = _WIDTH - _LEFT - _RIGHT
    top, marks, heights = 18, [], []
    for label, numbers in groups:
        if not numbers:
            continue
        marks.append(f"<text x={_LEFT} y={top - 5} class=group>{label}: {len(numbers):,}</text>")
        for number in numbers:
            marks.append(_range(picture.ranges[number], decisions[number], number, top, span))
            top += _ROW
        heights.append(top)
        top += 26
    bottom = top - 20
    shade = "".join(
        f"<rect class=match x={_LEFT + band.start * span:.1f} y=0 height={bottom}"
        f" width={max(2.0, (band.end - band.start) * span):.1f}><title>{escape(_wanted(picture.name, band))}</title></rect>"
        for band in picture.matching
    )
    ticks = "".join(
        f"<line class=tick x1={_LEFT + place * span:.1f} x2={_LEFT + place * span:.1f} y1=0 y2={bottom} />"
        f"<text class=label x={_LEFT + place * span:.1f} y={bottom + 14} text-anchor={_anchor(place)}>{escape(said)}</text>"
        for place, said in picture.ticks
    )
    return (
        f"<h2><code>{escape(picture.name)}</code> <small>{escape(type_text(picture.type))}</small></h2>"
        "<p class=legend><i class=swatch-match></i> values that may match <i class='swatch read'></i> read"
        " <i class='swatch all'></i> every row matches <i class='swatch skip'></i> skipped"
        " <i class='swatch unknown'></i> range not known</p>"
        f"<svg viewBox='0 0 {_WIDTH} {bottom + 20}' role=img>{shade}{ticks}{''.join(marks)}</svg>"
    )


def _place(band: Band | None) -> tuple[bool, float, float]:
    return (band is None, band.start if band else 0.0, band.end if band else 0.0)


def _anchor(place: float) -> str:
    return "start" if place < 0.1 else "end" if place > 0.9 else "middle"


def _range(band: Band | None, decision: Decision, number: int, top: int, span: int) -> str:
    kind = _KIND[decision.verdict]
    if band is None:
        return (
            f"<rect class='r {kind} unknown' data-n={number} data-r='range not known'"
            f" x={_LEFT} y={top} width={span} height={_ROW - 2} />"
        )
    said = escape(f"{band.low} … {band.high}" if band.low != band.high else band.low, quote=True)
    return (
        f"<rect class='r {kind}' data-n={number} data-r=\"{said}\" x={_LEFT + band.start * span:.1f} y={top}"
        f" width={max(3.0, (band.end - band.start) * span):.1f} height={_ROW - 2} rx=1.5 />"
    )


def _wanted(name: str, band: Band) -> str:
    if band.low == band.high:
        return f"{name} = {band.low}" if band.low else f"{name}: any value"
    return " and ".join(
        [f"{name} from {band.low}"] * bool(band.low)
        + [f"{'' if band.low else name + ' '}to {band.high}"] * bool(band.high)
    )


def _slices(decisions: Sequence[Decision], total: int) -> str:
    rows = "".join(
        f"<tr data-n={number} class={_KIND[decision.verdict]}><td>{decision.verdict.value.replace('_', ' ')}</td>"
        f"<td>{escape(decision.slice.partition)}</td><td><code>{escape(decision.slice.file_id)}</code></td>"
        f"<td class=by>{escape(decision.by)}</td></tr>"
        for number, decision in enumerate(decisions)
    )
    note = f"<p class=note>{len(decisions):,} of {total:,} slices are shown.</p>" if len(decisions) < total else ""
    head = "<thead><tr><th>verdict<th>partition<th>file id<th>decided by</tr></thead>"
    return f"{note}<table class=slices>{head}<tbody>{rows}</tbody></table>"


_KIND = {Verdict.SKIP: "skip", Verdict.READ: "read", Verdict.ALL_MATCH: "all"}

_STYLE = """
:root{--bg:#fbfbfa;--ink:#1f2428;--soft:#68717a;--line:#e3e5e7;--panel:#fff;--read:#0f7b8a;--all:#2f9e44;--skip:#c3c8cd;
--match:#f5b94140;--warn:#fff4e0}
@media(prefers-color-scheme:dark){:root{--bg:#15181b;--ink:#e6e9eb;--soft:#98a2ab;--line:#2c3237;--panel:#1c2024;
--read:#39b5c6;--all:#5bcf73;--skip:#4a525a;--match:#f5b94133;--warn:#3a2f18}}
*{box-sizing:border-box}body{margin:0 auto;max-width:860px;padding:32px 24px 64px;background:var(--bg);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.kicker{margin:0;color:var(--soft);letter-spacing:.04em}h1{margin:0 0 12px;font-size:28px}
h2{font-size:17px;margin:0 0 8px}h2 small{color:var(--soft);font-weight:400}
.where{margin:0 0 20px;padding:12px 14px;background:var(--panel);border:1px solid var(--line);border-radius:8px;
white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
.figures{display:flex;flex-wrap:wrap;gap:12px}.figure{flex:1 1 120px;padding:12px 14px;background:var(--panel);
border:1px solid var(--line);border-radius:8px;border-top:3px solid var(--line)}
.figure b{display:block;font-size:22px;font-variant-numeric:tabular-nums}.figure span{color:var(--soft);font-size:13px}
.figure.read{border-top-color:var(--read)}.figure.all{border-top-color:var(--all)}.figure.skip{border-top-color:var(--skip)}
section{margin-top:28px;padding:18px 18px 14px;background:var(--panel);border:1px solid var(--line);border-radius:10px}
section.warn{background:var(--warn)}table{width:100%;border-collapse:collapse}
.steps th{text-align:left;font-weight:600;width:190px;padding:7px 0}.note{display:block;color:var(--soft);font-size:12px;
font-weight:400;margin:0}.bar{width:45%}.track{display:flex;height:16px;border-radius:4px;overflow:hidden;background:var(--bg)}
.track .kept{background:var(--read)}
.track .gone{background:repeating-linear-gradient(135deg,var(--skip) 0 4px,transparent 4px 7px)}
.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;padding-left:12px}
.legend{margin:0 0 8px;color:var(--soft);font-size:13px}.legend i{display:inline-block;width:14px;height:8px;border-radius:2px;
margin:0 4px 0 10px}.legend i:first-child{margin-left:0}.swatch-match{background:var(--match);outline:1px solid #f5b941}
.swatch.read{background:var(--read)}.swatch.all{background:var(--all)}.swatch.skip{background:var(--skip)}
.swatch.unknown{border:1px dashed var(--soft)}
svg{display:block;width:100%;height:auto;overflow:visible}.match{fill:var(--match)}.tick{stroke:var(--line)}
.label{font-size:10.5px;fill:var(--soft)}.group{font-size:11px;fill:var(--soft);font-weight:600}
.r{cursor:pointer}.r.read{fill:var(--read)}.r.all{fill:var(--all)}.r.skip{fill:var(--skip)}
.r.unknown{fill:transparent;stroke:var(--soft);stroke-dasharray:2 3;stroke-width:.6}.r:hover,.r.on{fill:#e8590c;stroke:#e8590c}
.slices{font-size:13px}.slices th{text-align:left;color:var(--soft);font-weight:500;position:sticky;top:0;background:var(--panel)}
.slices td,.slices th{padding:4px 8px 4px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
.slices code{font-size:12px}.slices tr.read td:first-child{color:var(--read)}.slices tr.all td:first-child{color:var(--all)}
.slices tr.skip td:first-child{color:var(--soft)}
#tip{position:fixed;z-index:9;max-width:420px;padding:8px 10px;background:var(--ink);color:var(--bg);border-radius:6px;
font-size:12.5px;line-height:1.45;pointer-events:none;overflow-wrap:anywhere}#tip b{display:block}
"""

_SCRIPT = """
const tip=document.getElementById('tip'),rows=[...document.querySelectorAll('.slices tbody tr')];
const line=(tag,said)=>{const e=document.createElement(tag);e.textContent=said;return e};
document.querySelectorAll('.r').forEach(r=>{
  r.addEventListener('mousemove',e=>{
    const c=rows[r.dataset.n].cells;
    tip.replaceChildren(line('b',c[0].textContent+(c[1].textContent?' · '+c[1].textContent:'')),
      line('div',r.dataset.r),line('div',c[3].textContent),line('div',c[2].textContent));
    tip.hidden=false;
    tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-8)+'px';
    tip.style.top=Math.min(e.clientY+14,innerHeight-tip.offsetHeight-8)+'px';
    document.querySelectorAll('.on').forEach(o=>o.classList.remove('on'));
    document.querySelectorAll(`.r[data-n="${r.dataset.n}"]`).forEach(o=>o.classList.add('on'));
  });
  r.addEventListener('mouseleave',()=>{tip.hidden=true;document.querySelectorAll('.on').forEach(o=>o.classList.remove('on'))});
});
"""

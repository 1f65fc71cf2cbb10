"""The explanation of a plan as one self-contained HTML page: how many are left, who removed what, where the values lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from hudi_core.cli.explain.drawing import KINDS, column_svg, may_match
from hudi_core.cli.explain.picture import ColumnPicture
from hudi_core.cli.words import duration, share, shorten, size
from hudi_core.planning.plan import ALL_MATCH, READ, SKIP, VERDICTS, Decision, ScanPlan
from hudi_core.truth import Verdict
from hudi_core.types.text import text as type_text

_LONGEST_REASON = 70
_LONGEST_PREDICATE = 2_000
_NAMES = {"read": "read", "all": "every row matches", "skip": "skipped"}
_DOUBT = (
    "<p class=soft>A slice is in doubt when recorded statistics are missing or incomplete for a condition: they do not say "
    "whether its rows can match, so its footer is read.</p>"
)
_LEGEND = (
    ("match", "values that may match"),
    ("read", "read"),
    ("all", "read, every row matches"),
    ("skip", "skipped"),
    ("unknown", "bounds not known: any value is possible"),
)


@dataclass(frozen=True, slots=True)
class Reason:
    """What decided (the source and the condition) that slices have a verdict, and how many they are."""

    text: str
    verdict: Verdict
    count: int


@dataclass(frozen=True, slots=True)
class Explained:
    """What the page is about. `drawn` are some of the plan's slices, to which the pictures belong."""

    table: str
    uri: str
    where: str
    plan: ScanPlan
    alone: Sequence[tuple[str, int]]
    """For each part of the predicate's AND, how many slices it skips by itself."""
    reasons: Sequence[Reason]
    drawn: Sequence[Decision]
    pictures: Sequence[ColumnPicture]
    prediction: str | None = None
    """What a clustering predicted, beside what it is."""


def html_page(explained: Explained) -> str:
    """The page. It loads nothing; hovering a range, or the arrow keys, show the slice, its ranges and the deciding source."""
    style, script = ((files("hudi_core.cli.explain") / name).read_text("utf-8") for name in ("page.css", "page.js"))
    kept, total = len(explained.plan.slices) - explained.plan.count(SKIP), len(explained.plan.slices)
    sections = [
        _warnings(explained.plan),
        f"<section><h2>Who removed what</h2>{_steps(explained.plan)}</section>",
        _conditions(explained),
        _reasons(explained),
        _values(explained),
        f"<section><h2>File slices</h2>{_slices(explained)}</section>",
    ]
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width,initial-scale=1">'
        f"<title>{kept:,} of {total:,} · {escape(explained.table)}</title><style>{style}</style></head><body>"
        f"{_header(explained)}<main>{''.join(sections)}</main>"
        f"<div id=tip role=status hidden></div><script>{script}</script></body></html>\n"
    )


def _header(explained: Explained) -> str:
    plan, total = explained.plan, len(explained.plan.slices)
    counts = {"read": plan.count(READ), "all": plan.count(ALL_MATCH), "skip": plan.count(SKIP)}
    sizes = _sizes(plan)
    kept = total - counts["skip"]
    parts = "".join(f"<i class={kind} style='flex:{count}'></i>" for kind, count in counts.items() if count)
    figures = "".join(
        f"<li><i class='key {kind}'></i><b>{count:,}</b> {_NAMES[kind]} "
        f"<span class=soft>{share(count, total)}, {size(sizes[kind])}</span></li>"
        for kind, count in counts.items()
    )
    bytes_all = sum(sizes.values())
    bytes_kept = bytes_all - sizes["skip"]
    seconds = sum(step.seconds for step in plan.steps)
    label = ", ".join(f"{count:,} {_NAMES[kind]}" for kind, count in counts.items())
    prediction = "" if explained.prediction is None else f"<p class=soft>{escape(explained.prediction)}</p>"
    return (
        f"<header><p class=kicker>hudi-core explain · <b>{escape(explained.table)}</b> · {escape(explained.uri)}</p>"
        f"<h1><b>{kept:,}</b> of {total:,} file slices can hold matching rows</h1>"
        f"<pre class=where><code>{escape(shorten(explained.where, _LONGEST_PREDICATE))}</code></pre>"
        f"<div class=whole role=img aria-label='{label}'>{parts}</div><ul class=figures>{figures}"
        f"<li><b>{size(bytes_kept)}</b> of {size(bytes_all)} to read</li>"
        f"<li><b>{duration(seconds)}</b> to decide</li></ul>{prediction}</header>"
    )


def _sizes(plan: ScanPlan) -> dict[str, int]:
    """The bytes of the slices of each verdict."""
    sizes = dict.fromkeys(_NAMES, 0)
    for code, file_slice in zip(plan.codes.tolist(), plan.slices, strict=True):
        sizes[KINDS[VERDICTS[code]]] += sum(file.size for file in file_slice.files)
    return sizes


def _warnings(plan: ScanPlan) -> str:
    items = "".join(f"<li>{escape(warning)}</li>" for warning in plan.warnings)
    return f"<section class=warn><h2>Warnings</h2><ul>{items}</ul></section>" if items else ""


def _steps(plan: ScanPlan) -> str:
    """A bar for each step: the slices that it was given, and the part of them that it removed."""
    total = max(1, len(plan.slices))
    rows = "".join(
        f"<tr><th scope=row>{escape(step.source)}{_note(step.note)}</th><td class=bar><div class=track>"
        f"<i class=kept style='width:{100 * step.after / total:.2f}%'></i>"
        f"<i class=gone style='width:{100 * step.removed / total:.2f}%'></i></div></td>"
        f"<td class=num>{f'−{step.removed:,}' if step.removed else '0'}</td><td class=num>{step.after:,} left</td>"
        f"<td class=num>{duration(step.seconds)}</td></tr>"
        for step in plan.steps
    )
    if not rows:
        return "<p class=soft>There is no predicate.</p>"
    doubt = any("in doubt" in step.note for step in plan.steps)
    return f"<table class=bars>{rows}</table>{_DOUBT if doubt else ''}"


def _note(note: str) -> str:
    return f"<span class=note>{escape(note)}</span>" if note else ""


def _conditions(explained: Explained) -> str:
    """What each condition would do alone; of no interest when there is but one."""
    if len(explained.alone) < 2:
        return ""
    rows = [(f"<code>{escape(shorten(condition))}</code>", count, "skip") for condition, count in explained.alone]
    return _show_count(
        "Each condition by itself", "slices it would skip without the others", rows, len(explained.plan.slices)
    )


def _reasons(explained: Explained) -> str:
    """What decided about how many; of no interest when it is one thing."""
    rows = [
        (
            f"{escape(source)}<span class=note><code>{escape(shorten(condition))}</code></span>",
            reason.count,
            KINDS[reason.verdict],
        )
        for reason in explained.reasons
        for source, _, condition in (reason.text.partition(": "),)
    ]
    return (
        _show_count("What decided", "about how many slices", rows, len(explained.plan.slices)) if len(rows) > 1 else ""
    )


def _show_count(title: str, what: str, rows: Sequence[tuple[str, int, str]], total: int) -> str:
    bars = "".join(
        f"<tr><th scope=row>{head}</th><td class=bar><div class=track>"
        f"<i class='{'gone' if kind == 'skip' else kind}' style='width:{100 * count / max(1, total):.2f}%'></i></div></td>"
        f"<td class=num>{count:,}</td><td class=num>{share(count, total)}</td></tr>"
        for head, count, kind in rows
    )
    return f"<section><h2>{title} <small class=soft>{what}</small></h2><table class=bars>{bars}</table></section>"


def _values(explained: Explained) -> str:
    """A picture for each column."""
    if not explained.pictures or not explained.drawn:
        return ""
    verdicts = [decision.verdict for decision in explained.drawn]
    figures = "".join(
        f"<h3><code>{escape(picture.name)}</code> <small>{escape(type_text(picture.type))}"
        f"{'' if picture.to_scale else ', values in order, not to scale'}</small></h3>"
        f"<p class=may>May match: <b>{escape(may_match(picture))}</b></p>"
        f"<div class=picture tabindex=0>{column_svg(picture, verdicts)}</div>"
        for picture in explained.pictures
    )
    legend = "".join(f"<span><i class='key {kind}'></i>{label}</span>" for kind, label in _LEGEND)
    return (
        f"<section><h2>Where the values lie</h2><p class=legend>{legend}</p>{_how_many(explained)}{figures}</section>"
    )


def _how_many(explained: Explained) -> str:
    if len(explained.drawn) == len(explained.plan.slices):
        return ""
    return f"<p class=soft>{len(explained.drawn):,} of {len(explained.plan.slices):,} slices are shown, those to read first.</p>"


def _slices(explained: Explained) -> str:
    logs = ["log files"] if any(decision.slice.logs for decision in explained.drawn) else []
    heads = [
        "verdict",
        "partition",
        "file id",
        "decided by",
        "size",
        *logs,
        *(picture.name for picture in explained.pictures),
    ]
    rows = "".join(
        _slice(number, decision, explained.pictures, bool(logs)) for number, decision in enumerate(explained.drawn)
    )
    present = {KINDS[decision.verdict] for decision in explained.drawn}
    choices = [("", "all"), *((kind, _NAMES[kind]) for kind in _NAMES if kind in present)]
    buttons = "".join(
        f"<button type=button data-kind='{kind}' aria-pressed={'false' if kind else 'true'}>{label}</button>"
        for kind, label in choices
    )
    headings = "".join(f"<th scope=col><button type=button>{escape(heading)}</button></th>" for heading in heads)
    return (
        f"{_how_many(explained)}<div class=tools>{buttons}"
        "<input type=search placeholder='partition, file id, reason …' aria-label='Show rows with this text'></div>"
        f"<div class=scroll tabindex=0><table class=slices><thead><tr>{headings}"
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _slice(number: int, decision: Decision, pictures: Sequence[ColumnPicture], with_logs: bool) -> str:
    kind, file_slice = KINDS[decision.verdict], decision.slice
    cells = [
        f"<td><i class='dot {kind}'></i>{_NAMES[kind]}</td>",
        f"<td class=wrap>{escape(file_slice.partition)}</td>",
        f"<td><code>{escape(file_slice.file_id)}</code></td>",
        _reason(decision.by),
        f"<td>{size(sum(file.size for file in file_slice.files))}</td>",
        *([f"<td>{len(file_slice.logs) or ''}</td>"] if with_logs else []),
        *_ranges(number, pictures),
    ]
    return f"<tr class={kind}>{''.join(cells)}</tr>"


def _reason(by: str) -> str:
    if len(by) <= _LONGEST_REASON:
        return f"<td class=wrap>{escape(by)}</td>"
    whole = escape(shorten(by, _LONGEST_PREDICATE), quote=True)
    return f'<td class=wrap title="{whole}">{escape(by[: _LONGEST_REASON - 1])}…</td>'


def _ranges(number: int, pictures: Sequence[ColumnPicture]) -> Iterator[str]:
    for picture in pictures:
        drawn = picture.ranges[number]
        yield f"<td>{escape(drawn.label) if drawn else 'not known'}</td>"

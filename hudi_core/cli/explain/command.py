"""`explain`: how many slices each step removed, in what time, which slices are left, and why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from hudi_core.cli.explain.page import Explained, Reason, html_page
from hudi_core.cli.explain.picture import column_picture
from hudi_core.cli.options import (
    AsOfOption,
    CaseOption,
    EngineOption,
    FooterCacheOption,
    FooterCacheSize,
    JsonOption,
    MetadataOption,
    RequiredWhere,
    TableArgument,
    free_page,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output, say, write_file
from hudi_core.cli.predicates import conjunction
from hudi_core.cli.progress import plan_watched
from hudi_core.cli.words import duration, format_count, share, shorten, size, traffic
from hudi_core.cluster.predictions import predictions
from hudi_core.planning.plan import ALL_MATCH, READ, SKIP, VERDICTS, ScanPlan
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table

MOST_DRAWN = 1_000
"""Slices that are drawn one by one: those that are read first, then skipped ones."""
_BAR = 16


def explain(
    table: TableArgument,
    where: RequiredWhere,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with pictures to this file.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="With --html: replace a file that exists.")] = False,
    as_of: AsOfOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    case_sensitive: CaseOption = False,
    footer_cache: FooterCacheOption = None,
    footer_cache_mib: FooterCacheSize = None,
    as_json: JsonOption = False,
) -> None:
    """Explain which file slices a predicate leaves, which step removed the others, and in what time."""
    target = free_page(html, overwrite=overwrite)
    opened_table = open_from_options(table, engine, metadata, case_sensitive, footer_cache, footer_cache_mib)
    predicate = conjunction(where) or ""
    scan = opened_table.scan(where=predicate, as_of=as_of)
    plan_watched(scan)
    if target is not None:  # first: whoever reads standard output may soon have seen enough
        write_page(target, opened_table, predicate, scan)
        say(f"wrote {target}")
    show(Output(as_json), predicate, scan)
    warn([*opened_table.warnings, *scan.plan.warnings])


def show(out: Output, where: str, scan: Scan) -> None:
    """What became of the slices and who removed them; in JSON an object for each step, condition and reason, then the total."""
    plan, alone, storage = scan.plan, scan.conjuncts(), scan.sources.snapshot.storage
    beside = prediction(where, scan)
    if out.as_json:
        if storage.is_remote:
            out.line({"kind": "storage", **asdict(storage.traffic)})
        out.rows((), ({"kind": "step", **step} for step in _steps(plan)))
        out.rows((), ({"kind": "condition", **condition} for condition in alone))
        out.rows((), ({"kind": "reason", **_reason(reason)} for reason in reasons(plan)))
        if beside is not None:
            out.line({"kind": "prediction", **beside})
        out.line({"kind": "total", **_totals(plan)})
        return
    totals = _totals(plan)
    kept, total = totals["file_slices"] - totals["skip"], totals["file_slices"]
    out.text(shorten(where))
    out.text()
    out.heading(f"{kept:,} of {format_count(total, 'file slice')} can hold matching rows")
    whole = f"; in {totals['all_match']:,} of them every row matches" if totals["all_match"] else ""
    out.text(
        f"{totals['skip']:,} skipped ({share(totals['skip'], total)}), {kept:,} to read, "
        f"{size(totals['bytes_to_read'])} of {size(totals['bytes'])}{whole}; decided in {duration(totals['ms'] / 1e3)}"
    )
    if storage.is_remote:
        out.text(traffic(storage.traffic))
    if beside is not None:
        out.text(describe_prediction(beside))
    out.text()
    columns = ("step", "before", "removed", "left", "time", "", "note")
    out.rows(
        columns,
        (_show(step, total) for step in _steps(plan)),
        title="Who removed what",
        folded=("note",),
        below=("note",),
    )
    if len(alone) > 1:
        out.text()
        conditions = ({**entry, "condition": shorten(entry["condition"])} for entry in alone)
        out.rows(("would_skip_alone", "condition"), conditions, title="Each condition by itself", folded=("condition",))
    why = reasons(plan)
    if why:
        out.text()
        shown = (
            {**_reason(reason), "by": shorten(reason.text), "verdict": reason.verdict.value.replace("_", " ")}
            for reason in why
        )
        out.rows(("file_slices", "verdict", "by"), shown, title="What decided", folded=("by",))


def prediction(where: str, scan: Scan) -> dict[str, Any] | None:
    """The prediction of a clustering for the query, beside the slices it keeps; None where none did."""
    (known,) = predictions(scan.sources.snapshot.timeline, [where])
    if known is None:
        return None
    return known.beside(len(scan.plan.slices) - scan.plan.count(SKIP), len(scan.plan.slices))


def describe_prediction(beside: dict[str, Any]) -> str:
    """The prediction beside the truth in a line."""
    before, predicted, actual = (
        f"{beside[kept]:,} of {beside[slices]:,}"
        for kept, slices in (
            ("kept_before", "slices_before"),
            ("kept_predicted", "slices_predicted"),
            ("kept", "slices"),
        )
    )
    since = f" ({format_count(beside['commits_since'], 'commit')} since)" if beside["commits_since"] else ""
    return f"clustering {beside['instant']} predicted {predicted}, from {before}; it is {actual}{since}"


def reasons(plan: ScanPlan) -> list[Reason]:
    """The deciding sources, each with its number of slices; most first."""
    why = plan.reasons
    numbers, firsts, counts = np.unique(why.text_of_slice, return_index=True, return_counts=True)
    listed = [
        Reason(why.texts[number], VERDICTS[plan.codes[first]], count)
        for number, first, count in zip(numbers.tolist(), firsts.tolist(), counts.tolist(), strict=True)
        if why.texts[number]
    ]
    return sorted(listed, key=lambda reason: -reason.count)


def write_page(path: Path, table: Table, where: str, scan: Scan) -> None:
    """The page with pictures, of at most `MOST_DRAWN` slices. Raises `StorageError` when it cannot be written."""
    plan = scan.plan
    numbers = np.argsort(plan.codes == SKIP, kind="stable")[:MOST_DRAWN].tolist()
    alone = [(conjunct["condition"], conjunct["would_skip_alone"]) for conjunct in scan.conjuncts()]
    drawn = [plan.decision(number) for number in numbers]
    pictures = [column_picture(column, scan.predicate, ranges) for column, ranges in scan.column_ranges(numbers)]
    beside = prediction(where, scan)
    note = None if beside is None else describe_prediction(beside)
    page = html_page(
        Explained(table.config.name, table.storage.uri, where, plan, alone, reasons(plan), drawn, pictures, note)
    )
    write_file(path, page)


def _reason(reason: Reason) -> dict[str, Any]:
    return {"verdict": reason.verdict.value, "by": reason.text, "file_slices": reason.count}


def _steps(plan: ScanPlan) -> list[dict[str, Any]]:
    return [
        {
            "step": step.source,
            "before": step.before,
            "removed": step.removed,
            "left": step.after,
            "ms": round(step.seconds * 1e3, 3),
            "note": step.note or None,
        }
        for step in plan.steps
    ]


def _show(step: dict[str, Any], total: int) -> dict[str, Any]:
    """The step with its time in words and a bar: what it left, and what it removed."""
    left, removed = (round(_BAR * step[key] / max(total, 1)) for key in ("left", "removed"))
    return {**step, "time": duration(step["ms"] / 1e3), "": "█" * left + "░" * removed}


def _totals(plan: ScanPlan) -> dict[str, Any]:
    return {
        "file_slices": len(plan.slices),
        "skip": plan.count(SKIP),
        "read": plan.count(READ),
        "all_match": plan.count(ALL_MATCH),
        "bytes": sum(file.size for file_slice in plan.slices for file in file_slice.files),
        "bytes_to_read": sum(file.size for file_slice in plan.kept() for file in file_slice.files),
        "ms": round(sum(step.seconds for step in plan.steps) * 1e3, 3),
    }

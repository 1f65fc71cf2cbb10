"""`explain`: how many slices each step removed, in what time, which slices are left, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hudi_core.cli.options import (
    DEFAULT_ENGINE,
    AsOfOption,
    CaseOption,
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    local_path,
    opened,
    warn,
)
from hudi_core.cli.output import Output
from hudi_core.cli.page import Drawn, html_page
from hudi_core.table.plan import ALL_MATCH, READ, SKIP, ScanPlan
from hudi_core.table.scan import Scan
from hudi_core.table.snapshot import MetadataMode

MOST_DRAWN = 1_000
"""Slices drawn one by one: those that are read first, then skipped ones."""


def explain(
    table: TableArgument,
    where: Annotated[str, typer.Option("--where", metavar="SQL", help="A predicate, as in a WHERE clause.")],
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures.")] = None,
    as_of: AsOfOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    case_sensitive: CaseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Explain which file slices a predicate leaves, which step removed the others, and in what time."""
    found = opened(table, engine, metadata, case_sensitive)
    scan = found.scan(where=where, as_of=as_of)
    out = Output(as_json)
    show(out, scan)
    if html is not None:
        write_page(local_path(html), found.config.name, where, scan)
        out.text(f"wrote {html}")
    warn([*found.warnings, *scan.plan.warnings])


def show(out: Output, scan: Scan) -> None:
    """The steps as a table and the totals as a line; in JSON one object a step, then one with the totals."""
    plan = scan.plan
    if out.as_json:
        for step in steps(plan):
            out.line({"kind": "step", **step})
        for conjunct in scan.conjuncts():
            out.line({"kind": "condition", **conjunct})
        out.line({"kind": "total", **totals(plan)})
        return
    out.rows(
        ("step", "before", "removed", "left", "time", "note"), ({**s, "time": f"{s['ms']:.2f} ms"} for s in steps(plan))
    )
    conjuncts = scan.conjuncts()
    if len(conjuncts) > 1:
        out.text("")
        out.rows(("condition", "would_skip_alone"), conjuncts)
    said = totals(plan)
    out.text(
        f"\n{said['file_slices']:,} file slices: {said['skip']:,} skipped, {said['read']:,} to read, "
        f"{said['all_match']:,} of which every row matches; {said['ms']:.2f} ms"
    )


def steps(plan: ScanPlan) -> list[dict[str, Any]]:
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


def totals(plan: ScanPlan) -> dict[str, Any]:
    return {
        "file_slices": len(plan.slices),
        "skip": plan.count(SKIP),
        "read": plan.count(READ),
        "all_match": plan.count(ALL_MATCH),
        "ms": round(sum(step.seconds for step in plan.steps) * 1e3, 3),
    }


def write_page(path: Path, name: str, where: str, scan: Scan) -> None:
    """The page with pictures, of at most `MOST_DRAWN` slices; those that are read come first."""
    plan = scan.plan
    numbers = sorted(range(len(plan.slices)), key=lambda number: plan.codes[number] == SKIP)[:MOST_DRAWN]
    decisions = [plan.decision(number) for number in numbers]
    path.write_text(html_page(name, where, plan, Drawn(decisions, scan.pictures(numbers))), "utf-8")

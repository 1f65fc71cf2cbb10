"""`validate`: the consistency of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from hudi_core.cli.options import EngineOption, JsonOption, TableArgument, opened, warn
from hudi_core.cli.output import Output
from hudi_core.cli.words import counted
from hudi_core.schema.names import name_list
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.table import Table
from hudi_core.validation.findings import Finding, Severity
from hudi_core.validation.mend import Mended
from hudi_core.validation.mend import mend as mend_table
from hudi_core.validation.validate import CHECKS
from hudi_core.validation.validate import validate as findings_of


def validate(
    table: TableArgument,
    only: Annotated[
        str | None, typer.Option("--only", metavar="CHECK,...", help=f"Some checks of {', '.join(CHECKS)}.")
    ] = None,
    mend: Annotated[
        bool, typer.Option("--mend", help="Rebuild damaged indexes and remove leftovers, then validate again.")
    ] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Check the consistency of a table: properties, timeline, sizes, footers, statistics, filters, record index.

    Each finding has the place, what was expected, what was found and how to mend it. All data files are read, unless --only names
    checks without them. Exit status 1 for an error or a warning; information alone is none.
    """
    opened_table = opened(table, engine, MetadataMode.AUTO)
    names = None if only is None else name_list(only)
    out = Output(as_json)
    if mend:
        mended = mend_table(opened_table, findings_of(opened_table, names))
        _show_mended(out, mended)
        opened_table = mended.table
    worst = _show(out, opened_table, names)
    warn(opened_table.warnings)
    if worst:
        raise typer.Exit(1)


def _show(out: Output, table: Table, names: Sequence[str] | None) -> bool:
    """Shows the findings; returns whether there was an error or a warning."""
    counts = dict.fromkeys(Severity, 0)
    shown: list[dict[str, Any]] = []
    for finding in findings_of(table, names):
        counts[finding.severity] += 1
        if out.as_json:
            out.line(_record(finding))
        else:
            shown.append(_record(finding))
    if shown:
        columns = ("severity", "check", "where", "expected", "found", "mending")
        out.rows(columns, shown, folded=("where", "expected", "found", "mending"))
        out.text()
    numbers = [counted(count, severity.value, _PLURALS[severity]) for severity, count in counts.items() if count]
    out.text(", ".join(numbers) or "no findings")
    return counts[Severity.ERROR] + counts[Severity.WARNING] > 0


_PLURALS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "info"}


def _record(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity.value,
        "check": finding.check,
        "where": finding.where,
        "expected": finding.expected,
        "found": finding.found,
        "mending": finding.mending.words,
    }


def _show_mended(out: Output, mended: Mended) -> None:
    if out.as_json:
        listed = {"removed": mended.removed, "rebuilt": mended.rebuilt, "forgotten": mended.forgotten}
        out.line({name: list(of_kind) for name, of_kind in listed.items()})
        return
    for path in mended.removed:
        out.text(f"removed {path}")
    for name in mended.forgotten:
        out.text(f"removed the definition of {name}")
    if mended.rebuilt:
        out.text(f"rebuilt: {', '.join(mended.rebuilt)}")
    if mended.removed or mended.rebuilt or mended.forgotten:
        out.text()

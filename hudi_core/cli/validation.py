"""`validate`: the consistency of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from hudi_core.cli.arguments import split_names
from hudi_core.cli.options import JsonOption, TableArgument, TasksOption, open_from_options, warn
from hudi_core.cli.output import Output
from hudi_core.cli.progress import task_progress
from hudi_core.cli.words import format_count
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.table import Table
from hudi_core.validation.findings import Finding, Severity
from hudi_core.validation.mend import Mended
from hudi_core.validation.mend import mend as mend_table
from hudi_core.validation.validate import list_checks
from hudi_core.validation.validate import validate as findings_of


def validate(
    table: TableArgument,
    only: Annotated[
        str | None, typer.Option("--only", metavar="CHECK,...", help=f"Some checks of {', '.join(list_checks())}.")
    ] = None,
    mend: Annotated[
        bool, typer.Option("--mend", help="Rebuild damaged indexes and remove leftovers, then validate again.")
    ] = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="Show each finding by itself; without it, findings of a kind are shown together."),
    ] = False,
    engine: TasksOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Check the consistency of a table: properties, timeline, sizes, footers, statistics, filters, record index.

    Each finding has the place, what was expected, what was found and how to mend it. All data files are read, unless --only names
    checks that need none. The exit status is 1 if there is an error or a warning.
    """
    opened_table = open_from_options(table, engine, MetadataMode.AUTO)
    names = split_names("--only", only)
    out = Output(as_json)
    if mend:
        mended = mend_table(opened_table, findings_of(opened_table, names))
        _show_mended(out, mended)
        opened_table = mended.table
    worst = _show(out, opened_table, names, every=every)
    warn(opened_table.warnings)
    if worst:
        raise typer.Exit(1)


def _show(out: Output, table: Table, names: Sequence[str] | None, *, every: bool) -> bool:
    """Shows the findings, people those of a kind together unless they want every one; returns whether there was an error or a
    warning."""
    counts = dict.fromkeys(Severity, 0)
    kinds: dict[_Kind, list[Finding]] = {}
    with task_progress("files") as report:
        for finding in findings_of(table, names, progress=None if out.as_json else report):
            counts[finding.severity] += 1
            if out.as_json:
                out.line(finding.as_record())
            else:
                kinds.setdefault(_kind(finding, counts, every=every), []).append(finding)
    for alike in kinds.values():
        _show_kind(out, alike)
    numbers = [format_count(count, severity.value, _PLURALS[severity]) for severity, count in counts.items() if count]
    more = "; --all shows each" if any(len(alike) > _SHOWN for alike in kinds.values()) else ""
    out.text((", ".join(numbers) or "no findings") + more)
    return counts[Severity.ERROR] + counts[Severity.WARNING] > 0


def _kind(finding: Finding, counts: Mapping[Severity, int], *, every: bool) -> _Kind:
    """What findings of a kind have in common: all but the place and the values. With `every`, each is a kind of its own."""
    number = sum(counts.values()) if every else 0
    words = (_VALUES.sub("", text) for text in (finding.expected, finding.found, finding.mending.words))
    return (finding.severity, finding.check, *words, number)


def _show_kind(out: Output, alike: Sequence[Finding]) -> None:
    """The findings of a kind: how many, the places of the first ones, and what the first is about."""
    first = alike[0]
    many = f": {len(alike):,} alike" if len(alike) > 1 else ""
    out.text(f"{first.severity.value} {first.check}{many}", _COLOURS[first.severity])
    places = [finding.where for finding in alike[:_SHOWN]]
    more = len(alike) - len(places)
    shown = {"where": places[0], "expected": first.expected, "found": first.found}
    if len(alike) > 1:
        shown["also at"] = ", ".join([*places[1:], *([f"and {more:,} more"] if more else [])])
    out.record({**shown, "mending": first.mending.words})
    out.text()


_SHOWN = 3
"""Places of findings of a kind that people are shown."""
_VALUES = re.compile(r"\S*\d\S*|'[^']*'")
"""Parts of a finding's texts that differ among findings of a kind: numbers, names with digits, quoted values."""
_COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold"}
_Kind = tuple[Any, ...]
_PLURALS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "info"}


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

"""`archive`: old instants leave the active timeline for the history."""

from __future__ import annotations

from typing import Annotated

import typer

from hudi_core.cli.options import EngineOption, JsonOption, TableArgument, open_from_options, warn
from hudi_core.cli.output import Output
from hudi_core.cli.progress import task_progress
from hudi_core.cli.stated import ServiceOption, service_properties
from hudi_core.cli.words import format_count
from hudi_core.services.archiving.operations import archive as run_archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.archiving.result import ArchiveResult
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE

_COLUMNS = ("timeline", "requested_time", "completion_time", "action")


def archive(
    table: TableArgument,
    keep_min: Annotated[
        int | None, typer.Option("--keep-min", metavar="N", min=1, help="How many completed writes stay active.")
    ] = None,
    keep_max: Annotated[
        int | None,
        typer.Option(
            "--keep-max", metavar="N", min=1, help="Archive nothing until there are more completed writes than this."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the instants; change nothing.")] = False,
    option: ServiceOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Take old instants off the active timeline and put them into the history; queries answer as before."""
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    with task_progress("instants") as report:
        properties = service_properties(option)
        options = ArchiveOptions(keep_min, keep_max, dry_run=dry_run, properties=properties, progress=report)
        done = run_archive(opened_table, options)
    if dry_run:
        _show(out, done)
    else:
        out.record(done.as_dict())
    warn(opened_table.warnings)


def _show(out: Output, foreseen: ArchiveResult) -> None:
    """For programs one object an instant; for people a table of them, and what stays."""
    rows = [instant.as_dict() for instant in foreseen.planned]
    if out.as_json:
        out.rows((), rows)
        return
    if rows:
        out.rows(_COLUMNS, rows)
    out.text(f"\n{format_count(len(rows), 'instant')} to archive")
    if foreseen.first_kept is not None:
        out.text(f"the active timeline begins with {foreseen.first_kept}")
    if foreseen.held_by is not None:
        out.text(f"more stay: {foreseen.held_by}")

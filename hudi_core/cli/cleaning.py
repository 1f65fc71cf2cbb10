"""`clean`: old files that no query of a kept state needs are deleted."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hudi_core.cli.options import JsonOption, TableArgument, TasksOption, open_from_options, warn
from hudi_core.cli.output import Output
from hudi_core.cli.progress import task_progress
from hudi_core.cli.stated import ServiceOption, service_properties
from hudi_core.cli.words import format_count, size
from hudi_core.errors import UsageError
from hudi_core.services.cleaning.operations import clean as run_clean
from hudi_core.services.cleaning.operations import run_requested
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.cleaning.result import CleanResult
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE

_COLUMNS = ("partition", "file", "instant", "bytes", "reason")


def clean(
    table: TableArgument,
    keep_commits: Annotated[
        int | None, typer.Option("--keep-commits", metavar="N", min=1, help="Keep every state since the last N writes.")
    ] = None,
    keep_versions: Annotated[
        int | None, typer.Option("--keep-versions", metavar="N", min=1, help="Keep N versions of each file group.")
    ] = None,
    keep_hours: Annotated[
        int | None,
        typer.Option(
            "--keep-hours", metavar="N", min=1, help="Keep every state since the first write of the last N hours."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the files, and which write made each; delete nothing.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Look at all partitions, not only those written to since the last clean.")
    ] = False,
    run: Annotated[
        str | None, typer.Option("--run", metavar="INSTANT", help="Run a plan that waits, also one of Apache Hudi.")
    ] = None,
    option: ServiceOption = None,
    engine: TasksOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Delete old files that no query of a kept state needs. Without a number to keep, the table's properties decide."""
    if run is not None and (
        dry_run or full or any(number is not None for number in (keep_commits, keep_versions, keep_hours))
    ):
        raise UsageError(
            "clean", expected="--run without other options, since its plan lists the files", found="other options"
        )
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    with task_progress("files") as report:
        options = CleanOptions(
            keep_commits,
            keep_versions,
            keep_hours,
            full=full,
            dry_run=dry_run,
            properties=service_properties(option),
            progress=report,
        )
        done = run_clean(opened_table, options) if run is None else run_requested(opened_table, run, options)
    if dry_run:
        _show(out, done)
    else:
        out.record(done.as_dict())
    warn(opened_table.warnings)


def _show(out: Output, foreseen: CleanResult) -> None:
    """For programs one object a file; for people a table of them, and what stays."""
    rows: list[dict[str, Any]] = [file.as_dict() for file in foreseen.planned]
    if out.as_json:
        out.rows((), rows)
        return
    if rows:
        out.rows(_COLUMNS, rows, folded=("file",))
    out.text(f"\n{format_count(foreseen.files, 'file')} to delete, {size(foreseen.bytes)}")
    for partition in foreseen.partitions_deleted:
        out.text(f"partition {partition} is left empty, and goes")
    if foreseen.earliest_retained is not None:
        out.text(f"every state since {foreseen.earliest_retained} stays readable")

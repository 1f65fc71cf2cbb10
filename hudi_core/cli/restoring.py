"""`savepoint` and `restore`: states of a table that are kept, and gone back to."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hudi_core.cli.options import EngineOption, JsonOption, TableArgument, open_from_options, warn
from hudi_core.cli.output import Output
from hudi_core.cli.progress import tally_progress, task_progress
from hudi_core.cli.words import format_count, size
from hudi_core.errors import UsageError
from hudi_core.services.restoring.result import RestoreResult
from hudi_core.services.restoring.run import restore as run_restore
from hudi_core.services.restoring.savepoints import drop_savepoint, list_savepoints
from hudi_core.services.restoring.savepoints import savepoint as save
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE

_SAVEPOINTS = ("instant", "comment", "by", "files")
_PARTITIONS = ("partition", "files_deleted", "bytes_deleted", "rows_before", "rows_after")


def savepoint(
    table: TableArgument,
    instant: Annotated[
        str | None, typer.Argument(metavar="[INSTANT]", help="A completed write; without it, the latest.")
    ] = None,
    comment: Annotated[str | None, typer.Option("--comment", metavar="TEXT", help="Why it is saved.")] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who saves it.")] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the savepoints of the table; make none.")] = False,
    drop: Annotated[
        str | None, typer.Option("--drop", metavar="INSTANT", help="Drop a savepoint: cleans may delete its files.")
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Save a state of the table: no clean deletes its files, and the table can be restored to it."""
    ways = [instant is not None or comment is not None or by is not None, list_all, drop is not None]
    if sum(ways) > 1:
        raise UsageError("savepoint", expected="one of INSTANT, --list and --drop", found="several")
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    if list_all:
        out.rows(_SAVEPOINTS, [one.as_dict() for one in list_savepoints(opened_table)])
    elif drop is not None:
        out.record(drop_savepoint(opened_table, drop).as_dict())
    else:
        with tally_progress("files") as tally:
            saved = save(opened_table, instant, by=by or "", comment=comment or "", tally=tally)
        out.record(saved.as_dict())
    warn(opened_table.warnings)


def restore(
    table: TableArgument,
    savepoint: Annotated[
        str | None, typer.Argument(metavar="[SAVEPOINT]", help="The time of a savepoint of the table.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="INSTANT", help="A completed write without a savepoint, whose files are all there."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would be undone, and the rows before and after; change nothing."),
    ] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Bring the table back to a savepoint. All later writes are undone for good, and their files deleted."""
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    with task_progress("instants") as report:
        done = run_restore(opened_table, savepoint, to=to, dry_run=dry_run, progress=report)
    if as_json:
        out.record({**done.as_dict(), **({"files": [file.as_dict() for file in done.files]} if dry_run else {})})
    else:
        _show(out, done)
    warn(opened_table.warnings)


def _show(out: Output, done: RestoreResult) -> None:
    """The result for people: what is undone, partition by partition."""
    record: dict[str, Any] = done.as_dict()
    partitions = record.pop("partitions")
    if done.state != "planned":
        out.record(record)
        return
    if partitions:
        out.rows(_PARTITIONS, partitions)
    out.text(f"\n{format_count(len(done.undone), 'instant')} to undo for good: {', '.join(done.undone)}")
    out.text(f"{format_count(done.files_deleted, 'file')} to delete, {size(done.bytes_deleted)}")
    out.text(f"{format_count(done.files_kept, 'file')} of the state at {done.target} are there and stay")

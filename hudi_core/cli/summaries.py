"""`commits`, `partitions`, `count` and `head`: short answers about a table."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

import typer

from hudi_core.cli.options import (
    AsOfOption,
    CaseOption,
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    WhereOption,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output
from hudi_core.cli.predicates import conjunction
from hudi_core.cli.progress import tally_progress, watch
from hudi_core.cli.read import read
from hudi_core.cli.words import format_count, size
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.summaries import commits as commits_of
from hudi_core.table.summaries import partitions as partitions_of


def commits(
    table: TableArgument,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="The latest N commits only.")
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """List what each write did: rows inserted, updated and deleted, files and bytes, oldest first."""
    opened_table, out = open_from_options(table, engine, MetadataMode.OFF), Output(as_json)
    with tally_progress("commits") as tally:
        rows = [commit.as_dict() for commit in commits_of(opened_table, tally)]
    shown = rows[-limit:] if limit is not None else rows
    if as_json:
        out.rows((), shown)
    else:
        columns = ("requested_time", "operation", "files", "inserted", "updated", "deleted", "bytes")
        out.rows(columns, [{**row, "bytes": None if row["bytes"] is None else size(row["bytes"])} for row in shown])
        out.text(f"\n{format_count(len(rows), 'commit')}")
    warn(opened_table.warnings)


def partitions(
    table: TableArgument,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """List the partitions: rows, file slices, small files, log files, bytes."""
    opened_table, out = open_from_options(table, engine, metadata), Output(as_json)
    with tally_progress("file slices") as tally:
        rows = [partition.as_dict() for partition in partitions_of(opened_table, tally)]
    if as_json:
        out.rows((), rows)
    else:
        columns = ("partition", "rows", "file_slices", "small_files", "log_files", "bytes")
        out.rows(columns, [{**row, "bytes": size(row["bytes"])} for row in rows])
        out.text(f"\n{format_count(len(rows), 'partition')}, {sum(row['rows'] for row in rows):,} rows")
    warn(opened_table.warnings)


def count(
    table: TableArgument,
    where: WhereOption = None,
    as_of: AsOfOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    case_sensitive: CaseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Count the rows, or those that match a predicate. Footers answer where no row has to be read."""
    opened_table, out = open_from_options(table, engine, metadata, case_sensitive), Output(as_json)
    scan = opened_table.scan(where=conjunction(where), as_of=as_of)
    with tally_progress("parts") as tally:
        watch(scan, tally)
        number = scan.count()
    if as_json:
        out.record({"count": number})
    else:
        out.text(str(number))
    warn(chain(opened_table.warnings, scan.warnings))


def head(
    table: TableArgument,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="How many rows.")] = 10,
    columns: Annotated[
        str | None,
        typer.Option("--columns", "-c", metavar="A,B.C", help="Columns by dotted name, separated by commas."),
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Show the first rows that are read, in no stated order: as many as fit, to see what the table holds."""
    read(table, columns=columns, limit=limit, engine=engine, as_json=as_json)

"""`report`: a table at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hudi_core.cli.options import (
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    free_page,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output, say, write_file
from hudi_core.cli.progress import progress
from hudi_core.cli.report.facts import Report, table_report
from hudi_core.cli.report.page import report_page
from hudi_core.cli.words import format_count, share, size
from hudi_core.index_builds.listing import IndexState
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.column_summary import ColumnSummary
from hudi_core.table.engines import DEFAULT_ENGINE


def report(
    table: TableArgument,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="With --html: replace a file that exists.")] = False,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", "-c", metavar="NAME", help="A column to look into, by dotted name; repeatable."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", "-w", metavar="SQL", help="A query to give advice for; repeatable."),
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Report on a table at a glance: timeline, sizes, layout, health of indexes; with --html as a page with pictures.

    No data file is read. It reads the footers of the files if a column has no recorded statistics.
    """
    target = free_page(html, overwrite=overwrite)
    opened_table, out = open_from_options(table, engine, metadata), Output(as_json)
    with progress("parts looked into") as advance:
        made = table_report(opened_table, column or (), where or (), advance)
    if target is not None:
        write_file(target, report_page(made))
        say(f"wrote {target}")
    if as_json:
        out.rows((), made.records())
    else:
        _show(out, made)
    warn(opened_table.warnings)


def _show(out: Output, made: Report) -> None:
    services = ", ".join(f"{count:,} {action}" for action, count in made.services.items())
    broken = [index.name for index in made.indexes if index.state is not IndexState.READY]
    out.record(
        {
            "table": f"{made.table}, {made.type}, version {made.version}",
            "commits": len(made.commits),
            "services": services or None,
            "pending": list(made.pending) or None,
            "file_slices": f"{made.file_slices:,} with {size(made.bytes)}",
            "small_base_files": made.small_files,
            "log_files": made.log_files,
            "partitions": len(made.partitions),
            "indexes": [index.name for index in made.indexes] or None,
            "not_ready": broken or None,
            "findings": f"{len(made.findings):,} of quick checks; hudi-core validate makes all checks",
        }
    )
    if made.columns:
        out.text()
        title = "File slices that a query for one value reads on average"
        columns = ("column", "type", "now", "share", "sorted_at_best", "known_bounds")
        out.rows(columns, map(_column, made.columns), title=title, spare=("share", "type"))
        if made.columns_left_out:
            more = format_count(made.columns_left_out, "more column")
            out.text(f"{more} not looked into; --column chooses", "dim")
    for finding in made.findings:
        out.text(f"\n{finding}")
    if made.advice is not None:
        best = made.advice.proposals[:1]
        out.text()
        for proposal in best:
            now, then = (size(made.advice.bytes_read(touched)) for touched in (made.advice.touched, proposal.touched))
            what = (
                f"{proposal.measure.value} of {', '.join(proposal.columns)}" if proposal.columns else proposal.measure
            )
            out.text(f"{what} would save most: the queries read {now} now, and {then} with it")
        if not best:
            out.text(
                f"no index or clustering would save anything ({format_count(made.advice.sampled, 'file slice')} sampled)"
            )


def _column(column: ColumnSummary) -> dict[str, str]:
    known = column.slices - column.unknown
    return {
        "column": column.column,
        "type": column.type,
        "now": f"{column.overlap:,.1f}",
        "share": share(round(column.overlap), column.slices),
        "sorted_at_best": f"{min(column.sorted_overlap, column.overlap):,.1f}",
        "known_bounds": f"{known:,} of {column.slices:,}",
    }

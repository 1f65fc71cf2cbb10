"""`read`: rows to the terminal, as NDJSON, or into a file."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

import typer

from hudi_core.cli.arguments import split_names
from hudi_core.cli.options import (
    FOOTER_CACHE_MIB,
    AsOfOption,
    CaseOption,
    EngineOption,
    FooterCacheOption,
    FooterCacheSize,
    JsonOption,
    MetadataOption,
    TableArgument,
    WhereOption,
    file_options,
    free_file,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output, say
from hudi_core.cli.predicates import conjunction
from hudi_core.cli.progress import tally_progress, watch
from hudi_core.cli.streams import FORMATS, STREAM, refuse_format, write_output
from hudi_core.cli.words import format_count
from hudi_core.errors import UsageError
from hudi_core.reading.damage import OnDamage
from hudi_core.reading.result import QueryResult
from hudi_core.rows.outside_files import write_file
from hudi_core.secrets import public_url
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.scan import Scan

SHOWN = 20
"""Rows shown to people without --limit."""


def read(
    table: TableArgument,
    where: WhereOption = None,
    columns: Annotated[
        str | None,
        typer.Option("--columns", "-c", metavar="A,B.C", help="Columns by dotted name, separated by commas."),
    ] = None,
    as_of: AsOfOption = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="TIME", help="Rows that changed after a time, or 'earliest': their latest state."
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Rows that changed up to a time.")
    ] = None,
    cdc: Annotated[
        bool, typer.Option("--cdc", help="Read changes one by one, with the row before and after, instead of rows.")
    ] = False,
    read_optimized: Annotated[
        bool, typer.Option("--read-optimized", help="Read base files only: the rows as of the last compaction.")
    ] = False,
    on_damage: Annotated[
        OnDamage,
        typer.Option(
            "--on-damage",
            metavar="error|skip",
            help="What to do with damaged files: stop with an error, or read the rest with a warning for each.",
        ),
    ] = OnDamage.ERROR,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=0, metavar="N", help="At most this many rows.")
    ] = None,
    meta: Annotated[bool, typer.Option("--meta", help="Show Hudi's own columns too.")] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="A file, by path or URL, ending in .parquet, .csv, .arrow, .feather, .json or .jsonl, texts also in .gz; - is "
            "standard output.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="|".join(FORMATS), help="With --output -: the format of what is printed."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="With --output: replace a file that exists.")] = False,
    count: Annotated[
        bool, typer.Option("--count", help="Only count the rows, without reading files that record their number.")
    ] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    case_sensitive: CaseOption = False,
    footer_cache: FooterCacheOption = None,
    footer_cache_mib: FooterCacheSize = FOOTER_CACHE_MIB,
    as_json: JsonOption = False,
) -> None:
    """Read rows: to the terminal, as JSON lines, or into a file.

    People see the first 20 unless --limit is set; --json and --output give all. With both, one line says what was written.
    """
    refuse_format(output or "", format)
    target = output if output is None or output == STREAM else free_file(output, overwrite=overwrite)
    if overwrite and output is None:
        raise UsageError("--overwrite", expected="--output FILE beside it", found="none")
    if as_json and target == STREAM:
        raise UsageError(
            "--output", expected="the name of a file: with --json one line says what was written", found=STREAM
        )
    opened_table = open_from_options(
        table, engine, metadata, case_sensitive, footer_cache, footer_cache_mib, beside=target or ""
    )
    out = Output(as_json)
    shown = limit if limit is not None or as_json or target is not None or count else SHOWN + 1
    if count and target is not None:
        raise UsageError("--count", expected="no --output beside it", found="one")
    names, predicate = _names(columns), conjunction(where)
    scan: QueryResult
    if cdc:
        others = {
            "--as-of": as_of is not None,
            "--read-optimized": read_optimized,
            "--on-damage": on_damage is OnDamage.SKIP,
        }
        if any(others.values()):
            raise UsageError("--cdc", expected="a range of times", found=next(name for name in others if others[name]))
        scan = opened_table.changes(since, until, predicate, names, shown, meta=meta)
    else:
        scan = opened_table.scan(
            where=predicate,
            columns=names,
            as_of=as_of,
            limit=shown,
            meta=meta,
            since=since,
            until=until,
            read_optimized=read_optimized,
            on_damage=on_damage,
        )
    if count:
        with tally_progress("parts") as tally:
            watch(scan, tally)
            row_count = scan.count()
        out.record({"rows": row_count}) if as_json else out.text(format_count(row_count, "row"))
    elif target == STREAM:
        with tally_progress("parts") as tally:
            seen = watch(scan, tally)
            write_output(lambda path: scan.write(path, seen), format)
    elif target is not None:
        with tally_progress("parts") as tally:
            seen = watch(scan, tally)
            loaded, options = opened_table.engine, file_options(target)
            written = write_file(loaded, target, lambda path: scan.write(path, seen), options, overwrite=overwrite)
        if as_json:
            out.record({"rows": written, "file": public_url(target)})
        else:
            say(f"{format_count(written, 'row')} to {target}")
    elif as_json:
        with tally_progress("parts", prints_rows=True) as tally:
            seen = watch(scan, tally)
            for row in scan.to_json_rows():
                out.line(row)
                if seen is not None:
                    seen(1)
    else:
        rows = list(scan.to_json_rows())
        cut = limit is None and len(rows) > SHOWN
        head = rows[:SHOWN] if cut else rows
        out.data(scan.schema, head)
        out.text(
            f"\n{'the first ' if cut else ''}{format_count(len(head), 'row')}{'; --limit shows more' if cut else ''}"
        )
    warn(chain(opened_table.warnings, (*scan.plan.warnings, *scan.warnings) if isinstance(scan, Scan) else ()))


def _names(columns: str | None) -> list[str] | None:
    if columns is None:
        return None
    return list(split_names("--columns", columns) or ())

"""`read`: rows to the terminal, as NDJSON, or into a file."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

import typer

from hudi_core.cli.arguments import split_names
from hudi_core.cli.options import (
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
from hudi_core.table.table import Table

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
    footer_cache_mib: FooterCacheSize = None,
    as_json: JsonOption = False,
) -> None:
    """Read rows: to the terminal, as JSON lines, or into a file.

    People see the first 20 unless --limit is set; --json and --output give all. With both, one line says what was written.
    """
    refuse_format(output or "", format)
    if overwrite and output in (None, STREAM):
        raise UsageError("--overwrite", expected="--output FILE beside it", found="none")
    if count:
        beside = {"--output": output is not None, "--columns": columns is not None, "--meta": meta}
        other = next((name for name, is_given in beside.items() if is_given), None)
        if other is not None:
            raise UsageError("--count", expected=f"no {other} beside it", found="one")
    if as_json and output == STREAM:
        raise UsageError(
            "--output", expected="the name of a file: with --json one line says what was written", found=STREAM
        )
    target = output if output is None or output == STREAM else free_file(output, overwrite=overwrite)
    opened = open_from_options(
        table, engine, metadata, case_sensitive, footer_cache, footer_cache_mib, beside=target or ""
    )
    shows_head = limit is None and not (as_json or output or count)
    most = SHOWN + 1 if shows_head else limit
    names, predicate = _names(columns), conjunction(where)
    rows: QueryResult
    if cdc:
        _refuse_beside_changes(as_of=as_of, read_optimized=read_optimized, on_damage=on_damage)
        rows = opened.changes(since, until, predicate, names, most, meta=meta)
    else:
        rows = opened.scan(
            where=predicate,
            columns=names,
            as_of=as_of,
            limit=most,
            meta=meta,
            since=since,
            until=until,
            read_optimized=read_optimized,
            on_damage=on_damage,
        )
    out = Output(as_json)
    if count:
        _show_count(rows, out)
    elif target == STREAM:
        _stream(rows, format)
    elif target is not None:
        _save(rows, target, opened, out, overwrite=overwrite)
    elif as_json:
        _print_lines(rows, out)
    else:
        _show(rows, out, cuts=shows_head)
    warn(chain(opened.warnings, (*rows.plan.warnings, *rows.warnings) if isinstance(rows, Scan) else ()))


def _refuse_beside_changes(*, as_of: str | None, read_optimized: bool, on_damage: OnDamage) -> None:
    """Raises `UsageError` for an option of snapshots beside `--cdc`."""
    others = {
        "--as-of": as_of is not None,
        "--read-optimized": read_optimized,
        "--on-damage": on_damage is OnDamage.SKIP,
    }
    given = next((name for name, is_given in others.items() if is_given), None)
    if given is not None:
        raise UsageError("--cdc", expected="a range of times", found=given)


def _show_count(rows: QueryResult, out: Output) -> None:
    with tally_progress("parts") as tally:
        watch(rows, tally)
        number = rows.count()
    if out.as_json:
        out.record({"rows": number})
    else:
        out.text(format_count(number, "row"))


def _stream(rows: QueryResult, format: str | None) -> None:
    """Writes the rows to standard output in a format."""
    with tally_progress("parts") as tally:
        seen = watch(rows, tally)
        write_output(lambda path: rows.write(path, seen), format)


def _save(rows: QueryResult, target: str, opened: Table, out: Output, *, overwrite: bool) -> None:
    """Writes the rows to a file, and says how many there are."""
    with tally_progress("parts") as tally:
        seen = watch(rows, tally)
        written = write_file(
            opened.engine, target, lambda path: rows.write(path, seen), file_options(target), overwrite=overwrite
        )
    if out.as_json:
        out.record({"rows": written, "file": public_url(target)})
    else:
        say(f"{format_count(written, 'row')} to {target}")


def _print_lines(rows: QueryResult, out: Output) -> None:
    """Prints rows as lines of JSON, as they are read."""
    with tally_progress("parts", prints_rows=True) as tally:
        seen = watch(rows, tally)
        for lines in rows.to_json_lines():
            out.lines(lines)
            if seen is not None:
                seen(lines.count(b"\n"))


def _show(rows: QueryResult, out: Output, *, cuts: bool) -> None:
    """Shows rows as a table. With `cuts` there is one row more than is shown where the query has more."""
    read = list(rows.to_json_rows())
    cut = cuts and len(read) > SHOWN
    head = read[:SHOWN] if cut else read
    out.data(rows.schema, head)
    shown = format_count(len(head), "row")
    out.text(f"\nthe first {shown}; --limit shows more" if cut else f"\n{shown}")


def _names(columns: str | None) -> list[str] | None:
    if columns is None:
        return None
    return list(split_names("--columns", columns) or ())

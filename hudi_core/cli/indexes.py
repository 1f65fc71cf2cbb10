"""`index` and `metadata`: the indexes of a table, listed, built and dropped, and their records."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Annotated

import typer

from hudi_core.cli.advice import show_advice
from hudi_core.cli.arguments import names_and_values, split_names
from hudi_core.cli.metadata_rows import describe_record
from hudi_core.cli.options import (
    CaseOption,
    EngineOption,
    JsonOption,
    TableArgument,
    TasksOption,
    WhereFileOption,
    open_from_options,
    queries_of,
    warn,
)
from hudi_core.cli.output import Output, say
from hudi_core.cli.predicates import conjunction
from hudi_core.cli.progress import progress, tally_progress
from hudi_core.cli.words import fit_names, format_count
from hudi_core.errors import UsageError
from hudi_core.index_builds.build import build_indexes, plan_partitions
from hudi_core.index_builds.listing import indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.kinds import EXPRESSION_INDEX
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.table import Table

_SHOWN = ("kind", "name", "columns", "state", "file_groups", "bytes", "problem", "function")
_BELOW = ("columns", "problem", "function")
_COLUMN_NAMES = 200
"""Characters that people see of the names of an index's columns."""
_KINDS = (
    "files, column_stats, partition_stats, bloom_filters, record_index, partitioned_record_index, secondary_index, "
    "expression_index"
)


BuildColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        "-c",
        metavar="A,B",
        help="The columns of column_stats, by dotted name, or the one of a secondary or an expression index.",
    ),
]
BuildName = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help="The name of a secondary or an expression index; without it, the name of its column.",
    ),
]
BuildFunction = Annotated[
    str | None,
    typer.Option("--function", metavar="NAME", help="What an expression index is of: lower, year, substring, …"),
]
BuildArgument = Annotated[
    list[str] | None,
    typer.Option(
        "--argument", metavar="OPTION=VALUE", help="A further argument of the function: pos=1, len=3; repeatable."
    ),
]
BuildUsing = Annotated[
    str | None,
    typer.Option("--using", metavar="KIND", help="What an expression index records: column_stats or bloom_filters."),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")]


def list_indexes(table: TableArgument, engine: EngineOption = DEFAULT_ENGINE, as_json: JsonOption = False) -> None:
    """List the indexes of a table: kind, columns, whether each may be used, and its size."""
    _list(open_from_options(table, engine, MetadataMode.AUTO), Output(as_json))


def build_index(
    table: TableArgument,
    kinds: Annotated[list[str], typer.Argument(metavar="KIND...", help=f"{_KINDS}.")],
    columns: BuildColumns = None,
    name: BuildName = None,
    function: BuildFunction = None,
    argument: BuildArgument = None,
    using: BuildUsing = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build an index again that is there; with files, build all indexes again.")
    ] = False,
    dry_run: DryRunOption = False,
    engine: TasksOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Build indexes of a table from its files, while writers go on."""
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    _build(
        opened_table,
        kinds,
        _options(columns, name, function, argument, using, rebuild=rebuild),
        out,
        dry_run=dry_run,
    )


def remove_index(
    table: TableArgument,
    name: Annotated[str, typer.Argument(metavar="KIND|NAME", help="The index, as index list shows it.")],
    dry_run: DryRunOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Drop an index of a table."""
    _drop(open_from_options(table, engine, MetadataMode.AUTO), name, Output(as_json), dry_run=dry_run)


def advise_index(
    table: TableArgument,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", "-w", metavar="SQL", help="The predicate of a query; repeatable."),
    ] = None,
    where_file: WhereFileOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Advise which index or clustering would pay for queries; nothing is written."""
    if not where and where_file is None:
        raise UsageError("index advise", expected="--where or --where-file", found="neither")
    opened_table = open_from_options(table, engine, MetadataMode.AUTO)
    with progress("queries"):
        queries = queries_of(opened_table, where, where_file)
    show_advice(Output(as_json), opened_table, queries)


def index(
    table: TableArgument,
    build: Annotated[
        list[str] | None, typer.Option("--build", metavar="KIND", help=f"Build an index: {_KINDS}; repeatable.")
    ] = None,
    columns: BuildColumns = None,
    name: BuildName = None,
    function: BuildFunction = None,
    argument: BuildArgument = None,
    using: BuildUsing = None,
    drop: Annotated[str | None, typer.Option("--drop", metavar="KIND|NAME", help="Drop an index.")] = None,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild", help="With --build: build an index again that is there; with files, build all indexes again."
        ),
    ] = False,
    dry_run: DryRunOption = False,
    advise: Annotated[
        bool, typer.Option("--advise", help="Advise which index or clustering would pay for queries.")
    ] = False,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="SQL", help="With --advise: the predicate of a query; repeatable."),
    ] = None,
    where_file: WhereFileOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """List the indexes of a table; `index build`, `index drop` and `index advise` do what their names say.

    The old flags still work, with a hint.
    """
    if advise != (bool(where) or where_file is not None):
        found = "--advise" if advise else "--where" if where else "--where-file"
        raise UsageError("index", expected="--advise with --where or --where-file", found=found)
    if advise and (build or drop is not None):
        raise UsageError("index", expected="either --advise or a change", found="both")
    of_builds = {
        "--rebuild": rebuild,
        "--columns": columns is not None,
        "--name": name is not None,
        "--function": function is not None,
        "--argument": bool(argument),
        "--using": using is not None,
    }
    if drop is not None and (build or any(of_builds.values())):
        raise UsageError("index", expected="either --build or --drop", found="both")
    if not build and any(of_builds.values()):
        raise UsageError("index", expected="--build", found=next(option for option in of_builds if of_builds[option]))
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    if advise:
        show_advice(out, opened_table, queries_of(opened_table, where, where_file))
        hint = "index advise TABLE --where SQL"
    elif drop is not None:
        _drop(opened_table, drop, out, dry_run=dry_run)
        hint = "index drop TABLE NAME"
    elif build:
        options = _options(columns, name, function, argument, using, rebuild=rebuild)
        _build(opened_table, build, options, out, dry_run=dry_run)
        hint = "index build TABLE KIND"
    else:
        _list(opened_table, out)
        return
    say(f"hint: this is called hudi-core {hint} now; the flags go with the next version")


def _options(
    columns: str | None,
    name: str | None,
    function: str | None,
    argument: list[str] | None,
    using: str | None,
    *,
    rebuild: bool,
) -> IndexOptions:
    return IndexOptions(
        columns=split_names("--columns", columns),
        rebuild=rebuild,
        name=name,
        function=function,
        arguments=names_and_values("--argument", argument, "OPTION=VALUE"),
        using=using or COLUMN_STATS,
    )


def _list(table: Table, out: Output) -> None:
    with tally_progress("indexes") as tally:
        listed = indexes(table, tally=tally)
    entries = [entry.as_dict() for entry in listed]
    many = [entry for entry in entries if len(", ".join(entry["columns"])) > _COLUMN_NAMES]
    shown = entries if out.as_json else [{**entry, "columns": _fit_columns(entry["columns"])} for entry in entries]
    out.rows(_SHOWN, shown, folded=["columns", "problem"], below=_BELOW)
    if many:
        out.text("\n--json lists all columns", "dim")
    if any(entry.problem for entry in listed):
        say("index build TABLE files --rebuild rebuilds the metadata table")


def _fit_columns(names: Sequence[str]) -> str | None:
    """The columns of an index for people, with their number where these are too many to list."""
    shown = fit_names(names, _COLUMN_NAMES)
    return (shown if shown == ", ".join(names) else f"{len(names):,} columns: {shown}") or None


def _drop(table: Table, name: str, out: Output, *, dry_run: bool) -> None:
    dropped = drop_index(table, name, dry_run=dry_run)
    out.record({"dropped": list(dropped), "dry_run": dry_run})


def _build(table: Table, build: list[str], options: IndexOptions, out: Output, *, dry_run: bool) -> None:
    kinds = [name for given in build for name in split_names("KIND", given) or ()]
    planned = plan_partitions(table, kinds, options)
    if dry_run:
        out.record({"built": list(planned), "dry_run": True})
        return
    begun = perf_counter()
    with tally_progress("index files") as tally:
        built = build_indexes(table, kinds, options, tally=tally)
    listed = [entry for entry in indexes(built) if entry.name in planned]
    out.rows(_SHOWN, [entry.as_dict() for entry in listed], folded=["columns"], below=_BELOW)
    for column in sorted({column for entry in listed if entry.kind == EXPRESSION_INDEX for column in entry.columns}):
        say(
            f"Apache Hudi 1.2.0 also uses this index for other functions of {column} and for {column} itself, and loses rows then"
        )
    if any((entry.function or "").startswith(BLOOM_FILTERS) for entry in listed):
        say(
            "an expression index of bloom_filters makes writes of Apache Hudi 1.2.0 fail on null values and on log files"
        )
    say(f"{format_count(len(planned), 'index', 'indexes')} in {perf_counter() - begun:.1f} s")


def metadata(
    table: TableArgument,
    partition: Annotated[
        str, typer.Option("--partition", metavar="P", help="A partition of the metadata table, by its name.")
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", "-w", metavar="SQL", help="A predicate on the records, as key LIKE '2024%'; several go together."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=0, metavar="N", help="Show at most N records.")
    ] = None,
    case_sensitive: CaseOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Show the live records of one partition of the metadata table, log files merged."""
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO, case_sensitive), Output(as_json)
    count = 0
    for record in metadata_records(opened_table, partition, conjunction(where), limit):
        count += 1
        if not as_json:
            out.text(f"── {count:,} ──", "dim")
        out.record(record if as_json else describe_record(record))
    out.text(format_count(count, "record"))
    warn(opened_table.warnings)

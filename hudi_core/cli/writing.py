"""`write`, `delete`, `update` and `delete-partition`: changes of a table's rows, each in one commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from hudi_core.by_need import ModuleByNeed
from hudi_core.cli.arguments import names_and_values
from hudi_core.cli.options import (
    CaseOption,
    EngineOption,
    JsonOption,
    RequiredWhere,
    TableArgument,
    WhereOption,
    file_options,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output
from hudi_core.cli.predicates import conjunction
from hudi_core.cli.progress import tally_progress
from hudi_core.cli.streams import FORMATS, input_file
from hudi_core.errors import UsageError
from hudi_core.front.writes import serve
from hudi_core.rows.outside_files import RowFile
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.writing.batch_columns import MissingColumns
from hudi_core.writing.by_predicate import delete_where, parse_assignments
from hudi_core.writing.by_predicate import update as update_rows
from hudi_core.writing.operation import Operation, WriteOptions
from hudi_core.writing.operations import delete_partitions
from hudi_core.writing.operations import write as write_rows
from hudi_core.writing.result import WriteResult

if TYPE_CHECKING:
    from hudi_core.writing.source_merge import operations as source_merge
else:
    source_merge = ModuleByNeed("hudi_core.writing.source_merge.operations")  # for --where alone

DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")]
EmptyOption = Annotated[
    bool, typer.Option("--allow-empty", help="Commit even if nothing is written, as streams need it.")
]
PropertyOption = Annotated[
    list[str] | None, typer.Option("--option", metavar="K=V", help="A hoodie.* property of one write; repeatable.")
]


def write(
    table: TableArgument,
    rows: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A Parquet, Arrow, CSV or JSON file, by path or URL, texts also as .gz, or a folder of Parquet files; - is "
            "standard input.",
        ),
    ],
    op: Annotated[
        Operation, typer.Option("--op", help="What to do with rows whose key the table may have.")
    ] = Operation.UPSERT,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            "-w",
            metavar="SQL",
            help="With --op insert_overwrite_table: the rows take the place of those that match, and have to match too.",
        ),
    ] = None,
    index: Annotated[
        IndexType, typer.Option("--index", help="How keys are located; auto takes what reads least.")
    ] = IndexType.AUTO,
    missing_columns: Annotated[
        MissingColumns | None,
        typer.Option(
            "--missing-columns",
            metavar="|".join(MissingColumns),
            help="What rows get in columns that the input lacks; without it, such an input is refused.",
        ),
    ] = None,
    add_columns: Annotated[
        bool | None,
        typer.Option(
            "--add-columns/--no-add-columns",
            help="Add columns that the table lacks, or never add any; without it, they are added if the input has all of "
            "the table's columns.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            help="The format of standard input; without it, the first bytes decide.",
        ),
    ] = None,
    option: PropertyOption = None,
    allow_empty: EmptyOption = False,
    dry_run: DryRunOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Write the rows of a file in one commit: insert, upsert, delete by key, or overwrite.

    Columns are matched by name. Rows that replace others need all columns of the table, unless --missing-columns says what
    they get there. The table's columns are widened to wider types of the input.
    """
    if index is IndexType.BUCKET:
        raise UsageError("--index", expected="auto, record_index, bloom or simple", found="bucket")
    predicate = conjunction(where)
    if predicate is not None and op is not Operation.INSERT_OVERWRITE_TABLE:
        raise UsageError("--where", expected="--op insert_overwrite_table", found=f"--op {op}")
    options = _options(dry_run, allow_empty, option, index, missing_columns, add_columns)
    with input_file(rows, format) as path:

        def work(opened_table: Table, options: WriteOptions) -> WriteResult:
            given = RowFile(path, file_options(path))
            if predicate is not None:
                return source_merge.overwrite_where(opened_table, given, predicate, options)
            return write_rows(opened_table, given, op, options)

        _run(table, engine, as_json, options, work, beside=path)


def delete(
    table: TableArgument,
    where: RequiredWhere,
    option: PropertyOption = None,
    allow_empty: EmptyOption = False,
    dry_run: DryRunOption = False,
    case_sensitive: CaseOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Delete the rows that match a predicate."""
    predicate, options = conjunction(where) or "", _options(dry_run, allow_empty, option)

    def work(opened_table: Table, options: WriteOptions) -> WriteResult:
        return delete_where(opened_table, predicate, options)

    _run(table, engine, as_json, options, work, case_sensitive=case_sensitive)


def update(
    table: TableArgument,
    assigned: Annotated[
        list[str],
        typer.Option("--set", metavar="SQL", help='Columns and their new values, as "a = b + 1, c = 2"; repeatable.'),
    ],
    where: WhereOption = None,
    option: PropertyOption = None,
    allow_empty: EmptyOption = False,
    dry_run: DryRunOption = False,
    case_sensitive: CaseOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Give columns of the rows that match a predicate new values.

    Without --where all rows get them.
    """
    assignments = [pair for text in assigned for pair in parse_assignments(text)]
    if len(dict(assignments)) < len(assignments):
        raise UsageError("--set", expected="one value for each column", found="several")

    predicate = conjunction(where)

    def work(opened_table: Table, options: WriteOptions) -> WriteResult:
        return update_rows(opened_table, dict(assignments), predicate, options)

    _run(table, engine, as_json, _options(dry_run, allow_empty, option), work, case_sensitive=case_sensitive)


def delete_partition(
    table: TableArgument,
    partitions: Annotated[
        list[str], typer.Argument(metavar="PARTITION...", help="Paths of partitions, as files shows them.")
    ],
    dry_run: DryRunOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Delete all rows of partitions."""
    options = _options(dry_run)
    _run(table, engine, as_json, options, lambda opened, options: delete_partitions(opened, partitions, options))


def _options(
    dry_run: bool,
    allow_empty: bool = False,
    properties: list[str] | None = None,
    index: IndexType = IndexType.AUTO,
    missing_columns: MissingColumns | None = None,
    add_columns: bool | None = None,
) -> WriteOptions:
    return WriteOptions(
        index=index,
        missing_columns=missing_columns,
        add_columns=add_columns,
        dry_run=dry_run,
        allow_empty=allow_empty,
        properties=names_and_values("--option", properties, "K=V"),
    )


def _run(
    uri: str,
    engine: str,
    as_json: bool,
    options: WriteOptions,
    work: Callable[[Table, WriteOptions], WriteResult],
    *,
    case_sensitive: bool = False,
    beside: str = "",
) -> None:
    table = open_from_options(uri, engine, MetadataMode.AUTO, case_sensitive, beside=beside)
    with tally_progress("files") as tally:
        settings = replace(options, tally=tally)
        result = serve(table, settings, lambda: work(table, settings))
    Output(as_json).record(result.as_dict())
    warn(table.warnings)

"""`write`, `delete`, `update` and `delete-partition`: changes of a table's rows, each in one commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from hudi_core.cli.options import WHERE, CaseOption, EngineOption, JsonOption, TableArgument, opened, warn
from hudi_core.cli.output import Output, task_progress
from hudi_core.errors import UsageError
from hudi_core.index.choose import IndexKind
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import delete_where, parsed_assignment
from hudi_core.writing.by_predicate import update as update_rows
from hudi_core.writing.operations import Operation, delete_partitions
from hudi_core.writing.operations import write as write_rows
from hudi_core.writing.result import WriteResult
from hudi_core.writing.write_run import WriteOptions

DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")]
RequiredWhere = Annotated[str, typer.Option("--where", metavar="SQL", help=WHERE)]


def write(
    table: TableArgument,
    rows: Annotated[
        str, typer.Argument(metavar="INPUT", help="A Parquet, Arrow, CSV or JSON file, or a folder of Parquet files.")
    ],
    op: Annotated[
        Operation, typer.Option("--op", help="What becomes of rows whose key the table may have.")
    ] = Operation.UPSERT,
    index: Annotated[
        IndexKind, typer.Option("--index", help="How keys are located; auto takes what reads least.")
    ] = IndexKind.AUTO,
    dry_run: DryRunOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Write the rows of a file in one commit: insert, upsert, delete by key, or overwrite.

    Columns go by name. Those that the table lacks are added to it, types that it can widen to are taken.
    """
    if index is IndexKind.BUCKET:
        raise UsageError("--index", expected="auto, record_index, bloom or simple", found="bucket")
    _run(
        table,
        engine,
        as_json,
        dry_run,
        lambda opened_table, options: write_rows(opened_table, rows, op, options),
        index=index,
    )


def delete(
    table: TableArgument,
    where: RequiredWhere,
    dry_run: DryRunOption = False,
    case_sensitive: CaseOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Delete the rows that match a predicate."""
    _run(
        table, engine, as_json, dry_run,
        lambda opened_table, options: delete_where(opened_table, where, options),
        case_sensitive=case_sensitive,
    )  # fmt: skip


def update(
    table: TableArgument,
    assigned: Annotated[
        list[str], typer.Option("--set", metavar="SQL", help='A column and its new value, as "a = b + 1"; repeatable.')
    ],
    where: Annotated[str | None, typer.Option("--where", metavar="SQL", help=f"{WHERE} Without it all rows.")] = None,
    dry_run: DryRunOption = False,
    case_sensitive: CaseOption = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Give columns of the rows that match a predicate new values."""
    assignments = [parsed_assignment(text) for text in assigned]
    if len(dict(assignments)) < len(assignments):
        raise UsageError("--set", expected="one value for a column", found="several")

    def work(opened_table: Table, options: WriteOptions) -> WriteResult:
        return update_rows(opened_table, dict(assignments), where, options)

    _run(table, engine, as_json, dry_run, work, case_sensitive=case_sensitive)


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
    _run(
        table,
        engine,
        as_json,
        dry_run,
        lambda opened_table, options: delete_partitions(opened_table, partitions, options),
    )


def _run(
    uri: str,
    engine: str,
    as_json: bool,
    dry_run: bool,
    work: Callable[[Table, WriteOptions], WriteResult],
    *,
    case_sensitive: bool = False,
    index: IndexKind = IndexKind.AUTO,
) -> None:
    table = opened(uri, engine, MetadataMode.AUTO, case_sensitive)
    with task_progress("files") as report:
        result = work(table, WriteOptions(index=index, dry_run=dry_run, progress=report))
    Output(as_json).record(result.as_dict())
    warn(table.warnings)

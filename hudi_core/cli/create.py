"""`create` and `rollback`: a new table, and what undoes a write."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from warnings import catch_warnings

import typer

from hudi_core.cli.arguments import names_and_values, split_names
from hudi_core.cli.options import STORAGE_OPTIONS, EngineOption, JsonOption, TableArgument, file_options, warn
from hudi_core.cli.output import Output, say
from hudi_core.cli.progress import tally_progress
from hudi_core.cli.tables import show_table
from hudi_core.cli.words import format_count
from hudi_core.creating.create import create_table
from hudi_core.errors import StorageError, UsageError
from hudi_core.front.forms import form
from hudi_core.rows.outside_files import read_file
from hudi_core.services.restoring.undoing import rollback as roll_back
from hudi_core.services.upkeep.usable import refuse_unusable
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine
from hudi_core.table.open import open_table


def create(
    table: TableArgument,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            metavar="FILE",
            help="A file with a schema: its columns become those of the table. It is Avro unless --from names another form.",
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--from", metavar="FORM", help="The form of the schema's text. Without it: avro.")
    ] = None,
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="INPUT", help="The columns: those of a Parquet, CSV, JSON or Arrow file."),
    ] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="A,B", help="Columns of the record key.")] = None,
    partition_by: Annotated[
        str | None, typer.Option("--partition-by", metavar="C,D", help="Columns that partition it.")
    ] = None,
    ordering: Annotated[
        str | None,
        typer.Option("--ordering", metavar="E", help="Columns whose greatest value wins among records with one key."),
    ] = None,
    type: Annotated[str, typer.Option("--type", metavar="cow|mor", help="Copy on write, or merge on read.")] = "cow",
    version: Annotated[int, typer.Option("--table-version", metavar="9|8|6", help="Apache Hudi's table version.")] = 9,
    index: Annotated[
        str | None,
        typer.Option(
            "--index",
            metavar="LIST",
            help="column_stats, partition_stats, bloom_filters, record_index; without it there is no metadata table.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="K=V", help="A hoodie.* property; repeatable.")
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Create a table without rows, and describe it."""
    if (schema is None) == (like is None):
        raise UsageError("create", expected="either --schema or --like", found="both" if schema else "neither")
    if source is not None and schema is None:
        raise UsageError("--from", expected="the form of the file of --schema", found="no --schema")
    columns = (
        form("avro" if source is None else source, "--from").parse(_text(schema), schema).value
        if schema is not None
        else read_file(load_engine(engine), str(like), options=file_options(str(like))).schema
    )
    with catch_warnings(record=True) as noticed:
        made = create_table(
            table,
            columns,
            split_names("--key", key) or (),
            partition_by=split_names("--partition-by", partition_by) or (),
            ordering=split_names("--ordering", ordering) or (),
            type=type,
            version=version,
            indexes=split_names("--index", index),
            options=names_and_values("--option", option, "K=V"),
            engine=engine,
            storage_options=STORAGE_OPTIONS.get(),
            refuse=refuse_unusable,
        )
    show_table(made, Output(as_json), as_json)
    warn(str(notice.message) for notice in noticed)


def rollback(
    table: TableArgument,
    instant: Annotated[
        str | None, typer.Argument(metavar="[INSTANT]", help="A completed write that nothing builds on.")
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Undo all writes that died; writes that go on are left alone.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the files that would be deleted, and change nothing.")
    ] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Undo a completed write that nothing builds on, or with --failed those that died."""
    opened = open_table(table, engine=engine, storage_options=STORAGE_OPTIONS.get())
    out = Output(as_json)
    with tally_progress("files") as tally:
        undone = roll_back(opened, instant, failed=failed, dry_run=dry_run, tally=tally)
    for one in undone:
        out.record({**one.as_dict(), "files": list(one.files)} if dry_run else one.as_dict())
    if failed:
        say(f"{format_count(len(undone), 'write')} that died {'to roll back' if dry_run else 'rolled back'}")


def _text(file: str) -> str:
    if not Path(file).exists():
        wanted = "a file with a schema, in Avro unless --from names another form"
        raise UsageError("--schema", expected=wanted, found=f"no file {file!r}")
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise StorageError(file, message=str(getattr(problem, "strerror", None) or problem)) from None

"""`sql`: a query of DuckDB on a table. Its filters and columns reach the planner, as far as DuckDB hands them on."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import Annotated, Any

import typer

from hudi_core.cli.options import (
    STORAGE_OPTIONS,
    AsOfOption,
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    warn,
)
from hudi_core.cli.output import Output, say
from hudi_core.cli.progress import make_tally, show_tally
from hudi_core.cli.words import format_count
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.front.opening import open_table
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.scan import Scan

SHOWN = 100
"""Rows that people see without --limit."""


def sql(
    table: TableArgument,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SELECT; the table has its own name there, and t.")],
    as_of: AsOfOption = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=0, help="At most this many rows.")
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Put a query to a table through DuckDB, where that is installed.

    People see the first 100 rows unless --limit is set. The query cannot read other files.
    """
    duckdb = _library()
    opened_table = open_table(table, engine=engine, metadata=metadata, storage_options=STORAGE_OPTIONS.get())
    scans: list[Scan] = []
    tally = make_tally(prints_rows=as_json)

    def count_scan(scan: Scan) -> None:
        scan.tally = tally
        scans.append(scan)

    connection = duckdb.connect()
    try:
        for name in dict.fromkeys((opened_table.config.name, "t")):
            opened_table.to_duckdb(connection, name, as_of=as_of, on_scan=count_scan)
        # What is registered stays in reach: a query reads the table, and neither reads nor writes another file.
        connection.execute("SET enable_external_access = false")
        rows = opened_table.engine.rows
        relation, out = _result(duckdb, connection, query), Output(as_json)
        shown: list[dict[str, Any]] = []
        with show_tally(tally, "parts"):
            made = rows.read_given(relation)
            objects = (row for batch in made.batches for row in rows.to_json(batch, made.schema))
            if as_json:
                for row in islice(objects, limit):
                    out.line(row)
            else:
                shown = list(islice(objects, (SHOWN if limit is None else limit) + 1))
        if not as_json:
            _show(out, made.schema, shown, limit)
    except duckdb.Error as refused:
        raise _refusal(refused) from None
    finally:
        connection.close()
    for scan in scans:
        kept = len(scan.plan.kept())
        say(f"{kept:,} of {format_count(len(scan.plan.slices), 'file slice')} read")
    warn([*opened_table.config.findings, *opened_table.warnings])


def _show(out: Output, schema: Any, rows: list[dict[str, Any]], limit: int | None) -> None:
    most = SHOWN if limit is None else limit
    head = rows[:most]
    out.data(schema, head, chooses="the SELECT chooses, --json has all")
    cut = len(rows) > most
    more = "; --limit shows more" if cut and limit is None else ""
    out.text(f"\n{'the first ' if cut else ''}{format_count(len(head), 'row')}{more}")


def _result(duckdb: Any, connection: Any, query: str) -> Any:
    """The rows of one SELECT. Raises `UsageError` for anything else."""
    statements = connection.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        kinds = ", ".join(str(statement.type).rpartition(".")[2].lower() for statement in statements) or "no statement"
        raise UsageError("QUERY", expected="one SELECT", found=kinds)
    return connection.sql(query)


def _refusal(refused: Exception) -> UsageError:
    first, *others = [line.strip() for line in str(refused).splitlines() if line.strip()] or ["an error"]
    hint = next((f" {line}" for line in others if line.startswith(("Candidate", "Did you mean"))), "")
    return UsageError("QUERY", expected="a SELECT that DuckDB can run", found=f"{first}{hint}")


def _library() -> Any:
    try:
        return import_module("duckdb")
    except ModuleNotFoundError:
        raise UnsupportedError("sql", message="needs the package duckdb: pip install duckdb") from None

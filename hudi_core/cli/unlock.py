"""`unlock`: the lock of a writer that died is freed. Rule COMMIT-324."""

from __future__ import annotations

from typing import Annotated

import typer

from hudi_core.cli.options import EngineOption, JsonOption, TableArgument, open_from_options
from hudi_core.cli.output import Output
from hudi_core.commit.lock import free_lock
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE


def unlock(
    table: TableArgument,
    owner: Annotated[
        str | None,
        typer.Option("--owner", metavar="NAME", help="Free the lock of this owner, even if it may be at work."),
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Free the table's lock where its writer is dead, or by the name of its owner.

    Messages about the lock state that name. A writer that is at work notices that it lost the lock, and its write fails.
    """
    state = free_lock(open_from_options(table, engine, MetadataMode.OFF).storage, owner)
    out = Output(as_json)
    if as_json:
        out.line({"freed": None if state is None else state.owner})
    else:
        out.text("no lock" if state is None else f"freed the lock of {state.owner}")

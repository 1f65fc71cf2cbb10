"""The application: its commands, and how errors become one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from importlib.metadata import version
from typing import Annotated

import typer

from hudi_core.cli import demo, explain, read, schemas, tables
from hudi_core.cli.output import say
from hudi_core.errors import HudiError

_LOOK, _QUERY, _SCHEMAS, _TOUR = "What a table is", "What a query does", "Schemas", "A tour"

app = typer.Typer(
    name="hudi-core",
    help="What an Apache Hudi table means: look at it, prune it, read it.",
    epilog="For example: hudi-core explain TABLE --where \"price > 10 AND city = 'oslo'\" --html why.html",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(rich_help_panel=_LOOK)(tables.inspect)
app.command(rich_help_panel=_LOOK)(tables.timeline)
app.command(rich_help_panel=_LOOK)(schemas.schema)
app.command(rich_help_panel=_QUERY)(tables.files)
app.command(rich_help_panel=_QUERY)(explain.explain)
app.command(rich_help_panel=_QUERY)(read.read)
app.command("convert-schema", rich_help_panel=_SCHEMAS)(schemas.convert_schema)
app.command(rich_help_panel=_SCHEMAS)(schemas.evolve)
app.command(rich_help_panel=_TOUR)(demo.demo)


def _print_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"hudi-core {version('hudi-core')}\n")
        raise typer.Exit


@app.callback()
def common(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """What an Apache Hudi table means: look at it, prune it, read it."""


def run() -> None:
    """The console script. Exit status: 0, 1 for an error of the table or its data, 2 for misuse."""
    warnings.showwarning = lambda message, *_: say(f"warning: {message}")
    try:
        app()
    except HudiError as error:
        sys.stdout.flush()
        say(f"error: {' '.join(str(error).split())}")
        for note in getattr(error, "__notes__", ()):
            say(note)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # Whoever read our output has seen enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)

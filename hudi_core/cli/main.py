"""The application: its commands, and how errors become one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings

import typer

from hudi_core.cli import demo, explain, read, tables
from hudi_core.cli.output import say
from hudi_core.errors import HudiError

app = typer.Typer(
    name="hudi-core",
    help="What an Apache Hudi table means: look at it, prune it, read it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(tables.inspect)
app.command()(tables.timeline)
app.command()(tables.schema)
app.command()(tables.files)
app.command()(explain.explain)
app.command()(read.read)
app.command()(demo.demo)


def run() -> None:
    """The console script. Exit status: 0, 1 for an error of the table or its data, 2 for misuse."""
    warnings.showwarning = lambda message, *_: say(f"warning: {message}")
    try:
        app()
    except HudiError as error:
        say(f"error: {error}")
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # Whoever read our output has seen enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)

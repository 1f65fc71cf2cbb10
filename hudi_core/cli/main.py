"""The application: its commands, and how errors become one line and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hudi_core.cli import demo, keys, locate, read, schemas, tables, tag
from hudi_core.cli.explain import command as explain_command
from hudi_core.cli.options import STORAGE_OPTIONS
from hudi_core.cli.output import say
from hudi_core.errors import HudiError

_Misuse: type[Exception] = typer.BadParameter.mro()[1]
"""What a command line raises that cannot be understood: `UsageError` of click, which Typer brings along or stands on."""


class _Commands(TyperGroup):
    """The commands. What the command line itself refuses is one line too."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        given = sys.argv[1:] if args is None else list(args)
        if not given:
            return super().main(given, *more, **options)  # help
        try:
            status = super().main(given, *more, **{**options, "standalone_mode": False})
        except _Misuse as refused:
            say(f"error: {_refusal(refused)}")
            sys.exit(2)
        except typer.Abort:
            sys.exit(1)
        sys.exit(status or 0)


def _refusal(refused: Any) -> str:
    said = " ".join(refused.format_message().split()).rstrip(".").replace("Value error, ", "")
    command = refused.ctx.command_path if refused.ctx is not None else "hudi-core"
    return f"{command}: {said[:1].lower()}{said[1:]}; {command} --help tells more"


app = typer.Typer(
    name="hudi-core",
    cls=_Commands,
    help="What an Apache Hudi table means: look at it, prune it, read it.",
    epilog="For example: hudi-core explain TABLE --where \"price > 10 AND city = 'oslo'\" --html why.html",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _reported(command: Callable[..., None]) -> Callable[..., None]:
    """The command, whose errors become a line on standard error and an exit status."""

    @wraps(command)
    def run_it(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except HudiError as error:
            say(f"error: {' '.join(str(error).split())}")
            for note in getattr(error, "__notes__", ()):
                say(note)
            raise typer.Exit(error.exit_status) from error
        except BrokenPipeError:
            # Whoever read our output has seen enough; what is still buffered has nowhere to go.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    return run_it


for panel, commands in (
    ("What a table is", (tables.inspect, tables.timeline, schemas.schema)),
    ("What a query does", (tables.files, explain_command.explain, read.read)),
    ("Keys", (keys.keys, tag.tag, locate.locate)),
    ("Schemas", (schemas.convert_schema, schemas.evolve)),
    ("A tour", (demo.demo,)),
):
    for each in commands:
        app.command(rich_help_panel=panel)(_reported(each))


def _print_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"hudi-core {version('hudi-core')}\n")
        raise typer.Exit


def _option(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not name or not equals:
        raise typer.BadParameter(f"expected name=value, found {given!r}", param_hint="--storage-option")
    return name, value


@app.callback()
def common(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    storage_option: Annotated[
        list[str] | None,
        typer.Option(
            "--storage-option", metavar="NAME=VALUE", help="For the library that opens the table's URL; repeatable."
        ),
    ] = None,
) -> None:
    """What an Apache Hudi table means: look at it, prune it, read it."""
    STORAGE_OPTIONS.set(dict(map(_option, storage_option or [])))


def run() -> None:
    """The console script. Exit status: 0, 1 for an error of the table or its data, 2 for misuse."""
    warnings.showwarning = lambda message, *_: say(f"warning: {message}")
    app()

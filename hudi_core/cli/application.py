"""The application: its commands, and how errors become one line and an exit status."""

from __future__ import annotations

import gc
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import pairwise, takewhile
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from hudi_core.cli.arguments import names_and_values, once_command, refuse_repeated, refuse_undecoded
from hudi_core.cli.hints import (
    explain_condition,
    explain_extra_words,
    explain_late_table,
    explain_missing_option,
    explain_option,
    explain_order,
    explain_place,
    find_command_line,
    find_longer_command,
    name_table,
)
from hudi_core.cli.options import OPENED, STORAGE_OPTIONS, report_traffic
from hudi_core.cli.output import discard, flush, report_log, say, show_warning, warnings_shown, write
from hudi_core.cli.overview import ABOUT, COMMANDS, EXAMPLE, STORAGE_HELP, VERBOSE_HELP, VERSION_HELP, overview
from hudi_core.cli.signals import Stopped, stop_on_signals
from hudi_core.cli.waiting import end_waiting
from hudi_core.errors import HudiError, NotATableError, UsageError
from hudi_core.version import __version__

_Misuse: type[Exception] = typer.BadParameter.mro()[1]
"""What a command line raises that cannot be understood: `UsageError` of click, which Typer brings along or builds on."""

_INVALID: Final = re.compile(r"Invalid value for (.+?): Input should be (.+)")
_STATED: Final = re.compile(r"Invalid value for '?(--[^':]+)'?(?: / '-.')?: expected")
_OF_CHOICES: Final = re.compile(r"Invalid value for (.+?): '(.*)' is not one of (.+)")
_BEFORE: Final = {"--storage-option": " NAME=VALUE", "--verbose": ""}
"""Options of all commands, and their values."""
_EXTRA: Final = re.compile(r"unexpected extra arguments?(?:\(s\))? \((.*)\)")
_INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 and the number of the signal."""


_HELP_OPTIONS: dict[Any, Any] = {"help_option_names": ["-h", "--help"]}


class _Commands(TyperGroup):
    """The commands. An error that ends one early is printed in one line, also one of the command line's syntax."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for subject in COMMANDS.values() for name in subject]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        longer = " ".join(args[:2])
        if name and not name.startswith("-") and longer not in _PLACES:
            meant = find_longer_command(args, _PLACES) if name in _PLACES else find_command_line(args, _PLACES)
            if meant is not None or name not in _PLACES:
                typed = longer if name in _PLACES else name
                ctx.fail(f"no such command {typed!r}" + (f"; did you mean {meant}?" if meant else ""))
        if longer in _PLACES:  # `index build TABLE`, where `index TABLE` is a command too
            return longer, self.get_command(ctx, longer), args[2:]
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _PLACES:
            return None
        return once_command(cmd_name, command_function(cmd_name), _HELP_OPTIONS)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        refuse_undecoded(ctx, args)
        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(overview())

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        given = sys.argv[1:] if args is None else list(args)
        if given[:1] == ["help"]:
            given = [*given[1:], "--help"]

        def run() -> int:
            try:
                with warnings_shown(), self.make_context("hudi-core", given or ["--help"]) as context:
                    try:
                        self.invoke(context)
                    finally:
                        end_waiting()
                        report_traffic()
            except typer.Exit as end:
                return end.exit_code
            return 0 if given else 2

        sys.exit(_status(run, given))


def _refusal(refused: Any, given: Sequence[str]) -> str:
    message = " ".join(refused.format_message().split()).rstrip(".").replace("Value error, ", "")
    message = _OF_CHOICES.sub(_name_choices, _STATED.sub(r"\1: expected", message))
    value = _INVALID.fullmatch(message)
    if value is not None:
        names = re.findall(r"'(-[^']*)'", value[1])
        typed = next((after for name, after in pairwise(given) if name in names), None)
        shown = "" if typed is None else f", found {typed!r}"
        message = f"{max(names, key=len, default=value[1])}: expected {_plain_words(value[2])}{shown}"
    if refused.ctx is None:
        command = "hudi-core"
    else:
        command = refused.ctx.command_path
        hint = name_table(_hint(refused, message, given), given)
        message = f"{message.partition(' (Possible options')[0]}{hint}"
    see = f"{'. See' if message.endswith(')') else ' See' if message.endswith('?') else '; see'} {command} --help"
    return f"{command}: {message[:1].lower()}{message[1:]}{see}"


def _name_choices(refused: re.Match[str]) -> str:
    """What an option or an argument of some words expects: these words, and the one that was meant."""
    names = re.findall(r"'([^']+)'", refused[1])
    words = re.findall(r"'([^']+)'", refused[3])
    near = get_close_matches(refused[2], words, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"{max(names, key=len)}: expected one of {', '.join(words)}, found {refused[2]!r}{meant}"


def _hint(refused: Any, message: str, given: Sequence[str]) -> str:
    """What was meant by a command line with another option, with one word more than there is place for, or with one too few;
    of an argument that is missing what it is."""
    command = refused.ctx.command
    options = [name for param in command.params if param.param_type_name == "option" for name in param.opts]
    option = getattr(refused, "option_name", None)
    if option is not None and "no such option" in message.lower():
        if option in _BEFORE:
            return f"; it goes before the command: hudi-core {option}{_BEFORE[option]} {command.name} ..."
        return explain_option(command.name, option, options)
    extra = _EXTRA.search(message)
    if extra is not None:
        words = [extra[1]] if extra[1] in given else extra[1].split()
        return explain_late_table(command.name, words, given) or explain_extra_words(command.name, options, words)
    missing = getattr(refused, "param", None)
    if missing is not None and message.startswith("Missing argument"):
        return f" ({missing.help[:1].lower()}{missing.help[1:].rstrip('.')})" if missing.help else ""
    if missing is None or not message.startswith("Missing option"):
        return ""
    # The parser stops at the option that is missing: what was typed after the table is still to be looked at.
    words = list(takewhile(lambda word: not word.startswith("-"), given[len(command.name.split()) :]))
    return explain_extra_words(command.name, options, words[1:2]) or explain_missing_option(command.name)


def _plain_words(text: str) -> str:
    """What a value should be, without the words of whoever checked it."""
    text = text.partition(", unable to parse")[0].replace("a valid integer", "a whole number")
    return text.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")


app = typer.Typer(
    name="hudi-core",
    cls=_Commands,
    help=ABOUT,
    epilog=EXAMPLE,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings=_HELP_OPTIONS,
)


def _status(run: Callable[[], int], given: Sequence[str] = ()) -> int:
    """Runs to the end; gives the exit status. What goes wrong is a line on standard error."""
    try:
        status = run()
        flush()
    except BrokenPipeError:
        discard()  # whoever read our output has seen enough
        return 0
    except KeyboardInterrupt as end:
        return _report("interrupted", end.exit_status if isinstance(end, Stopped) else _INTERRUPTED)
    except HudiError as error:
        if isinstance(error, NotATableError):
            late = explain_order(given) or explain_place(error.where)
        else:
            late = explain_condition(str(error), given)
        return _report(
            "\n".join([f"error: {_in_a_line(error)}{late}", *getattr(error, "__notes__", ())]), error.exit_status
        )
    except _Misuse as refused:
        return _report(f"error: {_refusal(refused, given)}", 2)
    except typer.Abort:
        return 1
    except MemoryError as problem:
        return _report(f"error: out of memory{_in_a_line(problem) and ': '}{_in_a_line(problem)}", 1)
    except RuntimeError as problem:
        if str(problem) != _NO_THREAD:
            raise
        return _report(f"error: {problem}: the limit of threads or of memory is reached", 1)
    except OSError as problem:
        # What is not of a file is of the text of --help and --version, which Typer writes itself.
        nameless = "the current folder" if isinstance(problem, FileNotFoundError) else "standard output"
        place = nameless if problem.filename is None else problem.filename
        return _report(f"error: {place}: {problem.strerror or problem}", 1)
    return status


def _report(message: str, status: int) -> int:
    """Prints an error, after all output before it; returns the exit status."""
    try:
        flush()
    except OSError:
        discard()  # the message reports this, unless it reports something worse
    say(message)
    return status


_NO_THREAD: Final = "can't start new thread"
"""What Python says where the system gives it no thread."""


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split())


_PLACES = {
    "inspect": "tables:inspect",
    "timeline": "tables:timeline",
    "commits": "summaries:commits",
    "partitions": "summaries:partitions",
    "report": "report.command:report",
    "validate": "validation:validate",
    "schema": "schemas:schema",
    "files": "tables:files",
    "explain": "explain.command:explain",
    "read": "read:read",
    "head": "summaries:head",
    "sql": "sql:sql",
    "count": "summaries:count",
    "stats": "details:stats",
    "diff": "details:diff",
    "trace": "details:trace",
    "dump": "dump:dump",
    "keys": "keys:keys",
    "tag": "tag:tag",
    "locate": "locate:locate",
    "convert-schema": "schemas:convert_schema",
    "evolve": "schemas:evolve",
    "create": "create:create",
    "write": "writing:write",
    "delete": "writing:delete",
    "update": "writing:update",
    "delete-partition": "writing:delete_partition",
    "rollback": "create:rollback",
    "savepoint": "restoring:savepoint",
    "restore": "restoring:restore",
    "unlock": "unlock:unlock",
    "service": "service:service",
    "cluster": "cluster:cluster",
    "clean": "cleaning:clean",
    "compact": "compact:compact",
    "archive": "archiving:archive",
    "index": "indexes:index",
    "index list": "indexes:list_indexes",
    "index build": "indexes:build_index",
    "index drop": "indexes:remove_index",
    "index advise": "indexes:advise_index",
    "metadata": "indexes:metadata",
    "completion": "completion:completion",
    "demo": "demo:demo",
}
"""The module of each command within this package, and its function there: a command is loaded when it is called."""


def command_function(name: str) -> Callable[..., None]:
    """Loads the function of a command. What a new process has loaded by then stays to its end: no search for garbage looks
    through it, neither on the way (`main.run` puts these off) nor later. They are a fifth of the time of a short command."""
    module, _, function_name = _PLACES[name].partition(":")
    function: Callable[..., None] = getattr(import_module(f"hudi_core.cli.{module}"), function_name)
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    return function


def _print_version(wanted: bool) -> None:
    if wanted:
        write(f"hudi-core {__version__}\n")
        raise typer.Exit


@app.callback()
def common(
    _: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help=VERSION_HELP)] = False,
    storage_option: Annotated[
        list[str] | None,
        typer.Option("--storage-option", metavar="NAME=VALUE", help=STORAGE_HELP),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help=VERBOSE_HELP)] = False,
) -> None:
    """Inspect, prune, read and write Apache Hudi tables."""
    OPENED.set([] if verbose else None)
    report_log(verbose)
    try:
        STORAGE_OPTIONS.set(names_and_values("--storage-option", storage_option, "name=value"))
    except UsageError as error:
        message = f"expected {error.expected}, found {error.found}"
        raise typer.BadParameter(message, param_hint=error.where) from None


def run() -> None:
    """The console script. Exit status: 0, 1 for an error of the table or its data, 2 for misuse, 130 when it is interrupted."""
    warnings.showwarning = lambda message, *_: show_warning(str(message))
    stop_on_signals()
    app()

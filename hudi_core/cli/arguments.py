"""What is given on a command line: each option once unless it is repeatable, and names with values. Rule CLI-200."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import typer
from typer.core import TyperCommand

from hudi_core.cli.help import command_help
from hudi_core.cli.waiting import show_working
from hudi_core.errors import UsageError

_MISUSE: Final[Any] = typer.BadParameter.mro()[1]
"""What a command line raises that cannot be understood."""

_PATHS: Final = ("FILE", "INPUT", "FOLDER", "DIR")
"""What is typed behind options, and as arguments, that are paths."""
_PARTITIONS: Final = ("PARTITION...", "P,Q")
"""What is typed that are paths of partitions, one by one or with commas between them."""
_WITHOUT_WORK: Final = ("completion", "service")
"""Commands that print at once, or wait for hours."""


class OnceCommand(TyperCommand):
    """A command that takes each option once, but for repeatable ones."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(command_help(self.name or "", self))

    def invoke(self, ctx: Any) -> Any:
        """Runs the command. An error about an argument of a function is about the option that was typed. Rule CLI-984."""
        if self.name not in _WITHOUT_WORK:
            show_working(self.name or "", sys.stderr)
        try:
            return super().invoke(ctx)
        except UsageError as error:
            raise name_options(error, _options(self)) from error


def _options(command: Any) -> dict[str, str]:
    """The longest form of each option, by its own name and by the names of arguments of functions that it is given to."""
    options: dict[str, str] = {}
    for one in command.params:
        if one.param_type_name == "option":
            typed = max(one.opts, key=len)
            options |= dict.fromkeys((one.name, typed.removeprefix("--").replace("-", "_")), typed)
    others = {"indexes": "index", "properties": "option", "target": "target_file_size", "small": "small_file_limit"}
    return options | {argument: options[name] for argument, name in others.items() if name in options}


def name_options(error: UsageError, options: Mapping[str, str]) -> UsageError:
    """The error with the names of arguments as options are typed.

    >>> options = {"only": "--only", "keep_min": "--keep-min"}
    >>> str(name_options(UsageError("only", expected="one of keep_min and `keep_max`", found="3"), options))
    '--only: expected one of --keep-min and `keep_max`, found 3'
    """

    def rename(text: str | None) -> str | None:
        if text is None:
            return None
        quoted = re.sub(r"`([a-z_]+)`", lambda name: options.get(name[1], name[0]), text)
        return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda name: options.get(name[0], name[0]), quoted)

    where = options.get(error.where, error.where)
    found = error.found if where in options.values() else rename(error.found)  # of one option it is what was typed
    message, hint = rename(error.message), rename(error.hint)
    made = UsageError(where, expected=rename(error.expected), found=found, message=message, hint=hint)
    for note in getattr(error, "__notes__", ()):
        made.add_note(note)
    return made


def split_names(option: str, text: str | None) -> tuple[str, ...] | None:
    """The names of an option that takes several, with commas between them; None where it is not given.

    Raises `UsageError` for none, and for an empty one: nothing would be meant by it.
    """
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise UsageError(option, expected="names separated by commas", found=repr(text))
    return names


def refuse_repeated(command: Any, ctx: Any, args: Sequence[str]) -> None:
    """Raises what a misused command line does for an option that is given more than once and is not repeatable: all but its last
    value would be dropped without a word. So does an empty text where a path belongs, which would be the current folder, and
    where the path of a partition does, which would be the whole table."""
    try:
        values, _, order = command.make_parser(ctx).parse_args(args=list(args))
    except _MISUSE as misuse:
        misuse.ctx = misuse.ctx or ctx
        raise
    for place, option in enumerate(order):
        repeatable = getattr(option, "multiple", False) or getattr(option, "count", False)
        if option in order[:place] and not repeatable:
            raise typer.BadParameter(
                "expected once, found several times", ctx=ctx, param_hint=max(option.opts, key=len)
            )
        expected = _name_missing(option.metavar, values.get(option.name))
        if expected is not None:
            name = max(option.opts, key=len) if option.param_type_name == "option" else option.metavar
            raise typer.BadParameter(f"expected {expected}, found ''", ctx=ctx, param_hint=name)


def _name_missing(metavar: str | None, value: object) -> str | None:
    """What belongs in the place of an empty text; None where there is none."""
    if metavar in _PATHS:
        return "a path or URL" if value == "" else None
    if metavar not in _PARTITIONS or value is None:
        return None
    paths = value.split(",") if isinstance(value, str) else value
    assert isinstance(paths, list | tuple)
    return None if all(path.strip().strip("/") for path in paths) else "the path of a partition"


def once_command(name: str, function: Callable[..., None], help_options: dict[Any, Any]) -> Any:
    """A function as a command that takes each option once."""
    single = typer.Typer(pretty_exceptions_enable=False, context_settings=help_options, add_completion=False)
    single.command(name, cls=OnceCommand)(function)
    return typer.main.get_command(single)


def names_and_values(option: str, given: Iterable[str] | None, form: str) -> dict[str, str]:
    """The values of `name=value` by name. Raises `UsageError` for another form and for a name that comes twice, without the text:
    it may be a secret."""
    values: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise UsageError(option, expected=form, found="= without a name" if equals else "a name without =")
        if name in values:
            raise UsageError(option, expected=f"one value of {name}", found="several")
        values[name] = value
    return values


def refuse_undecoded(context: Any, arguments: Sequence[str]) -> None:
    """Fails for an argument whose bytes are no characters in Python's encoding of arguments. Rule CLI-1683."""
    for argument in arguments:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            encoding = sys.getfilesystemencoding()
            hint = "" if encoding == "utf-8" else "; with PYTHONUTF8=1 in the environment they are read as UTF-8"
            context.fail(f"expected arguments in {encoding}, found the bytes {os.fsencode(argument)!r}{hint}")

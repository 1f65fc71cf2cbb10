"""What is given on a command line: each option once unless it is repeatable, and names with values. Rule CLI-200."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand

from hudi_core.cli.help import command_help
from hudi_core.errors import UsageError


class OnceCommand(TyperCommand):
    """A command that takes each option once, but for repeatable ones."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(command_help(self.name or "", self))


def refuse_repeated(command: Any, ctx: Any, args: Sequence[str]) -> None:
    """Raises what a misused command line does for an option that is given more than once and is not repeatable: all but its last
    value would be dropped without a word."""
    _, _, order = command.make_parser(ctx).parse_args(args=list(args))
    for place, option in enumerate(order):
        repeatable = getattr(option, "multiple", False) or getattr(option, "count", False)
        if option in order[:place] and not repeatable:
            raise typer.BadParameter(
                "expected once, found several times", ctx=ctx, param_hint=max(option.opts, key=len)
            )


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
        if not name or not equals:
            raise UsageError(option, expected=form, found="no = behind a name")
        if name in values:
            raise UsageError(option, expected=f"one value of {name}", found="several")
        values[name] = value
    return values

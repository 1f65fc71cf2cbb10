"""The help of a command: its use, what it does, its options with their choices whole, and examples. Rule CLI-675."""

from __future__ import annotations

import inspect
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, Final

from hudi_core.cli.examples import example_lines

_WIDEST: Final = 100
_COLUMN: Final = 26
"""Where the texts begin."""


def command_help(name: str, command: Any) -> str:
    """The help of a command, as wide as the terminal."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    options = [one for one in shown if one.param_type_name != "argument"]
    usage = " ".join([f"hudi-core {name}", *(_argument_name(one) for one in arguments), "[OPTIONS]"])
    lines = [*textwrap.wrap(f"Usage: {usage}", width, subsequent_indent="       "), ""]
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        lines += [*textwrap.wrap(" ".join(paragraph.split()), width, break_long_words=False), ""]
    if arguments:
        lines += ["Arguments:", *_entries(((_argument_name(one), one.help or "") for one in arguments), width), ""]
    lines += ["Options:", *_entries(((_option_name(one), _option_text(one)) for one in options), width)]
    lines += _entries([("-h, --help", "Show this message and exit.")], width)
    examples = example_lines(name)
    if examples:
        lines += ["", "Examples:", *(f"  {line}" for line in examples)]
    return "\n".join(lines)


def _argument_name(argument: Any) -> str:
    name = str(argument.metavar or argument.name.upper()).strip("[]{}")
    return name if argument.required else f"[{name}]"


def _option_name(option: Any) -> str:
    """The names, short ones first, with what is typed behind them: nothing behind a flag."""
    names = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        names = f"{names}, {', '.join(option.secondary_opts)}"
    if option.is_flag:
        return names
    choices = "|".join(map(_text, type(option.default))) if isinstance(option.default, Enum) else "VALUE"
    return f"{names} {option.metavar or choices}"


def _option_text(option: Any) -> str:
    text = option.help or ""
    default = option.default
    if option.required:
        return f"{text} Required."
    if option.is_flag or option.multiple or default in (None, "", ()) or callable(default):
        return text
    return f"{text} [default: {_text(default)}]"


def _text(value: object) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _entries(entries: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    for name, text in entries:
        wrapped = textwrap.wrap(text, max(width - _COLUMN, 24), break_long_words=False, break_on_hyphens=False)
        lead = f"  {name}"
        if len(lead) + 2 > _COLUMN or not wrapped:
            yield from _between_choices(lead, width)
            lead = ""
        for line in wrapped:
            yield f"{lead:{_COLUMN}}{line}"
            lead = ""


def _between_choices(lead: str, width: int) -> Iterator[str]:
    """A name with its choices, in lines that end between two of these."""
    line = ""
    for part in lead.split("|"):
        joined = f"{line}|{part}" if line else part
        if line and len(joined) > width - 1:
            yield f"{line}|"
            joined = f"      {part}"
        line = joined
    yield line

"""`completion`: a script by which a shell completes commands and options. Rule CLI-683."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any

import typer

from hudi_core.cli.arguments import once_command
from hudi_core.cli.options import JsonOption
from hudi_core.cli.output import Output, write
from hudi_core.cli.overview import COMMANDS


class Shell(StrEnum):
    """A shell that completes."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")],
    as_json: JsonOption = False,
) -> None:
    """Print a script by which a shell completes commands and their options.

    In bash: source <(hudi-core completion bash). In zsh the same with zsh, after compinit. In fish: hudi-core completion fish |
    source.
    """
    if as_json:
        Output(as_json).record({"shell": shell.value, "script": script(shell)})
    else:
        write(script(shell))


def script(shell: Shell) -> str:
    """The script of a shell."""
    options = {name: _options(name) for name in _texts()}
    if shell is Shell.FISH:
        return "".join(f"{line}\n" for line in _fish(options))
    lines = list(_bash(options))
    if shell is Shell.ZSH:
        lines = ["autoload -U +X bashcompinit && bashcompinit", *lines]
    return "".join(f"{line}\n" for line in lines)


def _texts() -> dict[str, str]:
    return {name: text for commands in COMMANDS.values() for name, text in commands.items()}


def _options(name: str) -> list[Any]:
    application = import_module("hudi_core.cli.application")  # which loads this module to run it
    function: Callable[..., None] = application.command_function(name)
    command = once_command(name, function, {})
    return [one for one in command.params if one.param_type_name == "option" and not one.hidden]


def _bash(options: Mapping[str, list[Any]]) -> Iterator[str]:
    firsts = sorted({name.split()[0] for name in options})
    yield "_hudi_core() {"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield '  if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f'    COMPREPLY=($(compgen -W {shlex.quote(" ".join(firsts))} -- "$cur")); return'
    yield "  fi"
    yield '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in'
    for name in sorted(options, key=lambda name: -len(name.split())):
        names = sorted({text for one in options[name] for text in (*one.opts, *one.secondary_opts)} | {"--help"})
        pattern = f'"{name}"' if " " in name else f'"{name} "*'
        yield f"    {pattern}) words={shlex.quote(' '.join(names))} ;;"
    yield "  esac"
    for first in sorted({name.split()[0] for name in options if " " in name}):
        seconds = " ".join(name.split()[1] for name in options if name.startswith(f"{first} "))
        yield f'  if [ "$COMP_CWORD" -eq 2 ] && [ "${{COMP_WORDS[1]}}" = {first} ]; then'
        yield f'    COMPREPLY=($(compgen -W {shlex.quote(seconds)} -- "$cur") $(compgen -f -- "$cur")); return'
        yield "  fi"
    yield '  case "$cur" in'
    yield '    -*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;'
    yield '    *) COMPREPLY=($(compgen -f -- "$cur")) ;;'
    yield "  esac"
    yield "}"
    yield "complete -o filenames -F _hudi_core hudi-core"


def _fish(options: Mapping[str, list[Any]]) -> Iterator[str]:
    texts = _texts()
    for name, of_command in options.items():
        first, _, second = name.partition(" ")
        when = "__fish_use_subcommand" if not second else f"__fish_seen_subcommand_from {first}"
        text = texts[name].partition(":")[0]
        if second:
            yield f"complete -c hudi-core -n __fish_use_subcommand -a {first} -d {shlex.quote('Indexes')}"
        yield f"complete -c hudi-core -n {shlex.quote(when)} -a {second or first} -d {shlex.quote(text)}"
        seen = f"__fish_seen_subcommand_from {second or first}"
        for one in of_command:
            longs = [f"-l {text.removeprefix('--')}" for text in one.opts if text.startswith("--")]
            shorts = [f"-s {text.removeprefix('-')}" for text in one.opts if not text.startswith("--")]
            given = [] if one.is_flag else ["-r"]
            line = " ".join([*longs, *shorts, *given, "-d", shlex.quote(one.help or "")])
            yield f"complete -c hudi-core -n {shlex.quote(seen)} {line}"

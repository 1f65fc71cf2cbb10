"""Every command line in the documents names a command that there is, with options that it has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest

from hudi_core.cli.application import command_function
from hudi_core.cli.arguments import once_command
from hudi_core.cli.overview import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted({*ROOT.glob("docs/**/*.md")} - {*ROOT.glob("docs/reference/*.md")})]
NAMES = {name for commands in COMMANDS.values() for name in commands} | {"index"}
_BLOCK = re.compile(r"^ *```.*?^ *```", re.M | re.S)
_FENCED = re.compile(r"^ *(?:\$ +)?(hudi-core .*)$", re.M)
_INLINE = re.compile(r"`(hudi-core [^`]*)`")
_GROUP_OPTIONS = {"--verbose", "--version", "--help", "-h", "--storage-option"}


@cache
def options_of(command: str) -> frozenset[str]:
    """The options of a command as they are typed."""
    params = once_command(command, command_function(command), {}).params
    return frozenset(text for one in params for text in (*one.opts, *one.secondary_opts)) | {"--help", "-h"}


def lines_of(page: Path) -> Iterator[str]:
    """The command lines of a page; a line that is broken by a backslash is one."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    for block in _BLOCK.findall(text):
        yield from (match[1] for match in _FENCED.finditer(block))
    yield from (" ".join(match[1].split()) for match in _INLINE.finditer(_BLOCK.sub("", text)))


def problem(line: str) -> str | None:
    """What a command line has that the program lacks."""
    words = [*takewhile(lambda word: word not in (">", "|", ";"), shlex.split(line, comments=True))][1:]
    while words and words[0] in _GROUP_OPTIONS:
        words = words[2:] if words[0] == "--storage-option" else words[1:]
    if not words or words[0].isupper():
        return None
    words = words[1:] if words[0] == "help" else words
    command = " ".join(words[:2]) if " ".join(words[:2]) in NAMES else words[0]
    if command not in NAMES:
        return f"no command {command}"
    given = [word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)]
    return next((f"{command} has no {option}" for option in given if option not in options_of(command)), None)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_command_lines_of_documents_are_understood(page: Path) -> None:
    assert [(line, fault) for line in lines_of(page) if (fault := problem(line)) is not None] == []


def test_wrong_lines_are_seen() -> None:
    assert problem("hudi-core read t --limit 3 --json") is None
    assert problem("hudi-core --storage-option a=b read t -n 3") is None
    assert problem("hudi-core reed t") == "no command reed"
    assert problem("hudi-core index build t --advise") == "index build has no --advise"

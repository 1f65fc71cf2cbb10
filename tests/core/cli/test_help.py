"""The help of commands."""

from __future__ import annotations

import re

import pytest

from hudi_core.cli.application import app, command_function
from hudi_core.cli.overview import COMMANDS
from tests.support.commands import ran
from tests.support.screens import screen

LISTED = [name for commands in COMMANDS.values() for name in commands]


@pytest.mark.parametrize("name", LISTED)
def test_help_has_what_is_typed_and_examples(name: str) -> None:
    """CLI-675."""
    shown = screen(80, *name.split(), "--help").out
    assert f"Usage: hudi-core {name}" in shown
    assert "Examples:" in shown
    assert "<bool>" not in shown
    assert not re.search(r"^  -\S+ VALUE\b", shown, re.M)
    head = shown[: shown.index("Examples:")]
    assert max(map(len, head.splitlines())) <= 80


def test_choices_are_never_broken_within_a_word() -> None:
    """CLI-675."""
    shown = screen(60, "write", "--help").out
    lines = [line.strip() for line in shown.splitlines() if "|" in line]
    choices = {part for line in lines for part in re.sub(r"--[a-z-]+ ", "", line).split("|") if part}
    assert {"insert_overwrite_table", "insert_overwrite", "bulk_insert", "record_index"} <= choices


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("vacuum", "clean"),
        ("vacum", "clean"),
        ("optimize", "cluster"),
        ("log", "commits"),
        ("show", "read"),
        ("indexes", "index list"),
        ("restor", "restore"),
        ("partition", "partitions"),
        ("query", "sql"),
    ],
)
def test_words_of_other_tools_get_the_right_one(typed: str, meant: str) -> None:
    """CLI-676."""
    assert ran(typed, "t").error == f"hudi-core: no such command {typed!r}; did you mean {meant}?; see hudi-core --help"


def test_every_word_of_other_tools_leads_to_a_command() -> None:
    """CLI-676."""
    assert app is not None
    for word in ("undo", "blame", "cat", "drop-index", "maintain", "ls", "merge"):
        meant = ran(word).error.partition("did you mean ")[2].partition("?")[0]
        assert command_function(meant)

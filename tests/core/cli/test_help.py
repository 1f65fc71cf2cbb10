"""The help of commands."""

from __future__ import annotations

import re

import pytest

from hudi_core.cli.overview import COMMANDS
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

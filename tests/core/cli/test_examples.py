"""Examples of commands."""

from __future__ import annotations

import re
import shlex

import pytest

from hudi_core.cli.examples import EXAMPLES
from hudi_core.cli.overview import COMMANDS
from tests.support.commands import ran

LISTED = [name for commands in COMMANDS.values() for name in commands]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_understood(name: str) -> None:
    """CLI-675: each names a command, and options that it has."""
    assert name in LISTED or name == "index"
    for line in EXAMPLES[name]:
        words = shlex.split(line.partition("hudi-core ")[2] or line)
        command = " ".join(words[:2]) if " ".join(words[:2]) in EXAMPLES else words[0]
        assert command == name or name == "index"
        given = [word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word)]
        shown = ran(*command.split(), "--help").out.partition("Examples:")[0]
        assert [option for option in given if not re.search(rf"(?<![\w-]){option}(?![\w-])", shown)] == []

"""Commands as people see them at 80 and 200 columns and in pipes, held as texts in `screens/`.

`python -m tests.core.cli.test_screens` writes them again; look at what changed.
"""

from __future__ import annotations

import re
from contextlib import chdir
from pathlib import Path

import pytest

from tests.support.commands import rides
from tests.support.screens import screen, without_times

SCREENS = Path(__file__).parent / "screens"
COMMANDS = {
    "explain": ("explain", "--where", "distance_km > 45 AND city = 'oslo'"),
    "files": ("files", "--where", "fare > 95"),
    "index": ("index",),
    "read": ("read", "--where", "fare > 95", "--limit", "5"),
    "read-one": ("read", "--limit", "1"),
    "validate": ("validate", "--only", "column_stats"),
    "timeline": ("timeline",),
    "commits": ("commits",),
    "partitions": ("partitions",),
    "inspect": ("inspect",),
    "report": ("report",),
    "metadata": (
        *("metadata", "--partition", "column_stats", "--limit", "1"),
        *("--where", "ColumnStatsMetadata.columnName = 'fare'"),
    ),
}
WIDTHS = {"80": 80, "200": 200, "pipe": None}


def printed(command: str, width: int | None) -> str:
    """What a command on the packaged table prints, without times."""
    name, *options = COMMANDS[command]
    with chdir(rides().parent):
        return without_times(screen(width, name, "rides", *options).out)


@pytest.mark.each_value
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_shown_as_its_text_has_it(command: str, width: str) -> None:
    """CLI-670."""
    assert printed(command, WIDTHS[width]) == (SCREENS / f"{command}-{width}.txt").read_text("utf-8")


@pytest.mark.each_value
@pytest.mark.parametrize("width", [40, 60])
@pytest.mark.parametrize("command", ["explain", "files", "index", "read", "inspect"])
def test_no_line_is_wider_than_the_terminal(command: str, width: int) -> None:
    """CLI-670."""
    assert max(map(len, printed(command, width).splitlines())) <= width


def test_every_text_belongs_to_a_command() -> None:
    names = {f"{command}-{width}.txt" for command in COMMANDS for width in WIDTHS}
    assert {path.name for path in SCREENS.iterdir()} == names
    assert not any(re.search(r" +$", path.read_text("utf-8"), re.M) for path in SCREENS.iterdir())


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    for name in COMMANDS:
        for at, columns in WIDTHS.items():
            (SCREENS / f"{name}-{at}.txt").write_text(printed(name, columns), "utf-8")

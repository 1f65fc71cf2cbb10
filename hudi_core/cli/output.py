"""What commands say: NDJSON for programs, tables for people; messages and warnings on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_PLAIN_WIDTH = 160
_STYLES = {
    "skip": "dim",
    "read": "cyan",
    "all_match": "green",
    "completed": "green",
    "inflight": "yellow",
    "requested": "yellow",
}


class Output:
    """Standard output in one of two forms. With `as_json`, one JSON object a line and nothing else."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        # A pipe has no width: wide enough that tables are not folded, and without colours.
        self.console = Console() if sys.stdout.isatty() else Console(width=_PLAIN_WIDTH, no_color=True, highlight=False)

    def line(self, record: Mapping[str, Any]) -> None:
        """One object as a line of JSON."""
        sys.stdout.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")

    def record(self, record: Mapping[str, Any]) -> None:
        """One object: a line of JSON, or its entries under each other."""
        if self.as_json:
            self.line(record)
            return
        grid = Table.grid(padding=(0, 2))
        for key, value in record.items():
            grid.add_row(Text(key.replace("_", " "), style="bold"), Text(cell(value)))
        self.console.print(grid)

    def rows(self, columns: Sequence[str], records: Iterable[Mapping[str, Any]], title: str | None = None) -> None:
        """Objects: a line of JSON each with all their entries, or a table of these columns."""
        if self.as_json:
            for record in records:
                self.line(record)
            return
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold"
        )
        for column in columns:
            table.add_column(column.replace("_", " "), overflow="fold")
        for record in records:
            table.add_row(*(styled(record.get(column)) for column in columns))
        self.console.print(table)

    def text(self, said: str) -> None:
        """A line for people; never in JSON form."""
        if not self.as_json:
            self.console.print(said, markup=False, soft_wrap=True)


def cell(value: object) -> str:
    """A value in a table: lists with commas, nothing for null, nested values as JSON."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case list() | tuple() if all(isinstance(part, str) for part in value):
            return ", ".join(value) or "-"
        case dict() | list() | tuple():
            return json.dumps(value, ensure_ascii=False)
        case int():
            return f"{value:,}"
        case _:
            return str(value)


def styled(value: object) -> Text:
    said = cell(value)
    return Text(said, style=_STYLES.get(said, ""))


def say(message: str) -> None:
    """A message on standard error."""
    sys.stderr.write(f"{message}\n")

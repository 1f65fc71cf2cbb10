"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from hudi_core.cli.output import say
from hudi_core.table.open import open_table
from hudi_core.table.snapshot import MetadataMode
from hudi_core.table.table import Table

TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="Path or URL of the table's root folder.")]
EngineOption = Annotated[str, typer.Option("--engine", help="Engine that reads the table.")]
MetadataOption = Annotated[
    MetadataMode,
    typer.Option(
        "--metadata", help="Use the metadata table: if it is readable (auto), or fail (require), or never (off)."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line on standard output.")]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="INSTANT", help="The table as it was at this instant.")
]
WhereOption = Annotated[str | None, typer.Option("--where", metavar="SQL", help="A predicate, as in a WHERE clause.")]
CaseOption = Annotated[
    bool,
    typer.Option("--case-sensitive/--ignore-case", help="Whether column names must match in upper and lower case."),
]
DEFAULT_ENGINE = "arrow"


def opened(uri: str, engine: str, metadata: MetadataMode, case_sensitive: bool = False) -> Table:
    """The table; its findings go to standard error."""
    table = open_table(uri, engine=engine, metadata=metadata, case_sensitive=case_sensitive)
    warn(table.config.findings)
    return table


def local_path(path: Path) -> Path:
    """A path to write to, whose folder exists."""
    if not path.parent.is_dir():
        raise typer.BadParameter(f"no such folder: {path.parent}")
    return path


def warn(messages: Iterable[str]) -> None:
    """Warnings on standard error, each once."""
    for message in dict.fromkeys(messages):
        say(f"warning: {message}")

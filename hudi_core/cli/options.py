"""Arguments and options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ByteSize, TypeAdapter, ValidationError

from hudi_core.by_need import ModuleByNeed
from hudi_core.cli.output import say, show_warning
from hudi_core.cli.waiting import show_waiting
from hudi_core.cli.words import traffic
from hudi_core.engine import Storage
from hudi_core.errors import UsageError
from hudi_core.local_uris import is_url, local_path
from hudi_core.snapshot.footer_cache import DEFAULT_MAX_BYTES
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.open import open_table
from hudi_core.table.table import Table

if TYPE_CHECKING:
    from hudi_core.expr import queries
    from hudi_core.expr.queries import Query
else:
    queries = ModuleByNeed("hudi_core.expr.queries")  # most commands take no predicate

TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="Path or URL of the table's root folder.")]
EngineOption = Annotated[str, typer.Option("--engine", metavar="NAME", help="Engine that reads the table.")]
TasksOption = Annotated[
    str,
    typer.Option("--engine", metavar="NAME", help="Engine that runs the tasks: arrow here, spark on executors."),
]
MetadataOption = Annotated[
    MetadataMode,
    typer.Option(
        "--metadata",
        metavar="auto|require|off",
        help="Whether to use the metadata table: if it can be read, always, or never.",
    ),
]
FooterCacheOption = Annotated[
    str | None,
    typer.Option(
        "--footer-cache",
        metavar="FILE",
        help="A local file that caches footers, for tables without column_stats; created when it is missing.",
    ),
]
FooterCacheSize = Annotated[
    int | None,
    typer.Option(
        "--footer-cache-mib",
        metavar="N",
        min=1,
        help="How large that file may grow, in MiB; the least recently used footers are dropped first. "
        f"[default: {DEFAULT_MAX_BYTES >> 20}]",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line on standard output.")]
AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar="INSTANT", help="The table as it was at an instant, or a date and time."),
]
WHERE = "A predicate, as after WHERE in SQL; several have to be true together."
WhereOption = Annotated[list[str] | None, typer.Option("--where", "-w", metavar="SQL", help=WHERE)]
RequiredWhere = Annotated[list[str], typer.Option("--where", "-w", metavar="SQL", help=WHERE)]
CaseOption = Annotated[bool, typer.Option("--case-sensitive", help="Distinguish names of columns by case.")]
WhereFileOption = Annotated[
    Path | None,
    typer.Option(
        "--where-file",
        metavar="FILE",
        help="Past queries: a predicate a line, -- or # before a comment; a line that comes often weighs more.",
    ),
]
STORAGE_OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("storage_options", default=MappingProxyType({}))
"""The storage options that are before the command."""
OPENED: ContextVar[list[Storage] | None] = ContextVar("opened", default=None)
"""The storages of tables that the command opened, where it reports their requests."""


def byte_count(text: str, option: str | None = None) -> int:
    """A size as it is typed: bytes, or with a unit (`120MB`, `1GiB`). Raises what a misused command line does for another text;
    a parser of options names its `option` itself."""
    try:
        return int(TypeAdapter(ByteSize).validate_python(text))
    except ValidationError as error:
        message = f"expected a size such as 134217728, 128MB or 1GiB, found {text!r}"
        raise typer.BadParameter(message, param_hint=option) from error


def open_from_options(
    uri: str,
    engine: str,
    metadata: MetadataMode,
    case_sensitive: bool = False,
    footer_cache: str | None = None,
    footer_cache_mib: int | None = None,
    *,
    beside: str = "",
) -> Table:
    """The table; what is odd about its properties goes to standard error.

    `beside` is a file of the same command: storage options are for its URL alone where the table is local.
    """
    if footer_cache is None and footer_cache_mib is not None:
        raise UsageError("--footer-cache-mib", expected="--footer-cache FILE beside it", found="none")
    options = {} if is_url(beside) and not is_url(uri) else STORAGE_OPTIONS.get()
    table = open_table(
        uri,
        engine=engine,
        metadata=metadata,
        case_sensitive=case_sensitive,
        footer_cache=footer_cache,
        footer_cache_bytes=DEFAULT_MAX_BYTES if footer_cache_mib is None else footer_cache_mib << 20,
        storage_options=options,
    )
    warn(table.config.findings)
    storages = OPENED.get()
    if storages is not None:
        storages.append(table.storage)
    show_waiting(table.storage, sys.stderr, verbose=storages is not None)
    return table


def report_traffic() -> None:
    """Prints the requests to remote storage on standard error, with `--verbose`."""
    for storage in OPENED.get() or ():
        say(f"{storage.uri}: {traffic(storage.traffic) if storage.is_remote else 'local files, nothing waited for'}")


def queries_of(table: Table, where: Sequence[str] | None, where_file: Path | None) -> tuple[Query, ...]:
    """The queries of `--where` and of `--where-file`, which are put to the table's schema. Raises as `read_queries`."""
    given = queries.as_queries(where or ())
    return given if where_file is None else (*given, *queries.read_queries(where_file, table.scan))


def file_options(path: str) -> Mapping[str, str]:
    """The storage options for a file of a command; none for a local one."""
    return STORAGE_OPTIONS.get() if is_url(path) else {}


def free_file(path: str, *, overwrite: bool) -> str:
    """A file to write to, by path or URL. Raises `UsageError` as `free_path` for a local one."""
    return path if is_url(path) else str(free_path(Path(local_path(path)), overwrite=overwrite))


def free_page(page: Path | None, *, overwrite: bool) -> Path | None:
    """The path to write a page of `--html` to, if one is wanted. Raises `UsageError` as `free_path`."""
    if page is None and overwrite:
        raise UsageError("--overwrite", expected="--html", found="none")
    return None if page is None else free_path(page, overwrite=overwrite)


def free_path(path: Path, *, overwrite: bool) -> Path:
    """A path to write a file to. Raises `UsageError` when its folder does not exist, when it is a folder itself, and for a file
    that is there and may not be replaced."""
    if not path.parent.is_dir():
        raise UsageError(str(path), expected="a file in a folder that exists", found=f"no folder {path.parent}")
    if path.is_dir():
        raise UsageError(str(path), expected="a file", found="a folder")
    if path.is_file() and not overwrite:
        raise UsageError(str(path), expected="a file that does not exist, or --overwrite", found="one that does")
    return path


def warn(messages: Iterable[str]) -> None:
    """Warnings on standard error, each once."""
    for message in messages:
        show_warning(message)

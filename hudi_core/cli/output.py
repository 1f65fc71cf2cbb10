"""The output of commands: NDJSON for programs, tables for people; messages and warnings on standard error."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TextIO

from rich.console import Console
from rich.text import Text

from hudi_core.cli.layout import Column, entries, layout
from hudi_core.cli.symbols import PLAIN_SIGNS
from hudi_core.cli.waiting import end_waiting
from hudi_core.cli.words import fit_names
from hudi_core.errors import ConditionWarning, StorageError
from hudi_core.rows.outside_files import whole_file
from hudi_core.schema.schema import Schema
from hudi_core.secrets import without_secrets
from hudi_core.types import nodes as t

LONGEST = 200
"""Characters of a value that people are shown; an ellipsis marks what is cut off."""
_UNFOLDED = 1_000_000
_STYLES = {
    "skip": "dim",
    "read": "cyan",
    "all match": "green",
    "completed": "green",
    "inflight": "yellow",
    "requested": "yellow",
}
"""Words of reports that stand out."""

_ZEROS = re.compile(r"\.0+(?=Z?$)")
_NUMBERS = t.Int | t.Long | t.Float | t.Double | t.Decimal


class _Console(Console):
    """Raises `BrokenPipeError` where nobody reads, as other writing does; Rich would end the process with status 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Output:
    """Standard output in one of two forms. With `as_json`, one JSON object a line and nothing else."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        if isinstance(sys.stdout, io.TextIOWrapper):
            # JSON is UTF-8, where a lone surrogate is escaped. A letter that the terminal lacks is no reason to fail.
            encoding = "utf-8" if as_json else None
            sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace" if as_json else PLAIN_SIGNS)
        self._console = _Console(highlight=False, emoji=False)
        self._terminal = self._console.is_terminal
        if not self._terminal:
            # A file has no width: nothing is folded, so that each row stays on its line.
            self._console = _Console(width=_UNFOLDED, no_color=True, highlight=False, emoji=False)

    def line(self, record: Mapping[str, Any]) -> None:
        """One object as a line of JSON."""
        write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")

    def lines(self, lines: bytes) -> None:
        """Lines of JSON in UTF-8."""
        write(lines.decode())

    def record(self, record: Mapping[str, Any]) -> None:
        """One object: a line of JSON, or its entries under each other."""
        if self.as_json:
            self.line(record)
        else:
            values = (None if value == "" else value for value in record.values())
            self._entries([_space(key) for key in record], list(map(_format_reported, values)))

    def row(self, row: Mapping[str, Any], *, cut: bool = True) -> None:
        """One row for people: its columns, as they are named, under each other; unless `cut`, texts of any length."""
        cells = [
            _format_stored(value) if cut or not isinstance(value, str) else Text(printable(value))
            for value in row.values()
        ]
        self._entries([printable(name) for name in row], cells)

    def rows(
        self,
        columns: Sequence[str],
        records: Iterable[Mapping[str, Any]],
        *,
        title: str = "",
        folded: Collection[str] = (),
        verbatim: Collection[str] = (),
        elided: Collection[str] = (),
        below: Collection[str] = (),
        spare: Collection[str] = (),
    ) -> None:
        """Objects: a line of JSON each with all their entries, or a table of these columns.

        The table leaves out columns without any value. Where the terminal is narrow, strings in `folded` columns go over several
        lines, those in `elided` ones lose their middle, those in `below` go under their row, and `spare` columns are left out.
        Headings have spaces for underscores, but not of `verbatim` columns, which are columns of the user's.
        """
        if self.as_json:
            for record in records:
                self.line(record)
            return
        listed = list(records)
        shown = [column for column in columns if any(record.get(column) not in (None, "", []) for record in listed)]
        if title:
            self.heading(title)
        self._table(
            [
                Column(
                    column,
                    printable(column) if column in verbatim else _space(column),
                    [_format_reported(record.get(column)) for record in listed],
                    right=any(_is_number(record.get(column)) for record in listed),
                    wraps=column in folded,
                    elided=column in elided,
                    below=column in below,
                    spare=column in spare,
                )
                for column in shown or columns
            ]
        )

    def data(
        self, schema: Schema, rows: Sequence[Mapping[str, Any]], *, chooses: str = "--columns chooses, --json has all"
    ) -> None:
        """Rows of a schema in the form of `values.json`, with its columns as they are named; null is not the empty text.

        Where columns have no room, people are told which, and `chooses` says how to see them.
        """
        if self.as_json:
            for row in rows:
                self.line(row)
            return
        left_out = self._table(
            [
                Column(
                    field.name,
                    printable(field.name),
                    [
                        _format_stored(value)
                        for value in _without_zeros([row.get(field.name) for row in rows], field.type)
                    ],
                    right=isinstance(field.type, _NUMBERS),
                    cut=not isinstance(field.type, _NUMBERS),
                    spare=len(rows) > 1,
                )
                for field in schema.fields
            ]
        )
        if left_out:
            names = printable(fit_names(left_out))
            most = f"{len(left_out):,} more {'column has' if len(left_out) == 1 else 'columns have'} no room here"
            self.text(f"{most}: {names}; {chooses}", "dim")

    def text(self, text: str = "", style: str = "", *, folded: bool = True) -> None:
        """Lines for people, never in JSON form; unless `folded` they are left to the terminal as they are."""
        if not self.as_json:
            for line in text.split("\n"):
                self._print(Text(printable(line), style=style), folded=folded)

    def heading(self, text: str) -> None:
        """A line for people that stands above what belongs together."""
        self.text(text, "bold")

    def _table(self, columns: Sequence[Column]) -> Sequence[str]:
        """Prints the columns as a table, or each row by its entries where it has no room; returns the names of those left out."""
        made = layout(columns, self._console.width)
        count = len(columns[0].cells) if columns else 0
        needed = {column.name for column in columns if not column.spare}
        if made is not None and needed.isdisjoint(made.left_out):
            for line in made.lines(self._console):
                self._print(line, folded=False)
            return made.left_out
        for number in range(count):
            if count > 1:
                self.text(f"── {number + 1:,} ──", "dim")
            self._entries([column.heading for column in columns], [column.cells[number] for column in columns])
        return ()

    def _entries(self, names: Sequence[str], cells: Sequence[Text]) -> None:
        for line in entries(names, cells, self._console):
            self._print(line, folded=False)

    def _print(self, shown: Text, *, folded: bool = True) -> None:
        if self._terminal:
            with standard_output():
                self._console.print(shown, soft_wrap=not folded)
            return
        with self._console.capture() as captured:
            self._console.print(shown)
        lines = captured.get().split("\n")
        write("\n".join(line.rstrip() for line in lines))


def _space(key: str) -> str:
    return key.replace("_", " ")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _format_reported(value: object) -> Text:
    text = cell(value)
    return Text(text, style=_STYLES.get(text, ""))


def _format_stored(value: object) -> Text:
    return Text(value_text(value), style="dim italic" if value is None else "")


def _without_zeros(values: Sequence[object], kind: t.Type) -> Sequence[object]:
    """Times without fractions of a second where none of them has one, so that the column is no wider than it has to be."""
    if not isinstance(kind, t.Timestamp) or not all(_ZEROS.search(value) for value in values if isinstance(value, str)):
        return values
    return [_ZEROS.sub("", value) if isinstance(value, str) else value for value in values]


def cell(value: object) -> str:
    """A value in a report: lists with commas, a dash for what is not there, numbers with their thousands apart."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case str():
            return printable(value)
        case list() | tuple() if all(isinstance(part, str) for part in value):
            return printable(", ".join(value)) or "-"
        case dict() | list() | tuple():
            return printable(json.dumps(value, ensure_ascii=False))
        case int():
            return f"{value:,}"
        case _:
            return str(value)


def value_text(value: object) -> str:
    """A value of a table, from its JSON form, in one line; an ellipsis marks what is cut off."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _cut(value)
        case {"float": str() as text} | {"base64": str() as text}:
            return _cut(text)
        case dict() | list():
            return _cut(json.dumps(value, ensure_ascii=False))
        case _:
            return str(value)


def _cut(text: str) -> str:
    return printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)")


def printable(text: str) -> str:
    """The text without what would move a terminal's cursor or change its state: such characters are escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output, to be written to in the block.

    Raises `BrokenPipeError` where nobody reads it any more, `StorageError` where it cannot be written for another reason.
    """
    end_waiting()
    if sys.stdout is None:  # of a process that was started without
        raise StorageError("standard output", message="it is closed")
    try:
        yield sys.stdout
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise StorageError("standard output", message=problem.strerror or str(problem)) from problem


def write(text: str) -> None:
    """Writes to standard output. Raises as `standard_output`."""
    with standard_output() as out:
        out.write(text)


def flush() -> None:
    """Writes what standard output still holds back, if there is one. Raises as `standard_output`."""
    if sys.stdout is not None:
        with standard_output() as out:
            out.flush()


def discard() -> None:
    """Lets what standard output still holds back go nowhere, since it cannot be written: else its end would be an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_file(path: Path, text: str) -> None:
    """Writes a file of text, which appears under its name, or where that links to, when it is whole.

    Raises `StorageError` when it cannot be written.
    """
    try:
        with whole_file(path) as partial:
            partial.write_text(text, "utf-8", errors="backslashreplace")
    except OSError as problem:
        raise StorageError(str(path), message=problem.strerror or str(problem)) from problem


def say(message: str) -> None:
    """Prints a message without secrets on standard error; does nothing where that is closed. Line ends in it stay."""
    end_waiting()
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write("\n".join(map(printable, without_secrets(message).split("\n"))) + "\n")


_WARNED: Final[set[str]] = set()
"""What the command that runs has warned of."""


def show_warning(message: str) -> None:
    """A warning on standard error, once in a command."""
    if message not in _WARNED:
        _WARNED.add(message)
        say(f"warning: {message}")


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Shows what a command's conditions are warned of as warnings of the command line, others as they are shown already."""
    _WARNED.clear()
    show_others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **line: Any) -> None:
        if issubclass(category, ConditionWarning):
            show_warning(str(message))
        else:
            show_others(message, category, *place, **line)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=ConditionWarning)
        warnings.showwarning = show
        yield


class _Log(logging.Handler):
    """Shows what the library notes in its log."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"warning: {record.getMessage()}")


_LOG = _Log(logging.WARNING)


def report_log(wanted: bool) -> None:
    """Shows the library's log on standard error, or hides it."""
    logger = logging.getLogger("hudi_core")
    logger.removeHandler(_LOG)
    if wanted:
        logger.addHandler(_LOG)

"""The error tree. Every error names where, what was expected, and what was found, in one line.

    HudiError
    ├── TableError                 the table or its data (exit status 1)
    │   ├── NotATableError             no readable `.hoodie/hoodie.properties`           (FileNotFoundError)
    │   ├── CorruptFileError           bytes that contradict their format                (ValueError)
    │   ├── StorageError               a file that cannot be listed, read or written     (OSError)
    │   │   ├── NoSuchFileError            a file that was to be read and is not there       (FileNotFoundError)
    │   │   └── AlreadyExistsError         a file that was to be created and is there        (FileExistsError)
    │   ├── UnsupportedError           valid, but not known or not readable here         (NotImplementedError)
    │   ├── RowError                   a row that a rule refuses                         (ValueError)
    │   └── ConflictError              another writer was faster: the write changed nothing
    │       ├── LockedError                others held the table's lock for too long
    │       └── PendingPlanError           a plan that nobody runs is in the way
    ├── SchemaError                a schema, a change or a conversion that is refused    (ValueError)
    │   └── UnknownColumnError         a name that is not in the schema (exit status 2)  (KeyError)
    ├── ExpressionError            a predicate that cannot be parsed or bound            (ValueError)
    └── UsageError                 a wrong option or argument (exit status 2)            (ValueError)

"Unknown" is an outcome of a question, never an error. `ConditionWarning` is no error either: a query is answered as it was asked.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from hudi_core.secrets import without_secrets

_MAX_LISTED: Final = 12
_MAX_TIMES: Final = 3


def list_names(names: Sequence[str]) -> str:
    """Names as one line of an error: the first twelve, with "..." where there are more; "none" where there are none. A name with
    blanks around it is quoted, else it would look like the one without.

    >>> list_names(["oslo", " oslo"]), list_names([])
    ("oslo, ' oslo'", 'none')
    """
    shown = [name if name == name.strip() else repr(name) for name in names[:_MAX_LISTED]]
    return ", ".join(shown) + (", ..." if len(names) > _MAX_LISTED else "") or "none"


def list_times(times: Sequence[str]) -> str:
    """Times of instants, oldest first, as a part of an error: all of them where they are few, else the last ones.

    >>> list_times(["001", "002"]), list_times(["001", "002", "003", "004"]), list_times([])
    ('001, 002', 'the last of 4: 002, 003, 004', 'none')
    """
    few = ", ".join(times[-_MAX_TIMES:])
    return f"the last of {len(times):,}: {few}" if len(times) > _MAX_TIMES else few or "none"


_CONTROLS: Final = {
    code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
}  # fmt: skip


def in_one_line(text: str) -> str:
    """The text with line breaks and other characters that control a terminal as escapes: names and paths may have them.

    >>> in_one_line("a\\nb")
    'a\\\\nb'
    """
    return text if text.isprintable() else text.translate(_CONTROLS)


class HudiError(Exception):
    """Root of all errors raised on purpose.

    `where` is a path, a column path or a place in a text; `expected` and `found` are short noun phrases. The text of the
    error is `where: expected ..., found ...` with absent parts left out, or `where: message` when `message` is given; `hint`
    follows, which says what to do. Secrets are hidden in all of it.
    """

    exit_status = 1

    def __init__(
        self,
        where: str = "",
        *,
        expected: str | None = None,
        found: str | None = None,
        message: str | None = None,
        hint: str | None = None,
    ) -> None:
        where = without_secrets(where)
        expected, found, message, hint = (part and without_secrets(part) for part in (expected, found, message, hint))
        self.where, self.expected, self.found, self.message, self.hint = where, expected, found, message, hint
        parts = [message] if message else []
        parts += [f"expected {expected}"] if expected else []
        parts += [f"found {found}"] if found else []
        text = ", ".join(parts) + (f"; {hint}" if hint else "")
        super().__init__(in_one_line(f"{where}: {text}" if where and text else where or text))

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel from other processes whole: their arguments are not those of the class."""
        return _remade, (type(self), self.args), self.__dict__


def _remade(kind: type[HudiError], arguments: tuple[object, ...]) -> HudiError:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    return error


class ConditionWarning(UserWarning):
    """A query has a condition, or a time, that is right and hardly meant, as `city = NULL`; it is answered. Writes refuse such
    conditions.

    `warnings.filterwarnings("error", category=hudi_core.ConditionWarning)` refuses the queries too.
    """


class TableError(HudiError):
    """The table or its data cannot be used as it is."""


class NotATableError(TableError, FileNotFoundError):
    """The path holds no Hudi table."""


class CorruptFileError(TableError, ValueError):
    """Bytes contradict the format they claim: truncated, damaged, or something else altogether."""


class StorageError(TableError, OSError):
    """A file or folder cannot be listed, read or written."""


class NoSuchFileError(StorageError, FileNotFoundError):
    """A file was to be read, and there is none of its name."""


class AlreadyExistsError(StorageError, FileExistsError):
    """A file was to be created, and there is one of its name."""


class UnsupportedError(TableError, NotImplementedError):
    """Valid, but of a kind or version this library (or this installation) cannot handle."""


class ConflictError(TableError):
    """Another writer changed, locked or rolled back what this write needs, or removed files that an open table shows. Nothing was
    changed; the write can be tried again, the table refreshed."""


class LockedError(ConflictError):
    """Others held the table's lock for as long as this writer waits. Trying again at once would only wait again."""


class PendingPlanError(ConflictError):
    """A plan that nobody runs is in the way of a write. Trying again would meet it again."""


class RowError(TableError, ValueError):
    """A row is not what a rule requires of rows. `row` counts from 0 within what was given; None where it is unknown. `path` is
    the column, or the argument.

    In the error's text rows count from 1.
    """

    def __init__(self, row: int | None, *, expected: str, found: str, path: str = "") -> None:
        self.row, self.path = row, path
        place = "a row" if row is None else f"row {row + 1:,}"
        super().__init__(f"{path}: {place}" if path else place, expected=expected, found=found)


class SchemaError(HudiError, ValueError):
    """A schema, a schema change or a schema conversion is refused."""


class UnknownColumnError(SchemaError, KeyError):
    """A name is not in the schema. Usually it is one that the caller gave."""

    exit_status = 2
    __str__ = Exception.__str__  # that of KeyError is made for bare keys, and puts the line in quotes


class ExpressionError(HudiError, ValueError):
    """A predicate cannot be parsed, or does not fit the schema."""

    exit_status = 2


class UsageError(HudiError, ValueError):
    """A wrong option or argument."""

    exit_status = 2


def file_taken_away(where: str) -> ConflictError:
    """The error of a process whose unfinished file another wrote or deleted. Rule STORE-890."""
    found = "another process that wrote or deleted it meanwhile"
    return ConflictError(where, expected="a file that only one process writes", found=found)


def describe(value: object) -> str:
    """An argument of a wrong type, for `found`: its value and type, or the full name of a type that is not one of Python's own.

    >>> describe("3"), describe(reprlib.Repr())
    ("'3' (str)", 'reprlib.Repr')
    """
    kind = type(value)
    if kind.__module__ == "builtins":
        return f"{reprlib.repr(value)} ({kind.__name__})"
    return f"{kind.__module__}.{kind.__qualname__}"


@contextmanager
def name_original(copy: str, original: str) -> Iterator[None]:
    """Errors of a copy name what it is a copy of."""
    try:
        yield
    except HudiError as error:
        error.where = error.where.replace(copy, original)
        error.args = (str(error).replace(copy, original),)
        raise

"""Where in a predicate's text something is wrong: an error that says line and column, with the line and a caret as a note."""

from __future__ import annotations

from hudi_core.errors import ExpressionError
from hudi_core.expr.nodes import Span

_WIDTH = 100


def error_at(
    span: Span | None, *, expected: str | None = None, found: str | None = None, message: str | None = None
) -> ExpressionError:
    """An `ExpressionError` in one line. Its note (`__notes__`) is the line of the text with a caret below the place."""
    if span is None:
        return ExpressionError("predicate", expected=expected, found=found, message=message)
    line = span.text.count("\n", 0, span.start) + 1
    column = span.start - (span.text.rfind("\n", 0, span.start) + 1)
    where = (
        f"predicate, column {column + 1}" if "\n" not in span.text else f"predicate, line {line}, column {column + 1}"
    )
    error = ExpressionError(where, expected=expected, found=found, message=message)
    error.add_note(_pointed(span, line, column))
    return error


def _pointed(span: Span, line: int, column: int) -> str:
    shown = span.text.split("\n")[line - 1].replace("\t", " ").replace("\r", " ")
    length = max(min(span.end - span.start, len(shown) - column), 1)
    cut = max(column - _WIDTH // 2, 0)
    head, tail = "..." if cut else "", "..." if len(shown) > cut + _WIDTH else ""
    part = shown[cut : cut + _WIDTH]
    return f"{head}{part}{tail}\n{' ' * (len(head) + column - cut)}{'^' * min(length, _WIDTH - (column - cut))}"

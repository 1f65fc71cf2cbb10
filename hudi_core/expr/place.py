"""Errors at a place in a predicate's text: with line and column, and the line with a caret as a note."""

from __future__ import annotations

from hudi_core.errors import ExpressionError
from hudi_core.expr.hints import hint
from hudi_core.sql.place import Span, line_and_column, point_at


def error_at(
    span: Span | None, *, expected: str | None = None, found: str | None = None, message: str | None = None
) -> ExpressionError:
    """An `ExpressionError` in one line, with a hint where the mistake is a known one. Its note (`__notes__`) is the line of the
    text with a caret below the place."""
    if span is None:
        return ExpressionError("predicate", expected=expected, found=found, message=message)
    line, column = line_and_column(span)
    where = f"predicate, column {column}" if "\n" not in span.text else f"predicate, line {line}, column {column}"
    meant = hint(span, expected)
    error = ExpressionError(where, expected=expected, found=found, message=message, hint=meant)
    error.add_note(point_at(span))
    return error


def complaint(span: Span, expected: str, found: str | None) -> ExpressionError:
    """`error_at` in the form that a cursor calls: the text at the place is in back-ticks."""
    source = span.source
    return error_at(span, expected=expected, found=found or (f"`{source}`" if source else "the end"))

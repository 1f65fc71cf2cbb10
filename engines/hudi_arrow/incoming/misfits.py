"""Values of Python that pyarrow finds no type for, or not the type of those before them: an error that names the first one. Rules
ROWS-1492, ROWS-1493."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

from hudi_arrow.incoming.python_values import WRONG, one_line_of
from hudi_core.errors import RowError, UsageError, describe

_NULLS: Final = ("NaTType", "NAType")
"""The classes of pandas of values that are missing, which pyarrow knows in arrays of pandas alone."""


def without_pandas_nulls(values: Sequence[Any]) -> list[Any] | None:
    """The values with None in the place of those that pandas has for it, as `DataFrame.to_dict` gives them; None where there
    are none."""
    kinds = [
        kind for kind in set(map(type, values)) if kind.__name__ in _NULLS and kind.__module__.startswith("pandas")
    ]
    return [None if type(value) in kinds else value for value in values] if kinds else None


def misfit(name: str, values: Any, start: int, problem: Exception) -> RowError | UsageError:
    """The error of values of a column of which pyarrow makes none: it names the first that is not as those before it. `start` is
    the number of the first row."""
    listed = values if isinstance(values, Sequence) else list(values)
    if _type_of(listed) is not None:
        return UsageError(f"rows: {name}", expected="values of one type", found=one_line_of(problem))
    fits, fails = 0, len(listed)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if _type_of(listed[:middle]) is None:
            fails = middle
        else:
            fits = middle
    kind = _type_of(listed[:fits])
    alone = kind is None or pa.types.is_null(kind) or _type_of(listed[fits:fails]) is None
    expected = "a value that Arrow has a type for" if alone else f"a value of {kind}, as in the rows before"
    return RowError(start + fits, expected=expected, found=_show(listed[fits]), path=f"rows: {name}")


def frame_misfit(frame: Any, problem: Exception) -> RowError | UsageError:
    """The error of a frame of pandas, or of another library, of which Arrow makes no columns."""
    for name, values in _columns(frame):
        if str(getattr(values, "dtype", "")) == "object" and _type_of(values) is None:
            return misfit(str(name), list(values), 0, problem)
    names = [name for name, _ in _columns(frame)]
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        return UsageError("rows", expected="each column once", found=f"two of the name {twice!r}")
    return UsageError("rows", expected="columns of one type each", found=one_line_of(problem))


def _columns(frame: Any) -> Iterator[tuple[object, Any]]:
    items = getattr(frame, "items", None)
    return iter(items()) if callable(items) and hasattr(frame, "columns") else iter(())


def _show(value: object) -> str:
    shown = reprlib.repr(value)
    return describe(value) if " at 0x" in shown else f"{shown} ({type(value).__name__})"


def _type_of(values: Any) -> pa.DataType | None:
    try:
        made: pa.DataType = pa.array(values).type
    except WRONG:
        return None
    return made

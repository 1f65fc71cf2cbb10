"""All functions by name."""

from __future__ import annotations

import copyreg
import difflib
from typing import Final

from hudi_core.functions import (
    arithmetic,
    array_edits,
    arrays,
    bits,
    casts,
    choices,
    codes,
    collections,
    dates,
    documents,
    encodings,
    lambdas,
    maps,
    matching,
    mathematics,
    moments,
    months,
    numbers,
    regexes,
    searching,
    strings,
    texts,
    times,
    tried,
    zones,
)
from hudi_core.functions.record import Function

FUNCTIONS: tuple[Function, ...] = (
    *arithmetic.FUNCTIONS,
    *array_edits.FUNCTIONS,
    *arrays.FUNCTIONS,
    *bits.FUNCTIONS,
    *casts.FUNCTIONS,
    *choices.FUNCTIONS,
    *codes.FUNCTIONS,
    *collections.FUNCTIONS,
    *dates.FUNCTIONS,
    *documents.FUNCTIONS,
    *encodings.FUNCTIONS,
    *lambdas.FUNCTIONS,
    *maps.FUNCTIONS,
    *matching.FUNCTIONS,
    *mathematics.FUNCTIONS,
    *moments.FUNCTIONS,
    *months.FUNCTIONS,
    *numbers.FUNCTIONS,
    *regexes.FUNCTIONS,
    *searching.FUNCTIONS,
    *strings.FUNCTIONS,
    *texts.FUNCTIONS,
    *times.FUNCTIONS,
    *tried.FUNCTIONS,
    *zones.FUNCTIONS,
)
_BY_NAME = {name: function for function in FUNCTIONS for name in (function.name, *function.aliases)}
NAMES: Final = frozenset(_BY_NAME)
"""All names that functions have, aliases too."""


def find(name: str) -> Function | None:
    """The function of a lower-case SQL name; None for an unknown one."""
    return _BY_NAME.get(name)


def function(name: str) -> Function:
    """The function of a name that is known. Raises `KeyError`.

    >>> function("dayofmonth")
    Function(name='day')
    """
    return _BY_NAME[name]


def takes_lambda(name: str) -> bool:
    """Whether a lower-case SQL name is that of a function of an array and a lambda."""
    known = find(name)
    return known is not None and known.takes_lambda


def close_names(name: str) -> list[str]:
    """Up to three names of functions that come close.

    >>> close_names("substing")
    ['substring', 'substr']
    """
    return difflib.get_close_matches(name, _BY_NAME, 3, 0.7)


# A record is one object, also where a plan that names it has travelled.
copyreg.pickle(Function, lambda record: (function, (record.name,)))

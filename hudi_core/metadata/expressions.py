"""What an expression index is of: a function of one column, as its definition names it. Rules META-35, META-114, META-115.

What the functions mean is in `hudi_core.functions`. Here is how the options of a definition become their arguments, and of
which types a function gives the same for every reader: the index records no time zone of a session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hudi_core.expr.nodes import Call, Literal, Name, Scalar
from hudi_core.expr.text import to_sql
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.types import nodes as t

IDENTITY: Final = "identity"
"""The function that gives a column's own values."""
EXPRESSION_OPTION: Final = "expr"
"""The option of a definition that names its function once more."""
FILTER_OPTIONS: Final = frozenset({"filtertype", "numentries", "fpp", "maxentries"})
"""Options of bloom filters, which say nothing of the value."""
_INT, _LONG, _STRING, _DATE = t.Int(), t.Long(), t.String(), t.Date()
_TIMESTAMP: Final = t.Timestamp(t.Unit.MICROS, zoned=True)
_Kind = Callable[[str], int | str]


@dataclass(frozen=True, slots=True)
class IndexedFunction:
    """A function that an index may be of.

    `options` hold its arguments after the column, in their order; the last `optional` of them may be left out. `certain` are
    the types of columns of which it gives the same in every session's time zone; where `bare`, only without an option. `type`
    is that of its result, None that of the column.
    """

    certain: tuple[type[t.Type], ...] = ()
    type: t.Type | None = None
    options: tuple[tuple[str, _Kind], ...] = ()
    optional: int = 0
    bare: bool = False

    def literals(self, options: Mapping[str, str]) -> tuple[Literal, ...] | None:
        """The arguments after the column; None where the options are not just those that state them."""
        names = [name for name, _ in self.options]
        needed = names[: len(names) - self.optional]
        if not set(needed) <= options.keys() <= set(names):
            return None
        try:
            return tuple(Literal(kind(options[name])) for name, kind in self.options if name in options)
        except ValueError:  # no number
            return None


_OF_STRINGS: Final = IndexedFunction((t.String,), _STRING)
_TRIM: Final = IndexedFunction((t.String,), _STRING, (("trimString", str),), optional=1)
_PART_OF_DATE: Final = IndexedFunction((t.Date,), _INT)
_MOVED_DATE: Final = IndexedFunction((t.Date,), _DATE, (("days", int),))
_FORMAT: Final = (("format", str),)
FUNCTIONS: Final[Mapping[str, IndexedFunction]] = {
    IDENTITY: IndexedFunction(),
    "lower": _OF_STRINGS,
    "upper": _OF_STRINGS,
    "trim": _TRIM,
    "ltrim": _TRIM,
    "rtrim": _TRIM,
    "length": IndexedFunction((t.String,), _INT),
    "substring": IndexedFunction((t.String,), _STRING, (("pos", int), ("len", int))),
    "regexp_extract": IndexedFunction((t.String,), _STRING, (("pattern", str), ("idx", int))),
    "regexp_replace": IndexedFunction((t.String,), _STRING, (("pattern", str), ("replacement", str))),
    "year": _PART_OF_DATE,
    "month": _PART_OF_DATE,
    "day": _PART_OF_DATE,
    "hour": IndexedFunction((), _INT),
    "date_add": _MOVED_DATE,
    "date_sub": _MOVED_DATE,
    "to_date": IndexedFunction((t.String, t.Date), _DATE, _FORMAT, optional=1, bare=True),
    "to_timestamp": IndexedFunction((), _TIMESTAMP, _FORMAT, optional=1),
    "unix_timestamp": IndexedFunction((), _LONG, _FORMAT, optional=1),
    "from_unixtime": IndexedFunction((), _STRING, _FORMAT, optional=1),
    "date_format": IndexedFunction((), _STRING, _FORMAT),
}
"""All functions of one value that Apache Hudi builds indexes of, by the names that it knows them by. (`split` gives arrays.)"""
_OF_OTHERS: Final[Mapping[str, IndexedFunction]] = {
    "abs": IndexedFunction((t.Int, t.Long, t.Float, t.Double, t.Decimal)),
}
"""Further functions of indexes that other writers may have built."""
_SPELLED: Final = {
    "dayofmonth": "day",
    "ucase": "upper",
    "lcase": "lower",
    "char_length": "length",
    "substr": "substring",
    "dateadd": "date_add",
}


@dataclass(frozen=True, slots=True)
class IndexedValue:
    """The value that an index is of. `certain`: it is the same for every reader."""

    function: str
    literals: tuple[Literal, ...]
    type: t.Type
    certain: bool

    def of_column(self, column: str) -> Scalar:
        """The value as an expression of the column."""
        name = Name(tuple(column.split(".")))
        return name if self.function == IDENTITY else Call(self.function, (name, *self.literals))

    def sql(self, column: str) -> str:
        """The value as SQL; that of `identity` is told apart from the column."""
        return to_sql(Call(self.function, (Name(tuple(column.split("."))), *self.literals)))


def find_indexed_value(definition: IndexDefinition, type: t.Type) -> IndexedValue | None:
    """The value of an index of one column, which has this type; None where the definition does not tell it."""
    name, literals = _call(definition)
    function = _function(name)
    if function is None or literals is None or isinstance(type, t.Nested):
        return None
    certain = name == IDENTITY or (isinstance(type, function.certain) and not (function.bare and literals))
    return IndexedValue(name, literals, type if function.type is None else function.type, certain)


def describe_value(definition: IndexDefinition) -> str:
    """What an index of one column is of, as SQL for people; the function with its options where these are no arguments."""
    (column,) = definition.columns
    name, literals = _call(definition)
    if literals is None:
        return (
            f"{name}({', '.join([column, *(f'{option}={given}' for option, given in _options(definition).items())])})"
        )
    return to_sql(Call(name, (Name(tuple(column.split("."))), *literals)))


def _call(definition: IndexDefinition) -> tuple[str, tuple[Literal, ...] | None]:
    """The function of an index, and its arguments after the column; None where they are not known."""
    name = _SPELLED.get(definition.function.lower(), definition.function.lower())
    function = _function(name)
    return name, None if function is None else function.literals(_options(definition))


def _function(name: str) -> IndexedFunction | None:
    return FUNCTIONS.get(name) or _OF_OTHERS.get(name)


def _options(definition: IndexDefinition) -> dict[str, str]:
    beside = {EXPRESSION_OPTION} | FILTER_OPTIONS
    return {option: given for option, given in definition.options.items() if option not in beside}

"""Records that anybody may have written, as dataclasses: each field has the names that writers have for it, and a reader of its
values. Rule FORMAT-1340.

A reader takes a value of JSON or Avro and gives the field's own. It takes None for what is missing or null, and raises
`CorruptFileError` for what cannot be meant; the error's place is within the record. Fields that a class does not have are passed
over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from enum import Enum
from functools import cache, partial
from typing import Any, Final, TypeVar

from hudi_core.errors import CorruptFileError, describe

T = TypeVar("T")
V = TypeVar("V")
E = TypeVar("E", bound=Enum)
Reader = Callable[[Any], T]

_NAMES: Final = "names"
_READER: Final = "reader"
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,400}", re.ASCII)


def take(*names: str, read: Reader[Any]) -> Any:
    """A field of a dataclass, under the first of these names that a record has. Left out, it is what its reader makes of
    None."""
    default, how = read(None), {_NAMES: names, _READER: read}
    return field(default_factory=dict, metadata=how) if default == {} else field(default=default, metadata=how)


def need(*names: str, read: Reader[Any]) -> Any:
    """A field that a record must have."""
    return field(metadata={_NAMES: names, _READER: read})


@cache
def _fields_of(kind: type) -> tuple[tuple[str, str, Reader[Any]], ...]:
    """The fields of a dataclass, once for each name that they have in records."""
    described = [one for one in fields(kind) if _NAMES in one.metadata]
    return tuple((one.name, name, one.metadata[_READER]) for one in described for name in one.metadata[_NAMES])


@cache
def _needs_of(kind: type) -> dict[str, str]:
    """The fields without which there is no object, with their names in records."""
    missing = [one for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING]
    return {one.name: one.metadata[_NAMES][0] for one in missing}


def read_fields(kind: type, record: object) -> dict[str, Any]:
    """The fields of a dataclass that a record has, by their own names. Raises `CorruptFileError`.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: int = need("x", read=whole_number)
    ...     names: tuple[str, ...] = take("labels", "label", read=texts)
    >>> read_fields(Point, {"x": 3, "label": ["a", None], "z": 1})
    {'x': 3, 'names': ('a', '')}
    >>> read_fields(Point, {"x": 3, "labels": ["a", 4]})
    Traceback (most recent call last):
    hudi_core.errors.CorruptFileError: labels.1: expected a text, found 4 (int)
    """
    if not isinstance(record, dict | Mapping):
        raise CorruptFileError(expected="an object", found=describe(record))
    values: dict[str, Any] = {}
    for name, stated_name, read in _fields_of(kind):
        value = record.get(stated_name)
        if value is not None and name not in values:
            try:
                values[name] = read(value)
            except CorruptFileError as error:
                raise _within(stated_name, error) from None
    for name, stated_name in _needs_of(kind).items():
        if name not in values:
            raise CorruptFileError(stated_name, expected="a value", found="none")
    return values


def read_as(kind: type[T], record: object) -> T:
    """A record as an object of a dataclass. Raises `CorruptFileError`, with the place of what is wrong."""
    return kind(**read_fields(kind, record))


def _within(step: object, error: CorruptFileError) -> CorruptFileError:
    """The error of a part of a record, with the step that leads to the part."""
    place = f"{step}.{error.where}" if error.where else str(step)
    return CorruptFileError(place, expected=error.expected, found=error.found)


def default_to(default: T, read: Reader[T]) -> Reader[T]:
    """A reader that gives a default for what is missing or null."""
    return lambda value: default if value is None else read(value)


def record_of(kind: type[T]) -> Reader[T]:
    """The reader of records that are objects of a dataclass. Null is none of them."""
    return partial(read_as, kind)


def text(value: object) -> str:
    """A text; empty for null."""
    if isinstance(value, str) and (value.isascii() or _has_whole_characters(value)):
        return value
    if value is None:
        return ""
    raise CorruptFileError(expected="a text", found=describe(value))


def _has_whole_characters(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_or_none(value: object) -> str | None:
    """A text; None for null."""
    return None if value is None else text(value)


def texts(value: object) -> tuple[str, ...]:
    """A list of texts; null is empty. There may be very many: those of ASCII are looked at together."""
    if isinstance(value, list) and set(map(type, value)) == {str} and "".join(value).isascii():
        return tuple(value)
    return _read_texts(value)


def whole_number(value: object) -> int:
    """A whole number, also in digits, as properties have them."""
    if type(value) is int:
        return value
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    raise CorruptFileError(expected="a whole number", found=describe(value))


def whole_number_or_none(value: object) -> int | None:
    """A whole number; None for null."""
    return value if value is None or type(value) is int else whole_number(value)


def number(value: object) -> float:
    """A number, also in digits."""
    if isinstance(value, float):
        return value
    return float(whole_number(value))


def truth_value(value: object) -> bool:
    """True or false; false for null."""
    if value is None or isinstance(value, bool):
        return bool(value)
    raise CorruptFileError(expected="true or false", found=describe(value))


def items(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """The reader of lists; null is empty."""

    def read_items(value: object) -> tuple[T, ...]:
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise CorruptFileError(expected="a list", found=describe(value))
        read_before: list[T] = []
        try:
            read_before.extend(map(read, value))
        except CorruptFileError as error:
            raise _within(len(read_before), error) from None
        return tuple(read_before)

    return read_items


_read_texts: Final = items(text)


def mapping(read_key: Reader[str], read_value: Reader[V]) -> Reader[dict[str, V]]:
    """The reader of objects whose keys are data; null is empty."""

    def read_mapping(value: object) -> dict[str, V]:
        if value is None:
            return {}
        if not isinstance(value, dict | Mapping):
            raise CorruptFileError(expected="an object", found=describe(value))
        values = {}
        for key, part in value.items():
            try:
                values[read_key(key)] = read_value(part)
            except CorruptFileError as error:
                raise _within(key, error) from None
        return values

    return read_mapping


def choice(kind: type[E]) -> Reader[E]:
    """The reader of one of the values of an enumeration, in letters of any case."""
    values = {str(one.value): one for one in kind}
    *others, last = map(repr, values)
    expected = f"{', '.join(others)} or {last}"

    def read_choice(value: object) -> E:
        chosen = values.get(value.upper()) if isinstance(value, str) else None
        if chosen is None:
            raise CorruptFileError(expected=expected, found=describe(value))
        return chosen

    return read_choice

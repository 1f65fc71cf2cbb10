"""Types of columns of JSON, as each piece of a file shows them, put together to those of the file. Rule ROWS-1320."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import pyarrow as pa

from hudi_arrow.types import with_inner_types

_CHANGED = re.compile(r"Column\((.*)\) changed from (\w+) to (\w+)", re.DOTALL)
_TWICE = re.compile(r"Column\((.*)\) was specified twice", re.DOTALL)
_FAILED = re.compile(r"Failed to convert JSON to (.+?), couldn't parse: ?(.*)", re.DOTALL)
_OTHER_DIGITS = re.compile(r"Failed to convert JSON to (decimal.+?\)): (\S+) requires .*")
_NO_DECIMAL = re.compile(r"The string ('.*') is not a valid decimal\d+ number", re.DOTALL)
_DECIMAL = re.compile(r"decimal\d+\((\d+), ?(-?\d+)\)")
_WITH_ARTICLE = {
    "number": "a number", "string": "a string", "boolean": "true or false", "object": "an object", "array": "a list",
    "null": "null",
}  # fmt: skip
_TYPE_NAMES = {
    "int8": "int", "int16": "int", "int32": "int", "int64": "long", "float": "float", "double": "double", "bool": "boolean",
    "date32[day]": "date, as 2024-03-01", "time32[ms]": "time-millis, as 12:30:00", "time64[us]": "time-micros, as 12:30:00",
    "timestamp[ms]": "local-timestamp-millis, as 2024-03-01T12:30:00",
    "timestamp[us]": "local-timestamp-micros, as 2024-03-01T12:30:00",
    "timestamp[ms, tz=UTC]": "timestamp-millis, as 2024-03-01T12:30:00Z",
    "timestamp[us, tz=UTC]": "timestamp-micros, as 2024-03-01T12:30:00Z",
}  # fmt: skip
"""Names of types as schemas have them, by pyarrow's, with the form of texts of them."""
_SHOWN = 40
Path = tuple[str, ...]
"""The names of a column and of the parts of structs in it. Elements of lists and values of maps have the path of these."""


def name_type(kind: str) -> str:
    """The name of a type as schemas have it, by pyarrow's name; for dates and times with the form of a text.

    >>> name_type("decimal128(6, 2)"), name_type("date32[day]")
    ('decimal(6,2)', 'date, as 2024-03-01')
    """
    digits = _DECIMAL.fullmatch(kind)
    return _TYPE_NAMES.get(kind, kind) if digits is None else f"decimal({digits[1]},{digits[2]})"


def merge_types(known: pa.DataType | None, read: pa.DataType, path: str) -> pa.DataType:
    """The type of a column, or of a part of one, that has values of both types; parts of structs in the order in which they
    come. Texts that look like times are texts, but where `known` says otherwise. Raises `ArrowInvalid` in the words of pyarrow's
    reader for types that are none together."""
    if known is None or pa.types.is_null(known):
        return _with_texts(read)
    if known == read or pa.types.is_null(read):
        return known
    if pa.types.is_struct(known) and pa.types.is_struct(read):
        stated = {field.name: field for field in known}
        others = {field.name: field for field in read}
        return pa.struct(
            [
                field.with_type(_merge_part(stated.get(name), others.get(name), f"{path}/{name}"))
                for name, field in (stated | others).items()
            ]
        )
    if pa.types.is_map(known) and pa.types.is_map(read):
        item = known.item_field.with_type(merge_types(known.item_type, read.item_type, f"{path}/[]"))
        return pa.map_(known.key_type, item)
    if pa.types.is_list(known) and pa.types.is_list(read):
        return pa.list_(known.value_field.with_type(merge_types(known.value_type, read.value_type, f"{path}/[]")))
    if _kind(known) != _kind(read):
        raise pa.ArrowInvalid(f"JSON parse error: Column({path}) changed from {_kind(known)} to {_kind(read)}")
    return pa.float64() if _kind(known) == "number" else pa.string()


def _merge_part(known: pa.Field | None, read: pa.Field | None, path: str) -> pa.DataType:
    if read is None:
        assert known is not None
        return known.type
    return merge_types(None if known is None else known.type, read.type, path)


def _with_texts(read: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(read):
        return pa.string()
    return with_inner_types(read, _with_texts)


def without_parts(kind: pa.DataType, absent: Collection[Path], path: Path) -> pa.DataType:
    """The type of a column without these parts of structs in it."""
    if pa.types.is_struct(kind):
        return pa.struct(
            [
                field.with_type(without_parts(field.type, absent, (*path, field.name)))
                for field in kind
                if (*path, field.name) not in absent
            ]
        )
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, kind.item_field.with_type(without_parts(kind.item_type, absent, path)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(without_parts(kind.value_type, absent, path)))
    return kind


def with_whole_lists(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with as many nulls in lists of nulls alone as these lists have: pyarrow's reader and its cast leave some out."""
    if not _has_lists_of_nulls(column.type):
        return column
    return pa.chunked_array(map(_fill_lists, column.chunks), column.type)


def _has_lists_of_nulls(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind) and pa.types.is_null(kind.value_type):
        return True
    return any(_has_lists_of_nulls(kind.field(place).type) for place in range(kind.num_fields))


def _fill_lists(array: pa.Array) -> pa.Array:
    kind = array.type
    if not _has_lists_of_nulls(kind):
        return array
    if pa.types.is_struct(kind):
        parts = [_fill_lists(array.field(place)) for place in range(kind.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=array.is_null())
    offsets = array.offsets
    values = pa.nulls(offsets[-1].as_py()) if pa.types.is_null(kind.value_type) else _fill_lists(array.values)
    return pa.ListArray.from_arrays(offsets, values, kind, mask=array.is_null())


def with_types(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """The columns in these types, null where the table has none."""
    given, columns = dict(zip(table.column_names, table.columns, strict=True)), []
    for name, kind in types.items():
        column = given.get(name)
        if column is None:
            column = pa.chunked_array([pa.nulls(len(table), kind)])
        columns.append(column if column.type == kind else with_whole_lists(column.cast(kind, safe=False)))
    return pa.table(columns, names=list(types))


def explain_refusal(words: str, line: bytes, stated: pa.DataType | None) -> tuple[str, str, str | None]:
    """What was expected and what was found where pyarrow refuses a row in these words, and the column's path where they name it.
    `stated` is the type of the stated column whose value is refused."""
    if (changed := _CHANGED.fullmatch(words)) is not None:
        path, known, read = changed.groups()
        expected = (
            "an object" if not path else f"{_WITH_ARTICLE[known]}, as {'its type' if stated else 'rows before it have'}"
        )
        return expected, _WITH_ARTICLE[read], path.strip("/").replace("/", ".").replace(".[]", "") or None
    if (twice := _TWICE.fullmatch(words)) is not None:
        path = twice[1].strip("/").replace("/", ".")
        return "each name once in an object", f"{path} twice", None
    if (failed := _FAILED.fullmatch(words) or _OTHER_DIGITS.fullmatch(words)) is not None:
        return f"a value of {name_type(failed[1])}", failed[2], None
    if (failed := _NO_DECIMAL.fullmatch(words)) is not None:
        return f"a value of {'decimal' if stated is None else name_type(str(stated))}", failed[1], None
    if words in ("Invalid value", "The document is empty"):
        return "an object of JSON", repr(line[:_SHOWN].decode(errors="replace")), None
    return "an object of JSON", words, None


def _kind(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_nested(kind):
        return "object" if pa.types.is_struct(kind) else "array"
    return "boolean" if pa.types.is_boolean(kind) else "string"

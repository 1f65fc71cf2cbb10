"""Avro files of one record whose last field maps strings to long lists of strings: that field column by column.

So are the file groups that a replace commit replaces, some hundred thousand in a large clustering: making each string by itself
takes several times as long as finding all of them at once.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from secrets import token_bytes
from typing import Any, Final

import fastavro
import numpy as np

from hudi_core.columns.nodes import ListColumn, MapColumn, StringColumn
from hudi_core.columns.strings import string_column, string_list
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.block import encode
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.avro.container import one_block, reading

_SYNC_BYTES: Final = 16


def read_with_lists(content: bytes, name: str, where: str) -> dict[str, Any] | None:
    """The record, as `read_container` gives it; None where its last field is not the one of that name, or no such map.

    Raises as `read_container`, and when there is not one record.
    """
    schema, data = one_block(content, where)
    *leading, last = schema["fields"]
    if last["name"] != name or not _is_map_of_lists(last["type"]):
        return None
    stream = io.BytesIO(data)
    with reading(where):
        record = fastavro.schemaless_reader(stream, fastavro.parse_schema({**schema, "fields": leading}), None)
    assert isinstance(record, dict)
    start = stream.tell()
    starts, lengths = np.array([start], np.int64), np.array([len(data) - start], np.int64)
    column = decode(json.dumps(last["type"]), data, starts, lengths, where)
    return {**record, name: _lists(column, where)}


def write_with_lists(schema: Mapping[str, Any], record: Mapping[str, Any]) -> bytes:
    """The file of the record, as `write_container` writes it, whose schema's last field is such a map."""
    *leading, last = schema["fields"]
    out, data, sync = io.BytesIO(), io.BytesIO(), token_bytes(_SYNC_BYTES)
    fastavro.writer(out, fastavro.parse_schema(dict(schema)), (), codec="null", sync_marker=sync)
    fastavro.schemaless_writer(data, fastavro.parse_schema({**schema, "fields": leading}), dict(record))
    _, lists = encode(json.dumps(last["type"]), _column(record[last["name"]]), last["name"])
    data.write(lists.data)
    block = data.getbuffer()
    for count in (1, len(block)):
        fastavro.schemaless_writer(out, "long", count)
    out.write(block)
    out.write(sync)
    return out.getvalue()


def _is_map_of_lists(type_: Any) -> bool:
    branches = type_ if isinstance(type_, list) else [type_]
    maps = [branch for branch in branches if branch != "null"]
    if len(maps) != 1 or not isinstance(maps[0], dict) or maps[0].get("type") != "map":
        return False
    lists = maps[0]["values"]
    return isinstance(lists, dict) and lists.get("type") == "array" and _is_string(lists["items"])


def _is_string(type_: Any) -> bool:
    return type_ == "string" or (isinstance(type_, dict) and type_.get("type") == "string")


def _lists(column: Any, where: str) -> dict[str, list[str]] | None:
    if not isinstance(column, MapColumn) or not isinstance(column.values, ListColumn):
        return None  # the one row is null
    if column.validity is not None and not column.validity[0]:
        return None
    items = column.values.items
    if not isinstance(items, StringColumn):
        items = string_column(())
    strings = string_list(items)
    bounds = column.values.offsets.tolist()
    keys = string_list(column.keys)
    if len(keys) != len(bounds) - 1:
        raise CorruptFileError(where, expected=f"{len(keys)} lists", found=f"{len(bounds) - 1}")
    return {key: strings[start:end] for key, (start, end) in zip(keys, pairwise(bounds), strict=True)}


def _column(lists: Mapping[str, Sequence[str]]) -> MapColumn:
    """One row with the map."""
    offsets = np.append(0, np.cumsum([len(items) for items in lists.values()], dtype=np.int64))
    strings = string_column(list(chain.from_iterable(lists.values())))
    bounds = np.array([0, len(lists)], np.int64)
    return MapColumn(bounds, string_column(list(lists)), ListColumn(offsets, strings))

"""The bucket index of a recorded table, told by its files and rows: writers keep its options out of the table.

The number of buckets is the least that puts every recorded key into the bucket that its file's name begins with, by the hash
that Java has of a list of strings, worked out here one character at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from hudi_core.schema.meta import RECORD_KEY
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions
from tests.support.conformance import TableEntry

MOST_BUCKETS = 256
_NUMBERED = re.compile(r"0\d{7}-")
_HASHES = "*/.hoodie/.bucket_index/consistent_hashing_metadata/*"


def is_consistent(entry: TableEntry) -> bool:
    """The table stores how it shares hashes among its buckets."""
    return entry.has(_HASHES)


def is_bucketed(entry: TableEntry) -> bool:
    """The table has a bucket index: it stores its hashing, or the name of every file begins with the number of a bucket."""
    if is_consistent(entry):
        return True
    file_ids = [item["file_id"] for item in entry.expected["file_slices"]]
    return bool(file_ids) and all(map(_NUMBERED.match, file_ids))


def bucket_options(entry: TableEntry) -> TagOptions:
    """What locates the keys of a bucketed table; `AssertionError` where no number of buckets explains its files."""
    if is_consistent(entry):
        return TagOptions(IndexType.BUCKET)
    rows = [row for row in entry.expected["snapshot"]["rows"] if row.get(RECORD_KEY) is not None]
    places = [int(row["_hoodie_file_name"].removeprefix(".")[:8]) for row in rows]
    for fields in _hash_fields(entry.expected["table"]["record_key_fields"]):
        hashes = [_hash(row, fields) for row in rows]
        for buckets in range(max(places, default=0) + 1, MOST_BUCKETS + 1):
            if all(hashed % buckets == place for hashed, place in zip(hashes, places, strict=True)):
                return TagOptions(IndexType.BUCKET, buckets=buckets, hash_fields=fields)
    raise AssertionError(f"{entry.name}: the keys are in the buckets of no number up to {MOST_BUCKETS}")


def _hash_fields(key_fields: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The fields that may be hashed: the whole key, as which none stand, or one of its fields."""
    yield ()
    if len(key_fields) > 1:
        yield from ((field,) for field in key_fields)


def _hash(row: dict[str, Any], fields: tuple[str, ...]) -> int:
    """Java's hash of the list of the key's parts, without its sign."""
    if fields:
        parts = [str(row[field]) for field in fields]
    else:
        texts = row[RECORD_KEY]
        parts = [part.partition(":")[2] for part in texts.split(",")] if ":" in texts else [texts]
    value = 1
    for part in parts:
        value = (31 * value + _java_hash(part)) & 0xFFFFFFFF
    return value & 0x7FFFFFFF


@cache
def _java_hash(text: str) -> int:
    value = 0
    data = text.encode("utf-16-be")
    for at in range(0, len(data), 2):
        value = (31 * value + int.from_bytes(data[at : at + 2], "big")) & 0xFFFFFFFF
    return value

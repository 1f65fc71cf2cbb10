"""Tables whose file groups are buckets: by how many, by which fields, as writers state it. Rules INDEX-576, INDEX-577.

Apache Hudi's writers state the bucket index at each write. A table that this library makes states it in its properties, where
Apache Hudi's writers from Spark read it too.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.options import TableType
from hudi_core.schema.names import name_list
from hudi_core.table.table import Table

INDEX_TYPE: Final = "hoodie.index.type"
ENGINE: Final = "hoodie.index.bucket.engine"
BUCKETS: Final = "hoodie.bucket.index.num.buckets"
HASH_FIELDS: Final = "hoodie.bucket.index.hash.field"
BUCKET: Final = "BUCKET"
SIMPLE: Final = "SIMPLE"
CONSISTENT: Final = "CONSISTENT_HASHING"
_BY_PARTITION: Final = ("hoodie.bucket.index.partition.expressions", "hoodie.bucket.index.partition.rule.type")
BUCKET_PROPERTIES: Final = (
    INDEX_TYPE,
    ENGINE,
    BUCKETS,
    HASH_FIELDS,
    "hoodie.bucket.index.max.num.buckets",
    "hoodie.bucket.index.min.num.buckets",
    *_BY_PARTITION,
)
"""The properties by which a bucket index is stated."""
_BUCKET_ID: Final = re.compile(r"0000[0-9]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-0")
_LOOKED_AT: Final = 64
"""Slices whose file ids show whether they are buckets."""


@dataclass(frozen=True, slots=True)
class BucketLayout:
    """How a table shares its keys among the file groups of a partition. `hash_fields` are fields of the record key."""

    consistent: bool
    buckets: int | None
    """The number of each partition; where hashing is consistent that of a new one. None: not stated."""
    hash_fields: tuple[str, ...]


def bucket_layout(table: Table, properties: Mapping[str, str]) -> BucketLayout | None:
    """The bucket index that the properties of a writer or of the table state, and that its files have; None for a table without
    one.

    Raises `UsageError` for a value that is none, and `UnsupportedError` where the files are buckets and nobody states how many,
    or the other way round.
    """
    stated = read_stated_layout({**table.config.properties, **properties}, table.config.record_key_fields)
    slices = table.slices()
    ids = [file_slice.file_id for file_slice in slices[:_LOOKED_AT]]
    where = table.storage.uri
    hashes = table.snapshot().has_hashing_nodes
    numbered = bool(ids) and all(map(_BUCKET_ID.fullmatch, ids))
    if stated is None:
        if not numbered and not hashes:
            return None
        expected = f"{INDEX_TYPE}={BUCKET} and {BUCKETS} in the properties of the table or of the write"
        shown = "nodes of consistent hashing" if hashes else f"the bucket {ids[0]}"
        raise UnsupportedError(where, expected=expected, found=f"{shown}, and neither property")
    if stated.consistent and table.config.type is TableType.COPY_ON_WRITE:
        # As in Apache Hudi, whose writers refuse it.
        raise UnsupportedError(where, expected="a merge-on-read table for consistent hashing", found="copy on write")
    if ids and not (hashes if stated.consistent else numbered):
        expected = f"file groups of a bucket index, as {ENGINE} has them"
        found = "nodes of consistent hashing" if hashes else f"the file id {ids[0]}"
        raise UnsupportedError(where, expected=expected, found=found)
    return stated


def has_simple_buckets(table: Table) -> bool:
    """Whether file groups are numbered buckets: as the table's properties state it, or as its file ids show it. Raises
    `UsageError` for a property that states nothing."""
    stated = read_stated_layout(table.config.properties, table.config.record_key_fields)
    if stated is not None:
        return not stated.consistent
    ids = [file_slice.file_id for file_slice in table.slices()[:_LOOKED_AT]]
    return bool(ids) and all(map(_BUCKET_ID.fullmatch, ids))


def new_file_prefix(bucket_of: str | None = None) -> str:
    """What the id of a new file group begins with: that of the same bucket as an older one, else any."""
    prefix = str(uuid.uuid4())
    return prefix if bucket_of is None else bucket_of[:8] + prefix[8:]


def read_stated_layout(properties: Mapping[str, str], key_fields: Sequence[str]) -> BucketLayout | None:
    """The bucket index that properties state, None where they state none. Raises `UsageError` for a value that is none."""
    if properties.get(INDEX_TYPE, "").strip().upper() != BUCKET:
        return None
    engine = properties.get(ENGINE, "").strip().upper() or SIMPLE
    if engine not in (SIMPLE, CONSISTENT):
        raise UsageError(ENGINE, expected=f"{SIMPLE} or {CONSISTENT}", found=repr(properties[ENGINE]))
    for name in _BY_PARTITION:
        if properties.get(name, "").strip():
            raise UnsupportedError(name, expected="one number of buckets for all partitions", found=properties[name])
    fields = name_list(properties.get(HASH_FIELDS, "")) or tuple(key_fields)
    if not fields or not set(fields) <= set(key_fields):
        raise UsageError(HASH_FIELDS, expected=f"some of the key {', '.join(key_fields)}", found=", ".join(fields))
    text = properties.get(BUCKETS, "").strip()
    if not text and engine == CONSISTENT:
        return BucketLayout(True, None, fields)
    if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) < 1:
        raise UsageError(BUCKETS, expected="the number of buckets of each partition, 1 or more", found=repr(text))
    return BucketLayout(engine == CONSISTENT, int(text), fields)


def same_bucket(file_id: str) -> str:
    """What stands for the bucket of a file group: the number that a simple bucket's file id begins with, else the whole id."""
    return file_id[:8] if _BUCKET_ID.fullmatch(file_id) else file_id

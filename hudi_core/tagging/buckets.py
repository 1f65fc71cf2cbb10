"""The bucket index: a hash of the key fields gives the file group. Rules INDEX-14 to INDEX-16."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hudi_core.arrays import Numbers
from hudi_core.columns.hashes import utf8_string_hashes
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.columns.xxh32 import xxh32_hashes
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, UsageError
from hudi_core.keys.composite import KeyParts, split_keys
from hudi_core.options import HASHING_FOLDER, HASHING_SUFFIX
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline

FIRST = "00000000000000"
"""The instant of the nodes that a partition begins with."""

_BUCKET = re.compile(r"\d{8}")
_POSITIVE = 0x7FFFFFFF


def hash_inputs(keys: StringColumn, fields: Sequence[str]) -> KeyParts:
    """The hashed part of keys: the strings of these hash fields where a key has names of fields, else the whole key."""
    parts = split_keys(keys, fields)
    counts = np.diff(parts.starts)
    keys_without_fields = np.flatnonzero(counts == 0)
    if not len(keys_without_fields):
        return parts
    rows = np.concatenate([np.repeat(np.arange(len(counts)), counts), keys_without_fields])
    texts = take_strings(
        concat_strings([parts.texts, take_strings(keys, keys_without_fields)]), np.argsort(rows, kind="stable")
    )
    return KeyParts(texts, np.append(0, np.cumsum(np.maximum(counts, 1))))


def bucket_numbers(hashed: KeyParts, buckets: int) -> Numbers:
    """The bucket of each key: Java's hash of the list of its strings (null as 0) without its sign, modulo `buckets`."""
    counts = np.diff(hashed.starts)
    parts = utf8_string_hashes(hashed.texts.data, hashed.texts.offsets).view(np.uint32)
    hashes = np.ones(len(counts), np.uint32)
    for part in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > part)
        hashes[rows] = hashes[rows] * np.uint32(31) + parts[hashed.starts[rows] + part]
    return (hashes & np.uint32(_POSITIVE)).astype(np.int64) % buckets


def bucket_of_file(file_id: str) -> int | None:
    """The bucket that a file id of the simple bucket index begins with."""
    match = _BUCKET.match(file_id)
    return int(match.group()) if match else None


def slices_of_buckets(
    keys: KeyColumns, buckets: Numbers, slices: Sequence[FileSlice], where: str
) -> list[tuple[Numbers, Numbers]]:
    """Each key in the slices of its bucket in its partition. Raises `UsageError` when slices are not named by buckets."""
    members: dict[str, dict[int, list[int]]] = {}
    for index, file_slice in enumerate(slices):
        bucket = bucket_of_file(file_slice.file_id)
        if bucket is None:
            raise UsageError(where, expected="file groups of a bucket index", found=f"file id {file_slice.file_id}")
        members.setdefault(file_slice.partition, {}).setdefault(bucket, []).append(index)
    placed = []
    for path, rows in keys.by_partition():
        for bucket, indexes in members.get(path, {}).items():
            placed.append((rows[buckets[rows] == bucket], np.array(indexes, np.int64)))
    return placed


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    value: int
    file_id_prefix: Annotated[str, Field(alias="fileIdPrefix")]


_MARKER: Final = ".commit"
"""The end of the name of the file by which Apache Hudi marks a version of nodes whose resize completed."""


class _Hashing(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    nodes: tuple[_Node, ...]


def hashing_nodes(storage: Storage, timeline: Timeline, partition: str) -> list[tuple[int, str]] | None:
    """The nodes of a partition's consistent hashing, by value, each with the start of its file id; None when there are none.

    Of several versions the latest of a committed instant counts. A resize that was cancelled leaves its version: before the
    timeline's start those count that are marked, that the history has, or whose own nodes have files. Rule INDEX-1548.
    """
    listed = storage.list(f"{HASHING_FOLDER}/{partition}".rstrip("/"))
    files = {info.name.removesuffix(HASHING_SUFFIX): info for info in listed if info.name.endswith(HASHING_SUFFIX)}
    marked = {info.name.removesuffix(_MARKER) for info in listed if info.name.endswith(_MARKER)}
    valid = [instant for instant in files if instant == FIRST or timeline.is_committed(instant)]
    versions = sorted(valid, reverse=True)
    for place, instant in enumerate(versions):
        nodes = _read_nodes(storage, files[instant].path)
        if instant in (FIRST, *marked) or _has_completed(timeline, instant):
            return nodes
        before = [_read_nodes(storage, files[earlier].path) for earlier in versions[place + 1 : place + 2]]
        if _has_files(storage, partition, nodes, before[0] if before else ()):
            return nodes
    return None


def _has_completed(timeline: Timeline, instant: str) -> bool:
    """Whether a committed instant is on the timeline, or in the history."""
    if not timeline.is_archived(instant):
        return True
    return timeline.history is not None and any(one.requested_time == instant for one in timeline.history.instants())


def _has_files(
    storage: Storage, partition: str, nodes: Sequence[tuple[int, str]], before: Sequence[tuple[int, str]]
) -> bool:
    """Whether a node that the version before lacks has a file in its partition."""
    own = tuple({prefix for _, prefix in nodes}.difference(prefix for _, prefix in before))
    return any(info.name.removeprefix(".").startswith(own) for info in storage.list(partition))


def _read_nodes(storage: Storage, path: str) -> list[tuple[int, str]]:
    try:
        hashing = _Hashing.model_validate_json(storage.read(path))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False)[0]
        location = ".".join(map(str, problem["loc"]))
        where = f"{storage.uri}/{path}"
        raise CorruptFileError(where, expected="nodes of hashing", found=f"{location}: {problem['msg']}") from None
    return sorted((node.value, node.file_id_prefix) for node in hashing.nodes)


def node_places(hashed: KeyParts, rows: Numbers, values: Sequence[int]) -> Numbers:
    """The place of the node of the key in each row among the ascending values of nodes: the first that is not below the hash."""
    keys = StringColumn(
        hashed.texts.offsets[hashed.starts], hashed.texts.data
    )  # the strings of a key stand side by side
    hashes = (xxh32_hashes(take_strings(keys, rows)) & np.uint32(_POSITIVE)).astype(np.int64)
    places = np.searchsorted(np.array(values, np.int64), hashes)
    return places.astype(np.int64) % len(values)


def slices_of_nodes(
    keys: KeyColumns, hashed: KeyParts, slices: Sequence[FileSlice], storage: Storage, timeline: Timeline
) -> list[tuple[Numbers, Numbers]]:
    """Each key in the slices of its node of consistent hashing in its partition.

    Raises `UsageError` for a partition with slices and no nodes.
    """
    members: dict[str, list[int]] = {}
    for index, file_slice in enumerate(slices):
        members.setdefault(file_slice.partition, []).append(index)
    placed = []
    for path, rows in keys.by_partition():
        if path not in members:
            continue
        nodes = hashing_nodes(storage, timeline, path)
        if nodes is None:
            where = f"{storage.uri}/{HASHING_FOLDER}/{path}"
            raise UsageError(where, expected="nodes of consistent hashing, or `buckets`, their number", found="none")
        places = node_places(hashed, rows, [value for value, _ in nodes])
        for place in np.unique(places).tolist():
            prefix = nodes[place][1]
            indexes = [index for index in members[path] if slices[index].file_id.startswith(prefix)]
            placed.append((rows[places == place], np.array(indexes, np.int64)))
    return placed

"""The bucket index: a hash of the key fields tells the file group. Rules INDEX-14 to INDEX-16."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import xxhash
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, UsageError
from hudi_core.formats.columns import Text
from hudi_core.formats.hashes import utf8_string_hashes
from hudi_core.formats.text_columns import text_column, text_list
from hudi_core.index.key_columns import KeyColumns
from hudi_core.keys.composite import key_parts
from hudi_core.options import FOLDER
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline

Numbers = NDArray[np.int64]

HASHING_FOLDER = f"{FOLDER}/.bucket_index/consistent_hashing_metadata"
_SUFFIX = ".hashing_meta"
_FIRST = "00000000000000"
"""The instant of the nodes that a partition begins with."""

_BUCKET = re.compile(r"\d{8}")
_POSITIVE = 0x7FFFFFFF
_COMMA, _COLON = b",:"


@dataclass(frozen=True, slots=True, eq=False)
class HashTexts:
    """The texts that are hashed of each key: those of the hash fields where a key has names of fields, else the whole key.

    They stand one after the other; key i has those from `starts[i]` to `starts[i + 1]`. Null hashes as 0.
    """

    texts: Text
    starts: Numbers


def hash_texts(keys: Text, fields: Sequence[str]) -> HashTexts:
    """What is hashed of keys, for an index with these hash fields."""
    count = len(keys.offsets) - 1
    if not ((keys.data == _COMMA).any() and (keys.data == _COLON).any()):
        return HashTexts(keys, np.arange(count + 1, dtype=np.int64))
    rows = [key_parts(key, fields) or (key,) for key in text_list(keys)]
    flat = [part for row in rows for part in row]
    texts = text_column([part or "" for part in flat])
    validity = np.array([part is not None for part in flat], np.bool_)
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return HashTexts(Text(texts.offsets, texts.data, validity), starts)


def bucket_numbers(hashed: HashTexts, buckets: int) -> Numbers:
    """The bucket of each key: Java's hash of the list of its texts, without its sign, modulo the number of buckets."""
    counts = np.diff(hashed.starts)
    parts = utf8_string_hashes(hashed.texts.data, hashed.texts.offsets).view(np.uint32)
    hashes = np.ones(len(counts), np.uint32)
    for number in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > number)
        hashes[rows] = hashes[rows] * np.uint32(31) + parts[hashed.starts[rows] + number]
    return (hashes & np.uint32(_POSITIVE)).astype(np.int64) % buckets


def bucket_of_file(file_id: str) -> int | None:
    """The bucket that a file id of the simple bucket index begins with."""
    found = _BUCKET.match(file_id)
    return int(found.group()) if found else None


def in_buckets(
    keys: KeyColumns, numbers: Numbers, slices: Sequence[FileSlice], where: str
) -> list[tuple[Numbers, Numbers]]:
    """Each key in the slices of its bucket in its partition. Raises `UsageError` when slices are not named by buckets."""
    members: dict[str, dict[int, list[int]]] = {}
    for number, each in enumerate(slices):
        bucket = bucket_of_file(each.file_id)
        if bucket is None:
            raise UsageError(where, expected="file groups of a bucket index", found=f"file id {each.file_id}")
        members.setdefault(each.partition, {}).setdefault(bucket, []).append(number)
    placed = []
    for path, rows in keys.by_partition():
        for bucket, found in members.get(path, {}).items():
            placed.append((rows[numbers[rows] == bucket], np.array(found, np.int64)))
    return placed


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    value: int
    file_id_prefix: Annotated[str, Field(alias="fileIdPrefix")]


class _Hashing(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    nodes: tuple[_Node, ...]


def hashing_nodes(storage: Storage, timeline: Timeline, partition: str) -> list[tuple[int, str]] | None:
    """The nodes of a partition's consistent hashing, by value, each with the start of its file id; None when there are none.

    Of several versions the latest that a committed instant made counts.
    """
    folder = f"{HASHING_FOLDER}/{partition}".rstrip("/")
    files = {info.name.removesuffix(_SUFFIX): info for info in storage.list(folder) if info.name.endswith(_SUFFIX)}
    valid = [instant for instant in files if instant == _FIRST or timeline.committed(instant)]
    if not valid:
        return None
    path = files[max(valid)].path
    try:
        found = _Hashing.model_validate_json(storage.read(path))
    except ValidationError as error:
        said = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, said["loc"]))
        where = f"{storage.uri}/{path}"
        raise CorruptFileError(where, expected="nodes of hashing", found=f"{place}: {said['msg']}") from None
    return sorted((node.value, node.file_id_prefix) for node in found.nodes)


def node_places(hashed: HashTexts, rows: Numbers, values: Sequence[int]) -> Numbers:
    """The place of the node of the key in each row among the ascending values of nodes: the first that is not below the hash."""
    texts, bounds = text_list(hashed.texts), hashed.starts.tolist()
    hashes = [
        xxhash.xxh32_intdigest("".join(texts[bounds[row] : bounds[row + 1]]).encode(), 0) & _POSITIVE
        for row in rows.tolist()
    ]
    places = np.searchsorted(np.array(values, np.int64), np.array(hashes, np.int64))
    return places.astype(np.int64) % len(values)


def in_nodes(
    keys: KeyColumns, hashed: HashTexts, slices: Sequence[FileSlice], storage: Storage, timeline: Timeline
) -> list[tuple[Numbers, Numbers]]:
    """Each key in the slices of its node of consistent hashing in its partition.

    Raises `UsageError` for a partition with slices and no nodes.
    """
    members: dict[str, list[int]] = {}
    for number, each in enumerate(slices):
        members.setdefault(each.partition, []).append(number)
    placed = []
    for path, rows in keys.by_partition():
        if path not in members:
            continue
        nodes = hashing_nodes(storage, timeline, path)
        if nodes is None:
            where = f"{storage.uri}/{HASHING_FOLDER}/{path}"
            raise UsageError(where, expected="nodes of consistent hashing", found="none")
        places = node_places(hashed, rows, [value for value, _ in nodes])
        for place in np.unique(places).tolist():
            prefix = nodes[place][1]
            found = [number for number in members[path] if slices[number].file_id.startswith(prefix)]
            placed.append((rows[places == place], np.array(found, np.int64)))
    return placed

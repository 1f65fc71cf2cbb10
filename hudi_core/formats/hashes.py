"""Hash ids, keys of the metadata table's indexes made of them, and key to file group. Rules FORMAT-9 to FORMAT-12."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import xxhash
from numpy.typing import NDArray

_SEED = 0xFFFFFFFF_DABADABA  # the 32-bit seed DABADABA, sign-extended as Java widens it
_ROOT_PARTITION = "."


def xxh64_id(text: str) -> str:
    """Id of a column or a partition: base64 of the big-endian XXH64, 12 characters."""
    return base64.b64encode(xxhash.xxh64(text.encode(), seed=_SEED).digest()).decode("ascii")


def md5_id(text: str) -> str:
    """Id of a file name: base64 of its MD5, 24 characters."""
    return base64.b64encode(hashlib.md5(text.encode(), usedforsecurity=False).digest()).decode("ascii")


def partition_id(partition: str) -> str:
    """Id of a partition path; a table without partitions is `"."`, however it is written."""
    return xxh64_id(partition or _ROOT_PARTITION)


def column_stats_key(column: str, partition: str, file_name: str) -> str:
    """Row key in `column_stats`. Its first 12 characters are the column, its first 24 the column in the partition."""
    return xxh64_id(column) + partition_id(partition) + md5_id(file_name)


def partition_stats_key(column: str, partition: str, prefix: str | None = None) -> str:
    """Row key in `partition_stats`; with `prefix`, that of the partition's record in an expression index."""
    return xxh64_id(column) + (xxh64_id(prefix) if prefix is not None else "") + partition_id(partition)


def bloom_filter_key(partition: str, file_name: str) -> str:
    """Row key in `bloom_filters`."""
    return partition_id(partition) + md5_id(file_name)


def string_hash(text: str) -> int:
    """Java's `String.hashCode`, signed 32 bits."""
    return int(string_hashes([text])[0])


def string_hashes(texts: Sequence[str]) -> NDArray[np.int32]:
    """Java's `String.hashCode` of each text: the polynomial in 31 over its UTF-16 code units, modulo 2^32."""
    joined = "".join(texts)
    units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), "<u2")
    lengths = [len(text) for text in texts]
    if len(units) != len(joined):
        lengths = [len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts]
    ends = np.fromiter(accumulate(lengths), np.int64, len(lengths))
    starts = ends - lengths
    hashes = np.zeros(len(texts), np.uint32)
    filled = np.flatnonzero(ends > starts)
    if filled.size:
        powers = np.full(max(lengths), 31, np.uint32)
        powers[0] = 1
        powers = np.cumprod(powers, dtype=np.uint32)
        exponents = np.repeat(ends, lengths) - np.arange(1, len(units) + 1)
        hashes[filled] = np.add.reduceat(units * powers[exponents], starts[filled], dtype=np.uint32)
    return hashes.view(np.int32)


def file_group_index(key: str, groups: int) -> int:
    """Which of `groups` file groups of a metadata partition, ordered by name, holds the key."""
    return int(file_group_indexes([key], groups)[0])


def file_group_indexes(keys: Sequence[str], groups: int) -> NDArray[np.int64]:
    """`file_group_index` of many keys."""
    # In Java abs(-2^31) is negative and the remainder keeps its sign; in 64 bits both come out as intended.
    return np.abs(string_hashes(keys).astype(np.int64)) % groups

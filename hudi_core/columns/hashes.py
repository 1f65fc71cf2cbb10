"""Hash ids, keys of the metadata table's indexes made of them, and key to file group. Rules FORMAT-9 to FORMAT-12."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pybase64
from numpy.typing import NDArray

from hudi_core.arrays import Numbers, Numbers32, Octets, Words32
from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.nodes import StringColumn

if TYPE_CHECKING:
    import xxhash
else:
    xxhash = ModuleByNeed("xxhash")

_SEED = 0xFFFFFFFF_DABADABA  # the 32-bit seed DABADABA, sign-extended as Java widens it
_ROOT_PARTITION = "."
_BATCH = 2048


def xxh64_id(name: str) -> str:
    """Id of a column or a partition: base64 of the big-endian XXH64, 12 characters."""
    return pybase64.b64encode_as_string(xxhash.xxh64(name.encode(), seed=_SEED).digest())


def md5_id(name: str) -> str:
    """Id of a file name: base64 of its MD5, 24 characters."""
    return pybase64.b64encode_as_string(hashlib.md5(name.encode(), usedforsecurity=False).digest())


@lru_cache(maxsize=1 << 12)
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


def bloom_filter_keys(partitions: Sequence[str], partition_of: Numbers, names: StringColumn) -> NDArray[np.bytes_]:
    """`bloom_filter_key` of many files: of each the number of its partition in `partitions`, and its name."""
    data, fresh = names.data.tobytes(), hashlib.md5(usedforsecurity=False)
    digests: list[bytes] = []
    for start, end in pairwise(names.offsets.tolist()):
        hashed = fresh.copy()  # sooner than a new one
        hashed.update(data[start:end])
        digests.append(hashed.digest() + bytes(2))
    # Each is filled up to a multiple of three bytes, so that base64 gives each file a string of its own.
    keys = np.empty((len(partition_of), 36), np.uint8)
    ids = np.frombuffer("".join(map(partition_id, partitions)).encode(), np.uint8).reshape(-1, 12)
    keys[:, :12] = ids[partition_of]
    keys[:, 12:] = np.frombuffer(pybase64.b64encode(b"".join(digests)), np.uint8).reshape(-1, 24)
    keys[:, 34:] = ord("=")
    return keys.view("S36").ravel()


def string_hashes(strings: Sequence[str]) -> Numbers32:
    """Java's `String.hashCode` of each string: the polynomial in 31 over its UTF-16 code units, modulo 2^32."""
    joined = "".join(strings)
    units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), "<u2")
    lengths = [len(string) for string in strings]
    if len(units) != len(joined):
        lengths = [len(string.encode("utf-16-le", "surrogatepass")) // 2 for string in strings]
    return _unit_hashes(units, np.fromiter(accumulate(lengths, initial=0), np.int64, len(lengths) + 1))


def utf8_string_hashes(data: Octets, offsets: Numbers) -> Numbers32:
    """`string_hashes` of strings in Arrow's layout: text `i` is the UTF-8 bytes from `offsets[i]` to `offsets[i + 1]`."""
    data = data[int(offsets[0]) : int(offsets[-1])]
    offsets = offsets - offsets[0]
    if data.size and int(data.max()) >= 0x80:
        # A character of four UTF-8 bytes takes two units, any other one: count units by the bytes that start characters.
        starts = (data & 0xC0) != 0x80
        unit_offsets = np.concatenate([[0], np.cumsum(starts.astype(np.int64) + (data >= 0xF0))])
        units = np.frombuffer(
            data.tobytes().decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass"), "<u2"
        )
        return _unit_hashes(units, unit_offsets[offsets])
    return _unit_hashes(data, offsets)


def _unit_hashes(units: Octets | NDArray[np.uint16], offsets: Numbers) -> Numbers32:
    # 31 has an inverse modulo 2^32, so the weight of a unit can be counted from the start of a batch, the same for all
    # strings in it, and each string's sum be brought to its own end with one factor.
    hashes = np.zeros(len(offsets) - 1, np.uint32)
    for first in range(0, len(hashes), _BATCH):
        bounds = offsets[first : first + _BATCH + 1]
        starts, ends = bounds[:-1] - bounds[0], bounds[1:] - bounds[0]
        size = int(ends[-1])
        filled = np.flatnonzero(ends > starts)
        if filled.size:
            falling, rising = _powers(size.bit_length())
            weighted = units[int(bounds[0]) : int(bounds[-1])] * falling[:size]
            sums = np.add.reduceat(weighted, starts[filled], dtype=np.uint32)
            hashes[first + filled] = sums * rising[ends[filled] - 1]
    return hashes.view(np.int32)


@lru_cache(maxsize=2)
def _powers(bits: int) -> tuple[Words32, Words32]:
    """Powers of the inverse of 31, and of 31, for exponents below `2^bits`, modulo 2^32."""
    falling, rising = (np.full(1 << bits, factor, np.uint32) for factor in (pow(31, -1, 1 << 32), 31))
    falling[0] = rising[0] = 1
    return np.cumprod(falling, dtype=np.uint32), np.cumprod(rising, dtype=np.uint32)


def file_group_index(key: str, groups: int) -> int:
    """Which of `groups` file groups of a metadata partition, ordered by name, holds the key."""
    return int(file_group_indexes([key], groups)[0])


def file_group_indexes(keys: Sequence[str], groups: int) -> Numbers:
    """`file_group_index` of many keys."""
    # In Java abs(-2^31) is negative and the remainder keeps its sign; in 64 bits both come out as intended.
    return np.abs(string_hashes(keys).astype(np.int64)) % groups

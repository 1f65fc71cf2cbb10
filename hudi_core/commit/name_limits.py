"""How long the names may be that a write or an index build makes, where the storage has a limit: local disks. Rule STORE-1154."""

from __future__ import annotations

from typing import Final

from hudi_core.engine import Storage
from hudi_core.storage_parts import NameLimits, StorageWithLimits, describe_encoding

_MARKER_BYTES: Final = 192
"""What a marker's path has at most besides the partition: Hudi's folder, the time, the name of a data file."""
_GROUP_FILE_BYTES: Final = 72
"""What the name of a file of the metadata table has at most besides the prefix of its file group."""


def name_limits(storage: Storage) -> NameLimits | None:
    """The limits of a storage; None for one that is not known to have any."""
    return storage.limits if isinstance(storage, StorageWithLimits) else None


def describe_long_partition(limits: NameLimits, path: str, group_prefix: str | None) -> tuple[str, str]:
    """What is expected of a partition path, and what it is instead; nothing of both where it has room. `group_prefix` is the
    prefix of the file groups of the metadata table that are named by it, if there are any."""
    if limits.encoding != "utf-8" and not path.isascii():
        return describe_encoding(limits.encoding), "with others"
    longest = max(map(len, path.encode().split(b"/")))
    if longest > limits.step:
        return (
            f"partition folders with names of at most {limits.step} bytes, as this storage has them",
            f"{longest} bytes",
        )
    if group_prefix is not None and (size := longest_file_name(group_prefix)) > limits.step:
        expected = (
            f"a partition path that names of at most {limits.step} bytes have room for, as files of its record index"
        )
        return expected, f"names of {size} bytes"
    room = limits.path - _MARKER_BYTES
    if len(path.encode()) > room:
        return (
            f"a partition path of at most {room} bytes, as paths of this storage have room for",
            f"{len(path.encode())}",
        )
    return "", ""


def longest_file_name(group_prefix: str) -> int:
    """The bytes of the longest name of a file of the metadata table whose file groups have this prefix."""
    return len(group_prefix.encode()) + _GROUP_FILE_BYTES

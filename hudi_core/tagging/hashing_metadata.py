"""The nodes that a partition begins with under consistent hashing, as Apache Hudi makes and stores them. Rule INDEX-578."""

from __future__ import annotations

import hashlib
import json
import struct
import uuid
from typing import Final

from hudi_core.options import HASHING_FOLDER, HASHING_SUFFIX
from hudi_core.tagging.buckets import FIRST

_MOST: Final = 0x7FFFFFFF
"""The greatest hash."""


def first_nodes(partition: str, buckets: int) -> list[tuple[int, str]]:
    """The nodes of a partition by value, each with the start of its file id, which follow from its path and the number alone: two
    writers make the same."""
    step = (_MOST + buckets - 1) // buckets
    ends = [min(step * number, _MOST) for number in range(1, buckets + 1)]
    return [(end, _prefix(partition, begin, end)) for begin, end in zip([0, *ends], ends, strict=False)]


def hashing_path(partition: str) -> str:
    """The path of the file that holds a partition's first nodes."""
    return "/".join(filter(None, (HASHING_FOLDER, partition, f"{FIRST}{HASHING_SUFFIX}")))


def hashing_content(partition: str, nodes: list[tuple[int, str]]) -> bytes:
    """What that file holds."""
    stated = {"version": 0, "partitionPath": partition, "instant": FIRST, "numBuckets": len(nodes), "seqNo": 0}
    fields = "".join(f'  "{name}" : {json.dumps(value, ensure_ascii=False)},\n' for name, value in stated.items())
    texts = (
        f'{{\n    "value" : {value},\n    "fileIdPrefix" : "{prefix}",\n    "tag" : "NORMAL"\n  }}'
        for value, prefix in nodes
    )
    return f'{{\n{fields}  "nodes" : [ {", ".join(texts)} ]\n}}'.encode()


def _prefix(partition: str, begin: int, end: int) -> str:
    digest = hashlib.md5(struct.pack(">qq", begin, end) + partition.encode(), usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest, version=3))

"""RFC-19's own table: the metadata of a replace commit for 300 to 300,000 file groups in 1 and 10 partitions, written and read.

The peer is fastavro on the same record and schema, which makes plain dictionaries of it. `python -m tests.bench.replace_metadata`
prints the table: milliseconds to write and to read, bytes of the file, and what the metadata takes in memory with these bytes,
as RFC-19 counts it.
"""

from __future__ import annotations

import io
import json
import re
import tracemalloc
from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import Any, Final
from uuid import UUID

import fastavro

from hudi_core.commit.avro_schemas import REPLACE_COMMIT_METADATA
from hudi_core.commit.metadata import commit_record, encode_commit
from hudi_core.commit.statuses import TableChange
from hudi_core.schema.schema import Schema
from hudi_core.timeline.commits import CommitMetadata, read_commit
from hudi_core.timeline.instants import REPLACE_COMMIT
from hudi_core.types import nodes as t
from tests.bench.timing import Pair, Unbuilt

COUNTS: Final = (300, 3_000, 30_000, 300_000)
PARTITIONS: Final = (1, 10)
_GOAL: Final = "replace_metadata_300k_groups"
_NAME: Final = re.compile(r"replace_metadata_(\d+)_groups_(\d+)_partitions")
CASES: Final = tuple(f"replace_metadata_{count}_groups_{parts}_partitions" for parts in PARTITIONS for count in COUNTS)
_TIME: Final = "20240101000000000"
_VERSION, _LAYOUT = 9, 2
_CALLS: Final = 5


def change(count: int, partitions: int) -> TableChange:
    """A clustering that replaced so many file groups."""
    ids = [f"{UUID(int=number * 0x9E3779B97F4A7C15 % (1 << 128))}-0" for number in range(count)]
    replaced = {f"day=2024-01-{part + 1:02}": tuple(ids[part::partitions]) for part in range(partitions)}
    return TableChange("CLUSTER", REPLACE_COMMIT, Schema(t.Record(())), (), replaced)


def written(done: TableChange) -> bytes:
    """The file of the completed commit."""
    return encode_commit(commit_record(done, _TIME, _VERSION, "{}"), _LAYOUT)


def read(content: bytes) -> CommitMetadata:
    """What the file says."""
    return read_commit(content, "a replace commit")


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case: write and read."""
    named = _NAME.fullmatch(case)
    if peer != "fastavro" or (named is None and case != _GOAL):
        raise Unbuilt("no measurement of this case")
    done = change(*(300_000, 1) if named is None else map(int, named.groups()))
    record = commit_record(done, _TIME, _VERSION, "{}")

    def theirs() -> Mapping[str, Any]:
        out = io.BytesIO()
        fastavro.writer(out, fastavro.parse_schema(dict(REPLACE_COMMIT_METADATA)), [record], codec="null")
        (again,) = fastavro.reader(io.BytesIO(out.getvalue()))
        assert isinstance(again, dict)
        return again

    def check(ours: CommitMetadata, peers: Mapping[str, Any]) -> None:
        assert {partition: list(ids) for partition, ids in ours.replaced.items()} == peers["partitionToReplaceFileIds"]
        assert sum(map(len, ours.replaced.values())) == sum(map(len, done.replaced.values()))

    return Pair(lambda: read(written(done)), theirs, check, 2.0)


def row(count: int, partitions: int) -> dict[str, float]:
    """A row of the table: the best of some calls."""
    done = change(count, partitions)
    content = written(done)
    seconds = [_timed(done, content) for _ in range(_CALLS)]
    tracemalloc.start()
    metadata = read(content)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(map(len, metadata.replaced.values())) == count
    return {
        "partitions": partitions,
        "file_groups": count,
        "write_ms": round(1e3 * min(write for write, _ in seconds), 2),
        "read_ms": round(1e3 * min(reading for _, reading in seconds), 2),
        "bytes": len(content),
        "memory": size + len(content),
    }


def table() -> Iterable[dict[str, float]]:
    """All rows, as RFC-19 has them."""
    return (row(count, partitions) for partitions in PARTITIONS for count in COUNTS)


def _timed(done: TableChange, content: bytes) -> tuple[float, float]:
    begun = perf_counter()
    written(done)
    between = perf_counter()
    read(content)
    return between - begun, perf_counter() - between


if __name__ == "__main__":
    for entry in table():
        print(json.dumps(entry), flush=True)

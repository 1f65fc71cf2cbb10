"""META-130: an index build in an object store waits for few requests, however many files and file groups there are.

`waves` is the longest chain of requests of which each began after the one before it had been answered. The numbers are limits.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.table.open import refreshed
from hudi_core.writing.operations import write
from tests.support.measured_store import GATE, MeasuredStore, Requests

pytest.importorskip("obstore", reason="obstore is not installed")

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
INDEXES = ["column_stats", "bloom_filters", "record_index"]
FILES = 24


MOST_WAVES = 83
TRIES = 3
"""A busy machine may take longer than the gate between two requests of one wave: the fewest waves of some builds count."""


@pytest.fixture(scope="module")
def build(store: MeasuredStore) -> Requests:
    """The requests of a build on a table with a base file and a log file in each of its file groups."""
    builds: list[Requests] = []
    while len(builds) < TRIES and (not builds or builds[-1].waves > MOST_WAVES):
        builds.append(measure(store, f"lake/built{len(builds)}"))
    return min(builds, key=lambda requests: requests.waves)


def measure(store: MeasuredStore, path: str) -> Requests:
    lake = store.root / path
    table = create_table(lake, TYPES, "id", partition_by="p", type="mor", indexes=[])
    for ts in range(2):
        rows = [{"id": f"k{key}", "p": f"p{key % FILES}", "n": ts} for key in range(FILES * 2)]
        write(refreshed(table), pa.Table.from_pylist(rows, TYPES))
    remote = open_table(f"s3://{path}", storage_options=store.options)
    store.behave(gate=GATE)
    with store.measured() as requests:
        build_indexes(remote, INDEXES)
    store.behave()
    built = open_table(lake, metadata="require")
    assert built.scan("n = 1").count() == FILES * 2
    assert set(INDEXES) < set(built.config.metadata_partitions)
    return requests


def test_a_build_waits_for_few_requests(build: Requests) -> None:
    """Each kind of data files and file groups, which are 48 and 16, is one wave or two. Others look whether the lock is
    still held before each commit, what a build that is refused would put back, and whether files were removed before they were
    listed."""
    assert 0 < build.waves <= MOST_WAVES, build


def test_each_data_file_is_opened_once_for_statistics_and_filters_and_once_for_keys(build: Requests) -> None:
    data = {name: count for name, count in build.by_object().items() if re.match("/lake/built[0-9]/p", name)}
    assert len(data) == FILES * 2
    assert max(data.values()) <= 2, data

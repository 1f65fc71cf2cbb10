"""The compaction of 2 M rows in 10 base files with 200,000 updates in 50 log files, planned and run: ours beside Apache Hudi's.

Every call works on a copy of the table whose data files are links. Making it is part of our time, but not of Apache Hudi's. All
rows of both sides are compared before anything is timed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hudi_core.front.opening import open_table
from hudi_core.services.compaction.operations import compact
from tests.bench import apache_hudi
from tests.bench.timing import Elsewhere, Pair, Unbuilt

_PEER = "apache-hudi"
_KEY = [("id", "ascending")]


def pair(case: str, peer: str) -> Pair:
    """The measurement. Raises `Unbuilt` for another peer, `Missing` for what the machine lacks."""
    if peer != _PEER:
        raise Unbuilt("no such peer")
    return Pair(_compact, Elsewhere(_of_apache_hudi), _check, 5, burst=1)


def _compact() -> None:
    with _compacted():
        pass


@contextmanager
def _compacted() -> Iterator[Path]:
    """A copy of the table, compacted."""
    with copied(apache_hudi.table("mor_read")) as path:
        result = compact(open_table(path))
        assert (result.state, result.slices, result.updated) == ("completed", 10, _updates())
        yield path


@contextmanager
def copied(source: Path) -> Iterator[Path]:
    """A copy of a table whose data files are links."""
    with tempfile.TemporaryDirectory(prefix="bench-copy-", dir=source.parent) as scratch:
        yield Path(shutil.copytree(source, Path(scratch) / "t", copy_function=_linked))


@cache
def _updates() -> int:
    """Keys that log files change: several commits may change a key."""
    times = open_table(apache_hudi.table("mor_read")).scan(columns=["_hoodie_commit_time"]).to_arrow().column(0)
    return int(pc.sum(pc.not_equal(times, pc.min(times))).as_py())


def _of_apache_hudi() -> tuple[Sequence[float], pa.Table]:
    source = apache_hudi.table("mor_read")
    with tempfile.TemporaryDirectory(prefix="bench-compact-", dir=source.parent) as scratch:
        answer = Path(scratch) / "rows"
        script = Path(__file__).with_name("compaction_peer.py")
        (line,) = apache_hudi.script(script, str(source), str(answer), scratch)
        return line["seconds"], pq.read_table(answer)


def _check(_: object, theirs: pa.Table) -> None:
    with _compacted() as path:
        table = open_table(path)
        assert not any(file_slice.logs for file_slice in table.slices())
        ours = table.scan(columns=theirs.column_names).to_arrow().cast(theirs.schema)
        assert ours.sort_by(_KEY).equals(theirs.sort_by(_KEY)), "rows differ"


def _linked(source: str, target: str) -> None:
    """A link to a data file, which nobody changes; a copy of what stands in the table's own folder."""
    if ".hoodie" in Path(source).parts:
        shutil.copy2(source, target)
    else:
        os.link(source, target)

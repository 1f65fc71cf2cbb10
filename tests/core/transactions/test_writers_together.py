"""Several writers of one table at once: every commit that is reported is there, once, and nothing else. CONFLICT-1, WRITE-24.

Threads in every run; processes, for a minute, by `make soak`.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from time import monotonic

import pyarrow as pa
import pytest

from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.writing.operation import WriteOptions

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
SHARED = "shared"
"""A key that every writer updates, so that they meet in one file group."""


@dataclass(frozen=True)
class Reported:
    """What writers report: requested times of commits, and the value that each of their own keys was given last."""

    instants: list[str]
    rows: dict[str, int]


def work(path: str, writer: int, writes: int, seconds: float) -> Reported:
    """Writes rows of its own and the shared one, until it has done so many or the time is over."""
    instants: list[str] = []
    rows: dict[str, int] = {}
    begun = monotonic()
    for number in takewhile(lambda number: number < writes and monotonic() - begun < seconds, count()):
        key = f"{writer}-{number % 5}"
        batch = [{"id": key, "p": "xy"[number % 5 % 2], "n": number}, {"id": SHARED, "p": "x", "n": number}]
        try:
            result = open_table(path).upsert(pa.Table.from_pylist(batch, TYPES), WriteOptions(attempts=6))
        except ConflictError:
            continue  # is not reported, so nothing of it may be seen
        instants.append(result.instant)
        rows[key] = number
    return Reported(instants, rows)


def together(folder: Path, pool: Executor, writers: int, *, kind: str, writes: int, seconds: float = 60.0) -> None:
    path = str(folder / "t")
    create_table(path, TYPES, "id", partition_by="p", type=kind, indexes=("column_stats", "record_index"))
    reports = list(pool.map(work, [path] * writers, range(writers), [writes] * writers, [seconds] * writers))
    expect(path, reports)


def expect(path: str, reports: Sequence[Reported]) -> None:
    table = open_table(path)
    commits = [instant.requested_time for instant in table.timeline.commits]
    assert sorted(commits) == sorted(instant for report in reports for instant in report.instants)
    assert not table.timeline.pending
    assert not table.warnings
    rows = [(row["id"], row["n"]) for row in table.scan(columns=["id", "n"]).to_json_rows()]
    own = sorted(row for row in rows if row[0] != SHARED)
    assert own == sorted(row for report in reports for row in report.rows.items())
    assert len(rows) == len(own) + 1
    assert not list(Path(path).glob(".hoodie/.temp/*"))
    assert not list(Path(path).glob(".hoodie/lock"))


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_threads_lose_and_repeat_no_commit(tmp_path: Path, kind: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        together(tmp_path, pool, 2, kind=kind, writes=3)


@pytest.mark.soak
@pytest.mark.parametrize("writers", [2, 4])
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_processes_lose_and_repeat_no_commit(tmp_path: Path, kind: str, writers: int) -> None:
    with ProcessPoolExecutor(writers, multiprocessing.get_context("spawn")) as pool:
        together(tmp_path, pool, writers, kind=kind, writes=1 << 30)


def test_two_log_files_of_one_slice_never_take_each_others_place(tmp_path: Path) -> None:
    """WRITE-73: where their names do not tell writers apart."""
    path = tmp_path / "t"
    table = create_table(path, TYPES, "id", type="mor", version=6, indexes=["column_stats"])
    table.insert(rows("a", "b", n=1))

    def meanwhile(_done: int, _all: int) -> None:
        with pytest.raises(ConflictError, match="log file"):
            open_table(path).upsert(rows("b", n=2), WriteOptions(attempts=1))

    open_table(path).upsert(rows("a", n=2), WriteOptions(progress=meanwhile))
    open_table(path).upsert(rows("b", n=3))
    (file_slice,) = open_table(path).slices()
    assert [log.name.partition(".log.")[2] for log in file_slice.logs] == ["1_0-0-0", "2_0-0-0"]
    assert sorted(row["n"] for row in open_table(path).scan(columns=["n"]).to_json_rows()) == [2, 3]


def rows(*keys: str, n: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": key, "p": "x", "n": n} for key in keys], TYPES)

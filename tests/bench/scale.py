"""A paper plan: what it takes to index ten million files and ten billion keys, from rates that are measured here and now.

`python -m tests.bench.scale` prints it as Markdown; `--write docs/scale.md` puts it between the marks of that page.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hudi_core.columns.nodes import StringColumn
from hudi_core.front.opening import create_table
from hudi_core.index_builds.built_rows import BuiltRows
from hudi_core.index_builds.row_sources import SharedRows, row_sources
from hudi_core.index_builds.runs import (
    HELD_BYTES,
    RANGE_BYTES,
    RUN_BYTES,
    GroupNumbers,
    PrefixRows,
    SortedRun,
    sort_runs,
    spool_runs,
)
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.index_kinds.column_definitions import choose_definitions
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, FILES, RECORD_INDEX
from hudi_core.metadata_rows.rows import GroupKeys, listing_rows, location_rows
from hudi_core.metadata_writer.building import NewGroups, new_groups
from hudi_core.metadata_writer.group_files import write_base
from hudi_core.metadata_writer.initial import group_count
from hudi_core.snapshot.snapshot import list_files
from hudi_core.table.engines import load_engine
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table

COUNT_OF_FILES: Final = 10_000_000
COUNT_OF_KEYS: Final = 10_000_000_000
TASKS: Final = 64
"""Tasks that run at the same time, each on a processor like the one measured."""
COLUMNS: Final = 32
"""Columns that have statistics."""
_FILES, _ROWS, _KEYS = 48, 1_000, 1_000_000
_WORK = 5
"""Times the bytes of a run, or of a stretch, that putting it in order takes."""
_BEGIN, _END = "<!-- measured -->", "<!-- end -->"


@dataclass(frozen=True)
class Rates:
    """What was measured, on one processor. Seconds and bytes of one file or one key."""

    file_seconds: float
    file_memory: float
    listed_bytes: float
    statistics_bytes: float
    filter_bytes: float
    key_read_seconds: float
    key_write_seconds: float
    key_spooled_bytes: float
    key_stored_bytes: float


def measured() -> Rates:
    """Rates of this machine, in some seconds."""
    with tempfile.TemporaryDirectory(prefix="bench-scale-") as folder:
        table = _table(Path(folder) / "t")
        built, memory = BuiltRows(table), _memory_of_list(table)
        groups = (new_groups(COLUMN_STATS, 0), new_groups(BLOOM_FILTERS, 0))
        definitions = choose_definitions(table, [COLUMN_STATS], {}, IndexOptions())
        (footers,) = row_sources(built, groups, definitions, "0" * 17)
        seconds, runs = _timed(lambda: _runs(footers, groups))
        sizes = np.sum([run.sizes for run in runs], axis=0)
        of_statistics = int(sizes[: group_count(COLUMN_STATS, 0)].sum())
        (keys,) = row_sources(built, (new_groups(RECORD_INDEX, 0),), {**definitions, **_index(table)}, "0" * 17)
        read, _ = _timed(lambda: _runs(keys, (new_groups(RECORD_INDEX, 0),)))
        listing = listing_rows(list_files(table.storage))
        write, spooled_bytes, stored_bytes = _written_keys()
        return Rates(
            seconds / _FILES, memory / _FILES, listing.size / _FILES, of_statistics / _FILES,
            (int(sizes.sum()) - of_statistics) / _FILES, read / (_FILES * _ROWS), write / _KEYS,
            spooled_bytes / _KEYS, stored_bytes / _KEYS,
        )  # fmt: skip


def _table(path: Path) -> Table:
    """A table of some files, of as many partitions, with the columns and the filters that the plan has."""
    types = pa.schema([("id", pa.string()), ("p", pa.string()), *((f"c{n}", pa.int64()) for n in range(COLUMNS - 5))])
    table = create_table(path, types, "id", partition_by="p", indexes=[])
    numbers = np.arange(_FILES * _ROWS)
    columns: list[Any] = [
        pa.array([f"key-{number:032d}" for number in numbers.tolist()]),
        pa.array([f"p{number}" for number in (numbers % _FILES).tolist()]),
        *(pa.array(numbers) for _ in range(COLUMNS - 5)),
    ]
    table.append(pa.table(columns, schema=types))
    return refreshed(table)


def _memory_of_list(table: Table) -> int:
    """Bytes that the list of data files takes in memory."""
    tracemalloc.start()
    try:
        files = BuiltRows(refreshed(table)).data_files
        assert len(files) == _FILES
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def _index(table: Table) -> dict[str, Any]:
    return dict(choose_definitions(table, [RECORD_INDEX], {}, IndexOptions()))


def _runs(rows: SharedRows, groups: Sequence[NewGroups]) -> list[SortedRun]:
    return list(rows.runs(_Alone(), GroupNumbers(tuple(groups))))


class _Alone:
    """A runner of one task at a time."""

    parallelism = 1

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        return [work(task) for task in tasks]


def _written_keys() -> tuple[float, int, int]:
    """Seconds, bytes in the spool and bytes of base files, of keys that look like UUIDs."""
    numbers = GroupNumbers((NewGroups(RECORD_INDEX, {"record-index-": 1}),))
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    drawn = digits[np.random.default_rng(5).integers(0, 16, (_KEYS, 36))].reshape(-1)
    keys = StringColumn(np.arange(_KEYS + 1, dtype=np.int64) * 36, drawn)
    rows = location_rows([GroupKeys("p1", "7b3c2f04-98a1-4c6e-9f0d-2b1a5c8e7d60-0", keys)], 1_700_000_000_000)
    begun = perf_counter()
    runs = spool_runs(load_engine("arrow"), 1, sort_runs(numbers, [PrefixRows(RECORD_INDEX, "record-index-", rows)]))
    try:
        size, _ = write_base(io.BytesIO(), runs.stretches(0))
        return perf_counter() - begun, runs.size(0), size
    finally:
        runs.spool.close()


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = perf_counter()
    result = work()
    return perf_counter() - begun, result


def plan(rates: Rates) -> Iterator[str]:
    """The plan as lines of Markdown."""
    groups = group_count(RECORD_INDEX, COUNT_OF_KEYS)
    spooled_bytes = COUNT_OF_KEYS * rates.key_spooled_bytes
    of_footers = COUNT_OF_FILES * (rates.statistics_bytes + rates.filter_bytes)
    key_runs, file_runs = spooled_bytes / RUN_BYTES, of_footers / RUN_BYTES
    other_groups = group_count(COLUMN_STATS, 0) + group_count(BLOOM_FILTERS, 0)
    stretches = spooled_bytes / groups / RANGE_BYTES
    yield f"{COUNT_OF_FILES:,} files, {COUNT_OF_KEYS:,} keys, {COLUMNS} columns with statistics, {TASKS} tasks at a time."
    yield ""
    yield "| step | what | bytes | seconds | memory |"
    yield "|---|---|---|---|---|"
    yield _row("list", f"`files`, {group_count(FILES, 0)} file group", COUNT_OF_FILES * rates.listed_bytes, 0,
               COUNT_OF_FILES * rates.file_memory)  # fmt: skip
    yield _row("footers", "a request a file, rows of statistics and filters", of_footers,
               COUNT_OF_FILES * rates.file_seconds / TASKS, _WORK * RUN_BYTES)  # fmt: skip
    for partition, size in ((COLUMN_STATS, rates.statistics_bytes), (BLOOM_FILTERS, rates.filter_bytes)):
        count = group_count(partition, 0)
        # By the rate at which records of keys are put in order and written, for as many tasks as there are file groups.
        seconds = COUNT_OF_FILES * size * rates.key_write_seconds / rates.key_spooled_bytes / min(count, TASKS)
        what = f"`{partition}`, {count} file groups"
        yield _row("base files", what, COUNT_OF_FILES * size, seconds, _WORK * RANGE_BYTES)
    yield _row("keys", "key columns of base files, sorted runs", spooled_bytes,
               COUNT_OF_KEYS * rates.key_read_seconds / TASKS, _WORK * RUN_BYTES)  # fmt: skip
    yield _row("collect", f"{key_runs + file_runs:,.0f} runs in a local file", spooled_bytes + of_footers, 0,
               HELD_BYTES + 2 * TASKS * RUN_BYTES + 24 * (key_runs * groups + file_runs * other_groups))  # fmt: skip
    yield _row("base files", f"`record_index`, {groups:,} file groups of {COUNT_OF_KEYS // groups:,} keys",
               COUNT_OF_KEYS * rates.key_stored_bytes, COUNT_OF_KEYS * rates.key_write_seconds / TASKS,
               _WORK * RANGE_BYTES + 4 * stretches * key_runs * 100)  # fmt: skip


def _row(step: str, what: str, size: float, seconds: float, memory: float) -> str:
    time = f"{seconds:,.0f}" if seconds else ""
    return f"| {step} | {what} | {_bytes(size)} | {time} | {_bytes(memory)} |"


def _bytes(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:,.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a page with the marks between which the plan stands")
    page: Path | None = parser.parse_args().write
    text = "\n".join(plan(measured()))
    print(text)
    if page is not None:
        before, _, rest = page.read_text("utf-8").partition(_BEGIN)
        page.write_text(f"{before}{_BEGIN}\n{text}\n{_END}{rest.partition(_END)[2]}", "utf-8")


if __name__ == "__main__":
    main()

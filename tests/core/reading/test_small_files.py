"""Small base files read together: rows, their order, how often files are opened, and how many batches come of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.files.parquet import OpenedParquet, ParquetReader
from hudi_arrow.rows import ArrowRows
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.parallel.limits import READERS
from hudi_core.reading import small_files
from hudi_core.reading.small_files import (
    MERGED_BYTES,
    bytes_of_slices,
    count_merged,
    reading_threads,
    runs_of_small_files,
)
from tests.support.memory import Memory
from tests.support.one_commit_tables import BY_CITY, base_file_path, commit_base_files

LOCAL: Any = SimpleNamespace(is_remote=False)
REMOTE: Any = SimpleNamespace(is_remote=True)
FILES = 40
ROWS = 5
LARGE = 17
"""The number of the file that is not small."""
LARGE_ROWS = 20_000
AVRO = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "id", "type": ["null", "long"]},
        {"name": "city", "type": ["null", "string"]},
        {"name": "fare", "type": ["null", "double"]},
        {"name": "tip", "type": "long", "default": 7},
        {"name": "tags", "type": ["null", {"type": "array", "items": ["null", "string"]}]},
    ],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of two partitions in which three forms of the schema take turns: as it is, without its later columns, and of narrower
    types in another order. One file is large."""
    folder = tmp_path_factory.mktemp("table")
    for number in range(FILES):
        ids = list(range(number * LARGE_ROWS, number * LARGE_ROWS + (LARGE_ROWS if number == LARGE else ROWS)))
        columns: dict[str, Any] = {
            "id": pa.array(ids, pa.int64()),
            "city": ["elsewhere"] * len(ids),
            "fare": pa.array([float(n) for n in ids]),
        }
        if number % 3 == 0:
            columns |= {"tip": pa.array(ids, pa.int64()), "tags": [[str(n), None] for n in ids]}
        elif number % 3 == 1:
            columns = {"fare": columns["fare"].cast(pa.float32()), "id": columns["id"].cast(pa.int32())}
        partition = f"city={'oslo' if number < FILES // 2 else 'paris'}"
        pq.write_table(pa.table(columns), base_file_path(folder, number, partition))
    return commit_base_files(folder, AVRO, BY_CITY)


def wanted_rows() -> list[dict[str, Any]]:
    rows = []
    for number in range(FILES):
        for n in range(number * LARGE_ROWS, number * LARGE_ROWS + (LARGE_ROWS if number == LARGE else ROWS)):
            later = number % 3 == 0
            city = "oslo" if number < FILES // 2 else "paris"
            row = {"id": n, "city": city, "fare": float(n), "tip": n if later else 7}
            rows.append({**row, "tags": [str(n), None] if later else None})
    return rows


def kept(condition: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    return [row for row in wanted_rows() if condition(row)]


def read(root: Path, **scan: Any) -> list[pa.RecordBatch]:
    return list(open_table(str(root)).scan(meta=False, **scan).batches())


def rows_of(batches: Sequence[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


def test_rows_of_many_small_files_come_in_the_order_of_the_files_and_in_few_batches(root: Path) -> None:
    """TABLE-16."""
    batches = read(root)
    assert rows_of(batches) == wanted_rows()
    assert len(batches) < FILES / 2
    assert len({batch.schema for batch in batches}) == 1


@pytest.mark.parametrize(
    ("where", "condition"),
    [
        ("fare >= 0", bool),
        ("tip = 7", lambda row: row["tip"] == 7),
        ("id % 2 = 0 AND city = 'paris'", lambda row: row["id"] % 2 == 0 and row["city"] == "paris"),
        ("size(tags) = 2 OR fare < 20001", lambda row: row["tags"] is not None or row["fare"] < 20001),
    ],
)
def test_a_filter_leaves_the_rows_that_match_in_their_order(
    root: Path, where: str, condition: Callable[[dict[str, Any]], bool]
) -> None:
    assert rows_of(read(root, where=where)) == kept(condition)
    ids = [{"id": row["id"]} for row in kept(condition)]
    assert rows_of(read(root, where=where, columns=["id"])) == ids


def test_columns_that_a_file_lacks_or_that_nobody_wants_do_not_lose_rows(root: Path) -> None:
    assert rows_of(read(root, columns=["tags"])) == [{"tags": row["tags"]} for row in wanted_rows()]
    assert sum(batch.num_rows for batch in read(root, columns=[])) == len(wanted_rows())
    assert len(rows_of(read(root, columns=[], where="tip <> 7"))) == len(kept(lambda row: row["tip"] != 7))


def test_a_run_that_has_many_rows_is_read_in_parts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_files, "_MAX_ROWS", 2 * ROWS)
    batches = read(root)
    assert rows_of(batches) == wanted_rows()
    assert sorted({batch.num_rows for batch in batches} - {LARGE_ROWS}) == [ROWS, 2 * ROWS]


def test_matching_rows_are_counted_of_several_files_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLE-17."""
    filters, filtered = Counter[str](), ArrowRows.filter

    def noted(self: ArrowRows, batch: pa.RecordBatch, mask: pa.Array) -> pa.RecordBatch:
        filters["filter"] += 1
        return filtered(self, batch, mask)

    monkeypatch.setattr(ArrowRows, "filter", noted)
    scan = open_table(str(root)).scan(where="id % 2 = 0")
    assert scan.count() == len(kept(lambda row: row["id"] % 2 == 0))
    assert filters["filter"] < FILES / 2
    assert sum(scan.counts()) == scan.count() and len(scan.counts()) == FILES


def test_each_small_file_is_opened_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLE-16."""
    opens, opened = Counter[str](), ParquetReader.open

    def noted(self: ParquetReader, storage: Storage, file: FileInfo) -> OpenedParquet:
        opens[file.name] += 1
        return opened(self, storage, file)

    table = open_table(str(root))
    assert len(table.slices()) == FILES
    monkeypatch.setattr(ParquetReader, "open", noted)
    assert sum(batch.num_rows for batch in table.scan().batches()) == len(wanted_rows())
    small = {name: count for name, count in opens.items() if not name.startswith(f"f{LARGE}")}
    assert len(small) == FILES - 1 and set(small.values()) == {1}


def test_an_error_names_the_file(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for source in root.rglob("*"):
        target = copy / source.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_file():
            target.write_bytes(source.read_bytes())
    broken = next((copy / "city=oslo").glob("f05*"))
    broken.write_bytes(broken.read_bytes()[:-9])
    with pytest.raises(CorruptFileError, match=broken.name.replace(".", "[.]")):
        read(copy)


def test_neighbours_that_are_small_make_a_run(root: Path) -> None:
    slices = open_table(str(root)).snapshot().slices
    runs = runs_of_small_files(slices, list(range(FILES)))
    assert [number for run in runs for number in run] == list(range(FILES))
    assert [LARGE] in [list(run) for run in runs]
    assert max(map(len, runs)) > 1 and len(runs) < FILES
    assert runs_of_small_files(slices, []) == []
    assert [list(run) for run in runs_of_small_files(slices, [LARGE])] == [[LARGE]]


def test_few_bytes_of_local_files_are_read_by_one_thread(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread takes longer to start than it saves; which threads read changes no row and no order. TABLE-14."""
    snapshot = open_table(str(root)).snapshot()
    slices, numbers = snapshot.slices, list(range(FILES))
    sizes = [file_slice.base.size for file_slice in slices if file_slice.base]
    started, start = list[str](), Thread.start

    def noted(thread: Thread) -> None:
        started.append(thread.name)
        start(thread)

    monkeypatch.setattr(Thread, "start", noted)
    monkeypatch.setattr(small_files, "ALONE_BYTES", sum(sizes))
    assert bytes_of_slices(slices, numbers) == sum(sizes) and bytes_of_slices(slices, [3, 1]) == sizes[3] + sizes[1]
    assert reading_threads(snapshot.storage, sum(sizes)) == reading_threads(snapshot.storage, 0) == 1
    assert rows_of(read(root)) == wanted_rows() and started == []
    remote = Memory({})
    monkeypatch.setattr(remote, "is_remote", True)
    assert reading_threads(remote, 0) == READERS  # type: ignore[arg-type]
    monkeypatch.setattr(small_files, "ALONE_BYTES", sum(sizes) - 1)
    assert reading_threads(snapshot.storage, sum(sizes)) == READERS
    assert rows_of(read(root)) == wanted_rows() and set(started) == {"hudi-read"}


def test_small_slices_with_log_files_are_read_by_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLE-1612, also of their changes: slices of 128 KiB on average, a hundred of them as well as one."""
    assert reading_threads(LOCAL, 100 * MERGED_BYTES, 100) == 1
    assert reading_threads(LOCAL, 100 * MERGED_BYTES + 1, 100) == reading_threads(LOCAL, 100 * MERGED_BYTES) == READERS
    assert reading_threads(REMOTE, 1, 100) == READERS
    rows = pa.table({"id": list(range(12)), "part": [row % 4 for row in range(12)]})
    table = create_table(tmp_path, rows, "id", partition_by="part", type="mor")
    table.append(rows)
    table.refresh().upsert(rows.slice(0, 3))
    table = table.refresh()
    slices = table.snapshot().slices
    assert count_merged(slices, range(4)) == 3 and count_merged(slices, [3]) == 0
    started, start = list[str](), Thread.start

    def follow(thread: Thread) -> None:
        started.append(thread.name)
        start(thread)

    monkeypatch.setattr(Thread, "start", follow)
    monkeypatch.setattr(small_files, "ALONE_BYTES", 0)
    assert table.scan().to_arrow().num_rows == 12 and table.changes().to_arrow().num_rows == 15
    assert started == []
    monkeypatch.setattr(small_files, "MERGED_BYTES", 0)
    assert table.scan().to_arrow().num_rows == 12 and table.changes().to_arrow().num_rows == 15
    assert set(started) == {"hudi-read"}

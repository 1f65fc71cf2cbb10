"""Writes and plans that are taken back, beside others that go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit.lock import LOCK_PATH
from hudi_core.commit.markers import MarkerKind, marker_step, partition_step
from hudi_core.commit.times import system_clock
from hudi_core.errors import HudiError, StorageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.services.compaction.operations import compact, plan_only
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.table.open import refreshed
from hudi_core.timeline.instants import CLUSTERING, COMPACTION, InstantState
from hudi_core.transactions.taking_back import take_back_plan
from hudi_core.transactions.transaction import Transaction, transaction
from hudi_core.writing.write_run import write_action
from tests.support.crashes import later

ROWS = pa.table({"id": ["a", "b"], "p": ["x/1", "x/2"], "v": [1, 2]})


def partitioned(folder: Path, **options: object) -> Table:
    table = create_table(folder / "t", ROWS.schema, key="id", partition_by="p", **options)  # type: ignore[arg-type]
    table.upsert(ROWS.slice(0, 1))
    return table.refresh()


def writing(table: Table) -> AbstractContextManager[Transaction]:
    return transaction(table, write_action(table), "INSERT", metadata_steps=lambda *_: [])


def damaged(table: Table) -> Table:
    for one in table.slices():
        assert one.base is not None
        Path(table.uri, one.base.path).write_bytes(b"PAR1")
    return table.refresh()


class Full(ArrowStorage):
    """A disk with room for so many more files; each that goes makes room for one."""

    room = 1 << 30

    def create(self, path: str, content: bytes) -> None:
        self._take(path)
        super().create(path, content)

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        self._take(path)
        with super().output(path) as stream:
            yield stream

    def delete(self, path: str) -> None:
        self.room += self.exists(path)
        super().delete(path)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths:
            self.delete(path)

    def _take(self, path: str) -> None:
        if not self.room:
            raise StorageError(path, message="No space left on device")
        self.room -= 1


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("has_file", [True, False])
def test_a_write_that_fills_the_disk_leaves_nothing_though_it_has_no_room_for_the_lock(
    tmp_path: Path, kind: str, has_file: bool
) -> None:
    """COMMIT-1607."""
    table = partitioned(tmp_path, type=kind)
    before = sorted(Path(table.uri).rglob("*.*"))
    storage = Full(table.uri)
    full = replace(table, storage=storage)
    with pytest.raises(StorageError, match="No space"), transaction(full, write_action(full), "UPSERT") as write:
        write.start({"x/1": []})
        name = f"x/1/a_0-0-0_{write.instant_time}.parquet"
        write.announced.add(name)
        marker_step(write.instant_time, name, MarkerKind.CREATE).apply(storage)
        storage.room = int(has_file)
        with storage.output(name) as file:
            file.write(b"rows")
        storage.create("x/1/another", b"rows")
    assert sorted(Path(table.uri).rglob("*.*")) == before
    assert not refreshed(table).timeline.pending


@pytest.mark.parametrize("beside", [False, True])
def test_a_new_partition_goes_unless_a_writer_may_count_on_it(tmp_path: Path, beside: bool) -> None:
    """COMMIT-500."""
    table = partitioned(tmp_path, type="cow")
    with writing(table) if beside else nullcontext(), pytest.raises(ZeroDivisionError), writing(table) as write:
        write.start({"y/2": []})
        partition_step("y/2", write.instant_time).apply(table.storage)
        marker_step(write.instant_time, f"y/2/a_0-0-0_{write.instant_time}.parquet", MarkerKind.CREATE).apply(
            table.storage
        )
        raise ZeroDivisionError
    assert (Path(table.uri) / "y/2/.hoodie_partition_metadata").exists() is beside
    assert (Path(table.uri) / "y").exists() is beside
    assert len(table.refresh().timeline.instants) == 1


def test_a_new_partition_with_files_stays(tmp_path: Path) -> None:
    """COMMIT-500."""
    table = damaged(partitioned(tmp_path, type="cow"))
    with (
        pytest.raises(ZeroDivisionError),
        transaction(table, "commit", "INSERT", metadata_steps=lambda *_: []) as write,
    ):
        write.start({"y": [], "z": []})
        for name in ("y", "z"):
            (Path(table.uri) / name).mkdir()
            content = f"commitTime={write.instant_time}\npartitionDepth=1\n"
            (Path(table.uri) / name / ".hoodie_partition_metadata").write_text(content)
        (Path(table.uri) / "y/of_others").write_text("")
        raise ZeroDivisionError
    assert [path.name for path in sorted(Path(table.uri).iterdir())] == [".hoodie", "x", "y"]
    assert [path.name for path in sorted((Path(table.uri) / "y").iterdir())] == [
        ".hoodie_partition_metadata",
        "of_others",
    ]


PLANNING: dict[str, Callable[[Table], object]] = {
    COMPACTION: lambda table: table.compact(),
    CLUSTERING: lambda table: table.cluster(columns=["v"]),
}


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("action", list(PLANNING))
def test_a_plan_whose_run_fails_goes(tmp_path: Path, action: str, version: int) -> None:
    """COMMIT-501."""
    table = partitioned(tmp_path, type="mor", version=version)
    more = pa.table({"id": ["a" if action == COMPACTION else "c"], "p": ["x/1"], "v": [1]})
    table.write(more, "upsert" if action == COMPACTION else "append")
    table = damaged(table.refresh())
    with pytest.raises(HudiError):
        PLANNING[action](table)
    assert [one.action for one in table.refresh().timeline.instants if one.action != "deltacommit"] == []


def test_a_plan_stays_that_others_may_count_on(tmp_path: Path) -> None:
    """COMMIT-501: another write began since, or it is being run."""
    table = partitioned(tmp_path, type="mor")
    table.upsert(ROWS.slice(0, 1))
    plan_only(table.refresh())
    planned = table.refresh().timeline.pending[0]
    with writing(table):
        assert not take_back_plan(table, planned, system_clock)
    assert [one.state for one in table.refresh().timeline.pending] == [InstantState.REQUESTED]
    assert take_back_plan(table, planned, system_clock)
    assert table.refresh().timeline.pending == ()


class Broken(ArrowStorage):
    """Takes no change at all from the first data file on."""

    is_broken = False

    def create(self, path: str, content: bytes) -> None:
        self._refuse(path)
        super().create(path, content)

    def delete(self, path: str) -> None:
        self._refuse(path)
        super().delete(path)

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        self.is_broken = True
        self._refuse(path)
        with super().output(path) as stream:
            yield stream

    def _refuse(self, path: str) -> None:
        if self.is_broken and path != LOCK_PATH:
            raise StorageError(path, message="Input/output error")


def test_a_run_that_can_not_be_undone_is_found_dead(tmp_path: Path) -> None:
    """COMMIT-1411: its plan is run again."""
    table = partitioned(tmp_path, type="mor")
    table.upsert(ROWS.slice(0, 1))
    table = table.refresh()
    with pytest.raises(StorageError, match="Input/output error"):
        compact(replace(table, storage=Broken(table.uri)))
    (pending,) = open_table(tmp_path / "t").timeline.pending
    assert pending.state is InstantState.INFLIGHT
    again = compact(open_table(tmp_path / "t"), CompactionOptions(clock=later))
    assert again.instant == pending.requested_time
    assert open_table(tmp_path / "t").timeline.pending == ()
    assert open_table(tmp_path / "t").scan().count() == 1

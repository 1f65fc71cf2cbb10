"""Writers that die at each call of the storage that changes something: readers see the table as it was or as it is then, the next
write heals it, and nothing of the dead one is ever read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree
from typing import Any, BinaryIO

import pyarrow as pa
import pytest

from hudi_arrow.storage import ArrowStorage
from hudi_core.commit.times import system_clock
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.writing.create import create_table
from hudi_core.writing.operations import write
from hudi_core.writing.write_run import WriteOptions

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])


class Death(BaseException):
    """The process ends: nothing of it runs any more."""


class MortalStorage(ArrowStorage):
    """Dies at one of its changes, before or after it, and does nothing from then on."""

    def __init__(self, uri: str, at: int, *, after: bool) -> None:
        super().__init__(uri)
        self.left, self.after, self.dead = at, after, False

    def create(self, path: str, content: bytes) -> None:
        self._change(lambda: super(MortalStorage, self).create(path, content))

    def replace(self, path: str, content: bytes) -> None:
        self._change(lambda: super(MortalStorage, self).replace(path, content))

    def delete(self, path: str) -> None:
        self._change(lambda: super(MortalStorage, self).delete(path))

    def delete_folder(self, path: str) -> None:
        self._change(lambda: super(MortalStorage, self).delete_folder(path))

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        self._change(lambda: None)
        with super().output(path) as stream:
            yield stream
            self._change(lambda: None)

    def read(self, path: str) -> bytes:
        if self.dead:
            raise Death
        return super().read(path)

    def _change(self, change: Callable[[], None]) -> None:
        if self.dead:
            raise Death
        self.left -= 1
        if self.left == 0 and not self.after:
            self.dead = True
            raise Death
        change()
        if self.left == 0:
            self.dead = True
            raise Death


def rows(*values: tuple[str, str, int]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in values], TYPES)


def read(path: Path, mode: MetadataMode = MetadataMode.AUTO, where: str | None = None) -> list[tuple[Any, ...]]:
    return rows_of(open_table(path, metadata=mode), where)


def rows_of(table: Table, where: str | None = None) -> list[tuple[Any, ...]]:
    scan = table.scan(where, columns=TYPES.names)
    return sorted(tuple(row.values()) for row in scan.to_json_rows())


def later() -> datetime:
    """When the dead writer's heartbeat and lock are no sign of life any more."""
    return system_clock() + timedelta(minutes=10)


def mortal(path: Path, at: int, *, after: bool) -> tuple[Table, MortalStorage]:
    table, storage = open_table(path), MortalStorage(str(path), at, after=after)
    return Table(table.engine, storage, table.config, table.timeline), storage


# After one change is before the next, but for what the process does between them.
@pytest.mark.parametrize("after", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("kind", "version", "indexes", "op"),
    [
        ("cow", 9, ["record_index", "column_stats"], "upsert"),
        ("mor", 8, [], "upsert"),
        pytest.param("mor", 6, ["column_stats", "record_index"], "upsert", marks=pytest.mark.soak),
        pytest.param("cow", 6, ["record_index"], "insert_overwrite_table", marks=pytest.mark.soak),
        ("cow", 9, ["column_stats", "partition_stats", "record_index"], "insert_overwrite_table"),
        pytest.param("cow", 8, ["column_stats", "record_index"], "delete", marks=pytest.mark.soak),
    ],
)
def test_a_dead_writer_leaves_the_table_as_it_was_or_as_it_is_then(
    tmp_path: Path, kind: str, version: int, indexes: list[str], op: str, after: bool
) -> None:
    """WRITE-30."""
    made = create_table(
        tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes or None
    )
    write(made, rows(("a", "x", 1), ("b", "x", 1), ("c", "y", 1)))
    change = rows(("a", "x", 2), ("d", "z", 2))
    before = read(tmp_path / "made")
    if op == "upsert":
        then = sorted([("a", "x", 2), ("b", "x", 1), ("c", "y", 1), ("d", "z", 2)])
    else:
        then = [("a", "x", 2), ("d", "z", 2)] if op != "delete" else [("b", "x", 1), ("c", "y", 1)]
    seen: set[bool] = set()
    for at in range(1, 200):
        path = tmp_path / str(at)
        copytree(tmp_path / "made", path)
        table, storage = mortal(path, at, after=after)
        with suppress(Death):
            write(table, change, op)
        if not storage.dead:
            break
        result = read(path)
        assert result in (before, then), at
        assert read(path, MetadataMode.OFF) == result, at
        seen.add(result == then)
        write(open_table(path), rows(("a", "x", 3), ("e", "x", 3)), options=WriteOptions(clock=later))
        healed = sorted([*(row for row in result if row[0] != "a"), ("a", "x", 3), ("e", "x", 3)])
        for mode in (MetadataMode.REQUIRE if indexes else MetadataMode.AUTO, MetadataMode.OFF):
            again = open_table(path, metadata=mode)
            assert rows_of(again) == healed, (at, mode)
            for row in healed:
                assert rows_of(again, f"n = {row[2]} AND id = '{row[0]}'") == [row], (at, mode)
    else:
        pytest.fail("the write does not end")
    assert at > 15
    assert seen == {False, True}

"""Conflicts that markers show before files are written. CONFLICT-531."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import marker_folder
from hudi_core.errors import ConflictError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.table import Table
from hudi_core.transactions.early_conflicts import EARLY_DETECTION
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.overlapping import KINDS, beside
from tests.support.written_tables import TYPES, read, rows

FIRST = ("a", "x", 1)
EARLY = WriteOptions(attempts=1, properties={EARLY_DETECTION: "true"})


def new_table(folder: Path, kind: str, version: int) -> Path:
    create_table(folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, indexes="record_index")
    write(open_table(folder / "t"), rows(FIRST))
    return folder / "t"


def files_of(path: Path) -> set[str]:
    return {str(one.relative_to(path)) for one in path.rglob("*") if one.is_file() and ".hoodie" not in one.parts}


@KINDS
def test_a_write_ends_early_where_an_earlier_one_is_writing(tmp_path: Path, kind: str, version: int) -> None:
    """CONFLICT-531: before it has written a file."""
    path = new_table(tmp_path, kind, version)

    def second() -> None:
        before = files_of(path)
        with pytest.raises(
            ConflictError, match=r"expected file groups that nobody writes to, found .*, which is writing"
        ):
            write(open_table(path), rows(("a", "x", 3)), options=EARLY)
        assert files_of(path) == before

    write(open_table(path), rows(("a", "x", 2)), options=beside(second))
    assert read(path) == [("a", "x", 2)]


def test_the_tables_own_properties_ask_for_it_too(tmp_path: Path) -> None:
    """CONFLICT-531."""
    path = new_table(tmp_path, "cow", 9)
    with (path / ".hoodie/hoodie.properties").open("a") as stream:
        stream.write(f"{EARLY_DETECTION}=true\n")

    def second() -> None:
        with pytest.raises(ConflictError, match="nobody writes to"):
            write(open_table(path), rows(("a", "x", 3)), options=WriteOptions(attempts=1))

    write(open_table(path), rows(("a", "x", 2)), options=beside(second))
    assert read(path) == [("a", "x", 2)]


def leave_markers(table: Table, time: str, *, alive: bool, by_server: bool = False) -> None:
    """Markers of another writer, which updates the table's first file."""
    name = f"{table.slices()[0].base.name.partition('_')[0]}_1-0-1_{time}.parquet.marker.MERGE"  # type: ignore[union-attr]
    if by_server:
        table.storage.create(f"{marker_folder(time)}/MARKERS.type", b"TIMELINE_SERVER_BASED")
        table.storage.create(f"{marker_folder(time)}/MARKERS3", f"x/{name}\n".encode())
    else:
        table.storage.create(f"{marker_folder(time)}/x/{name}", b"")
    if alive:
        table.storage.create(heartbeat_path(time), b"")


@pytest.mark.parametrize("by_server", [False, True])
def test_markers_of_apache_hudi_are_seen(tmp_path: Path, by_server: bool) -> None:
    """CONFLICT-531."""
    path = new_table(tmp_path, "cow", 9)
    leave_markers(open_table(path), "20240101000000000", alive=True, by_server=by_server)
    with pytest.raises(ConflictError, match="20240101000000000, which is writing to x/"):
        write(open_table(path), rows(("a", "x", 3)), options=EARLY)


@pytest.mark.parametrize(
    ("time", "alive", "row"),
    [
        ("20240101000000000", False, ("a", "x", 3)),
        ("29990101000000000", True, ("a", "x", 3)),
        ("20240101000000000", True, ("b", "y", 3)),
    ],
    ids=["of the dead", "of later writers", "of other file groups"],
)
def test_other_markers_do_not_count(tmp_path: Path, time: str, alive: bool, row: tuple[str, str, int]) -> None:
    """CONFLICT-531."""
    path = new_table(tmp_path, "cow", 9)
    leave_markers(open_table(path), time, alive=alive)
    write(open_table(path), rows(row), options=EARLY)
    assert row in read(path)


def test_nothing_is_looked_for_unless_it_is_asked_for(tmp_path: Path) -> None:
    """CONFLICT-531."""
    path = new_table(tmp_path, "cow", 9)
    leave_markers(open_table(path), "20240101000000000", alive=True)
    choices: list[Callable[[], WriteOptions]] = [
        WriteOptions,
        lambda: WriteOptions(properties={EARLY_DETECTION: "false"}),
    ]
    for number, options in enumerate(choices, 3):
        write(open_table(path), rows(("a", "x", number)), options=options())
        assert read(path) == [("a", "x", number)]
    with pytest.raises(UsageError, match="expected true or false"):
        WriteOptions(properties={EARLY_DETECTION: "yes"})

"""Markers of data files, and heartbeats of their writers."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from time import sleep

import pytest

from hudi_core.commit.heartbeat import INTERVAL, heartbeat, heartbeat_path, is_alive
from hudi_core.commit.markers import (
    MOST_FILES,
    MarkerKind,
    marker_folder,
    marker_step,
    markers_steps,
    partition_step,
    read_markers,
)
from hudi_core.commit.steps import run
from hudi_core.commit.times import system_clock
from hudi_core.formats.properties import parse_properties
from hudi_plain.storage import PlainStorage

TIME = "20260101000000000"


def marked(storage: PlainStorage) -> tuple[tuple[str, MarkerKind], ...]:
    """The files with markers, all of which can be read."""
    markers = read_markers(storage, TIME)
    assert markers is not None
    assert markers.whole
    return markers.files


def test_markers_name_the_files_and_the_kind_of_change(tmp_path: Path) -> None:
    """COMMIT-6."""
    storage = PlainStorage(str(tmp_path))
    assert read_markers(storage, TIME) is None
    marker_step(TIME, "p/a.parquet", MarkerKind.CREATE).apply(storage)
    marker_step(TIME, "p/a.parquet", MarkerKind.CREATE).apply(storage)
    marker_step(TIME, "b.parquet", MarkerKind.MERGE).apply(storage)
    assert set(marked(storage)) == {("p/a.parquet", MarkerKind.CREATE), ("b.parquet", MarkerKind.MERGE)}
    assert (tmp_path / ".hoodie/.temp" / TIME / "p/a.parquet.marker.CREATE").read_bytes() == b""


def test_markers_of_a_timeline_server_are_read(tmp_path: Path) -> None:
    """COMMIT-6."""
    storage = PlainStorage(str(tmp_path))
    storage.create(f"{marker_folder(TIME)}/MARKERS.type", b"TIMELINE_SERVER_BASED")
    storage.create(f"{marker_folder(TIME)}/MARKERS0", b"p/a.parquet.marker.CREATE\nb.parquet.marker.MERGE\n")
    assert {path for path, _ in marked(storage)} == {"p/a.parquet", "b.parquet"}


@pytest.mark.parametrize(("count", "apart", "files"), [(MOST_FILES, False, MOST_FILES), (40, False, 2), (40, True, 40)])
def test_many_markers_are_lines_of_one_file(tmp_path: Path, count: int, apart: bool, files: int) -> None:
    """COMMIT-961."""
    storage = PlainStorage(str(tmp_path))
    made = [(f"p{number}/a b.parquet", MarkerKind.CREATE) for number in range(count - 1)] + [
        ("c.parquet", MarkerKind.MERGE)
    ]
    run(storage, markers_steps(TIME, made, apart=apart))
    assert sorted(marked(storage)) == sorted(made)
    assert len(storage.list(marker_folder(TIME), recursive=True)) == files
    run(storage, markers_steps(TIME, made, apart=apart))  # again, where it is not known how far it came


def test_checksums_beside_markers_are_no_markers(tmp_path: Path) -> None:
    """META-132, COMMIT-6: a writer of Apache Hudi that died on a local path leaves them beside its markers."""
    storage = PlainStorage(str(tmp_path))
    folder = marker_folder(TIME)
    for name in ("p/a.parquet.marker.MERGE", "p/.a.parquet.marker.MERGE.crc", ".b.log.1_0-0-0.marker.CREATE"):
        storage.create(f"{folder}/{name}", b"")
    assert set(marked(storage)) == {
        ("p/a.parquet", MarkerKind.MERGE),
        (".b.log.1_0-0-0", MarkerKind.CREATE),
    }


def test_a_partition_keeps_the_instant_that_made_it(tmp_path: Path) -> None:
    storage = PlainStorage(str(tmp_path))
    partition_step("y/m", TIME).apply(storage)
    partition_step("y/m", "20270101000000000").apply(storage)
    content = storage.read("y/m/.hoodie_partition_metadata")
    assert parse_properties(content, "") == {"commitTime": TIME, "partitionDepth": "2"}


def test_a_heartbeat_continues_while_its_writer_lives(tmp_path: Path) -> None:
    """COMMIT-7."""
    storage = PlainStorage(str(tmp_path))
    assert not is_alive(storage, TIME, system_clock())
    with heartbeat(storage, TIME, timedelta(milliseconds=20)):
        assert is_alive(storage, TIME, system_clock())
        os.utime(tmp_path / heartbeat_path(TIME), (0, 0))
        sleep(0.2)
        assert is_alive(storage, TIME, system_clock())
        assert not is_alive(storage, TIME, system_clock() + 3 * INTERVAL)
    assert not (tmp_path / heartbeat_path(TIME)).exists()

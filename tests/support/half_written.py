"""Tables in which another writer has begun base files, as a write of Apache Hudi leaves them that is under way, or died."""

from __future__ import annotations

import shutil
from pathlib import Path

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import MarkerKind, marker_step
from hudi_core.commit.times import next_time
from hudi_core.formats.names import BaseFileName
from hudi_core.front.table import Table


def begin_base_files(table: Table, *, alive: bool) -> str:
    """Begins a write with a new base file in each file group of a table of version 8 or later. Returns its requested time."""
    time, root = next_time(table.timeline), Path(table.uri)
    for state in ("requested", "inflight"):
        (root / f"{table.timeline.folder}/{time}.deltacommit.{state}").write_bytes(b"")
    for number, one in enumerate(table.slices()):
        assert one.base is not None
        name = BaseFileName(one.file_id, f"{number}-1-2", time, ".parquet").file_name()
        path = f"{one.partition}/{name}" if one.partition else name
        marker_step(time, path, MarkerKind.MERGE).apply(table.storage)
        shutil.copy(root / one.base.path, root / path)
    if alive:
        table.storage.replace(heartbeat_path(time), b"")
    return time

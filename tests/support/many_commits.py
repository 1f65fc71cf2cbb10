"""Tables of many commits, for what looks at all of them: the files have no rows in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from hudi_core.commit.metadata import commit_record, encode_commit
from hudi_core.commit.statuses import TableChange, WriteStatus
from hudi_core.commit.times import time_of
from hudi_core.creating.create import create_table
from hudi_core.formats.names import BaseFileName
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMMIT, InstantFiles

GROUPS = 100
_SCHEMA = (
    '{"type":"record","name":"r","fields":[{"name":"id","type":["null","string"],"default":null},'
    '{"name":"p","type":["null","string"],"default":null}]}'
)
_BEGIN = datetime(2024, 1, 1, tzinfo=UTC)


def table_of_many_commits(path: Path, commits: int, version: int = 9) -> Table:
    """A copy-on-write table of ten partitions; each commit writes a version of the next of its file groups."""
    types = pa.schema([("id", pa.string()), ("p", pa.string())])
    table = create_table(path, types, "id", partition_by="p", version=version)
    schema = table.schema
    (path / table.timeline.folder).mkdir(exist_ok=True)
    previous: dict[int, str] = {}
    for partition in range(10):
        (path / f"p{partition}").mkdir()
        (path / f"p{partition}" / ".hoodie_partition_metadata").write_text(
            "commitTime=20240101000000000\npartitionDepth=1\n"
        )
    for number in range(commits):
        group = number % GROUPS
        partition, file_id = f"p{group % 10}", f"00000000-0000-0000-0000-{group:012}-0"
        time = time_of(_BEGIN + timedelta(seconds=number), UTC)
        name = BaseFileName(file_id, "0-0-0", time, ".parquet").file_name()
        (path / partition / name).write_bytes(b"PAR1")
        status = WriteStatus(
            partition, file_id, f"{partition}/{name}", 4, 1, 0, 1, 0, previous_instant=previous.get(group)
        )
        previous[group] = time
        change = TableChange("UPSERT", COMMIT, schema, (status,))
        files = InstantFiles(table.timeline.folder, table.config.layout, time, COMMIT)
        record = commit_record(change, time, version, _SCHEMA)
        (path / files.requested).touch()
        (path / files.inflight).touch()
        (path / files.name_completed(time_of(_BEGIN + timedelta(seconds=number, milliseconds=500), UTC))).write_bytes(
            encode_commit(record, table.config.layout)
        )
    return open_table(path)

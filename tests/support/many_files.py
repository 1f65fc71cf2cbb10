"""Tables of any number of base files as their metadata table knows them: commits with statistics of files that do not exist.

Column `n` of file number i holds the values from 10 i to 10 i + 9: planning finds the file of a value without opening one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pyarrow as pa

from hudi_core.commit.statuses import ColumnRange, TableChange, WriteStatus
from hudi_core.formats.names import BaseFileName
from hudi_core.front.opening import create_table
from hudi_core.schema.meta import bare_schema
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMMIT
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.transaction import transaction

ROWS = 10
"""Of each file."""
_TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])


def table_of_many_files(folder: Path, files: int, *, commits: int = 4, partitions: int = 8) -> Table:
    """A new table, with `column_stats`, of this many files that this many commits wrote."""
    table = create_table(folder, _TYPES, "id", partition_by="p", indexes=["column_stats"])
    for commit in range(commits):
        numbers = range(files * commit // commits, files * (commit + 1) // commits)
        with transaction(table, COMMIT, "INSERT", metadata_steps=metadata_steps) as running:
            statuses = tuple(_statuses(numbers, running.instant_time, partitions))
            running.start()
            running.commit(TableChange("INSERT", COMMIT, bare_schema(table.schema), statuses))
    return refreshed(table)


def _statuses(numbers: range, instant_time: str, partitions: int) -> Iterator[WriteStatus]:
    for number in numbers:
        partition, file_id = f"p{number % partitions}", f"{UUID(int=number)}-0"
        name = BaseFileName(file_id, f"{number}-0-0", instant_time, ".parquet").file_name()
        bounds = {
            "id": ColumnRange(f"k{number * ROWS:09}", f"k{number * ROWS + ROWS - 1:09}", 0, ROWS),
            "p": ColumnRange(partition, partition, 0, ROWS),
            "n": ColumnRange(number * ROWS, number * ROWS + ROWS - 1, 0, ROWS),
        }
        yield WriteStatus(partition, file_id, f"{partition}/{name}", 1 << 20, ROWS, ROWS, 0, 0, columns=bounds)

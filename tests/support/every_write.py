"""One write, service or index build of each kind, of a table with the rows of `written_tables`."""

from __future__ import annotations

from collections.abc import Callable

import hudi_core
from hudi_core.front.table import Table
from tests.support.written_tables import rows

WRITES: dict[str, Callable[[Table], object]] = {
    "upsert": lambda table: table.upsert(rows(("c", "x", 1))),
    "insert": lambda table: table.insert(rows(("c", "x", 1))),
    "append": lambda table: table.append(rows(("c", "x", 1))),
    "delete": lambda table: table.delete(where="id = 'a'"),
    "update": lambda table: table.update({"n": 9}),
    "overwrite": lambda table: table.overwrite_partitions(rows(("c", "x", 1))),
    "delete partitions": lambda table: table.delete_partitions(["x"]),
    "cluster": lambda table: table.cluster(columns=["n"]),
    "clean": lambda table: table.clean(),
    "index": lambda table: hudi_core.build_indexes(table, ["bloom_filters"]),
    "metadata table": lambda table: hudi_core.build_indexes(table, ["files"]),
    "index removal": lambda table: table.drop_index("column_stats"),
    "schema": lambda table: table.evolve("ADD COLUMN extra int"),
    "compaction": lambda table: table.compact(),
    "archive": lambda table: table.archive(),
    "savepoint": lambda table: table.savepoint(),
    "restore": lambda table: table.restore(to=table.timeline.commits[0].requested_time),
    "rollback": lambda table: table.rollback(failed=True),
}

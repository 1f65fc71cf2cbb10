"""One write, service or index build of each kind, of a table with the rows of `written_tables`."""

from __future__ import annotations

from collections.abc import Callable

import hudi_core
from hudi_core.front.merging import Merge
from hudi_core.front.table import Table
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import SpreadRows, spread_write
from hudi_core.writing.spread.source_merge import spread_merge
from tests.support.local_flow import local_rows
from tests.support.written_tables import rows


def transaction(table: Table) -> None:
    with table.transaction() as changes:
        changes.upsert(rows(("c", "x", 1)))
        changes.delete(where="id = 'a'")


def _parts(table: Table) -> SpreadRows:
    """Rows as Spark's executors have them."""
    return local_rows(table.engine, [rows(("a", "x", 1)), rows(("c", "x", 1))])


def _no_rows(scan: object) -> SpreadRows:
    raise AssertionError(scan)


WRITES: dict[str, Callable[[Table], object]] = {
    "upsert": lambda table: table.upsert(rows(("c", "x", 1))),
    "write": lambda table: table.write(rows(("c", "x", 1)), "upsert"),
    "bulk insert": lambda table: table.bulk_insert(rows(("c", "x", 1))),
    "insert": lambda table: table.insert(rows(("c", "x", 1))),
    "append": lambda table: table.append(rows(("c", "x", 1))),
    "delete": lambda table: table.delete(where="id = 'a'"),
    "update": lambda table: table.update({"n": 9}),
    "delete of rows": lambda table: table.delete(rows(("a", "x", 1))),
    "merge": lambda table: table.merge(rows(("a", "x", 1)), on=["id", "p"]).when_matched_update().execute(),
    "transaction": transaction,
    "whole overwrite": lambda table: table.overwrite(rows(("c", "x", 1))),
    "overwrite": lambda table: table.overwrite_partitions(rows(("c", "x", 1))),
    "delete partitions": lambda table: table.delete_partitions(["x"]),
    "cluster": lambda table: table.cluster(columns=["n"]),
    "clean": lambda table: table.clean(),
    "index": lambda table: hudi_core.build_indexes(table, ["bloom_filters"]),
    "index by its method": lambda table: table.index("bloom_filters"),
    "metadata table": lambda table: hudi_core.build_indexes(table, ["files"]),
    "index removal": lambda table: table.drop_index("column_stats"),
    "schema": lambda table: table.evolve("ADD COLUMN extra int"),
    "compaction": lambda table: table.compact(),
    "services": lambda table: table.run_services(),
    "service of some kinds": lambda table: table.run_services(["rollback", "log-compact"]),
    "archive": lambda table: table.archive(),
    "savepoint": lambda table: table.savepoint(),
    "savepoint removal": lambda table: table.drop_savepoint(table.timeline.commits[0].requested_time),
    "restore": lambda table: table.restore(to=table.timeline.commits[0].requested_time),
    "rollback": lambda table: table.rollback(failed=True),
    "rollback of a completed write": lambda table: table.rollback(table.timeline.commits[-1].requested_time),
    "mended findings": lambda table: mend(table, validate(table)),
    "spread write": lambda table: spread_write(table, _parts(table)),
    "spread merge": lambda table: (
        Merge(lambda clauses, options: spread_merge(table, _parts(table), ["id", "p"], clauses, options))
        .when_matched_update()
        .execute()
    ),
    "spread delete by predicate": lambda table: spread_delete_where(table, "id = 'a'", _no_rows),
    "spread update": lambda table: spread_update(table, {"n": 9}, None, _no_rows),
    "spread delete": lambda table: spread_write(table, _parts(table), "delete"),
}

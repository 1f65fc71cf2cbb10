"""Each operation that writes, on a table of a few rows: what writers that die do."""

from __future__ import annotations

from collections.abc import Callable

from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import delete, update
from hudi_core.writing.operations import delete_partitions, write
from tests.support.written_tables import rows

Rows = list[tuple[str, str, int]]

BEFORE: Rows = [("a", "x", 1), ("b", "x", 1), ("c", "y", 1)]
CHANGED: Rows = [("a", "x", 2), ("d", "z", 2)]
ADDED: Rows = [("d", "x", 2), ("f", "z", 2)]
OPERATIONS: dict[str, tuple[Callable[[Table], object], Rows]] = {
    "append": (lambda table: write(table, rows(*ADDED), "append"), [*BEFORE, *ADDED]),
    "insert": (lambda table: write(table, rows(*ADDED), "insert"), [*BEFORE, *ADDED]),
    "bulk_insert": (lambda table: write(table, rows(*ADDED), "bulk_insert"), [*BEFORE, *ADDED]),
    "upsert": (lambda table: write(table, rows(*CHANGED)), [*BEFORE[1:], *CHANGED]),
    "delete": (lambda table: write(table, rows(*CHANGED), "delete"), BEFORE[1:]),
    "delete_where": (lambda table: delete(table, None, "n = 1 AND id != 'b'"), [("b", "x", 1)]),
    "update": (lambda table: update(table, {"n": 2}, "p = 'x'"), [("a", "x", 2), ("b", "x", 2), ("c", "y", 1)]),
    "insert_overwrite": (lambda table: write(table, rows(*CHANGED), "insert_overwrite"), [*CHANGED, ("c", "y", 1)]),
    "insert_overwrite_table": (lambda table: write(table, rows(*CHANGED), "insert_overwrite_table"), CHANGED),
    "delete_partition": (lambda table: delete_partitions(table, ["x"]), [("c", "y", 1)]),
}
"""What each operation does to a table of the rows `BEFORE`, and the rows that it leaves."""

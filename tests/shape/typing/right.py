"""A user's script without a mistake: type checkers pass it."""

from __future__ import annotations

import hudi_core
import hudi_core.cluster as clustering
import hudi_core.evolve as evolution
from hudi_core import Table, WriteResult, col


def maintain(uri: str, rows: Table) -> WriteResult:
    table = hudi_core.open(uri, metadata="require")
    result = table.upsert("rows.parquet", dry_run=True, index="bloom")
    inserted: int = result.inserted
    table.cluster(columns=["city"], strategy="hilbert", max_groups=inserted)
    table = table.index("column_stats", columns="fare").evolve("ADD COLUMN tip double").refresh()
    for index in table.indexes():
        print(index.name.upper(), table.name, table.uri)
    table.delete(where=col("fare") > 3)
    table.upsert([{"city": "oslo", "fare": 3.5}])
    table.upsert({"city": ["oslo"], "fare": [3.5]})
    table.upsert(table.to_lazy().head(3))
    rows_of_oslo: int = table.to_polars("city = 'oslo'").height
    print(table.to_duckdb(name="rides").limit(rows_of_oslo))
    hudi_core.cluster(table)
    print(hudi_core.evolve(table.schema, "ADD COLUMN tip double").names, clustering.__doc__, evolution.__name__)
    return table.update({"fare": 1.0}, where="fare < 0", attempts=2)


def begin(uri: str) -> Table:
    return hudi_core.create(uri, '{"type": "record", "name": "r", "fields": []}', type="mor", version=8)

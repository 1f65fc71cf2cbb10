"""A user's script in which each line that ends in `# wrong` has one mistake: type checkers name each of these lines."""

from __future__ import annotations

import hudi_core
from hudi_core import Table


def maintain(table: Table) -> None:
    table.upsert("rows.parquet", dry_rum=True)  # wrong
    table.upsert("rows.parquet", dry_run="yes")  # wrong
    table.upsert(7)  # wrong
    table.write("rows.parquet", "upsrt")  # wrong
    table.write("rows.parquet", op=3)  # wrong
    table.delete("rows.parquet", "fare > 3")  # wrong
    table.update("n = 7")  # wrong
    table.cluster(columms=["city"])  # wrong
    table.cluster(strategy="hilbrt")  # wrong
    table.index("colum_stats")  # wrong
    table.index("column_stats", column=["city"])  # wrong
    print(table.upsert("rows.parquet").insertd)  # wrong
    table.rollback(failed="no")  # wrong
    print(table.refresh().nam)  # wrong
    table.drop_index(["a"])  # wrong
    table.upsert([1, 2])  # wrong
    table.to_pandas(wheer="n = 7")  # wrong
    print(table.to_lazy().colect())  # wrong
    print(table.to_polars().hight)  # wrong
    table.to_duckdb(con="rides")  # wrong


def begin(uri: str) -> None:
    hudi_core.create(uri, "{}", type="mro")  # wrong
    hudi_core.create(uri, "{}", version=7)  # wrong
    hudi_core.open(uri, metadata="of")  # wrong
    hudi_core.opn(uri)  # wrong

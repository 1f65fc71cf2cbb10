"""Other query engines on a table: what they ask for reaches the planner.

conditions         conditions of another engine as predicates, so far as they can be: no row is lost
arrow_predicates   expressions of pyarrow, which DuckDB and DataFusion use
polars_predicates  expressions of Polars
dataset            the table as a `pyarrow.dataset.Dataset`
lazy_frame         the table as a `polars.LazyFrame`
relation           the table as a relation of DuckDB
"""

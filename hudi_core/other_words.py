"""What other libraries call things, and what does them here: a hint in the error about a name that there is not. Rule TABLE-1446.

It is loaded by such an error alone. The words are those of Delta Lake's and Iceberg's libraries for Python, of hudi-rs, pandas,
Polars, pyarrow and Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

_OPEN: Final = "hudi_core.open(path)"
_READ: Final = "hudi_core.open(path).to_arrow(), to_pandas() or to_polars()"
_WRITE: Final = "hudi_core.open(path), then append(rows), upsert(rows) or overwrite(rows)"
_MODULE: Final = {
    **dict.fromkeys(
        ("HudiTable", "DeltaTable", "HudiTableBuilder", "load_table", "open_table", "load", "connect", "load_catalog"),
        _OPEN,
    ),
    **dict.fromkeys(
        (
            "read_table",
            "read_hudi",
            "read_parquet",
            "read_delta",
            "read",
            "scan_hudi",
            "scan_delta",
            "scan",
            "to_pandas",
        ),
        _READ,
    ),
    **dict.fromkeys(
        (
            "write_hudi",
            "write_deltalake",
            "write_table",
            "write_parquet",
            "append",
            "overwrite",
            "insert",
            "upsert",
            "save",
        ),
        _WRITE,
    ),
    "create_table": "hudi_core.create(path, schema, key)",
    "is_hudi_table": "hudi_core.open(path), which raises NotATableError",
    "is_deltatable": "hudi_core.open(path), which raises NotATableError",
    "vacuum": "hudi_core.clean(table)",
    "optimize": "hudi_core.cluster(table), or hudi_core.compact(table) for log files",
    "repair": "hudi_core.mend(table)",
    "HudiException": "hudi_core.HudiError",
}
_ROWS_OF_TABLE: Final = "scan(where=..., columns=[...], limit=...)"
_TABLE: Final = {
    **dict.fromkeys(("head", "limit", "take", "show", "tail", "sample", "preview"), "scan(limit=5).to_arrow()"),
    **dict.fromkeys(("to_pylist", "to_dicts", "rows", "iter_rows", "to_list"), "to_arrow().to_pylist()"),
    **dict.fromkeys(("to_parquet", "to_csv", "to_json", "write_parquet", "export"), "scan().write(file)"),
    **dict.fromkeys(("filter", "where", "query", "select", "loc"), _ROWS_OF_TABLE),
    **dict.fromkeys(("read", "load", "to_table", "to_pyarrow_table", "read_snapshot", "to_arrow_table"), "to_arrow()"),
    **dict.fromkeys(("df", "to_df", "toDF", "collect", "toPandas"), "to_pandas()"),
    **dict.fromkeys(("load_as_version", "as_of", "at", "snapshot_as_of", "load_with_datetime"), "scan(as_of=...)"),
    **dict.fromkeys(("read_incremental_records", "incremental", "load_cdf"), "scan(since=...), or changes(since=...)"),
    **dict.fromkeys(("files", "file_uris", "get_file_slices", "get_add_actions", "inspect", "plan_files"), "slices()"),
    **dict.fromkeys(("version", "snapshots", "current_snapshot", "log", "versions"), "commits()"),
    **dict.fromkeys(("metadata", "properties", "protocol", "table_type", "hudi_options", "detail"), "config"),
    **dict.fromkeys(("partition_columns", "partitioning", "spec", "get_partition_schema"), "config.partition_fields"),
    **dict.fromkeys(("columns", "column_names"), "schema.names"),
    **dict.fromkeys(("dtypes", "get_schema", "to_schema", "printSchema"), "schema"),
    **dict.fromkeys(("shape", "num_rows", "size", "count_rows"), "count()"),
    **dict.fromkeys(("path", "location", "table_uri", "base_path", "root", "base_uri"), "uri"),
    **dict.fromkeys(("alter", "update_schema", "add_column", "add_columns"), 'evolve("ADD COLUMN ...")'),
    **dict.fromkeys(("drop_column", "drop_columns", "delete_column"), 'evolve("DROP COLUMN ...")'),
    "rename_column": 'evolve("RENAME COLUMN ... TO ...")',
    **dict.fromkeys(("describe", "info", "summary"), "commits(), partitions() or indexes()"),
    **dict.fromkeys(("restore_to", "restore_to_version", "rollback_to"), "restore(savepoint), or restore(to=...)"),
    **dict.fromkeys(("vacuum", "expire_snapshots"), "clean()"),
    **dict.fromkeys(
        ("optimize", "rewrite_data_files", "z_order"), "cluster(columns=[...]), or compact() for log files"
    ),
    **dict.fromkeys(("cleanup_metadata", "create_checkpoint"), "archive()"),
    **dict.fromkeys(("create_index", "build_index"), "index(kind)"),
    **dict.fromkeys(("save", "write_deltalake", "insert_into", "put"), "append(rows), upsert(rows) or overwrite(rows)"),
    **dict.fromkeys(("truncate", "delete_where", "remove"), "delete(where=...)"),
    **dict.fromkeys(("to_pyarrow_dataset", "dataset"), "to_dataset()"),
    **dict.fromkeys(("to_batches", "iter_batches", "to_arrow_batch_reader"), "scan().to_batches()"),
    "to_spark": "scan().to_spark()",
    **dict.fromkeys(("lazy", "scan_polars"), "to_lazy()"),
    "sql": "to_duckdb()",
    "get_timeline": "timeline",
    "update_incremental": "refresh()",
    "reload": "refresh()",
    "repair": "hudi_core.mend(table)",
    "overwrite_partition": "overwrite_partitions(rows)",
}
_SCAN: Final = {
    **dict.fromkeys(("filter", "where", "select", "head", "take"), "the table's " + _ROWS_OF_TABLE),
    **dict.fromkeys(("to_table", "read_all", "read", "collect", "fetchall", "to_arrow_table"), "to_arrow()"),
    **dict.fromkeys(("to_df", "df", "toPandas"), "to_pandas()"),
    **dict.fromkeys(("iter_batches", "to_record_batches", "to_arrow_batch_reader", "to_reader"), "to_batches()"),
    **dict.fromkeys(("plan_files", "files"), "plan"),
    **dict.fromkeys(("num_rows", "shape", "count_rows"), "count()"),
    **dict.fromkeys(("columns", "column_names"), "schema.names"),
    **dict.fromkeys(("to_pylist", "to_dicts", "rows"), "to_arrow().to_pylist()"),
    **dict.fromkeys(("to_duckdb", "sql"), "the table's to_duckdb()"),
    **dict.fromkeys(("write_parquet", "to_parquet", "to_csv", "save"), "write(file)"),
}
_SCHEMA: Final = {
    **dict.fromkeys(("to_arrow", "to_pyarrow", "as_arrow"), "hudi_core.schema_to_arrow(schema)"),
    **dict.fromkeys(("to_json", "json"), "hudi_core.schema_to_json(schema)"),
    **dict.fromkeys(("columns", "column_names", "field_names"), "names"),
    **dict.fromkeys(("field", "find_field", "column"), "schema['name']"),
    **dict.fromkeys(("dtypes", "types"), "fields"),
}
_MERGE: Final = {
    **dict.fromkeys(("when_matched_update_all", "whenMatchedUpdateAll", "whenMatchedUpdate"), "when_matched_update()"),
    **dict.fromkeys(
        ("when_not_matched_insert_all", "whenNotMatchedInsertAll", "whenNotMatchedInsert"), "when_not_matched_insert()"
    ),
    "whenMatchedDelete": "when_matched_delete()",
    "whenNotMatchedBySourceUpdate": "when_not_matched_by_source_update()",
    "whenNotMatchedBySourceDelete": "when_not_matched_by_source_delete()",
    **dict.fromkeys(("commit", "write"), "execute()"),
}
_TRANSACTION: Final = {
    **dict.fromkeys(("insert", "append", "write"), "upsert(rows), or the table's own method for a commit of its own"),
    **dict.fromkeys(("commit", "execute", "commit_transaction"), "the end of the `with` block, which commits"),
    **dict.fromkeys(("rollback", "abort"), "an error raised in the `with` block, after which nothing is written"),
    "merge": "the table's merge(rows, on=...), a commit of its own",
}
_EXPRESSION: Final = {
    **dict.fromkeys(("isin", "in_", "one_of"), "is_in([...])"),
    **dict.fromkeys(("isnull", "isna", "isNull", "is_none"), "is_null()"),
    **dict.fromkeys(("notnull", "notna", "isNotNull", "is_not_none", "is_valid"), "is_not_null()"),
    **dict.fromkeys(("eqNullSafe", "eq_missing"), "eq_null_safe(value)"),
    **dict.fromkeys(("eq", "equals"), "=="),
    **dict.fromkeys(("ne", "neq", "not_equals"), "!="),
    **dict.fromkeys(("gt", "greater_than"), ">"),
    **dict.fromkeys(("ge", "gte"), ">="),
    **dict.fromkeys(("lt", "less_than"), "<"),
    **dict.fromkeys(("le", "lte"), "<="),
    **dict.fromkeys(("and_", "or_", "not_"), "`&`, `|` and `~`"),
    **dict.fromkeys(("is_between", "isbetween"), "between(low, high)"),
    **dict.fromkeys(("startsWith", "starts_with"), "startswith(text)"),
    **dict.fromkeys(("endsWith", "ends_with"), "endswith(text)"),
    **dict.fromkeys(("ilike", "match_substring_regex", "regexp"), "rlike(pattern), or like(pattern)"),
    **dict.fromkeys(
        ("str", "dt", "list", "struct", "upper", "lower", "year", "date"),
        'hudi_core.expr("upper(column)") for a function of SQL',
    ),
    **dict.fromkeys(("astype", "try_cast"), "cast(type)"),
    **dict.fromkeys(("getField", "field", "get_field"), 'hudi_core.col("column.part")'),
    **dict.fromkeys(("getItem", "get"), 'hudi_core.expr("column[0]")'),
}
_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "hudi_core": _MODULE,
    "hudi_core.table.table.Table": _TABLE,
    "hudi_core.table.scan.Scan": _SCAN,
    "hudi_core.schema.schema.Schema": _SCHEMA,
    "hudi_core.front.merging.Merge": _MERGE,
    "hudi_core.front.changes.Changes": _TRANSACTION,
    "hudi_core.expr.build.ExpressionBuilder": _EXPRESSION,
}
"""By the module or the class: the names that others have, and what to use."""
_ARGUMENTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("filters", "filter", "predicate", "row_filter", "expr", "query"), "where"),
    **dict.fromkeys(("selected_fields", "column", "select", "cols", "fields", "projection"), "columns"),
    **dict.fromkeys(("snapshot_id", "version", "timestamp", "as_of_timestamp", "as_of_instant"), "as_of"),
    **dict.fromkeys(("start", "begin", "starting_version", "start_timestamp", "begin_instant"), "since"),
    **dict.fromkeys(("end", "stop", "ending_version", "end_timestamp", "end_instant"), "until"),
    **dict.fromkeys(("n", "num_rows", "rows", "n_rows", "head"), "limit"),
    **dict.fromkeys(("primary_key", "record_key", "recordkey", "keys", "key_columns", "id"), "key"),
    **dict.fromkeys(("partition_cols", "partition_columns", "partitionBy", "partitions", "partition"), "partition_by"),
    **dict.fromkeys(("precombine", "precombine_field", "order_by", "sort_by", "ordering_field"), "ordering"),
    **dict.fromkeys(("configuration", "hudi_options", "table_properties", "properties", "config"), "options"),
    **dict.fromkeys(("mode", "operation"), "op"),
    **dict.fromkeys(("condition", "on", "replace_where", "replaceWhere", "overwrite_filter"), "where"),
    **dict.fromkeys(("schema_mode", "mergeSchema", "merge_schema"), "add_columns"),
    **dict.fromkeys(("updates", "set", "new_values"), "assigned"),
    **dict.fromkeys(("retention_hours", "retain_hours", "older_than"), "keep_hours"),
    "retain_last": "keep_commits",
    "table_type": "type",
    "table_name": "name",
    "table_version": "version",
    "file_size": "sizes",
    "target_size": "sizes",
    "z_order": "strategy",
}
"""By the name that others have: that of the argument here. It counts where a function has such an argument."""


_ELSEWHERE: Final[Mapping[str, str]] = {
    "mode": "the methods append, upsert and overwrite, or write(rows, op=...)",
    **dict.fromkeys(("partition_by", "partition_cols", "partitionBy"), "partition_by of hudi_core.create"),
    **dict.fromkeys(("predicate", "filter", "replace_where"), "overwrite(rows, where=...)"),
    **dict.fromkeys(("retention_hours", "older_than"), "clean(keep_hours=...)"),
}
"""By the name that others have: what does the same, which is no option of the operation that was given it."""


def hint_of_name(owner: str | type[Any], name: str) -> str:
    """What to use in the place of a name of another library, as the end of an error; empty where nothing is known of it."""
    places = [owner] if isinstance(owner, str) else [f"{kind.__module__}.{kind.__qualname__}" for kind in owner.__mro__]
    instead = next((_NAMES[place][name] for place in places if name in _NAMES.get(place, ())), None)
    return "" if instead is None else f"; use {instead}"


def hint_of_argument(name: str, known: Iterable[str]) -> str:
    """What to use in the place of an argument of another library, as the end of an error, where a function has the `known` ones;
    empty where nothing is known of it.

    >>> hint_of_argument("filters", ["where", "columns"]), hint_of_argument("mode", ["dry_run"])[:17], hint_of_argument("x", [])
    ('; use where', '; use the methods', '')
    """
    here = _ARGUMENTS.get(name)
    instead = here if here in list(known) else _ELSEWHERE.get(name)
    return "" if instead is None else f"; use {instead}"

"""Conditions that decide which rows are written: refused where SQL's ANSI mode refuses them, and where they are hardly meant.
Rules WRITE-1421, WRITE-1575."""

from __future__ import annotations

import json
from collections.abc import Callable

from hudi_core.errors import ExpressionError, RowError
from hudi_core.expr.queries import Condition
from hudi_core.expr.sql_predicate import doubts_of, predicate_tree
from hudi_core.schema.meta import PARTITION_PATH, RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.writing.assignments import INSTEAD
from hudi_core.writing.no_result import find_undecided_rows


def key_scan(table: Table, where: Condition, limit: int | None = None) -> Scan:
    """The rows that match, with the columns that their keys are in or are made of."""
    config = table.config
    stored = (RECORD_KEY, PARTITION_PATH)
    names = stored if config.populate_meta_fields else (*config.record_key_fields, *config.partition_fields)
    return table.scan(where, columns=list(dict.fromkeys(names)), limit=limit)


def has_rows(table: Table, where: Condition) -> bool:
    """Whether a row matches."""
    return any(table.engine.rows.count(batch) for batch in key_scan(table, where).batches())


def refuse_doubtful(where: Condition | None, *schemas: Schema) -> None:
    """Raises `ExpressionError` for a condition that is right over columns of one of these schemas and hardly meant: a query warns
    of it, a write would change all rows, or none, without a word."""
    if where is None:
        return
    tree = predicate_tree(where)
    for schema in schemas:
        for doubt in doubts_of(tree, schema):
            raise ExpressionError("where", expected="a condition on values of columns", found=doubt)


def refuse_undecided(
    table: Table, where: Condition | None, has_rows: Callable[[Table, Condition], bool] = has_rows
) -> None:
    """Raises `RowError` where the table has a row of which a condition does not say whether it is true: a part of it has no
    result in SQL's ANSI mode. Rows that another part of its outermost AND rules out do not count. `has_rows` reads them."""
    if where is None:
        return
    undecided = find_undecided_rows(predicate_tree(where))
    reasons = list(undecided.by_reason)
    if not reasons or not has_rows(table, undecided.of_reasons(reasons)):
        return
    for reason in reasons:
        scan = key_scan(table, undecided.of_reasons([reason]), limit=1)
        for batch in scan.batches():
            for row in table.engine.rows.to_json(batch, scan.schema):
                found = f"{INSTEAD[reason]} in the row {json.dumps(row, ensure_ascii=False)}"
                raise RowError(None, expected=reason.value, found=found, path="where")

"""The expression indexes of a table: of which function of which column each is, and which cannot be. Rules WRITE-61, WRITE-62."""

from __future__ import annotations

from typing import Final

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.evolve.fields import brief
from hudi_core.expr.bind import bind_term
from hudi_core.expr.predicate import Term
from hudi_core.index_kinds.expression_values import Expression, can_be_filtered
from hudi_core.index_kinds.fixed_columns import refuse_changed_column, refuse_left_out_column
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.expressions import IndexedValue, find_indexed_value
from hudi_core.metadata_rows.expression import INDEX_TYPES, IndexedExpression
from hudi_core.metadata_rows.statistics_rows import V1, V2, form_of
from hudi_core.schema.project import project
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.table.table import Table

_VERSIONS: Final = (V1, V2)


def keep_expression(
    table: Table, partition: str, definition: IndexDefinition | None, schema: Schema | None
) -> Expression:
    """The expression index of a partition, for a write after which the table's schema is this one; None: it stays.

    Raises `UnsupportedError` for one that the write would not keep up to date. Rules WRITE-61, WRITE-62.
    """
    if definition is None:
        where, expected = f"{table.storage.uri}: {partition}", "a definition of the index"
        raise UnsupportedError(where, expected=expected, found="none")
    expression = expression_of(table, partition, definition)
    refuse_changed_column(table, partition, expression.index.column, "an expression index", schema)
    return expression


def expression_of(table: Table, partition: str, definition: IndexDefinition) -> Expression:
    """The expression index of a definition. Raises `UnsupportedError` for one that nothing is known of. Rule WRITE-62."""
    where = f"{table.storage.uri}: {partition}"
    if len(definition.columns) != 1 or definition.version not in _VERSIONS or definition.kind not in INDEX_TYPES:
        raise UnsupportedError(
            where,
            expected=f"an index of one column, of {' or '.join(INDEX_TYPES)} in version {' or '.join(_VERSIONS)}",
            found=f"{definition.kind} of {', '.join(definition.columns)} in version {definition.version}",
        )
    name = definition.columns[0]
    refuse_left_out_column(table, partition, name)
    place = table.schema.find((name,))
    value = None if place is None else find_indexed_value(definition, place.field.type)
    if place is None or value is None or not _can_be_recorded(value, definition):
        options = ", ".join(f"{option}={given!r}" for option, given in definition.options.items())
        raise UnsupportedError(
            where,
            expected=f"a function of the top-level column {name} whose values can be indexed",
            found=f"no such column, in {options}" if place is None else f"{options} of {brief(place.field.type)}",
        )
    index = IndexedExpression(partition, name, value.type, definition.records_filters, definition.version)
    schema = project(table.schema, [(name,)])
    return Expression(index, _term(value, place, schema), schema)


def _can_be_recorded(value: IndexedValue, definition: IndexDefinition) -> bool:
    return not definition.records_statistics or form_of(value.type, definition.version) is not None


def _term(value: IndexedValue, place: ColumnPlace, schema: Schema) -> Term | None:
    """The value as a term; None where readers do not all compute the same, or the core does not."""
    if not value.certain:
        return None
    try:
        term = bind_term(value.of_column(place.name), schema, case_sensitive=True)
    except (ExpressionError, UnsupportedError):
        return None
    return term if term.type == value.type else None


def refuse_unindexable_value(expression: Expression, where: str) -> None:
    """Raises `UnsupportedError` for an index that is not worth building: nothing could be recorded in it. Rule META-115."""
    if expression.term is None:
        expected = "a function that takes the type of the column and gives the same in every time zone of a session"
        found = f"one of {brief(expression.schema.fields[0].type)} that does not"
        raise UnsupportedError(where, expected=expected, found=found)
    index, column = expression.index, expression.schema.fields[0]
    if index.version == V1 and not index.is_filter and index.type != column.type:
        # Apache Hudi takes bounds of version V1 for those of the column, and fails.
        expected = f"values of the column's own type for column_stats before table version 9, {brief(column.type)}"
        raise UnsupportedError(where, expected=expected, found=brief(index.type))
    if expression.index.is_filter and not can_be_filtered(expression.index.type):
        expected = "values that are strings or whole numbers for bloom_filters"
        raise UnsupportedError(where, expected=expected, found=brief(expression.index.type))

"""The definitions of the indexes of columns that a build makes: of the columns that are asked for, else as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.index_kinds.build_plan import IndexOptions, name_partitions
from hudi_core.index_kinds.expressions import expression_of, refuse_unindexable_value
from hudi_core.index_kinds.fixed_columns import refuse_left_out_column
from hudi_core.index_kinds.secondary import refuse_unindexable
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.expressions import EXPRESSION_OPTION, FUNCTIONS, IDENTITY
from hudi_core.metadata.kinds import (
    EXPRESSION_INDEX,
    SECONDARY_INDEX,
    PerKind,
    dependents,
    get_known_kind,
)
from hudi_core.metadata.table import COLUMN_STATS, RECORD_INDEX
from hudi_core.metadata_rows.expression import INDEX_TYPES, expression_definition
from hudi_core.metadata_rows.rows_of_statistics import columns_with_statistics
from hudi_core.metadata_rows.secondary import secondary_definition
from hudi_core.metadata_writer.initial import new_definitions
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.names import refuse_repeated
from hudi_core.schema.project import leave_out
from hudi_core.table.table import Table


def choose_definitions(
    table: Table, partitions: Sequence[str], known: Mapping[str, IndexDefinition], options: IndexOptions
) -> dict[str, IndexDefinition]:
    """The definitions of all indexes of the table when these are made. `known` are those it has.

    Raises `UsageError` for columns that cannot have statistics.
    """
    before = known.get(RECORD_INDEX)
    partitioned = options.partitioned
    if partitioned is None:
        partitioned = before is not None and before.is_partitioned
    schema = bare_schema(table.schema)
    made = new_definitions(partitions, schema, table.config, partitioned_record_index=partitioned)
    of_records = made.get(RECORD_INDEX, before)
    beside = sorted(dependents(RECORD_INDEX, {*partitions, *table.config.metadata_partitions}))
    if beside and of_records is not None and of_records.is_partitioned:
        expected = f"a record index of the whole table beside {beside[0]}"
        raise UnsupportedError(table.storage.uri, expected=expected, found="a partitioned one")
    for partition in partitions:
        define = DEFINITIONS.of_partition(partition)
        if define is not None:
            made[partition] = define(table, partition, known.get(partition), options)
    return {**known, **made}


def is_asked_for(partition: str, options: IndexOptions) -> bool:
    """Whether the options state the column of a named index, by its metadata partition; else it is one that was there."""
    return options.columns is not None and partition in name_partitions([get_known_kind(partition).name], options)


def _secondary_of(
    table: Table, partition: str, before: IndexDefinition | None, options: IndexOptions
) -> IndexDefinition:
    """The definition of a secondary index: of the requested column, else of the one that it had."""
    if options.columns is not None and is_asked_for(partition, options):
        definition = secondary_definition(options.columns[0], table.config.version)
    elif before is not None and len(before.columns) == 1:
        definition = secondary_definition(before.columns[0], table.config.version)
    else:
        raise UsageError("columns", expected=f"the column of {partition}", found="none")
    refuse_unindexable(table, partition, definition.columns[0])
    return definition


def _expression_of(
    table: Table, partition: str, before: IndexDefinition | None, options: IndexOptions
) -> IndexDefinition:
    """The definition of an expression index: of the function and column that are asked for, else as it was."""
    version = table.config.version
    if options.columns is not None and is_asked_for(partition, options):
        function, arguments = IDENTITY if options.function is None else options.function, options.arguments
        if options.using not in INDEX_TYPES:
            raise UsageError("index", expected=f"one of {', '.join(INDEX_TYPES)} of values", found=options.using)
        if function not in FUNCTIONS:
            raise UsageError("function", expected=f"one of {', '.join(FUNCTIONS)}", found=repr(function))
        definition = expression_definition(options.columns[0], function, arguments, options.using, version)
        refuse_unindexable_value(expression_of(table, partition, definition), f"{table.storage.uri}: {partition}")
        return definition
    if before is not None and len(before.columns) == 1:
        arguments = {option: given for option, given in before.options.items() if option != EXPRESSION_OPTION}
        definition = expression_definition(before.columns[0], before.function, arguments, before.kind, version)
        expression_of(table, partition, definition)
        return definition
    raise UnsupportedError(f"{table.storage.uri}: {partition}", expected="a definition of the index", found="none")


def _statistics_of(
    table: Table, partition: str, before: IndexDefinition | None, options: IndexOptions
) -> IndexDefinition:
    """The definition of column statistics: of the requested columns, else of those that they had, else of the first ones."""
    schema = leave_out(bare_schema(table.schema), table.config.left_out_columns)
    definition = new_definitions([partition], schema, table.config)[partition]
    if options.columns is None:
        if before is None:
            return definition
        kept = columns_with_statistics(before.columns, schema, definition.version)
        return definition.model_copy(update={"columns": tuple(kept)}) if kept else definition
    columns = tuple(options.columns)
    refuse_repeated("columns", columns, columns)
    for column in columns:
        refuse_left_out_column(table, partition, column)
    possible = columns_with_statistics(columns, schema, definition.version)
    strange = [column for column in columns if column not in possible]
    if strange or not columns:
        expected = "columns of types that can have statistics"
        missing = next((column for column in strange if schema.find(column) is None), None)
        found = ", ".join(strange) or "none"
        if missing is not None:
            found = f"no column {missing}{schema.suggestion(missing)}"
        raise UsageError("columns", expected=expected, found=found)
    return definition.model_copy(update={"columns": columns})


Define = Callable[[Table, str, IndexDefinition | None, IndexOptions], IndexDefinition]


DEFINITIONS: Final = PerKind[Define](
    {COLUMN_STATS: _statistics_of, SECONDARY_INDEX: _secondary_of, EXPRESSION_INDEX: _expression_of}
)
"""The definition of an index of columns: given the one that it had, and what is asked for."""

"""Expression indexes: statistics of a function of a column, as those of a column of its own.

`lower(label) = 'x'` is rewritten to the column `lower(label)` where an index of just this function of just this column
exists. What depends on the time zone of the session that made the index is left alone: the index does not record it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.nodes import Call, Expr, Literal, Name
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.expr.walk import change_tree
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.expressions import IDENTITY, find_indexed_value
from hudi_core.metadata.kinds import EXPRESSION_INDEX, PerKind
from hudi_core.metadata.table import MetadataTable
from hudi_core.metadata.typed_by_file import as_stored
from hudi_core.planning.sources.slice_statistics import DataFiles, join_keys
from hudi_core.planning.sources.stable_names import stable_column
from hudi_core.pruning.statistics import take_files
from hudi_core.pruning.store import FIRST_CONDITION_ID, StatisticsPart
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


@dataclass(frozen=True, slots=True)
class ExpressionIndex:
    """An index, a metadata partition, of a function of a column. `column` stands for the function's value, `rest` are the
    arguments after the column."""

    partition: str
    function: str
    argument: Column
    literals: tuple[Literal, ...]
    column: Column


FindIndex = Callable[[str, IndexDefinition, Schema, Sequence[Schema], int], ExpressionIndex | None]
"""Finds the meaning of an index of a partition for queries: by its definition, the wanted schema, all versions of the schema, and
the id that the column of its values gets. None where the meaning is not certain."""


def expression_indexes(
    kinds: PerKind[FindIndex],
    definitions: Mapping[str, IndexDefinition],
    usable: frozenset[str],
    wanted: Schema,
    versions: Sequence[Schema],
    first: int = FIRST_CONDITION_ID,
) -> tuple[ExpressionIndex, ...]:
    """The indexes of kinds whose meaning is certain. `first` is the id of the first one's column; those of others go down from
    there."""
    indexes: list[ExpressionIndex] = []
    for partition, find in kinds.among(definitions.keys() & usable):
        index = find(partition, definitions[partition], wanted, versions, first - len(indexes))
        if index is not None:
            indexes.append(index)
    return tuple(indexes)


def _find_statistics(
    partition: str, definition: IndexDefinition, wanted: Schema, versions: Sequence[Schema], id: int
) -> ExpressionIndex | None:
    return _find(partition, definition, wanted, versions, id) if definition.records_statistics else None


def _find_filters(
    partition: str, definition: IndexDefinition, wanted: Schema, versions: Sequence[Schema], id: int
) -> ExpressionIndex | None:
    return _find(partition, definition, wanted, versions, id) if definition.records_filters else None


def _find(
    partition: str, definition: IndexDefinition, wanted: Schema, versions: Sequence[Schema], id: int
) -> ExpressionIndex | None:
    if len(definition.columns) != 1:
        return None
    place = stable_column(definition.columns[0], wanted, versions)
    value = None if place is None else find_indexed_value(definition, place.field.type)
    if place is None or value is None or not value.certain:
        return None
    column = Column(place.field.id, place.name, place.field.type)
    return ExpressionIndex(
        partition, value.function, column, value.literals, Column(id, value.sql(column.name), value.type)
    )


STATISTICS_OF_VALUES: Final = PerKind[FindIndex]({EXPRESSION_INDEX: _find_statistics})
"""Indexes with statistics of values in each file."""
FILTERS_OF_VALUES: Final = PerKind[FindIndex]({EXPRESSION_INDEX: _find_filters})
"""Indexes with a bloom filter of the values in each file."""


def with_index_columns(
    tree: Expr, indexes: Sequence[ExpressionIndex], schema: Schema, *, case_sensitive: bool
) -> Predicate | None:
    """The predicate with indexed functions as columns of their own; None when it has none of them."""
    used: list[ExpressionIndex] = []

    def column_for(node: Expr) -> Expr | None:
        for index in indexes:
            if _is_value_of(node, index, schema, case_sensitive):
                used.append(index)
                return Name((index.column.name,))
        return None

    rewritten = change_tree(tree, column_for)
    if not used:
        return None
    fields = tuple(
        t.Field(index_.column.id, index_.column.name, index_.column.type, optional=True)
        for index_ in dict.fromkeys(used)
    )
    wider = replace(schema, record=replace(schema.record, fields=(*schema.record.fields, *fields)))
    try:
        return bind(rewritten, wider, case_sensitive=case_sensitive)
    except ExpressionError:
        return None  # a column of such a name is there already


def _is_value_of(node: Expr, index: ExpressionIndex, schema: Schema, case_sensitive: bool) -> bool:
    match node:
        case Name(path) if index.function == IDENTITY:
            column = path
        case Call(function, (Name(path), *rest)) if function == index.function and tuple(rest) == index.literals:
            column = path
        case _:
            return False
    place = schema.find(column, case_sensitive=case_sensitive)
    return place is not None and place.field.id == index.argument.id


def expression_pieces(
    index: ExpressionIndex, files: DataFiles, metadata: MetadataTable, *, opaque_logs: bool = False
) -> Iterator[StatisticsPart]:
    """Statistics of the indexed function in each file, as those of its slice; nothing of slices with a file that it leaves
    out, and with `opaque_logs` of those with log files. Raises `TableError` when it is damaged."""
    has_record = np.zeros(len(files), np.bool_)
    pieces: list[StatisticsPart] = []
    for recorded in metadata.expression_stats(index.partition, index.argument.name):
        statistics = recorded.statistics if recorded.typed else as_stored(recorded.statistics, index.column.type)
        if statistics is not None and statistics.type == index.column.type:
            rows, members = join_keys(recorded.keys, files.keys)
            has_record[members] = True
            pieces.append(StatisticsPart(files.slices[members], take_files(statistics, rows)))
    open_slices = np.unique(files.slices[~has_record | (files.logs & opaque_logs)])
    for piece in pieces:
        complete = np.flatnonzero(~np.isin(piece.files, open_slices))
        yield StatisticsPart(piece.files[complete], take_files(piece.statistics, complete))

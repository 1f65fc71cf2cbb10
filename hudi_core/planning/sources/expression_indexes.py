"""Expression indexes: statistics of a function of a column, as those of a column of its own.

`lower(label) = 'x'` is rewritten to the column `lower(label)` where an index of just this function of just this column
exists. What depends on the time zone of the session that made the index is left alone: the index does not record it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.nodes import Call, Expr, Literal, Name
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import changed
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.table import COLUMN_STATS, MetadataTable
from hudi_core.planning.sources.slice_statistics import DataFiles, joined
from hudi_core.planning.sources.stable_names import stable_column
from hudi_core.pruning.statistics import taken
from hudi_core.pruning.store import FIRST_CONDITION_ID, StatisticsPart
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

_MADE_OF: Mapping[str, tuple[type[t.Primitive], ...]] = {
    **dict.fromkeys(["lower", "upper", "trim", "ltrim", "rtrim", "length", "substring"], (t.String,)),
    **dict.fromkeys(["regexp_extract", "regexp_replace"], (t.String,)),
    "abs": (t.Int, t.Long, t.Float, t.Double, t.Decimal),
    **dict.fromkeys(["year", "month", "day", "date_add", "date_sub"], (t.Date,)),
}
"""Functions, and the types of which they give the same in every time zone."""

_OPTIONS: Mapping[str, Mapping[str, type[int] | type[str]]] = {
    **{name: {"trimString": str} for name in ("trim", "ltrim", "rtrim")},
    "substring": {"pos": int, "len": int},
    "regexp_extract": {"pattern": str, "idx": int},
    "regexp_replace": {"pattern": str, "replacement": str},
    **{name: {"days": int} for name in ("date_add", "date_sub")},
}
"""The options that hold the arguments of a function after the column, in their order."""

_MAY_LACK = frozenset({"trim", "ltrim", "rtrim"})
"""Functions whose options may all be left out."""

_SPELLED = {
    "dayofmonth": "day",
    "ucase": "upper",
    "lcase": "lower",
    "char_length": "length",
    "substr": "substring",
    "dateadd": "date_add",
}
_RESULTS: Mapping[str, t.Type] = dict.fromkeys(["length", "year", "month", "day"], t.Int())


@dataclass(frozen=True, slots=True)
class ExpressionIndex:
    """An index, a metadata partition, of a function of a column. `column` stands for the function's value, `rest` are the
    arguments after the column."""

    partition: str
    function: str
    argument: Column
    literals: tuple[Literal, ...]
    column: Column


def expression_indexes(
    definitions: Mapping[str, IndexDefinition], usable: frozenset[str], wanted: Schema, versions: Sequence[Schema]
) -> tuple[ExpressionIndex, ...]:
    """The indexes whose meaning is certain."""
    indexes: list[ExpressionIndex] = []
    for partition in sorted(definitions.keys() & usable):
        definition = definitions[partition]
        function = _SPELLED.get(definition.function.lower(), definition.function.lower())
        if not partition.startswith("expr_index_") or definition.kind != COLUMN_STATS or len(definition.columns) != 1:
            continue
        place = stable_column(definition.columns[0], wanted, versions)
        if place is None or not isinstance(place.field.type, _MADE_OF.get(function, ())):
            continue
        rest = _rest(function, {name: value for name, value in definition.options.items() if name != "expr"})
        if rest is None:
            continue
        column = Column(place.field.id, place.name, place.field.type)
        call = to_sql(Call(function, (Name((column.name,)), *rest)))
        value = Column(FIRST_CONDITION_ID - len(indexes), call, _RESULTS.get(function, column.type))
        indexes.append(ExpressionIndex(partition, function, column, rest, value))
    return tuple(indexes)


def _rest(function: str, options: Mapping[str, str]) -> tuple[Literal, ...] | None:
    """The arguments after the column; None when there are other options than those."""
    kinds = _OPTIONS.get(function, {})
    if not options and function in _MAY_LACK:
        return ()
    if options.keys() != kinds.keys():
        return None
    try:
        return tuple(Literal(kind(options[name])) for name, kind in kinds.items())
    except ValueError:  # no number
        return None


def with_index_columns(
    tree: Expr, indexes: Sequence[ExpressionIndex], schema: Schema, *, case_sensitive: bool
) -> Predicate | None:
    """The predicate with indexed functions as columns of their own; None when it has none of them."""
    used: list[ExpressionIndex] = []

    def column_for(node: Expr) -> Expr | None:
        for index in indexes:
            if isinstance(node, Call) and _is_call_of(node, index, schema, case_sensitive):
                used.append(index)
                return Name((index.column.name,))
        return None

    rewritten = changed(tree, column_for)
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


def _is_call_of(call: Call, index: ExpressionIndex, schema: Schema, case_sensitive: bool) -> bool:
    match call.arguments:
        case (Name(path), *rest) if call.function == index.function and tuple(rest) == index.literals:
            place = schema.find(path, case_sensitive=case_sensitive)
            return place is not None and place.field.id == index.argument.id
        case _:
            return False


def expression_pieces(index: ExpressionIndex, files: DataFiles, metadata: MetadataTable) -> Iterator[StatisticsPart]:
    """Statistics of the indexed function in each file, as those of its slice; nothing of slices with a file that it leaves
    out. Raises `TableError` when it is damaged."""
    has_record = np.zeros(len(files), np.bool_)
    pieces: list[StatisticsPart] = []
    for recorded in metadata.expression_stats(index.partition, index.argument.name):
        if recorded.typed:
            rows, members = joined(recorded.keys, files.keys)
            has_record[members] = True
            pieces.append(StatisticsPart(files.slices[members], taken(recorded.statistics, rows)))
    open_slices = np.unique(files.slices[~has_record])
    for piece in pieces:
        complete = np.flatnonzero(~np.isin(piece.files, open_slices))
        yield StatisticsPart(piece.files[complete], taken(piece.statistics, complete))

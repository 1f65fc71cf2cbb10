"""Expression indexes as partitions of the metadata table: definitions and rows. Rules META-35, META-114 to META-118."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hudi_core.columns.hashes import partition_stats_key
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.expressions import EXPRESSION_OPTION
from hudi_core.metadata.file_keys import Keys
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS
from hudi_core.metadata_rows.rows import IndexRows
from hudi_core.metadata_rows.statistics_rows import (
    V1,
    V2,
    Sizes,
    encode_statistics,
    file_statistics,
    partition_statistics_of,
)
from hudi_core.pruning.statistics import ColumnStatistics
from hudi_core.types import nodes as t

INDEX_TYPES: Final = (COLUMN_STATS, BLOOM_FILTERS)
"""What an expression index may record of the values in a file."""
PARTITION_PREFIX: Final = "__partition_stat__"
"""The prefix in keys of whole partitions."""


@dataclass(frozen=True, slots=True)
class IndexedExpression:
    """An expression index as rows of it are made: its column by name, the type of its values, its version."""

    partition: str
    column: str
    type: t.Type = field(hash=False)
    is_filter: bool
    """It records bloom filters, not statistics."""
    version: str


def expression_definition(
    column: str, function: str, options: Mapping[str, str], kind: str, table_version: int
) -> IndexDefinition:
    """The definition of a new expression index, as Apache Hudi writes it."""
    return IndexDefinition(
        indexType=kind,
        indexFunction=function,
        sourceFields=(column,),
        indexOptions={EXPRESSION_OPTION: function, **options},
        version=V2 if table_version >= 9 else V1,
    )


def expression_file_rows(
    index: IndexedExpression, files: Keys, names: StringColumn, statistics: ColumnStatistics
) -> IndexRows:
    """Rows of files. `files` are the parts of the keys after the column, `names` the names of the files."""
    sizes = _no_sizes(len(statistics))
    rows = file_statistics(index.column, files, names, statistics, sizes, index.version, of_expression=True)
    return encode_statistics([rows])


def expression_partition_rows(
    index: IndexedExpression, partitions: list[str], statistics: ColumnStatistics, *, tight: bool = True
) -> IndexRows:
    """Rows of whole partitions, which take the place of earlier ones where they are `tight`, and are merged with them else."""
    sizes = _no_sizes(len(partitions))
    rows = partition_statistics_of(
        index.column, partitions, statistics, sizes, index.version, prefix=PARTITION_PREFIX, tight=tight
    )
    return encode_statistics([rows])


def expression_partition_keys(index: IndexedExpression, partitions: Sequence[str]) -> StringColumn:
    """Keys of the rows of whole partitions."""
    return string_column([partition_stats_key(index.column, partition, PARTITION_PREFIX) for partition in partitions])


def _no_sizes(count: int) -> Sizes:
    zeros = np.zeros(count, np.int64)
    return Sizes(zeros, zeros)

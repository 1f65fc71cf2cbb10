"""What a clean takes out of each partition of the metadata table: files that are deleted, and partitions. Rule META-380."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings, string_column
from hudi_core.formats.names import parse_base_file
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.file_keys import Keys, keys_of
from hudi_core.metadata.kinds import EXPRESSION_INDEX, PerKind
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, FILES
from hudi_core.metadata_rows.rows import IndexRows, PartitionRows, removal_rows
from hudi_core.metadata_rows.statistics_rows import column_keys

Names = Mapping[str, Sequence[str]]
"""Names of files by partition of the table."""


def make_removed_files_rows(
    kept: Collection[str], definitions: Mapping[str, IndexDefinition], deleted: Names, partitions: Iterable[str]
) -> Iterator[PartitionRows]:
    """The rows for the metadata partitions in `kept`: the deletes of files by partition, and of `partitions`, which are gone.

    Where rows are, and statistics of whole partitions, does not change: no file was a part of the latest state.
    """
    yield PartitionRows(FILES, removal_rows(deleted, partitions))
    files = [(partition, name) for partition, names in deleted.items() for name in names]
    if not files:
        return
    keys = _keys(files)
    bases = _as_strings(_keys([(partition, name) for partition, name in files if parse_base_file(name) is not None]))
    for partition, make in ROWS_OF_REMOVED_FILES.among(kept):
        yield from make(partition, definitions.get(partition), keys, bases)


def _of_filters(partition: str, _: IndexDefinition | None, __: Keys, bases: StringColumn) -> Iterator[PartitionRows]:
    yield _deletes(partition, [bases])


def delete_statistics(
    partition: str, definition: IndexDefinition | None, keys: Keys, _: StringColumn
) -> Iterator[PartitionRows]:
    """The deletes of files in a partition with a record of each file and column."""
    if definition is not None:
        yield _deletes(partition, [column_keys(column, keys) for column in definition.columns])


def _of_expressions(
    partition: str, definition: IndexDefinition | None, keys: Keys, bases: StringColumn
) -> Iterator[PartitionRows]:
    make = _of_filters if definition is not None and definition.records_filters else delete_statistics
    return make(partition, definition, keys, bases)


ROWS_OF_REMOVED_FILES: Final = PerKind[
    Callable[[str, IndexDefinition | None, Keys, StringColumn], Iterator[PartitionRows]]
]({COLUMN_STATS: delete_statistics, BLOOM_FILTERS: _of_filters, EXPRESSION_INDEX: _of_expressions})
"""The deletes of files in one partition of a kind: given their keys, and those of the base files among them."""


def _keys(files: Sequence[tuple[str, str]]) -> Keys:
    return keys_of((partition for partition, _ in files), string_column([name for _, name in files]))


def _deletes(partition: str, keys: list[StringColumn]) -> PartitionRows:
    return PartitionRows(partition, IndexRows(deletes=concat_strings(keys)) if keys else IndexRows())


def _as_strings(keys: Keys) -> StringColumn:
    width = keys.dtype.itemsize
    return StringColumn(np.arange(len(keys) + 1, dtype=np.int64) * width, keys.view(np.uint8))

"""The frame of checks that compare indexes of single columns with the table: index by index, once all files were read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hudi_core.errors import TableError, UnsupportedError
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import IndexKind, of_kind
from hudi_core.metadata.table import MetadataTable
from hudi_core.validation.contents import ContentCheck
from hudi_core.validation.findings import Finding, by_hand, problem, rebuild
from hudi_core.validation.subject import Subject

_ELSEWHERE: Final = by_hand("leave the index to Apache Hudi, which builds it, or drop it: it is not built here")


@dataclass
class ColumnIndexes(ContentCheck, ABC):
    """The check of all indexes of one kind. An index that cannot be compared is one finding."""

    subject: Subject

    @property
    @abstractmethod
    def kind(self) -> IndexKind:
        """The kind of index."""

    @abstractmethod
    def of_index(self, metadata: MetadataTable, partition: str, definition: IndexDefinition) -> Iterator[Finding]:
        """The findings of one index. Raises `TableError` where it cannot be compared."""

    def end(self) -> Iterator[Finding]:
        metadata, table = self.subject.metadata, self.subject.table
        for partition in of_kind(self.kind, metadata.partitions if metadata else ()):
            try:
                definition = index_definitions(table.storage, table.config).get(partition)
                if metadata is not None and definition is not None:  # the check of properties reports one without
                    yield from self.of_index(metadata, partition, definition)
            except TableError as error:
                where = self.subject.metadata_path(partition)
                # What is not known here, Apache Hudi may build and keep.
                mending = _ELSEWHERE if isinstance(error, UnsupportedError) else rebuild(partition)
                yield problem(self.kind.name, self.subject.root, error, mending, where)

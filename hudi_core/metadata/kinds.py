"""The kinds of metadata partitions, one record each: what is true of a kind in every table. Rules META-34, META-35, META-50.

What a kind does has its place in the module that does it, in a table by kind: the rows of a change (`metadata_writer.changes`)
and of a clean (`metadata_writer.removed_files`), the rows with which it begins (`index_builds.row_sources`), its definition
(`index_kinds.build_plan`), its check (`validation.validate`). Everything else goes through all kinds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, FILES, PARTITION_STATS, RECORD_INDEX

SECONDARY_INDEX: Final = "secondary_index"
EXPRESSION_INDEX: Final = "expression_index"


@dataclass(frozen=True, slots=True)
class IndexKind:
    """A kind of metadata partition."""

    name: str
    groups: int
    """File groups of a partition that begins without rows. Their number never changes: hashes count on it."""
    group_prefix: str = ""
    """What is before the number in the ids of its file groups; empty: the name of the partition with hyphens."""
    partition_prefix: str = ""
    """What is before the name of an index in that of its partition; empty: its one partition has the name of the kind."""
    since: int = 6
    """The table version from which on there are such partitions."""
    needs: str | None = None
    """The kind without which it has no meaning: what goes when that goes."""
    is_built_with_need: bool = False
    """A build of it builds what it needs; else that has to be there, or be asked for."""
    follows_need: bool = False
    """It is built again with what it needs."""
    counts_records: bool = False
    """It has a record for each row of the table, by whose number its file groups are made."""
    has_columns: bool = False
    """It is built of columns that its definition names."""
    has_function: bool = False
    """It is of a function of its column."""
    can_be_partitioned: bool = False
    """Its file groups may be those of one partition of the table each: then they begin with the first row."""

    @property
    def is_named(self) -> bool:
        """Whether there may be several, each of one column and with a name and a definition of its own."""
        return bool(self.partition_prefix)

    def partition(self, name: str) -> str:
        """The metadata partition of the index of this name."""
        return f"{self.partition_prefix}{name}" if self.is_named else self.name

    def is_of(self, partition: str) -> bool:
        """Whether a metadata partition is of this kind."""
        return partition.startswith(self.partition_prefix) if self.is_named else partition == self.name


SECONDARY: Final = IndexKind(
    SECONDARY_INDEX,
    groups=10,
    partition_prefix=f"{SECONDARY_INDEX}_",
    since=8,
    needs=RECORD_INDEX,
    is_built_with_need=True,
    counts_records=True,
    has_columns=True,
)
EXPRESSION: Final = IndexKind(
    EXPRESSION_INDEX, groups=2, partition_prefix="expr_index_", since=8, has_columns=True, has_function=True
)
KINDS: Final = (
    IndexKind(FILES, 1, "files-"),
    IndexKind(COLUMN_STATS, 2, "col-stats-", has_columns=True),
    IndexKind(BLOOM_FILTERS, 4, "bloom-filters-"),
    IndexKind(RECORD_INDEX, 10, "record-index-", counts_records=True, can_be_partitioned=True),
    IndexKind(PARTITION_STATS, 1, "partition-stats-", since=8, needs=COLUMN_STATS, follows_need=True),
    SECONDARY,
    EXPRESSION,
)
"""All kinds, in the order in which partitions are made."""
NAMED_KINDS: Final = tuple(kind for kind in KINDS if kind.is_named)


def kind_of(partition: str) -> IndexKind | None:
    """The kind of a metadata partition; None for one that is not known here."""
    return next((kind for kind in KINDS if kind.is_of(partition)), None)


def get_known_kind(partition: str) -> IndexKind:
    """The kind of a metadata partition that was checked to be of one."""
    kind = kind_of(partition)
    assert kind is not None, partition
    return kind


def build_order(partition: str) -> tuple[int, str]:
    """A key by which metadata partitions sort in the order in which they are made."""
    kind = kind_of(partition)
    unnamed = len(KINDS) - len(NAMED_KINDS)
    return (unnamed if kind is None or kind.is_named else KINDS.index(kind), partition)


def of_kind(kind: IndexKind, partitions: Iterable[str]) -> list[str]:
    """The partitions of one kind among some, in order."""
    return sorted(filter(kind.is_of, partitions))


def dependents(partition: str, there: Collection[str]) -> set[str]:
    """The partitions among some that have no meaning without one."""
    needing = [kind for kind in KINDS if kind.needs == partition]
    return {other for other in there if any(kind.is_of(other) for kind in needing)}

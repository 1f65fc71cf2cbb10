"""The kinds of metadata partitions, one record each: what is true of a kind in every table. Rules META-34, META-35, META-50.

What a kind does in a step of the work has its place in the module of that step, in a table by kind (`PerKind`). Everything else
asks the record, or goes through all kinds: no other code compares names of kinds, so that a new one is a record and its parts
(rule META-1100). `with_kind` adds one for a time; the test of a kind that is not there proves that no more is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

P = TypeVar("P")

FILES: Final = "files"
COLUMN_STATS: Final = "column_stats"
PARTITION_STATS: Final = "partition_stats"
BLOOM_FILTERS: Final = "bloom_filters"
RECORD_INDEX: Final = "record_index"
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
    lists_files: bool = False
    """It is the list of the table's files: all others begin after it, and go with it."""
    locates_keys: bool = False
    """It has the place of each record key, in log files too: a key is looked for in all partitions, and comes once."""
    stores_filters: bool = False
    """It has the bloom filters of the record keys that base files store."""
    has_statistics: bool = False
    """It has statistics of columns of each file, under the names that they have in it."""
    has_whole_partitions: bool = False
    """It has records of whole partitions of the table, each made of all files that were live then."""
    notes_files: bool = False
    """Writers note of each file that they make what it is to record of it."""
    counts_records: bool = False
    """It has a record for each row of the table, by whose number its file groups are made."""
    has_columns: bool = False
    """It is built of columns that its definition names."""
    has_function: bool = False
    """It is of a function of its column."""
    partitioned_name: str = ""
    """The name of one whose file groups are those of one partition of the table each, and begin with the first row there; empty:
    there is none."""

    @property
    def is_named(self) -> bool:
        """Whether there may be several, each of one column and with a name and a definition of its own."""
        return bool(self.partition_prefix)

    @property
    def can_be_partitioned(self) -> bool:
        """Whether file groups may be those of one partition of the table each."""
        return bool(self.partitioned_name)

    def partition(self, name: str) -> str:
        """The metadata partition of the index of this name."""
        return f"{self.partition_prefix}{name}" if self.is_named else self.name

    def is_of(self, partition: str) -> bool:
        """Whether a metadata partition is of this kind."""
        return partition.startswith(self.partition_prefix) if self.is_named else partition == self.name


class Kinds(Collection[IndexKind]):
    """All kinds, in the order in which partitions are made."""

    def __init__(self, kinds: Iterable[IndexKind]) -> None:
        self._kinds = tuple(kinds)

    def __iter__(self) -> Iterator[IndexKind]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def __contains__(self, kind: object) -> bool:
        return kind in self._kinds

    @property
    def named(self) -> tuple[IndexKind, ...]:
        """The kinds of which there may be several indexes."""
        return tuple(kind for kind in self._kinds if kind.is_named)

    def place_of(self, kind: IndexKind) -> int:
        """Its place in the order."""
        return self._kinds.index(kind)

    def add(self, kind: IndexKind) -> None:
        """Adds a kind, which comes last."""
        self._kinds = (*self._kinds, kind)

    def remove(self, kind: IndexKind) -> None:
        """Removes a kind that was added."""
        self._kinds = tuple(known for known in self._kinds if known is not kind)


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
    EXPRESSION_INDEX,
    groups=2,
    partition_prefix="expr_index_",
    since=8,
    has_whole_partitions=True,
    notes_files=True,
    has_columns=True,
    has_function=True,
)
KINDS: Final = Kinds(
    (
        IndexKind(FILES, 1, "files-", lists_files=True),
        IndexKind(COLUMN_STATS, 2, "col-stats-", has_statistics=True, has_columns=True),
        IndexKind(BLOOM_FILTERS, 4, "bloom-filters-", stores_filters=True),
        IndexKind(
            RECORD_INDEX,
            10,
            "record-index-",
            locates_keys=True,
            counts_records=True,
            partitioned_name=f"partitioned_{RECORD_INDEX}",
        ),
        IndexKind(
            PARTITION_STATS, 1, "partition-stats-",
            since=8, needs=COLUMN_STATS, follows_need=True, has_whole_partitions=True,
        ),
        SECONDARY,
        EXPRESSION,
    )
)  # fmt: skip


class PerKind(Generic[P]):
    """The parts of kinds in one step of the work, by the name of the kind. A kind without one has nothing to do in the step."""

    def __init__(self, parts: Mapping[str, P]) -> None:
        self._parts = dict(parts)

    def __iter__(self) -> Iterator[str]:
        """The names of the kinds that have a part."""
        return iter(self._parts)

    def get(self, kind: IndexKind | None) -> P | None:
        """The part of a kind; None where it has none, or is not known."""
        return None if kind is None else self._parts.get(kind.name)

    def of_partition(self, partition: str) -> P | None:
        """The part of the kind of a metadata partition."""
        return self.get(kind_of(partition))

    def among(self, partitions: Collection[str]) -> Iterator[tuple[str, P]]:
        """The partitions whose kind has a part, in the order in which they are made, with the part."""
        for kind in KINDS:
            if kind.name in self._parts:
                for partition in of_kind(kind, partitions):
                    yield partition, self._parts[kind.name]

    def add(self, kind: IndexKind, part: P) -> None:
        """Gives a kind its part."""
        self._parts[kind.name] = part

    def remove(self, kind: IndexKind) -> None:
        """Takes the part of a kind away."""
        del self._parts[kind.name]


@contextmanager
def with_kind(kind: IndexKind, parts: Iterable[tuple[PerKind[Any], Any]]) -> Iterator[None]:
    """A further kind with its parts in steps, as long as the context is open, in this process alone."""
    of_steps = list(parts)
    KINDS.add(kind)
    for step, part in of_steps:
        step.add(kind, part)
    try:
        yield
    finally:
        for step, _ in of_steps:
            step.remove(kind)
        KINDS.remove(kind)


def kind_of(partition: str) -> IndexKind | None:
    """The kind of a metadata partition; None for one that is not known here."""
    return next((kind for kind in KINDS if kind.is_of(partition)), None)


def get_known_kind(partition: str) -> IndexKind:
    """The kind of a metadata partition that was checked to be of one."""
    kind = kind_of(partition)
    assert kind is not None, partition
    return kind


def group_prefix(partition: str) -> str:
    """The prefix before the number in the ids of a metadata partition's file groups."""
    return get_known_kind(partition).group_prefix or f"{partition.replace('_', '-')}-"


def kinds_of(partitions: Iterable[str]) -> list[IndexKind]:
    """The kinds of some metadata partitions, as far as they are known here."""
    return [kind for partition in partitions if (kind := kind_of(partition)) is not None]


def build_order(partition: str) -> tuple[int, str]:
    """A key by which metadata partitions sort in the order in which they are made."""
    kind = kind_of(partition)
    return (len(KINDS) if kind is None or kind.is_named else KINDS.place_of(kind), partition)


def of_kind(kind: IndexKind, partitions: Iterable[str]) -> list[str]:
    """The partitions of one kind among some, in order."""
    return sorted(filter(kind.is_of, partitions))


def dependents(partition: str, there: Collection[str]) -> set[str]:
    """The partitions among some that have no meaning without one: without the list of files none has."""
    if has_listing([partition]):
        return set(there)
    needing = [kind for kind in KINDS if kind.needs == partition]
    return {other for other in there if any(kind.is_of(other) for kind in needing)}


def has_listing(partitions: Iterable[str]) -> bool:
    """Whether the list of files is among metadata partitions: to make or to remove it is to do so with the metadata table."""
    return any(kind.lists_files for kind in kinds_of(partitions))


def has_named(partitions: Iterable[str]) -> bool:
    """Whether one of these metadata partitions is of an index that has a name and a definition of its own."""
    return any(kind.is_named for kind in kinds_of(partitions))


def beside_listing(partitions: Iterable[str]) -> list[str]:
    """The metadata partitions but for the list of files, in their order."""
    return [partition for partition in partitions if not has_listing([partition])]


def locates_keys(partitions: Iterable[str]) -> bool:
    """Whether one of these metadata partitions has the place of each record key."""
    return any(kind.locates_keys for kind in kinds_of(partitions))


def stores_filters(partitions: Iterable[str]) -> bool:
    """Whether one of these metadata partitions has the bloom filters of base files."""
    return any(kind.stores_filters for kind in kinds_of(partitions))


def has_statistics(partitions: Iterable[str]) -> bool:
    """Whether one of these metadata partitions has statistics of columns of each file."""
    return any(kind.has_statistics for kind in kinds_of(partitions))


def has_whole_partitions(partitions: Iterable[str]) -> bool:
    """Whether one of these metadata partitions has records of whole partitions of the table."""
    return any(kind.has_whole_partitions for kind in kinds_of(partitions))

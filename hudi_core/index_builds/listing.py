"""The indexes of a table: definition, state and size of each. Rule META-98."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from hudi_core.commit.heartbeat import is_alive
from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import FileInfo
from hudi_core.errors import TableError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.index_builds.removal import find_left_over
from hudi_core.index_kinds.planned_builds import list_planned_builds
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.expressions import describe_value
from hudi_core.metadata.kinds import build_order, kind_of
from hudi_core.metadata.table import METADATA_FOLDER, MetadataTable, open_metadata_table
from hudi_core.notebook import show_briefly
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import READING_INDEXES, Tally


class IndexState(StrEnum):
    """Whether an index may be used."""

    READY = "ready"
    BUILDING = "building"
    """A build is running."""
    UNFINISHED = "unfinished"
    """Files left by a dead build, or by writers that did not maintain them."""
    DAMAGED = "damaged"
    """Missing, behind the table, or with unusable files."""


@show_briefly
@dataclass(frozen=True, slots=True)
class Index:
    """An index: a partition of the metadata table. `columns` are those that it covers, by dotted name; `state` says whether
    queries use it.
    """

    kind: str
    name: str
    columns: tuple[str, ...]
    state: IndexState
    file_groups: int
    bytes: int
    """The size of the files that readers use, or of all files where readers' files cannot be determined."""
    problem: str | None = None
    """The damage of a damaged one."""
    function: str | None = None
    """The expression of an expression index as SQL, after what is recorded of its values."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, as the command line shows them."""
        return {**asdict(self), "columns": list(self.columns), "state": self.state.value}


def indexes(table: Table, *, clock: Clock = system_clock, tally: Tally | None = None) -> list[Index]:
    """The indexes of a table as it is now, those that build statistics first. `tally` gets how many of them are read. Raises
    `StorageError`."""
    table = refreshed(table)
    return list(_indexes(table, clock, tally or Tally()))


def _indexes(table: Table, clock: Clock, tally: Tally) -> Iterator[Index]:
    definitions = index_definitions(table.storage, table.config)
    metadata: MetadataTable | None = None
    problem: str | None = None
    try:
        metadata = open_metadata_table(table.storage, table.config, table.timeline)
    except TableError as error:
        problem = str(error)
    builds = list_planned_builds(table.timeline)
    alive = {
        name
        for build in builds
        for name in build.partitions
        if not build.own or is_alive(table.storage, build.instant.requested_time, clock())
    }
    planned = {name for build in builds for name in build.partitions}
    ready = set(table.config.metadata_partitions)
    names = sorted(ready | table.config.kept_partitions | planned | find_left_over(table), key=build_order)
    tally.enter(READING_INDEXES, len(names))
    for name in names:
        if name in ready and metadata is not None:
            yield _ready(metadata, name, definitions.get(name))
            tally.add(done=1)
            continue
        state = IndexState.BUILDING if name in alive else IndexState.UNFINISHED
        files = table.storage.list(f"{METADATA_FOLDER}/{name}")
        yield Index(
            _kind(name, definitions),
            name,
            _columns(definitions.get(name)),
            IndexState.DAMAGED if name in ready else state,
            len({group for file in files if (group := _file_id(file)) is not None}),
            sum(file.size for file in files),
            problem if name in ready else None,
            _function(name, definitions.get(name)),
        )
        tally.add(done=1)


def _ready(metadata: MetadataTable, name: str, definition: IndexDefinition | None) -> Index:
    kind = _kind(name, {} if definition is None else {name: definition})
    files = metadata.storage.list(f"{METADATA_FOLDER}/{name}")
    try:
        slices = metadata.slices(name)
    except TableError as error:
        size = sum(file.size for file in files)
        columns, function = _columns(definition), _function(name, definition)
        return Index(kind, name, columns, IndexState.DAMAGED, 0, size, str(error), function)
    size = sum(file.size for group in slices for file in group.files)
    return Index(
        kind, name, _columns(definition), IndexState.READY, len(slices), size, function=_function(name, definition)
    )


def _kind(name: str, definitions: Mapping[str, IndexDefinition]) -> str:
    kind = kind_of(name)
    if kind is None:
        return name
    if kind.can_be_partitioned and name in definitions and definitions[name].is_partitioned:
        return kind.partitioned_name
    return kind.name


def _function(name: str, definition: IndexDefinition | None) -> str | None:
    kind = kind_of(name)
    if kind is None or not kind.has_function or definition is None or len(definition.columns) != 1:
        return None
    return f"{definition.kind} of {describe_value(definition)}"


def _columns(definition: IndexDefinition | None) -> tuple[str, ...]:
    return () if definition is None else definition.columns


def _file_id(file: FileInfo) -> str | None:
    parsed = parse_base_file(file.name) or parse_log_file(file.name)
    return None if parsed is None else parsed.file_id

"""`Subject`: the table under validation. What several checks need is looked up once, and from storage itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import FileInfo
from hudi_core.errors import SchemaError, TableError
from hudi_core.formats.names import METADATA_BOOTSTRAP, parse_base_file, parse_log_file
from hudi_core.metadata.table import METADATA_FOLDER, MetadataTable, open_metadata_table
from hudi_core.paths import join_paths
from hudi_core.planning.sources.sources import Sources
from hudi_core.portable import Portable
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.snapshot.snapshot import Resolved, Snapshot, list_files
from hudi_core.table.table import Table
from hudi_core.timeline.commits import CommitMetadata
from hudi_core.timeline.files import FileList
from hudi_core.timeline.instants import CLEAN, Instant
from hudi_core.timeline.services import clean_plan


@dataclass(frozen=True, slots=True)
class DataFile:
    """A base file or log file in a folder of the table. `instant` is the one in its name."""

    partition: str
    info: FileInfo
    file_id: str
    instant: str
    is_log: bool
    is_cdc: bool = False
    """A log of changes."""


@dataclass(frozen=True)
class Subject(Portable):
    """A table, with what checks need of it. Data files are those that folders list, whatever the metadata table lists."""

    table: Table
    clock: Clock = system_clock

    @property
    def root(self) -> str:
        return self.table.storage.uri

    @property
    def stores_keys(self) -> bool:
        """Whether base files have the keys of their rows, in the meta columns."""
        return self.table.config.populate_meta_fields

    @cached_property
    def snapshot(self) -> Snapshot:
        """The latest state by listing folders."""
        table = self.table
        return Snapshot(
            table.engine,
            table.storage,
            table.config,
            table.timeline,
            table.timeline,
            MetadataMode.OFF,
            resolved=Resolved(listing=self.listing),
        )

    @cached_property
    def schema(self) -> Schema | None:
        """The table's schema; None where the timeline does not have one."""
        try:
            return self.snapshot.schema
        except (SchemaError, TableError):
            return None

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.snapshot)

    @cached_property
    def listing(self) -> FileList:
        """All files of the table's folders, without Hudi's own folder."""
        return list_files(self.table.storage)

    @cached_property
    def sizes(self) -> Mapping[str, Mapping[str, int]]:
        """Sizes of files by name, by partition."""
        return self.listing.by_name()

    def data_files(self) -> Iterator[DataFile]:
        """The base files and log files that folders list."""
        for partition, info in self.listing.infos():
            file = data_file(partition, info)
            if file is not None:
                yield file

    @cached_property
    def cleaned(self) -> Mapping[str, Instant]:
        """Files that are gone, by path, with the clean that deleted them and is not completed: until it is, the metadata table
        has their records. Plans that cannot be read are left to the check of the timeline."""
        gone: dict[str, Instant] = {}
        for instant in self.table.timeline.pending:
            if instant.action != CLEAN:
                continue
            try:
                planned = clean_plan(self.table.timeline, instant).list_deleted()
            except TableError:
                continue
            for partition, names in planned.items():
                there = self.sizes.get(partition, {})
                gone.update((join_paths(partition, name), instant) for name in names if name not in there)
        return gone

    def counts(self, file: DataFile) -> bool:
        """Whether the file is of a completed write. In layout 1 a log file has the time of its slice, which may be one that is
        planned."""
        if file.is_log and self.table.timeline.layout == 1:
            return True
        return file.instant == METADATA_BOOTSTRAP or self.table.timeline.is_committed(file.instant)

    @cached_property
    def live(self) -> frozenset[str]:
        """The paths of the files that the latest slices are made of."""
        return frozenset(file.path for file_slice in self.snapshot.slices for file in file_slice.files)

    @cached_property
    def commits(self) -> tuple[tuple[Instant, CommitMetadata], ...]:
        """The completed writes of the active timeline with their metadata; those whose metadata is lost are left to the check of
        the timeline."""
        return tuple(self._commits())

    def _commits(self) -> Iterator[tuple[Instant, CommitMetadata]]:
        for instant in self.table.timeline.commits:
            if instant.size == 0:
                continue
            try:
                yield instant, self.table.timeline.metadata(instant)
            except TableError:
                continue

    @cached_property
    def _opened_metadata(self) -> MetadataTable | TableError | None:
        try:
            return open_metadata_table(self.table.storage, self.table.config, self.table.timeline)
        except TableError as error:
            return error

    @property
    def metadata(self) -> MetadataTable | None:
        """The metadata table; None where there is none that can be opened."""
        opened = self._opened_metadata
        return opened if isinstance(opened, MetadataTable) else None

    @property
    def metadata_problem(self) -> TableError | None:
        """Why the metadata table cannot be opened."""
        opened = self._opened_metadata
        return opened if isinstance(opened, TableError) else None

    def find_index(self, partition: str) -> MetadataTable | None:
        """The metadata table where it has this partition."""
        metadata = self.metadata
        return metadata if metadata is not None and partition in metadata.partitions else None

    def metadata_path(self, partition: str) -> str:
        return f"{METADATA_FOLDER}/{partition}"


def data_file(partition: str, info: FileInfo) -> DataFile | None:
    """The data file of this name; None for files of other kinds."""
    base = parse_base_file(info.name)
    if base is not None:
        return DataFile(partition, info, base.file_id, base.instant, is_log=False)
    log = parse_log_file(info.name)
    if log is None:
        return None
    return DataFile(partition, info, log.file_id, log.instant, is_log=True, is_cdc=log.is_cdc)

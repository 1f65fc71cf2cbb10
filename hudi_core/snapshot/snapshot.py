"""`Snapshot`: a table at an instant: its schema, file slices and metadata, each looked up when first needed.

Without the metadata table, its files are those that listing the folders gives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.strings import string_list
from hudi_core.engine import Engine, FileInfo, Storage
from hudi_core.errors import ConflictError, CorruptFileError, NoSuchFileError, TableError, UnsupportedError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import IndexKind, beside_listing, has_listing, has_named, kind_of, locates_keys
from hudi_core.metadata.table import (
    COLUMN_STATS,
    FILES,
    METADATA_FOLDER,
    PARTITION_STATS,
    MetadataTable,
    expect_metadata_table,
    open_metadata_table,
)
from hudi_core.options import FOLDER, HASHING_FOLDER, HASHING_SUFFIX, UNRELEASED_VERSION, TableConfig
from hudi_core.portable import Portable
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.complete_listing import refuse_incomplete
from hudi_core.snapshot.external_files import refuse_external
from hudi_core.snapshot.footer_cache import FooterCache
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.timeline.files import SCHEMA_FOLDER, FileList, files_in
from hudi_core.timeline.history import history_of
from hudi_core.timeline.instants import time_order
from hudi_core.timeline.recorded_logs import with_recorded_sizes
from hudi_core.timeline.schemas import SchemaHistory, schema_history
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slice_building import latest_slices, read_archived_replacements, visibility
from hudi_core.timeline.slices import Slices
from hudi_core.timeline.timeline import Timeline, timeline_in

if TYPE_CHECKING:
    from hudi_core.snapshot import time_travel
    from hudi_core.timeline import moved_instants
else:
    moved_instants = ModuleByNeed("hudi_core.timeline.moved_instants")  # few tables have files of unknown writes
    time_travel = ModuleByNeed("hudi_core.snapshot.time_travel")  # most tables are not changed while they are open

_SHORTEST: Final = 14
"""Digits of an instant; files of others may have a number in its place."""


def list_files(storage: Storage) -> FileList:
    """A recursive listing, without Hudi's own folder. Holds files of every kind."""
    by_folder: dict[str, list[FileInfo]] = {}
    for info in storage.list("", recursive=True, without=FOLDER):
        by_folder.setdefault(info.path.rpartition("/")[0], []).append(info)
    return files_in(by_folder)


@dataclass(frozen=True, slots=True)
class Resolved:
    """Parts of a snapshot that are known where it is made: they are not looked up again."""

    history: SchemaHistory | None = None
    listing: FileList | None = None
    slices: Slices | None = None
    metadata: MetadataTable | None = None


def announce_snapshot(
    storage: Storage, config: TableConfig, mode: MetadataMode, *, statistics: bool, commits: bool = False
) -> frozenset[str]:
    """Announces to remote storage what `Snapshot.expect` asks for whatever the timeline has, to be fetched beside it; with
    `commits` also what the metadata table's part of a commit is made of. Gives what it announced, for that method."""
    if not storage.is_remote:
        return frozenset()
    partitions = _list_expected(config, mode, statistics=statistics)
    if partitions:
        expect_metadata_table(storage, config, partitions)
    looks_up = statistics and locates_keys(config.kept_partitions)  # writes ask whether the record index is partitioned
    is_defined = commits or looks_up or has_named(config.metadata_partitions)
    indexes = beside_listing(config.kept_partitions) if commits else []
    storage.expect(
        folders=[SCHEMA_FOLDER, *(f"{METADATA_FOLDER}/{partition}" for partition in indexes)],
        files=[config.index_definitions_path] if partitions and is_defined else [],
    )
    return frozenset((SCHEMA_FOLDER, *partitions))


def _list_expected(config: TableConfig, mode: MetadataMode, *, statistics: bool) -> set[str]:
    """The metadata partitions that a list of slices is made of, and with `statistics` those with statistics of files."""
    if mode is MetadataMode.OFF or not has_listing(config.metadata_partitions):
        return set()
    return {FILES, *((COLUMN_STATS, PARTITION_STATS) if statistics else ())} & set(config.metadata_partitions)


def resolve_listing(timeline: Timeline) -> Resolved:
    """The listing of a table where no write is known; nothing otherwise. Raises `CorruptFileError` where it has files of writes:
    the timeline is lost, and none of their rows would come."""
    if timeline.files:
        return Resolved()
    storage, files = timeline.storage, list_files(timeline.storage)
    first = next((row for row, name in enumerate(string_list(files.names)) if _is_of_write(name)), None)
    # A first write, since the timeline was listed, requests its instant before it writes a file.
    if first is not None and not timeline_in(storage, timeline.folder, timeline.layout).files:
        expected = "instants of the writes whose files the table has"
        found = f"none, beside {files.info(first).path}"
        raise CorruptFileError(f"{storage.uri}/{timeline.folder}", expected=expected, found=found)
    return Resolved(listing=files)


def _is_of_write(name: str) -> bool:
    file = parse_base_file(name) or parse_log_file(name)
    return file is not None and len(file.instant) >= _SHORTEST


@dataclass(frozen=True)
class Snapshot(Portable):
    """A table at one instant, as queries see it. Nothing is read before it is needed, and nothing twice.

    `timeline` is cut at the instant, `whole` is not; `named_by` gives the schemas, when that is another. What goes wrong with
    the metadata table is added to `warnings`, or raised when it is required. With `read_optimized` the slices are base files
    alone: rows as of their last compaction. A copy has the schemas and slices that were looked up.
    """

    engine: Engine[Any, Any, Any]
    storage: Storage
    config: TableConfig
    whole: Timeline
    timeline: Timeline
    mode: MetadataMode
    named_by: Timeline | None = None
    warnings: list[str] = field(default_factory=list, compare=False)
    footer_cache: FooterCache | None = field(default=None, compare=False)
    earlier: MetadataTable | None = field(default=None, repr=False, compare=False)
    """The metadata table as it was read before."""
    read_optimized: bool = False
    resolved: Resolved = Resolved()
    _announced: set[str] = field(default_factory=set, repr=False, compare=False)
    """What was announced to the storage: each answer is given once."""

    def __repr__(self) -> str:
        """One line; nothing is read for it."""
        latest = self.timeline.commits[-1].requested_time if self.timeline.commits else "none"
        return f"Snapshot of {self.config.name}: {len(self.timeline.commits):,} commits, latest {latest}"

    def as_arguments(self) -> dict[str, Any]:
        looked_up = vars(self)
        history = looked_up.get("history", self.resolved.history)
        slices = looked_up.get("slices", self.resolved.slices)
        return super().as_arguments() | {"resolved": replace(self.resolved, history=history, slices=slices)}

    def with_files(self, timeline: Timeline, listing: FileList) -> Snapshot:
        """These files as another cut of the timeline sees them, under the same schemas."""
        return replace(self, timeline=timeline, resolved=Resolved(self.history, listing))

    def without_slices(self) -> Snapshot:
        """The snapshot with its schemas alone, to be sent where some of its slices are examined. What this machine keeps of
        footers stays here."""
        return replace(
            self, named_by=None, warnings=[], footer_cache=None, earlier=None, resolved=Resolved(self.history)
        )

    def of_slices(self, slices: Slices, metadata: MetadataTable | None = None) -> Snapshot:
        """The snapshot as if it had these slices alone, with warnings of its own. It lists nothing."""
        return replace(self, warnings=[], resolved=replace(self.resolved, slices=slices, metadata=metadata))

    def take_schema_of(self, time: str) -> Snapshot:
        """The same files under the schema that writes requested by a time gave the table; itself where that is its schema still,
        or nothing is known of it. Rule COMMIT-1545."""
        commits = self.timeline.commits
        if not commits or time_order(commits[-1].requested_time) <= time_order(time):
            return self
        named_by = self.timeline.as_of(time)
        named_by = named_by if named_by.commits else named_by.with_archived()
        if not named_by.commits:
            return self
        then = replace(self, named_by=named_by, resolved=replace(self.resolved, history=None))
        return self if then.schema.record == self.schema.record else then

    @cached_property
    def history(self) -> SchemaHistory:
        """The schemas the table's files were written under, with the ids of one life."""
        if self.resolved.history is not None:
            return self.resolved.history
        return schema_history(self.named_by or self.timeline, self.config, self._footer_schema)

    @property
    def schema(self) -> Schema:
        """The table's schema at the instant, the meta columns first."""
        return self.history.latest

    @cached_property
    def metadata(self) -> MetadataTable | None:
        """The metadata table, if there is one that may be used. Where it is damaged: a warning, or an error if required."""
        if self.resolved.metadata is not None:
            return self.resolved.metadata
        if self.mode is MetadataMode.OFF:
            return None
        try:
            metadata = open_metadata_table(self.storage, self.config, self.whole, self.earlier)
        except TableError as error:
            self.warn_or_raise(error)
            return None
        if metadata is None and self.mode is MetadataMode.REQUIRE:
            raise UnsupportedError(self.storage.uri, expected="a metadata table", found="none")
        return metadata

    def expect(self, *, statistics: bool, announced: Collection[str] = (), is_listed: bool = False) -> None:
        """On remote storage, begins to fetch what the list of slices is made of, and with `statistics` the statistics of all
        files; `announced` is what `announce_snapshot` gave before the timeline was read. Where folders are listed for that, this
        begins only where it `is_listed` for certain."""
        if not self.storage.is_remote or "slices" in vars(self) or self.resolved.slices is not None:
            return
        partitions = _list_expected(self.config, self.mode, statistics=statistics) - self._announced
        if not self._announced:
            if not {SCHEMA_FOLDER, *partitions}.issubset(announced):
                announce_snapshot(self.storage, self.config, self.mode, statistics=statistics)
            (self.named_by or self.timeline).expect_contents(self.timeline.commits)
            if is_listed and not partitions and self.resolved.listing is None:
                self.storage.expect(trees=[""])
        self._announced.update((SCHEMA_FOLDER, *partitions))
        if partitions and self.metadata is not None:
            try:
                self.metadata.expect(partitions)
            except TableError as error:
                self.warn_or_raise(error)

    @property
    def metadata_read(self) -> MetadataTable | None:
        """The metadata table if it was opened."""
        metadata: MetadataTable | None = vars(self).get("metadata")
        return metadata

    @cached_property
    def listing(self) -> FileList:
        """The data files of each partition."""
        if self.resolved.listing is not None:
            return self.resolved.listing
        return list_files(self.storage) if self._recorded_listing is None else self._recorded_listing

    @cached_property
    def _recorded_listing(self) -> FileList | None:
        """The data files that the metadata table lists, with the sizes that it records; None where it cannot."""
        if self.metadata is not None:
            try:
                files = self.metadata.files()
                if self.config.version == UNRELEASED_VERSION:
                    refuse_incomplete(files, self.whole, self.storage.uri)
                return files
            except TableError as error:
                self.warn_or_raise(error)
        return None

    @cached_property
    def as_listed(self) -> Timeline:
        """The timeline when the files were listed, whole: what has removed files since `whole` was read is in it. It is listed
        after the files, unless these are recorded in a metadata table that has nothing later."""
        if self.resolved.listing is not None:
            return self.whole
        is_recorded = self.listing is self._recorded_listing
        if is_recorded and self.metadata is not None and not self.metadata.may_be_later_than(self.whole):
            return self.whole
        now = self.whole.list_again()
        return now if now is self.whole else replace(now, history=history_of(self.engine, self.storage, self.config))

    @cached_property
    def slices(self) -> Slices:
        """The latest slice of each live file group, by partition and file id. Log files have the sizes that the table records,
        where it does: other sizes are damage (rule LOG-260). Raises `ConflictError` where files were removed that were current
        when the timeline was read, `CorruptFileError` where a change of the table's version stopped half-way (TIME-1547)."""
        slices = self.resolved.slices
        if slices is None:
            visible = replace(visibility(self.timeline), replaced_before=self._find_replaced_before)
            if not self.stores_keys:  # registered files have no meta columns
                refuse_external(self.listing, self.timeline, self.storage.uri, listed=self._recorded_listing is None)
            slices = latest_slices(self.listing, visible)
            if unknown := self.whole.list_unknown(slices.instants, archived=not self.storage.is_remote):
                moved_instants.refuse_moved(self.whole, self.config, unknown)
            if self.as_listed is not self.whole:
                time_travel.refuse_removed(self.whole, self.timeline, self.as_listed, slices)
            if not self.read_optimized and (self.resolved.listing is not None or self._recorded_listing is None):
                slices = with_recorded_sizes(slices, self.timeline)
        return slices.without_logs() if self.read_optimized else slices

    @contextmanager
    def refuse_missing(self) -> Iterator[None]:
        """Raises `ConflictError` in place of `NoSuchFileError` where the timeline has changed since it was read: the file was
        cleaned away, most likely, and the table as it is now does not need it. QUERY-1460."""
        try:
            yield
        except NoSuchFileError as error:
            if self.whole.list_again() is self.whole:
                raise
            expected = "the files as when the table was opened"
            found = f"{error.where} gone, after other changes; refresh the table"
            raise ConflictError(self.storage.uri, expected=expected, found=found) from error

    def _find_replaced_before(self, instants: Collection[str]) -> Mapping[FileGroup, str]:
        """File groups that archived replace commits took away. Writers clean them away before they archive: damage in the
        history is no reason to refuse the table."""
        try:
            return read_archived_replacements(self.timeline, instants)
        except TableError as error:
            warning = f"{error}; file groups replaced before {self.timeline.start} may be read"
            if warning not in self.warnings:
                self.warnings.append(warning)
            return {}

    @cached_property
    def has_hashing_nodes(self) -> bool:
        """Whether file groups are nodes of consistent hashing. Their file ids look like any, so the folder of the first slice's
        partition tells. Rule INDEX-576."""
        folder = self._hashing_folder
        return folder is not None and any(info.name.endswith(HASHING_SUFFIX) for info in self.storage.list(folder))

    @cached_property
    def definitions(self) -> Mapping[str, IndexDefinition]:
        """The definitions of the table's indexes, by metadata partition. Raises as `index_definitions`."""
        return index_definitions(self.storage, self.config)

    def expect_hashing_nodes(self) -> None:
        """On remote storage, begins to look whether there are any."""
        if self.storage.is_remote and "has_hashing_nodes" not in vars(self) and self._hashing_folder is not None:
            self.storage.expect(folders=[self._hashing_folder])

    @property
    def _hashing_folder(self) -> str | None:
        return f"{HASHING_FOLDER}/{self.slices[0].partition}".rstrip("/") if self.slices else None

    @property
    def stores_keys(self) -> bool:
        """The meta columns, their bounds and the bloom filters of base files describe the record keys of rows.

        With virtual keys they mean nothing: some writers leave these columns null, others fill them with empty strings.
        """
        return self.config.populate_meta_fields

    def usable(self, partition: str) -> MetadataTable | None:
        """The metadata table when this partition of it may be used."""
        return self.metadata if partition in self._usable_partitions else None

    @cached_property
    def _usable_partitions(self) -> frozenset[str]:
        """Places of keys are in log files too, which may be left out; filters are of keys that base files store."""
        if self.metadata is None:
            return frozenset()
        kept = ((partition, kind_of(partition)) for partition in self.metadata.partitions)
        return frozenset(partition for partition, kind in kept if kind is None or self._may_use(kind))

    def _may_use(self, kind: IndexKind) -> bool:
        return not (kind.locates_keys and self.read_optimized) and not (kind.stores_filters and not self.stores_keys)

    def warn_or_raise(self, error: TableError) -> None:
        """Handles a part of the metadata table that cannot be used: warns, or raises when it is required."""
        if self.mode is MetadataMode.REQUIRE:
            raise error
        message = f"{error}; listing folders and reading footers instead"
        if message not in self.warnings:
            self.warnings.append(message)

    def _footer_schema(self, file: FileInfo) -> Schema:
        """The schema in a base file's footer."""
        return self.engine.reader(file.extension).open(self.storage, file).footer.schema

"""`MetadataTable`: the metadata table of a table, opened; which of its instants count, and the contents of its partitions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Numbers
from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.hashes import file_group_indexes, xxh64_id
from hudi_core.columns.strings import utf8_column
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.log import LogBlock
from hudi_core.formats.properties import parse_properties
from hudi_core.metadata.definitions import waits_for_rows
from hudi_core.metadata.file_keys import FileKeys, hash_keys, keys_beside
from hudi_core.metadata.files import live_files
from hudi_core.metadata.kinds import BLOOM_FILTERS as BLOOM_FILTERS
from hudi_core.metadata.kinds import COLUMN_STATS as COLUMN_STATS
from hudi_core.metadata.kinds import FILES as FILES
from hudi_core.metadata.kinds import PARTITION_STATS as PARTITION_STATS
from hudi_core.metadata.kinds import RECORD_INDEX as RECORD_INDEX
from hudi_core.metadata.lookup import LookupResult, newest
from hudi_core.metadata.records import (
    FileGroup,
    MetadataRecords,
    Piece,
    Place,
    RecordBatch,
    open_group,
    read_groups,
    read_pieces,
    read_pieces_for,
    together,
)
from hudi_core.metadata.statistics import (
    FILE_KEY,
    PARTITION_KEY,
    PREFIXED_PARTITION_KEY,
    RecordedStatistics,
    extend,
    read_statistics,
)
from hudi_core.metadata.written import LostFile, expect_written, find_lost_files
from hudi_core.options import FOLDER, NEW_TIMELINE_FOLDER, PROPERTIES_PATH, TableConfig, table_config
from hudi_core.portable import Portable
from hudi_core.timeline.files import FileList, files_in, read_if_there
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.recorded_logs import knows_writers, lacks_written
from hudi_core.timeline.slice_building import Visibility, latest_slices
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline, timeline_in

if TYPE_CHECKING:
    from hudi_core.timeline import moved_instants
else:
    moved_instants = ModuleByNeed("hudi_core.timeline.moved_instants")  # few metadata tables lack a write

METADATA_FOLDER = f"{FOLDER}/metadata"
_PROPERTIES = f"{METADATA_FOLDER}/{PROPERTIES_PATH}"


MadeOf = Mapping[str, tuple[Place, ...]]
"""The sources of each file group, by file id."""


@dataclass(frozen=True, slots=True)
class CachedStatistics:
    """Statistics of a column, and what they were read from."""

    statistics: tuple[RecordedStatistics, ...]
    made_of: MadeOf


@dataclass(frozen=True, slots=True)
class EarlierReads:
    """The cached content of a metadata table: file groups by partition and file id, statistics by partition and column, and the
    keys of files."""

    groups: dict[tuple[str, str], FileGroup] = field(default_factory=dict)
    statistics: dict[tuple[str, str], CachedStatistics] = field(default_factory=dict)
    keys: FileKeys | None = None


@dataclass(frozen=True)
class MetadataTable(Portable):
    """The metadata table as of its latest completed instant. What is read is kept.

    An instant of it counts when it is completed here and not pending on the data table's timeline: a write completes here
    first. `partitions` are those that may be used.
    """

    storage: Storage
    config: TableConfig
    timeline: Timeline
    partitions: frozenset[str]
    pending: frozenset[str]
    """Requested times that are pending on the data table's timeline."""
    definitions_path: str
    """The file of the definitions of the data table's indexes."""
    _listings: dict[str, list[FileInfo]] = field(default_factory=dict, repr=False, compare=False)
    """Files of partitions that were listed beside the timeline and not used yet."""
    _slices: dict[str, list[FileSlice]] = field(default_factory=dict, repr=False, compare=False)
    _cut: dict[str, LostFile] = field(default_factory=dict, repr=False, compare=False)
    """Files of listed partitions that are of another size than their write records, by path."""
    _groups: dict[tuple[str, str], FileGroup] = field(default_factory=dict, repr=False, compare=False)
    _statistics: dict[tuple[str, str], tuple[RecordedStatistics, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _made_of: dict[tuple[str, str], MadeOf] = field(default_factory=dict, repr=False, compare=False)
    """The sources that the statistics of a column were read from."""
    _keys: list[FileKeys] = field(default_factory=list, repr=False, compare=False)
    """The keys that were looked up last, if any were."""
    earlier: EarlierReads = field(default_factory=EarlierReads, repr=False, compare=False)
    """The cached content of an earlier time, as far as it was not needed yet."""
    chosen_files: NDArray[np.bytes_] | None = field(default=None, compare=False)
    """The files whose statistics are read, by the part of their keys after the column, ascending; None: all."""

    def of_files(self, keys: NDArray[np.bytes_]) -> MetadataTable:
        """The metadata table, but of `column_stats` and expression indexes only blocks are read that can hold records of these
        files, by the part of their keys after the column, in any order. Records of other files are not whole."""
        return MetadataTable(**self.as_arguments() | {"chosen_files": np.unique(keys)})

    def has_not_changed(self) -> bool:
        """Whether its timeline still has the same instants; lists it."""
        return timeline_in(self.storage, self.timeline.folder, self.config.layout).files == self.timeline.files

    def may_be_later_than(self, data: Timeline) -> bool:
        """Whether its listing of files may be of a later state than a timeline of the data table, whole, which was read before:
        something completed here after all that this timeline has, or the metadata table was built since, and so lacks the latest
        write. A change of the data table completes here before it completes there."""
        if not data.completed:
            return True
        known = max(map(_completion_order, data.completed))
        here = {instant.requested_time for instant in self.timeline.commits}
        is_later = any(_completion_order(instant) > known for instant in self.timeline.completed)
        return is_later or bool(data.commits and data.commits[-1].requested_time not in here)

    def counts(self, requested_time: str) -> bool:
        """What was written at this instant counts."""
        return self.timeline.is_committed(requested_time) and requested_time not in self.pending

    def slices(self, partition: str) -> list[FileSlice]:
        """The latest slice of each file group of a metadata partition, by file id.

        Raises `CorruptFileError` when there is none, unless the partition waits for rows, and when a file is not there that
        instants recorded. One that was cut counts against its own group, when that is opened.
        """
        if partition not in self._slices:
            self._slices[partition] = self._latest_slices(partition)
        return self._slices[partition]

    def _latest_slices(self, partition: str) -> list[FileSlice]:
        listed_ahead = self._listings.pop(partition, None)
        if listed_ahead is not None:
            with suppress(CorruptFileError):  # a commit may have come between this listing and that of the timeline
                return self._check_slices(partition, listed_ahead)
        return self._check_slices(partition, self._list(partition))

    def _list(self, partition: str) -> list[FileInfo]:
        return self.storage.list(f"{METADATA_FOLDER}/{partition}")

    def _slices_among(self, partition: str, files: Sequence[FileInfo]) -> list[FileSlice]:
        visible = Visibility(
            self.timeline.layout, self.counts, self.timeline.completion_time, self.timeline.pending_compactions
        )
        return list(latest_slices(files_in({partition: files}, METADATA_FOLDER), visible))

    def _check_slices(self, partition: str, files: Sequence[FileInfo]) -> list[FileSlice]:
        folder, slices = f"{METADATA_FOLDER}/{partition}", self._slices_among(partition, files)
        if not slices and not waits_for_rows(self.storage, self.definitions_path, partition, files):
            raise CorruptFileError(f"{self.storage.uri}/{folder}", expected="file groups", found=f"{len(files)} files")
        opened = {file_slice.instant for file_slice in slices}
        present = {file.name: file.size for file in files}
        for lost in find_lost_files(self.timeline, self.counts, partition, present, opened):
            if lost.is_gone:
                raise self._damage(lost)
            self._cut[f"{METADATA_FOLDER}/{lost.path}"] = lost
        return slices

    def _damage(self, lost: LostFile) -> CorruptFileError:
        where = f"{self.storage.uri}/{METADATA_FOLDER}/{lost.path}"
        return CorruptFileError(where, expected=lost.expected, found=lost.found)

    def expect(self, partitions: Collection[str]) -> None:
        """Lists these partitions, and announces to the storage that they will be read next."""
        for partition in partitions:
            if partition not in self._slices:
                self._listings[partition] = self._list(partition)
        slices = [self._slices_among(partition, files) for partition, files in self._listings.items()]
        expect_written(self.timeline, self.counts)
        self.expect_groups([group for of_partition in slices for group in of_partition])

    def records(self, partition: str) -> MetadataRecords:
        """The records of a metadata partition, not merged yet."""
        return read_groups(self.open_groups(self.slices(partition)))

    def open_groups(self, groups: Sequence[FileSlice]) -> list[FileGroup]:
        """File groups of metadata partitions, each opened once; their files are fetched side by side."""
        self.expect_groups(groups)
        return [self.open_group(group) for group in groups]

    def expect_groups(self, groups: Sequence[FileSlice]) -> None:
        """Announces to the storage that these file groups will be opened next."""
        unread = (group for group in groups if (group.partition, group.file_id) not in self._groups)
        self.storage.expect(files=[file for group in unread for file in group.files])

    def open_group(self, group: FileSlice) -> FileGroup:
        """A file group of a metadata partition, opened once. Raises `CorruptFileError` where one of its files is not as it was
        written; other groups of the partition are not affected."""
        key = (group.partition, group.file_id)
        if key not in self._groups:
            for file in group.files:
                if (lost := self._cut.get(file.path)) is not None:
                    raise self._damage(lost)
            known = self.earlier.groups.pop(key, None)
            self._groups[key] = open_group(self.storage, group, self.counts, known, self._lacks)
        return self._groups[key]

    def _lacks(self, path: str, blocks: Sequence[LogBlock]) -> bool:
        """Whether a log file lacks records that count: unless a writer died that wrote the parts of it that are no block. Rule
        META-1520."""
        named = path.removeprefix(f"{METADATA_FOLDER}/")
        return not knows_writers(self.timeline, named) or lacks_written(self.timeline, named, blocks)

    def lookup(
        self, partition: str, keys: Collection[str], hashed: Callable[[str], str] = str
    ) -> Iterator[LookupResult]:
        """The newest records of these keys, in any order, each with the number of its key among them as they ascend.

        `hashed` gives the part of a key that chooses its file group. Where each data partition has file groups of its own,
        a key is looked for in those of all.
        """
        ordered = sorted(keys, key=str.encode)
        chosen = [
            (group, file_group_indexes([hashed(key) for key in ordered], len(group)))
            for group in siblings(self.slices(partition))
        ]
        self.expect_groups([group[place] for group, places in chosen for place in np.unique(places)])
        for group, places in chosen:
            for place in np.unique(places):
                numbers = np.flatnonzero(places == place)
                wanted = [ordered[number].encode() for number in numbers.tolist()]
                for result in newest(self.open_group(group[place]), wanted):
                    yield LookupResult(result.batch, numbers[result.keys])

    def files(self) -> FileList:
        """The files of each partition, with their sizes.

        It may list files of no completed instant of the data table.
        """
        return live_files(self.records(FILES))

    def file_keys(self, files: FileList, rows: Numbers) -> NDArray[np.bytes_]:
        """For each of these files, the part of its keys after the column; those that are known are not hashed again."""
        known = self._known_keys
        keys = hash_keys(files, rows) if known is None else keys_beside(files, rows, known)
        self._keys[:] = [FileKeys(files, rows, keys)]
        return keys

    @property
    def _known_keys(self) -> FileKeys | None:
        return self._keys[0] if self._keys else self.earlier.keys

    def column_stats(self, columns: Sequence[str]) -> dict[str, tuple[RecordedStatistics, ...]]:
        """The records of `column_stats`, by column (dotted names, as they were when the file was written)."""
        return self._record(COLUMN_STATS, columns, FILE_KEY)

    def partition_stats(self, columns: Sequence[str]) -> dict[str, tuple[RecordedStatistics, ...]]:
        """The records of `partition_stats`, by column. See rule META-19 before use: they may not cover all files of a
        partition."""
        return self._record(PARTITION_STATS, columns, PARTITION_KEY)

    def read_stated_stats(self, partition: str, columns: Sequence[str]) -> dict[str, tuple[RecordedStatistics, ...]]:
        """The records of `column_stats` or `partition_stats` of columns as they stand, trusted or not. They are not cached."""
        pieces, logs = self._records_of_columns(partition, columns)
        key_size = FILE_KEY if partition == COLUMN_STATS else PARTITION_KEY
        return read_statistics(logs, columns, key_size, pieces, as_stated=True)

    def expression_stats(self, index: str, column: str) -> tuple[RecordedStatistics, ...]:
        """The records of an expression index, a metadata partition: statistics of its function of a column, for each file."""
        if (index, column) not in self._statistics:
            pieces, logs = self._records_of_values(index, column, FILE_KEY)
            recorded = read_statistics(logs, [column], FILE_KEY, pieces, nulls_apart=True)
            self._statistics[index, column] = recorded[column]
        return self._statistics[index, column]

    def read_stated_values(
        self, index: str, column: str, *, of_partitions: bool = False
    ) -> tuple[RecordedStatistics, ...]:
        """What the expression index states of its function of a column, also what is not to be trusted: of files, or of whole
        partitions, whose keys have a prefix. It is not kept."""
        key_size = PREFIXED_PARTITION_KEY if of_partitions else FILE_KEY
        pieces, logs = self._records_of_values(index, column, key_size)
        return read_statistics(logs, [column], key_size, pieces, nulls_apart=True, as_stated=True)[column]

    def _records_of_values(self, index: str, column: str, key_size: int) -> tuple[list[Piece], MetadataRecords]:
        """The records of an expression index whose keys have this size."""
        pieces, logs = self._records_of_columns(index, [column])
        of_logs = replace(logs, batches=[_with_keys(batch, key_size) for batch in logs.batches])
        return [partial(_piece_with_keys, piece, key_size) for piece in pieces], of_logs

    def _record(
        self, partition: str, columns: Sequence[str], key_size: int
    ) -> dict[str, tuple[RecordedStatistics, ...]]:
        missing = [column for column in columns if (partition, column) not in self._statistics]
        if missing and partition in self.partitions:
            groups = self.slices(partition)
            opened = self.open_groups(groups)
            made_of = {group.file_id: group_slice.sources for group, group_slice in zip(groups, opened, strict=True)}
            for column in missing:
                recorded = self._extend(partition, column, key_size, made_of)
                if recorded is not None:
                    self._statistics[partition, column] = recorded
            anew = [column for column in missing if (partition, column) not in self._statistics]
            if anew:
                pieces, logs = self._records_of_columns(partition, anew)
                for column, recorded in read_statistics(logs, anew, key_size, pieces).items():
                    self._statistics[partition, column] = recorded
            self._made_of.update(((partition, column), made_of) for column in missing)
        return {column: self._statistics.get((partition, column), ()) for column in columns}

    def _extend(
        self, partition: str, column: str, key_size: int, made_of: MadeOf
    ) -> tuple[RecordedStatistics, ...] | None:
        """Earlier statistics with log blocks that came since; None when that is not all that has changed."""
        known = self.earlier.statistics.pop((partition, column), None)
        if known is None or not known.statistics or known.made_of.keys() != made_of.keys():
            return None
        if any(made_of[file_id][: len(before)] != before for file_id, before in known.made_of.items()):
            return None
        prefix = [xxh64_id(column).encode()]
        later = [
            self.open_group(file_slice).read_logs(prefix, len(known.made_of[file_slice.file_id]))
            for file_slice in self.slices(partition)
        ]
        records = together(later)
        return extend(known.statistics, records, column, key_size) if records else known.statistics

    def reads(self) -> EarlierReads:
        """The cached content, for the metadata table as of a later time."""
        statistics = {key: CachedStatistics(self._statistics[key], made_of) for key, made_of in self._made_of.items()}
        return EarlierReads(self.earlier.groups | self._groups, self.earlier.statistics | statistics, self._known_keys)

    def _records_of_columns(self, partition: str, columns: Sequence[str]) -> tuple[list[Piece], MetadataRecords]:
        """The records of columns in a metadata partition whose keys begin with the column."""
        groups = self.open_groups(self.slices(partition))
        names = [xxh64_id(column).encode() for column in columns]
        if self.chosen_files is None or partition == PARTITION_STATS:
            return read_pieces(groups, names)
        return read_pieces_for(groups, names, utf8_column([name + key for name in names for key in self.chosen_files]))


def _with_keys(batch: RecordBatch, size: int) -> RecordBatch:
    """The records whose keys have this size."""
    return replace(batch, cells=batch.cells.take(np.flatnonzero(batch.cells.key_lengths == size)))


def _piece_with_keys(piece: Piece, size: int) -> RecordBatch:
    return _with_keys(piece(), size)


def siblings(groups: Sequence[FileSlice]) -> list[list[FileSlice]]:
    """File groups by what is before their numbers in their ids: those among which a hash chooses."""
    by_name: dict[str, list[FileSlice]] = {}
    for group in groups:
        by_name.setdefault(group.file_id.rsplit("-", 2)[0], []).append(group)
    return list(by_name.values())


def open_metadata_table(
    storage: Storage, config: TableConfig, data_timeline: Timeline, earlier: MetadataTable | None = None
) -> MetadataTable | None:
    """The metadata table of a table, as of now; None when none of its partitions may be used. What `earlier` has read of the
    same table is used again where its files are the same.

    `data_timeline` is the data table's, whole. Reads the metadata table's properties and lists its timeline. Raises
    `CorruptFileError`, `StorageError` or `UnsupportedError` when it cannot be used, also when it lags behind the table.
    """
    if FILES not in config.metadata_partitions:
        return None
    where, content = f"{storage.uri}/{_PROPERTIES}", read_if_there(storage, _PROPERTIES)
    if content is None:
        raise CorruptFileError(where, expected="properties of the metadata table", found="no such file")
    own = table_config(parse_properties(content, where), where)
    timeline = timeline_in(storage, f"{METADATA_FOLDER}/{own.timeline_folder}", own.layout)
    timeline = replace(
        timeline, zone=data_timeline.zone
    )  # its times are those of the table's writes, and are later than some
    _refuse_lagging(storage, timeline, data_timeline)
    here = {instant.requested_time for instant in timeline.commits}
    if any(instant.requested_time not in here for instant in data_timeline.commits):
        moved_instants.refuse_lacking(timeline, own, data_timeline, f"{METADATA_FOLDER}/")
    pending, partitions = data_timeline.pending_times, frozenset(config.metadata_partitions)
    if earlier is None:
        return MetadataTable(storage, own, timeline, partitions, pending, config.index_definitions_path)
    timeline = timeline.with_contents_of(earlier.timeline)
    reads = earlier.reads()
    return MetadataTable(storage, own, timeline, partitions, pending, config.index_definitions_path, earlier=reads)


def expect_metadata_table(storage: Storage, config: TableConfig, partitions: Iterable[str]) -> None:
    """Announces to the storage that `open_metadata_table` and `MetadataTable.expect` for these partitions come next."""
    timeline = f"{METADATA_FOLDER}/{NEW_TIMELINE_FOLDER if config.layout > 1 else FOLDER}"
    folders = [f"{METADATA_FOLDER}/{partition}" for partition in partitions]
    storage.expect(files=[_PROPERTIES], folders=[timeline, *folders])


def _refuse_lagging(storage: Storage, timeline: Timeline, data: Timeline) -> None:
    """Every write completes here before it completes on the table, so once one is here, the latest one is here too, unless it
    completed before the metadata table was built: one that was requested earlier may complete afterwards. Before the first one,
    no write may have come since the metadata table was built. META-97, META-1044."""
    if not data.commits:
        return
    latest = data.commits[-1]
    here = {instant.requested_time for instant in timeline.commits}
    if latest.requested_time in here:
        return
    shared = [instant.requested_time for instant in data.commits if instant.requested_time in here]
    if shared:
        built = min(map(_completion_order, timeline.completed))
        is_behind = time_order(shared[-1]) < time_order(latest.requested_time) and built < _completion_order(latest)
    else:
        is_behind = all(_completion_order(instant) < _completion_order(latest) for instant in timeline.completed)
    if is_behind:
        raise CorruptFileError(
            f"{storage.uri}/{timeline.folder}",
            expected=f"the table's latest commit {latest.requested_time}",
            found=f"{shared[-1]} as the latest" if shared else "none that came as late",
        )


def _completion_order(instant: Instant) -> str:
    """When an instant completed, as far as its timeline has it. In layout 1 a metadata table names what is built after the latest
    commit of the table."""
    return time_order(instant.completion_time or instant.requested_time)

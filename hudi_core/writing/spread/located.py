"""The second step of a spread write: ranges of keys, whose rows are located, and which of them moved decided. Rule WRITE-425.

All rows of a key are in one range, so what is decided of a key is decided there, by the rules for a whole write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.strings import take_strings
from hudi_core.data_files.spool import Spool, spool
from hudi_core.engine import Engine
from hudi_core.errors import HudiError, StorageError
from hudi_core.parallel.flow import Packet
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.distributed import RemoteTagging
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, Locations, concat_keys, take_keys
from hudi_core.tagging.tag import Tagger
from hudi_core.transactions.reports import open_reports, pack_object, report, unpack
from hudi_core.writing.bucket_places import BucketParts, BucketPlaces
from hudi_core.writing.duplicates import DuplicatePolicy, places_without_duplicates
from hudi_core.writing.incoming import Incoming
from hudi_core.writing.incoming_checks import refuse_repeated_keys
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operation_plans import upsert_places, with_deletes_in_buckets
from hudi_core.writing.read_places import locate_read_rows
from hudi_core.writing.single_places import locate_single
from hudi_core.writing.spread.cuts import KeyCuts, KeySample, Sampler
from hudi_core.writing.spread.key_sums import KeySum, check_sums
from hudi_core.writing.spread.packs import KEYS_AT_ONCE, OF_ROWS, RowPack, join_packs, pack_rows, pack_runs, take_rows
from hudi_core.writing.task_rows import Places, without_removed


@dataclass(frozen=True, slots=True, eq=False)
class SliceParts:
    """Parts for rows that were read from slices: all of a slice go to one."""

    count: int


@dataclass(frozen=True, slots=True, eq=False)
class DealRanges:
    """Rows to the ranges of their keys, or to the parts of their buckets or slices. It can be pickled."""

    cuts: KeyCuts | BucketParts | SliceParts
    engine: Engine[Any, Any, Any]
    schema: Schema
    key_sums: Mapping[int, int]
    """The sum of keys of each part."""

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        numbers = count()
        for run in check_sums(part, pack_runs(packets), self.key_sums):
            whole = run.whole
            yield from run.deal(whole, self._targets(whole), self.engine, self.schema, numbers)

    def _targets(self, whole: RowPack) -> Numbers:
        if isinstance(self.cuts, SliceParts):
            assert whole.places is not None
            return whole.places % self.cuts.count
        return self.cuts.targets(whole.keys)


@dataclass(frozen=True, slots=True, eq=False)
class RangeReport:
    """What was located in a range: rows, and keys to delete, by the slice that holds their key; new rows by partition, with a
    sample of their keys."""

    part: int
    updates: Mapping[int, int]
    leaving: Mapping[int, int]
    inserts: Mapping[str, int]
    sample: KeySample | None
    key_sum: int
    """The sum of the keys of rows and of keys that leave slices, see `key_sums`."""
    losing: frozenset[int] = frozenset()
    """Slices with rows of an update that lose to what they were, or with rows to upsert that a log file must not have."""
    repeated: frozenset[int] = frozenset()
    """Slices whose base files have several rows of a key that is deleted."""


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """The policy for rows whose key is there, and the numbers of the first row of each part of the input."""

    policy: DuplicatePolicy
    first_rows: Mapping[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class LocateRows:
    """Locates the rows of a range, or with `deletes` the keys that are to be deleted. It can be pickled."""

    tagging: RemoteTagging
    table_schema: Schema
    schema: Schema
    record_positions: bool
    deletes: bool
    lacking: frozenset[int] = frozenset()
    """The columns that the rows lack and whose stored values stay."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """The properties of the write."""
    buckets: BucketPlaces | None = None
    """The places of the keys of a table of buckets."""
    duplicates: Duplicates | None = None
    """What becomes of rows that are added and whose key is there; None for rows that are merged."""
    once: bool = False
    """A key that several rows of the table have is a `RowError`."""

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        try:
            yield from self._locate(part, packets)
        except HudiError as error:
            if isinstance(error, StorageError):
                raise
            yield report(part, error)

    def _locate(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        packs: list[RowPack] = []
        numbers: list[Numbers] = []
        for packet in packets:
            packs.append(unpack(packet))
            if self.duplicates is not None:
                numbers.append(self.duplicates.first_rows[packet.source] + packs[-1].numbers)
        if not packs:
            return
        whole, engine = join_packs(packs), self._engine
        batches = [pack.batch for pack in packs if pack.batch is not None]
        packs.clear()
        with closing(spool(engine, self.schema, batches)) as rows:
            batches.clear()
            tagger = self.tagging.tagger()
            located, repeated = Locations.nowhere(len(whole)), frozenset[int]()
            if whole.places is not None:
                located, repeated = locate_read_rows(tagger.stored, whole.keys, whole.places, deletes=self.deletes)
            elif len(self.tagging.slices) and self.deletes:
                of_keys, located, repeated = tagger.locate_every(whole.keys)
                whole = take_rows(whole, None, of_keys)
            elif len(self.tagging.slices):
                located = locate_single(tagger, whole.keys) if self.once else tagger.locate(whole.keys)
            if self.duplicates is None:
                stays = self.deletes or self.buckets is not None or whole.places is not None
                places = self._own_places(located) if stays else self._places(tagger, whole, rows, located)
            else:
                places = places_without_duplicates(
                    whole.keys, located.slices, self.duplicates.policy, whole_table=tagger.options.whole_table,
                    numbers=np.concatenate(numbers),
                )  # fmt: skip
            if whole.removes is not None:
                places = without_removed(places, whole.keys.records, whole.removes)
            if self.buckets is not None:
                incoming = self._incoming(rows, whole.keys)
                places = with_deletes_in_buckets(tagger, incoming, places, wins=whole.loses is not None)
                places = self.buckets.place(whole.keys, places)
            yield from self._packets(part, whole, rows, places)
        yield report(part, self._report(part, whole, places, repeated))

    def _own_places(self, located: Locations) -> Places:
        return Places(located.slices, located.positions if self.record_positions else None)

    def _places(self, tagger: Tagger, whole: RowPack, rows: Spool, located: Locations) -> Places:
        options = WriteOptions(record_positions=self.record_positions, properties=self.properties)
        incoming = self._incoming(rows, whole.keys)
        return upsert_places(tagger, incoming, located, options, wins=whole.loses is not None)

    def _incoming(self, rows: Spool, keys: KeyColumns) -> Incoming:
        return Incoming(self.table_schema, self.schema, rows, keys, self.lacking)

    def _packets(self, part: int, whole: RowPack, rows: Spool, places: Places) -> Iterator[Packet]:
        with_places = replace(
            whole, places=places.slices, positions=places.positions,
            new=np.zeros(len(whole), np.bool_) if places.new is None else places.new,
        )  # fmt: skip
        number = start = 0
        for batch, size in self._batches(rows, len(whole)):
            yield Packet(part, 0, part, number, pack_rows(_part(with_places, start, start + size, batch), self._engine))
            number, start = number + 1, start + size
        for slice_number, leaves in places.leaving.items():
            for first in range(0, length(leaves), KEYS_AT_ONCE):
                records = take_strings(leaves, slice(first, min(first + KEYS_AT_ONCE, length(leaves))))
                count = length(records)
                of_slice, numbers = np.full(count, slice_number, np.int64), np.zeros(count, np.int64)
                pack = RowPack(_without_partition(records), numbers, None, of_slice)
                yield Packet(part, 0, part, number, pack_object(pack))
                number += 1

    def _batches(self, rows: Spool, keys: int) -> Iterator[tuple[Any, int]]:
        """The batches of rows, or of keys alone, and how many each has."""
        if self.deletes:
            for start in range(0, keys, KEYS_AT_ONCE):
                yield None, min(KEYS_AT_ONCE, keys - start)
            return
        for batch in rows.batches:
            yield batch, self._engine.rows.count(batch)

    @property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.tagging.table.engine

    def _report(self, part: int, whole: RowPack, places: Places, repeated: frozenset[int]) -> RangeReport:
        updates, leaving = places.updates, {number: length(leaves) for number, leaves in places.leaving.items()}
        summed = KeySum()
        summed.add(whole.keys)
        for leaves in places.leaving.values():
            summed.add(_without_partition(leaves))
        if self.deletes:
            return RangeReport(part, {}, updates, {}, None, summed.value, repeated=repeated)
        new = take_keys(whole.keys, places.new_rows)
        sampler = Sampler(part)
        if len(new):
            sampler.add(new)
        counts = np.bincount(new.partitions, minlength=len(new.paths)).tolist()
        return RangeReport(
            part, updates, leaving, dict(zip(new.paths, counts, strict=True)), sampler.sample(), summed.value,
            self._losing(whole, places),
        )  # fmt: skip

    def _losing(self, whole: RowPack, places: Places) -> frozenset[int]:
        """The slices whose rows lose to what they were, and those whose log files deleted keys of new rows of a merge. Of rows to
        upsert those which would bring back deleted ones. A row that moved meets none where it goes."""
        loses = whole.loses
        if loses is None:
            return places.unlogged
        if places.deleted_in is not None:
            loses = loses | (places.deleted_in != NOWHERE)
        return frozenset(np.unique(places.slices[loses & (places.slices > NOWHERE)]).tolist())


def _without_partition(records: StringColumn) -> KeyColumns:
    return KeyColumns(records, np.zeros(length(records), np.int32), ("",))


def _part(pack: RowPack, start: int, end: int, batch: Any) -> RowPack:
    rows = np.arange(start, end, dtype=np.int64)
    chosen = {name: None if (values := getattr(pack, name)) is None else values[start:end] for name in OF_ROWS}
    return RowPack(take_keys(pack.keys, rows), pack.numbers[start:end], batch, **chosen)


@dataclass(frozen=True, slots=True, eq=False)
class CheckKeys:
    """Refuses keys that rows which are added as they are have twice. It can be pickled. `first_rows` are the numbers of the first
    row of each part of the input."""

    table: Table
    first_rows: Mapping[int, int]

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        packs = [(packet.source, unpack(packet)) for packet in packets]
        if not packs:
            return
        numbers = np.concatenate([self.first_rows[source] + pack.numbers for source, pack in packs])
        try:
            refuse_repeated_keys(self.table, concat_keys([pack.keys for _, pack in packs]), numbers)
        except HudiError as error:
            yield report(part, error)


@dataclass(frozen=True, slots=True, eq=False)
class LocatedReport:
    """What was located, of all ranges."""

    updates: Mapping[int, int]
    leaving: Mapping[int, int]
    inserts: Mapping[str, int]
    samples: Sequence[KeySample]
    losing: frozenset[int]
    repeated: frozenset[int]
    key_sums: Mapping[int, int]
    """The sum of keys of each range."""


def sum_reports(reports: Sequence[Packet]) -> LocatedReport:
    """The sum of the reports of ranges. Raises the first that is an error."""
    updates: Counter[int] = Counter()
    leaving: Counter[int] = Counter()
    inserts: Counter[str] = Counter()
    samples, losing, repeated = [], set[int](), set[int]()
    ranges = open_reports(reports)
    for of_range in ranges:
        updates.update(of_range.updates)
        leaving.update(of_range.leaving)
        inserts.update(of_range.inserts)
        losing |= of_range.losing
        repeated |= of_range.repeated
        if of_range.sample is not None:
            samples.append(of_range.sample)
    return LocatedReport(
        dict(updates), dict(leaving), dict(inserts), samples, frozenset(losing), frozenset(repeated),
        {of_range.part: of_range.key_sum for of_range in ranges},
    )  # fmt: skip

"""`tagLocation`: rows or keys in, and for each the file that holds its record. Rules INDEX-1, INDEX-19 to INDEX-21."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from hudi_core.arguments import take_count, take_fields
from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import Column, PrimitiveColumn, StringColumn, StructColumn
from hudi_core.columns.strings import string_column, take_strings
from hudi_core.engine import InputRows
from hudi_core.errors import TableError, UsageError, describe
from hudi_core.keys.records import HoodieKey, HoodieRecordGlobalLocation
from hudi_core.notebook import show_briefly
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.sources import Sources
from hudi_core.rows.exact_types import without_floats_for_texts
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.names import name_list, refuse_no_mapping
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.buckets import bucket_numbers, hash_inputs, slices_of_buckets, slices_of_nodes
from hudi_core.tagging.by_files import FileLookup, Hits
from hudi_core.tagging.by_records import LOST, RecordIndexLookup
from hudi_core.tagging.choose import Choice, IndexType, choose, filters_for
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, Locations, all_slices, slices_of_partitions
from hudi_core.tagging.key_reader import (
    PARTITION_PATH,
    RECORD_KEY,
    KeyReader,
    batches_with_keys,
    input_schema,
    key_columns,
)
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.tally import READING
from hudi_core.timeline.times import Time
from hudi_core.types import nodes as t

LOCATION = "location"
"""The column that tagging adds."""


_LOCATION = t.Record(
    (
        t.Field(1, "partition_path", t.String()),
        t.Field(2, "file_id", t.String()),
        t.Field(3, "instant", t.String()),
        t.Field(4, "position", t.Long()),
    )
)


@show_briefly
@dataclass(frozen=True, slots=True)
class TagOptions:
    """How keys are located."""

    index: IndexType = IndexType.AUTO
    whole_table: bool = False
    """A key is looked for in all partitions (Hudi's `GLOBAL_` indexes), not in its own alone."""
    buckets: int | None = None
    """Buckets of each partition, for the simple bucket index; None where nodes of consistent hashing decide."""
    hash_fields: tuple[str, ...] = ()
    """The fields of the record key that the bucket index hashes; empty: all."""
    key_options: Mapping[str, str] | None = None
    """`hoodie.*` options of the table's key generator that its properties lack; they count first."""
    keys_at_once: int = 2_000_000
    """Keys that are located together. More of them read fewer files, and take about 250 bytes each."""

    def __post_init__(self) -> None:
        """Raises `UsageError` for fields of another type, and for numbers below 1."""
        take_fields(self)
        object.__setattr__(self, "hash_fields", name_list(self.hash_fields, "hash_fields"))
        refuse_no_mapping(self.key_options, "key_options")
        take_count("keys_at_once", self.keys_at_once, 1)
        if self.buckets is not None:
            take_count("buckets", self.buckets, 1)


@dataclass
class Tagger:
    """Locates keys in a table, as it is at an instant. `work` and `choices` report what was done for it."""

    table: Table
    options: TagOptions = TagOptions()
    as_of: Time | None = None
    work: TaggingMetrics = field(default_factory=TaggingMetrics)
    choices: list[Choice] = field(default_factory=list)
    preset: SliceKeyReader | None = None
    """The slices to look in and the keys they hold; None for those of the table at `as_of`."""

    def locate(self, keys: KeyColumns) -> Locations:
        """Where each key is, as the number of a file slice in `slices`. Of several that hold it the first counts."""
        return self._locate(keys, None)

    def locate_every(self, keys: KeyColumns) -> tuple[Numbers, Locations, frozenset[int]]:
        """The keys that are held, by row, each once for every slice that holds it; these places; and the slices whose base files
        have several rows of one of them. A record index names one place: it is used where no key is in several."""
        every: list[Hits] = []
        first = self._locate(keys, every)
        if not every:
            rows = np.flatnonzero(first.slices != NOWHERE)
            return rows, Locations(first.slices[rows], first.positions[rows]), frozenset()
        rows = np.concatenate([hits.rows for hits in every])
        slices = np.concatenate([np.full(len(hits.rows), hits.number, np.int64) for hits in every])
        order = np.lexsort((slices, rows))
        positions = np.concatenate([hits.positions for hits in every])
        repeated = frozenset(hits.number for hits in every if hits.repeated)
        return rows[order], Locations(slices[order], positions[order]), repeated

    def _locate(self, keys: KeyColumns, every: list[Hits] | None) -> Locations:
        options = self.options
        lookup = FileLookup(self.stored, filters_for(options.index))
        placed = self.place(keys)
        tasks = [] if options.index.has_places else lookup.plan(keys, placed, self.work)
        choice = choose(self.sources, options.index, len(keys), tasks)
        self.choices.append(choice)
        self.work.count(keys=len(keys))
        by_index, count = choice.kind.has_places, len(keys)
        locations = self._by_record_index(keys) if by_index else lookup.run(count, tasks, self.work, every)
        self.work.count(found=locations.located_count)
        return locations

    def tag(
        self,
        rows: InputRows[Any],
        *,
        with_keys: bool = False,
        key_names: tuple[str, str] = (RECORD_KEY, PARTITION_PATH),
    ) -> InputRows[Any]:
        """The rows with their location as one more column, null where the record is in no file; in their order.

        Rows have columns `key_names`, or those that the table's key generator needs; `with_keys` adds `record_key` and
        `partition_path` to those that lack them. Raises `UsageError` and `UnknownColumnError` for rows that have neither,
        `RowError` for a row without a key.
        """
        names = [field.name for field in rows.schema.fields]
        if LOCATION in names:
            raise UsageError(LOCATION, expected="a name that no column of the rows has", found="one")
        missing = [name for name in (RECORD_KEY, PARTITION_PATH) if with_keys and name not in names]
        added = Schema(
            record_with_ids(t.Record((*(t.Field(0, name, t.String()) for name in missing), _location_field())))
        )
        reader = KeyReader(self.table, rows.schema, self.options.whole_table, key_names, self.options.key_options)
        schema = Schema(record_with_ids(t.Record((*rows.schema.fields, *added.fields))))
        return InputRows(schema, self._tag(rows, added, reader))

    def first_slices(self, rows: InputRows[Any]) -> Iterator[Numbers]:
        """For each row the first slice that may have its record by the bucket index, `NOWHERE` for none; many rows at a time, in
        their order. Rows of one slice are looked up in the same files. Raises as `tag`."""
        reader = KeyReader(self.table, rows.schema, whole_table=False, options=self.options.key_options)
        for _, keys in batches_with_keys(rows.batches, reader, self.options.keys_at_once):
            first = np.full(len(keys), NOWHERE, np.int64)
            for key_rows, slices in self._bucket(keys):
                if len(slices):
                    first[key_rows] = slices[0]
            yield first

    def locations(self, located: Locations) -> Column:
        """The locations as a column of structs, null where a key was not found."""
        is_located = located.slices != NOWHERE
        indexes = np.where(is_located, located.slices, len(self.sources.snapshot.slices))
        positioned = is_located & (located.positions != NOWHERE)
        columns: dict[str, Column] = {
            name: replace(take_strings(strings, indexes), validity=is_located) for name, strings in self._names.items()
        }
        columns["position"] = PrimitiveColumn(np.where(positioned, located.positions, 0), positioned)
        return StructColumn(len(is_located), columns, is_located)

    def location(self, locations: Locations, row: int) -> HoodieRecordGlobalLocation | None:
        """The location of one key."""
        slice_number, position = int(locations.slices[row]), int(locations.positions[row])
        if slice_number == NOWHERE:
            return None
        file_slice = self.sources.snapshot.slices[slice_number]
        return HoodieRecordGlobalLocation(
            file_slice.partition, file_slice.instant, file_slice.file_id, None if position == NOWHERE else position
        )

    @cached_property
    def sources(self) -> Sources:
        return self.stored.sources

    @cached_property
    def stored(self) -> SliceKeyReader:
        return self.preset or SliceKeyReader(Sources(self.table.snapshot(self.as_of)))

    @cached_property
    def _names(self) -> dict[str, StringColumn]:
        """The location of each slice, and an empty string behind the last."""
        slices = self.sources.snapshot.slices
        return {
            "partition_path": string_column([*(file_slice.partition for file_slice in slices), ""]),
            "file_id": string_column([*(file_slice.file_id for file_slice in slices), ""]),
            "instant": string_column([*(file_slice.instant for file_slice in slices), ""]),
        }

    def place(self, keys: KeyColumns) -> list[tuple[Numbers, Numbers]]:
        """Rows of keys, each with the numbers, ascending, of the slices in which their keys may be."""
        return self._bucket(keys) if self.options.index is IndexType.BUCKET else self._place(keys)

    def _place(self, keys: KeyColumns) -> list[tuple[Numbers, Numbers]]:
        slices = self.sources.snapshot.slices
        return all_slices(keys, slices) if self.options.whole_table else slices_of_partitions(keys, slices)

    def _bucket(self, keys: KeyColumns) -> list[tuple[Numbers, Numbers]]:
        """Each key in the slices of its bucket: by the number of buckets, else by the nodes of consistent hashing."""
        snapshot, options = self.sources.snapshot, self.options
        if options.whole_table:
            raise UsageError("bucket index", expected="keys in their own partitions", found="a look at the whole table")
        fields = options.hash_fields or snapshot.config.record_key_fields
        hashed = hash_inputs(keys.records, fields)
        if options.buckets is None:
            return slices_of_nodes(keys, hashed, snapshot.slices, snapshot.storage, snapshot.timeline)
        if options.buckets < 1:
            raise UsageError("bucket index", expected="one bucket or more", found=str(options.buckets))
        numbers = bucket_numbers(hashed, options.buckets)
        return slices_of_buckets(keys, numbers, snapshot.slices, snapshot.storage.uri)

    def _by_record_index(self, keys: KeyColumns) -> Locations:
        """Locates by the record index, and by files where it names a file group that does not exist."""
        snapshot = self.sources.snapshot
        metadata = snapshot.metadata
        assert metadata is not None
        lookup = RecordIndexLookup(metadata, snapshot.slices, self.options.whole_table)
        try:
            locations = lookup.locate(keys, self.work)
        except TableError as error:
            snapshot.warn_or_raise(error)
            locations = Locations(np.full(len(keys), LOST, np.int64), np.full(len(keys), NOWHERE, np.int64))
        lost = np.flatnonzero(locations.slices == LOST)
        if len(lost):
            self.work.count(lost=len(lost))
            lost_keys = KeyColumns(take_strings(keys.records, lost), keys.partitions[lost], keys.paths)
            lookup_by_files = FileLookup(self.stored)
            located = lookup_by_files.locate(lost_keys, self._place(lost_keys), self.work)
            locations.slices[lost], locations.positions[lost] = located.slices, located.positions
        return locations

    def _tag(self, rows: InputRows[Any], added: Schema, reader: KeyReader) -> Iterator[Any]:
        given = rows.batches
        if self.work.tally is not None:
            self.work.tally.enter(READING)
            given = self.work.tally.count_batches(given, self.table.engine.rows.count)
        for batches, keys in batches_with_keys(given, reader, self.options.keys_at_once):
            locations = self.locate(keys)
            ends = np.cumsum([self.table.engine.rows.count(batch) for batch in batches]).tolist()
            parts = zip(batches, map(slice, [0, *ends], ends), strict=False)
            yield from in_order(partial(self._batch, rows.schema, added, keys, locations), parts)

    def _batch(
        self, schema: Schema, added: Schema, keys: KeyColumns, locations: Locations, batch_rows: tuple[Any, slice]
    ) -> Any:
        """One of the batches that were looked up together, with the columns that are added to it."""
        batch, rows = batch_rows
        located = Locations(locations.slices[rows], locations.positions[rows])
        make: dict[str, Callable[[], Column]] = {
            RECORD_KEY: lambda: take_strings(keys.records, rows),
            PARTITION_PATH: lambda: take_strings(string_column(keys.paths), keys.partitions[rows].astype(np.int64)),
            LOCATION: lambda: self.locations(located),
        }
        columns = {field.name: make[field.name]() for field in added.fields}
        return self._join(batch, schema, StructColumn(len(located.slices), columns), added)

    def _join(self, batch: Any, schema: Schema, columns: StructColumn, added: Schema) -> Any:
        """The rows of a batch with columns that are added to its own."""
        rows, values = self.table.engine.rows, self.table.engine.values
        root = rows.root(batch)
        (added_batch,) = rows.from_columns(columns, added, LOCATION)
        fields = [(field, values.field(root, position)) for position, field in enumerate(schema.fields)]
        fields += [
            (field, values.field(rows.root(added_batch), position)) for position, field in enumerate(added.fields)
        ]
        return rows.batch(values.struct(fields, values.no(values.every([], root)), root))


def tag(table: Table, data: object, options: TagOptions = TagOptions(), as_of: Time | None = None) -> Any:
    """Rows with the location of their records, as an object with `__arrow_c_stream__` and `read_all`, which is read as you take
    from it.

    `data` has any form that `hudi_core.write` takes, except a path. See `Tagger.tag`.
    """
    rows, like = table.engine.rows, input_schema(table.schema_at(as_of))
    given = without_floats_for_texts(table.engine, rows.read_given(data, like), like)
    tagged = Tagger(table, options, as_of).tag(given)
    return rows.stream(tagged.schema, tagged.batches)


def locate(
    table: Table,
    keys: Iterable[HoodieKey | tuple[str, str]],
    options: TagOptions = TagOptions(),
    as_of: Time | None = None,
) -> list[HoodieRecordGlobalLocation | None]:
    """The location of each of some keys, in their order; None for a key that no file holds. A key may be a pair of a record key
    and a partition path.

    Raises `UsageError` for what is no key.
    """
    if not isinstance(keys, Iterable):
        raise UsageError("locate", expected="some keys", found=describe(keys))
    wanted = [_key(key) for key in keys]
    tagger = Tagger(table, options, as_of)
    columns = key_columns(
        string_column([key.record_key for key in wanted]), string_column([key.partition_path for key in wanted])
    )
    locations = tagger.locate(columns)
    return [tagger.location(locations, row) for row in range(len(wanted))]


def _key(key: object) -> HoodieKey:
    match key:
        case HoodieKey(str(), str()):
            return key
        case (str(record_key), str(partition_path)):
            return HoodieKey(record_key, partition_path)
    expected = "HoodieKey(record_key, partition_path), or a pair of these strings"
    raise UsageError("locate", expected=expected, found=describe(key))


def _location_field() -> t.Field:
    return t.Field(0, LOCATION, _LOCATION)

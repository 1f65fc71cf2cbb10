"""One base file: rows with the meta columns filled in, the size of its bloom filter, its footer, and what is reported of it.

Rules: WRITE-8 to WRITE-11, WRITE-1185, WRITE-1186.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any, Final

import numpy as np

from hudi_core.avro.outbound import schema_to_avro
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.strings import concat_strings, string_column, string_list, take_strings
from hudi_core.commit.statuses import WriteStatus
from hudi_core.data_files.column_ranges import least_and_greatest, ranges_of_file
from hudi_core.engine import Engine, FileWriter, OpenedFile, Storage
from hudi_core.errors import TableError
from hudi_core.formats.bloom import KeySample, parse_bloom_filter
from hudi_core.formats.bloom_write import (
    KIND_IN_FILES,
    BloomFilterWriter,
    FilterSettings,
    encode_bloom_filter,
    extend_bloom_filter,
)
from hudi_core.formats.files import RewrittenRows, WrittenFile
from hudi_core.formats.names import BaseFileName
from hudi_core.parallel.ordered import CallsAside
from hudi_core.paths import data_path, file_name, join_paths
from hudi_core.schema.meta import META_COLUMNS, RECORD_KEY
from hudi_core.schema.project import leave_out
from hudi_core.schema.schema import Schema
from hudi_core.tally import Tally
from hudi_core.types import nodes as t

EXTENSION: Final = ".parquet"
_FALSE_POSITIVES: Final = 1e-6
"""One key in a million is looked up in vain. Hudi's 1e-9 costs half as much again in size and time, and saves nothing more."""
_MOST_HASHES: Final = 12
"""Hashes of a key are most of the work of a filter. In the fewest bits the rate takes 20; with 12 a tenth more bits are taken."""
_MAX_FILTER_BITS: Final = 1 << 23
_KEYS_TRIED: Final = 1 << 6
_FEW_KEYS: Final = 1 << 16
"""Up to so many a thread of their own gains nothing."""
_LATE: Final = 0xEE
"""First bytes from this one on are those of characters that UTF-8 and UTF-16 order differently."""
_STRING: Final = t.String()


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A base file that is to be written. `number` is that of its task in the write; `attempt`, two numbers, tells attempts of the
    task apart where several may be made."""

    partition: str
    file_id: str
    instant_time: str
    number: int
    attempt: str = "0-0"

    @property
    def token(self) -> str:
        return f"{self.number}-{self.attempt}"

    @property
    def name(self) -> str:
        return BaseFileName(self.file_id, self.token, self.instant_time, EXTENSION).file_name()

    @property
    def path(self) -> str:
        """From the table's root."""
        return data_path(join_paths(self.partition, file_name(self.name)))

    def of_attempt(self, attempt: str) -> FileTarget:
        """The file of one attempt at it. Rule WRITE-421."""
        return replace(self, attempt=attempt)


@dataclass(frozen=True, slots=True, eq=False)
class OlderFile:
    """The file that is written anew. Rows have its columns `as_stored` as they are there. `bloom_filter` is its own one, None
    where it has none; `added` gives the keys that it has not, once all rows are drawn."""

    file: OpenedFile[Any]
    as_stored: frozenset[str]
    bloom_filter: bytes | None
    added: Callable[[], StringColumn]

    def extend_filter(self, keys: StringColumn, where: str) -> bytes | None:
        """The filter of all these keys; None where another has to be made: this one is absent, full, or damaged, which some of
        the keys show."""
        if self.bloom_filter is None:
            return None
        try:
            extended = extend_bloom_filter(self.bloom_filter, self.added(), where)
            if extended is None:
                return None
            made, some = parse_bloom_filter(extended, where), take_strings(keys, slice(0, _KEYS_TRIED))
            return extended if made.holds(KeySample(some).hashes(made.hashes)) else None
        except TableError:
            return None


class StreamedKeys:
    """Puts keys into a filter made for as many as are expected, and keeps the least and the greatest of each batch: no key is
    held for longer than that takes, aside of the rows' own way. Rule WRITE-1186."""

    def __init__(self, settings: FilterSettings) -> None:
        self._filter = BloomFilterWriter(settings)
        self._ends: list[StringColumn] = []
        self._aside = CallsAside("hudi-keys", few=settings.entries <= _FEW_KEYS)

    def add(self, keys: StringColumn) -> None:
        """Keys of a batch. Raises as `BloomFilterWriter.add`, perhaps of a batch before, and at the latest where the filter is
        asked for."""
        if length(keys):
            self._aside.submit(partial(self._add, keys))

    def _add(self, keys: StringColumn) -> None:
        self._filter.add(keys)
        self._ends.append(outermost_keys(keys))

    def encode(self) -> bytes:
        """The filter of all keys."""
        self._aside.finish()
        return self._filter.encode()

    @property
    def range(self) -> Mapping[str, str]:
        """What `range_of_keys` gives for all of them."""
        self._aside.finish()
        return range_of_keys(concat_strings(self._ends)) if self._ends else {}


@dataclass(eq=False)
class BaseFileWriter:
    """Writes one base file. `schema` is that of the rows and of the file, the meta columns first; rows come with these or, with
    virtual keys, without: then they are null. The file has no columns that are `left_out`."""

    engine: Engine[Any, Any, Any]
    storage: Storage
    schema: Schema
    target: FileTarget
    stores_keys: bool
    with_filter: bool = True
    codec: str | None = None
    """None for the engine's own: `data_files.file_properties`."""
    held: int | None = None
    """Bytes of rows in memory before they are written, where memory counts more than time; None for the engine's own measure."""
    tally: Tally | None = None
    """Gets the rows as they are written."""
    older: OlderFile | None = None
    left_out: frozenset[str] = frozenset()
    expected: int | None = None
    """How many rows come at most, where nobody asks for their `keys` afterwards: then these are not held."""
    _keys: list[StringColumn] = field(default_factory=list)

    def write(self, batches: Iterable[Any]) -> WrittenFile:
        """Rows whose commit time is null are those of this write. Raises what the batches and the storage raise; no file
        remains then."""
        stamped = (made.rows for made in self._stamp_rows(map(RewrittenRows, batches)))
        return self._file_writer().write(self.storage, self.target.path, self._stored, stamped, self._footer)

    def rewrite(self, rows: Iterable[RewrittenRows[Any]]) -> WrittenFile:
        """As `write`, of rows that may be those of the older file."""
        if self.older is None:
            return self.write(made.rows for made in rows)
        file, as_stored, stamped = self.older.file, self.older.as_stored, self._stamp_rows(rows)
        path, writer = self.target.path, self._file_writer()
        return writer.rewrite(self.storage, path, self._stored, stamped, self._footer, file, as_stored)

    def _file_writer(self) -> FileWriter[Any]:
        return self.engine.writer(EXTENSION, self.codec, self.held)

    @cached_property
    def _stored(self) -> Schema:
        return leave_out(self.schema, self.left_out)

    @cached_property
    def bloom_filter(self) -> bytes | None:
        """The filter of all keys that were written; None where there are no keys."""
        if not self.stores_keys or not self.with_filter:
            return None
        if self._streamed is not None:
            return self._streamed.encode()
        keys = self.keys
        extended = None if self.older is None else self.older.extend_filter(keys, self.target.path)
        return extended or encode_bloom_filter(keys, filter_settings(length(keys)))

    @cached_property
    def _streamed(self) -> StreamedKeys | None:
        if self.expected is None or not self.stores_keys or not self.with_filter:
            return None
        return StreamedKeys(filter_settings(self.expected))

    @property
    def keys(self) -> StringColumn:
        """The record keys written so far. Not where they are streamed."""
        assert self._streamed is None
        if len(self._keys) != 1:
            self._keys = [concat_strings(self._keys) if self._keys else string_column([])]
        return self._keys[0]

    def _stamp_rows(self, batches: Iterable[RewrittenRows[Any]]) -> Iterator[RewrittenRows[Any]]:
        first = 0
        for made in batches:
            root = self.engine.rows.root(made.rows)
            yield replace(made, rows=self.engine.rows.batch(self._stamp(root, first)))
            count = self.engine.rows.count(made.rows)
            first += count
            if self.tally is not None:
                self.tally.add(written=count)

    def _stamp(self, root: Any, first: int) -> Any:
        values, target = self.engine.values, self.target
        own = len(META_COLUMNS)
        if not self.stores_keys:
            parts = [values.literal(None, _STRING, root) for _ in META_COLUMNS]
            parts += [values.field(root, position) for position in range(len(self.schema.fields) - own)]
        else:
            parts = [values.field(root, position) for position in range(len(self.schema.fields))]
            time, number, key = parts[:3]
            is_new = values.is_null(time)
            new = self.engine.rows.flags(is_new)
            if new.any():
                new_number = values.number_rows(root, first, f"{target.instant_time}_{target.number}_")
                if new.all():
                    parts[0], parts[1] = values.literal(target.instant_time, _STRING, root), new_number
                else:
                    parts[0] = values.replace(time, is_new, target.instant_time, _STRING)
                    parts[1] = values.choose(is_new, new_number, number, _STRING)
            parts[own - 1] = values.literal(target.name, _STRING, root)
            keys = self.engine.rows.to_column(key, _STRING, RECORD_KEY)
            assert isinstance(keys, StringColumn)
            add = self._keys.append if self._streamed is None else self._streamed.add
            add(StringColumn(keys.offsets, keys.data))
        stored = [
            (column, part)
            for column, part in zip(self.schema.fields, parts, strict=True)
            if column.name not in self.left_out
        ]
        return values.struct(stored, values.is_null(root), root)

    def _footer(self) -> Mapping[str, str]:
        pairs = {
            "parquet.avro.schema": _avro_schema(self._stored),
            "writer.model.name": "avro",
        }
        bloom_filter = self.bloom_filter
        if bloom_filter is not None:
            pairs["org.apache.hudi.bloomfilter"] = bloom_filter.decode("ascii")
            pairs["hoodie_bloom_filter_type_code"] = KIND_IN_FILES
        if self.stores_keys:
            pairs |= range_of_keys(self.keys) if self._streamed is None else self._streamed.range
        return pairs


@lru_cache(maxsize=64)
def _avro_schema(schema: Schema) -> str:
    """Made once for the files of a write."""
    return json.dumps(schema_to_avro(schema), separators=(",", ":"))


def filter_settings(keys: int) -> FilterSettings:
    """A filter made for the real number of keys; of one MiB at most for up to 5.8 million, for readers load it with the footer.
    For more it has a bit and a half for each, and lets half of the absent ones pass."""
    entries = max(keys, 1)
    bits = _MAX_FILTER_BITS / entries
    hashes = min(math.log(2) * bits, _MOST_HASHES)
    rate = max(_FALSE_POSITIVES, (-math.expm1(-hashes / bits)) ** hashes)
    return FilterSettings(KIND_IN_FILES, entries, min(rate, 0.5), max_entries=entries, most_hashes=_MOST_HASHES)


def status_of_base(
    writer: BaseFileWriter,
    written: WrittenFile,
    *,
    inserts: int,
    updates: int = 0,
    deletes: int = 0,
    added_keys: StringColumn | None,
    removed_keys: StringColumn | None = None,
    previous: BaseFileName | None = None,
) -> WriteStatus:
    """What is reported of a base file. `added_keys` are those that are new to the file group."""
    target = writer.target
    return WriteStatus(
        target.partition,
        target.file_id,
        target.path,
        written.size,
        written.footer.rows,
        inserts,
        updates,
        deletes,
        previous_instant=None if previous is None else previous.instant,
        previous_base=None if previous is None else previous.file_name(),
        columns=ranges_of_file(written),
        added_keys=added_keys,
        removed_keys=removed_keys,
        bloom_filter=writer.bloom_filter,
        bloom_filter_type=KIND_IN_FILES if writer.stores_keys and writer.with_filter else None,
    )


def outermost_keys(keys: StringColumn) -> StringColumn:
    """The least and the greatest of some keys, and one that the two orders of strings place differently, if there is any."""
    rows = [*least_and_greatest(keys)]
    data = keys.data[keys.offsets[0] : keys.offsets[-1]]
    if int(data.max(initial=0)) >= _LATE:
        first = int(keys.offsets[0]) + int(np.argmax(data >= _LATE))
        rows.append(int(np.searchsorted(keys.offsets, first, side="right")) - 1)
    return take_strings(keys, np.array(sorted(set(rows)), np.int64))


def range_of_keys(keys: StringColumn) -> Mapping[str, str]:
    """The least and the greatest key. Readers of Apache Hudi compare them in UTF-8 or in UTF-16: where these orders differ, no
    range is better than one that is wrong for some of them."""
    if length(keys) == 0 or int(keys.data.max(initial=0)) >= _LATE:
        return {}
    least, greatest = string_list(take_strings(keys, np.array(least_and_greatest(keys), np.int64)))
    return {"hoodie_min_record_key": least, "hoodie_max_record_key": greatest}

"""Records of metadata partitions by file group: sorted runs as they come, and each group's records in order. Rule META-130.

Tasks put the records that they make in order by file group, then by key. The runs wait in a spool: in memory while they are few,
else in a local file. A file group is read back a key range at a time, from all runs that hold some of it.

Memory: a task holds a run, some five times `RUN_BYTES`; the process that collects runs holds those of a round of tasks, and
`HELD_BYTES` of them; one that reads a file group holds a key range, some five times `RANGE_BYTES`, and a sample of four keys for
each run and key range. A record that is larger than these alone is held whole. None of it grows with the number of records, but
for the table of runs: 24 bytes for each file group that a run has records of.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import BinaryColumn, StringColumn, StructColumn
from hudi_core.columns.spans import positions
from hudi_core.columns.strings import take_strings
from hudi_core.data_files.spool import Spool, drain, spool
from hudi_core.engine import Engine
from hudi_core.errors import UnsupportedError
from hudi_core.metadata_rows.rows import IndexRows, slice_rows, together
from hudi_core.metadata_writer.building import NewGroups
from hudi_core.metadata_writer.group_files import group_numbers, take_values
from hudi_core.pruning.ranks import order_texts
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

RUN_BYTES: Final = 1 << 25
"""Bytes of the keys and values of a run."""
HELD_BYTES: Final = 1 << 26
"""Bytes of runs that wait in memory; more of them go to a file."""
RANGE_BYTES: Final = 1 << 25
"""Bytes of the keys and values of a file group that are put in order together."""
_SAMPLES: Final = 4
"""Keys of each run that are examined for each key range: a key range is by a quarter larger than it should be at most."""
_SCHEMA: Final = Schema(t.Record((t.Field(0, "key", t.Binary(), False), t.Field(1, "value", t.Binary(), False))))


@dataclass(frozen=True, slots=True, eq=False)
class PrefixRows:
    """Records of a metadata partition, for its file groups whose ids begin with a prefix."""

    partition: str
    prefix: str
    rows: IndexRows


@dataclass(frozen=True)
class GroupNumbers:
    """The file groups of a build, numbered. It can be pickled."""

    groups: tuple[NewGroups, ...]

    @cached_property
    def named(self) -> tuple[tuple[str, str], ...]:
        """Metadata partition and file id of each group."""
        return tuple((groups.partition, file_id) for groups in self.groups for file_id in groups.file_ids)

    def of_records(self, part: PrefixRows) -> Numbers:
        """The group of each record. Rule FORMAT-12."""
        first, count = self._places[part.partition, part.prefix]
        return first + group_numbers(part.rows, count)

    @cached_property
    def _places(self) -> Mapping[tuple[str, str], tuple[int, int]]:
        """The number of the first group and the count of groups, by partition and prefix."""
        places: dict[tuple[str, str], tuple[int, int]] = {}
        first = 0
        for groups in self.groups:
            for prefix, count in groups.counts.items():
                places[groups.partition, prefix] = first, count
                first += count
        return places

    def __getstate__(self) -> dict[str, Any]:
        return {"groups": self.groups}


@dataclass(frozen=True, slots=True, eq=False)
class SortedRun:
    """Records by file group, then by key; of each group how many, and their bytes."""

    keys: StringColumn
    values: BinaryColumn
    counts: Numbers
    sizes: Numbers


def sort_runs(numbers: GroupNumbers, parts: Iterable[PrefixRows]) -> Iterator[SortedRun]:
    """The records of all parts in runs of about `RUN_BYTES`, each in order."""
    held: list[PrefixRows] = []
    size = 0
    for part in _small(parts):
        held.append(part)
        size += part.rows.size
        if size >= RUN_BYTES:
            yield _sort(numbers, held)
            held, size = [], 0
    if held:
        yield _sort(numbers, held)


def _small(parts: Iterable[PrefixRows]) -> Iterator[PrefixRows]:
    """The parts, each of about `RUN_BYTES` at most; those without records left out."""
    for part in parts:
        count = len(part.rows)
        pieces = min(max(-(-part.rows.size // RUN_BYTES), 1), count)
        for start, stop in pairwise(np.linspace(0, count, pieces + 1).astype(np.int64).tolist()):
            yield PrefixRows(part.partition, part.prefix, slice_rows(part.rows, start, stop)) if pieces > 1 else part


def _sort(numbers: GroupNumbers, parts: Sequence[PrefixRows]) -> SortedRun:
    group_of = np.concatenate([numbers.of_records(part) for part in parts])
    rows = together([part.rows for part in parts])
    order, _ = order_texts(ByteStrings(rows.keys.offsets, rows.keys.data))
    total = len(numbers.named)
    # Numbers of two bytes are sorted by their digits.
    by_group = group_of[order].astype(np.uint16 if total <= 1 << 16 else np.int64)
    order = order[np.argsort(by_group, kind="stable")]
    bytes_of = np.diff(rows.keys.offsets) + np.diff(rows.values.offsets)
    return SortedRun(
        take_strings(rows.keys, order),
        take_values(rows.values, order),
        np.bincount(group_of, minlength=total),
        np.bincount(group_of, bytes_of, minlength=total).astype(np.int64),
    )


@dataclass(frozen=True)
class SpooledRuns:
    """Runs that wait. It can be pickled, as a spool can.

    The arrays have an entry for each run and file group of which it has records, in the order of the groups: the first of these
    in the spool, their number, and their bytes. Those of a group are from one of `bounds` to the next.
    """

    spool: Spool
    bounds: Numbers
    starts: Numbers
    counts: Numbers
    sizes: Numbers

    def records(self, group: int) -> int:
        """The number of records of a file group."""
        return int(self.counts[self._of(group)].sum())

    @property
    def filled(self) -> list[int]:
        """The file groups that have records."""
        return [group for group in range(len(self.bounds) - 1) if self.records(group)]

    def close(self) -> None:
        """Removes the local file."""
        self.spool.close()

    def refuse_repeated(self, group: int) -> None:
        """Raises `UnsupportedError` for a key of a file group that comes twice."""
        for _ in self.key_ranges(group):
            pass

    def size(self, group: int) -> int:
        """The bytes of keys and values of a file group."""
        return int(self.sizes[self._of(group)].sum())

    def _of(self, group: int) -> slice:
        return slice(int(self.bounds[group]), int(self.bounds[group + 1]))

    def key_ranges(self, group: int) -> Iterator[tuple[StringColumn, BinaryColumn]]:
        """Keys and values of a file group in order, in parts of about `RANGE_BYTES`. Raises `UnsupportedError` for a key that
        comes twice."""
        starts, counts = self.starts[self._of(group)], self.counts[self._of(group)]
        parts = -(-self.size(group) // RANGE_BYTES)
        if parts < 2:
            yield self._in_order(positions(starts, counts))
            return
        step = max(1, int(counts.sum()) // (parts * _SAMPLES * len(starts)))
        samples = self._samples(starts, counts, step)
        everything = sorted(chain.from_iterable(samples))
        cuts = sorted({everything[len(everything) * part // parts] for part in range(1, parts)})
        for lower, upper in pairwise([None, *cuts, None]):
            first = [0 if lower is None else max(bisect_left(keys, lower) - 1, 0) * step for keys in samples]
            end = counts if upper is None else np.array([bisect_left(keys, upper) * step for keys in samples])
            lengths = np.maximum(np.minimum(end, counts) - first, 0)
            keys, values = self._in_order(positions(starts + first, lengths))
            low = 0 if lower is None else bisect_left(_Keys(keys), lower)
            high = len(keys.offsets) - 1 if upper is None else bisect_left(_Keys(keys), upper)
            if low < high:
                yield take_strings(keys, slice(low, high)), BinaryColumn(values.offsets[low : high + 1], values.data)

    def _samples(self, starts: Numbers, counts: Numbers, step: int) -> list[list[bytes]]:
        """For each run, its first key and every `step`-th one after it."""
        of_runs = -(-counts // step)
        keys, _ = self._take(np.repeat(starts, of_runs) + positions(np.zeros_like(of_runs), of_runs) * step)
        strings = _Keys(keys)
        return [[strings[row] for row in range(start, stop)] for start, stop in pairwise([0, *np.cumsum(of_runs)])]

    def _in_order(self, rows: Numbers) -> tuple[StringColumn, BinaryColumn]:
        keys, values = self._take(rows)
        if not len(rows):
            return keys, values
        order, differs = order_texts(ByteStrings(keys.offsets, keys.data))
        if not differs.all():
            twice = _Keys(keys)[int(order[np.flatnonzero(~differs)[0]])].decode(errors="replace")
            expected = "a table that has each record key once"
            raise UnsupportedError("index", expected=expected, found=f"{twice!r} twice")
        return take_strings(keys, order), take_values(values, order)

    def _take(self, rows: Numbers) -> tuple[StringColumn, BinaryColumn]:
        """Keys and values of records by their numbers in the spool."""
        engine = self.spool.engine
        parts: list[IndexRows] = []
        for batch in self.spool.take(rows):
            root = engine.rows.root(batch)
            keys, values = (engine.rows.to_column(engine.values.field(root, n), t.Binary(), "index") for n in (0, 1))
            assert isinstance(keys, BinaryColumn)
            assert isinstance(values, BinaryColumn)
            parts.append(IndexRows(StringColumn(keys.offsets, keys.data), values))
        rows_of_all = together(parts)
        return rows_of_all.keys, rows_of_all.values


@dataclass(frozen=True, slots=True)
class _Keys:
    """Keys as bytes, one at a time."""

    strings: StringColumn

    def __len__(self) -> int:
        return len(self.strings.offsets) - 1

    def __getitem__(self, row: int) -> bytes:
        return self.strings.data[self.strings.offsets[row] : self.strings.offsets[row + 1]].tobytes()


def spool_runs(engine: Engine[Any, Any, Any], groups: int, runs: Iterable[SortedRun]) -> SpooledRuns:
    """Draws all runs of so many file groups. Raises what they raise, and `StorageError` where the local file cannot be
    written."""
    entries: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []
    drawn_count = 0

    def batches(drawn: Iterable[SortedRun]) -> Iterator[Any]:
        nonlocal drawn_count
        for run in drawn:
            filled = np.flatnonzero(run.counts)
            counts = run.counts[filled]
            entries.append((filled, drawn_count + np.cumsum(counts) - counts, counts, run.sizes[filled]))
            drawn_count += int(counts.sum())
            columns = {"key": BinaryColumn(run.keys.offsets, run.keys.data), "value": run.values}
            yield from engine.rows.from_columns(StructColumn(len(run.keys.offsets) - 1, columns), _SCHEMA, "index")

    remaining, held, size = iter(runs), list[SortedRun](), 0
    for run in remaining:
        held.append(run)
        size += int(run.sizes.sum())
        if size > HELD_BYTES:
            waiting = spool(engine, _SCHEMA, batches(chain(drain(held), remaining)), max_rows=0)
            break
    else:
        waiting = spool(engine, _SCHEMA, batches(held), max_rows=sys.maxsize)
    nothing = (np.zeros(0, np.int64),) * 4
    group_of, *columns = (np.concatenate(parts) for parts in zip(nothing, *entries, strict=True))
    order = np.argsort(group_of, kind="stable")
    bounds = np.searchsorted(group_of[order], np.arange(groups + 1))
    return SpooledRuns(waiting, bounds, *(column[order] for column in columns))

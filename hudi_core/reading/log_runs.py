"""Records of logs in files, in runs of bounded size: for slices whose logs do not fit into memory. Rule MERGE-860.

A run is what a `LogBuffer` takes at a time. Its rows go into a file that the system maps into memory, its keys into `KeyRuns`.
When all are there each record gets a number that stands for its key, the position in the base file or one beyond its rows, and
every run is put in the order of these. So the records of one stretch of the base file stand next to each other in each run.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import Column, StringColumn, length
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings
from hudi_core.formats.deletes import DeleteRecords
from hudi_core.merge.records import NO_ROW, fold
from hudi_core.reading.array_files import ScratchFolder
from hudi_core.reading.key_runs import KeyRuns
from hudi_core.reading.log_buffer import LogBuffer, RawRecords
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.reading.sorted_runs import LoggedRows, SortedRuns, Stretch, stretches

RUN_BYTES: Final = 1 << 24
"""Bytes of the rows of a run, about."""
RUN_RECORDS: Final = 1 << 18
"""Records of a run, about."""


def share_bits(size: int, rows: int) -> int:
    """In how many shares, as a power of two, keys are divided: of logs of so many bytes, and of a base file of so many rows."""
    shares = max(size // RUN_BYTES, rows // RUN_RECORDS)
    return min(shares.bit_length(), 10)


class LogRuns:
    """Takes the records of logs, oldest first, and gives them stretch by stretch of the base file."""

    def __init__(self, columns: MergeColumns, partial: bool, bits: int, folder: ScratchFolder) -> None:
        """`bits` say in how many shares keys are divided (see `share_bits`)."""
        self._columns, self._partial, self._bits, self._folder = columns, partial, bits, folder
        self._buffer = LogBuffer(columns, partial)
        self._keys = KeyRuns(folder, "logged", bits)
        self._raw: list[Path] = []
        self._widths = tuple(0 for _ in columns.ordering)
        self.batches: list[Any] = []
        self.rows = self.records = 0

    def add_rows(self, batch: Any, where: str, stored: Set[int] | None = None, size: int = 0) -> None:
        self._buffer.add_rows(batch, where, stored, size)
        if self._buffer.bytes >= RUN_BYTES or self._buffer.records >= RUN_RECORDS:
            self._end_run()

    def add_deletes(self, deletes: DeleteRecords, where: str) -> None:
        self._buffer.add_deletes(deletes, where)
        self._end_long_run()

    def add_typed_deletes(self, keys: StringColumn, ordering: tuple[Column, ...], where: str) -> None:
        self._buffer.add_typed_deletes(keys, ordering, where)
        self._end_long_run()

    def _end_long_run(self) -> None:
        if self._buffer.records >= RUN_RECORDS:
            self._end_run()

    def _end_run(self) -> None:
        buffer = self._buffer
        if not buffer.records:
            return
        raw = buffer.raw_records()
        self._widths = tuple(map(max, self._widths, raw.widths(self._columns)))
        if self._columns.keys:
            self._keys.add(buffer.keys())
        number = len(self._raw)
        self._raw.append(self._folder.path(f"{number}.records"))
        with self._raw[-1].open("wb") as file:
            pickle.dump((raw, self.rows), file, pickle.HIGHEST_PROTOCOL)
        if buffer.batches:
            path, rows = str(self._folder.path(f"{number}.arrow")), self._columns.engine.rows
            rows.write(path, self._columns.schema, buffer.batches)
            self.batches += (batch for batch in rows.read(path).batches if rows.count(batch))
        self.rows += buffer.rows
        self.records += buffer.records
        self._buffer = LogBuffer(self._columns, self._partial)

    def finish(self, positions: Numbers | None, base_rows: int, base_keys: Iterator[StringColumn]) -> SortedRuns | None:
        """The records, ready to be merged: by `positions` in the base file where the log has them, which are below its rows, else
        by its keys, batch by batch. None where the positions are not those of the records."""
        self._end_run()
        if positions is None:
            numbers = self._number(base_rows, base_keys)
        elif len(positions) == self.records:
            numbers = positions
        else:
            return None
        runs = self._begin_runs(stretches(base_rows, self.records))
        begin = 0
        for raw, first_row in self._raw_runs():
            rows = np.where(raw.rows == NO_ROW, NO_ROW, raw.rows + first_row)
            runs.add(numbers[begin : begin + len(rows)], raw, rows)
            begin += len(rows)
        return runs

    def latest(self) -> tuple[Bools, Bools]:
        """Which records win over all others with their key, and which are those of delete blocks; by key."""
        self._end_run()
        numbers = self._number(0, iter(()))
        runs = self._begin_runs(stretches(0, self.records))
        listed = np.zeros(self.records, np.bool_)
        begin = 0
        for raw, _ in self._raw_runs():
            end = begin + len(raw.rows)
            listed[begin:end] = raw.listed
            runs.add(numbers[begin:end], raw, np.arange(begin, end))
            begin = end
        wins = np.zeros(self.records, np.bool_)
        for place in range(len(runs.stretches)):
            some = runs.records_of(place)
            if len(some.key_ids):
                _, last = fold(some.records, some.key_ids, self._columns.rules.precedence, self._columns.latest)
                wins[last.sources[:, 0]] = True
        return wins, listed

    def _begin_runs(self, parts: Sequence[Stretch]) -> SortedRuns:
        rows = LoggedRows(self.batches, self.rows, self._buffer.merged_columns)
        return SortedRuns(self._folder, self._columns, self._widths, rows, parts)

    def _raw_runs(self) -> Iterator[tuple[RawRecords, int]]:
        """The records of each run with the number of its first row; their files go away."""
        for path in self._raw:
            with path.open("rb") as file:
                raw, first_row = pickle.load(file)
            path.unlink()
            yield raw, first_row

    def _number(self, base_rows: int, base_keys: Iterator[StringColumn]) -> Numbers:
        """For each record the position of the first row of the base file with its key; where there is none, the number of the
        first record with the key, counted on after the rows of the base file."""
        base = KeyRuns(self._folder, "stored", self._bits)
        for keys in _in_runs(base_keys):
            base.add(keys)
        path = self._folder.path("numbers")
        numbers = np.memmap(path, np.int64, "w+", shape=self.records) if self.records else np.empty(0, np.int64)
        for share in range(1 << self._bits):
            parts = list(self._keys.share(share))
            if not parts:
                continue
            records = np.concatenate([part for _, part in parts])
            index = index_strings(concat_strings([keys for keys, _ in parts]))
            places = np.full(len(records), -1, np.int64)
            for keys, positions in reversed(list(base.share(share))):  # so that the first row of a key counts
                records_of = index.find(keys)
                known = np.flatnonzero(records_of >= 0)[::-1]
                places[records_of[known]] = positions[known]
            first = index.first
            numbers[records] = np.where(places[first] >= 0, places[first], base_rows + records[first])
        return numbers


def _in_runs(keys: Iterator[StringColumn]) -> Iterator[StringColumn]:
    """The keys of batches as columns of about `RUN_RECORDS`."""
    some: list[StringColumn] = []
    rows = 0
    for column in keys:
        some.append(column)
        rows += length(column)
        if rows >= RUN_RECORDS:
            yield concat_strings(some)
            some, rows = [], 0
    if some:
        yield concat_strings(some)

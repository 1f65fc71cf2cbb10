"""The first step of a spread write: each part of the input is prepared and checked as a whole input is. Rule WRITE-423."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

import numpy as np

from hudi_core.data_files.spool import Spool
from hudi_core.engine import Engine
from hudi_core.errors import HudiError, RowError, StorageError
from hudi_core.parallel.flow import Packet
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.tagging.key_reader import KeyReader, key_columns
from hudi_core.transactions.reports import open_reports, report
from hudi_core.writing.incoming import Preparation, file_schema
from hudi_core.writing.incoming_checks import refuse_lost_paths
from hudi_core.writing.row_size import FEW_ROWS, GUESS, measure_row_bytes
from hudi_core.writing.spread.cuts import KeySample, Sampler
from hudi_core.writing.spread.key_sums import KeySum
from hudi_core.writing.spread.packs import RowPack, pack_rows
from hudi_core.writing.update_outcomes import ChangedRows, SourceNumbers

_MEASURED_PARTS: Final = 16
_ENOUGH_ROWS: Final = 1 << 10
"""Rows of a batch whose size in a file says something about others."""

Changed = Callable[[Iterator[Any]], Iterator[ChangedRows]]
"""Batches as they are given, to rows to write. It can be pickled."""


@dataclass(frozen=True, slots=True, eq=False)
class PartReport:
    """What a part of the input holds: rows by partition, in order of their first ones, and a sample of its keys."""

    part: int
    partitions: Mapping[str, int]
    sample: KeySample | None
    row_bytes: float | None = None
    key_sum: int = 0
    """The sum of its keys, see `key_sums`."""
    error: RowError | None = None
    """The error of the first row that is refused; the rows from there on are not counted."""

    @property
    def rows(self) -> int:
        return sum(self.partitions.values())


@dataclass(frozen=True, slots=True)
class PrepareRows:
    """Rows of a part in the form in which they are written, with their keys. It can be pickled. Without `measures` the size of
    rows in files is known. With `of_slices` batches come with the numbers of the file slices that they were read from."""

    preparation: Preparation
    measures: bool
    changed: Changed | None = None
    of_slices: bool = False

    def __call__(self, part: int, batches: Iterator[Any]) -> Iterator[Packet]:
        prepares, counting = replace(self.preparation, part=part), PartCounts(part, self._engine)
        changed: deque[ChangedRows] = deque()
        slices: deque[int] = deque()
        row_bytes: float | None = None
        numbers = SourceNumbers()
        try:
            for prepared in prepares.rows(self._give(batches, changed, slices, numbers)):
                keys = prepared.keys
                refuse_lost_paths(prepares.table, keys, counting.rows)
                if row_bytes is None and self.measures and part < _MEASURED_PARTS:
                    row_bytes = self._measure(prepared.batch)
                place = slices.popleft() if slices else None
                yield counting.packet(keys, prepared.batch, changed.popleft() if changed else None, place)
        except HudiError as error:
            if numbers.are_known and isinstance(error, RowError):
                yield report(part, numbers.renumber(error))
            else:
                yield counting.refuse(error)
        else:
            yield report(part, counting.report(row_bytes))

    @property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.preparation.table.engine

    def _give(
        self, batches: Iterator[Any], changed: deque[ChangedRows], slices: deque[int], numbers: SourceNumbers
    ) -> Iterator[Any]:
        if self.of_slices:
            batches = self._note_slices(batches, slices)
        if self.changed is None:
            yield from batches
            return
        for made in self.changed(batches):
            if len(made.loses):
                numbers.add(made)
                changed.append(replace(made, batch=None))
                yield made.batch

    def _note_slices(self, numbered: Iterator[tuple[int, Any]], slices: deque[int]) -> Iterator[Any]:
        for number, batch in numbered:
            if self._engine.rows.count(batch):
                slices.append(number)
                yield batch

    def _measure(self, batch: Any) -> float | None:
        engine = self._engine
        if engine.rows.count(batch) < _ENOUGH_ROWS:
            return None
        stored, files = self.preparation.stored, file_schema(self.preparation.schema.table)
        stores_keys = self.preparation.table.config.populate_meta_fields
        return measure_row_bytes(engine, files, Spool(engine, stored, (batch,)), stores_keys)


@dataclass(frozen=True, slots=True)
class ReadKeys:
    """The keys of a part's rows alone, in columns of two names or made by the table's generator. It can be pickled. With
    `of_slices` batches come with the numbers of the file slices that they were read from."""

    table: Table
    given: Schema
    names: tuple[str, str]
    of_slices: bool = False

    def __call__(self, part: int, batches: Iterator[Any]) -> Iterator[Packet]:
        counting = PartCounts(part, self.table.engine)
        try:
            reader = KeyReader(self.table, self.given, columns=self.names)
            for place, batch in batches if self.of_slices else ((None, batch) for batch in batches):
                if self.table.engine.rows.count(batch):
                    yield counting.packet(key_columns(*reader.keys(batch)), None, place=place)
        except HudiError as error:
            yield counting.refuse(error)
        else:
            yield report(part, counting.report())


class PartCounts:
    """The packets of a part, and what they hold."""

    def __init__(self, part: int, engine: Engine[Any, Any, Any]) -> None:
        self.part, self.rows, self.packets, self._engine = part, 0, 0, engine
        self.partitions: Counter[str] = Counter()
        self.sampler = Sampler(part)
        self._sum = KeySum()

    def packet(
        self, keys: KeyColumns, batch: Any, changed: ChangedRows | None = None, place: int | None = None
    ) -> Packet:
        """Rows, or keys alone. `place` is the number of the slice that they were read from."""
        numbers = np.arange(self.rows, self.rows + len(keys), dtype=np.int64)
        self.sampler.add(keys)
        self._sum.add(keys)
        self.partitions.update(keys.count_by_path())
        self.rows += len(keys)
        self.packets += 1
        loses, removes = (None, None) if changed is None else (changed.loses, changed.removes)
        places = None if place is None else np.full(len(keys), place, np.int64)
        pack = RowPack(keys, numbers, batch, places=places, loses=loses, removes=removes)
        return Packet(self.part, 0, self.part, self.packets, pack_rows(pack, self._engine))

    def report(self, row_bytes: float | None = None) -> PartReport:
        """What the packets hold, once all are there."""
        return PartReport(self.part, self.partitions, self.sampler.sample(), row_bytes, self._sum.value)

    def refuse(self, error: HudiError) -> Packet:
        """The report of a row that is refused. Raises other errors of storage: another attempt may have more luck."""
        if isinstance(error, StorageError):
            raise error
        if not isinstance(error, RowError):
            return report(self.part, error)
        return report(self.part, PartReport(self.part, self.partitions, None, error=error))


@dataclass(frozen=True, eq=False)
class InputReport:
    """What an input holds, by its parts, in order."""

    parts: tuple[PartReport, ...]

    @property
    def partitions(self) -> dict[str, int]:
        """Rows by partition."""
        total: Counter[str] = Counter()
        for part in self.parts:
            total.update(part.partitions)
        return dict(total)

    @property
    def key_sums(self) -> dict[int, int]:
        """The sum of keys of each part."""
        return {part.part: part.key_sum for part in self.parts}

    @property
    def samples(self) -> list[KeySample]:
        return [part.sample for part in self.parts if part.sample is not None]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)

    @property
    def row_bytes(self) -> float:
        """Measured bytes that a row takes in a file. A few rows are not worth measuring."""
        if self.rows <= FEW_ROWS:
            return GUESS
        measured = [(part.row_bytes, part.rows) for part in self.parts if part.row_bytes is not None]
        rows = sum(count for _, count in measured)
        return sum(size * count for size, count in measured) / rows if rows else GUESS

    @cached_property
    def first_rows(self) -> dict[int, int]:
        """The number of each part's first row among all rows."""
        firsts = accumulate((part.rows for part in self.parts), initial=0)
        return {part.part: first for part, first in zip(self.parts, firsts, strict=False)}


def input_report(reports: Sequence[Packet]) -> InputReport:
    """The report of an input. Raises the error of its first row that is refused, with the row's number among all rows."""
    parts = sorted(open_reports(reports), key=lambda part: part.part)
    whole = InputReport(tuple(parts))
    for part in parts:
        if part.error is not None:
            raise renumber(part.error, whole.first_rows[part.part])
    return whole


def renumber(error: RowError, first: int) -> RowError:
    """The error of a row of a part, of which the first row has this number."""
    row = None if error.row is None else error.row + first
    return RowError(row, expected=error.expected or "", found=error.found or "", path=error.path)

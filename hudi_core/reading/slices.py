"""Rows of file slices: chooses the reader of a slice, and gives the rows that match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from hudi_core.by_need import ModuleByNeed
from hudi_core.expr.predicate import Predicate
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.damage import RAISED, Damage
from hudi_core.reading.selection import Selection
from hudi_core.reading.small_files import SmallFiles
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice

if TYPE_CHECKING:
    from hudi_core.reading import merged_slices
else:
    merged_slices = ModuleByNeed("hudi_core.reading.merged_slices")  # for log files alone; it loads keys and merging

_REST: Final = "the rest of its file slice is"


@dataclass(frozen=True)
class SliceReader:
    """Reads slices as rows of the wanted schema; `damage` is what becomes of those with a damaged file."""

    sources: Sources
    wanted: Schema
    predicate: Predicate
    damage: Damage = RAISED

    def read(self, slice: FileSlice, residual: Predicate | None) -> Iterator[Any]:
        """The engine's batches of the slice's rows, those that match `residual` if there is one.

        Raises `UnsupportedError` for a format that the engine cannot read, and for an unknown way to merge
        records.
        """
        rows = self._rows_of(slice, residual)
        return self.damage.rest(rows, _REST) if self.damage.skips else rows

    def _rows_of(self, slice: FileSlice, residual: Predicate | None) -> Iterator[Any]:
        if slice.logs or slice.base is None:
            if residual is None:
                return self._merged.rows(slice, self.wanted)
            return self._merged.matching(slice, self._selection, residual)
        if residual is None:
            return self._base_files.rows(slice, slice.base, self.wanted)
        return self._base_files.matching(slice, slice.base, self._selection, residual)

    def together(self, slices: Iterable[FileSlice], residual: Predicate | None) -> Iterator[Any]:
        """As `read` of slices of small base files without log files, one after the other, in fewer batches."""
        if self.damage.skips:
            return (batch for file_slice in slices for batch in self.read(file_slice, residual))
        wanted = self._selection.schema_to_read(filtered=residual is not None)
        rows = SmallFiles(self._base_files, wanted).rows(slices)
        return rows if residual is None else self._selection.matching(residual, rows)

    def parts(self, slice: FileSlice, residual: Predicate | None) -> list[Callable[[], Iterator[Any]]]:
        """The batches of `read` as consecutive streams, which may be read side by side."""
        base, files = slice.base, self._base_files
        if slice.logs or base is None or self.damage.skips:
            return [partial(self.read, slice, residual)]
        if residual is not None:
            row_groups = files.possible_row_groups(slice, base, residual)
            return [partial(files.matching_in, slice, base, self._selection, residual, groups) for groups in row_groups]
        count = len(self.sources.headers.footer(base).row_groups)
        if count < 2:
            return [partial(self.read, slice, residual)]
        return [partial(files.rows, slice, base, self.wanted, [group]) for group in range(count)]

    @cached_property
    def _selection(self) -> Selection:
        snapshot = self.sources.snapshot
        return Selection(snapshot.engine, snapshot.schema, self.wanted, self.predicate)

    @cached_property
    def _merged(self) -> merged_slices.MergedSlices:
        return merged_slices.MergedSlices(self._base_files, self.damage)

    @cached_property
    def _base_files(self) -> BaseFiles:
        return BaseFiles(self.sources)

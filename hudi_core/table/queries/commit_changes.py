"""What one commit changed: a file group before it and after it, compared by record key. Rules QUERY-12 to QUERY-17."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.engine import Engine, FileInfo
from hudi_core.errors import CorruptFileError, UsageError
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col
from hudi_core.expr.predicate import ALWAYS_TRUE, Predicate
from hudi_core.formats.columns import Bools, Text
from hudi_core.formats.names import parse_base_file
from hudi_core.formats.text_columns import joined
from hudi_core.formats.text_match import TextIndex, index_texts
from hudi_core.schema.meta import COMMIT_TIME, RECORD_KEY
from hudi_core.schema.project import project, with_all_optional
from hudi_core.schema.schema import Schema
from hudi_core.table.queries.change_rows import DELETE, INSERT, UPDATE
from hudi_core.table.queries.incremental import placed
from hudi_core.table.queries.relevant import Compared, Side
from hudi_core.table.reading.slices import SliceReader
from hudi_core.table.snapshot import Snapshot
from hudi_core.table.sources.sources import Sources
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.files import files_in
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline
from hudi_core.types.nodes import Field, Record, String

FileGroup = tuple[str, str]
"""Partition and file id."""


@dataclass(frozen=True)
class CommitChanges:
    """What one commit changed. `past` is the timeline before it; None when it is the first there is."""

    snapshot: Snapshot
    instant: Instant
    past: Timeline | None
    files: Mapping[FileGroup, Sequence[FileInfo]]
    schema: Schema

    @cached_property
    def groups(self) -> list[FileGroup]:
        """The file groups that the commit wrote to or took away, by partition and file id."""
        return sorted({*self._stats, *self._replaced})

    def of(self, group: FileGroup) -> Iterator[Any]:
        """The engine's batches of the changes of one file group. Raises `UsageError` when files of it are cleaned away."""
        found = self.compared(group)
        if found.after is None:
            return iter(()) if found.before is None else self._deleted(found.before.slice)
        if found.before is None:
            return self._inserted(self._changed(found.after.slice))
        return self._compared(group, found.before.slice, found.after.slice)

    def compared(self, group: FileGroup) -> Compared:
        """What is compared of one file group. Raises `UsageError` when files of it are cleaned away."""
        before, after = self._slices_before.get(group), self._slices_after.get(group)
        self._refuse_cleaned(group, before)
        assert after is not None or group in self._replaced
        old = None if before is None or self._before is None else Side(self._before, before)
        new = None if after is None or group in self._replaced else Side(self._after, after)
        return Compared(self.instant.requested_time, old, new)

    @cached_property
    def _stats(self) -> Mapping[FileGroup, Sequence[WriteStat]]:
        found: dict[FileGroup, list[WriteStat]] = {}
        for partition, stats in self.snapshot.timeline.metadata(self.instant).stats.items():
            for stat in stats:
                if stat.path:
                    found.setdefault((partition, stat.file_id), []).append(stat)
        return found

    @cached_property
    def _replaced(self) -> frozenset[FileGroup]:
        replaced = self.snapshot.timeline.metadata(self.instant).replaced
        return frozenset((partition, file_id) for partition, file_ids in replaced.items() for file_id in file_ids)

    @cached_property
    def _after(self) -> Sources:
        return self._at(self.snapshot.timeline.as_completed(placed(self.instant)))

    @cached_property
    def _before(self) -> Sources | None:
        return None if self.past is None else self._at(self.past)

    def _at(self, timeline: Timeline) -> Sources:
        listing: dict[str, list[FileInfo]] = {}
        for partition, file_id in self.groups:
            listing.setdefault(partition, []).extend(self.files.get((partition, file_id), ()))
        return Sources(self.snapshot.at(timeline, files_in(listing)))

    @cached_property
    def _slices_before(self) -> Mapping[FileGroup, FileSlice]:
        return {} if self._before is None else _by_group(self._before)

    @cached_property
    def _slices_after(self) -> Mapping[FileGroup, FileSlice]:
        return _by_group(self._after)

    def _refuse_cleaned(self, group: FileGroup, before: FileSlice | None) -> None:
        """The files that the commit wrote, and those it wrote them from, have to be there."""
        there = {info.name for info in self.files.get(group, ())}
        stats = self._stats.get(group, ())
        needed = {name for stat in stats for name in (stat.path.rpartition("/")[2], stat.base_file) if name}
        # What a log file was written to, its base file tells: the commit before may be any.
        previous = (stat.previous for stat in stats if stat.previous and parse_base_file(stat.path.rpartition("/")[2]))
        since = max(previous, default="")
        begun = before.instant if before is not None else ""
        missing = not needed <= there or time_order(begun) < time_order(since)
        if missing or (group in self._replaced and before is None):
            where = "/".join(group).lstrip("/")
            raise UsageError(
                f"changes of {self.instant.requested_time}",
                expected="a later time to begin after",
                found=f"files of {where} before it cleaned away",
            )

    # -- rows --------------------------------------------------------------------------------------------------------------

    def _changed(self, after: FileSlice) -> Iterator[Any]:
        """The rows of a slice that the commit wrote."""
        return self._read(self._after, after, self._of_commit)

    def _read(self, sources: Sources | None, slice: FileSlice, residual: Predicate | None) -> Iterator[Any]:
        assert sources is not None
        return SliceReader(sources, self._images, residual or ALWAYS_TRUE).read(slice, residual)

    @cached_property
    def _images(self) -> Schema:
        return with_all_optional(self.snapshot.schema)

    @cached_property
    def _of_commit(self) -> Predicate:
        return bind((col(COMMIT_TIME) == self.instant.requested_time).node, self._images)

    def _inserted(self, rows: Iterator[Any]) -> Iterator[Any]:
        return (self._said(INSERT, None, batch) for batch in rows)

    def _deleted(self, before: FileSlice) -> Iterator[Any]:
        return (self._said(DELETE, batch, None) for batch in self._read(self._before, before, None))

    def _compared(self, group: FileGroup, before: FileSlice, after: FileSlice) -> Iterator[Any]:
        """The changed rows with what they were before, then the rows that are there no more, then those that are back: a late
        row may undo a delete and then lose to a row of an older commit."""
        engine = self.snapshot.engine.rows
        changed = list(self._changed(after))
        index = index_texts(self._keys_of(changed))
        stayed = index_texts(self._all_keys(after)) if self._may_delete(group, after) else None
        old = np.zeros(0 if stayed is None else len(stayed.first), np.bool_)
        at = np.full(len(index.first), -1, np.int64)
        images, gone, passed = [], [], 0
        for batch in self._read(self._before, before, None):
            keys = self._keys(batch)
            found = index.find(keys)
            kept = np.flatnonzero(found >= 0)
            if len(kept):
                images.append(engine.keep(batch, found >= 0))
                at[found[kept]] = np.arange(passed, passed + len(kept))
                passed += len(kept)
            if stayed is not None:
                place = stayed.find(keys)
                old[place[place >= 0]] = True
                if (place < 0).any():
                    gone.append(engine.keep(batch, place < 0))
        yield from self._updated(changed, images, at[index.first])
        for batch in gone:
            yield self._said(DELETE, batch, None)
        if stayed is not None:
            old[stayed.find(index.texts)] = True
            yield from self._back(after, stayed, old[stayed.first])

    def _back(self, after: FileSlice, stayed: TextIndex, old: Bools) -> Iterator[Any]:
        """Rows of the later slice that are not `old`: neither in the slice before nor of the commit."""
        if old.all():
            return
        engine = self.snapshot.engine.rows
        for batch in self._read(self._after, after, None):
            back = ~old[stayed.find(self._keys(batch))]
            if back.any():
                yield self._said(INSERT, None, engine.keep(batch, back))

    def _updated(self, changed: Sequence[Any], images: Sequence[Any], at: NDArray[np.int64]) -> Iterator[Any]:
        """Changed rows, each with the row before at a position in the images: an update, or an insert where there is none."""
        engine = self.snapshot.engine.rows
        if not images:
            yield from self._inserted(iter(changed))
            return
        columns, begin = len(self._images.fields), 0
        for batch in changed:
            end = begin + engine.count(batch)
            rows = [np.arange(end - begin)] * columns
            both = zip(
                engine.gather(images, [at[begin:end]] * columns, self._images),
                engine.gather([batch], rows, self._images),
                strict=True,
            )
            for old, new in both:
                yield self._said(UPDATE, old, new)
            begin = end

    def _may_delete(self, group: FileGroup, after: FileSlice) -> bool:
        return bool(after.logs) or any(stat.deletes != 0 for stat in self._stats[group])

    def _all_keys(self, slice: FileSlice) -> Text:
        reader = SliceReader(self._after, project(self._images, [RECORD_KEY]), ALWAYS_TRUE)
        return self._keys_of(list(reader.read(slice, None)), 0)

    def _keys_of(self, batches: Sequence[Any], position: int | None = None) -> Text:
        keys = [self._keys(batch, position) for batch in batches]
        return joined(keys)

    def _keys(self, batch: Any, position: int | None = None) -> Text:
        engine: Engine[Any, Any, Any] = self.snapshot.engine
        where = f"changes of {self.instant.requested_time}"
        value = engine.values.field(engine.rows.root(batch), self._key_position if position is None else position)
        keys = engine.rows.to_column(value, String(), where)
        if not isinstance(keys, Text) or (keys.validity is not None and not keys.validity.all()):
            raise CorruptFileError(where, expected="a key in every row", found="null")
        return keys

    @cached_property
    def _key_position(self) -> int:
        return next(number for number, each in enumerate(self._images.fields) if each.name == RECORD_KEY)

    def _said(self, operation: str, before: Any, after: Any) -> Any:
        """A batch of changes. An update whose row before is null throughout is an insert."""
        engine: Engine[Any, Any, Any] = self.snapshot.engine
        values, rows = engine.values, engine.rows
        like = rows.root(after if after is not None else before)
        op_, time_, before_, after_ = self.schema.fields
        operations = values.literal(operation, String(), like)
        nobody = values.is_null(operations)
        images = []
        for each, batch in ((before_, before), (after_, after)):
            root = like if batch is None else rows.root(batch)
            nulls = values.no(nobody) if batch is None else values.is_null(values.field(root, self._key_position))
            parts = [(field, values.field(root, self._positions[field.name])) for field in self._fields(each)]
            images.append((each, values.struct(parts, nulls, root)))
        if operation == UPDATE:
            new = values.is_null(values.field(rows.root(before), self._key_position))
            inserted = values.literal(INSERT, String(), like)
            operations = values.choose(new, inserted, operations, String())
        time = values.literal(self.instant.requested_time, String(), like)
        return rows.batch(values.struct([(op_, operations), (time_, time), *images], nobody, like))

    @staticmethod
    def _fields(image: Field) -> Sequence[Field]:
        assert isinstance(image.type, Record)
        return image.type.fields

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {each.name: number for number, each in enumerate(self._images.fields)}


def _by_group(sources: Sources) -> Mapping[FileGroup, FileSlice]:
    return {(each.partition, each.file_id): each for each in sources.snapshot.slices}

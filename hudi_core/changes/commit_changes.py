"""The changes of one commit: a file group before it and after it, compared by record key. Rules QUERY-12 to QUERY-19."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.changes.cdc_logs import (
    CdcBatch,
    CdcLogReader,
    change_logs,
    choose_images,
    logs_suffice,
)
from hudi_core.changes.data_skipping import ComparedGroup, ComparedSlice
from hudi_core.changes.incremental import order_time
from hudi_core.changes.rows import AFTER, BEFORE, DELETE, INSERT, UPDATE, ChangeRows
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.engine import FileInfo
from hudi_core.errors import TableError, UsageError
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col
from hudi_core.expr.predicate import ALWAYS_TRUE, Predicate
from hudi_core.formats.names import parse_base_file
from hudi_core.merge.rules import MergedColumns, merges
from hudi_core.planning.sources.log_headers import log_headers
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.slices import SliceReader
from hudi_core.schema.meta import COMMIT_TIME, RECORD_KEY, is_meta
from hudi_core.schema.project import project, with_all_optional
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.files import files_in
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline
from hudi_core.types.nodes import String

FileGroup = tuple[str, str]
"""Partition and file id."""


@dataclass(frozen=True)
class CommitChanges:
    """The changes of one commit. `past` is the timeline before it; None when it is the first there is."""

    snapshot: Snapshot
    instant: Instant
    past: Timeline | None
    files: Mapping[FileGroup, Sequence[FileInfo]]
    schema: Schema
    needed: Schema
    """The columns of changes that are requested, and those of the predicate."""
    cleaned: Mapping[FileGroup, Sequence[str]] = field(default_factory=dict, repr=False)
    """The instants in names of files that were cleaned away."""

    @cached_property
    def groups(self) -> list[FileGroup]:
        """The file groups that the commit wrote to or replaced: those that lose rows before those that get them, so that the
        delete of a row that another file group gets comes first. Alike ones are by partition and file id."""
        return sorted({*self._stats, *self._replaced}, key=lambda group: (self._rank(group), group))

    def batches(self, group: FileGroup) -> Iterator[Any]:
        """The engine's batches of the changes of one file group. Raises `UsageError` when files of it are cleaned away."""
        logs = self.logs(group)
        logged = None if logs is None else self._from_logs(group, logs)
        if logged is not None:
            return logged
        compared = self.compare(group)
        if compared.after is None:
            return iter(()) if compared.before is None else self._select_deleted(compared.before.slice)
        if compared.before is None:
            return self._select_inserted(self._select_changed(compared.after.slice))
        return self._compare(group, compared.before.slice, compared.after.slice)

    def compare(self, group: FileGroup) -> ComparedGroup:
        """The slices of one file group to compare. Raises `UsageError` when files of it are cleaned away."""
        before, after = self._slices_before.get(group), self._slices_after.get(group)
        self._refuse_cleaned(group, before)
        assert after is not None or group in self._replaced
        old = None if before is None or self._before is None else ComparedSlice(self._before, before)
        new = None if after is None or group in self._replaced else ComparedSlice(self._after, after)
        return ComparedGroup(self.instant.requested_time, old, new)

    @cached_property
    def _stats(self) -> Mapping[FileGroup, Sequence[WriteStat]]:
        stats_of: dict[FileGroup, list[WriteStat]] = {}
        for partition, stats in self.snapshot.timeline.metadata(self.instant).stats.items():
            for stat in stats:
                if stat.path:
                    stats_of.setdefault((partition, stat.file_id), []).append(stat)
        return stats_of

    @cached_property
    def _replaced(self) -> frozenset[FileGroup]:
        replaced = self.snapshot.timeline.metadata(self.instant).replaced
        return frozenset((partition, file_id) for partition, file_ids in replaced.items() for file_id in file_ids)

    def _rank(self, group: FileGroup) -> int:
        """0 for a replaced file group, 4 for a new one, and between them the others: with deletes before those without."""
        if group in self._replaced:
            return 0
        stats = self._stats[group]
        if not any(stat.previous for stat in stats):
            return 4
        if not any(stat.deletes for stat in stats):
            return 3
        return 2 if any(stat.inserts for stat in stats) else 1

    @cached_property
    def _after(self) -> Sources:
        return self._sources_at(self.snapshot.timeline.as_completed(order_time(self.instant)))

    @cached_property
    def _before(self) -> Sources | None:
        return None if self.past is None else self._sources_at(self.past)

    def _sources_at(self, timeline: Timeline) -> Sources:
        listing: dict[str, list[FileInfo]] = {}
        for partition, file_id in self.groups:
            listing.setdefault(partition, []).extend(self.files.get((partition, file_id), ()))
        return Sources(self.snapshot.with_files(timeline, files_in(listing)))

    @cached_property
    def _slices_before(self) -> Mapping[FileGroup, FileSlice]:
        return {} if self._before is None else _by_group(self._before)

    @cached_property
    def _slices_after(self) -> Mapping[FileGroup, FileSlice]:
        return _by_group(self._after)

    def _refuse_cleaned(self, group: FileGroup, before: FileSlice | None) -> None:
        """Raises `UsageError` where files that the commit wrote or read are missing."""
        names = {info.name for info in self.files.get(group, ())}
        stats = self._stats.get(group, ())
        needed = {name for stat in stats for name in (stat.path.rpartition("/")[2], stat.base_file) if name}
        # The slice of a log file is known by its base file: its previous commit may be any.
        previous = (stat.previous for stat in stats if stat.previous and parse_base_file(stat.path.rpartition("/")[2]))
        since = max(previous, default="")
        begun = before.instant if before is not None else ""
        missing = not needed <= names or time_order(begun) < time_order(since)
        if missing or self._lacks_earlier_slice(group, begun) or (group in self._replaced and before is None):
            where = "/".join(group).lstrip("/")
            raise UsageError(
                f"changes of {self.instant.requested_time}",
                expected="a later begin of the range",
                found=f"earlier files of {where} that were cleaned away",
            )

    def _lacks_earlier_slice(self, group: FileGroup, begun: str) -> bool:
        """Whether a slice of the past is gone that was later than the one which is there: a savepoint keeps older ones."""
        return self.past is not None and any(
            time_order(begun) < time_order(instant) and self.past.is_committed(instant)
            for instant in self.cleaned.get(group, ())
        )

    # -- logged changes ----------------------------------------------------------------------------------------------------

    def logs(self, group: FileGroup) -> tuple[FileInfo, ...] | None:
        """The CDC logs to read instead of the slices of a file group; None where they lack requested columns. Rule
        QUERY-19."""
        stats, sides = self._stats.get(group, ()), choose_images(self.needed)
        if sides is None or group in self._replaced or not stats or not logs_suffice(self.snapshot.config, sides):
            return None
        history, times = self.snapshot.history, {stat.previous for stat in stats if stat.previous}
        # Rows of an older schema were converted by the writer of the log, not by the rules of this library.
        versions = {history.number_at(time) for time in (self.instant.requested_time, *times)}
        if len(versions) > 1 or group not in self._slices_after:
            return None
        return change_logs(stats, self.files.get(group, ()))

    def _from_logs(self, group: FileGroup, files: Sequence[FileInfo]) -> Iterator[Any] | None:
        """The changes of a file group by its logs of changes; None where the logs are incomplete."""
        sides, after, stats = choose_images(self.needed), self._slices_after[group], self._stats[group]
        assert sides is not None
        try:
            logged = CdcLogReader(BaseFiles(self._after), self._images).read(after, files, sides)
        except TableError as error:
            message = f"{error}; comparing file slices instead"
            if message not in self.snapshot.warnings:
                self.snapshot.warnings.append(message)
            return None
        counts = [count for stat in stats for count in (stat.inserts, stat.updates, stat.deletes)]
        if None in counts or sum(count or 0 for count in counts) != sum(log.count for log in logged):
            return None
        if AFTER in sides and any(log.after is None for log in logged):
            return self._with_rows_after(after, logged)
        if BEFORE in sides and any(log.before is None for log in logged):
            return None
        return (self._form.batch(log.operations, log.before, log.after, log.operations) for log in logged)

    def _with_rows_after(self, after: FileSlice, logged: Sequence[CdcBatch]) -> Iterator[Any] | None:
        """Logged changes with the rows that the commit left; None where these differ from the log."""
        values, rows = self.snapshot.engine.values, self.snapshot.engine.rows
        changed = list(self._select_changed(after))
        index = index_strings(self._form.keys_of(changed))
        position_before, logged_rows = np.full(len(index.first), -1, np.int64), 0
        images, deletes, offset = [], [], 0
        for batch in logged:
            if batch.before is None or batch.keys is None:
                return None
            deleted = rows.flags(values.one_of(batch.operations, (DELETE,), String()))
            updated = rows.flags(values.one_of(batch.operations, (UPDATE,), String()))
            rows_after = index.find(batch.keys)
            if (rows_after[~deleted] < 0).any():
                return None
            logged_rows += int((~deleted).sum())
            position_before[rows_after[updated]] = offset + np.flatnonzero(updated)
            images.append(batch.before)
            offset += batch.count
            if deleted.any():
                deletes.append(rows.keep(batch.before, deleted))
        if logged_rows != len(position_before):
            return None
        return chain(
            self._pair_updates(changed, images, position_before[index.first]),
            (self._form.from_images(DELETE, deleted_rows, None) for deleted_rows in deletes),
        )

    # -- rows --------------------------------------------------------------------------------------------------------------

    def _select_changed(self, after: FileSlice) -> Iterator[Any]:
        """The rows of a slice that the commit wrote."""
        return self._read(self._after, after, self._of_commit)

    def _read(self, sources: Sources | None, slice: FileSlice, residual: Predicate | None) -> Iterator[Any]:
        assert sources is not None
        return SliceReader(sources, self._images, residual or ALWAYS_TRUE).read(slice, residual)

    @cached_property
    def _images(self) -> Schema:
        return with_all_optional(self.snapshot.schema)

    @cached_property
    def _form(self) -> ChangeRows:
        return ChangeRows(self.snapshot.engine, self.schema, self._images, self.instant.requested_time)

    @cached_property
    def _of_commit(self) -> Predicate:
        return bind((col(COMMIT_TIME) == self.instant.requested_time).node, self._images)

    @cached_property
    def _of_others(self) -> Predicate:
        return bind((col(COMMIT_TIME) != self.instant.requested_time).node, self._images)

    def _select_inserted(self, rows: Iterator[Any]) -> Iterator[Any]:
        return (self._form.from_images(INSERT, None, batch) for batch in rows)

    def _select_deleted(self, before: FileSlice) -> Iterator[Any]:
        return (self._form.from_images(DELETE, batch, None) for batch in self._read(self._before, before, None))

    def _compare(self, group: FileGroup, before: FileSlice, after: FileSlice) -> Iterator[Any]:
        """Changed rows with the rows before, rows that late rows completed, deleted rows, and rows that returned: a late row may
        undo a delete and then lose to a row of an older commit."""
        engine = self.snapshot.engine.rows
        changed, late_rows = list(self._select_changed(after)), list(self._late_rows(group, after))
        rows = sum(map(engine.count, changed))
        index = index_strings(self._form.keys_of([*changed, *late_rows]))
        keys_after = index_strings(self._all_keys(after)) if self._may_delete(group, after) else None
        in_slice_before = np.zeros(0 if keys_after is None else len(keys_after.first), np.bool_)
        position_before = np.full(len(index.first), -1, np.int64)
        images, deletes, offset = [], [], 0
        for batch in self._read(self._before, before, None):
            keys = self._form.keys(batch)
            matches = index.find(keys)
            matched = np.flatnonzero(matches >= 0)
            if len(matched):
                images.append(engine.keep(batch, matches >= 0))
                position_before[matches[matched]] = np.arange(offset, offset + len(matched))
                offset += len(matched)
            if keys_after is not None:
                rows_after = keys_after.find(keys)
                in_slice_before[rows_after[rows_after >= 0]] = True
                if (rows_after < 0).any():
                    deletes.append(engine.keep(batch, rows_after < 0))
        yield from self._pair_updates(changed, images, position_before[index.first[:rows]])
        yield from self._pair_completed(late_rows, images, position_before[index.first[rows:]])
        for batch in deletes:
            yield self._form.from_images(DELETE, batch, None)
        if keys_after is not None:
            in_slice_before[keys_after.find(self._form.keys_of(changed))] = True
            yield from self._select_returned(after, keys_after, in_slice_before[keys_after.first])

    def _select_returned(self, after: FileSlice, keys_after: StringIndex, in_slice_before: Bools) -> Iterator[Any]:
        """Rows of the later slice that are not `old`: neither in the slice before nor of the commit."""
        if in_slice_before.all():
            return
        engine = self.snapshot.engine.rows
        for batch in self._read(self._after, after, None):
            returned = ~in_slice_before[keys_after.find(self._form.keys(batch))]
            if returned.any():
                yield self._form.from_images(INSERT, None, engine.keep(batch, returned))

    def _pair_updates(self, changed: Sequence[Any], images: Sequence[Any], position_before: Numbers) -> Iterator[Any]:
        """Changed rows, each with the row before at a position in the images: an update, or an insert where there is none."""
        if not images:
            yield from self._select_inserted(iter(changed))
            return
        for old, new in self._pairs(changed, images, position_before):
            yield self._form.from_images(UPDATE, old, new)

    def _late_rows(self, group: FileGroup, after: FileSlice) -> Iterator[Any]:
        """The rows of a slice that are of other commits, and that a late row of this one may have filled up."""
        names = {name.rpartition("/")[2] for stat in self._stats[group] for name in (stat.path, *stat.log_files)}
        if after.base is not None and after.base.name in names and self._fills_up:
            yield from self._read(self._after, after, self._of_others)  # no file says which of them came late
            return
        logs = tuple(info for info in after.logs if info.name in names)
        if not logs or not self._merges_columns(logs):
            return
        late_keys = index_strings(self._all_keys(replace(after, base=None, logs=logs)))
        for batch in self._read(self._after, after, self._of_others):
            is_late = late_keys.find(self._form.keys(batch)) >= 0
            if is_late.any():
                yield self.snapshot.engine.rows.keep(batch, is_late)

    @cached_property
    def _fills_up(self) -> bool:
        """Whether the table's rows are merged column by column."""
        return merges(self.snapshot.config) is MergedColumns.VALUES

    def _merges_columns(self, logs: Sequence[FileInfo]) -> bool:
        snapshot = self.snapshot
        return self._fills_up or any(
            log_headers(info.name, snapshot.storage.open(info.path, info.size)).parts_of_rows for info in logs
        )

    def _pair_completed(self, late: Sequence[Any], images: Sequence[Any], position_before: Numbers) -> Iterator[Any]:
        """The rows of other commits that have other values than before."""
        engine = self.snapshot.engine.rows
        for old, new in self._pairs(late, images, position_before) if images else ():
            rows = zip(engine.to_json(old, self._images), engine.to_json(new, self._images), strict=True)
            differ = np.array(
                [one[RECORD_KEY] is not None and _without_meta(one) != _without_meta(other) for one, other in rows]
            )
            if differ.any():
                yield self._form.from_images(UPDATE, engine.keep(old, differ), engine.keep(new, differ))

    def _pairs(
        self, changed: Sequence[Any], images: Sequence[Any], position_before: Numbers
    ) -> Iterator[tuple[Any, Any]]:
        """Batches of rows before, all null where there was none, and of the rows in their place."""
        engine = self.snapshot.engine.rows
        columns, start = len(self._images.fields), 0
        for batch in changed:
            stop = start + engine.count(batch)
            rows = [np.arange(stop - start)] * columns
            both = zip(
                engine.gather(images, [position_before[start:stop]] * columns, self._images),
                engine.gather([batch], rows, self._images),
                strict=True,
            )
            yield from both
            start = stop

    def _may_delete(self, group: FileGroup, after: FileSlice) -> bool:
        return bool(after.logs) or any(stat.deletes != 0 for stat in self._stats[group])

    def _all_keys(self, slice: FileSlice) -> StringColumn:
        reader = SliceReader(self._after, project(self._images, [RECORD_KEY]), ALWAYS_TRUE)
        return self._form.keys_of(list(reader.read(slice, None)), 0)


def _without_meta(row: Mapping[str, Any]) -> list[Any]:
    """The values of a row but Hudi's own."""
    return [value for name, value in row.items() if not is_meta(name)]


def _by_group(sources: Sources) -> Mapping[FileGroup, FileSlice]:
    return {(file_slice.partition, file_slice.file_id): file_slice for file_slice in sources.snapshot.slices}

"""Changes, one by one: what each commit inserted, updated and deleted, with the rows before and after.

A change is a difference between two slices of a file group: the one before a commit and the one it left. That holds in
every mode of supplemental logging, and where no change was logged at all. Rules QUERY-12 to QUERY-17.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.engine import Engine, FileInfo, Rows
from hudi_core.errors import CorruptFileError, UsageError
from hudi_core.evolve.reconcile import reconcile
from hudi_core.expr.bind import bind
from hudi_core.expr.build import Built, col
from hudi_core.expr.nodes import Expr
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import ALWAYS_TRUE, Predicate
from hudi_core.formats.columns import Bools, Text
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.formats.text_columns import joined
from hudi_core.formats.text_match import TextIndex, index_texts
from hudi_core.rows.project import projection
from hudi_core.schema.meta import COMMIT_TIME, RECORD_KEY
from hudi_core.schema.project import project, with_all_optional
from hudi_core.schema.schema import Schema
from hudi_core.table.answer import Answer
from hudi_core.table.queries.change_rows import DELETE, INSERT, UPDATE, changes_schema
from hudi_core.table.queries.incremental import Between, placed
from hudi_core.table.queries.relevant import Compared, Side, groups_that_may_match, times_that_may_match
from hudi_core.table.reading.ahead import read_ahead
from hudi_core.table.reading.slices import SliceReader
from hudi_core.table.reading.wanted import Wanted
from hudi_core.table.snapshot import Snapshot
from hudi_core.table.sources.sources import Sources
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.files import files_in
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline
from hudi_core.types.nodes import Field, Record, String

_NO_CHANGE = frozenset({"COMPACT", "LOG_COMPACT", "CLUSTER", "INDEX", "ALTER_SCHEMA"})
"""Operations that write files and leave every row as it was."""

FileGroup = tuple[str, str]


def changes(
    snapshot: Snapshot,
    found: Between,
    where: str | Expr | Built | None,
    columns: Sequence[str] | None,
    limit: int | None,
    *,
    meta: bool,
    case_sensitive: bool,
) -> Changes:
    """The changes of the commits between two times; `snapshot` is the table at the end of them.

    Raises `ExpressionError` and `UnknownColumnError` for a predicate or columns that changes do not have.
    """
    whole = changes_schema(snapshot.schema, meta=meta)
    wanted = whole if columns is None else project(whole, columns, case_sensitive=case_sensitive, as_asked=True)
    tree = where.node if isinstance(where, Built) else parse_predicate(where) if isinstance(where, str) else where
    predicate = None if tree is None else bind(tree, whole, case_sensitive=case_sensitive)
    return Changes(snapshot, found, whole, wanted, predicate, limit)


class Changes(Answer):
    """The changes of the commits between two times, commit by commit in the order of their completion.

    `where` and `columns` are about the columns of changes: `op`, `ts_ms`, `before`, `after`, and what is in them.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        found: Between,
        whole: Schema,
        wanted: Schema,
        predicate: Predicate | None,
        limit: int | None,
    ) -> None:
        self.schema = wanted
        self._snapshot, self._between, self._whole = snapshot, found, whole
        self._predicate, self._limit = predicate, limit

    @property
    def _rows(self) -> Rows[Any, Any, Any]:
        return self._snapshot.engine.rows

    @cached_property
    def commits(self) -> list[CommitChanges]:
        """The commits that changed rows."""
        timeline, instants = self._between.timeline, self._between.instants
        ends = sorted({placed(each) for each in (*timeline.commits, *instants)}, key=time_order)
        earlier = dict(pairwise(reversed(ends)))
        found = []
        for instant in instants:
            if timeline.metadata(instant).operation not in _NO_CHANGE:
                before = earlier.get(placed(instant))
                past = None if before is None else timeline.as_completed(before)
                found.append(CommitChanges(self._snapshot, instant, past, self._files, self._whole))
        return found

    def explain(self) -> str:
        """What is compared, in lines for people."""
        compared = Counter(number for number, _ in self.pieces())
        lines = [
            f"{each.instant.requested_time}: {compared[number]:,} of {len(each.groups):,} file groups compared"
            for number, each in enumerate(self.commits)
        ]
        return "\n".join(
            [*lines, f"{len(self.commits):,} of {len(self._between.instants):,} commits may have changed rows"]
        )

    def batches(self) -> Iterator[Any]:
        """The engine's batches of changes, file group after file group within a commit. Of a file group the changes of one
        commit, not its rows, are in memory together with the keys of the rows it then had."""
        parts = [partial(self.of_piece, *piece) for piece in self.pieces()]
        if self._limit is None:
            return read_ahead(parts)
        return self._limited(batch for part in parts for batch in part())

    @property
    def limit(self) -> int | None:
        """The greatest number of changes that is asked for."""
        return self._limit

    def pieces(self) -> list[tuple[int, FileGroup]]:
        """The file groups that are compared, each with the number of its commit in `commits`: to be read one by one, here or
        elsewhere. Those that cannot have changes which match are left out. Raises as reading them does."""
        wanted = range(len(self.commits))
        if self._predicate is None:
            return [(number, group) for number in wanted for group in self.commits[number].groups]
        times = [each.instant.requested_time for each in self.commits]
        kept = np.flatnonzero(times_that_may_match(self._predicate, self._whole, times)).tolist()
        found = [(number, group) for number in kept for group in self.commits[number].groups]
        compared = [self.commits[number].compared(group) for number, group in found]
        possible = groups_that_may_match(self._predicate, self._whole, compared)
        return [piece for piece, may_match in zip(found, possible.tolist(), strict=True) if may_match]

    def of_piece(self, number: int, group: FileGroup) -> Iterator[Any]:
        """The engine's batches of the changes that one commit made to one file group."""
        return self._of_group(self.commits[number], group)

    def _limited(self, batches: Iterator[Any]) -> Iterator[Any]:
        left = self._limit or 0
        while left and (batch := next(batches, None)) is not None:
            cut = self._rows.head(batch, left)
            left -= self._rows.count(cut)
            yield cut

    def count(self) -> int:
        """The number of changes, at most the limit."""
        return sum(map(self._rows.count, self.batches()))

    def _of_group(self, commit: CommitChanges, group: FileGroup) -> Iterator[Any]:
        found = commit.of(group)
        if self._predicate is not None:
            return self._chosen.matching(self._predicate, map(self._to_needed, found))
        return found if self.schema is self._whole else map(self._to_wanted, found)

    @cached_property
    def _chosen(self) -> Wanted:
        assert self._predicate is not None
        whole = self._snapshot.engine, self._whole, self.schema, self._predicate
        return Wanted(*whole)

    @cached_property
    def _to_needed(self) -> Callable[[Any], Any]:
        return self._to(self._chosen.needed)

    @cached_property
    def _to_wanted(self) -> Callable[[Any], Any]:
        return self._to(self.schema)

    def _to(self, schema: Schema) -> Callable[[Any], Any]:
        read = projection(reconcile(self._whole, schema), self._snapshot.engine.values)
        return lambda batch: self._rows.batch(read(self._rows.root(batch)))

    @cached_property
    def _files(self) -> Mapping[FileGroup, Sequence[FileInfo]]:
        found: dict[FileGroup, list[FileInfo]] = {}
        for partition, info in self._snapshot.listing.infos():
            name = parse_base_file(info.name) or parse_log_file(info.name)
            if name is not None:
                found.setdefault((partition, name.file_id), []).append(info)
        return found


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
        before, after = self._slice(self._before, group), self._slice(self._after, group)
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

    @staticmethod
    def _slice(sources: Sources | None, group: FileGroup) -> FileSlice | None:
        slices = () if sources is None else sources.snapshot.slices
        return next((each for each in slices if (each.partition, each.file_id) == group), None)

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

"""Changes, one by one: what each commit inserted, updated and deleted, with the rows before and after.

A change is a difference between two slices of a file group: the one before a commit and the one it left. That holds in
every mode of supplemental logging, and where no change was logged at all. Rules QUERY-12 to QUERY-17.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from hudi_core.changes.commit_changes import CommitChanges, FileGroup
from hudi_core.changes.data_skipping import groups_that_may_match, times_that_may_match
from hudi_core.changes.incremental import CommitRange, order_time
from hudi_core.changes.rows import OPERATION, changes_schema
from hudi_core.engine import FileInfo
from hudi_core.evolve.reconcile import reconcile
from hudi_core.expr.bind import bind
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Predicate
from hudi_core.expr.sql_predicate import doubts_of, predicate_tree, warn_of
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.notebook import html_table
from hudi_core.parallel.streams import read_ahead
from hudi_core.reading.result import QueryResult
from hudi_core.reading.selection import Selection
from hudi_core.reading.small_files import reading_threads
from hudi_core.rows.project import projection
from hudi_core.schema.project import choose_columns, project
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.snapshot.time_travel import find_cleaned_instants
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.types.text import text as type_text

_NO_CHANGE = frozenset({"COMPACT", "LOG_COMPACT", "CLUSTER", "INDEX", "ALTER_SCHEMA"})
"""Operations that write files and leave every row as it was."""


def changes(
    snapshot: Snapshot,
    commit_range: CommitRange,
    where: str | Expr | ExpressionBuilder | None,
    columns: Sequence[str] | None,
    limit: int | None,
    *,
    meta: bool,
    case_sensitive: bool,
) -> Changes:
    """The changes of the commits between two times; `snapshot` is the table at the end of them.

    Raises `ExpressionError` and `UnknownColumnError` for a predicate or columns that changes do not have.
    """
    all_columns = changes_schema(snapshot.schema, meta=meta)
    wanted = all_columns if columns is None else choose_columns(all_columns, columns, case_sensitive=case_sensitive)
    tree = None if where is None else predicate_tree(where)
    predicate = None if tree is None else bind(tree, all_columns, case_sensitive=case_sensitive)
    if tree is not None:
        warn_of(doubts_of(tree, all_columns))
    return Changes(snapshot, commit_range, all_columns, wanted, predicate, limit)


class Changes(QueryResult):
    """The changes of the commits between two times, commit by commit in the order of their completion.

    `where` and `columns` are about the columns of changes: `op`, `ts_ms`, `before`, `after`, and what is in them.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        commit_range: CommitRange,
        all_columns: Schema,
        wanted: Schema,
        predicate: Predicate | None,
        limit: int | None,
    ) -> None:
        self.schema = wanted
        self._snapshot, self._commit_range, self._changes_schema = snapshot, commit_range, all_columns
        self._predicate, self._limit = predicate, limit

    def __repr__(self) -> str:
        """One line; nothing is read for it."""
        commits = len(self._commit_range.instants)
        return f"Changes of {self._snapshot.config.name}: {commits} commits; columns {', '.join(self.schema.names)}"

    def _repr_html_(self) -> str:
        """A notebook's table of the columns, under what `repr` shows; nothing is read for it."""
        rows = ((field.name, type_text(field.type)) for field in self.schema.fields)
        return html_table(rows, ("column", "type"), title=repr(self))

    def __reduce__(self) -> tuple[type[Changes], tuple[Any, ...]]:
        parts = self._snapshot, self._commit_range, self._changes_schema, self.schema, self._predicate, self._limit
        return Changes, parts

    @cached_property
    def commits(self) -> list[CommitChanges]:
        """The commits that changed rows."""
        timeline, instants = self._commit_range.timeline, self._commit_range.instants
        ends = sorted({order_time(instant) for instant in (*self._known_commits, *instants)}, key=time_order)
        earlier = dict(pairwise(reversed(ends)))
        needed = self.schema if self._predicate is None else self._selection.needed
        commits = []
        for instant in instants:
            if timeline.metadata(instant).operation not in _NO_CHANGE:
                before = earlier.get(order_time(instant))
                past = None if before is None else timeline.as_completed(before)
                files, cleaned = self._files, self._cleaned
                commits.append(
                    CommitChanges(self._snapshot, instant, past, files, self._changes_schema, needed, cleaned)
                )
        return commits

    def explain(self) -> str:
        """The file groups that are compared, in lines for people."""
        pieces = self.pieces()
        compared = Counter(number for number, _ in pieces)
        logged = Counter(number for number, group in pieces if self.commits[number].logs(group) is not None)
        lines = [
            f"{commit.instant.requested_time}: {compared[number]:,} of {len(commit.groups):,} file groups compared"
            + (f", {logged[number]:,} by their logs of changes" if logged[number] else "")
            for number, commit in enumerate(self.commits)
        ]
        return "\n".join(
            [*lines, f"{len(self.commits):,} of {len(self._commit_range.instants):,} commits may have changed rows"]
        )

    def batches(self) -> Iterator[Any]:
        """The engine's batches of changes, file group after file group within a commit. Of a file group the changes of one
        commit, not its rows, are in memory together with the keys of the rows it then had."""
        pieces = self.pieces()
        parts = [partial(self.piece_batches, *piece) for piece in pieces]
        if self._limit is None:
            groups = {group for _, group in pieces}
            size = sum(file.size for group in groups for file in self._files.get(group, ()))
            return read_ahead(parts, reading_threads(self._snapshot.storage, size, len(groups)))
        return self._limit_rows(batch for part in parts for batch in part())

    @property
    def limit(self) -> int | None:
        """The greatest number of changes."""
        return self._limit

    def pieces(self) -> list[tuple[int, FileGroup]]:
        """The file groups that are compared, each with the number of its commit in `commits`: to be read one by one, here or
        on executors. Those without a change that may match are left out. Raises as reading them does."""
        wanted = range(len(self.commits))
        if self._predicate is None:
            return [(number, group) for number in wanted for group in self.commits[number].groups]
        times = [commit.instant.requested_time for commit in self.commits]
        numbers = np.flatnonzero(times_that_may_match(self._predicate, self._changes_schema, times)).tolist()
        pieces = [(number, group) for number in numbers for group in self.commits[number].groups]
        # Where changes are logged, reading the log costs less than reading footers.
        others = [piece for piece in pieces if self.commits[piece[0]].logs(piece[1]) is None]
        compared = [self.commits[number].compare(group) for number, group in others]
        possible = groups_that_may_match(self._predicate, self._changes_schema, compared)
        left_out = {piece for piece, may_match in zip(others, possible.tolist(), strict=True) if not may_match}
        return [piece for piece in pieces if piece not in left_out]

    def piece_batches(self, number: int, group: FileGroup) -> Iterator[Any]:
        """The engine's batches of the changes that one commit made to one file group."""
        return self._of_group(self.commits[number], group)

    def _limit_rows(self, batches: Iterator[Any]) -> Iterator[Any]:
        remaining = self._limit or 0
        while remaining and (batch := next(batches, None)) is not None:
            head = self._rows.slice(batch, 0, remaining)
            remaining -= self._rows.count(head)
            yield head

    def count(self) -> int:
        """The number of changes, at most the limit."""
        operations = project(self._changes_schema, [OPERATION])
        operations_only = Changes(
            self._snapshot, self._commit_range, self._changes_schema, operations, self._predicate, self._limit
        )
        return sum(map(self._rows.count, operations_only.batches()))

    def _of_group(self, commit: CommitChanges, group: FileGroup) -> Iterator[Any]:
        batches = commit.batches(group)
        if self._predicate is not None:
            return self._selection.matching(self._predicate, map(self._to_needed, batches))
        return batches if self.schema is self._changes_schema else map(self._to_wanted, batches)

    @cached_property
    def _selection(self) -> Selection:
        assert self._predicate is not None
        all_columns = self._snapshot.engine, self._changes_schema, self.schema, self._predicate
        return Selection(*all_columns)

    @cached_property
    def _to_needed(self) -> Callable[[Any], Any]:
        return self._conversion_to(self._selection.needed)

    @cached_property
    def _to_wanted(self) -> Callable[[Any], Any]:
        return self._conversion_to(self.schema)

    def _conversion_to(self, schema: Schema) -> Callable[[Any], Any]:
        read = projection(reconcile(self._changes_schema, schema), self._snapshot.engine.values)
        return lambda batch: self._rows.batch(read(self._rows.root(batch)))

    @cached_property
    def _known_commits(self) -> Sequence[Instant]:
        """The commits among which the one before a commit is found: with all of the history where the first one of the active
        timeline is looked at, else with those that completed after it."""
        timeline, instants = self._commit_range.timeline, self._commit_range.instants
        first = min((order_time(instant) for instant in instants), key=time_order, default=None)
        active = min((order_time(instant) for instant in timeline.commits), key=time_order, default="")
        if first is None:
            return ()
        if time_order(first) <= time_order(active):
            return timeline.with_archived().commits
        return timeline.with_completed_after(active).commits

    @cached_property
    def _cleaned(self) -> Mapping[FileGroup, Sequence[str]]:
        """The instants in names of files that were cleaned away, by cleans of the history too where commits of it are read."""
        whole = self._snapshot.as_listed
        reads_history = any(instant.archived for instant in self._commit_range.instants)
        return find_cleaned_instants(whole.with_archived() if reads_history else whole)

    @cached_property
    def _files(self) -> Mapping[FileGroup, Sequence[FileInfo]]:
        files: dict[FileGroup, list[FileInfo]] = {}
        for partition, info in self._snapshot.listing.infos():
            name = parse_base_file(info.name) or parse_log_file(info.name)
            if name is not None:
                files.setdefault((partition, name.file_id), []).append(info)
        return files

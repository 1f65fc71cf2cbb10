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
from hudi_core.changes.incremental import CommitRange, placed
from hudi_core.changes.rows import OPERATION, changes_schema
from hudi_core.engine import FileInfo, Rows
from hudi_core.evolve.reconcile import reconcile
from hudi_core.expr.bind import bind
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Predicate
from hudi_core.expr.sql_predicate import asked
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.parallel.streams import read_ahead
from hudi_core.reading.result import QueryResult
from hudi_core.reading.selection import Selection
from hudi_core.rows.project import projection
from hudi_core.schema.project import project
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.instants import time_order

_NO_CHANGE = frozenset({"COMPACT", "LOG_COMPACT", "CLUSTER", "INDEX", "ALTER_SCHEMA"})
"""Operations that write files and leave every row as it was."""


def changes(
    snapshot: Snapshot,
    found: CommitRange,
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
    whole = changes_schema(snapshot.schema, meta=meta)
    wanted = whole if columns is None else project(whole, columns, case_sensitive=case_sensitive, as_asked=True)
    predicate = None if where is None else bind(asked(where), whole, case_sensitive=case_sensitive)
    return Changes(snapshot, found, whole, wanted, predicate, limit)


class Changes(QueryResult):
    """The changes of the commits between two times, commit by commit in the order of their completion.

    `where` and `columns` are about the columns of changes: `op`, `ts_ms`, `before`, `after`, and what is in them.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        found: CommitRange,
        whole: Schema,
        wanted: Schema,
        predicate: Predicate | None,
        limit: int | None,
    ) -> None:
        self.schema = wanted
        self._snapshot, self._between, self._whole = snapshot, found, whole
        self._predicate, self._limit = predicate, limit

    def __reduce__(self) -> tuple[type[Changes], tuple[Any, ...]]:
        parts = self._snapshot, self._between, self._whole, self.schema, self._predicate, self._limit
        return Changes, parts

    @property
    def _rows(self) -> Rows[Any, Any, Any]:
        return self._snapshot.engine.rows

    @cached_property
    def commits(self) -> list[CommitChanges]:
        """The commits that changed rows."""
        timeline, instants = self._between.timeline, self._between.instants
        ends = sorted({placed(each) for each in (*timeline.commits, *instants)}, key=time_order)
        earlier = dict(pairwise(reversed(ends)))
        needed = self.schema if self._predicate is None else self._chosen.needed
        found = []
        for instant in instants:
            if timeline.metadata(instant).operation not in _NO_CHANGE:
                before = earlier.get(placed(instant))
                past = None if before is None else timeline.as_completed(before)
                found.append(CommitChanges(self._snapshot, instant, past, self._files, self._whole, needed))
        return found

    def explain(self) -> str:
        """What is compared, in lines for people."""
        pieces = self.pieces()
        compared = Counter(number for number, _ in pieces)
        logged = Counter(number for number, group in pieces if self.commits[number].logs(group) is not None)
        lines = [
            f"{each.instant.requested_time}: {compared[number]:,} of {len(each.groups):,} file groups compared"
            + (f", {logged[number]:,} by their logs of changes" if logged[number] else "")
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
        # Where changes are logged, the log costs less than what footers could tell.
        others = [piece for piece in found if self.commits[piece[0]].logs(piece[1]) is None]
        compared = [self.commits[number].compared(group) for number, group in others]
        possible = groups_that_may_match(self._predicate, self._whole, compared)
        left_out = {piece for piece, may_match in zip(others, possible.tolist(), strict=True) if not may_match}
        return [piece for piece in found if piece not in left_out]

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
        operations = project(self._whole, [OPERATION])
        found = Changes(self._snapshot, self._between, self._whole, operations, self._predicate, self._limit)
        return sum(map(self._rows.count, found.batches()))

    def _of_group(self, commit: CommitChanges, group: FileGroup) -> Iterator[Any]:
        found = commit.of(group)
        if self._predicate is not None:
            return self._chosen.matching(self._predicate, map(self._to_needed, found))
        return found if self.schema is self._whole else map(self._to_wanted, found)

    @cached_property
    def _chosen(self) -> Selection:
        assert self._predicate is not None
        whole = self._snapshot.engine, self._whole, self.schema, self._predicate
        return Selection(*whole)

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

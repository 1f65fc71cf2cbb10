"""Which commits wrote a slice's files: what file names decide for rows selected by their commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col
from hudi_core.expr.predicate import Predicate, columns_of
from hudi_core.formats.names import parse_log_file
from hudi_core.planning.prune import Conjunct, Source
from hudi_core.schema.meta import COMMIT_TIME
from hudi_core.schema.schema import Schema
from hudi_core.timeline.instants import time_order
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, slots=True)
class CommitTimes:
    """The commits whose rows are selected: those requested at `times`, and of those requested before `first`, which are on no
    timeline, the ones requested after `since`. `text` is the condition for people."""

    text: str
    times: frozenset[str]
    since: str
    first: str | None

    def __contains__(self, requested_time: object) -> bool:
        if not isinstance(requested_time, str):
            return False
        order = time_order(requested_time)
        unknown = self.first is None or order < time_order(self.first)
        return requested_time in self.times or (unknown and order > time_order(self.since))

    @property
    def may_have_unknown(self) -> bool:
        """Whether some of the commits may be on no timeline."""
        return self.first is None or time_order(self.since) < time_order(self.first)

    def condition(self, schema: Schema) -> Conjunct:
        """The condition on rows: their commit is one of these."""
        time, start = col(COMMIT_TIME), time_order(self.since)
        is_known = time.is_in(sorted(self.times))
        if self.first is None:
            tree = time > start
        elif start >= self.first:
            tree = is_known  # a commit that is in no timeline is older than the beginning
        else:
            tree = (
                is_known | ((time > start) & (time < self.first))
                if self.times
                else (time > start) & (time < self.first)
            )
        bound = bind(tree.node, schema)
        return Conjunct(tree.node, bound, bound, self.text)

    def source(self, slices: Sequence[FileSlice], layout: int, schema: Schema) -> Source:
        """Slices none of whose files was written by one of these commits hold no row of them."""
        place = schema.find(COMMIT_TIME)
        assert place is not None
        column = place.field.id

        def open_(rows: Numbers, _: Predicate) -> _Written:
            touched = (self._is_touched(slices[row], layout) for row in rows.tolist())
            return _Written(np.fromiter(touched, np.bool_, len(rows)), column)

        return Source("commits", open_)

    def _is_touched(self, slice: FileSlice, layout: int) -> bool:
        if slice.base is not None and slice.instant in self:
            return True
        if layout == 1:
            # A log file collects blocks of many commits; its name gives none of them.
            return bool(slice.logs)
        names = (parse_log_file(log.name) for log in slice.logs)
        return any(name is None or name.instant in self for name in names)


@dataclass(frozen=True, slots=True)
class _Written:
    """`Knowledge` of rows' commit times in some slices, in the order given."""

    touched: Bools
    column: int
    note: str = ""

    def possible(self, predicate: Predicate) -> Bools:
        names_commit_time = self.column in columns_of(predicate)
        return self.touched.copy() if names_commit_time else np.ones(len(self.touched), np.bool_)

    def certain(self, predicate: Predicate) -> Bools:
        return np.zeros(len(self.touched), np.bool_)

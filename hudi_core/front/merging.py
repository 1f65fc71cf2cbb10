"""A merge of a source into a table, clause by clause, as SQL's MERGE is written: `table.merge(source, on="id")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, Unpack

from hudi_core.arguments import AnswersOtherWords, name_arguments
from hudi_core.front.keywords import WriteKeywords, options_from
from hudi_core.notebook import show_briefly
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.source_merge.clauses import Action, Clause

if TYPE_CHECKING:
    from hudi_core.expr.queries import Condition
    from hudi_core.writing.result import WriteResult

Run = Callable[[tuple[Clause, ...], WriteOptions], "WriteResult"]
"""Runs the merge with these clauses."""


@name_arguments
@show_briefly
@dataclass(frozen=True)
class Merge(AnswersOtherWords):
    """What becomes of rows of a source, and of the rows of the table that they match. Each method gives another merge with one
    clause more; of the clauses for a row, the first whose condition is true decides. `execute` writes, in one commit.

    Conditions and values speak of the two rows as `source` and `target`:

        (
            table.merge(changes, on="ride_id")
            .when_matched_delete("source.cancelled")
            .when_matched_update({"fare": col("source.fare")}, "source.fare <> target.fare")
            .when_not_matched_insert()
            .when_not_matched_by_source_delete("target.day = 'mon'")
            .execute()
        )
    """

    run: Run
    clauses: tuple[Clause, ...] = ()

    def when_matched_update(
        self, values: Mapping[str, object] | None = None, condition: Condition | None = None
    ) -> Self:
        """Gives columns of rows of the table that a row of the source matches new values, Python's own or expressions made with
        `hudi_core.expr` or `hudi_core.col`; a string is a text. Without values all columns but those of the key get the
        source's of their names."""
        return self._with(Clause(Action.UPDATE, condition, values))

    def when_matched_delete(self, condition: Condition | None = None) -> Self:
        """Deletes rows of the table that a row of the source matches."""
        return self._with(Clause(Action.DELETE, condition))

    def when_not_matched_insert(
        self, values: Mapping[str, object] | None = None, condition: Condition | None = None
    ) -> Self:
        """Adds rows of the source that match no row of the table; columns without a value are null. Without values all columns
        get the source's of their names."""
        return self._with(Clause(Action.INSERT, condition, values))

    def when_not_matched_by_source_update(
        self, values: Mapping[str, object], condition: Condition | None = None
    ) -> Self:
        """Gives columns of rows of the table that no row of the source matches new values. Conditions and values speak of
        `target` alone."""
        return self._with(Clause(Action.UPDATE, condition, values, unmatched=True))

    def when_not_matched_by_source_delete(self, condition: Condition | None = None) -> Self:
        """Deletes rows of the table that no row of the source matches. Without a condition a source without rows is refused, as
        all rows of the table would be deleted."""
        return self._with(Clause(Action.DELETE, condition, unmatched=True))

    def execute(self, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]) -> WriteResult:
        """Merges in one commit. Raises `RowError` where several rows of the source change one row of the table, and as
        `hudi_core.writing.source_merge.operations.merge`; nothing is changed then."""
        return self.run(self.clauses, options_from(WriteOptions, options, named) or WriteOptions())

    def _with(self, clause: Clause) -> Self:
        return replace(self, clauses=(*self.clauses, clause))

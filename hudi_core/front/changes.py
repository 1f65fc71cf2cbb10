"""Several changes of a table in one commit: `with table.transaction() as changes:`."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, Self

from hudi_core.arguments import AnswersOtherWords
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.writing.by_predicate import refuse_delete_of_both
from hudi_core.writing.operation import WriteOptions

if TYPE_CHECKING:
    from hudi_core.expr.queries import Condition
    from hudi_core.front.keywords import RowData
    from hudi_core.writing.result import WriteResult

Run = Callable[[list["RowData"], list["RowData"], list["Condition"], WriteOptions], "WriteResult"]
"""Commits rows to upsert, keys to delete and predicates of rows to delete."""


class Changes(AnswersOtherWords):
    """Changes that are committed together when the block ends, and not at all when it raises.

    Nothing is written, and no input is read, before the end of the block: then `result` is what the commit did. Rows go in by
    `upsert`, also with new columns, and out by `delete`. One commit has each key once: a row whose key the same transaction
    deletes is refused.
    """

    def __init__(self, run: Run, options: WriteOptions) -> None:
        self._run, self._options = run, options
        self._upserts: list[RowData] = []
        self._deletes: list[RowData] = []
        self._wheres: list[Condition] = []
        self._ended = False
        self._result: WriteResult | None = None

    @property
    def result(self) -> WriteResult:
        """What the commit did. Raises `UsageError` before there is one."""
        if self._result is None:
            raise UsageError(
                "transaction", expected="a result, which the end of the `with` block makes", found="none yet"
            )
        return self._result

    def upsert(self, data: RowData) -> None:
        """Merges rows with those that have their keys, and adds the others. All upserts of a transaction have the same
        columns."""
        self._refuse_ended()
        self._upserts.append(data)

    def delete(self, data: RowData | None = None, *, where: Condition | None = None) -> None:
        """Deletes the rows that have the keys of `data`, or those that match a predicate when the transaction commits."""
        self._refuse_ended()
        refuse_delete_of_both(data, where)
        if data is not None:
            self._deletes.append(data)
        elif where is not None:
            self._wheres.append(where)

    def update(self, *_: object, **__: object) -> NoReturn:
        """Raises `UnsupportedError`: rows of an update are known only when it is planned; `table.update` has a commit of its
        own, and `table.merge` updates, inserts and deletes in one."""
        raise UnsupportedError(
            "update", expected="upsert or delete, the changes that a transaction takes", found="update"
        )

    def evolve(self, *_: object, **__: object) -> NoReturn:
        """Raises `UnsupportedError`: a commit of rows adds the columns that these bring, and every other change of the schema is
        a commit of its own (`table.evolve`)."""
        expected = "new columns in upserted rows, or table.evolve by itself"
        raise UnsupportedError("evolve", expected=expected, found="a schema change in a transaction")

    def overwrite(self, *_: object, **__: object) -> NoReturn:
        """Raises `UnsupportedError`: an overwrite is a replace commit, which has no updates and deletes of rows."""
        raise UnsupportedError(
            "overwrite", expected="upsert or delete, the changes that a transaction takes", found="overwrite"
        )

    def __enter__(self) -> Self:
        self._refuse_ended()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._refuse_ended()
        self._ended = True
        if error is None:
            self._result = self._run(self._upserts, self._deletes, self._wheres, self._options)

    def _refuse_ended(self) -> None:
        if self._ended:
            raise UsageError("transaction", expected="a transaction that has not ended", found="one that has ended")

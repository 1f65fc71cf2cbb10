"""The operations on a table, as its methods. Each is a public function of `hudi_core` that a layer above defines.

This layer does not import those: the package's front looks a function up by its name when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hudi_core.errors import UsageError

if TYPE_CHECKING:
    from hudi_core import (
        Advice,
        ClusterOptions,
        ClusterResult,
        Finding,
        Index,
        IndexOptions,
        RollbackPlan,
        Table,
        WriteOptions,
        WriteResult,
    )
    from hudi_core.expr.build import ExpressionBuilder
    from hudi_core.expr.nodes import Expr
    from hudi_core.expr.queries import Condition, Query


def _public(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(import_module("hudi_core"), name)
    return function


def _options(kind: str, options: Any, named: Mapping[str, object]) -> Any:
    """The options of a verb: an object of the class `kind`, with fields given by name in the place of its own."""
    if not named:
        return options
    of_kind: Any = _public(kind)
    known = [field.name for field in fields(of_kind)]
    unknown = [name for name in named if name not in known]
    if unknown:
        raise UsageError(kind, expected=f"some of {', '.join(known)}", found=", ".join(unknown))
    return of_kind(**named) if options is None else replace(options, **named)


class Verbs:
    """Writes, indexes, clustering, validation and advice. Writes return what was done; the table goes on showing what it showed:
    see `refreshed`.

    Options are an object, or its fields by name: `table.upsert(rows, dry_run=True)`. `UsageError` for a name that is none.
    """

    def write(self, data: object, op: str = "upsert", options: WriteOptions | None = None, **named: Any) -> WriteResult:
        """Writes rows in one commit: `writing.operations.write`."""
        result: WriteResult = _public("write")(self, data, op, _options("WriteOptions", options, named))
        return result

    def append(self, data: object, options: WriteOptions | None = None, **named: Any) -> WriteResult:
        """Adds rows in new files, without a look at what is there."""
        return self.write(data, "append", options, **named)

    def insert(self, data: object, options: WriteOptions | None = None, **named: Any) -> WriteResult:
        """Adds rows, to small files first."""
        return self.write(data, "insert", options, **named)

    def upsert(self, data: object, options: WriteOptions | None = None, **named: Any) -> WriteResult:
        """Merges rows with those that have their keys, and adds the others."""
        return self.write(data, "upsert", options, **named)

    def overwrite(self, data: object, options: WriteOptions | None = None, **named: Any) -> WriteResult:
        """Puts rows in the place of all rows of the table."""
        return self.write(data, "insert_overwrite_table", options, **named)

    def overwrite_partitions(self, data: object, options: WriteOptions | None = None, **named: Any) -> WriteResult:
        """Puts rows in the place of all rows of their partitions."""
        return self.write(data, "insert_overwrite", options, **named)

    def delete(
        self,
        data: object = None,
        *,
        where: str | Expr | ExpressionBuilder | None = None,
        options: WriteOptions | None = None,
        **named: Any,
    ) -> WriteResult:
        """Deletes the rows that match a predicate, or those that have the keys of `data`: one of the two is given."""
        result: WriteResult = _public("delete")(self, data, where, _options("WriteOptions", options, named))
        return result

    def update(
        self,
        assigned: Mapping[str, object],
        where: str | Expr | ExpressionBuilder | None = None,
        options: WriteOptions | None = None,
        **named: Any,
    ) -> WriteResult:
        """Gives columns of the rows that match new values, Python's own or expressions made with `hudi_core.col`."""
        result: WriteResult = _public("update")(self, assigned, where, _options("WriteOptions", options, named))
        return result

    def delete_partitions(
        self, partitions: Sequence[str], options: WriteOptions | None = None, **named: Any
    ) -> WriteResult:
        """Takes all rows of partitions away, by the paths of these."""
        settings = _options("WriteOptions", options, named)
        result: WriteResult = _public("delete_partitions")(self, partitions, settings)
        return result

    def rollback(self, instant: str | None = None, *, failed: bool = False) -> list[RollbackPlan]:
        """Undoes the last completed write, by its requested time, or all writes that died: `writing.rollback.rollback`."""
        undone: list[RollbackPlan] = _public("rollback")(self, instant, failed=failed)
        return undone

    def cluster(self, options: ClusterOptions | None = None, **named: Any) -> ClusterResult:
        """Rewrites rows in an order in which queries skip files: `cluster.operations.cluster`.

        For example `table.cluster(columns=["city", "fare"], strategy="hilbert")`.
        """
        result: ClusterResult = _public("cluster")(self, _options("ClusterOptions", options, named))
        return result

    def indexes(self) -> list[Index]:
        """The indexes of the table as it is now: kind, name, columns, state, size."""
        present: list[Index] = _public("indexes")(self)
        return present

    def index(self, *kinds: str, options: IndexOptions | None = None, **named: Any) -> Table:
        """Builds indexes from the table's files while writers go on: `writing.index_build.build_indexes`. The table with them.

        For example `table.index("column_stats", columns=["fare"])`.
        """
        indexed: Table = _public("build_indexes")(self, kinds, _options("IndexOptions", options, named))
        return indexed

    def drop_index(self, name: str) -> tuple[str, ...]:
        """Drops an index by its name; gives the names of all that went with it."""
        dropped: tuple[str, ...] = _public("drop_index")(self, name)
        return dropped

    def metadata_records(
        self, partition: str, where: str | Expr | ExpressionBuilder | None = None, limit: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """The live records of a partition of the metadata table, one by one: `table.metadata_records.metadata_records`."""
        records: Iterator[dict[str, Any]] = _public("metadata_records")(self, partition, where, limit)
        return records

    def advise(self, where: Sequence[Condition | Query]) -> Advice:
        """Which index or clustering would pay for these queries: `advice.advise.advise`."""
        advice: Advice = _public("advise")(self, where)
        return advice

    def validate(self, only: Sequence[str] | None = None) -> Iterator[Finding]:
        """Holds the table against itself; findings as they are made: `validation.validate.validate`."""
        findings: Iterator[Finding] = _public("validate")(self, only)
        return findings

"""What can be done to a table, as methods of it. Each is a public function of `hudi_core` that a layer above defines.

This layer does not import those: the package's front looks a function up by its name when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hudi_core.expr.build import ExpressionBuilder
    from hudi_core.expr.nodes import Expr
    from hudi_core.expr.queries import Condition, Query


def _public(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(import_module("hudi_core"), name)
    return function


class Verbs:
    """Writes, indexes, validation and advice. Writes return what was done, a `WriteResult`; the table goes on showing what it
    showed: see `refreshed`."""

    def write(self, data: object, op: str = "upsert", options: Any = None) -> Any:
        """Writes rows in one commit: `writing.operations.write`."""
        return _public("write")(self, data, op, options)

    def append(self, data: object, options: Any = None) -> Any:
        """Adds rows in new files, without a look at what is there."""
        return self.write(data, "append", options)

    def insert(self, data: object, options: Any = None) -> Any:
        """Adds rows, to small files first."""
        return self.write(data, "insert", options)

    def upsert(self, data: object, options: Any = None) -> Any:
        """Merges rows with those that have their keys, and adds the others."""
        return self.write(data, "upsert", options)

    def overwrite(self, data: object, options: Any = None) -> Any:
        """Puts rows in the place of all rows of the table."""
        return self.write(data, "insert_overwrite_table", options)

    def overwrite_partitions(self, data: object, options: Any = None) -> Any:
        """Puts rows in the place of all rows of their partitions."""
        return self.write(data, "insert_overwrite", options)

    def delete(
        self, data: object = None, *, where: str | Expr | ExpressionBuilder | None = None, options: Any = None
    ) -> Any:
        """Deletes the rows that match a predicate, or those that have the keys of `data`: exactly one of the two is required."""
        return _public("delete")(self, data, where, options)

    def update(
        self,
        assigned: Mapping[str, object],
        where: str | Expr | ExpressionBuilder | None = None,
        options: Any = None,
    ) -> Any:
        """Gives columns of the rows that match new values, Python's own or expressions made with `hudi_core.col`."""
        return _public("update")(self, assigned, where, options)

    def cluster(self, options: Any = None) -> Any:
        """Rewrites rows in an order in which queries skip files: `cluster.operations.cluster`."""
        return _public("cluster")(self, options)

    def delete_partitions(self, partitions: Sequence[str], options: Any = None) -> Any:
        """Takes all rows of partitions away, by the paths of these."""
        return _public("delete_partitions")(self, partitions, options)

    def indexes(self) -> Any:
        """The indexes of the table as it is now: kind, name, columns, state, size. A list of `Index`."""
        return _public("indexes")(self)

    def index(self, *kinds: str, options: Any = None) -> Any:
        """Builds indexes from the table's files while writers go on: `writing.index_build.build_indexes`. The table with them."""
        return _public("build_indexes")(self, kinds, options)

    def drop_index(self, name: str) -> Any:
        """Drops an index by its name; gives the names of all that went with it."""
        return _public("drop_index")(self, name)

    def metadata_records(
        self, partition: str, where: str | Expr | ExpressionBuilder | None = None, limit: int | None = None
    ) -> Any:
        """The live records of a partition of the metadata table, one by one: `table.metadata_records.metadata_records`."""
        return _public("metadata_records")(self, partition, where, limit)

    def advise(self, where: Sequence[Condition | Query]) -> Any:
        """Which index or clustering would pay for these queries: `advice.advise.advise`."""
        return _public("advise")(self, where)

    def validate(self, only: Sequence[str] | None = None) -> Any:
        """Holds the table against itself; findings as they are made: `validation.validate.validate`."""
        return _public("validate")(self, only)

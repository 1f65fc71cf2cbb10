"""Options of a clustering. Rules CLUSTER-31, CLUSTER-36."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from hudi_core.arguments import take_count, take_fields
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.partitions import ALL_PARTITIONS, PartitionFilter
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UsageError
from hudi_core.expr.queries import Condition, Query, as_queries
from hudi_core.notebook import show_briefly
from hudi_core.schema.names import name_list, names_in_order
from hudi_core.tally import Tally, refuse_other_tally
from hudi_core.writing.plan import FileSizes

Progress = Callable[[int, int], None]
"""Called with how many files are written, and of how many."""

LOG_SHARE: Final = 0.35
"""The share of the bytes of log files that remains in base files: Hudi's `hoodie.logfile.to.parquet.compression.ratio`."""


@show_briefly
@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How rows are ordered, and which slices are rewritten.

    Without `columns` files are only joined to larger ones, in the order in which they come.
    """

    strategy: Strategy = Strategy.LINEAR
    columns: tuple[str, ...] = ()
    """Names of columns, dotted for fields of structs."""
    sizes: FileSizes = field(default_factory=FileSizes)
    """`target` is the size of new files; slices below `small` are rewritten whatever their ranges."""
    partitions: PartitionFilter = ALL_PARTITIONS
    where: Condition | None = None
    """Only partitions in which rows may match are clustered."""
    max_groups: int | None = None
    """Hudi's `hoodie.clustering.plan.strategy.max.num.groups`; None for as many as there are."""
    max_group_bytes: int | None = None
    """Hudi's `hoodie.clustering.plan.strategy.max.bytes.per.group`. The range of a group that is cut is a part of what
    overlaps; memory is bounded without it."""
    queries: tuple[Condition | Query, ...] = ()
    """Queries whose gain is predicted and noted in plan and commit; `explain` shows it beside the measured one."""
    spool_folder: str | None = None
    """The folder in which rows wait to be written, uncompressed; None for the choice of `data_files.spool`. Rows that tasks
    exchange wait on the machines of these."""
    progress: Progress | None = None
    tally: Tally | None = None
    """Gets what the run has done so far, as it goes on."""
    clock: Clock = system_clock

    def __post_init__(self) -> None:
        """Takes what users write: a strategy and partitions by name, one name or a list of names."""
        refuse_other_tally(self.tally)
        object.__setattr__(self, "columns", names_in_order(self.columns, "columns"))
        object.__setattr__(self, "queries", as_queries(self.queries, "queries"))
        partitions: Any = self.partitions
        if not isinstance(partitions, PartitionFilter):
            selected = name_list(partitions, "partitions")
            if not selected:
                raise UsageError(
                    "partitions", expected="paths of partitions; none given means all", found=repr(partitions)
                )
            object.__setattr__(self, "partitions", PartitionFilter(selected=selected))
        folder: Any = self.spool_folder
        if isinstance(folder, PathLike):
            object.__setattr__(self, "spool_folder", fspath(folder))
        if isinstance(self.spool_folder, str) and not Path(self.spool_folder or "?").is_dir():
            raise UsageError("spool_folder", expected="a folder that is there", found=repr(self.spool_folder))
        take_fields(self)
        if not self.columns:
            self.sizes.refuse_small("without columns files are joined alone, and larger ones are not small")
        for name in ("max_groups", "max_group_bytes"):
            if getattr(self, name) is not None:
                take_count(name, getattr(self, name), 1)

"""Options of a write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UsageError
from hudi_core.notebook import show_briefly
from hudi_core.stated_properties import property_texts
from hudi_core.tagging.choose import IndexType
from hudi_core.tally import Tally, refuse_other_tally
from hudi_core.transactions.stream_batches import StreamBatch
from hudi_core.writing.batch_columns import BatchColumns, MissingColumns
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.task_rows import RowOrder
from hudi_core.writing.timestamp_types import TIMESTAMP_TYPES, timestamp_types
from hudi_core.writing.write_properties import (
    NULL_FOR_MISSING,
    RECONCILE_SCHEMA,
    UPDATE_PARTITION_PATH,
    flag,
    refuse_other_properties,
)

Progress = Callable[[int, int], None]
"""Called with how many tasks are done, and of how many."""


@show_briefly
@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options of a write. `dry_run` plans it and writes nothing."""

    index: IndexType = IndexType.AUTO
    """How keys are located."""
    sizes: FileSizes = field(default_factory=FileSizes)
    record_positions: bool = True
    """`hoodie.write.record.positions`: log files record the positions of their records in the base file, where known."""
    partial_updates: bool = False
    """An update by predicate writes only the columns that it changes, where all readers merge that rightly; else whole rows."""
    missing_columns: MissingColumns | Literal["null", "keep"] | None = None
    """What rows that take the place of others have in columns that the batch lacks; None: such a batch is refused."""
    add_columns: bool | None = None
    """Whether the table gets columns that it lacks; None: where the batch has all columns of the table."""
    sort: RowOrder | Literal["global", "partition", "none"] | None = None
    """The order of the rows of a bulk insert in their files; None: global, all in the order of their keys."""
    attempts: int = 4
    """How many times a write is tried that meets conflicts."""
    dry_run: bool = False
    allow_empty: bool = False
    """A write that changes no file commits all the same, as streams need it that record how far they are."""
    batch: StreamBatch | None = None
    """The batch of a stream that the rows are. One that is committed is not written again: the result has no instant then."""
    cancels_plans: bool = False
    """A clustering of file groups that the write changes, and that nobody runs, is cancelled; else the write is refused."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties of Apache Hudi for this write: `write_properties.WRITE_PROPERTIES`."""
    progress: Progress | None = None
    tally: Tally | None = None
    """Gets what the write has done so far, as it goes on."""
    clock: Clock = system_clock

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", property_texts(self.properties, "properties"))
        refuse_other_properties(self.properties)
        refuse_other_tally(self.tally)
        if self.missing_columns is not None and self.missing_columns not in tuple(MissingColumns):
            expected = f"one of {', '.join(MissingColumns)}"
            raise UsageError("missing_columns", expected=expected, found=repr(self.missing_columns))
        if self.sort is not None and self.sort not in tuple(RowOrder):
            raise UsageError("sort", expected=f"one of {', '.join(RowOrder)}", found=repr(self.sort))

    def columns(self, properties: Mapping[str, str], *, replaces: bool) -> BatchColumns:
        """What a write does with columns that only its rows or only the table has. `properties` are the table's."""
        missing = None if self.missing_columns is None else MissingColumns(self.missing_columns)
        if missing is None and any(
            flag(name, self.properties, properties) for name in (NULL_FOR_MISSING, RECONCILE_SCHEMA)
        ):
            missing = MissingColumns.NULL
        stated = self.properties.get(TIMESTAMP_TYPES, properties.get(TIMESTAMP_TYPES, ""))
        return BatchColumns(replaces, missing, self.add_columns, times=timestamp_types(stated))

    def moves(self, properties: Mapping[str, str]) -> bool:
        """Whether rows move that come with another partition than the stored row of their key. `properties` are the table's."""
        return flag(UPDATE_PARTITION_PATH, self.properties, properties) is not False

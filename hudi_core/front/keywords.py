"""Options of operations by name, as editors and type checkers see them; and the object of options that they make.

Each class of keywords has the fields of a class of options, in the forms that users write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypedDict, TypeVar, overload

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UsageError, describe

if TYPE_CHECKING:
    from hudi_core import other_words
    from hudi_core.cluster.layout import Strategy
    from hudi_core.cluster.options import Progress as ClusterProgress
    from hudi_core.cluster.partitions import PartitionFilter
    from hudi_core.commit.times import Clock
    from hudi_core.expr.queries import Condition, Query
    from hudi_core.services.archiving.options import Progress as ArchiveProgress
    from hudi_core.services.bounds import WorkBounds
    from hudi_core.services.cleaning.options import Progress as CleanProgress
    from hudi_core.services.compaction.options import CompactionStrategy, Trigger
    from hudi_core.services.compaction.options import Progress as CompactionProgress
    from hudi_core.tagging.choose import IndexType
    from hudi_core.tally import Tally
    from hudi_core.transactions.stream_batches import StreamBatch
    from hudi_core.writing.batch_columns import MissingColumns
    from hudi_core.writing.operation import Progress as WriteProgress
    from hudi_core.writing.plan import FileSizes
    from hudi_core.writing.task_rows import RowOrder
else:
    other_words = ModuleByNeed("hudi_core.other_words")  # loaded by errors alone


class Fields(Protocol):
    """An object of a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


O = TypeVar("O", bound=Fields)  # noqa: E741 - options


class ArrowStream(Protocol):
    """Rows in memory, or a stream of them: tables of pyarrow, pandas and Polars, relations of DuckDB, scans of this package."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class LazyRows(Protocol):
    """A lazy frame of Polars."""

    def collect_batches(self) -> Iterable[ArrowStream]: ...


class ScannedRows(Protocol):
    """A dataset of pyarrow, as `Table.to_dataset` gives one too."""

    def scanner(self) -> Any: ...


RowData = (
    ArrowStream
    | LazyRows
    | ScannedRows
    | Iterable[Mapping[str, object]]
    | Iterable[ArrowStream]
    | Mapping[str, object]
    | str
    | PathLike[str]
)
"""Rows in memory: Arrow data, a lazy frame, a dataset, dictionaries with a row each, a dictionary of columns, an iterable of
batches or of dictionaries; or the path of a local file or folder with rows: Parquet, Arrow, CSV or JSON."""

OperationName = Literal[
    "upsert", "insert", "append", "bulk_insert", "delete", "insert_overwrite", "insert_overwrite_table"
]
TableTypeName = Literal["cow", "mor"]
TableVersion = Literal[6, 8, 9]
IndexName = Literal[
    "files",
    "column_stats",
    "partition_stats",
    "bloom_filters",
    "record_index",
    "partitioned_record_index",
    "secondary_index",
    "expression_index",
]
MissingName = Literal["null", "keep"]
SortName = Literal["global", "partition", "none"]
LookupName = Literal["auto", "record_index", "bloom", "simple", "bucket"]
StrategyName = Literal["linear", "zorder", "hilbert"]
CompactionStrategyName = Literal[
    "LogFileSizeBased",
    "LogFileNumBased",
    "BoundedIO",
    "UnBounded",
    "DayBased",
    "BoundedPartitionAware",
    "UnBoundedPartitionAware",
    "PartitionRegexBased",
]
TriggerName = Literal["NUM_COMMITS", "NUM_COMMITS_AFTER_LAST_REQUEST", "TIME_ELAPSED", "NUM_AND_TIME", "NUM_OR_TIME"]


class WriteKeywords(TypedDict, total=False):
    """`WriteOptions` by name."""

    index: IndexType | LookupName
    sizes: FileSizes
    record_positions: bool
    partial_updates: bool
    missing_columns: MissingColumns | MissingName | None
    add_columns: bool | None
    sort: RowOrder | SortName | None
    attempts: int
    dry_run: bool
    allow_empty: bool
    batch: StreamBatch | None
    cancels_plans: bool
    properties: Mapping[str, str]
    progress: WriteProgress | None
    tally: Tally | None
    clock: Clock


class ClusterKeywords(TypedDict, total=False):
    """`ClusterOptions` by name."""

    strategy: Strategy | StrategyName
    columns: str | Sequence[str]
    sizes: FileSizes
    partitions: PartitionFilter | str | Sequence[str]
    where: Condition | None
    max_groups: int | None
    max_group_bytes: int | None
    queries: Sequence[Condition | Query]
    spool_folder: str | PathLike[str] | None
    progress: ClusterProgress | None
    tally: Tally | None
    clock: Clock


class ArchiveKeywords(TypedDict, total=False):
    """`ArchiveOptions` by name."""

    keep_min: int | None
    keep_max: int | None
    dry_run: bool
    properties: Mapping[str, str]
    progress: ArchiveProgress | None
    clock: Clock


class CleanKeywords(TypedDict, total=False):
    """`CleanOptions` by name."""

    keep_commits: int | None
    keep_versions: int | None
    keep_hours: int | None
    full: bool
    dry_run: bool
    properties: Mapping[str, str]
    progress: CleanProgress | None
    clock: Clock


class CompactionKeywords(TypedDict, total=False):
    """`CompactionOptions` by name."""

    strategies: CompactionStrategy | CompactionStrategyName | Sequence[CompactionStrategy | CompactionStrategyName]
    target_io: int
    min_log_bytes: int
    min_log_files: int
    target_partitions: int
    partition_pattern: str | None
    incremental: bool
    of_logs: bool
    min_log_blocks: int
    new_file_bytes: int
    if_due: bool
    trigger: Trigger | TriggerName
    max_delta_commits: int
    max_delta_seconds: int
    bounds: WorkBounds
    dry_run: bool
    takes_over: bool
    progress: CompactionProgress | None
    tally: Tally | None
    clock: Clock


class IndexKeywords(TypedDict, total=False):
    """`IndexOptions` by name."""

    columns: str | Sequence[str] | None
    partitioned: bool | None
    rebuild: bool
    name: str | None
    function: str | None
    arguments: Mapping[str, str]
    using: Literal["column_stats", "bloom_filters"]


@overload
def options_from(kind: type[O], options: O, named: Mapping[str, Any]) -> O: ...
@overload
def options_from(kind: type[O], options: O | None, named: Mapping[str, Any]) -> O | None: ...
def options_from(kind: type[O], options: O | None, named: Mapping[str, Any]) -> O | None:
    """Returns the options of an operation: an object of the class `kind`, with fields given by name in the place of its own.

    Raises `UsageError` for an object of another class, and for a name that is no field, with the names that come close.
    """
    if options is not None and not isinstance(options, kind):
        expected = f"{kind.__name__}, or options by name"
        raise UsageError("options", expected=expected, found=describe(options))
    if not named:
        return options
    known = [field.name for field in fields(kind)]
    unknown = [name for name in named if name not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, n=3)
        hint = other_words.hint_of_argument(unknown[0], known)
        expected = f"some of {', '.join(near or known)}"
        raise UsageError(kind.__name__, expected=expected, found=f"{', '.join(unknown)}{hint}")
    return kind(**named) if options is None else replace(options, **named)

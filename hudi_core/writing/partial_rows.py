"""Log files with rows of some columns alone. Rules: WRITE-55, WRITE-56."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.merge.rules import merge_rules
from hudi_core.metadata.kinds import has_statistics
from hudi_core.options import MergeMode, TableType
from hudi_core.reading.log_records import PARTIAL_ROWS_SINCE
from hudi_core.table.table import Table
from hudi_core.writing.tasks import AppendLog
from hudi_core.writing.write_run import Planned


def merges_partial_rows(table: Table) -> bool:
    """Whether log files of the table may have rows of some columns, so that readers give what whole rows give.

    By event time they may not: a row that came late, and lost, would give the others its values. Nor with column statistics:
    readers of Apache Hudi hold conditions on several columns against one file at a time, and no file would meet all of them.
    """
    config, rules = table.config, merge_rules(table.config, table.storage.uri)
    return (
        config.type is TableType.MERGE_ON_READ
        and config.version >= PARTIAL_ROWS_SINCE
        and config.populate_meta_fields
        and not config.cdc_enabled
        and not has_statistics(config.kept_partitions)
        and rules.mode is MergeMode.COMMIT_TIME_ORDERING
        and rules.partial is None
    )


def of_columns(planned: Planned, names: frozenset[str]) -> Planned:
    """The plan with rows in log files that have these columns alone, where their slice holds the keys of all of them."""
    tasks = (
        replace(task, columns=names) if isinstance(task, AppendLog) and task.new_keys is None else task
        for task in planned.tasks
    )
    return replace(planned, tasks=tuple(tasks))

"""The origin of the values of a merged row, by the table's properties: it decides what statistics of files mean."""

from __future__ import annotations

from enum import Enum

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.merge.rules import merge_rules
from hudi_core.options import TableConfig


class MergedColumns(Enum):
    """The possible results of merging the rows of a file group's files."""

    WHOLE_ROWS = "each row is one that a file holds"
    """Save for log blocks that hold some columns only, which are marked as such."""
    VALUES = "each value of a row is one that a file holds"
    ANYTHING = "code of the user's makes the rows"


def merges(config: TableConfig) -> MergedColumns:
    """The effect of merging in a table, by its merge rules. Where these are unknown anything is possible: no statistics are
    trusted beside log files, and an error in the rules is raised when records are merged. Rules MERGE-2, MERGE-17."""
    try:
        rules = merge_rules(config, config.name)
    except (CorruptFileError, UnsupportedError):
        return MergedColumns.ANYTHING
    return MergedColumns.WHOLE_ROWS if rules.partial is None else MergedColumns.VALUES

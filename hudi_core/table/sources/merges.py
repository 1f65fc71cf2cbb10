"""Where the values of a merged row come from, as far as a table's properties tell: what statistics of its files mean."""

from __future__ import annotations

from enum import Enum

from hudi_core.options import MergeMode, TableConfig


class Merges(Enum):
    """What merging may make of the rows of a file group's files."""

    WHOLE_ROWS = "each row is one that a file holds"
    """Save for log blocks that hold some columns only, which say so."""
    VALUES = "each value of a row is one that a file holds"
    ANYTHING = "code of the user's makes the rows"


_WHOLE_ROW_PAYLOADS = frozenset(
    {
        "OverwriteWithLatestAvroPayload",
        "DefaultHoodieRecordPayload",
        "EventTimeAvroPayload",
        "FirstValueAvroPayload",
        "HoodieAvroPayload",
        "ReverseOrderHoodieRecordPayload",
        "AWSDmsAvroPayload",
    }
)
_VALUE_PAYLOADS = frozenset(
    {
        "PartialUpdateAvroPayload",
        "OverwriteNonDefaultsWithLatestAvroPayload",
        "MySqlDebeziumAvroPayload",
        "PostgresDebeziumAvroPayload",
    }
)


def merges(config: TableConfig) -> Merges:
    """What merging does in a table. An own merger, or a payload class that is not Hudi's, may do anything.

    Source: Apache Hudi 1.2.0, merge modes and payload classes (fact sheet on schemas, part 6).
    """
    payload = (config.payload_class or "").rpartition(".")[2]
    own = config.merge_mode is MergeMode.CUSTOM and not payload
    if own or (payload and payload not in _WHOLE_ROW_PAYLOADS | _VALUE_PAYLOADS):
        return Merges.ANYTHING
    whole = not config.partial_update_mode and payload not in _VALUE_PAYLOADS
    return Merges.WHOLE_ROWS if whole else Merges.VALUES

"""Where a record is: what the index of a writer gives for its key."""

from __future__ import annotations

from tests.conformance.deviations import Deviation, Question, always


def _deleted_in_a_log_file(question: Question) -> bool:
    return bool(question["deleted"] and question["type"] == "mor" and question["index"] != "GLOBAL_RECORD_LEVEL_INDEX")


LOCATIONS = (
    Deviation(
        "locations",
        "keys that only a log file deletes",
        _deleted_in_a_log_file,
        always(None),
        "No location, whichever index is used: a row with the key is a new row, and goes to another file group.",
        "Hudi's BLOOM and SIMPLE indexes read base files alone and give the base file until it is compacted, then "
        "nothing; its record index gives nothing at once. So Hudi merges the new row with the delete, which wins where "
        "its ordering value is greater, and whether it does depends on the index and on the last compaction. But a key "
        "that is written again here, while its file group is not compacted, is in two base files, of which a log file "
        "deletes it in one: an upsert by Hudi with BLOOM or SIMPLE updates both, and the key has two rows. Compact the "
        "table before Hudi writes to it, or let Hudi use its record index.",
    ),
)

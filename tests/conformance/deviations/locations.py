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
        "No location, whichever index is used. An upsert writes a row with the key to the file group that had it.",
        "Hudi's BLOOM and SIMPLE indexes read base files alone and give the base file until it is compacted, then "
        "nothing; its record index gives nothing at once, so an upsert by Hudi with it puts the row into another file "
        "group, where a later one with BLOOM or SIMPLE finds the key in two base files and gives it two rows.",
    ),
)

"""What a folder's name tells of its partition column, and times in instants, against what Apache Hudi makes of them."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from hudi_core.keys.path_values import path_values
from hudi_core.options import table_config
from hudi_core.timeline.instants import time_order
from hudi_core.timeline.times import query_time
from tests.conformance.deviations.partitions import PARTITIONS, UNKNOWN
from tests.support.conformance import vectors
from tests.support.ledger import Ledger
from tests.support.vector_expressions import value_in
from tests.support.vector_schemas import persisted_type

CONFIG = table_config(
    {
        "hoodie.table.name": "t",
        "hoodie.table.type": "COPY_ON_WRITE",
        "hoodie.table.version": "9",
        "hoodie.table.partition.fields": "c",
        "hoodie.table.keygenerator.type": "SIMPLE",
        "hoodie.table.recordkey.fields": "k",
    },
    "table",
)


def cases(subject: str, operation: str) -> list[dict[str, Any]]:
    return [case for case in vectors(subject) if case["op"] == operation]


def test_times_of_instants_are_completed_as_in_hudi() -> None:
    asked = [case for case in cases("partition_paths", "instant") if len(case["input"]["text"]) in (14, 17)]
    for case in asked:
        text = case["input"]["text"]
        if text.isdigit():
            assert time_order(text) == case["output"]["fixed"]["value"]


def test_epochs_are_instants_as_in_hudi() -> None:
    asked = [
        case for case in cases("partition_paths", "instant_format") if len(str(case["input"]["epoch_millis"])) == 13
    ]
    for case in asked:
        assert query_time(str(case["input"]["epoch_millis"]), UTC) == case["output"]["format_date"]["value"]


def test_dates_and_times_are_instants_as_in_hudi() -> None:
    """But for the end of the second, which Apache Hudi takes, and we the beginning: a time that people write is that time."""
    for case in cases("partition_paths", "instant_for_date_text"):
        if "output" in case:
            assert query_time(case["input"]["text"], UTC)[:14] == case["output"][:14]


def test_folders_tell_values_as_in_hudi() -> None:
    ledger = Ledger("partitions", PARTITIONS)
    for case in cases("expressions", "from_partition_string"):
        text, of = case["input"]["text"], persisted_type(case["input"]["type"])
        if text is None:
            continue  # no folder has no name
        (told,) = path_values(text, CONFIG, [of])
        ours = UNKNOWN if told is None else told.low if told.is_exact else (told.low, told.high, "or null")
        theirs = value_in(case["output"], of) if "output" in case else UNKNOWN
        ledger.settle(case, {"ask": "value", **case["input"]}, ours, theirs)
    ledger.close()

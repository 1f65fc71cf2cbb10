"""What a folder's name tells of its partition column, and times in instants, against what Apache Hudi makes of them."""

from __future__ import annotations

from datetime import UTC

from hudi_core.keys.path_values import path_values
from hudi_core.options import table_config
from hudi_core.timeline.instants import time_order
from hudi_core.timeline.times import query_time
from tests.conformance.deviations.instants import INSTANTS
from tests.conformance.deviations.partitions import PARTITIONS, UNKNOWN
from tests.support.conformance import cases
from tests.support.ledger import REFUSED, Ledger, attempt
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


def test_times_of_instants_are_ordered_as_in_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger("instants", INSTANTS)
    for case in cases("partition_paths", "instant"):
        text, output = case["input"]["text"], case["output"]
        valid = attempt(lambda text=text: query_time(text, UTC)) != REFUSED
        ledger.settle(case, {"ask": "valid", "text": text}, valid, output["valid"]["value"])
        if text.isdigit():  # the timeline has no other
            ledger.settle(case, {"ask": "order", "text": text}, time_order(text), output["fixed"]["value"])
    ledger.close()


def test_times_since_1970_are_instants_as_in_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger("instants", INSTANTS)
    for case in cases("partition_paths", "instant_format"):
        text = str(case["input"]["epoch_millis"])
        ours = attempt(lambda text=text: query_time(text, UTC))
        ledger.settle(case, {"ask": "epoch", "text": text}, ours, case["output"]["format_date"]["value"])
    ledger.close()


def test_dates_and_times_are_instants_as_in_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger("instants", INSTANTS)
    for case in cases("partition_paths", "instant_for_date_text"):
        text = case["input"]["text"]
        ours = attempt(lambda text=text: query_time(text, UTC))
        ledger.settle(case, {"ask": "date", "text": text}, ours, case.get("output", REFUSED))
    ledger.close()


def test_folders_give_values_as_in_hudi() -> None:
    ledger = Ledger("partitions", PARTITIONS)
    for case in cases("expressions", "from_partition_string"):
        text, of = case["input"]["text"], persisted_type(case["input"]["type"])
        if text is None:
            continue  # no folder has no name
        (reported,) = path_values(text, CONFIG, [of])
        ours = (
            UNKNOWN
            if reported is None
            else reported.lower
            if reported.is_exact
            else (reported.lower, reported.upper, "or null")
        )
        theirs = value_in(case["output"], of) if "output" in case else UNKNOWN
        ledger.settle(case, {"ask": "value", **case["input"]}, ours, theirs)
    ledger.close()

"""Column statistics of the metadata table: bounds are read as Apache Hudi reads them, and records of one key merge alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hudi_core.columns.hashes import column_stats_key, partition_stats_key
from tests.conformance.deviations.statistics import DEVIATIONS, SUBJECT
from tests.support.conformance import cases
from tests.support.ledger import REFUSED, Ledger
from tests.support.vector_statistics import Range, carried, record_of, recorded_wrapper, reported, type_name, wrapped

Case = Mapping[str, Any]


def writable(part: Range, avro: Any, version: str) -> bool:
    """Records of the first index hold none of the types that it has no wrapper for, and a bound is of the column's type,
    a decimal of its scale."""
    bounds = [typed for typed in (part["min"], part["max"]) if typed]
    unwrapped = version == "V1" and any(
        {"instant", "localtime", "localdatetime", "uuid"} & typed.keys() for typed in bounds
    )
    fits = avro != "int" or all("int" in typed for typed in bounds)
    if isinstance(avro, Mapping) and "scale" in avro:
        fits = all(len(typed["decimal"].partition(".")[2]) == avro["scale"] for typed in bounds)
    return fits and not unwrapped


def settle_merged(ledger: Ledger, case: Case, older: Range, newer: Range) -> None:
    """What two records of one key tell, beside what Apache Hudi's merged record does."""
    avro, version = case["input"]["avro"], case["input"]["index_version"]
    if older["column"] != newer["column"] or not all(writable(part, avro, version) for part in (older, newer)):
        return  # two columns have two keys, and such records are never written
    parts = [
        (*(carried(of[side], avro) for side in ("min", "max")), of["nulls"], of["values"]) for of in (older, newer)
    ]
    ours = reported(
        *(
            record_of(of, wrapped(of["min"], avro, version), wrapped(of["max"], avro, version), avro, version)
            for of in (older, newer)
        )
    )
    merged = case["output"]["merged"].get("value")
    theirs: object = REFUSED
    if merged is not None:
        low, high = (merged.get(f"{side}_wrapped", {"value": merged[side]}) for side in ("min", "max"))
        record = record_of(merged, recorded_wrapper(low["value"]), recorded_wrapper(high["value"]), avro, version)
        theirs = reported(record)
    ledger.settle(case, {"ask": "merged", "type": type_name(avro), "parts": parts}, ours, theirs)


def test_records_of_one_key_merge_as_in_apache_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger(SUBJECT, DEVIATIONS)
    for case in cases(SUBJECT, "merge_records"):
        settle_merged(ledger, case, case["input"]["prev"], case["input"]["next"])
    for case in cases(SUBJECT, "merge_range"):
        settle_merged(ledger, case, case["input"]["left"], case["input"]["right"])
    ledger.close()


def test_bounds_are_those_that_apache_hudi_reads() -> None:
    ledger = Ledger(SUBJECT, DEVIATIONS)
    for case in cases(SUBJECT, "wrap"):
        for item in case.get("output", {}).get("values", ()):
            if "value" not in item.get("wrapped", ()) or "value" not in item["unwrapped"]:
                continue  # Hudi has no wrapper for it
            avro, version = case["input"]["avro"], case["input"]["index_version"]
            avro = avro[1] if isinstance(avro, list) else avro
            stored = recorded_wrapper(item["wrapped"]["value"])
            counts = {"nulls": 0, "values": 1, "uncompressed": 9}
            theirs = carried(item["unwrapped"]["value"], avro)
            found = reported(record_of(counts, stored, stored, avro, version))
            assert found is not None
            ledger.settle(case, {"ask": "bound", "value": theirs}, found[0], theirs)
            assert (found[1] is None) == (found[0] is None)
    ledger.close()


def test_keys_of_records_are_those_of_apache_hudi() -> None:
    for case in cases(SUBJECT, "records"):
        answer = case["input"]["range"]
        (record,) = case["output"]["records"]
        file = answer["file"].rpartition("/")[2]
        assert record["key"] == column_stats_key(answer["column"], case["input"]["partition"], file)
        for other in case["output"].get("partition_records", ()):
            assert other["key"] == partition_stats_key(answer["column"], case["input"]["partition"])

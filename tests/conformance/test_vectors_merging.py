"""Merging records, which are deletes, and what mode a table merges by, against what Apache Hudi does.

Not asked are Hudi's own means: payload objects before they are merged with a row, which Java classes compare with each other,
the ids of its mergers.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from hudi_core.merge.rules import infer_mode, merge_rules
from hudi_core.options import MergeMode
from tests.conformance.deviations.merging import DEVIATIONS
from tests.support.conformance import cases as recorded_cases
from tests.support.ledger import REFUSED, Ledger, attempt
from tests.support.vector_merges import DELETED, WHERE, Merger, config_of, rules_of


def cases(op: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each case of an operation, and its input."""
    return ((case, case["input"]) for case in recorded_cases("merge_modes", op))


def answered(output: dict[str, Any], ask: str, merger: Merger, older: Any) -> object:
    """What Apache Hudi is left with: a row, a deleted one, or a refusal."""
    if "error" in output[ask]:
        return REFUSED
    value = output[ask]["value"]
    if value == "keep existing":
        return DELETED if output["older"]["delete"] else merger.row(older)
    return DELETED if value["delete"] else merger.row({"record": value["record"], "operation": older.get("operation")})


def test_two_records_merge_as_in_hudi() -> None:
    ledger = Ledger("merge_modes", DEVIATIONS)
    for case, given in cases("merge"):
        newer, older = given.get("newer"), given.get("older")
        if newer is None or older is None:
            continue
        question = {**given, "ask": "rules"}
        rules = attempt(lambda given=given: rules_of(given))
        if rules == REFUSED:
            ledger.settle(case, question, REFUSED, "answered")
            continue
        merger = Merger.of(given["avro"], rules, "operation" in newer)
        for ask in ("delta_merge", "final_merge"):
            theirs = answered(case["output"], ask, merger, older) if "output" in case else REFUSED
            ours = attempt(
                lambda ask=ask, merger=merger, older=older, newer=newer: (
                    merger.delta([older, newer]) if ask == "delta_merge" else merger.final(older, newer)
                )
            )
            about = {**given, "ask": ask, "row": lambda side, merger=merger: _values(merger.row(side), merger)}
            ledger.settle(case, about, _values(ours, merger), _values(theirs, merger))
    ledger.close()


def _values(answer: object, merger: Merger) -> object:
    """Without the operation, which Hudi keeps beside the record."""
    if not isinstance(answer, tuple):
        return answer
    return tuple(v for v, field in zip(answer, merger.schema.fields, strict=True) if field.name != "_hoodie_operation")


def test_listed_deletes_merge_as_in_hudi() -> None:
    ledger = Ledger("merge_modes", DEVIATIONS)
    for case, given in cases("merge"):
        if "delete_record" not in given or given["older"] is None:
            continue
        merger = Merger.of(given["avro"], rules_of(given), False)
        result = case["output"]["delta_merge_delete"]
        older = given["older"]
        if "error" in result:
            theirs: object = REFUSED
        elif result["value"].get("delete_kept"):
            theirs = DELETED
        else:
            theirs = merger.row(older) if "record" in older else DELETED
        ours = merger.delta([older, given["delete_record"]])
        ledger.settle(case, {**given, "ask": "delete"}, ours, theirs)
    ledger.close()


def test_payloads_combine_as_in_hudi() -> None:
    ledger = Ledger("merge_modes", DEVIATIONS)
    for case, given in cases("payload"):
        if not given["older"]["record"]:
            continue  # base files have no deleted rows
        older, newer = (
            item if item["record"] else {"delete": {"ordering": item.get("ordering")}}
            for item in (given["older"], given["newer"])
        )
        requested = {**given, "mode": MergeMode.CUSTOM.value, "ordering_fields": ["ts"], "ask": "combine"}
        rules = attempt(lambda requested=requested: rules_of(requested))
        if rules == REFUSED:
            ledger.settle(case, requested, REFUSED, "answered" if "output" in case else REFUSED)
            continue
        if "output" not in case:
            ledger.settle(case, requested, "answered", REFUSED)
            continue
        merger = Merger.of(given["avro"], rules, False)
        result = case["output"]["combine_and_get"]
        value = result.get("value")
        if "error" in result:
            theirs: object = REFUSED
        elif value is None:
            theirs = DELETED
        else:
            kept = merger.row(older) if "record" in older else DELETED
            theirs = kept if "sentinel" in value else merger.row({"record": value})
        ledger.settle(case, {**requested, "row": merger.row}, merger.final(older, newer), theirs)
    ledger.close()


def test_rows_delete_as_in_hudi() -> None:
    ledger = Ledger("merge_modes", DEVIATIONS)
    for case, given in cases("is_delete"):
        result = case["output"]["is_delete"] if "output" in case else {}

        def ours(given: dict[str, Any] = given) -> object:
            rules = merge_rules(config_of(given["properties"]), WHERE)
            return Merger.of(given["avro"], rules, False).is_delete({"record": given["record"]})

        ledger.settle(case, {**given, "ask": "is_delete"}, attempt(ours), result.get("value", REFUSED))
    ledger.close()


def test_which_ordering_values_stand_for_none_as_in_hudi() -> None:
    ledger = Ledger("merge_modes", DEVIATIONS)
    for case, given in cases("ordering_value"):
        requested = {**given, "mode": "EVENT_TIME_ORDERING"}
        merger = Merger.of(given["avro"], rules_of(requested), False)
        theirs = case["output"]["is_commit_time"] if "output" in case else REFUSED
        ours = attempt(lambda merger=merger, given=given: merger.without_ordering({"record": given["record"]}))
        ledger.settle(case, {**requested, "ask": "without_ordering"}, ours, theirs)
    ledger.close()


_ORDERED = {"int": "int", "long": "long", "string": "string", "double": "double"}
_ORDERED_DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 4}


def ordered_by(values: Any) -> list[dict[str, Any]]:
    """The ordering values of a record, one for each of its ordering fields."""
    return values if isinstance(values, list) else [values]


def as_stored(value: dict[str, Any]) -> dict[str, Any]:
    """A decimal as its column holds it: Avro gives all values of a column one scale."""
    if "decimal" not in value:
        return value
    unscaled = int(Decimal(value["decimal"]).scaleb(_ORDERED_DECIMAL["scale"]))  # type: ignore[arg-type]
    return {"bytes": unscaled.to_bytes(9, "big", signed=True).hex()}


def test_ordering_values_compare_as_in_hudi() -> None:
    """Two values decide between two records as Apache Hudi compares them, one by one and in the order of several fields.

    Values of two classes, which Hudi refuses to compare, are of no one column.
    """
    compared = 0
    for case, given in cases("compare_ordering"):
        older, newer = ordered_by(given["a"]), ordered_by(given["b"])
        kinds = [[next(iter(value)) for value in side] for side in (older, newer)]
        if kinds[0] != kinds[1]:
            assert "error" in case["output"]["compare"], case["id"]
            continue
        names = [f"o{number}" for number in range(len(older))]
        types = [_ORDERED_DECIMAL if kind == "decimal" else _ORDERED[kind] for kind in kinds[0]]
        fields = [{"name": name, "type": ["null", of], "default": None} for name, of in zip(names, types, strict=True)]
        avro = {"type": "record", "name": "R", "fields": [{"name": "x", "type": "int"}, *fields]}
        rules = rules_of({"mode": "EVENT_TIME_ORDERING" if names else "COMMIT_TIME_ORDERING", "ordering_fields": names})
        merger = Merger.of(avro, rules, False)
        sides = [
            {"record": {"record": {"x": {"int": number}, **dict(zip(names, map(as_stored, side), strict=True))}}}
            for number, side in enumerate((older, newer))
        ]
        left = sides[1] if case["output"]["compare"]["value"] <= 0 else sides[0]
        assert merger.delta(sides) == merger.row(left), case["id"]
        compared += 1
    if not compared:
        pytest.skip("no recorded ordering values of one class")


@pytest.mark.parametrize("flow", ["for_writes", "pre_v9"])
def test_the_mode_is_inferred_as_in_hudi(flow: str) -> None:
    ledger = Ledger("merge_modes", DEVIATIONS)
    for case, given in cases("infer_merge_mode"):
        if flow == "pre_v9" and given["version"] >= 9:
            continue
        result = case["output"][flow]
        mode = None if given["mode"] is None else MergeMode(given["mode"])
        ours = attempt(
            lambda mode=mode, given=given: (
                infer_mode(
                    given["version"], mode, given["payload"], given["strategy"], bool(given["ordering_field"]), WHERE
                ).value
            )
        )
        ledger.settle(case, {**given, "ask": flow}, ours, result["value"][0] if "value" in result else REFUSED)
    ledger.close()


def test_payload_classes_mean_the_properties_that_hudi_gives_new_tables() -> None:
    ledger = Ledger("merge_modes", DEVIATIONS)
    for case, given in cases("infer_merge_mode"):
        created = case["output"]["v9_creation"]
        if given["version"] < 9 or "error" in created or created["value"]["hoodie.record.merge.mode"] == "CUSTOM":
            continue
        stated = {
            "hoodie.legacy.payload.class": given["payload"] or "",
            "hoodie.record.merge.mode": given["mode"] or "",
        }
        stated["hoodie.record.merge.strategy.id"] = given["strategy"] or ""
        stated["hoodie.table.ordering.fields"] = given["ordering_field"] or ""
        theirs = merge_rules(config_of({**stated, **created["value"]}), WHERE)
        if "hoodie.table.ordering.fields" in created["value"]:
            stated["hoodie.table.ordering.fields"] = ""
        ours = merge_rules(config_of(stated), WHERE)
        ledger.settle(case, {**given, "ask": "creation"}, ours, theirs)
    ledger.close()


def test_names_are_those_of_hudi() -> None:
    for case, _ in cases("operations"):
        assert [mode.value for mode in MergeMode] == case["output"]["merge_modes"]

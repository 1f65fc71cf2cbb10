"""MERGE-1, MERGE-2: what a table's properties say of merging."""

from __future__ import annotations

import re

import pytest

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.merge.records import Precedence
from hudi_core.merge.rules import EVENT_TIME_STRATEGY, MergeRules, PartialUpdates, infer_mode, merge_rules
from hudi_core.options import MergeMode, TableConfig, table_config


def config(version: int = 9, **stated: str) -> TableConfig:
    properties = {f"hoodie.{key.replace('__', '.')}": value for key, value in stated.items()}
    required = {"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": str(version)}
    return table_config({**required, **properties})


def test_a_table_without_merge_properties_merges_by_commit_time() -> None:
    assert merge_rules(config(), "t") == MergeRules(MergeMode.COMMIT_TIME_ORDERING)


def test_the_payload_class_of_version_6_outranks_its_strategy() -> None:
    found = merge_rules(
        config(
            6,
            compaction__payload__class="org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
            compaction__record__merger__strategy="eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
            table__precombine__field="ts",
        ),
        "t",
    )
    assert found == MergeRules(MergeMode.COMMIT_TIME_ORDERING, ("ts",))


@pytest.mark.parametrize("version", [6, 8, 9])
def test_the_mode_is_that_of_the_payload_class_whatever_the_strategy(version: int) -> None:
    payload = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    mode = infer_mode(version, None, payload, EVENT_TIME_STRATEGY, True, "t")
    assert mode is MergeMode.COMMIT_TIME_ORDERING
    assert infer_mode(version, None, None, EVENT_TIME_STRATEGY, False, "t") is MergeMode.EVENT_TIME_ORDERING


@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize(
    "name", ["com.example.Mine", "com.example.DefaultHoodieRecordPayload", "org.apache.hudi.PartialUpdateAvroPayload"]
)
def test_a_payload_of_the_users_own_is_refused_by_its_full_name(name: str, version: int) -> None:
    """MERGE-17."""
    with pytest.raises(UnsupportedError, match=f"t: expected .*, found {re.escape(name)}"):
        merge_rules(config(version, compaction__payload__class=name), "t")


def test_a_custom_strategy_is_refused_by_its_id() -> None:
    with pytest.raises(UnsupportedError, match="1897ef5f"):
        merge_rules(config(record__merge__strategy__id="1897ef5f-18bc-4557-939c-9d6a8afd1519"), "t")


def test_half_a_delete_marker_is_refused() -> None:
    stated = {"record__merge__property__hoodie__payload__delete__field": "op"}
    with pytest.raises(CorruptFileError, match="together"):
        merge_rules(config(**stated), "t")


def test_an_unknown_partial_update_mode_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="MOON_PHASE"):
        merge_rules(config(table__partial__update__mode="MOON_PHASE"), "t")


def test_partial_updates_of_an_old_payload_class_ignore_nulls_alone() -> None:
    found = merge_rules(
        config(6, compaction__payload__class="org.apache.hudi.common.model.PartialUpdateAvroPayload"), "t"
    )
    assert found.partial is PartialUpdates.IGNORE_NULLS


@pytest.mark.parametrize(
    ("version", "fields"), [(6, ("_event_seq",)), (8, ("_event_seq",)), (9, ("_event_bin_file", "_event_pos"))]
)
def test_changes_of_mysql_are_ordered_by_their_place_in_the_binary_log(version: int, fields: tuple[str, ...]) -> None:
    stated = {"compaction__payload__class": "org.apache.hudi.common.model.debezium.MySqlDebeziumAvroPayload"}
    if version < 9:
        stated["table__precombine__field"] = "ts"
    found = merge_rules(config(version, **stated), "t")
    assert (found.ordering_fields, found.binlog, found.delete_marker) == (fields, version < 9, "d")


@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize(
    ("name", "precedence"),
    [
        ("HoodieAvroPayload", Precedence.NEWER),
        ("OverwriteWithLatestAvroPayload", Precedence.NEWER),
        ("DefaultHoodieRecordPayload", Precedence.HIGHER),
        ("FirstValueAvroPayload", Precedence.HIGHER_OR_OLDER),
        ("ReverseOrderHoodieRecordPayload", Precedence.LOWER),
    ],
)
def test_payload_classes_decide_which_record_wins(version: int, name: str, precedence: Precedence) -> None:
    """MERGE-17."""
    stated = {"compaction__payload__class": f"org.apache.hudi.common.model.{name}", "table__ordering__fields": "ts"}
    found = merge_rules(config(version, **stated), "t")
    assert (found.precedence, found.ordering_fields, found.partial) == (precedence, ("ts",), None)

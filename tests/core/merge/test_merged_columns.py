"""What merging may make of the rows in a file group's files."""

from __future__ import annotations

import pytest

from hudi_core.merge.rules import PAYLOADS as PAYLOADS_OF_HUDI
from hudi_core.merge.rules import MergedColumns, merge_rules, merges
from hudi_core.options import table_config

PAYLOADS = "org.apache.hudi.common.model."


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, MergedColumns.WHOLE_ROWS),
        ({"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}, MergedColumns.WHOLE_ROWS),
        ({"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}, MergedColumns.WHOLE_ROWS),
        ({"hoodie.compaction.payload.class": f"{PAYLOADS}DefaultHoodieRecordPayload"}, MergedColumns.WHOLE_ROWS),
        ({"hoodie.compaction.payload.class": f"{PAYLOADS}PartialUpdateAvroPayload"}, MergedColumns.VALUES),
        ({"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}, MergedColumns.VALUES),
        ({"hoodie.compaction.payload.class": "com.example.SumPayload"}, MergedColumns.ANYTHING),
        ({"hoodie.compaction.payload.class": "com.example.PartialUpdateAvroPayload"}, MergedColumns.ANYTHING),
        ({"hoodie.compaction.payload.class": "DefaultHoodieRecordPayload"}, MergedColumns.ANYTHING),
        ({"hoodie.compaction.payload.class": f"{PAYLOADS}debezium.MySqlDebeziumAvroPayload"}, MergedColumns.WHOLE_ROWS),
        ({"hoodie.record.merge.mode": "CUSTOM"}, MergedColumns.ANYTHING),
        ({"hoodie.record.merge.strategy.id": "1897ef5f-18bc-4557-939c-9d6a8afd1519"}, MergedColumns.ANYTHING),
        ({"hoodie.table.partial.update.mode": "MOON_PHASE"}, MergedColumns.ANYTHING),
        (
            {
                "hoodie.record.merge.mode": "CUSTOM",
                "hoodie.compaction.payload.class": f"{PAYLOADS}debezium.PostgresDebeziumAvroPayload",
            },
            MergedColumns.VALUES,
        ),
    ],
)
def test_properties_state_which_columns_merging_may_change(properties: dict[str, str], expected: MergedColumns) -> None:
    least = {"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": "9"}
    assert merges(table_config(least | properties)) is expected


@pytest.mark.parametrize("version", ["6", "8", "9"])
@pytest.mark.parametrize("name", PAYLOADS_OF_HUDI)
def test_columns_are_merged_one_by_one_where_the_merge_rules_demand_it(name: str, version: str) -> None:
    least = {"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": version}
    config = table_config(least | {"hoodie.compaction.payload.class": name})
    partial = merge_rules(config, "t").partial
    assert merges(config) is (MergedColumns.WHOLE_ROWS if partial is None else MergedColumns.VALUES)

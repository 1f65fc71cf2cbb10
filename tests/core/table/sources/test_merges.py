"""What merging may make of the rows in a file group's files."""

from __future__ import annotations

import pytest

from hudi_core.options import table_config
from hudi_core.table.sources.merges import Merges, merges

PAYLOADS = "org.apache.hudi.common.model."


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, Merges.WHOLE_ROWS),
        ({"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}, Merges.WHOLE_ROWS),
        ({"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}, Merges.WHOLE_ROWS),
        ({"hoodie.compaction.payload.class": f"{PAYLOADS}DefaultHoodieRecordPayload"}, Merges.WHOLE_ROWS),
        ({"hoodie.compaction.payload.class": f"{PAYLOADS}PartialUpdateAvroPayload"}, Merges.VALUES),
        ({"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}, Merges.VALUES),
        ({"hoodie.compaction.payload.class": "com.example.SumPayload"}, Merges.ANYTHING),
        ({"hoodie.record.merge.mode": "CUSTOM"}, Merges.ANYTHING),
        (
            {
                "hoodie.record.merge.mode": "CUSTOM",
                "hoodie.compaction.payload.class": f"{PAYLOADS}debezium.PostgresDebeziumAvroPayload",
            },
            Merges.VALUES,
        ),
    ],
)
def test_properties_tell_what_merging_may_make(properties: dict[str, str], expected: Merges) -> None:
    least = {"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": "9"}
    assert merges(table_config(least | properties)) is expected

"""What services say in the timeline."""

from __future__ import annotations

import io
from typing import Any

import fastavro
import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.timeline.services import clean, latest_clean, list_rolled_back, pending_work, savepoint, savepoints
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.archives import clean_file
from tests.support.memory import Memory

TEXTS = {"type": "array", "items": "string"}


def avro(record: dict[str, Any], **types: object) -> bytes:
    """An Avro file of one record whose fields have these types."""
    out = io.BytesIO()
    schema = {"type": "record", "name": "r", "fields": [{"name": name, "type": of} for name, of in types.items()]}
    fastavro.writer(out, fastavro.parse_schema(schema), [record])
    return out.getvalue()


def record(name: str, **types: object) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": item, "type": of} for item, of in types.items()]}


def timeline(files: dict[str, bytes]) -> Timeline:
    return timeline_in(Memory({f"t/{name}": content for name, content in files.items()}), "t", 2)


CLEANED = avro(
    {
        "earliestCommitToRetain": "07",
        "partitionMetadata": {
            "p": {"policy": "KEEP_LATEST_COMMITS", "successDeleteFiles": ["a"], "isPartitionDeleted": None}
        },
    },
    earliestCommitToRetain=["null", "string"],
    partitionMetadata={
        "type": "map",
        "values": record(
            "partition", policy="string", successDeleteFiles=TEXTS, isPartitionDeleted=["null", "boolean"]
        ),
    },
)


def test_a_clean_states_the_files_it_retained_and_deleted() -> None:
    """TIME-26."""
    found = timeline({"08_09.clean": CLEANED})
    answer = clean(found, found.completed[0])
    assert answer.earliest_retained == "07"
    assert (answer.partitions["p"].deleted, answer.partitions["p"].partition_deleted) == (("a",), False)


def test_the_latest_clean_is_the_last_that_completed() -> None:
    found = timeline({"08_09.clean": CLEANED, "10.clean.requested": b"", "03_04.commit": b""})
    assert latest_clean(found) is not None
    assert latest_clean(found.as_of("03")) is not None
    assert latest_clean(timeline({"10.clean.requested": b""})) is None


def test_of_several_cleans_the_last_counts() -> None:
    found = timeline({"06_07.clean": clean_file("02"), "08_09.clean": CLEANED, "10_11.clean": clean_file(None)})
    answer = latest_clean(found)
    assert answer is not None and answer.earliest_retained is None
    answer = latest_clean(timeline({"06_07.clean": clean_file("02"), "08_09.clean": CLEANED}))
    assert answer is not None and answer.earliest_retained == "07"


def test_a_pending_savepoint_keeps_no_files() -> None:
    files = {"01_02.commit": b"", "01_03.savepoint": b"", "04_05.commit": b"", "04.savepoint.inflight": b""}
    assert savepoints(timeline(files)) == ["01"]


def test_a_savepoint_names_the_files_it_keeps() -> None:
    """TIME-27."""
    content = avro(
        {"savepointedBy": "me", "comments": None, "partitionMetadata": {"p": {"savepointDataFile": ["a", "b"]}}},
        savepointedBy="string",
        comments=["null", "string"],
        partitionMetadata={"type": "map", "values": record("partition", savepointDataFile=TEXTS)},
    )
    found = timeline({"05_06.commit": b"", "05_07.savepoint": content})
    (_, instant) = found.completed
    assert savepoints(found) == ["05"]
    assert savepoint(found, instant).partitions["p"].files == ("a", "b")


def test_a_rollback_and_a_restore_name_the_removed_instants() -> None:
    """TIME-27."""
    found = timeline(
        {
            "05_06.rollback": avro({"commitsRollback": ["03"]}, commitsRollback=TEXTS),
            "08_09.restore": avro({"instantsToRollback": ["07", "06"]}, instantsToRollback=TEXTS),
        }
    )
    assert [list_rolled_back(found, instant) for instant in found.completed] == [("03",), ("07", "06")]


PLACES = {"partitionPath": ["null", "string"], "fileId": ["null", "string"]}


def test_pending_work_names_the_file_groups_of_its_plan() -> None:
    """TIME-28."""
    slices = [{"partitionPath": "p", "fileId": "a"}, {"partitionPath": None, "fileId": "b"}]
    compaction = avro(
        {"operations": slices}, operations=["null", {"type": "array", "items": record("slice", **PLACES)}]
    )
    groups = {"type": "array", "items": record("group", slices={"type": "array", "items": record("slice", **PLACES)})}
    clustering = avro(
        {"clusteringPlan": {"inputGroups": [{"slices": slices}, {"slices": slices[:1]}]}},
        clusteringPlan=record("plan", inputGroups=["null", groups]),
    )
    found = timeline(
        {
            "1.compaction.requested": compaction,
            "1.compaction.inflight": b"",
            "2.clustering.requested": clustering,
            "3.replacecommit.requested": avro({"clusteringPlan": None}, clusteringPlan=["null", "string"]),
            "4.deltacommit.requested": b"",
        }
    )
    both = (("p", "a"), ("", "b"))
    assert [(item.instant.requested_time, item.file_groups) for item in pending_work(found)] == [
        ("1", both),
        ("2", both),
        ("3", ()),
        ("4", ()),
    ]


def test_an_empty_file_has_no_content() -> None:
    found = timeline({"08_09.clean": b"", "10.compaction.requested": b""})
    assert clean(found, found.completed[0]).earliest_retained is None
    assert [item.file_groups for item in pending_work(found)] == [()]


def test_damage_names_the_file() -> None:
    found = timeline({"08_09.clean": avro({"partitionMetadata": "x"}, partitionMetadata="string"), "11_12.clean": b"x"})
    for instant in found.completed:
        with pytest.raises(CorruptFileError, match=f"t/{instant.file}"):
            clean(found, instant)

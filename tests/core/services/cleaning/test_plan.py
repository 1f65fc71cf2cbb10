"""Plans of cleans, as they are stored."""

from __future__ import annotations

import io
from typing import Any

import fastavro
import pytest

from hudi_core.commit.avro_schemas import CLEANER_PLAN
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import write_container
from hudi_core.services.cleaning.plan import CleanPlan, encode_plan, read_plan
from hudi_core.timeline.services import RetainedInstant
from hudi_core.timeline.timeline import timeline_in
from tests.support.memory import Memory

RETAINED = RetainedInstant(timestamp="20", action="commit", state="COMPLETED")
BASE, LOG = "f_0-1-2_10.parquet", ".f_10.log.1_0-1-2"
PLAN = CleanPlan(
    "KEEP_LATEST_COMMITS", RETAINED, "30", {"a/b": (BASE, LOG)}, ("gone",), {"savepointed_timestamps": "10"}
)


def read(content: bytes) -> CleanPlan:
    timeline = timeline_in(Memory({"t/40.clean.requested": content}), "t", 2)
    return read_plan(timeline, timeline.pending[0])


def record(content: bytes) -> dict[str, Any]:
    (only,) = fastavro.reader(io.BytesIO(content))
    assert isinstance(only, dict)
    return only


def test_a_plan_is_stored_as_apache_hudi_stores_it() -> None:
    """CLEAN-395."""
    stored = record(encode_plan(PLAN, Memory({}, uri="/data/t")))
    assert stored == {
        "earliestInstantToRetain": {"timestamp": "20", "action": "commit", "state": "COMPLETED"},
        "lastCompletedCommitTimestamp": "30",
        "policy": "KEEP_LATEST_COMMITS",
        "filesToBeDeletedPerPartition": {},
        "version": 2,
        "filePathsToBeDeletedPerPartition": {
            "gone": [],
            "a/b": [{"filePath": f"/data/t/a/b/{name}", "isBootstrapBaseFile": False} for name in (BASE, LOG)],
        },
        "partitionsToBeDeleted": ["gone"],
        "extraMetadata": {"savepointed_timestamps": "10"},
    }
    whole = CleanPlan("KEEP_LATEST_FILE_VERSIONS", None, "", {"": (BASE,)})
    paths = record(encode_plan(whole, Memory({}, uri="s3://b/t")))["filePathsToBeDeletedPerPartition"]
    assert paths == {"": [{"filePath": f"s3://b/t/{BASE}", "isBootstrapBaseFile": False}]}


def test_a_plan_is_read_wherever_it_was_made() -> None:
    """CLEAN-395, CLEAN-396."""
    made = read(encode_plan(PLAN, Memory({}, uri="hdfs://elsewhere:8020/old/place")))
    assert made.files == {"gone": (), "a/b": (BASE, LOG)}
    assert (made.policy, made.retained, made.last_completed) == ("KEEP_LATEST_COMMITS", RETAINED, "30")
    assert (made.partitions, made.extra) == (("gone",), PLAN.extra)
    assert not made.is_empty
    assert CleanPlan("KEEP_LATEST_COMMITS", RETAINED, "30", {"p": ()}).is_empty


def stored(**fields: Any) -> bytes:
    plan = {"policy": "KEEP_LATEST_COMMITS", "lastCompletedCommitTimestamp": "", **fields}
    names = ("earliestInstantToRetain", "filesToBeDeletedPerPartition", "version", "filePathsToBeDeletedPerPartition")
    return write_container(
        CLEANER_PLAN, [{**dict.fromkeys((*names, "partitionsToBeDeleted", "extraMetadata")), **plan}]
    )


def test_old_plans_have_names() -> None:
    """CLEAN-396."""
    assert read(stored(filesToBeDeletedPerPartition={"p": [BASE]})).files == {"p": (BASE,)}


def test_files_of_a_bootstrap_are_left() -> None:
    """CLEAN-396."""
    path = "/other/table/f.parquet"
    made = read(stored(filePathsToBeDeletedPerPartition={"p": [{"filePath": path, "isBootstrapBaseFile": True}]}))
    assert (made.files, made.elsewhere) == ({"p": ()}, {"p": (path,)})


@pytest.mark.parametrize(
    ("partition", "path"),
    [
        ("p", "/t/p/hoodie.properties"),
        ("p", "/t/p/"),
        ("p", "/t/p/.."),
        ("..", f"/t/{BASE}"),
        ("a/../../b", f"/t/{BASE}"),
        ("//etc", f"/etc/{BASE}"),
        (".hoodie/metadata/files", f"/t/{BASE}"),
    ],
)
def test_a_plan_that_names_anything_else_is_damaged(partition: str, path: str) -> None:
    """CLEAN-396."""
    files = {partition: [{"filePath": path, "isBootstrapBaseFile": False}]}
    with pytest.raises(CorruptFileError, match=r"t/40\.clean\.requested"):
        read(stored(filePathsToBeDeletedPerPartition=files))


def test_partitions_to_delete_are_those_of_the_table() -> None:
    """CLEAN-396."""
    with pytest.raises(CorruptFileError, match="path of a data file"):
        read(stored(partitionsToBeDeleted=[".hoodie"]))
    assert read(stored(partitionsToBeDeleted=["", "p"])).partitions == ("p",)
    with pytest.raises(CorruptFileError, match="a plan of a clean, found none"):
        read(b"")

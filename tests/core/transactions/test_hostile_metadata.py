"""Tables whose metadata names what lies outside of them: whatever is done to such a table, its neighbour stays as it is.

Each text of each record below `.hoodie` is such a name once: of commits, plans and records of services, of the metadata table's
timeline, of index definitions, properties and markers.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import copytree, rmtree

import pytest

import hudi_core
from hudi_core.cluster.operations import cluster, schedule
from hudi_core.cluster.options import ClusterOptions
from hudi_core.commit.avro_schemas import CLEAN_METADATA, ROLLBACK_PLAN
from hudi_core.commit.steps import run
from hudi_core.creating.create import create_table
from hudi_core.errors import CorruptFileError, HudiError
from hudi_core.formats.avro.container import write_container
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.planned_builds import plan_content
from hudi_core.metadata_writer.cleaning import cleaning_request
from hudi_core.metadata_writer.compaction import plan_compaction, request_steps
from hudi_core.services.restoring.undoing import rollback
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.drawing import SOAK
from tests.support.poisoned import poisoned_records
from tests.support.written_tables import TYPES, rows, rows_of

FAR = "20250101000000000"
LATE = "20250101000000001"
FILE = f"0a0b0c0d-0000-0000-0000-000000000000-0_0-0-0_{FAR}.parquet"
"""A data file of the neighbour, with the time of a write that died."""


def _scheduled(table: Table) -> None:
    schedule(table, ClusterOptions(columns=("n",)))


def _compacted(table: Table) -> None:
    metadata = table.snapshot().metadata
    assert metadata is not None
    run(table.storage, request_steps(metadata, plan_compaction(metadata, metadata.partitions), LATE))


def _cleaned(table: Table) -> None:
    metadata = table.snapshot().metadata
    assert metadata is not None
    run(table.storage, cleaning_request(metadata, {"files": ("a.hfile",)}, LATE))
    record = {
        "startCleanTime": LATE,
        "timeTakenInMillis": 0,
        "totalFilesDeleted": 1,
        "earliestCommitToRetain": "",
        "lastCompletedCommitTimestamp": LATE,
        "partitionMetadata": {
            "x": {
                "partitionPath": "x",
                "policy": "KEEP_LATEST_COMMITS",
                "deletePathPatterns": ["a.parquet"],
                "successDeleteFiles": ["a.parquet"],
                "failedDeleteFiles": [],
                "isPartitionDeleted": False,
            }
        },
        "version": 2,
        "bootstrapPartitionMetadata": {},
        "extraMetadata": {},
    }
    completed = f"{LATE}_{LATE}.clean" if table.timeline.layout > 1 else f"{LATE}.clean"
    table.storage.create(f"{table.timeline.folder}/{completed}", write_container(CLEAN_METADATA, [record]))


def _died(table: Table) -> None:
    for name in (f"{FAR}.commit.requested", f"{FAR}.inflight"):
        table.storage.create(f"{table.timeline.folder}/{name}", b"")
    table.storage.create(f".hoodie/.temp/{FAR}/MARKERS.type", b"TIMELINE_SERVER_BASED")
    table.storage.create(f".hoodie/.temp/{FAR}/MARKERS0", f"x/{FILE}.marker.CREATE".encode())


def _rolled_back(table: Table) -> None:
    _died(table)
    request = {
        "partitionPath": "x",
        "fileId": "a",
        "latestBaseInstant": FAR,
        "filesToBeDeleted": [f"{table.storage.uri}/x/{FILE}"],
    }
    record = {
        "instantToRollback": {"commitTime": FAR, "action": "commit"},
        "RollbackRequests": [{**request, "logBlocksToBeDeleted": {}}],
        "version": 1,
    }
    path = f"{table.timeline.folder}/{LATE}.rollback.requested"
    table.storage.create(path, write_container(ROLLBACK_PLAN, [record]))


def _indexed(table: Table) -> None:
    path = f"{table.timeline.folder}/{LATE}.indexing.requested"
    table.storage.create(path, plan_content(table.timeline, ["bloom_filters"]))


SITUATIONS: dict[str, Callable[[Table], None]] = {
    "commits": lambda _: None,
    "clustering": _scheduled,
    "compaction": _compacted,
    "clean": _cleaned,
    "markers": _died,
    "rollback": _rolled_back,
    "indexing": _indexed,
}

TEXTS = ("../other", f"../../../other/{FILE}", f"../other/{FILE}", "../../other")

ONCE = WriteOptions(attempts=1)

ACTIONS: list[Callable[[Path], object]] = [
    lambda path: rows_of(open_table(path)),
    lambda path: list(hudi_core.open(str(path)).changes(since="20000101000000000").to_arrow()),
    lambda path: rollback(open_table(path), failed=True),
    lambda path: mend(table := open_table(path), validate(table)),
    lambda path: write(open_table(path), rows(("a", "x", 9), ("z", "z", 9)), options=ONCE),
    lambda path: cluster(open_table(path), ClusterOptions(columns=("n",))),
    lambda path: rollback(table := open_table(path), table.timeline.commits[-1].requested_time),
    lambda path: write(open_table(path), rows(("b", "x", 9)), "delete", options=ONCE),
    lambda path: drop_index(open_table(path), "files"),
]


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.each_value
@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("mor", 9)])
def test_no_record_leads_out_of_the_table(tmp_path: Path, kind: str, version: int, situation: str) -> None:
    """STORE-320, STORE-322."""
    indexes = ("column_stats", "record_index")
    table = create_table(tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    write(table, rows(("a", "x", 1), ("b", "x", 2), ("c", "y", 1)))
    write(table, rows(("a", "x", 3)))
    SITUATIONS[situation](open_table(tmp_path / "made"))
    other = tmp_path / "other"
    (other / FAR).mkdir(parents=True)
    for name in (FILE, f"{FAR}/{FILE}", "hoodie.properties", f"{FAR}.inflight"):
        (other / name).write_bytes(b"theirs")
    before = _content(other)
    poisoned = [record for text in TEXTS for record in poisoned_records(tmp_path / "made", text)]
    own = [record for record in poisoned if FAR in record.file or LATE in record.file or ".clustering." in record.file]
    others = [record for record in poisoned if record not in own]
    chosen = poisoned if SOAK else [*own[::14], *others[:: len(others) // 4]]
    for record in chosen:
        path = tmp_path / "t"
        copytree(tmp_path / "made", path)
        (path / record.file).write_bytes(record.content)
        for action in ACTIONS:
            with suppress(HudiError):
                action(path)
            assert _content(other) == before, (record.file, record.place)
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["made", "other", "t"], (record.file, record.place)
        rmtree(path)
    assert len(chosen) >= 4


@pytest.mark.each_value
@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize("named", [f"../other/{FILE}", f"/tmp/{FILE}", ".hoodie/hoodie.properties", "of another write"])
def test_markers_that_lead_elsewhere_are_not_followed(tmp_path: Path, version: int, named: str) -> None:
    """STORE-320, ROLLBACK-322, VALID-321."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", version=version)
    write(table, rows(("a", "x", 1)))
    base = open_table(tmp_path / "t").slices()[0].base
    assert base is not None
    _died(table)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / FILE).write_bytes(b"theirs")
    (tmp_path / "t/x" / FILE).write_bytes(b"of the dead write")
    named = base.path if named == "of another write" else named
    (tmp_path / f"t/.hoodie/.temp/{FAR}/MARKERS0").write_text(f"{named}.marker.CREATE\n")
    with pytest.raises(CorruptFileError, match=f".hoodie/.temp/{FAR}"):
        write(open_table(tmp_path / "t"), rows(("a", "x", 2)))
    assert (tmp_path / "other" / FILE).exists()
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1)]
    repaired = open_table(tmp_path / "t")
    mend(repaired, validate(repaired, ["leftovers"]))
    write(open_table(tmp_path / "t"), rows(("a", "x", 2)))
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 2)]
    assert not (tmp_path / "t/x" / FILE).exists()


def test_a_marker_that_is_cut_off_leaves_no_file_behind(tmp_path: Path) -> None:
    """ROLLBACK-323."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    write(table, rows(("a", "x", 1)))
    _died(table)
    (tmp_path / "t/x" / FILE).write_bytes(b"of the dead write")
    (tmp_path / f"t/.hoodie/.temp/{FAR}/MARKERS0").write_text(f"x/{FILE[:20]}")
    write(open_table(tmp_path / "t"), rows(("a", "x", 2)))
    assert not (tmp_path / "t/x" / FILE).exists()
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 2)]

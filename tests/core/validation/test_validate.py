"""A sound table has no findings; a planted fault is reported, and by the check that it concerns alone. VALID-1 to VALID-12.

Also covers: `validation/commits.py`, `validation/findings.py`, `validation/leftovers.py`, `validation/listing.py`,
`validation/orphans.py`, `validation/properties.py`, `validation/subject.py`, `validation/timeline.py`.
"""

from __future__ import annotations

import json
import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.lock import LOCK_PATH
from hudi_core.commit.times import system_clock
from hudi_core.errors import UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds import built_rows
from hudi_core.index_builds.build import build_metadata_table
from hudi_core.paths import join_paths
from hudi_core.services.cleaning.operations import clean, schedule
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.cleaning.plan import read_plan
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.findings import Severity
from hudi_core.validation.validate import list_checks, validate
from hudi_core.writing.operations import write
from tests.support.crashes import crashes, later
from tests.support.faulty_tables import (
    base_file,
    checks_of,
    findings_of,
    made,
    with_commit,
    with_properties,
)
from tests.support.faulty_tables import rows as made_rows
from tests.support.written_tables import TYPES, rows

ALL = ["column_stats", "bloom_filters", "record_index", "partition_stats"]


def timeline_of(table: Table) -> Path:
    return Path(table.storage.uri) / table.timeline.folder


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("cow", 8), ("mor", 6)])
def test_a_sound_table_has_no_findings(tmp_path: Path, kind: str, version: int) -> None:
    """As commits leave it, and with all indexes."""
    indexes = ALL[:3] if version == 6 else ALL
    table = open_table(made(tmp_path / "t", kind, version))
    assert findings_of(table) == []
    built = build_metadata_table(table, indexes)
    assert findings_of(built) == []
    assert set(indexes) < set(built.config.metadata_partitions)


def test_checks_are_chosen_by_name(table: Table) -> None:
    shutil.rmtree(Path(table.storage.uri) / "x")
    assert checks_of(findings_of(table)) == {"commits"}
    assert list(validate(table, [name for name in list_checks() if name != "commits"])) == []
    assert checks_of(list(table.validate(["commits"]))) == {"commits"}
    with pytest.raises(UsageError, match="found commit"):
        validate(table, ["commit"])
    with pytest.raises(UsageError, match="found a string"):
        validate(table, "commits")


def test_no_check_is_none_to_choose(table: Table) -> None:
    """VALID-1638."""
    with pytest.raises(UsageError, match="found none, by which every table would be sound"):
        validate(table, [])


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"table__checksum": "1"}, "by the names of database and table"),
        ({"table__ordering__fields": "nobody"}, "a column of the table's schema as 'nobody'"),
        ({"table__recordkey__fields": "nobody"}, "a column of the table's schema as 'nobody'"),
        ({"table__metadata__partitions": "files"}, "files in .hoodie/metadata/files"),
    ],
)
def test_contradictory_properties(table: Table, properties: dict[str, str], expected: str) -> None:
    findings = list(validate(with_properties(table, **properties), ["properties"]))
    assert [finding.expected for finding in findings if expected in finding.expected]
    if "table__checksum" in properties:
        assert checks_of(findings_of(table)) == {"properties"}


def test_partitions_that_are_complete_and_under_construction(table: Table) -> None:
    table = build_metadata_table(table, ["column_stats"])
    table = with_properties(table, table__metadata__partitions__inflight="column_stats")
    (finding,) = findings_of(table)
    assert (finding.check, finding.found) == ("properties", "both")


def test_a_backup_beside_the_properties(table: Table) -> None:
    path = Path(table.storage.uri) / ".hoodie/hoodie.properties"
    shutil.copy(path, path.with_name("hoodie.properties.backup"))
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity) == ("properties", Severity.WARNING)
    path.unlink()
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity) == ("properties", Severity.ERROR)


def test_instants_without_their_requested_files_are_reported(table: Table) -> None:
    folder, instant = timeline_of(table), table.timeline.commits[0]
    (folder / f"{instant.requested_time}.commit.requested").unlink()
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity) == ("timeline", Severity.WARNING)
    assert finding.where == f"{table.timeline.folder}/{instant.file}"
    (folder / "20300101000000000.inflight").write_bytes(b"")
    beat = Path(table.storage.uri) / heartbeat_path("20300101000000000")
    beat.parent.mkdir(exist_ok=True)
    beat.write_bytes(b"")
    _, finding = findings_of(table)
    assert (finding.check, finding.severity) == ("timeline", Severity.ERROR)
    assert finding.expected == "the requested file of the instant beside the inflight one"


def test_a_write_that_ended_before_it_began(table: Table) -> None:
    folder, instant = timeline_of(table), table.timeline.commits[-1]
    (folder / instant.file).rename(folder / f"{instant.requested_time}_20200101000000000.commit")
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity, finding.found) == ("timeline", Severity.ERROR, "20200101000000000")


def test_a_write_that_ended_twice(table: Table) -> None:
    folder, instant = timeline_of(table), table.timeline.commits[-1]
    shutil.copy(folder / instant.file, folder / f"{instant.requested_time}_20990101000000000.commit")
    (finding,) = findings_of(table)
    assert (finding.check, finding.expected) == ("timeline", "one completed file")


def test_invalid_names_and_times_are_reported(table: Table) -> None:
    folder = timeline_of(table)
    (folder / "20300101000000000.comit").write_bytes(b"")
    (finding,) = findings_of(table)
    assert (finding.check, finding.expected) == ("timeline", "the name of an instant")
    (folder / "20300101000000000.comit").unlink()
    for state in ("requested", "inflight"):
        (folder / f"20301399000000000.clean.{state}").write_bytes(b"")
    of_plan = ("timeline", "none")
    assert {(finding.check, finding.found) for finding in findings_of(table)} == {
        ("timeline", "20301399000000000"),
        of_plan,
    }


@pytest.mark.parametrize("content", [b"", b"Obj\x01 and then nothing"])
def test_a_completed_write_without_its_metadata(table: Table, content: bytes) -> None:
    (timeline_of(table) / table.timeline.commits[-1].file).write_bytes(content)
    (finding,) = findings_of(open_table(table.storage.uri))
    assert (finding.check, finding.severity) == ("timeline", Severity.ERROR)


def test_leftovers_of_writes_that_are_over(table: Table) -> None:
    root = Path(table.storage.uri)
    time = table.timeline.commits[0].requested_time
    marker = root / f".hoodie/.temp/{time}/x/a.parquet.marker.CREATE"
    marker.parent.mkdir(parents=True)
    marker.write_bytes(b"")
    beat = root / heartbeat_path(time)
    beat.parent.mkdir(exist_ok=True)
    beat.write_bytes(b"")
    assert findings_of(table) == []  # its writer may be removing them
    os.utime(beat, (0, 0))
    findings = findings_of(table)
    assert checks_of(findings) == {"leftovers"}
    assert [finding.mending.removes for finding in findings] == [f".hoodie/.temp/{time}", f".hoodie/.heartbeat/{time}"]


def test_leftovers_of_dead_writers_are_reported_and_those_of_live_ones_are_not(table: Table) -> None:
    for state in ("commit.requested", "inflight"):
        (timeline_of(table) / f"20300101000000000.{state}").write_bytes(b"")
    (finding,) = findings_of(table)
    assert (finding.check, finding.found) == ("leftovers", "none, inflight")
    beat = Path(table.storage.uri) / heartbeat_path("20300101000000000")
    beat.parent.mkdir(exist_ok=True)
    beat.write_bytes(b"")
    assert findings_of(table) == []


def test_a_lock_that_has_expired(table: Table) -> None:
    until = int((system_clock() - timedelta(hours=1)).timestamp() * 1000)
    lock = Path(table.storage.uri) / LOCK_PATH
    lock.write_text(json.dumps({"owner": "nobody", "validUntil": until}))
    assert findings_of(table) == []  # renewed a moment ago, by an owner whose clock is behind
    os.utime(lock, (until / 1000, until / 1000))
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity) == ("leftovers", Severity.INFO)


@pytest.mark.parametrize(
    ("change", "expected", "found"),
    [
        (lambda sizes: {name: size + 1 for name, size in sizes.items()}, " bytes", " bytes"),
        (lambda sizes: dict(list(sizes.items())[1:]), "a file of ", "no entry"),
        (
            lambda sizes: {**sizes, "f_0-0-0_20200101000000000.parquet": 9},
            "a file that is there",
            "none; 9 bytes listed",
        ),
    ],
    ids=["sizes", "missing", "gone"],
)
def test_a_listing_that_is_not_that_of_the_folders(
    table: Table, monkeypatch: pytest.MonkeyPatch, change: Any, expected: str, found: str
) -> None:
    file_rows = built_rows.file_rows
    monkeypatch.setattr(
        built_rows, "file_rows", lambda sizes: file_rows({name: change(listed) for name, listed in sizes.items()})
    )
    findings = findings_of(build_metadata_table(table, []))
    assert checks_of(findings) == {"listing"}
    assert {finding.severity for finding in findings} == {Severity.ERROR}
    assert all(expected in finding.expected and found in finding.found for finding in findings)
    assert {finding.mending.rebuilds for finding in findings} == {"files"}


def test_a_clean_that_died_is_one_warning(table: Table) -> None:
    """VALID-1040."""
    write(refreshed(build_metadata_table(table, ALL)), made_rows(0, 10))
    latest, options = refreshed(table), CleanOptions(keep_versions=1)
    planned = schedule(latest, options)
    assert planned is not None
    paths = [
        join_paths(partition, name)
        for partition, names in read_plan(refreshed(table).timeline, planned).files.items()
        for name in names
    ]
    assert len(paths) > 2
    kept = Path(table.storage.uri) / paths[0]
    for path in paths[1:]:
        (Path(table.storage.uri) / path).unlink()
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity) == ("listing", Severity.WARNING)
    assert planned.requested_time in finding.where
    assert f"{len(paths) - 1} files" in finding.found
    live = base_file(refreshed(table))
    live.rename(kept.with_suffix(".away"))
    assert {one.severity for one in findings_of(table) if one.check == "listing"} == {Severity.WARNING, Severity.ERROR}
    kept.with_suffix(".away").rename(live)
    clean(latest, options)
    assert findings_of(table) == []


def test_a_metadata_table_that_cannot_be_opened(table: Table) -> None:
    table = build_metadata_table(table, ALL)
    (Path(table.storage.uri) / ".hoodie/metadata/.hoodie/hoodie.properties").unlink()
    (finding,) = findings_of(table)
    assert (finding.check, finding.mending.rebuilds) == ("listing", "files")


def test_missing_files_and_files_of_another_size_are_reported(table: Table) -> None:
    path = base_file(table)
    older = next(file for file in path.parent.glob("*.parquet") if file != path)
    older.unlink()
    assert findings_of(table) == []  # as after a clean
    path.unlink()
    (finding,) = findings_of(table)
    assert (finding.check, finding.where) == ("commits", str(path.relative_to(table.storage.uri)))


def test_a_commit_that_states_other_sizes_is_reported(table: Table) -> None:
    def change(record: dict[str, Any]) -> None:
        record["partitionToWriteStats"]["x"][0]["fileSizeInBytes"] += 1

    (finding,) = findings_of(with_commit(table, change))
    assert (finding.check, finding.severity) == ("commits", Severity.ERROR)


def test_files_that_no_write_names(table: Table) -> None:
    path = base_file(table)
    group, _, instant = path.stem.split("_")
    unknown = str(int(table.timeline.commits[0].requested_time) + 1)
    orphan = path.with_name(f"{group}_9-9-9_{unknown}.parquet")
    shutil.copy(path, orphan)
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity) == ("orphans", Severity.WARNING)
    orphan.unlink()
    shutil.copy(path, path.with_name(f"other-0_9-9-9_{instant}.parquet"))
    (finding,) = findings_of(table)
    assert (finding.check, finding.severity) == ("orphans", Severity.ERROR)


def test_log_files_of_version_6_of_a_dead_write_are_that_writes_to_roll_back(tmp_path: Path) -> None:
    """VALID-12: their names have the time of their slice, which counts; their blocks are those of a write that does not."""
    table = create_table(
        tmp_path / "made", TYPES, key="id", partition_by="p", type="mor", version=6, indexes=["column_stats"]
    )
    table.insert(rows(("a", "x", 1)))
    seen = 0
    for _, path in crashes(tmp_path / "made", lambda table: write(table, rows(("a", "x", 2))), first=6):
        table = open_table(path)
        if list((path / "x").glob(".*.log.*")) and table.timeline.pending:
            seen += 1
            checks = {finding.check for finding in validate(table, clock=later) if finding.severity != "info"}
            assert checks == {"leftovers"}
    assert seen > 2

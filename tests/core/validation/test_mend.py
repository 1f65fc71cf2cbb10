"""Mending rebuilds indexes and removes leftovers, and leaves all else alone. VALID-19, VALID-20."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hudi_core.commit.heartbeat import METADATA_HEARTBEATS, heartbeat_path
from hudi_core.commit.markers import METADATA_MARKERS
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds import built_rows
from hudi_core.index_builds.build import build_indexes, build_metadata_table
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write
from tests.support.commands import fingerprint
from tests.support.faulty_tables import base_file, checks_of, findings_of, with_properties
from tests.support.written_tables import TYPES, rows


def left(table: Table, time: str) -> None:
    """A marker and a heartbeat of a write, which is dead."""
    marker = Path(table.storage.uri) / f".hoodie/.temp/{time}/x/a.parquet.marker.CREATE"
    beat = Path(table.storage.uri) / heartbeat_path(time)
    for path in (marker, beat):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    os.utime(beat, (0, 0))


def test_leftovers_of_ended_writes_are_deleted_and_others_stay(table: Table) -> None:
    over, alive = table.timeline.commits[0].requested_time, "20300101000000000"
    left(table, over)
    findings = findings_of(table)
    left(table, alive)
    findings += findings_of(table)
    (Path(table.storage.uri) / table.timeline.folder / f"{alive}.inflight").write_bytes(b"")
    os.utime(Path(table.storage.uri) / heartbeat_path(alive))
    mended = mend(table, findings)
    assert mended.removed == (f".hoodie/.temp/{over}", f".hoodie/.heartbeat/{over}")
    assert mended.rebuilt == ()
    assert not (Path(table.storage.uri) / f".hoodie/.temp/{over}").exists()
    assert (Path(table.storage.uri) / heartbeat_path(alive)).exists()
    assert (Path(table.storage.uri) / f".hoodie/.temp/{alive}").exists()


def test_heartbeats_of_the_metadata_table_belong_to_what_is_pending_or_alive(tmp_path: Path) -> None:
    """VALID-1145."""
    create_table(tmp_path, TYPES, "id", partition_by="p", indexes=["files"])
    write(open_table(tmp_path), rows(("a", "x", 1)))
    table = open_table(tmp_path)
    root, (over, pending, alive) = Path(table.storage.uri), (f"2030010100000000{last}" for last in range(3))
    (root / table.timeline.folder / f"{pending}.inflight").write_bytes(b"")
    for time in (over, pending, alive):
        beat = root / heartbeat_path(time, METADATA_HEARTBEATS)
        beat.parent.mkdir(exist_ok=True)
        beat.touch()
        if time != alive:
            os.utime(beat, (0, 0))
    found = [one for one in findings_of(table) if one.mending.removes]
    assert [one.expected for one in found] == ["heartbeats of pending writes alone"]
    assert mend(table, found).removed == (f"{METADATA_HEARTBEATS}/{over}",)
    assert {path.name for path in (root / METADATA_HEARTBEATS).iterdir()} == {pending, alive}


@pytest.mark.parametrize("is_empty", [False, True])
def test_markers_of_the_metadata_table_belong_to_what_is_pending(tmp_path: Path, is_empty: bool) -> None:
    """VALID-1145, COMMIT-1146: so do folders that are left of them."""
    create_table(tmp_path, TYPES, "id", partition_by="p", indexes=["files"])
    write(open_table(tmp_path), rows(("a", "x", 1)))
    table = open_table(tmp_path)
    root, (over, pending, compacted) = Path(table.storage.uri), (f"2030010100000000{last}" for last in range(3))
    (root / table.timeline.folder / f"{pending}.inflight").write_bytes(b"")
    (root / f".hoodie/metadata/.hoodie/timeline/{compacted}.compaction.inflight").write_bytes(b"")
    for time in (over, pending, compacted):
        marker = root / METADATA_MARKERS / time / "files/files-0000-0_1.hfile.marker.CREATE"
        marker.parent.mkdir(parents=True)
        if not is_empty:
            marker.write_bytes(b"")
    mended = mend(table, [one for one in findings_of(table) if one.mending.removes])
    assert mended.removed == (f"{METADATA_MARKERS}/{over}",)
    assert {path.name for path in (root / METADATA_MARKERS).iterdir()} == {pending, compacted}


def test_a_wrong_index_is_built_again(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        original = built_rows.file_rows

        def wrong(sizes: dict[str, dict[str, int]]) -> Any:
            return original({name: dict.fromkeys(files, 1) for name, files in sizes.items()})

        patched.setattr(built_rows, "file_rows", wrong)
        table = build_metadata_table(table, ["column_stats", "record_index"])
    findings = findings_of(table)
    assert checks_of(findings) == {"listing"}
    mended = mend(table, findings)
    assert mended.rebuilt == ("column_stats", "files", "record_index")
    assert findings_of(mended.table) == []


def test_partitions_that_are_no_indexes_are_left_alone(table: Table) -> None:
    base_file(table).unlink()
    findings, before = findings_of(table), fingerprint(Path(table.storage.uri))
    mended = mend(table, findings)
    assert (mended.removed, mended.rebuilt) == ((), ())
    assert fingerprint(Path(table.storage.uri)) == before
    assert checks_of(findings_of(table)) == {"commits"}


def test_an_index_that_is_not_built_here_is_left_to_apache_hudi(table: Table) -> None:
    """VALID-231: of doubles, as Apache Hudi builds it."""
    table = build_indexes(build_metadata_table(table, ["record_index"]), ["secondary_index"], IndexOptions(["s"]))
    path = Path(table.storage.uri) / table.config.index_definitions_path
    path.write_text(path.read_text().replace('"s"', '"x"'))
    (finding,) = validate(table)
    assert (finding.severity.value, finding.check, finding.mending.rebuilds) == ("info", "secondary_index", None)
    assert "leave the index to Apache Hudi" in finding.mending.words
    assert mend(table, [finding]).rebuilt == ()


def test_a_write_beside_a_damaged_metadata_table_names_the_way_out(table: Table) -> None:
    """VALID-231."""
    table = build_metadata_table(table, ["column_stats", "partition_stats"])
    for file in (Path(table.storage.uri) / ".hoodie/metadata/column_stats").glob("*.hfile"):
        file.write_bytes(bytes(file.stat().st_size))
    rows = table.scan(meta=False, limit=1).to_arrow()
    with pytest.raises(CorruptFileError) as refused:
        write(refreshed(table), rows, "append")
    assert any("validate --mend" in note for note in refused.value.__notes__)
    mend(refreshed(table), list(validate(table)))
    write(refreshed(table), rows, "append")
    assert list(validate(table)) == []


def test_definitions_of_no_index_are_removed(table: Table) -> None:
    """VALID-230: those of indexes that there are, or that are being built, stay."""
    table = build_indexes(build_metadata_table(table, ["record_index"]), ["secondary_index"], IndexOptions(["s"]))
    path = Path(table.storage.uri) / table.config.index_definitions_path
    sound = path.read_bytes()
    stated = json.loads(sound)
    definition = stated["indexDefinitions"]["secondary_index_s"]
    names = ["secondary_index_gone", "expr_index_gone", "column_stats"]
    stated["indexDefinitions"] |= {name: {**definition, "indexName": name} for name in names}
    path.write_text(json.dumps(stated))
    findings = list(validate(table))
    assert [(one.severity.value, one.where.rpartition(" ")[2], one.mending.forgets) for one in findings] == [
        ("warning", "column_stats", "column_stats"),
        ("error", "expr_index_gone", "expr_index_gone"),
        ("error", "secondary_index_gone", "secondary_index_gone"),
    ]
    assert mend(table, findings).forgotten == tuple(sorted(names))
    assert json.loads(path.read_bytes()) == json.loads(sound)
    assert list(validate(table)) == []


def test_impossible_builds_are_refused_and_change_nothing(table: Table) -> None:
    table = build_metadata_table(table, ["column_stats"])
    (Path(table.storage.uri) / ".hoodie/metadata/.hoodie/hoodie.properties").unlink()
    table = with_properties(table, table__metadata__partitions="column_stats,strange_index,files")
    findings, before = findings_of(table), fingerprint(Path(table.storage.uri) / ".hoodie/metadata")
    assert "listing" in checks_of(findings)
    with pytest.raises(UnsupportedError, match="found strange_index"):
        mend(table, findings)
    assert fingerprint(Path(table.storage.uri) / ".hoodie/metadata") == before
    assert refreshed(table).config.metadata_partitions == table.config.metadata_partitions

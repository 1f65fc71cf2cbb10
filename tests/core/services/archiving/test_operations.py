"""Archives of tables, layout 1 and 2.

Also covers: `services/archiving/target.py`, `services/archiving/result.py`, `services/archiving/actions.py`.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import marker_folder
from hudi_core.creating.create import create_table
from hudi_core.errors import ConflictError, NoSuchFileError, UsageError
from hudi_core.services.archiving import operations
from hudi_core.services.archiving.operations import archive, is_due
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write
from tests.support.promises import answers
from tests.support.savepoints import saved
from tests.support.written_tables import TYPES, read, rows, rows_of

CLEANED = {"hoodie.clean.commits.retained": "1", "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED"}
TWO = ArchiveOptions(keep_min=3, properties=CLEANED)


def written(path: Path, commits: int = 8, **settings: Any) -> Table:
    table = create_table(path, TYPES, "id", partition_by="p", **{"type": "cow", "version": 9, **settings})
    for number in range(commits):
        write(refreshed(table), rows(("a", "x", number), (f"b{number}", "y", number)))
    return open_table(path)


def times(table: Table) -> list[str]:
    return [instant.requested_time for instant in table.timeline.commits]


def all_instants(path: Path) -> list[tuple[str, str]]:
    """Completed instants of the table, archived or not."""
    timeline = open_table(path).timeline.with_archived()
    return [(one.requested_time, one.completes_as) for one in timeline.completed]


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("cow", 6), ("mor", 6)])
def test_old_instants_go_and_answers_stay(tmp_path: Path, kind: str, version: int) -> None:
    """ARCHIVE-380, ARCHIVE-390, ARCHIVE-398, ARCHIVE-402, QUERY-381."""
    table = written(tmp_path, type=kind, version=version)
    clean(table, CleanOptions(keep_commits=6))
    before, made, instants = answers(tmp_path), times(table), all_instants(tmp_path)
    foreseen = archive(open_table(tmp_path), ArchiveOptions(keep_min=3, properties=CLEANED, dry_run=True))
    assert [one.requested_time for one in foreseen.planned if one.action != "clean"] == made[:5]
    assert all_instants(tmp_path) == instants
    assert times(open_table(tmp_path)) == made
    done = archive(open_table(tmp_path), TWO)
    assert (done.state, done.instants, done.first_kept, done.held_by) == ("completed", 5, made[5], None)
    after = open_table(tmp_path)
    assert times(after) == made[5:]
    assert all_instants(tmp_path) == instants
    assert answers(tmp_path) == before
    assert archive(after, TWO).state == "nothing to archive"
    files = {file.name for file in (tmp_path / after.timeline.folder).iterdir()}
    assert not [name for name in files if name.startswith(tuple(made[:5]))]


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("cow", 6), ("mor", 6)])
def test_who_listed_the_timeline_before_an_archive_reads_on(tmp_path: Path, kind: str, version: int) -> None:
    """TIME-1141."""
    written(tmp_path, type=kind, version=version)
    wanted = [open_table(tmp_path).timeline.metadata(one) for one in open_table(tmp_path).timeline.commits]
    before, listed = read(tmp_path), [open_table(tmp_path) for _ in range(3)]
    assert listed[0].timeline.with_archived() is listed[0].timeline  # the history is read, and empty
    assert archive(open_table(tmp_path), TWO).instants == 5
    assert rows_of(listed[0]) == before
    assert [listed[1].timeline.metadata(one) for one in listed[1].timeline.commits] == wanted
    timeline = replace(listed[2].timeline, history=None)  # an engine that cannot read the history
    with pytest.raises(NoSuchFileError, match=timeline.commits[0].file):
        timeline.metadata(timeline.commits[0])


def test_a_copy_of_a_table_archives_as_much(tmp_path: Path) -> None:
    """ARCHIVE-390, by a table that went to another process."""
    table = pickle.loads(pickle.dumps(written(tmp_path)))
    assert archive(table, TWO).instants == 5 and len(times(open_table(tmp_path))) == 3
    timeline = tmp_path / ".hoodie" / "timeline"
    left = [file for time, _ in all_instants(tmp_path)[:5] for file in timeline.glob(f"{time}*")]
    assert not left, "files of every state go"


def test_nothing_goes_before_there_are_too_many(tmp_path: Path) -> None:
    """ARCHIVE-380, ARCHIVE-404."""
    table = written(tmp_path, 5)
    options = ArchiveOptions(keep_min=2, keep_max=5, properties=CLEANED)
    assert not is_due(table, options)
    assert archive(table, options).state == "nothing to archive"
    write(table, rows(("a", "x", 9)))
    assert is_due(open_table(tmp_path), options)
    off = {**CLEANED, "hoodie.archive.automatic": "false"}
    assert not is_due(open_table(tmp_path), ArchiveOptions(keep_min=2, keep_max=5, properties=off))
    assert archive(open_table(tmp_path), options).instants == 4


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 9])
def test_the_metadata_table_holds_it_and_is_archived_too(tmp_path: Path, version: int) -> None:
    """ARCHIVE-385, ARCHIVE-388, ARCHIVE-401."""
    table = written(tmp_path, 6, version=version, indexes=("column_stats",))
    held = archive(table, TWO)
    assert (held.state, held.held_by) == ("nothing to archive", "the metadata table was not compacted yet")
    for number in range(12):
        write(open_table(tmp_path), rows(("a", "x", number)))
    clean(open_table(tmp_path), CleanOptions(keep_commits=1))
    before = answers(tmp_path)
    done = archive(open_table(tmp_path), TWO)
    assert done.instants > 5
    assert done.metadata_instants > 5
    assert answers(tmp_path) == before
    assert list(validate(open_table(tmp_path))) == []
    metadata = tmp_path / ".hoodie/metadata/.hoodie"
    assert list(metadata.rglob("*_0.parquet")) or list(metadata.rglob(".commits_.archive.1*"))
    for number in range(12):
        write(open_table(tmp_path), rows(("a", "x", 100 + number)))
    archive(open_table(tmp_path), TWO)
    assert read(tmp_path, MetadataMode.REQUIRE) == read(tmp_path, MetadataMode.OFF)
    assert list(validate(open_table(tmp_path))) == []


def test_savepoints_hold_it_or_stay_alone(tmp_path: Path) -> None:
    """ARCHIVE-386, ARCHIVE-587."""
    table = written(tmp_path, 3)
    time = saved(table)
    for number in range(6):
        write(open_table(tmp_path), rows(("a", "x", number)))
    made, before = times(open_table(tmp_path)), answers(tmp_path)
    done = archive(open_table(tmp_path), TWO)
    assert (done.first_kept, done.held_by) == (made[1], "a savepoint")
    assert times(open_table(tmp_path)) == made[1:]
    beyond = {**CLEANED, "hoodie.archive.beyond.savepoint": "true"}
    archive(open_table(tmp_path), ArchiveOptions(keep_min=3, properties=beyond))
    assert times(open_table(tmp_path)) == [time, *made[-3:]]
    assert answers(tmp_path) == before


def test_what_is_pending_holds_it(tmp_path: Path) -> None:
    """ARCHIVE-382."""
    written(tmp_path)
    made = times(open_table(tmp_path))
    pending = f"{int(made[4]) + 1}"
    (tmp_path / f".hoodie/timeline/{pending}.compaction.requested").touch()
    by_versions = {"hoodie.clean.policy": "KEEP_LATEST_FILE_VERSIONS"}
    done = archive(open_table(tmp_path), ArchiveOptions(keep_min=3, properties=by_versions))
    assert times(open_table(tmp_path)) == made[4:]
    assert done.held_by == f"compaction {pending} is pending"


def test_replaced_file_groups_hold_it_until_they_are_cleaned_away(tmp_path: Path) -> None:
    """ARCHIVE-384."""
    table = written(tmp_path, 2)
    write(table, rows(("a", "x", 5)), "insert_overwrite")
    for number in range(6):
        write(open_table(tmp_path), rows(("a", "x", number)))
    made = times(open_table(tmp_path))
    done = archive(open_table(tmp_path), TWO)
    assert times(open_table(tmp_path)) == made[2:]
    assert done.held_by == "file groups that it replaced are not cleaned away"
    clean(open_table(tmp_path), CleanOptions(keep_commits=1))
    archive(open_table(tmp_path), TWO)
    assert times(open_table(tmp_path)) == made[-3:]


def test_what_a_clean_retains_stays(tmp_path: Path) -> None:
    """ARCHIVE-381, ARCHIVE-387."""
    table = written(tmp_path, 10)
    made = times(table)
    kept = {"hoodie.clean.commits.retained": "5"}
    archive(table, ArchiveOptions(keep_min=2, properties=kept))
    assert times(open_table(tmp_path)) == made[-6:]
    clean(open_table(tmp_path), CleanOptions(keep_commits=4))
    until = {**CLEANED, "hoodie.archive.block.on.latest.clean.ectr": "true"}
    done = archive(open_table(tmp_path), ArchiveOptions(keep_min=2, properties=until))
    assert (times(open_table(tmp_path)), done.held_by) == (made[-4:], "what the last clean retained")


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("version", "cleans"), [(6, 2), (9, 3)])
def test_cleans_and_rollbacks_go_too(tmp_path: Path, version: int, cleans: int) -> None:
    """ARCHIVE-389."""
    table = written(tmp_path, 3, version=version)
    for number in range(6):
        clean(open_table(tmp_path), CleanOptions(keep_commits=1))
        write(open_table(tmp_path), rows(("a", "x", number)))
    hudi_core.rollback(open_table(tmp_path), times(open_table(tmp_path))[-1])
    instants = all_instants(tmp_path)
    archive(open_table(tmp_path), ArchiveOptions(keep_min=2, properties=CLEANED))
    left = [one.action for one in open_table(tmp_path).timeline.completed]
    assert left.count("clean") == cleans
    assert left.count("rollback") == 1
    assert all_instants(tmp_path) == instants
    assert table.config.version == version


def test_markers_of_archived_writes_go(tmp_path: Path) -> None:
    """ARCHIVE-405."""
    table = written(tmp_path)
    made = times(table)
    for time in (made[0], made[-1]):
        (tmp_path / marker_folder(time)).mkdir(parents=True)
        (tmp_path / marker_folder(time) / "f.parquet.marker.CREATE").touch()
    table.storage.replace(heartbeat_path(made[-1]), b"")  # its writer is about to remove them
    archive(table, TWO)
    assert not (tmp_path / marker_folder(made[0])).exists()
    assert (tmp_path / marker_folder(made[-1])).exists()


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 9])
def test_many_instants_go_in_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """ARCHIVE-400."""
    monkeypatch.setattr(operations, "_ROUND", 2)
    table, seen = written(tmp_path, version=version), []
    instants, before = all_instants(tmp_path), answers(tmp_path)
    options = ArchiveOptions(keep_min=3, properties=CLEANED, progress=lambda *counts: seen.append(counts))
    assert archive(table, options).instants == 5
    assert seen == [(2, 5), (4, 5), (5, 5)]
    assert all_instants(tmp_path) == instants
    assert answers(tmp_path) == before


def test_what_cannot_be_archived_is_refused(tmp_path: Path) -> None:
    table = written(tmp_path)
    with pytest.raises(UsageError, match="a `keep_max` that is not less, found 5 and 4"):
        archive(table, ArchiveOptions(keep_min=5, keep_max=4))
    (tmp_path / ".hoodie/timeline/20990101000000000.restore.requested").touch()
    with pytest.raises(ConflictError, match="no restore under way"):
        archive(open_table(tmp_path), TWO)
    assert len(times(open_table(tmp_path))) == 8


def test_methods_of_a_table_archive_it(tmp_path: Path) -> None:
    """ARCHIVE-403."""
    written(tmp_path)
    table = hudi_core.open(tmp_path)
    foreseen = table.archive(keep_min=3, properties=CLEANED, dry_run=True)
    assert [one.timeline for one in foreseen.planned] == ["table"] * 5
    assert table.archive(hudi_core.ArchiveOptions(keep_min=3, properties=CLEANED)).instants == 5

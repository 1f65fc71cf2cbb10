"""Recorded tables of services after our own clean, archive and restore: their histories are answered as before."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

from hudi_core.schema.meta import RECORD_KEY
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.restoring.run import restore
from hudi_core.services.restoring.savepoints import drop_savepoint, savepoint
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.open import open_table
from hudi_core.timeline.times import EARLIEST
from hudi_core.validation.validate import validate
from hudi_core.writing.by_predicate import delete
from tests.support.conformance import TableEntry, each_table_where
from tests.support.drawing import SOAK
from tests.support.promises import answers, broken

OPTIONS = [
    CleanOptions(keep_commits=1),
    CleanOptions(keep_commits=2, full=True),
    CleanOptions(keep_versions=1),
]
EAGER = {
    "hoodie.clean.policy": "KEEP_LATEST_FILE_VERSIONS",
    "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED",
}


SERVED = ("svc_", "cluster_", "part_delete", "part_overwrite", "cdc_data_before_cow") if SOAK else ("svc_",)


@each_table_where(lambda entry: entry.name.startswith(SERVED), "services or replaced file groups", every=5)
def test_histories_are_answered_as_before(entry: TableEntry, tmp_path: Path) -> None:
    """CLEAN-394, ARCHIVE-402."""
    # Each option on some tables; all on all in the long run.
    chosen = OPTIONS if SOAK else [OPTIONS[len(entry.name) % len(OPTIONS)]]
    for number, options in enumerate(chosen):
        path = tmp_path / str(number)
        copytree(entry.unpacked(), path)
        before, instants, findings = answers(path), completed(path), found_in(path)
        done = clean(open_table(path), options)
        after = answers(path)
        assert broken(before, after, done.earliest_retained) == []
        assert broken(before, answers(path, MetadataMode.OFF), done.earliest_retained) == []
        archive(open_table(path), ArchiveOptions(keep_min=1, properties=EAGER))
        assert broken(after, answers(path), EARLIEST) == []
        assert instants <= completed(path)
        assert found_in(path) <= findings


def completed(path: Path) -> set[tuple[str, str]]:
    """Completed instants of the table, archived or not."""
    timeline = open_table(path).timeline.with_archived()
    return {(one.requested_time, one.completes_as) for one in timeline.completed}


def found_in(path: Path) -> set[str]:
    """What is wrong with a table."""
    return {f"{finding.check} {finding.severity}" for finding in validate(open_table(path))}


@each_table_where(lambda entry: entry.name.startswith(SERVED), "services or replaced file groups", every=5)
def test_histories_come_back_by_a_restore(entry: TableEntry, tmp_path: Path) -> None:
    """RESTORE-456, RESTORE-458: after a write, a clean that a savepoint holds back, and an archive."""
    path = tmp_path / "t"
    copytree(entry.unpacked(), path)
    before, findings = answers(path), found_in(path)
    saved = savepoint(open_table(path)).instant
    key = next(iter(open_table(path).scan(columns=[RECORD_KEY]).to_json_rows()))[RECORD_KEY]
    delete(open_table(path), where=f"{RECORD_KEY} = '{key}'")
    assert answers(path)["latest", ""] != before["latest", ""]
    clean(open_table(path), CleanOptions(keep_versions=1))
    archive(open_table(path), ArchiveOptions(keep_min=1, properties=EAGER))
    restore(open_table(path), saved)
    drop_savepoint(open_table(path), saved)
    after = answers(path)
    assert after["latest", ""] == before["latest", ""]
    different = broken(before, after, None)
    if entry.has("*.logcompaction.requested"):
        # A log compaction gives rows its own time: those since a time have it or not, as what it merged is archived or not.
        different = [question for question in different if question[0] != "since"]
    assert different == []
    assert found_in(path) <= findings

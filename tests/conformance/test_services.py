"""Recorded tables of services after our own clean, archive and restore: their histories are answered as before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import pytest

from hudi_core.options import PROPERTIES_PATH
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.restoring.run import restore
from hudi_core.services.restoring.savepoints import drop_savepoint, savepoint
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.open import open_table
from hudi_core.timeline.times import EARLIEST
from hudi_core.validation.validate import validate
from hudi_core.writing.by_predicate import delete
from tests.support.conformance import TableEntry, each_table_where
from tests.support.drawing import SOAK
from tests.support.promises import Answer, Question, answers, broken

OPTIONS = [
    CleanOptions(keep_commits=1),
    CleanOptions(keep_commits=2, full=True),
    CleanOptions(keep_versions=1),
]
EAGER = {
    "hoodie.clean.policy": "KEEP_LATEST_FILE_VERSIONS",
    "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED",
}


SERVED = "" if SOAK else ("svc_", "conc_")
"""How names of tables begin: in the long run all."""


@pytest.mark.one_of(3)
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


FILE_NAME = re.compile(r"'_hoodie_file_name': '[^']*'")
RECORD_KEY_VALUE = re.compile(r"'_hoodie_record_key': '([^']*)'")
LOGGED = "mor" if SOAK else "svc_compaction"


@each_table_where(lambda entry: LOGGED in entry.name, "log files", every=2)
def test_histories_are_answered_as_before_a_compaction(entry: TableEntry, tmp_path: Path) -> None:
    """COMPACT-350, COMPACT-374, CLEAN-394: of log files into fewer, of those into base files, and a clean of the old slices.

    QUERY-1043: rows to which a log compaction of Apache Hudi gave its own time are among those since a time before it.
    """
    path = tmp_path / "t"
    copytree(entry.unpacked(), path)
    before, findings = without_file_names(answers(path)), found_in(path)
    for options in (CompactionOptions(of_logs=True, min_log_blocks=2), CompactionOptions()):
        compact(open_table(path), options)
        now = without_file_names(answers(path))
        different = [question for question in broken(before, now, EARLIEST) if question[0] != "base files"]
        if entry.has("*.logcompaction.requested"):
            different = [one for one in different if one[0] != "since" or not keys_in(before[one]) <= keys_in(now[one])]
        assert different == [], options
    after = answers(path)
    done = clean(open_table(path), CleanOptions(keep_versions=1))
    assert broken(after, answers(path), done.earliest_retained) == []
    assert found_in(path) <= findings


def without_file_names(answered: dict[Question, Answer]) -> dict[Question, Answer]:
    """A compaction gives rows other files, and no other values."""
    return {question: sorted(FILE_NAME.sub("", row) for row in rows) for question, rows in answered.items()}


def keys_in(rows: Sequence[str]) -> set[str]:
    """The keys of rows in an answer."""
    return {match[1] for match in map(RECORD_KEY_VALUE.search, rows) if match is not None}


def completed(path: Path) -> set[tuple[str, str]]:
    """Completed instants of the table, archived or not."""
    timeline = open_table(path).timeline.with_archived()
    return {(one.requested_time, one.completes_as) for one in timeline.completed}


def found_in(path: Path) -> set[str]:
    """What is wrong with a table."""
    return {f"{finding.check} {finding.severity}" for finding in validate(open_table(path))}


@pytest.mark.one_of(3)
@each_table_where(lambda entry: entry.name.startswith(SERVED), "services or replaced file groups", every=5)
def test_histories_come_back_by_a_restore(entry: TableEntry, tmp_path: Path) -> None:
    """RESTORE-456, RESTORE-458: after a write, a clean that a savepoint holds back, and an archive."""
    path = tmp_path / "t"
    copytree(entry.unpacked(), path)
    before, findings = answers(path), found_in(path)
    saved = savepoint(open_table(path)).instant
    key = next(iter(open_table(path).scan(columns=[RECORD_KEY]).to_json_rows()))[RECORD_KEY]
    if entry.name.startswith("conc_nbcc"):  # two buckets, which no property of the table states
        with (path / PROPERTIES_PATH).open("a") as properties:
            properties.write("\nhoodie.index.type=BUCKET\nhoodie.bucket.index.num.buckets=2\n")
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

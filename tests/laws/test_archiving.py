"""Whatever happened to a table, an archive changes no answer and loses no instant: ARCHIVE-402, ARCHIVE-398."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from hudi_core.cluster.operations import plan_only
from hudi_core.cluster.options import ClusterOptions
from hudi_core.creating.create import create_table
from hudi_core.errors import ConflictError, UnsupportedError, UsageError
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import open_table, refreshed
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write
from tests.laws.test_cleaning import IN_EACH_RUN, changed, drawn_rows
from tests.support.drawing import SOAK, seed
from tests.support.promises import answers
from tests.support.savepoints import saved
from tests.support.written_tables import TYPES

SEQUENCES = 20 if SOAK else 1
STEPS = 14 if SOAK else 9
SETTINGS = [
    {"hoodie.clean.commits.retained": "1"},
    {"hoodie.clean.policy": "KEEP_LATEST_FILE_VERSIONS", "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED"},
    {"hoodie.archive.beyond.savepoint": "true", "hoodie.clean.commits.retained": "2"},
    {"hoodie.clean.commits.retained": "1", "hoodie.timeline.compaction.batch.size": "2"},
]


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("kind", "version", "indexes"), IN_EACH_RUN)
def test_an_archive_changes_no_answer(tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...] | None) -> None:
    """ARCHIVE-402, ARCHIVE-382, ARCHIVE-384, ARCHIVE-386."""
    for sequence in range(SEQUENCES):
        random, path = Random(f"{seed(8)}{sequence}{kind}{version}"), tmp_path / str(sequence)
        table = create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
        write(table, drawn_rows(random))
        for step in range(STEPS):
            with suppress(ConflictError, UnsupportedError, UsageError):  # a pending plan may be in the way
                changed(refreshed(table), random)
            if random.random() < 0.1 and refreshed(table).timeline.commits:  # else all writes died or were undone
                saved(open_table(path))
            if random.random() < 0.1:
                plan_only(refreshed(table), ClusterOptions(columns=("n",)))
            if random.random() < 0.3:
                clean(open_table(path), CleanOptions(keep_commits=random.randint(1, 4)))
            if step > STEPS // 2 and random.random() < 0.4:
                _held(path, random)
        _held(path, random)


def _held(path: Path, random: Random) -> None:
    """Archives, and holds the table to what it was."""
    before, instants, findings = answers(path), _instants(path), set(map(str, validate(open_table(path))))
    archive(open_table(path), ArchiveOptions(keep_min=random.randint(1, 3), properties=random.choice(SETTINGS)))
    assert _instants(path) == instants
    after = answers(path)
    assert [question for question in before if before[question] != after.get(question)] == []
    without = answers(path, MetadataMode.OFF)
    assert [question for question in before if before[question] != without.get(question)] == []
    # A restore leaves no metadata table where it cannot be built again, and `validate` says so: an archive adds nothing to it.
    assert set(map(str, validate(open_table(path)))) <= findings


def _instants(path: Path) -> list[tuple[str, str]]:
    timeline = open_table(path).timeline.with_archived()
    return [(one.requested_time, one.completes_as) for one in timeline.completed]

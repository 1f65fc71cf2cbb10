"""Archives that die at each call of the storage that changes something: no instant is lost, no answer changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.creating.create import create_table
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.table.open import open_table, refreshed
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write
from tests.support.crashes import crashes, later
from tests.support.promises import answers
from tests.support.written_tables import TYPES, rows

PROPERTIES = {
    "hoodie.clean.commits.retained": "1",
    "hoodie.timeline.compaction.batch.size": "2",
    "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED",
}
THREE = ArchiveOptions(keep_min=3, properties=PROPERTIES)


def instants(path: Path) -> list[tuple[str, str]]:
    """Completed instants of the table, archived or not."""
    timeline = open_table(path).timeline.with_archived()
    return [(one.requested_time, one.completes_as) for one in timeline.completed]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version", "indexes", "after", "step"),
    [("cow", 9, ("column_stats",), False, 13), ("mor", 6, ("column_stats",), True, 11), ("mor", 8, None, True, 6)],
)
def test_a_dead_archive_loses_no_instant(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...] | None, after: bool, step: int
) -> None:
    """ARCHIVE-398, ARCHIVE-399."""
    made = tmp_path / "made"
    table = create_table(made, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    for number in range(6 if indexes is None else 12):
        write(refreshed(table), rows(("a", "x", number), (f"b{number % 3}", "y", number)))
    archive(open_table(made), ArchiveOptions(keep_min=9, properties=PROPERTIES))
    clean(open_table(made), CleanOptions(keep_commits=2))
    before, all_before = answers(made), instants(made)
    for at, path in crashes(made, lambda dying: archive(dying, THREE), after=after, step=step):
        assert instants(path) == all_before, at
        assert answers(path) == before, at
        archive(open_table(path), ArchiveOptions(keep_min=3, properties=PROPERTIES, clock=later))
        assert instants(path) == all_before, at
        assert answers(path) == before, at
        assert list(validate(open_table(path))) == [], at
        names = [file.name for file in (path / open_table(path).timeline.folder).iterdir() if file.is_file()]
        assert len([name for name in names if name.endswith((".commit", ".deltacommit"))]) >= 3, at
        assert open_table(path).timeline.pending == (), at

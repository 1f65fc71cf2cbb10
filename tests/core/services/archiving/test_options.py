"""Options of an archive beside the properties of a table."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hudi_core.errors import UsageError
from hudi_core.options import table_config
from hudi_core.services.archiving.options import ArchiveOptions, ArchiveSettings, archive_settings

NAMED = {"hoodie.table.name": "t", "hoodie.table.version": "9"}


def settings(stated: Mapping[str, str] | None = None, options: ArchiveOptions | None = None) -> ArchiveSettings:
    return archive_settings(table_config({**NAMED, **(stated or {})}), options or ArchiveOptions())


def test_numbers_are_given_or_stated_or_those_of_apache_hudi() -> None:
    """ARCHIVE-380."""
    made = settings()
    assert (made.keep_min, made.keep_max, made.block_entries, made.delta_commits) == (20, 30, 10, 5)
    assert (made.merged_files, made.merged_bytes, made.manifests) == (10, 1000 << 20, 3)
    stated = {"hoodie.keep.min.commits": "4", "hoodie.keep.max.commits": "6"}
    made = settings(stated)
    assert (made.keep_min, made.keep_max) == (4, 6)
    made = settings(stated, ArchiveOptions(properties={"hoodie.keep.max.commits": "9"}))
    assert (made.keep_min, made.keep_max) == (4, 9)
    made = settings(stated, ArchiveOptions(keep_min=2))
    assert (made.keep_min, made.keep_max) == (2, 2)
    made = settings(stated, ArchiveOptions(keep_max=8))
    assert (made.keep_min, made.keep_max) == (4, 8)


def test_other_properties_are_read() -> None:
    """ARCHIVE-380."""
    made = settings(
        {
            "hoodie.archive.beyond.savepoint": "true",
            "hoodie.archive.block.on.latest.clean.ectr": "true",
            "hoodie.archive.automatic": "false",
            "hoodie.commits.archival.batch": "3",
            "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED",
            "hoodie.timeline.compaction.batch.size": "4",
            "hoodie.timeline.manifest.retained.versions": "2",
            "hoodie.clean.commits.retained": "7",
        }
    )
    assert made.beyond_savepoint
    assert made.until_cleaned
    assert not made.automatic
    assert (made.block_entries, made.merged_files, made.manifests, made.delta_commits) == (3, 4, 2, None)
    assert made.cleaning.retained == 7


@pytest.mark.parametrize(
    ("stated", "options"),
    [
        ({"hoodie.keep.min.commits": "30"}, ArchiveOptions()),
        ({"hoodie.keep.min.commits": "0"}, ArchiveOptions()),
        ({}, ArchiveOptions(keep_min=0)),
        ({}, ArchiveOptions(keep_min=3, keep_max=2)),
        ({"hoodie.commits.archival.batch": "many"}, ArchiveOptions()),
    ],
)
def test_numbers_that_cannot_be_meant_are_refused(stated: Mapping[str, str], options: ArchiveOptions) -> None:
    """ARCHIVE-380."""
    with pytest.raises(UsageError):
        settings(stated, options)

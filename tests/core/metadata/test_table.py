"""Opening metadata tables: which parts may be used, which instants count, and how damage is told."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, HudiError
from hudi_core.metadata.table import (
    METADATA_FOLDER,
    MetadataTable,
    expect_metadata_table,
    open_metadata_table,
    siblings,
)
from hudi_core.timeline.slices import FileSlice
from hudi_plain.storage import PlainStorage
from tests.support.conformance import TableEntry, tables
from tests.support.tables import metadata_of, opened


def smallest(*needs: str, compacted: bool) -> TableEntry:
    """The smallest recorded table with these metadata partitions, whose metadata table was compacted or not."""
    for entry in sorted(tables(), key=lambda item: (item.folder / "table.zip").stat().st_size):
        if set(needs) <= set(entry.expected["table"]["metadata_partitions"]):
            metadata = metadata_of(entry)[3]
            assert metadata is not None
            if compacted == any(instant.action == "commit" for instant in metadata.timeline.commits):
                return entry
    pytest.skip(f"no recorded table with the metadata partitions {needs}")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of a small table with `files` and `column_stats`, whose metadata table was compacted."""
    target = tmp_path / "table"
    shutil.copytree(smallest("files", "column_stats", compacted=True).unpacked(), target)
    return target


class Noting(PlainStorage):
    """A storage that notes what it is told of, lists and reads."""

    def __init__(self, uri: str) -> None:
        super().__init__(uri)
        self.folders: set[str] = set()
        self.files: set[str] = set()
        self.listed: set[str] = set()
        self.read_files: set[str] = set()

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        self.folders.update(folders)
        self.files.update(file if isinstance(file, str) else file.path for file in files)

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        self.listed.add(folder)
        return super().list(folder, recursive=recursive, without=without)

    def read(self, path: str) -> bytes:
        self.read_files.add(path)
        return super().read(path)


def metadata(root: Path) -> MetadataTable:
    storage, config, timeline = opened(root)
    found = open_metadata_table(storage, config, timeline)
    assert found is not None
    return found


def test_partitions_that_are_not_listed_are_not_used(copied: Path) -> None:
    """META-1."""
    storage, config, timeline = opened(copied)
    assert open_metadata_table(storage, config.model_copy(update={"metadata_partitions": ()}), timeline) is None
    only_files = config.model_copy(update={"metadata_partitions": ("files",)})
    found = open_metadata_table(storage, only_files, timeline)
    assert found is not None
    assert len(found.files())
    assert found.column_stats(["_hoodie_commit_time"]) == {"_hoodie_commit_time": ()}
    assert metadata(copied).column_stats(["_hoodie_commit_time"])["_hoodie_commit_time"] != ()


@pytest.mark.parametrize("layout", [1, 2])
def test_what_a_storage_is_told_of_is_what_opening_lists_and_reads(layout: int) -> None:
    entry = next((item for item in tables() if _has_files_in_layout(item, layout)), None)
    if entry is None:
        pytest.skip(f"no recorded table of layout {layout} with a metadata table")
    storage, config, timeline = opened(entry.unpacked())
    noting = Noting(storage.uri)
    expect_metadata_table(noting, config, ["files"])
    found = open_metadata_table(noting, config, timeline)
    assert found is not None and len(found.slices("files"))
    assert noting.folders and noting.folders <= noting.listed
    assert noting.files and noting.files <= noting.read_files


def _has_files_in_layout(entry: TableEntry, layout: int) -> bool:
    table = entry.expected["table"]
    return "files" in table["metadata_partitions"] and table["timeline_layout_version"] == layout


def test_instant_that_is_pending_on_the_table_does_not_count(tmp_path: Path) -> None:
    """META-2."""
    root = tmp_path / "table"
    shutil.copytree(smallest("files", compacted=False).unpacked(), root)
    _, _, timeline = opened(root)
    latest = next(instant for instant, answer in timeline.newest_first() if answer.stats)
    before = metadata(root)
    (root / timeline.folder / latest.file).unlink()
    after = metadata(root)
    assert before.counts(latest.requested_time)
    assert not after.counts(latest.requested_time)
    gone = {name for files in before.files().by_name().values() for name in files}
    gone -= {name for files in after.files().by_name().values() for name in files}
    assert {
        stat.path.rpartition("/")[2] for stats in timeline.metadata(latest).stats.values() for stat in stats
    } <= gone


def test_a_hash_chooses_among_the_file_groups_of_one_data_partition() -> None:
    """Their ids begin alike; a table may have as many file groups of its own for each of its partitions."""
    ids = ["record-index-u-0000-0", "record-index-u-0001-0", "record-index-v-0000-0", "record-index-0000-0"]
    groups = siblings([FileSlice("record_index", file_id, "1", None) for file_id in ids])
    assert [[group.file_id for group in among] for among in groups] == [ids[:2], ids[2:3], ids[3:]]


def test_metadata_table_that_lags_behind_is_refused(copied: Path) -> None:
    """META-4."""
    found = metadata(copied)
    _, _, timeline = opened(copied)
    latest = timeline.commits[-1].requested_time
    for path in (copied / found.timeline.folder).glob(f"{latest}*"):
        path.unlink()
    with pytest.raises(CorruptFileError, match=rf"expected the table's latest commit {latest}"):
        metadata(copied)


def test_missing_properties_are_damage(copied: Path) -> None:
    (copied / METADATA_FOLDER / ".hoodie/hoodie.properties").unlink()
    with pytest.raises(CorruptFileError, match="metadata table"):
        metadata(copied)


def test_missing_file_of_the_last_compaction_is_damage(copied: Path) -> None:
    """META-4."""
    bases = sorted((copied / METADATA_FOLDER / "files").glob("*.hfile"))
    bases[-1].unlink()
    with pytest.raises(CorruptFileError, match=bases[-1].name):
        metadata(copied).files()


def test_missing_partition_folder_is_damage(copied: Path) -> None:
    shutil.rmtree(copied / METADATA_FOLDER / "column_stats")
    with pytest.raises(CorruptFileError, match="column_stats: expected file groups"):
        metadata(copied).column_stats(["_hoodie_commit_time"])


def test_damage_names_the_file_wherever_it_is(copied: Path) -> None:
    """Every file that is read, cut short and changed in the middle: an error that names it, or the same answer.

    Rules: META-4.
    """
    expected = metadata(copied).files().by_name()
    for item in metadata(copied).slices("files"):
        for file in item.files:
            path = copied / file.path
            content = path.read_bytes()
            for damaged in (content[: len(content) // 2], b"", content[:200] + bytes(64) + content[264:]):
                path.write_bytes(damaged)
                try:
                    assert metadata(copied).files().by_name() == expected
                except HudiError as error:
                    assert file.name in str(error)
            path.write_bytes(content)

"""Log files of the metadata table that were cut short or are gone: never fewer files without a word.

Also covers: `metadata/written.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.schemas import schema_of
from hudi_core.metadata.table import METADATA_FOLDER
from hudi_core.metadata.written import find_lost_files
from hudi_core.timeline.timeline import timeline_in
from tests.support.commands import rides_in
from tests.support.conformance import TableEntry, each_table_where
from tests.support.memory import Memory
from tests.support.tables import metadata_of


def largest_log(table: Path) -> Path:
    return max((table / ".hoodie/metadata/files").glob(".*.log.*"), key=lambda path: path.stat().st_size)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_truncated_log_file_is_reported_and_folders_are_listed(tmp_path: Path, part: float) -> None:
    table = Path(rides_in(tmp_path))
    whole = {item.file_id for item in open_table(str(table), metadata="off").slices()}
    log = largest_log(table)
    log.write_bytes(log.read_bytes()[: int(part * log.stat().st_size)])
    opened = open_table(str(table))
    assert {item.file_id for item in opened.slices()} == whole
    assert any(log.name in warning for warning in opened.warnings)
    with pytest.raises(CorruptFileError, match="bytes, as its instant records"):
        open_table(str(table), metadata="require").slices()


def test_a_damaged_block_of_a_log_file_of_the_right_size_is_reported(tmp_path: Path) -> None:
    table = Path(rides_in(tmp_path))
    whole = {item.file_id for item in open_table(str(table), metadata="off").slices()}
    log = largest_log(table)
    content = log.read_bytes()
    log.write_bytes(content[:-8] + b"\0" * 8)  # the length of the block, which stands behind it once more
    opened = open_table(str(table))
    assert {item.file_id for item in opened.slices()} == whole
    assert any(log.name in warning for warning in opened.warnings)
    with pytest.raises(CorruptFileError, match="expected whole log blocks, found a damaged one"):
        open_table(str(table), metadata="require").slices()


@pytest.mark.parametrize("newest", [True, False])
def test_a_missing_log_file_is_reported_and_folders_are_listed(tmp_path: Path, newest: bool) -> None:
    table = Path(rides_in(tmp_path))
    whole = {item.file_id for item in open_table(str(table), metadata="off").slices()}
    logs = sorted((table / ".hoodie/metadata/files").glob(".*.log.*"), key=lambda path: path.name)
    logs = [log for log in logs if log.stat().st_size > 1000]
    lost = logs[-1 if newest else 0]
    lost.unlink()
    opened = open_table(str(table))
    assert {item.file_id for item in opened.slices()} == whole
    assert any(lost.name in warning for warning in opened.warnings)
    with pytest.raises(CorruptFileError, match="a completed instant of the metadata table wrote"):
        open_table(str(table), metadata="require").slices()


PARTITIONS = ("files", "column_stats", "record_index", "bloom_filters")


def with_log_of_dead_writer(folder: Path, partition: str, size: int, version: int = 6) -> Path:
    """A table one of whose log files of a metadata partition was begun by a writer that died; what it began."""
    table = create_table(
        folder / "t", schema_of({"id": "string", "n": "long"}), "id", version=version, indexes=PARTITIONS
    )
    for number in range(3):
        table.upsert([{"id": f"a{number}", "n": number}, {"id": "b", "n": number}])
    last = max((folder / "t/.hoodie/metadata" / partition).glob(".*.log.*"), key=lambda path: path.stat().st_mtime_ns)
    parts = re.fullmatch(r"(.*\.log\.)(\d+)(_.*)", last.name)
    assert parts is not None
    number, token = (int(parts[2]) + 1, parts[3]) if version == 6 else (int(parts[2]), "_7-7-7")
    begun = last.with_name(f"{parts[1]}{number}{token}")
    begun.write_bytes(last.read_bytes()[:size])
    return begun


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("partition", "size", "version"),
    [*((partition, 40, 6) for partition in PARTITIONS), ("files", 0, 6), ("record_index", 3, 6), ("files", 40, 9)],
)
def test_what_a_dead_writer_began_is_no_damage(tmp_path: Path, partition: str, size: int, version: int) -> None:
    """META-1520: in layout 2 a task that was given up began it."""
    begun = with_log_of_dead_writer(tmp_path, partition, size, version)
    table = open_table(tmp_path / "t", metadata="require")
    assert table.count() == 4 and not table.warnings
    assert [found for found in table.validate() if found.severity == "error"] == []
    for number in range(12):  # the metadata table is compacted
        open_table(tmp_path / "t").upsert([{"id": "b", "n": 7}, {"id": f"c{number}", "n": 1}])
    assert open_table(tmp_path / "t").count() == 16 and begun.exists()
    assert [found for found in open_table(tmp_path / "t").validate() if found.severity == "error"] == []


def test_what_a_completed_instant_wrote_is_missed_beside_what_a_dead_writer_began(tmp_path: Path) -> None:
    """META-1520."""
    begun = with_log_of_dead_writer(tmp_path, "files", 40)
    name = re.sub(r"\.log\.(\d+)", lambda found: f".log.{int(found[1]) - 1}", begun.name)
    log = begun.with_name(name)
    content = log.read_bytes()
    log.write_bytes(content[:-8] + b"\0" * 8)
    with pytest.raises(CorruptFileError, match="expected whole log blocks, found a damaged one"):
        open_table(tmp_path / "t", metadata="require").slices()


def test_what_the_active_timeline_does_not_tell_of_a_log_file_is_damage(tmp_path: Path) -> None:
    """META-1520: the instant that began the slice is archived, and others with it that may have written the file."""
    begun = with_log_of_dead_writer(tmp_path, "files", 40)
    (first,) = re.findall(r"_(\d+)\.log", begun.name)
    for file in (tmp_path / "t/.hoodie/metadata/.hoodie").glob(f"{first}.*"):
        file.unlink()
    with pytest.raises(CorruptFileError, match="expected whole log blocks, found a damaged one"):
        open_table(tmp_path / "t", metadata="require").slices()


@pytest.mark.parametrize(("previous", "lost"), [("10", True), (None, False)])
def test_a_base_file_that_goes_on_from_log_files_needs_those_before_it(previous: str | None, lost: bool) -> None:
    """As one that was built while writers went on. One that goes on from nothing begins the file group anew."""
    log, base = "p/.f-0_10.log.1_0-1-1", "p/f-0_0-1-1_20.hfile"
    stats = {"10": {"path": log, "numWrites": 1}, "20": {"path": base, "numWrites": 1, "prevCommit": previous}}
    files = {
        f"t/{time}_{time}.deltacommit": json.dumps(
            {"partitionToWriteStats": {"p": [{"fileId": "f-0"} | stat]}}
        ).encode()
        for time, stat in stats.items()
    }
    present, counts = {base.rpartition("/")[2]: 1}, {"10", "20"}.__contains__
    found = find_lost_files(timeline_in(Memory(files), "t", 2), counts, "p", present, {"10", "20"})
    assert [file.path for file in found] == ([log] if lost else [])


@pytest.mark.parametrize(
    ("previous", "present", "lost"),
    [
        (None, "15010", False),
        ("10", "15010", False),
        ("15010", "15010", True),
        ("15010", "10", True),
        (None, "30", True),
    ],
)
def test_files_of_a_partition_that_was_made_again_under_an_earlier_time_are_not_missed(
    previous: str | None, present: str, lost: bool
) -> None:
    """META-1482."""
    compacted, base = "p/f-0_0-1-1_20.hfile", f"f-0_0-2-2_{present}.hfile"
    stat = {"fileId": "f-0", "path": compacted, "numWrites": 1, "prevCommit": previous}
    files = {"t/20.commit": json.dumps({"partitionToWriteStats": {"p": [stat]}}).encode()}
    found = find_lost_files(timeline_in(Memory(files), "t", 1), {"20"}.__contains__, "p", {base: 1}, {present})
    assert [file.path for file in found] == ([compacted] if lost else [])


@each_table_where(lambda entry: entry.has("*/.hoodie/metadata/*/.*.log.*"), "logs of the metadata table", every=3)
def test_no_missing_log_file_goes_unnoticed(entry: TableEntry) -> None:
    storage, _, _, metadata = metadata_of(entry)
    assert metadata is not None
    known = {
        stat.path.rpartition("/")[2]
        for item in metadata.timeline.commits
        for stats in metadata.timeline.metadata(item).stats.values()
        for stat in stats
    }
    checked = 0
    for partition in sorted(metadata.partitions):
        files = storage.list(f"{METADATA_FOLDER}/{partition}")
        slices = metadata.slices(partition)
        needed = {log.name for item in slices for log in item.logs} & known
        opened = {item.instant for item in slices}
        for name in needed:
            present = {file.name: file.size for file in files if file.name != name}
            (lost,) = find_lost_files(metadata.timeline, metadata.counts, partition, present, opened)
            assert lost.path.endswith(f"/{name}") and lost.is_gone
            checked += 1
    if not checked:
        pytest.skip("no log of the metadata table stands in its commits")

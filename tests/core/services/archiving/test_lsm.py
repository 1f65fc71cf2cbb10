"""The history of layout 2 as it is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.creating.create import create_table
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.table.open import open_table, refreshed
from hudi_core.writing.operations import write
from tests.support.written_tables import TYPES, rows

HISTORY = ".hoodie/timeline/history"
CLEANED = {"hoodie.clean.commits.retained": "1"}


def one_more(path: Path, number: int, **properties: str) -> None:
    """Writes once, and archives what is more than two writes."""
    write(open_table(path), rows(("a", "x", number)))
    archive(open_table(path), ArchiveOptions(keep_min=2, properties={**CLEANED, **properties}))


def new_table(path: Path) -> None:
    table = create_table(path, TYPES, "id", partition_by="p")
    for number in range(2):
        write(refreshed(table), rows(("a", "x", number)))


def manifest(path: Path) -> list[dict[str, Any]]:
    """The entries of the newest manifest."""
    number = (path / HISTORY / "_version_").read_text()
    files: list[dict[str, Any]] = json.loads((path / HISTORY / f"manifest_{number}").read_text())["files"]
    return files


def names(path: Path) -> list[str]:
    return sorted(file.name for file in (path / HISTORY).iterdir())


def test_a_file_has_a_row_for_each_action(tmp_path: Path) -> None:
    """ARCHIVE-391, ARCHIVE-392, ARCHIVE-393."""
    new_table(tmp_path)
    write(open_table(tmp_path), rows(("b", "y", 1)), "insert_overwrite")
    write(open_table(tmp_path), rows(("c", "y", 2)), "append")
    assert cluster(open_table(tmp_path), ClusterOptions(columns=("n",))).groups == 1
    write(open_table(tmp_path), rows(("a", "x", 7)))
    clean(open_table(tmp_path), CleanOptions(keep_commits=1))
    for number in range(3):
        write(open_table(tmp_path), rows(("a", "x", 10 + number)))
    timeline = open_table(tmp_path).timeline
    folder = tmp_path / timeline.folder
    contents = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    archive(open_table(tmp_path), ArchiveOptions(keep_min=2, properties=CLEANED))
    (entry,) = manifest(tmp_path)
    file = pq.ParquetFile(tmp_path / HISTORY / entry["fileName"])
    assert entry["fileLen"] == (tmp_path / HISTORY / entry["fileName"]).stat().st_size
    assert set(file.metadata.metadata) == {b"parquet.avro.schema", b"writer.model.name"}
    assert [field.name for field in file.schema_arrow] == [
        "instantTime", "completionTime", "action", "metadata", "plan", "version"
    ]  # fmt: skip
    assert [file.schema.column(place).max_definition_level for place in range(6)] == [1, 1, 1, 1, 1, 0]
    stored = file.read().to_pylist()
    assert entry["fileName"] == f"{stored[0]['instantTime']}_{stored[-1]['instantTime']}_0.parquet"
    by_action = {row["action"]: row for row in stored}
    assert set(by_action) == {"commit", "replacecommit", "clean"}
    for row in stored:
        name = f"{row['instantTime']}_{row['completionTime']}.{row['action']}"
        assert (row["metadata"], row["version"]) == (contents[name], 1)
    assert by_action["commit"]["plan"] is None
    cleaned = by_action["clean"]["instantTime"]
    assert by_action["clean"]["plan"] == contents[f"{cleaned}.clean.requested"]
    overwrite, clustered = (row for row in stored if row["action"] == "replacecommit")
    assert clustered["plan"] == contents[f"{clustered['instantTime']}.clustering.requested"]
    assert overwrite["plan"] == contents[f"{overwrite['instantTime']}.replacecommit.inflight"]


def test_files_are_merged_level_by_level(tmp_path: Path) -> None:
    """ARCHIVE-394, ARCHIVE-395."""
    new_table(tmp_path)
    times = []
    for number in range(8):
        one_more(tmp_path, number, **{"hoodie.timeline.compaction.batch.size": "2"})
        times = [one.requested_time for one in open_table(tmp_path).timeline.with_archived().commits]
    levels = [entry["fileName"].removesuffix(".parquet").rpartition("_") for entry in manifest(tmp_path)]
    assert [level for _, _, level in levels] == ["3"]
    assert len(times) == 10
    assert len([name for name in names(tmp_path) if name.startswith("manifest_")]) == 6
    one_more(tmp_path, 9, **{"hoodie.timeline.compaction.batch.size": "2"})
    assert len([name for name in names(tmp_path) if name.startswith("manifest_")]) == 3
    number = int((tmp_path / HISTORY / "_version_").read_text())
    named = {
        entry["fileName"]
        for one in range(number - 2, number + 1)
        for entry in json.loads((tmp_path / HISTORY / f"manifest_{one}").read_text())["files"]
    }
    assert named == {name for name in names(tmp_path) if name.endswith(".parquet")}


def test_large_files_are_not_merged(tmp_path: Path) -> None:
    """ARCHIVE-394."""
    new_table(tmp_path)
    small = {"hoodie.timeline.compaction.batch.size": "2", "hoodie.timeline.compaction.target.file.max.bytes": "1"}
    for number in range(4):
        one_more(tmp_path, number, **small)
    assert [entry["fileName"][-9:] for entry in manifest(tmp_path)] == ["0.parquet"] * 4


@pytest.mark.parametrize("left", ["data", "manifest"])
def test_what_a_dead_archive_left_is_written_over(tmp_path: Path, left: str) -> None:
    """ARCHIVE-393, ARCHIVE-399."""
    new_table(tmp_path)
    one_more(tmp_path, 1)
    first = open_table(tmp_path).timeline.commits[0].requested_time
    if left == "data":
        (tmp_path / HISTORY / f"{first}_{first}_0.parquet").write_bytes(b"half")
    else:
        (tmp_path / HISTORY / "manifest_2").write_bytes(b"{")
    one_more(tmp_path, 2)
    assert len(open_table(tmp_path).timeline.with_archived().commits) == 4

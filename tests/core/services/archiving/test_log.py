"""The history of layout 1 as it is written.

Also covers: `services/archiving/entries.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fastavro
import pytest

from hudi_core.creating.create import create_table
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.block import avro_records
from hudi_core.formats.avro.container import read_records
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.services.archiving.entries import ENTRY, entry
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.table.open import open_table, refreshed
from hudi_core.timeline.instants import parse_instant
from hudi_core.writing.operations import write
from tests.support.written_tables import TYPES, rows


def blocks(path: Path) -> list[list[dict[str, Any]]]:
    """The entries of each block of a log file."""
    entries = []
    for block in read_blocks(InMemoryFile(path.read_bytes(), path.name)):
        assert set(block.header) == {HeaderKey.SCHEMA}
        records = avro_records(block)
        starts, lengths = records.starts.tolist(), records.lengths.tolist()
        found = read_records(records.schema_text, records.data, starts, lengths, block.where, None)
        entries.append([dict(record) for record in found])
    return entries


def test_a_log_has_an_entry_for_each_state(tmp_path: Path) -> None:
    """ARCHIVE-396, ARCHIVE-397."""
    table = create_table(tmp_path, TYPES, "id", partition_by="p", version=6)
    write(table, rows(("a", "x", 1)))
    write(refreshed(table), rows(("a", "x", 2)), "insert_overwrite")
    for number in range(4):
        write(refreshed(table), rows(("a", "x", 3 + number)))
        clean(open_table(tmp_path), CleanOptions(keep_commits=1))
    options = ArchiveOptions(keep_min=1, properties={"hoodie.clean.commits.retained": "1"})
    archive(open_table(tmp_path), options)
    folder = tmp_path / table.config.history_folder
    (log,) = folder.iterdir()
    assert log.name == ".commits_.archive.1_1-0-1"
    of_blocks = blocks(log)
    assert all(len(block) == 10 for block in of_blocks[:-1])
    entries = [one for block in of_blocks for one in block]
    assert len(entries) % 3 == 0
    states = [one["actionState"] for one in entries]
    assert states == ["REQUESTED", "INFLIGHT", "COMPLETED"] * (len(entries) // 3)
    assert all(len(one["stateTransitionTime"]) == 17 for one in entries)
    by_state = {(one["actionType"], one["actionState"]): one for one in entries}
    assert by_state["commit", "COMPLETED"]["hoodieCommitMetadata"]["operationType"] == "UPSERT"
    assert by_state["commit", "INFLIGHT"]["hoodieCommitMetadata"] is not None
    assert by_state["commit", "REQUESTED"]["hoodieCommitMetadata"] is None
    assert by_state["replacecommit", "COMPLETED"]["hoodieReplaceCommitMetadata"]["partitionToReplaceFileIds"]["x"]
    assert by_state["replacecommit", "INFLIGHT"]["HoodieInflightReplaceMetadata"] is not None
    assert by_state["clean", "COMPLETED"]["hoodieCleanMetadata"]["totalFilesDeleted"] > 0
    assert by_state["clean", "REQUESTED"]["hoodieCleanerPlan"]["policy"] == "KEEP_LATEST_COMMITS"
    write(open_table(tmp_path), rows(("a", "x", 9)))
    archive(open_table(tmp_path), options)
    assert sorted(file.name for file in folder.iterdir())[1] == ".commits_.archive.2_1-0-1"


def test_the_schema_of_entries_is_whole() -> None:
    """ARCHIVE-396."""
    assert fastavro.parse_schema(ENTRY)
    assert [field["name"] for field in ENTRY["fields"]] == [
        "hoodieCommitMetadata", "hoodieCleanMetadata", "hoodieCompactionMetadata", "hoodieRollbackMetadata",
        "hoodieSavePointMetadata", "commitTime", "actionType", "version", "hoodieCompactionPlan", "hoodieCleanerPlan",
        "actionState", "hoodieReplaceCommitMetadata", "hoodieRequestedReplaceMetadata", "HoodieInflightReplaceMetadata",
        "hoodieIndexCommitMetadata", "stateTransitionTime",
    ]  # fmt: skip


@pytest.mark.parametrize("content", [b"{", b"[1]"])
def test_commit_metadata_that_is_none_is_damage(content: bytes) -> None:
    instant = parse_instant("20240101000000000.commit")
    assert instant is not None
    with pytest.raises(CorruptFileError, match="commit metadata"):
        entry(instant, content, "20240101000000000", "t")

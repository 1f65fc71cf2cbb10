"""Two writers that write one key at once, where a record index knows all keys: the second one looks again.

Also covers: `metadata/changed_keys.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.columns.nodes import to_list
from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.changed_keys import read_changed_keys
from hudi_core.transactions import conflicts
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.overlapping import KINDS, beside
from tests.support.written_tables import TYPES, read, rows


def new_table(folder: Path, kind: str = "cow", version: int = 9) -> Path:
    path = folder / "t"
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes="record_index")
    write(open_table(path), rows(("first", "x", 0)))
    return path


def upsert(path: Path, key: str, partition: str, n: int, options: WriteOptions | None = None) -> None:
    write(open_table(path), rows((key, partition, n)), "upsert", options)


def findings(path: Path) -> list[str]:
    return [str(finding) for finding in validate(open_table(path))]


@pytest.mark.one_of(2)
@KINDS
def test_a_new_key_that_two_writers_upsert_into_two_partitions_is_there_once(
    tmp_path: Path, kind: str, version: int
) -> None:
    """CONFLICT-530: neither partition shows it to the writer of the other."""
    path = new_table(tmp_path, kind, version)
    upsert(path, "k", "x", 1, beside(lambda: upsert(path, "k", "y", 2), attempts=2))
    assert read(path, where="id = 'k'") == [("k", "x", 1)]
    assert findings(path) == []


def test_the_second_writer_of_a_key_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    """CONFLICT-530."""
    path = new_table(tmp_path)
    with pytest.raises(ConflictError, match=r"keys that nobody else wrote.*'k'"):
        upsert(path, "k", "x", 1, beside(lambda: upsert(path, "k", "y", 2)))
    assert read(path) == [("first", "x", 0), ("k", "y", 2)]
    assert findings(path) == []


def test_a_row_that_is_added_beside_the_delete_of_its_key_stays_in_the_index(tmp_path: Path) -> None:
    """CONFLICT-530: from table version 8 on, the entry of the later requested write counts."""
    path = new_table(tmp_path)
    added = beside(lambda: write(open_table(path), rows(("first", "x", 0)), "delete"), attempts=2)
    write(open_table(path), rows(("first", "y", 1)), "append", added)
    assert read(path, where="id = 'first'") == [("first", "y", 1)]
    assert findings(path) == []


@pytest.mark.one_of(2)
@KINDS
def test_writers_of_other_keys_do_not_wait_for_one_another(tmp_path: Path, kind: str, version: int) -> None:
    """CONFLICT-530."""
    path = new_table(tmp_path, kind, version)
    upsert(path, "k", "y", 1, beside(lambda: upsert(path, "other", "z", 2)))
    assert read(path) == [("first", "x", 0), ("k", "y", 1), ("other", "z", 2)]
    assert findings(path) == []


def test_a_key_of_two_partitions_is_two_keys_for_a_partitioned_index(tmp_path: Path) -> None:
    """CONFLICT-530."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p")
    write(open_table(path), rows(("first", "x", 0)))
    build_indexes(open_table(path), ["record_index"], IndexOptions(partitioned=True))
    upsert(path, "k", "y", 1, beside(lambda: upsert(path, "k", "z", 2)))
    assert read(path) == [("first", "x", 0), ("k", "y", 1), ("k", "z", 2)]
    with pytest.raises(ConflictError, match="'j'"):
        write(
            open_table(path),
            rows(("j", "z", 3)),
            "append",
            beside(lambda: write(open_table(path), rows(("j", "z", 4)), "append")),
        )
    assert findings(path) == []


def test_keys_that_are_not_known_any_more_may_be_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONFLICT-530: a compaction of the metadata table merged them, and its log files were cleaned away."""
    path = new_table(tmp_path)
    monkeypatch.setattr(conflicts, "read_changed_keys", lambda *_: None)
    with pytest.raises(ConflictError, match="not known any more"):
        upsert(path, "k", "y", 1, beside(lambda: upsert(path, "other", "z", 2)))
    assert read(path) == [("first", "x", 0), ("other", "z", 2)]


def test_the_keys_of_a_write_are_those_in_its_log_files(tmp_path: Path) -> None:
    """CONFLICT-530."""
    path = new_table(tmp_path)
    upsert(path, "k", "y", 1)
    write(open_table(path), rows(("first", "x", 0)), "delete")
    table = open_table(path)
    metadata = table.snapshot().metadata
    assert metadata is not None
    changed = [read_changed_keys(metadata, commit.requested_time) for commit in table.timeline.commits]
    listed = [sorted(key for keys in (one or {}).values() for key in to_list(keys)) for one in changed]
    assert listed == [["first"], ["k"], ["first"]]
    assert read_changed_keys(metadata, "20200101000000000") is None
    for log in (path / ".hoodie/metadata/record_index").glob(f".*_{table.timeline.commits[1].requested_time}.log.*"):
        log.unlink()
    assert read_changed_keys(metadata, table.timeline.commits[1].requested_time) is None

"""Writers that die at each call of the storage that changes something: readers see the table as it was or as it is then, the next
write heals it, and nothing of the dead one is ever read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import open_table
from hudi_core.writing.create import create_table
from hudi_core.writing.operations import write
from hudi_core.writing.write_run import WriteOptions
from tests.support.crashes import crashes, later
from tests.support.written_tables import TYPES, read, rows, rows_of


# After one change is before the next, but for what the process does between them.
@pytest.mark.parametrize("after", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("kind", "version", "indexes", "op"),
    [
        ("cow", 9, ["record_index", "column_stats"], "upsert"),
        ("mor", 8, [], "upsert"),
        pytest.param("mor", 6, ["column_stats", "record_index"], "upsert", marks=pytest.mark.soak),
        pytest.param("cow", 6, ["record_index"], "insert_overwrite_table", marks=pytest.mark.soak),
        ("cow", 9, ["column_stats", "partition_stats", "record_index"], "insert_overwrite_table"),
        pytest.param("cow", 8, ["column_stats", "record_index"], "delete", marks=pytest.mark.soak),
    ],
)
def test_a_dead_writer_leaves_the_table_as_it_was_or_as_it_is_then(
    tmp_path: Path, kind: str, version: int, indexes: list[str], op: str, after: bool
) -> None:
    """WRITE-30."""
    made = create_table(
        tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes or None
    )
    write(made, rows(("a", "x", 1), ("b", "x", 1), ("c", "y", 1)))
    change = rows(("a", "x", 2), ("d", "z", 2))
    before = read(tmp_path / "made")
    if op == "upsert":
        then = sorted([("a", "x", 2), ("b", "x", 1), ("c", "y", 1), ("d", "z", 2)])
    else:
        then = [("a", "x", 2), ("d", "z", 2)] if op != "delete" else [("b", "x", 1), ("c", "y", 1)]
    seen: set[bool] = set()
    for at, path in crashes(tmp_path / "made", lambda table: write(table, change, op), after=after, step=2):
        result = read(path)
        assert result in (before, then), at
        assert read(path, MetadataMode.OFF) == result, at
        seen.add(result == then)
        write(open_table(path), rows(("a", "x", 3), ("e", "x", 3)), options=WriteOptions(clock=later))
        healed = sorted([*(row for row in result if row[0] != "a"), ("a", "x", 3), ("e", "x", 3)])
        for mode in (MetadataMode.REQUIRE if indexes else MetadataMode.AUTO, MetadataMode.OFF):
            again = open_table(path, metadata=mode)
            assert rows_of(again) == healed, (at, mode)
            for row in healed:
                assert rows_of(again, f"n = {row[2]} AND id = '{row[0]}'") == [row], (at, mode)
    assert seen == {False, True}

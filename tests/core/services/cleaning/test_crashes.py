"""Cleans that die at each call of the storage that changes something: no promised query loses a row, and the next finishes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.creating.create import create_table
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.cleaning.run import pending_cleans
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import open_table, refreshed
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import delete_partitions, write
from tests.support.crashes import crashes, later
from tests.support.promises import answers, broken
from tests.support.written_tables import TYPES, rows


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version", "indexes", "after", "step"),
    [
        ("cow", 9, ("record_index", "column_stats"), False, 4),
        ("cow", 6, ("column_stats",), True, 5),
        ("mor", 8, None, True, 4),
    ],
)
def test_a_dead_clean_is_finished_by_the_next(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...] | None, after: bool, step: int
) -> None:
    """CLEAN-397, CLEAN-398."""
    table = create_table(tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    write(table, rows(("a", "x", 1), ("b", "y", 1), ("c", "z", 1)))
    for number in range(2, 5):
        write(refreshed(table), rows(("a", "x", number), ("b", "y", number)), "insert_overwrite")
    delete_partitions(refreshed(table), ["y"])
    write(refreshed(table), rows(("c", "z", 9)))
    before, states = answers(tmp_path / "made"), set()
    retained = open_table(tmp_path / "made").timeline.commits[-1].requested_time
    options = CleanOptions(keep_commits=1)
    points = crashes(tmp_path / "made", lambda dying: clean(dying, options), after=after, step=step)
    for at, path in points:
        states.add(len(pending_cleans(open_table(path))))
        assert broken(before, answers(path, dying=True), retained) == [], at
        assert broken(before, answers(path, MetadataMode.OFF, dying=True), retained) == [], at
        done = clean(open_table(path), CleanOptions(keep_commits=1, clock=later))
        assert done.earliest_retained == retained, at
        assert broken(before, answers(path), retained) == [], at
        assert pending_cleans(open_table(path)) == [], at
        assert not (path / "y").exists(), at
        assert list(validate(open_table(path))) == [], at
        write(open_table(path), rows(("b", "y", 7)))
        assert open_table(path, metadata="require" if indexes else "auto").scan("n = 7").count() == 1, at
    assert states == {0, 1}

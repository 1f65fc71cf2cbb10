"""Where rows wait that tasks of other processes and machines write.

Also covers: `parallel/reach.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.data_files.spool import MAX_ROWS_SENT, SPOOL_FOLDER, Spool, spool
from hudi_core.errors import StorageError, UnsupportedError
from hudi_core.parallel.reach import Reach
from hudi_core.table.engines import load_engine

ENGINE = load_engine("arrow")
MANY = MAX_ROWS_SENT + 1


@dataclass(frozen=True)
class Elsewhere:
    """The Arrow engine whose tasks run somewhere else."""

    reach: Reach
    rows: Any = ENGINE.rows

    @property
    def runner(self) -> Elsewhere:
        return self


def spooled(reach: Reach, count: int, folder: Path | None = None) -> Spool:
    data = pa.table({"n": range(count)})
    schema = ENGINE.rows.read_given(data).schema
    engine: Any = Elsewhere(reach)
    return spool(engine, schema, data.to_batches(), folder=None if folder is None else str(folder))


def test_rows_are_in_a_file_where_tasks_do_not_see_memory() -> None:
    """ENGINE-10: some are sent along."""
    assert spooled(Reach.MEMORY, MANY).path is None
    assert spooled(Reach.FILES, MANY - 1).path is None
    assert spooled(Reach.NOTHING, MANY - 1).path is None
    made = spooled(Reach.FILES, MANY)
    assert made.path is not None
    made.close()
    assert not Path(made.path).exists()


def test_tasks_on_other_machines_need_a_folder_that_they_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ENGINE-10."""
    monkeypatch.delenv(SPOOL_FOLDER, raising=False)
    with pytest.raises(
        UnsupportedError, match=f"expected a folder .* {SPOOL_FOLDER} or the option spool_folder, found none"
    ):
        spooled(Reach.NOTHING, MANY)
    (tmp_path / "option").mkdir()
    made = spooled(Reach.NOTHING, MANY, tmp_path / "option")
    monkeypatch.setenv(SPOOL_FOLDER, str(tmp_path))
    by_variable = spooled(Reach.NOTHING, MANY)
    for one, folder in ((made, tmp_path / "option"), (by_variable, tmp_path)):
        assert one.path is not None
        assert Path(one.path).parents[1] == folder
        assert one.rows == MANY
        one.close()
    assert [path.name for path in tmp_path.iterdir()] == ["option"]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="missing"):
        spooled(Reach.FILES, MANY, tmp_path / "missing")

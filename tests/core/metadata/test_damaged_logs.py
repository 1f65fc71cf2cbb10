"""Log files of the metadata table that were cut short: never fewer files without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.table.open import open_table
from tests.support.commands import rides_in


def largest_log(table: Path) -> Path:
    return max((table / ".hoodie/metadata/files").glob(".*.log.*"), key=lambda path: path.stat().st_size)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_log_that_was_cut_is_said_and_folders_are_listed(tmp_path: Path, part: float) -> None:
    table = Path(rides_in(tmp_path))
    whole = {each.file_id for each in open_table(str(table), metadata="off").slices()}
    log = largest_log(table)
    log.write_bytes(log.read_bytes()[: int(part * log.stat().st_size)])
    opened = open_table(str(table))
    assert {each.file_id for each in opened.slices()} == whole
    assert any(log.name in warning for warning in opened.warnings)
    with pytest.raises(CorruptFileError, match="whole log blocks"):
        open_table(str(table), metadata="require").slices()

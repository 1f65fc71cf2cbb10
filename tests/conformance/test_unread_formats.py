"""Tables whose base files are in a format that the engine reads no rows of: everything else works."""

from __future__ import annotations

import pytest

from hudi_arrow.engine import ENGINE
from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.options import BaseFileFormat
from tests.support.conformance import TableEntry, tables

_READ = (BaseFileFormat.PARQUET, BaseFileFormat.ORC, BaseFileFormat.HFILE)


def _unread() -> list[TableEntry]:
    found = [entry for entry in tables() if entry.requires]
    if not found:
        pytest.skip("no table needs another reader, or the conformance data is absent")
    return found


def test_everything_but_rows_is_reported() -> None:
    for entry in _unread():
        table = open_table(str(entry.unpacked()))
        assert table.config.base_file_format not in _READ
        assert table.schema.fields and table.timeline.completed and table.slices()
        partitions = {item.partition for item in table.slices()}
        assert {item.partition for item in table.scan().plan.kept()} == partitions
        assert any("cannot be read" in answer for answer in table.findings())


def test_rows_that_need_an_engine_are_an_error_of_one_line() -> None:
    for entry in _unread():
        table = open_table(str(entry.unpacked()))
        for read in (table.scan().to_arrow, table.scan(limit=1).to_arrow, table.scan().count):
            with pytest.raises(UnsupportedError, match="rows need the library of Lance: pip install") as raised:
                read()
            assert "\n" not in str(raised.value)


@pytest.mark.skipif("lance" in ENGINE.formats, reason="the library of Lance is installed")
@pytest.mark.parametrize("extension", ["lance", ".lance"])
def test_the_engine_names_the_format(extension: str) -> None:
    """ENGINE-711."""
    with pytest.raises(UnsupportedError, match="(?i)" + extension.removeprefix(".")):
        ENGINE.reader(extension)

"""Who changed the properties last, by their comment."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.formats.last_writer import last_writer
from hudi_core.front.opening import create_table
from hudi_core.version import __version__
from tests.support.conformance import TableEntry, each_table
from tests.support.properties_comments import HUDI_0_14, HUDI_1_2_0, HUDI_1_2_1, HUDI_1_10, OURS
from tests.support.written_tables import rows


@pytest.mark.parametrize(
    ("comment", "name", "before"),
    [
        (HUDI_0_14, "Apache Hudi before 1.2.1", True),
        (HUDI_1_2_0, "Apache Hudi before 1.2.1", True),
        (HUDI_1_2_1, "Apache Hudi 1.2.1", False),
        (HUDI_1_2_1.replace("1.2.1", "1.3.0-SNAPSHOT"), "Apache Hudi 1.3.0-SNAPSHOT", False),
        (HUDI_1_10, "Apache Hudi 1.10.0-rc1", False),
        (HUDI_1_2_1.replace("1.2.1", "1.2.0"), "Apache Hudi 1.2.0", True),
        (OURS, "hudi_core 0.2.0", False),
        ("#Updated at 2026-11-26T14:20:00Z\n", "unknown", False),
        ("#a comment\n#Thu Nov 26 14:20:00 UTC 2026\n", "unknown", False),
        ("", "unknown", False),
        ("hoodie.table.name=t\n#Updated at x, hudi_version=1.2.1\n", "unknown", False),
    ],
)
def test_the_comment_names_the_release(comment: str, name: str, before: bool) -> None:
    """TABLE-720."""
    writer = last_writer(f"{comment}hoodie.table.name=t\n".encode())
    assert (str(writer), writer.is_before_named) == (name, before)


def test_this_library_names_itself(tmp_path: Path) -> None:
    """TABLE-720."""
    create_table(tmp_path / "t", rows(), key="id")
    content = (tmp_path / "t/.hoodie/hoodie.properties").read_bytes()
    assert str(last_writer(content)) == f"hudi_core {__version__}"


@each_table(every=5)
def test_recorded_tables_are_of_releases_before_they_were_named(entry: TableEntry) -> None:
    """TABLE-720."""
    content = (entry.unpacked() / ".hoodie/hoodie.properties").read_bytes()
    assert str(last_writer(content)) in ("Apache Hudi before 1.2.1", "unknown")

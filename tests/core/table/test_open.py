"""Opening a table: its properties, or their backup while a writer replaces them."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import CorruptFileError, NotATableError
from hudi_core.front.opening import create_table
from hudi_core.front.opening import open_table as open_front
from hudi_core.table.open import open_table
from hudi_core.validation.validate import validate

PROPERTIES = "hoodie.table.name=t\nhoodie.table.type=COPY_ON_WRITE\nhoodie.table.version=6\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".hoodie").mkdir()
    return tmp_path


def test_without_properties_and_backup_a_folder_is_no_table(root: Path) -> None:
    """TABLE-1."""
    with pytest.raises(NotATableError, match="expected a Hudi table"):
        open_table(root)


@pytest.mark.parametrize("damaged", [None, b"hoodie.table.name=\\u00"])
def test_properties_that_are_being_replaced_are_read_from_their_backup(root: Path, damaged: bytes | None) -> None:
    """TABLE-1."""
    (root / ".hoodie" / "hoodie.properties.backup").write_text(PROPERTIES)
    if damaged is not None:
        (root / ".hoodie" / "hoodie.properties").write_bytes(damaged)
    table = open_table(root)
    assert table.config.name == "t"
    assert [finding for finding in table.config.findings if "its backup is used" in finding]


def test_damaged_properties_without_a_backup_are_an_error(root: Path) -> None:
    """TABLE-1."""
    (root / ".hoodie" / "hoodie.properties").write_bytes(b"hoodie.table.name=\\u00")
    with pytest.raises(CorruptFileError, match=r"hoodie\.properties"):
        open_table(root)


@pytest.mark.parametrize(("version", "layout"), [(9, 1), (8, 1), (6, 2)])
def test_a_layout_of_another_version_is_no_empty_table(tmp_path: Path, version: int, layout: int) -> None:
    """TABLE-1302."""
    rows = pa.table({"id": ["a"]})
    create_table(tmp_path / "t", rows, "id", version=version).append(rows)
    properties = tmp_path / "t" / ".hoodie" / "hoodie.properties"
    lines = [line for line in properties.read_text().splitlines() if not re.search("layout.version|checksum", line)]
    properties.write_text("\n".join([*lines, f"hoodie.timeline.layout.version={layout}", ""]))
    table = open_front(tmp_path / "t")
    expected = (
        f"expected {3 - layout} as hoodie.timeline.layout.version, as table version {version} has it, found {layout}"
    )
    before = sorted(tmp_path.rglob("*"))
    for use in (
        table.count,
        table.scan,
        table.slices,
        lambda: table.changes("earliest").count(),
        lambda: table.append(rows),
    ):
        with pytest.raises(CorruptFileError, match=expected):
            use()
    assert sorted(tmp_path.rglob("*")) == before
    assert any("hoodie.timeline.layout.version" in finding.where for finding in validate(table, ["properties"]))

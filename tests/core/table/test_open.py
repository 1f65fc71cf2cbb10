"""Opening a table: its properties, or their backup while a writer replaces them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.errors import CorruptFileError, NotATableError
from hudi_core.table.open import open_table

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

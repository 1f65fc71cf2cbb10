"""A sound table, and a copy of it that a test may damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.table.table import Table
from tests.support.faulty_tables import copied, made


@pytest.fixture(scope="package")
def cow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("cow") / "t")


@pytest.fixture
def table(cow: Path, tmp_path: Path) -> Table:
    return copied(cow, tmp_path / "t")

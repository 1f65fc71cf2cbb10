"""A reader's way through the sources stays short: how many files one action passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.walks import files_run, walks

MOST = {
    "warm predicate": 45,
    "located key": 92,
    "cold predicate": 123,
    "insert": 140,
    "upsert of 50 rows": 167,
    "first rows": 150,
}
"""Files in which a function runs; a warm predicate is one more on a table that has planned before."""


@pytest.mark.parametrize("walk", MOST)
def test_an_action_passes_few_files(tmp_path: Path, walk: str) -> None:
    files = files_run(walks(tmp_path)[walk])
    assert 20 < len(files) <= MOST[walk], sorted(files)

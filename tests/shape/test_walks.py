"""A reader's way through the sources stays short: how many files one action passes."""

from __future__ import annotations

from pathlib import Path

from tests.bench.walks import files_run, walks

MAX_WARM = 45
"""Files in which a function runs for one more predicate on a table that has planned before."""


def test_a_warm_predicate_passes_few_files(tmp_path: Path) -> None:
    files = files_run(walks(tmp_path)["warm predicate"])
    assert 20 < len(files) <= MAX_WARM, sorted(files)

"""Streams whose driver is killed at random: each batch is in the table once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

ROOT = Path(__file__).parents[3]
HOW = "batches" if find_spec("pyspark.sql.datasource") is None else "format"
"""By `foreachBatch` before Spark 4, by the data source from there on."""


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "version", "op"), [("cow", 9, "insert"), ("mor", 9, "insert"), ("mor", 6, "append")])
def test_each_batch_is_written_once_whenever_the_driver_dies(tmp_path: Path, kind: str, version: int, op: str) -> None:
    """WRITE-430: BATCHES and KILLS in the environment say how many; the script goes to 200 and 20."""
    settings = {"BATCHES": "20", "KILLS": "4", **os.environ}
    run = [sys.executable, "-m", "tests.engines.spark.killed_stream", str(tmp_path / "f"), kind, str(version), op, HOW]
    ended = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT, env=settings)
    assert ended.returncode == 0, ended.stderr
    *_, end = [json.loads(text) for text in ended.stdout.splitlines()]
    assert (end["left"], end["pending"]) == ([], 0)
    assert end["batches"] >= int(settings["BATCHES"])
    assert end["kills"] >= 1

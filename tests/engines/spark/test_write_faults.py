"""Writes whose tasks are killed, run twice, lose their executor, or live on after it: nothing is lost, doubled or left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

from tests.support.task_faults import FAULTS

ROOT = Path(__file__).parents[3]
KINDS = ("cow-9", "mor-9", "mor-6")
OPERATIONS = ("append", "upsert", "delete", "insert_overwrite")

pytestmark = [pytest.mark.one_spark, pytest.mark.soak]


@pytest.mark.parametrize("fault", FAULTS)
def test_rows_and_indexes_are_those_of_a_write_without_faults(tmp_path: Path, fault: str) -> None:
    """WRITE-421, WRITE-426, META-1055: on a cluster of two hosts, one for all cases, and the next write goes on."""
    cases = [f"{fault}-{kind}-{op}" for kind in KINDS for op in OPERATIONS]
    run = [sys.executable, "-m", "tests.engines.spark.write_faults", str(tmp_path), *cases]
    ended = subprocess.run(run, capture_output=True, text=True, check=False, timeout=1800, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(text) for text in ended.stdout.splitlines() if text.startswith("{")]
    assert [line["case"] for line in lines] == cases
    assert [line["wrong"] for line in lines] == [""] * len(cases)

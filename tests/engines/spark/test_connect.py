"""Spark Connect: a client without a JVM reads, plans, tags and writes as a driver does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hudi_core.front.opening import open_table
from tests.support.commands import rides

CLIENT = Path(__file__).parent / "connect_client.py"


def test_a_client_of_spark_connect_reads_plans_tags_and_writes(tmp_path: Path) -> None:
    """ENGINE-1662: `uuid` gives a write the same rows in each of its steps."""
    pytest.importorskip("pyspark.sql.datasource", reason="the server comes with Spark 4")
    pytest.importorskip("grpc", reason="Spark Connect needs grpc")
    # What the fixture of the other tests set would make the client a driver.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    run = [sys.executable, str(CLIENT), str(rides()), str(tmp_path)]
    ended = subprocess.run(run, capture_output=True, text=True, check=False, timeout=300, env=environment)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    assert len(lines) == 1, ended.stderr[-3000:]
    found, table = json.loads(lines[0]), open_table(str(rides()))
    assert "connect" in found["kind"]
    assert "records read in 1 shares" in found["explained"]
    assert found["rows"] == table.scan().count()
    assert found["tagged"] == 1000
    assert found["matching"] == table.scan(where="fare > 20").count()
    assert found["changes"] == 9
    assert found["limited"] == 7
    counts = {"bulk_insert": 20, "upsert": 40, "insert_overwrite_table": 20, "insert_overwrite": 20}
    assert found["written"] == {**counts, "update": 10, "delete": 10}

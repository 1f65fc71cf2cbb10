"""Services whose tasks or driver are killed, run twice, or live on after their executor: the table is as before or as after."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

from hudi_core.front.opening import open_table
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.engines.spark.service_faults import SERVICES, made
from tests.support.crashes import later
from tests.support.served_tables import bare_rows, rows

ROOT = Path(__file__).parents[3]
FAULTS = ("task", "executor", "slow", "zombie")

pytestmark = [pytest.mark.one_spark, pytest.mark.soak]


def run(folder: Path, *cases: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "tests.engines.spark.service_faults", str(folder), *cases]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=900, cwd=ROOT)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_service_ends_as_one_without_faults(tmp_path: Path, fault: str) -> None:
    """WRITE-421, WRITE-426, CLUSTER-910, META-910: on a cluster of two hosts, and the next write goes on."""
    cases = [f"{fault}-{service}" for service in SERVICES]
    ended = run(tmp_path, *cases)
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(text) for text in ended.stdout.splitlines() if text.startswith("{")]
    assert [line["case"] for line in lines] == cases
    assert [line["wrong"] for line in lines] == [""] * len(cases)


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_whose_driver_dies_leaves_the_table(tmp_path: Path, service: str) -> None:
    """CLUSTER-14, COMPACT-368, META-95: rows are as before, the next write goes on, and the service is run again."""
    before = bare_rows(made(service, tmp_path / "before"))
    ended = run(tmp_path, f"driver-{service}")
    assert ended.returncode < 0, ended.stdout
    place = str(tmp_path / f"driver-{service}" / "there")
    table = open_table(place)
    assert bare_rows(table) == before
    # A clustering that waits keeps other writers away until it is run, or cancelled by one that may.
    write(table, rows(310, 60), options=WriteOptions(clock=later, cancels_plans=True))
    settled = bare_rows(open_table(place))
    named: dict[str, Any] = {} if service == "index" else {"clock": later}
    if service in ("compact", "compact6", "logs"):
        named["takes_over"] = True
    method, _, _, arguments, options = SERVICES[service]
    if service != "index":
        getattr(open_table(place), method)(*arguments, **options, **named)
    assert bare_rows(open_table(place)) == settled
    latest = open_table(place)
    assert [finding for finding in latest.validate() if finding.severity == "error"] == []
    assert latest.storage.list(".hoodie/.temp", recursive=True) == []

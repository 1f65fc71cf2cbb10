"""Tasks that fail and are tried again, and tasks that run twice, change nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hudi_core.engine import FileInfo
from hudi_core.front.opening import open_table
from hudi_core.table.distributed import plan_in_shares
from hudi_core.tagging import distributed
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions
from tests.engines.spark.test_reading import in_order, rows_of
from tests.engines.spark.test_tagging import expected, keys_of, located
from tests.support.commands import rides

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark import cloudpickle

import hudi_spark
from hudi_arrow.stores import storage
from hudi_spark import native
from hudi_spark.front import table as table_
from hudi_spark.runner import SparkRunner

pytestmark = pytest.mark.one_spark

FAULTS = 2
"""As many as one task may have and still be tried again."""


class Failing(storage.ArrowStorage):
    """A storage that fails when executors open their second and fourth file: they have given rows then."""

    def __init__(self, uri: str, marks: Path) -> None:
        super().__init__(uri)
        self._marks, self._driver = marks, os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_marks": self._marks, "_driver": self._driver}

    @contextmanager
    def base_file(self, file: FileInfo) -> Iterator[Any]:
        self._fail_at(file.path)
        with super().base_file(file) as opened:
            yield opened

    def open(self, path: str, size: int | None = None) -> Any:
        self._fail_at(path)
        return super().open(path, size)

    def _fail_at(self, path: str) -> None:
        mark = self._marks / path.replace("/", "!")
        if os.getpid() == self._driver or mark.exists():
            return
        mark.touch()
        if len(list(self._marks.iterdir())) in (2, 2 * FAULTS):
            raise RuntimeError(f"{path}: a fault that was planted")


@pytest.fixture
def failing(spark: Any, tmp_path: Path) -> Iterator[Any]:
    """The packaged table on such a storage."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    opened = open_table(str(rides()))
    yield table_.SparkTable(spark, replace(opened, storage=Failing(opened.storage.uri, tmp_path)))
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert len(list(tmp_path.iterdir())) >= 2 * FAULTS, "no fault came up"


def test_rows_are_the_same_when_reading_fails(failing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_is_able", lambda _: False)  # no file is read by Spark itself
    requested = {"columns": ["ride_id", "fare"]}
    assert rows_of(failing.scan(**requested)) == in_order(open_table(str(rides())).scan(**requested).to_json_rows())


@pytest.mark.one_of(2)
@pytest.mark.parametrize("wide", [False, True], ids=["by ranges", "by files"])
def test_locations_are_the_same_when_lookups_fail(failing: Any, wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    table = hudi_spark.open(failing.spark, str(rides()))
    keys, options = keys_of(table)[::20], TagOptions(IndexType.SIMPLE)
    monkeypatch.setattr(distributed, "is_wide", lambda *_: wide)
    frame = failing.spark.createDataFrame(keys, "record_key string, partition_path string")
    assert located(failing.tag(frame, options, tasks=2)) == expected(table, keys, options)


def test_plans_are_the_same_when_shares_fail(failing: Any) -> None:
    where = "fare > 20 and distance_km < 3"
    there = plan_in_shares(failing.table.scan(where=where), SparkRunner(failing.spark), 0, records_per_share=100)
    assert "shares" in there.explain()
    assert there.plan.codes.tolist() == open_table(str(rides())).scan(where=where).plan.codes.tolist()


def test_a_task_that_runs_twice_gives_the_same_rows_in_the_same_order(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AWAY-4."""
    monkeypatch.setattr(native, "_is_able", lambda _: False)  # no file is read by Spark itself
    rows = hudi_spark.open(spark, str(rides())).scan(columns=["ride_id", "fare"]).to_spark()
    frame = rows.selectExpr("spark_partition_id() as task", "*")
    first, second = (list(map(str, frame.collect())) for _ in range(2))
    assert first == second
    assert frame.select("task").distinct().count() > 1


@pytest.mark.soak
def test_tasks_that_run_twice_at_the_same_time_change_nothing(tmp_path: Path) -> None:
    """By speculation on a cluster of two hosts; `speculation.py` has the tasks, which wait until their doubles run too."""
    run = [sys.executable, str(Path(__file__).with_name("speculation.py")), str(rides()), str(tmp_path)]
    ended = subprocess.run(run, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout.splitlines()[-1])
    rows = open_table(str(rides())).scan(where="city = 'oslo'").to_json_rows()
    reported = [[row[f"_hoodie_{name}"] for name in ("record_key", "partition_path", "file_name")] for row in rows]
    assert found["rows"] == sorted(reported)
    assert found["located"] == sorted([key, name.split("_")[0]] for key, _, name in sorted(reported)[::100])
    firsts = [name for name in found["attempts"] if name.endswith("-0")]
    assert len(firsts) >= 2 and found["attempts"] == sorted([*firsts, *(f"{name[:-1]}1" for name in firsts)])

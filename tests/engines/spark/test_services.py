"""Services and index builds whose tasks run on executors leave what they leave on the driver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
import hudi_spark
from hudi_core.front.opening import open_table
from hudi_spark.front.table import SparkTable
from hudi_spark.runner import SparkRunner
from tests.core.index_builds.test_exchanged import BUILDS, build
from tests.core.services.test_runners import SERVICES, serve
from tests.core.validation.test_reads import swapped
from tests.support.commands import ran
from tests.support.served_tables import assert_served_alike, filled, twin


@pytest.mark.parametrize(
    "service", [pytest.param(name, marks=() if name == "compact" else pytest.mark.soak) for name in SERVICES]
)
def test_services_on_executors_leave_what_they_leave_here(spark: Any, tmp_path: Path, service: str) -> None:
    """ENGINE-910, WRITE-421."""
    table = filled(tmp_path / "here", "cow" if service == "clean" else "mor", 9)
    other = twin(table, tmp_path / "there")
    serve(table, service)
    serve(other, service, SparkRunner(spark))
    assert_served_alike(table, other)


def test_services_follow_writes_that_ask_for_them(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """UPKEEP-1623: whichever method writes, and where the table asks, with tasks on executors."""
    rows = spark.range(4).selectExpr("concat('k', id) AS id", "id % 2 AS p", "id AS v")
    services = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
    table = hudi_spark.create(spark, str(tmp_path / "t"), rows, "id", partition_by="p", type="mor", options=services)
    runs: list[str] = []
    monkeypatch.setattr(SparkRunner, "run", spied(SparkRunner.run, runs))
    writes: list[Callable[[SparkTable], Any]] = [
        lambda table: table.upsert(rows),
        lambda table: table.upsert(rows),
        lambda table: table.update({"v": 7}, "v > 1"),
        lambda table: table.merge(rows, ["id", "p"]).when_matched_update().execute(),
        lambda table: table.overwrite(rows.limit(1), where="id = 'k0'"),
        lambda table: hudi_spark.stream_writer(table)(rows, 3),
        lambda table: table.delete(rows.limit(1)),
        lambda table: table.delete(where="id = 'k3'"),
    ]
    for number, write in enumerate(writes):
        runs.clear()
        write(table.refresh())
        latest = table.refresh()
        done = [latest.timeline.operation(commit) for commit in latest.timeline.commits].count("COMPACT")
        assert done == number
        assert bool(runs) == bool(number)
    assert table.refresh().scan().to_spark().count() == 2


@pytest.mark.soak
@pytest.mark.parametrize("kinds", BUILDS)
def test_indexes_built_on_executors_are_those_built_here(spark: Any, tmp_path: Path, kinds: str) -> None:
    """META-910."""
    table = filled(tmp_path / "here", "mor", 9, ())
    other = twin(table, tmp_path / "there")
    build(table, kinds)
    build(other, kinds, runner=SparkRunner(spark))
    assert_served_alike(table, other)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_executors_read_the_files_of_a_validation(spark: Any, tmp_path: Path, kind: str) -> None:
    """VALID-910."""
    table = filled(tmp_path / "t", kind, 9)
    swapped(table)
    here = list(table.validate())
    assert here
    assert list(table.validate(runner=SparkRunner(spark))) == here


COMMANDS = [
    ["compact"],
    ["index", "build", "record_index"],
    ["cluster", "--columns", "n,x", "--strategy", "zorder"],
    ["clean", "--keep-versions", "1"],
    ["validate"],
]


@pytest.mark.soak
def test_commands_run_their_tasks_on_executors(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ENGINE-910: `--engine spark` on the commands of services."""
    table = filled(tmp_path / "t", "mor", 9, ("column_stats",))
    before, runs = sorted(map(str, table.scan(meta=False).to_json_rows())), list[str]()
    for method in ("run", "flow"):
        monkeypatch.setattr(SparkRunner, method, spied(getattr(SparkRunner, method), runs))
    for name, *arguments in COMMANDS:
        runs.clear()
        place = [arguments.pop(0)] if name == "index" else []
        ended = ran(name, *place, table.storage.uri, *arguments, "--engine", "spark")
        assert ended.status == 0, ended.err
        assert runs, name
    assert sorted(map(str, open_table(table.storage.uri).scan(meta=False).to_json_rows())) == before


def spied(method: Any, runs: list[str]) -> Any:
    def called(self: SparkRunner, *arguments: Any) -> Any:
        runs.append(method.__name__)
        return method(self, *arguments)

    return called

"""Sessions: what they set, what they send, and what they say when there is no Java."""

from __future__ import annotations

import os
import re
import sys
import textwrap
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import UnsupportedError, UsageError
from tests.support.commands import rides

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
import hudi_spark
from hudi_spark import engine
from hudi_spark import sessions as session

GUIDE = Path(__file__).parents[3] / "docs" / "spark.md"


def test_the_running_session_is_taken(spark: Any) -> None:
    found = hudi_spark.session()
    assert found is spark
    assert os.environ["PYSPARK_PYTHON"] == sys.executable
    assert found.conf.get("spark.sql.execution.arrow.pyspark.enabled") == "true"


def test_a_running_session_takes_settings_that_can_change(spark: Any) -> None:
    """ENGINE-1442."""
    before, has = spark.conf.get("spark.sql.shuffle.partitions"), spark.conf.get("spark.app.name")
    given = {"spark.sql.shuffle.partitions": "17", "spark.app.name": has, "spark.sql.ansi.enabled": "False"}
    try:
        assert hudi_spark.session(config=given) is spark
        assert spark.conf.get("spark.sql.shuffle.partitions") == "17"
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
        spark.conf.unset("spark.sql.ansi.enabled")


def test_settings_that_are_given_win(spark: Any) -> None:
    """ENGINE-1620: over those that the package sets where nothing is given."""
    name = "spark.sql.execution.arrow.pyspark.enabled"
    try:
        assert hudi_spark.session(config={name: "false"}).conf.get(name) == "false"
    finally:
        assert hudi_spark.session().conf.get(name) == "true"


@pytest.mark.parametrize(
    "name", ["spark.driver.memory", "spark.sql.warehouse.dir", "spark.jars", "spark.hadoop.fs.s3a.secret.key"]
)
def test_settings_that_a_running_session_cannot_change_are_refused(spark: Any, name: str) -> None:
    """ENGINE-1442: by their names, and nothing is changed. Their values may be secrets."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    with pytest.raises(UsageError, match=f"running Spark session.*{re.escape(name)}, which") as raised:
        hudi_spark.session(config={"spark.sql.shuffle.partitions": "17", name: "of-another"})
    assert "of-another" not in str(raised.value)
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


def test_the_package_is_sent_whole(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(type(spark.sparkContext), "addPyFile", lambda _, path: sent.append(path))
    hudi_spark.session(ship=True)
    names = zipfile.ZipFile(sent[0]).namelist()
    assert {"hudi_core/engine.py", "hudi_arrow/engine.py", "hudi_spark/reading.py"} <= set(names)
    assert not any("__pycache__" in name for name in names)


def test_without_java_the_error_states_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnsupportedError, match="Java 17"):
        session._check_java()


def test_rows_over_connect_before_spark_4_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="from Spark 4 on"):
        engine.arrow_batches(object())


@pytest.mark.one_spark
def test_the_guide_runs(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"path": str(rides())}
    blocks = re.findall(r"^```py\n(.*?)^```", GUIDE.read_text("utf-8"), re.M | re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, GUIDE.name, "exec"), names)
    assert "file slices are read" in capsys.readouterr().out


@pytest.mark.skipif(find_spec("pyspark.sql.datasource") is None, reason="Python data sources come with Spark 4")
def test_the_lines_for_spark_4_run(spark: Any, tmp_path: Path) -> None:
    """The guide's reads have rows, its writes bring those of a frame and of a stream."""
    blocks = re.findall(r"^(?:    .*\n|\n(?=    ))+", GUIDE.read_text("utf-8"), re.M)
    reads, writes = (textwrap.dedent(block) for block in blocks if "register" in block)
    names: dict[str, Any] = {"spark": spark, "path": str(rides())}
    exec(compile(reads.replace("spark.read.", "frame = spark.read."), GUIDE.name, "exec"), names)
    assert 0 < names["frame"].count() < spark.read.format("hudi_core").load(names["path"]).count()
    frame = spark.range(3).selectExpr("concat('r', id) AS id", "id AS v")
    table = hudi_spark.create(spark, str(tmp_path / "t"), frame, "id")
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
    names |= {"path": str(tmp_path / "t"), "folder": str(tmp_path / "checkpoint"), "frame": frame}
    names["rows"] = rows.selectExpr("concat('s', value) AS id", "value AS v")
    exec(compile(writes.replace("rows.write", "query = rows.write"), GUIDE.name, "exec"), names)
    try:
        while names["query"].lastProgress is None:
            assert not names["query"].awaitTermination(0.2)
    finally:
        names["query"].stop()
    stored = [row["id"] for row in table.refresh().table.scan(columns=["id"]).to_json_rows()]
    assert {"r0", "r1", "r2", "s0", "s9"} <= set(stored)
    assert len(stored) == len(set(stored))

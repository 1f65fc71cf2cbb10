"""A Spark session that reads Hudi tables: the settings it needs, and the package on its executors."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import hudi_core
from hudi_core.errors import UnsupportedError, UsageError, describe
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine

_SETTINGS: Mapping[str, str] = {
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
}
_LOCAL: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


def session(
    master: str | None = None,
    *,
    ship: bool = False,
    remote: str | None = None,
    config: Mapping[str, str] | None = None,
) -> SparkSession:
    """The running session, or a new one: at `master`, over Spark Connect at `remote`, else as configured by spark-submit, else
    local.

    The driver's Python is that of executors unless PYSPARK_PYTHON names another. `ship` sends this package to executors that
    do not have it. `config` comes last, so it wins; a running session takes from it the settings that can change. Raises
    `UnsupportedError` when there is no Java for a new session, `UsageError` for settings that a running one has otherwise and
    cannot change: it is as it was then. Rule ENGINE-1442.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    running = SparkSession.getActiveSession()
    if running is None:
        running = _start(master, remote, dict(config or {}))
    _change_settings(running, {**_SETTINGS, **(config or {})})
    if ship:
        ship_package(running)
    return running


def refuse_other_session(spark: object) -> None:
    """Raises `UsageError` for what is no Spark session, classic or of Spark Connect. Rule ENGINE-1613."""
    if not hasattr(spark, "createDataFrame"):
        raise UsageError("session", expected="a Spark session", found=describe(spark))


def _start(master: str | None, remote: str | None, config: dict[str, str]) -> SparkSession:
    builder: Any = SparkSession.builder
    if remote is not None:
        builder = builder.remote(remote)
    else:
        _check_java()
        local = master is None and "SPARK_HOME" not in os.environ and "spark.master" not in config
        if local or (master or "").startswith("local"):
            config = {**_LOCAL, **config}
        if master is not None or local:
            builder = builder.master(master or "local[*]")
    for key, value in config.items():
        builder = builder.config(key, value)
    started: SparkSession = builder.getOrCreate()
    return started


def _change_settings(running: SparkSession, config: Mapping[str, str]) -> None:
    """Gives a session settings. One that was just started has them; PySpark's builder may have found another one, too."""
    others = {key: str(value) for key, value in config.items() if not _has(running, key, value)}
    fixed = sorted(key for key in others if not running.conf.isModifiable(key))
    if fixed:
        found = (
            f"others than its own for {', '.join(fixed)}, which are given before it starts: stop it, or leave them out"
        )
        raise UsageError("the running Spark session", expected="settings that it has or can change", found=found)
    for key, value in others.items():
        running.conf.set(key, value)


def _has(running: SparkSession, key: str, value: object) -> bool:
    """Whether a session has this value of a setting. Spark writes flags in small letters."""
    has: Any = running.conf.get(key, None)
    return has is not None and (has == str(value) or has.lower() == str(value).lower() in ("true", "false"))


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return
    if shutil.which("java") is None:
        raise UnsupportedError(
            "Spark", message="needs Java 17: install a JRE, and put it on PATH or name its folder in JAVA_HOME"
        )


def ship_package(spark: SparkSession) -> None:
    """Sends the source of this package to executors: a zip file, made again for each session."""
    folder = tempfile.mkdtemp(prefix="hudi-core-")
    archive = Path(folder) / "hudi_core_package.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name in _packages():
            _add(target, name)
    if hasattr(spark, "addArtifacts") and not hasattr(spark, "_sc"):
        spark.addArtifacts(str(archive), pyfile=True)
    else:
        spark.sparkContext.addPyFile(str(archive))


def _packages() -> list[str]:
    """The packages that executors run: the core, this package and that of the engine that reads files. Their libraries have to
    be there."""
    files = load_engine(DEFAULT_ENGINE)
    return sorted({name.partition(".")[0] for name in (hudi_core.__name__, __name__, type(files).__module__)})


def _add(target: zipfile.ZipFile, name: str) -> None:
    root = Path(str(importlib.import_module(name).__file__)).parent
    for file in sorted(root.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            target.write(file, f"{name}/{file.relative_to(root)}")

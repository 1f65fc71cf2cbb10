"""Writes of DataFrames beside Apache Hudi's bundle in the same session, on two cores.

`HUDI_SPARK_BUNDLE` names the jar of the bundle; else the local Maven repository has it. Both sides begin with a table that they
wrote themselves, with the same rows in as many files, and column statistics in the metadata table. Each call works on a copy of
it, whose data files are links; that is part of both times. Rows are made by Spark and held by it, as a pipeline's are; none comes
to the driver. Compared are the number of all rows that the tables have then, and the xor of their hashes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from tests.bench.spark import hudi_spark, started
from tests.bench.timing import Missing, Pair, Unbuilt

ROWS: Final = 1_000_000
FILES: Final = 200
CHANGED: Final = 200_000
STREAM: Final = (20, 10_000)
"""Batches, and rows of each."""
COLUMNS: Final = ("id", "part", "ts", "a", "b", "c", "d", "e", "f", "g", "h", "i")
_TABLES = Path(os.environ.get("HUDI_BENCH_TABLES") or Path(__file__).parents[2] / ".bench" / "tables")
_JAR = (
    Path.home() / ".m2/repository/org/apache/hudi/hudi-spark3.5-bundle_2.12/1.2.0/hudi-spark3.5-bundle_2.12-1.2.0.jar"
)
_PEER: Final = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.datasource.write.partitionpath.field": "part",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.bulkinsert.shuffle.parallelism": "2",
    "hoodie.upsert.shuffle.parallelism": "2",
    "hoodie.delete.shuffle.parallelism": "2",
}


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case. Raises `Unbuilt` for one that there is none of, `Missing` for what the machine lacks."""
    if peer != "apache-hudi" or case not in _CASES:
        raise Unbuilt("no measurement of this case")
    of_case = _CASES[case]
    return Pair(
        partial(_finish, of_case, "ours"), partial(_finish, of_case, "peer"), partial(_assert_same, of_case), 1.0, 2,
        burst=1,
    )  # fmt: skip


@dataclass(frozen=True)
class _Case:
    """What both sides do with a copy of the table, or, without one, with a new folder."""

    ours: Callable[[str], None]
    peer: Callable[[str], None]
    begins_empty: bool = False


def _finish(case: _Case, side: str) -> None:
    _answer_of(case, side, read=False)


def _assert_same(case: _Case, _: object, __: object) -> None:
    ours, theirs = _answer_of(case, "ours"), _answer_of(case, "peer")
    assert ours == theirs, f"{ours} rows and hash, the peer has {theirs}"


def _answer_of(case: _Case, side: str, *, read: bool = True) -> tuple[int, int] | None:
    with tempfile.TemporaryDirectory(prefix="bench-spark-write-", dir=folder_of_tables()) as scratch:
        path = f"{scratch}/t"
        if not case.begins_empty:
            copy_table(_table(side), Path(path))
        (case.ours if side == "ours" else case.peer)(path)
        return _rows_and_hash(_read(path, side)) if read else None


def copy_table(table: Path, copy: Path) -> None:
    """Data files are written once, and can be links; files of metadata are replaced in place by some writers."""

    def copied(source: str, target: str) -> None:
        if "/.hoodie/" in source:
            shutil.copy2(source, target)
        else:
            os.link(source, target)

    shutil.copytree(table, copy, copy_function=copied)


def _rows(start: int, end: int, newer: int = 0, parts: int = 2) -> Any:
    """Rows by number, twelve columns of some types."""
    return session().range(start, end, 1, parts).selectExpr(*_columns("id", newer))


def _columns(number: str, newer: int) -> tuple[str, ...]:
    return (
        f"lpad(cast({number} as string), 12, '0') as id",
        f"cast({number} div {ROWS // FILES} as string) as part",
        f"{number} + {newer} as ts",
        f"{number} * 7 + {newer} as a",
        f"{number} / 3.0D as b",
        f"sha1(cast({number} as string)) as c",
        f"cast({number} % 1000 as int) as d",
        f"cast({number} % 97 as string) as e",
        f"{number} % 2 = 0 as f",
        f"date_add(date'2020-01-01', cast({number} % 3000 as int)) as g",
        f"timestamp_seconds({number}) as h",
        f"cast({number} as float) as i",
    )


@cache
def _held(name: str) -> Any:
    """The rows of a batch, held by Spark."""
    spread = session().range(0, CHANGED, 1, 2).selectExpr(f"id * {ROWS // CHANGED} as n")
    batches: Mapping[str, Callable[[], Any]] = {
        "all": lambda: _rows(0, ROWS),
        "uniform": lambda: spread.selectExpr(*_columns("n", 1)),
        "recent": lambda: _rows(ROWS - CHANGED // 2, ROWS + CHANGED // 2, 1),
        "deleted": lambda: _rows(0, ROWS, 1).where("pmod(a - 1, 700) = 0"),
    }
    frame = batches[name]().persist()
    frame.count()
    return frame


def _table(side: str) -> Path:
    """The table of a side as it is before a change, made once."""
    folder = folder_of_tables() / f"spark_write_{side}_{ROWS}"
    if not folder.is_dir():
        new = folder.with_name(f"{folder.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        made = _held("all")
        if side == "ours":
            _create(str(new)).bulk_insert(made)
        else:
            _peer("bulk_insert", made, str(new))
        new.rename(folder)
    return folder


def _create(path: str, parted: bool = True) -> Any:
    return hudi_spark().create(
        session(), path, _held("all"), "id", partition_by="part" if parted else (), ordering="ts",
        indexes="column_stats",
    )  # fmt: skip


def _ours(op: str, batch: str, path: str) -> None:
    hudi_spark().open(session(), path).write(_held(batch), op)


def _peer(operation: str, frame: Any, path: str, **others: str) -> None:
    options = {**_PEER, "hoodie.datasource.write.operation": operation, **others}
    mode = "append" if (Path(path) / ".hoodie").is_dir() else "overwrite"
    frame.write.format("hudi").options(**options).mode(mode).save(path)


_UNPARTED: Final = {
    "hoodie.datasource.write.partitionpath.field": "",
    "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator",
    "hoodie.bulkinsert.sort.mode": "NONE",
}


def _append_ours(path: str) -> None:
    _create(path, parted=False).append(_held("all"))


def _stream(write: Callable[[Any, int], None]) -> None:
    """Batches of a stream, as `foreachBatch` gives them: half of the rows are new ones."""
    batches, rows = STREAM
    for number in range(batches):
        start = ROWS - rows // 2 + number * (rows // 2)
        write(_rows(start, start + rows, number + 1), number)


def _stream_ours(path: str) -> None:
    spark = hudi_spark()
    _stream(spark.stream_writer(spark.open(session(), path)))


def _change(op: str, batch: str) -> _Case:
    return _Case(partial(_ours, op, batch), lambda path: _peer(op, _held(batch), path))


_CASES: Mapping[str, _Case] = {
    "append_1m_12_columns": _Case(
        _append_ours, lambda path: _peer("bulk_insert", _held("all"), path, **_UNPARTED), begins_empty=True
    ),
    "upsert_200k_uniform_200_files": _change("upsert", "uniform"),
    "upsert_200k_recent": _change("upsert", "recent"),
    "delete_1_percent": _change("delete", "deleted"),
    "stream_20_batches_10k": _Case(_stream_ours, lambda path: _stream(lambda frame, _: _peer("upsert", frame, path))),
}


def _read(path: str, side: str) -> Any:
    if side == "peer":
        return session().read.format("hudi").load(path).select(*COLUMNS)
    return hudi_spark().open(session(), path).scan(columns=list(COLUMNS)).to_spark()


def _rows_and_hash(frame: Any) -> tuple[int, int]:
    row = frame.selectExpr("count(*) as n", f"bit_xor(xxhash64({', '.join(COLUMNS)})) as h").collect()[0]
    return int(row["n"]), int(row["h"])


def folder_of_tables() -> Path:
    """The folder of the tables, and of copies, whose data files are links."""
    _TABLES.mkdir(parents=True, exist_ok=True)
    return _TABLES


@cache
def session() -> Any:
    """The session of both sides, with the bundle."""
    jar = Path(os.environ.get("HUDI_SPARK_BUNDLE") or _JAR)
    if not jar.is_file():
        raise Missing(f"needs the bundle of Apache Hudi: {jar.name}, or its name in HUDI_SPARK_BUNDLE")
    config = {
        "spark.driver.memory": os.environ.get("DRIVER_MEMORY", "4g"),
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.jars": str(jar),
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",  # its procedures
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
    }
    return started(config)

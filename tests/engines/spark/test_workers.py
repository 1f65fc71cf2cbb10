"""Python workers of Spark: what is left behind by a task."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from zipimport import zipimporter

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

from hudi_spark.workers import in_worker


def _archives() -> list[str]:
    return [path for path, importer in sys.path_importer_cache.items() if isinstance(importer, zipimporter)]


@pytest.mark.parametrize("fails", [False, True])
def test_a_task_leaves_no_importers_of_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    """ENGINE-610: also where it fails; modules of archives can be imported as before."""
    archive = tmp_path / "modules.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("of_an_archive_a.py", "")
        made.writestr("of_an_archive_b.py", "")
    monkeypatch.syspath_prepend(str(archive))
    rows = pa.record_batch({"n": [1, 2]})

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        __import__("of_an_archive_a")
        assert _archives()
        yield from batches
        if fails:
            raise ValueError("a row")

    made_rows: list[pa.RecordBatch] = []
    try:
        made_rows.extend(in_worker(work)([rows]))
    except ValueError:
        assert fails
    assert made_rows == [rows] or fails
    assert _archives() == []
    __import__("of_an_archive_b")
    for name in ("of_an_archive_a", "of_an_archive_b"):
        del sys.modules[name]

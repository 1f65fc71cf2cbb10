"""Plans of compactions in their stored form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hudi_core.commit.avro_schemas import COMPACTION_PLAN
from hudi_core.commit.compaction_plans import CompactionPlan, encode_plan, plan_operation, read_plan
from hudi_core.creating.create import create_table
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.container import read_container, write_container
from hudi_core.table.open import open_table
from hudi_core.timeline.instants import COMPACTION, Instant, InstantState
from hudi_core.timeline.slices import FileSlice
from tests.support.written_tables import TYPES

TIME = "20240301100000000"
SLICE = FileSlice(
    "p",
    "f-0",
    "20240301090000000",
    FileInfo("p/f-0_0-0-0_20240301090000000.parquet", 3 << 20),
    (FileInfo("p/.f-0_20240301093000000.log.1_0-0-0", 5 << 19), FileInfo("p/.f-0_20240301094000000.log.1_0-0-0", 10)),
)


def read(path: Path, content: bytes) -> CompactionPlan:
    create_table(path, TYPES, "id", type="mor")
    timeline = path / ".hoodie/timeline"
    timeline.mkdir(exist_ok=True)
    (timeline / f"{TIME}.compaction.requested").write_bytes(content)
    instant = Instant(TIME, COMPACTION, InstantState.REQUESTED, None, f"{TIME}.compaction.requested")
    return read_plan(open_table(path).timeline, instant)


def stored(**fields: Any) -> dict[str, Any]:
    (record,) = read_container(encode_plan(CompactionPlan((plan_operation(SLICE),), ("q",))), "plan")
    assert isinstance(record, dict)
    return {**record, **fields}


def test_a_plan_comes_back(tmp_path: Path) -> None:
    """COMPACT-350."""
    plan = CompactionPlan((plan_operation(SLICE),), ("q", "r"))
    assert read(tmp_path, encode_plan(plan)) == plan


def test_slices_have_the_figures_of_hudi() -> None:
    """COMPACT-350: whole megabytes; a slice without a base file gets one of the largest size."""
    assert plan_operation(SLICE).metrics == {
        "TOTAL_LOG_FILES": 2.0,
        "TOTAL_LOG_FILES_SIZE": float((5 << 19) + 10),
        "TOTAL_IO_READ_MB": 5.0,
        "TOTAL_IO_WRITE_MB": 3.0,
        "TOTAL_IO_MB": 8.0,
    }
    alone = plan_operation(FileSlice("p", "f-0", "1", None, SLICE.logs))
    assert (alone.base, alone.metrics["TOTAL_IO_WRITE_MB"], alone.metrics["TOTAL_IO_MB"]) == (None, 120.0, 122.0)


def test_the_stored_form_is_that_of_hudi() -> None:
    """COMPACT-350."""
    record = stored()
    assert (record["version"], record["strategy"], record["preserveHoodieMetadata"]) == (2, None, False)
    assert record["missingSchedulePartitions"] == ["q"]
    (operation,) = record["operations"]
    assert operation["deltaFilePaths"] == [log.name for log in SLICE.logs]
    assert operation["dataFilePath"] == "f-0_0-0-0_20240301090000000.parquet"
    (of_logs,) = read_container(encode_plan(CompactionPlan((), None, of_logs=True)), "plan")
    assert isinstance(of_logs, dict)
    assert of_logs["preserveHoodieMetadata"] is True
    assert str(of_logs["strategy"]["compactorClassName"]).endswith(".LogCompactionExecutionHelper")
    assert of_logs["missingSchedulePartitions"] is None


def test_directories_of_paths_do_not_count(tmp_path: Path) -> None:
    """COMPACT-351: plans of version 1 have whole paths."""
    record = stored(version=1)
    (operation,) = record["operations"]
    operation["dataFilePath"] = f"file:/elsewhere/p/{operation['dataFilePath']}"
    operation["deltaFilePaths"] = [f"/elsewhere/p/{name}" for name in operation["deltaFilePaths"]]
    (read_back,) = read(tmp_path, write_container(COMPACTION_PLAN, [record])).operations
    assert read_back == plan_operation(SLICE)


@pytest.mark.parametrize(
    ("fields", "error"),
    [({"version": 3}, UnsupportedError), ({"version": 0}, UnsupportedError), (None, CorruptFileError)],
)
def test_other_plans_are_refused(tmp_path: Path, fields: dict[str, Any] | None, error: type[Exception]) -> None:
    """COMPACT-352."""
    content = b"" if fields is None else write_container(COMPACTION_PLAN, [stored(**fields)])
    with pytest.raises(error):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [("bootstrapFilePath", "file:/b.parquet", UnsupportedError), ("fileId", None, CorruptFileError)],
)
def test_other_slices_are_refused(tmp_path: Path, field: str, value: str | None, error: type[Exception]) -> None:
    """COMPACT-352."""
    record = stored()
    record["operations"][0][field] = value
    with pytest.raises(error):
        read(tmp_path, write_container(COMPACTION_PLAN, [record]))

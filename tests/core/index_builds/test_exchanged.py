"""Index builds whose tasks exchange records: the records of a build in one process, and nothing left beside them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hudi_core.errors import ConflictError, UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from hudi_core.index_builds import exchanged, runs
from hudi_core.index_builds.exchanged import WriteGroups
from hudi_core.parallel.flow import Packet
from hudi_core.transactions.reports import unpack
from hudi_core.writing.operations import write
from tests.support.local_flow import LocalFlow, watch_reports
from tests.support.runners import RepeatingRunner
from tests.support.served_tables import assert_served_alike, filled, rows, twin

BUILDS: dict[str, list[tuple[tuple[str, ...], dict[str, Any]]]] = {
    "record_index": [(("record_index",), {})],
    "statistics and filters": [(("column_stats", "partition_stats", "bloom_filters"), {})],
    "secondary": [(("record_index",), {}), (("secondary_index",), {"columns": "s", "name": "by_s"})],
    "expression": [
        (("column_stats",), {}),
        (("expression_index",), {"columns": "s", "name": "upper", "function": "upper", "using": "column_stats"}),
        (("expression_index",), {"columns": "n", "name": "n", "function": "identity", "using": "bloom_filters"}),
    ],
}


def build(table: Table, kinds: str, **given: Any) -> Table:
    for names, options in BUILDS[kinds]:
        known = [name for name in names if table.config.version > 6 or name != "partition_stats"]
        table = table.index(*known, **options, **given)  # type: ignore[arg-type]  # names of kinds
    return table


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kinds", "version"),
    [("record_index", 9), ("expression", 9)]
    + [
        pytest.param(kinds, version, marks=pytest.mark.soak)
        for version in (6, 8, 9)
        for kinds in BUILDS
        if version > 6 or kinds in ("record_index", "statistics and filters")
    ],
)
def test_records_that_tasks_exchange_are_those_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kinds: str, version: int
) -> None:
    """META-910: each step runs twice, and pieces are small."""
    table = filled(tmp_path / "here", "mor", version, ())
    other = twin(table, tmp_path / "there")
    build(table, kinds)
    monkeypatch.setattr(exchanged, "_BYTES_OF_PACKET", 700)
    monkeypatch.setattr(runs, "RUN_BYTES", 5000)
    build(other, kinds, runner=RepeatingRunner())
    assert_served_alike(table, other)
    assert len(base_files(table)) == len(base_files(other))


def base_files(table: Table) -> set[str]:
    """The base files of metadata partitions."""
    infos = table.storage.list(".hoodie/metadata", recursive=True)
    return {info.path for info in infos if info.name.endswith(".hfile")}


def test_a_key_that_comes_twice_is_refused_and_the_index_stays(tmp_path: Path) -> None:
    """META-500, META-910: where an index is there, the records are looked at first; nothing is changed."""
    table = filled(tmp_path / "t", "cow", 9, ("column_stats",))
    write(table, rows(0, 5), "append")
    table = open_table(table.storage.uri)
    before = sorted(info.path for info in table.storage.list(".hoodie", recursive=True))
    for kinds in (["record_index"], ["column_stats", "record_index"]):
        with pytest.raises(UnsupportedError, match="each record key once"):
            table.index(*kinds, runner=RepeatingRunner(), rebuild=len(kinds) > 1)  # type: ignore[arg-type]
        assert sorted(info.path for info in table.storage.list(".hoodie", recursive=True)) == before


class KeptSteps(RepeatingRunner):
    """Keeps the steps that write, and what they were given."""

    steps: ClassVar[list[tuple[bytes, int, list[Packet]]]] = []

    def flow(self, work: Any, tasks: Any) -> LocalFlow:
        flow = super().flow(work, tasks)
        return KeptFlow(flow.parts, flow.repeats, flow.parallelism)


class KeptFlow(LocalFlow):
    def _worked(self, work: bytes, number: int, part: Any) -> list[Packet]:
        if isinstance(pickle.loads(work), WriteGroups):
            KeptSteps.steps.append((work, number, list(part)))
        return super()._worked(work, number, part)


def test_an_attempt_that_outlives_its_build_leaves_nothing(tmp_path: Path) -> None:
    """WRITE-426, META-910."""
    KeptSteps.steps.clear()
    table = filled(tmp_path / "t", "cow", 9, ("column_stats",)).index("record_index", runner=KeptSteps())
    before = base_files(table)
    assert len(before) > 1
    for work, number, part in KeptSteps.steps:
        reports = [unpack(packet) for packet in pickle.loads(work)(number, iter(part))]
        assert [type(report) for report in reports] in ([ConflictError], [])
    assert base_files(table) == before


def test_keys_do_not_come_to_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-910: the reports of a record index are statuses."""
    table = filled(tmp_path / "t", "cow", 9, ("column_stats",))
    seen = watch_reports(monkeypatch)
    table.index("record_index", runner=RepeatingRunner())
    assert seen
    assert not any(b"k00001" in packet.content for packet in seen)

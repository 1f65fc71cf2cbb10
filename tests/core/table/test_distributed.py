"""Plans made in shares by any runner are those that one process makes."""

from __future__ import annotations

import pytest

from hudi_core.engine import Runner
from hudi_core.parallel.runners import SerialRunner, ThreadRunner
from hudi_core.table.distributed import plan_in_shares
from tests.support.made_tables import COLUMNS, Group, MadeTable

RUNNERS = [pytest.param(SerialRunner(), id="serial"), pytest.param(ThreadRunner(3), id="threads")]


def table_of(count: int) -> MadeTable:
    return MadeTable([Group("uv"[row % 2], [{"id": f"k{row}", "n": row, "s": f"s{row}"}]) for row in range(count)])


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("records_per_share", [1, 7, 1_000])
def test_shares_give_the_plan_of_the_whole(runner: Runner, records_per_share: int) -> None:
    table, where = table_of(23).open(), "n > 11 and s < 's5'"
    scan = table.scan(where=where)
    planned = plan_in_shares(table.scan(where=where), runner, 0, records_per_share)
    assert planned.plan.codes.tolist() == scan.plan.codes.tolist()
    assert planned.plan.reasons.texts == scan.plan.reasons.texts
    shares = min(23, -(-46 // records_per_share))
    assert f"46 records read in {shares} shares" in planned.explain()


@pytest.mark.parametrize("runner", RUNNERS)
def test_few_records_are_read_by_the_calling_process(runner: Runner) -> None:
    table = table_of(6).open()
    scan = table.scan(where="n > 1")
    assert plan_in_shares(scan, runner, max_records=6) is scan
    assert plan_in_shares(scan, runner, max_records=5) is not scan
    unfiltered = table.scan()
    assert plan_in_shares(unfiltered, runner, max_records=0) is unfiltered


def test_a_scan_that_looks_up_an_index_is_planned_by_the_calling_process() -> None:
    table = MadeTable([Group("u", [dict.fromkeys(COLUMNS) | {"id": "a"}])], ("column_stats", "record_index")).open()
    scan = table.scan(where="id = 'a'")
    assert plan_in_shares(scan, SerialRunner(), max_records=-1) is scan

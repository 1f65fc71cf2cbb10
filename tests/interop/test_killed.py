"""Processes that are killed at random, of which one is a writer of Apache Hudi: `model/killed.py`.

`KILLED_SECONDS=` says how long.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from hudi_core.services.upkeep.rounds import ServiceOptions, run_services
from tests.model.killed import run
from tests.model.test_killed import SECONDS
from tests.support.crashes import later

pytestmark = [pytest.mark.interop, pytest.mark.soak]


@pytest.mark.parametrize(("kind", "version"), [*product(("cow", "mor"), (6, 8, 9))])
def test_no_row_is_lost_or_doubled_beside_apache_hudi(
    tmp_path: Path, hudi_python: str, judge: Any, kind: str, version: int
) -> None:
    wrong, done = run(tmp_path, kind, version, SECONDS, seed=0, hudi=hudi_python)
    print(done, *wrong, sep="\n")
    assert wrong == [], done
    table = open_table(tmp_path / "t")
    # What a service that was killed has left, when it shows no signs of life any more.
    list(run_services(table, ServiceOptions(only=("compact", "log-compact"), clock=later)))
    expected = tmp_path / "rows.parquet"
    pq.write_table(table.refresh().scan(meta=False).to_arrow(), expected)
    answer = judge.ask(
        "verify", table.uri, expect=str(expected), key=["id"], pending="none", table_version=version,
        checks=["timeline", "rows", "metadata"],
    )  # fmt: skip
    wrong = [
        found for found in answer.get("findings", []) if found["severity"] == "error" and not reads_as_we(found, table)
    ]
    assert "error" not in answer and wrong == [], judge.explain(answer)


def reads_as_we(found: dict[str, str], table: Table) -> bool:
    """Whether a finding is that Apache Hudi reads more rows since a time than active commits wrote, and we read as many: a commit
    that took long may complete after one that was requested later, and be archived before it."""
    if (found["check"], found["kind"]) != ("incremental", "differs"):
        return False
    since = found["where"].removeprefix("since ")
    return found["message"].startswith(f"{table.refresh().scan(since=since).count()} rows read")

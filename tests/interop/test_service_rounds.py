"""Thirty rounds of services that alternate with Apache Hudi's, in an order that a seed draws. `support/service_rounds.py`.

`SERVICE_ROUNDS=` and `SEED=` make more and other ones.
"""

from __future__ import annotations

import os
import random
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.rounds import Case
from tests.support.service_rounds import ServiceRounds

pytestmark = pytest.mark.interop

ROUNDS = int(os.environ.get("SERVICE_ROUNDS") or 30)
SEED = int(os.environ.get("SEED") or 1)
CASES = [
    Case(kind, version, indexes=("column_stats", "record_index", *(("partition_stats",) if version > 6 else ())))
    for kind, version in product(("cow", "mor"), (6, 8, 9))
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_services_of_both_keep_the_rows(tmp_path: Path, judge: Any, oracle: ModuleType, case: Case) -> None:
    rounds = ServiceRounds(judge, oracle, case, tmp_path, random.Random(f"{case} {SEED}"))
    rounds.run(ROUNDS)
    print(f"seed {SEED}: {' '.join(rounds.trace)}")

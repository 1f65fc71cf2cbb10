"""How tests draw, at random for people and the same examples every time where a run decides on a change; and where they run."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "decisive", derandomize=True, print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
if os.environ.get("CI"):
    settings.load_profile("decisive")

ON_ONE_JVM = "tests/engines/spark/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of several processes one has all tests that need Spark, and with them the only JVM; others are dealt out one by one."""
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - not in every environment

    class OneJvm(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return ON_ONE_JVM if nodeid.startswith(ON_ONE_JVM) else nodeid

    return OneJvm(config, log)

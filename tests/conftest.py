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

TOGETHER = ("tests/engines/spark/", "tests/conformance/test_tightness.py")
"""Tests that share what is dear to make: the only JVM; the plans of all recorded filters."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of several processes one has all tests of a group, such as those that need Spark; others are dealt out one by one."""
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - not in every environment

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next(filter(nodeid.startswith, TOGETHER), nodeid)

    return ByGroup(config, log)

"""How tests draw, and where they run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.contract", "tests.support")

from tests.support.drawing import profile  # noqa: E402  # assertions of what it imports are rewritten too

pytest_plugins = ("tests.support.assertions",)

settings.load_profile(profile())

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

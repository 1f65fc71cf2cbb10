"""A test that compared nothing is no test: it fails here, whatever let it pass."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

for _rewritten in Path(__file__).parents[1].rglob("*-pytest-*.pyc"):
    if _rewritten.stat().st_mtime < Path(__file__).stat().st_mtime:  # may be from before assertions were noted
        _rewritten.unlink(missing_ok=True)


_COMPARED = pytest.StashKey[list[str]]()
"""Where assertions held in a test that runs, and which errors were raised as expected."""


def pytest_assertion_pass(item: pytest.Item, lineno: int, orig: str, expl: str) -> None:
    """Called for each assertion that held (`enable_assertion_pass_hook`)."""
    item.stash.setdefault(_COMPARED, []).append(orig)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Runs the test, and fails it when nothing was compared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytest, "raises", _noted(pytest.raises, item))
        yield
    if not item.stash.get(_COMPARED, []):
        pytest.fail(f"{item.name} passed without an assertion", pytrace=False)


def _noted(raises: Callable[..., Any], item: pytest.Item) -> Callable[..., Any]:
    def noted(*args: Any, **options: Any) -> Any:
        item.stash.setdefault(_COMPARED, []).append("raises")
        return raises(*args, **options)

    return noted

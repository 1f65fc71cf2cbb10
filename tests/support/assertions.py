"""Plugin of the test run: a test that compares nothing is no test, and fails, whatever lets it pass.

Assertions that held are counted, and errors that a test expects. A test of what must not raise says so with its reason:
`@pytest.mark.does_not_raise("...")`, and fails when it has assertions after all.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest
from _pytest.assertion import util

MARKER = "does_not_raise"

LARGE, SHOWN = 400, 5
"""Sides with so many items are not compared line by line: that is quadratic. Of what differs so many items are shown."""

_COUNT = pytest.StashKey[int]()
"""Assertions that held in a test, and errors and warnings that it expected."""


def pytest_configure(config: pytest.Config) -> None:
    """Drops bytecode of tests that is older than the setting by which assertions are counted."""
    setting = config.inipath
    if setting is None or hasattr(config, "workerinput"):  # the process that started the workers has done it
        return
    for rewritten in (config.rootpath / "tests").rglob("*-pytest-*.pyc"):
        if rewritten.stat().st_mtime < setting.stat().st_mtime:
            rewritten.unlink(missing_ok=True)


class _Held:
    """What pytest looks at whenever an assertion held (`enable_assertion_pass_hook`): it counts, and is false.

    Pytest makes the report of an assertion that held when this is true, and with it the difference of two sides that are
    equal: where reports are long (`-vv`, or CI set in the environment) that is a comparison of all their lines with each
    other, minutes for some thousands of rows. A hook `pytest_assertion_pass` would ask for it.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def __bool__(self) -> bool:
        _count(self._item)
        return False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Counts for this test, and keeps reports of large sides short; pytest puts back what stood there."""
    util._assertion_pass = _Held(item)
    report = util._reprcompare
    util._reprcompare = lambda op, left, right: _of_large(op, left, right) or (report and report(op, left, right))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Runs the test, and fails it when it compared nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytest, "raises", _counted(pytest.raises, item))
        patch.setattr(pytest, "warns", _counted(pytest.warns, item))
        yield
    if item.config.getoption("assertmode") != "rewrite":
        return  # assertions are not counted then
    marker = item.get_closest_marker(MARKER)
    count = item.stash.get(_COUNT, 0)
    if marker is None and not count:
        pytest.fail(f"{item.name} passed without an assertion", pytrace=False)
    if marker is not None and (count or not marker.args):
        pytest.fail(f"{item.name} is marked {MARKER}: expected a reason and no assertion", pytrace=False)


def _of_large(op: str, left: object, right: object) -> str | None:
    """What differs first between two large sides; None where they are small, or no lists or mappings."""
    match left, right:
        case (dict(), dict()):
            one, other = left, right
        case (list(), list()) | (tuple(), tuple()):
            one, other = dict(enumerate(left)), dict(enumerate(right))
        case _:
            return None
    if op != "==" or len(one) + len(other) < LARGE:
        return None
    absent = "nothing"
    differing = [key for key in one | other if one.get(key, absent) != other.get(key, absent)]
    shown = [f"~  {key!r}: {one.get(key, absent)!r} != {other.get(key, absent)!r}" for key in differing[:SHOWN]]
    lines = [f"{len(left)} and {len(right)} items, of which {len(differing)} differ", *shown]  # type: ignore[arg-type]
    return "\n".join(line.replace("\n", "\\n") for line in lines).replace("%", "%%")


def _count(item: pytest.Item) -> None:
    item.stash[_COUNT] = item.stash.get(_COUNT, 0) + 1


def _counted(context: Callable[..., Any], item: pytest.Item) -> Callable[..., Any]:
    def counted(*args: Any, **options: Any) -> Any:
        _count(item)
        return context(*args, **options)

    return counted

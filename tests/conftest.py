"""How tests draw, and where they run."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.contract", "tests.support")

from tests.support.conformance import share_unpacked_tables  # noqa: E402  # assertions of what it imports are rewritten
from tests.support.drawing import REST, SOAK, cover_values, profile, take_part  # noqa: E402  # too

pytest_plugins = ("tests.support.assertions", "tests.support.expression_tables", "tests.support.stores")

settings.load_profile(profile())

os.fsync = lambda _: None
"""No test waits for a disk: tables of tests outlive no power failure. Disks of build machines take up to 100 ms a file."""

MEMORY, ENOUGH = Path("/dev/shm"), 6 << 30
"""Where Linux keeps files in memory, and how many bytes have to be free there."""
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
    tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)

TOGETHER = ("tests/engines/spark/",)
"""Tests that share what is dear to make, beside those of one file: the only JVM."""

FIRST = (
    "tests/engines/spark/",
    "tests/conformance/test_services.py",
    "tests/laws/test_writes_keep_indexes.py",
    "tests/laws/test_archiving.py",
    "tests/core/transactions/test_hostile_metadata.py",
    "tests/conformance/test_queries.py",
    "tests/laws/test_pruning.py",
    "tests/laws/test_compactions.py",
    "tests/core/services/archiving/test_crashes.py",
    "tests/core/services/restoring/test_run.py",
    "tests/core/cli/test_endings.py",
    "tests/core/cli/test_interrupts.py",
    "tests/faults/test_faults.py",
    "tests/laws/test_functions.py",
    "tests/core/writing/spread/test_operations.py",
    "tests/core/index_kinds/test_secondary.py",
    "tests/core/index_builds/test_index_beside_writers.py",
    "tests/laws/test_planted_faults.py",
    "tests/core/services/cleaning/test_crashes.py",
    "tests/core/services/upkeep/test_rounds.py",
    "tests/laws/test_cleaning.py",
    "tests/laws/test_folding.py",
    "tests/core/transactions/test_crashes.py",
    "tests/laws/test_merging.py",
    "tests/laws/test_damaged_logs.py",
)
"""What takes longest, in this order. Several processes begin with it: at the end of the run nothing is left to do beside it."""


def pytest_configure() -> None:
    """Processes that share the tests share recorded tables too: the one that starts the others makes the folder."""
    share_unpacked_tables()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is collected lives until the end: the garbage collector need not look at it, then and later."""
    gc.disable()
    try:
        _import_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _import_share(config: pytest.Config) -> None:
    """Each of several processes, which all collect all tests, imports other files of them first: it loads the bytecode of the
    rest, which the others have written meanwhile. In a fresh copy that takes most of the collection."""
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return
    ignored = tuple(str(config.rootpath / name) for name in config.getoption("ignore") or ())
    folders = [path for name in config.args if (path := config.rootpath / name).is_dir()]
    files = sorted(
        path for folder in folders for path in folder.rglob("test_*.py") if not str(path).startswith(ignored)
    )
    for path in files[int(worker["workerid"][2:]) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # it is raised again where the file is collected
            import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """An ordinary run leaves out what takes long, and of marked tests some cases, which `make test-rest` runs; `make soak` runs
    all. What the command line names and `-k` chooses is there already: a case that is asked for alone runs."""
    if SOAK:
        return
    long, rest = {item for item in items if item.get_closest_marker("soak")}, _left_out(items)
    others = {item for item in items if item in long or (item in rest) != REST}
    if others:
        config.hook.pytest_deselected(items=list(others))
        items[:] = [item for item in items if item not in others]


def _left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """The cases of tests marked `each_value` or `one_of` that an ordinary run leaves out."""
    by_test: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[pytest.Item] = set()
    for name, cases in by_test.items():
        if cases[0].get_closest_marker("each_value"):
            kept = cover_values(name, [tuple(case.callspec.params.values()) for case in cases])
        elif part := cases[0].get_closest_marker("one_of"):
            kept = take_part(name, len(cases), *part.args)
        else:
            continue
        left_out.update(case for place, case in enumerate(cases) if place not in kept)
    return left_out


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of several processes one has all tests of a file, and one all that need Spark: tables, plans and sessions are made once."""
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - not in every environment

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next(filter(nodeid.startswith, TOGETHER), nodeid.partition("::")[0])

        def _assign_work_unit(self, node: Any) -> None:
            first = next(filter(self.workqueue.__contains__, FIRST), None)
            if first is not None:
                self.workqueue.move_to_end(first, last=False)
            super()._assign_work_unit(node)

    if absent := [name for name in FIRST if not (config.rootpath / name).exists()]:
        raise pytest.UsageError(
            f"FIRST of tests/conftest.py: expected files and folders of tests, found {', '.join(absent)}"
        )
    return ByFile(config, log)

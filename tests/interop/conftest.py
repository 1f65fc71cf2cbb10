"""A real Apache Hudi that judges what this library wrote: one JVM for all tests of this folder."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.support.conformance import ROOT


def _beside_the_data(name: str) -> ModuleType:
    """A module of the oracle beside the conformance data; skips the calling test where it is not wanted, or not there."""
    if not os.environ.get("HUDI_INTEROP"):
        pytest.skip("runs Apache Hudi: by `make interop` only")
    sys.path.insert(0, str(ROOT / "oracle"))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"no judge beside the conformance data: {error}")
    finally:
        sys.path.pop(0)


def _judge_client() -> Any:
    """The class of judges; skips the calling test where this machine cannot run one."""
    judge = _beside_the_data("judge_client").Judge
    if reason := judge.missing():
        pytest.skip(reason)
    return judge


@pytest.fixture(scope="session")
def hudi_python() -> str:
    """The Python of Apache Hudi's environment, for scripts that run in a JVM of their own."""
    return str(_judge_client().find_python())


@pytest.fixture(scope="session")
def judge() -> Iterator[Any]:
    """Apache Hudi that answers jobs: `judge.ask("verify", path, ...)`."""
    with _judge_client()() as running:
        process = running.process
        yield running
    process.stdout.close()


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    """The forms in which the judge states rows."""
    return _beside_the_data("oracle")

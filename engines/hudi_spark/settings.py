"""Settings of a session while a block runs, also where several threads write by one session."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession


@dataclass
class _Held:
    """A setting that blocks hold: how many, and its value before the first of them."""

    blocks: int
    before: str | None


_LOCK = threading.Lock()
_HELD: dict[tuple[object, str], _Held] = {}


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Settings of a session while a block runs. The last of several blocks at a time brings back what there was before the first.
    All blocks give a setting one value."""
    session = _identify(spark)
    with _LOCK:
        for name, value in values.items():
            _hold(spark, session, name, value)
    try:
        yield
    finally:
        with _LOCK:
            for name in values:
                _let_go(spark, session, name)


def _hold(spark: SparkSession, session: object, name: str, value: str) -> None:
    held = _HELD.get((session, name))
    if held is None:
        before: Any = spark.conf.get(name, None)
        spark.conf.set(name, value)
        held = _HELD[session, name] = _Held(0, before)
    held.blocks += 1


def _let_go(spark: SparkSession, session: object, name: str) -> None:
    held = _HELD[session, name]
    held.blocks -= 1
    if held.blocks:
        return
    del _HELD[session, name]
    if held.before is None:
        spark.conf.unset(name)
    else:
        spark.conf.set(name, held.before)


def _identify(spark: Any) -> object:
    """The session of the JVM, or of a server: Python may have several objects for one."""
    if hasattr(spark, "_jsparkSession"):
        return int(spark._jvm.System.identityHashCode(spark._jsparkSession))
    return spark.session_id

"""Which failures of the JVM mean that Spark has other classes, so that files are read in another way; the others are errors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

from hudi_spark import relations


class Thrown(Py4JJavaError):
    """An exception of the JVM, without a JVM."""

    def __init__(self, name: str) -> None:
        Exception.__init__(self, name)
        self.java_exception = SimpleNamespace(getClass=lambda: SimpleNamespace(getName=lambda: name))

    def __str__(self) -> str:
        return "thrown"


SESSION: Any = SimpleNamespace(_jsparkSession=None)
OTHER_CLASSES = [
    TypeError("'JavaPackage' object is not callable"),
    Py4JError("cook does not exist in the JVM"),
    Py4JError("py4j.security.Py4JSecurityException: Method public is not whitelisted"),
    Thrown("java.lang.NoClassDefFoundError"),
    Thrown("org.codehaus.commons.compiler.CompileException"),
]
FAILURES = [
    Py4JNetworkError("Answer from Java side is empty; it does not exist"),
    Py4JError("An error occurred while calling o1.newInstance"),
    Thrown("java.lang.OutOfMemoryError"),
    Thrown("java.lang.IllegalStateException"),
]


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def plans_of(*_: object) -> None:
        raise error

    monkeypatch.setattr(relations, "plans_of", plans_of)


@pytest.mark.parametrize("error", OTHER_CLASSES, ids=str)
def test_other_classes_lead_to_another_way(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    failing(monkeypatch, error)
    assert relations.relations_of(SESSION) is None


@pytest.mark.parametrize("error", FAILURES, ids=str)
def test_other_failures_are_raised(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    failing(monkeypatch, error)
    with pytest.raises(type(error)):
        relations.relations_of(SESSION)

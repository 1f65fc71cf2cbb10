"""Expressions whose answers once differed from Spark's: each gives Spark's answer, or is refused."""

from __future__ import annotations

import pytest

from hudi_core.errors import HudiError
from tests.support.conformance import ROOT
from tests.support.sql_calls import as_spark_shows

FILE = ROOT / "cases" / "expressions.tsv"


def _cases() -> list[list[str]]:
    return [line.split("\t") for line in FILE.read_text("utf-8").splitlines()[1:]] if FILE.exists() else []


@pytest.mark.skipif(not FILE.exists(), reason=f"no expressions at {FILE}")
@pytest.mark.parametrize(("kind", "sql", "wanted", "_"), _cases())
def test_an_expression_gives_the_answer_of_spark(kind: str, sql: str, wanted: str, _: str) -> None:
    """EXPR-292."""
    zone = "America/Los_Angeles" if kind.startswith("session zone") else "UTC"
    try:
        answer = as_spark_shows(sql, zone)
    except HudiError:
        return
    assert answer == wanted

"""Writes whose effect differs from Apache Hudi's, as `deviations/writes.py` declares: each rule has its question."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from tests.conformance.deviations import applying
from tests.conformance.deviations.writes import WRITES

ROWS = pa.table({"id": ["a", "b"], "p": ["x", "y"], "n": [1, 2]})


def write_of_nothing(table: hudi_core.Table) -> str:
    return "no instant" if table.upsert(ROWS.slice(0, 0)).instant is None else "an instant"


def row_in_another_partition(table: hudi_core.Table) -> str:
    table.upsert(pa.table({"id": ["a"], "p": ["y"], "n": [3]}))
    rows = table.refresh().scan("id = 'a'", columns=["_hoodie_partition_path"]).to_arrow().to_pylist()
    return {"y": "it moves", "x": "it stays"}[rows[0]["_hoodie_partition_path"]]


def added_rows_without_a_column(table: hudi_core.Table) -> str:
    table.append(pa.table({"id": ["c"], "p": ["x"]}))
    (row,) = table.refresh().scan("id = 'c'", columns=["n"]).to_arrow().to_pylist()
    return "null" if row["n"] is None else "a value"


QUESTIONS = {
    "a write of nothing": (write_of_nothing, "an instant"),
    "a row in another partition": (row_in_another_partition, "it stays"),
    "added rows without a column": (added_rows_without_a_column, "refused"),
}
"""What is done, and what Apache Hudi 1.2 does by its defaults."""


@pytest.mark.parametrize("ask", QUESTIONS)
def test_a_write_differs_as_declared(tmp_path: Path, ask: str) -> None:
    write, theirs = QUESTIONS[ask]
    table = hudi_core.create(tmp_path / "t", ROWS, key="id", partition_by="p", indexes=["record_index"])
    table.insert(ROWS)
    (rule,) = applying(WRITES, "writes", {"ask": ask})
    assert write(table) == rule.expected({"ask": ask}) != theirs


def test_every_rule_has_a_question() -> None:
    questions = [rule.name for ask in QUESTIONS for rule in applying(WRITES, "writes", {"ask": ask})]
    assert sorted(questions) == sorted(rule.name for rule in WRITES)

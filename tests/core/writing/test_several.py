"""WRITE-770 to WRITE-772: rows in and rows out in one commit, on every kind of table, held to a dictionary.

Also covers: `front/changes.py`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hudi_core import col
from hudi_core.errors import HudiError, RowError, SchemaError, UnsupportedError, UsageError
from hudi_core.front.changes import Changes
from hudi_core.front.table import Table
from hudi_core.validation.validate import validate
from tests.core.writing.source_merge.test_operations import KINDS, Rows, new_table, row, stored
from tests.support.drawing import cases

ALL = pytest.mark.parametrize(("kind", "version", "indexes", "options"), KINDS)


def made(folder: Path, setting: tuple[str, int, tuple[str, ...], Mapping[str, str]], count: int = 6) -> Table:
    table = new_table(folder, *setting)
    table.upsert([row(number, 1, number) for number in range(count)])
    return table.refresh()


def commits(table: Table) -> int:
    return len(table.refresh().timeline.commits)


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(cases(2)))
@ALL
def test_a_transaction_makes_of_a_table_what_a_dictionary_has(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...], options: Mapping[str, str], seed: int
) -> None:
    """WRITE-770, WRITE-771."""
    draw = random.Random(seed)
    table = made(tmp_path, (kind, version, indexes, options), draw.randrange(1, 9))
    expected: Rows = stored(table)
    for turn in range(1, 3):
        keys = list(range(12))
        draw.shuffle(keys)
        into, out = keys[: draw.randrange(1, 6)], keys[6 : 6 + draw.randrange(6)]
        rows = [row(number, draw.choice([0, turn + 1]), draw.randrange(100)) for number in into]
        bound = draw.choice([None, 50])
        at = commits(table)
        matched = {key for key, one in expected.items() if bound is not None and (one["v"] or 0) > bound}
        both = matched & {one["id"] for one in rows}
        if both:
            with pytest.raises(RowError, match="does not delete"), table.transaction() as changes:
                _change(changes, rows, out, bound)
            assert (stored(table), commits(table)) == (expected, at)
            continue
        with table.transaction() as changes:
            _change(changes, rows, out, bound)
        for key in {f"k{number}" for number in out} | matched:
            expected.pop(key, None)
        for one in rows:
            before = expected.get(one["id"])
            if before is None or one["ts"] >= before["ts"]:
                expected[one["id"]] = one
        assert stored(table) == expected
        assert commits(table) == at + 1
        assert [finding for finding in validate(table.refresh()) if finding.severity != "info"] == []
        table = table.refresh()


def _change(changes: Changes, rows: list[dict[str, Any]], out: list[int], bound: int | None) -> None:
    half = (len(rows) + 1) // 2
    changes.upsert(rows[:half])
    if out:
        changes.delete([row(number, 0, 0) for number in out])
    if rows[half:]:
        changes.upsert(rows[half:])
    if bound is not None:
        changes.delete(where=col("v") > bound)


@pytest.mark.one_of(2)
@ALL
def test_a_block_that_raises_changes_nothing(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...], options: Mapping[str, str]
) -> None:
    """WRITE-770."""
    table = made(tmp_path, (kind, version, indexes, options))
    before, at = stored(table), commits(table)
    with pytest.raises(KeyError), table.transaction() as changes:
        changes.upsert([row(1, 5, 5)])
        raise KeyError("a user's own")
    assert (stored(table), commits(table)) == (before, at)


def test_deletes_alone_are_a_commit_of_deletes(tmp_path: Path) -> None:
    """WRITE-770."""
    table = made(tmp_path, KINDS[0])
    with table.transaction() as changes:
        changes.delete([row(1, 0, 0)])
        changes.delete(where="v = 2")
    assert changes.result.deleted == 2
    assert sorted(stored(table)) == ["k0", "k3", "k4", "k5"]


def test_new_columns_come_with_rows(tmp_path: Path) -> None:
    """WRITE-772."""
    table = made(tmp_path, KINDS[1])
    with table.transaction(add_columns=True) as changes:
        changes.upsert([{**row(1, 5, 5), "tip": 7}])
        changes.delete(where="id = 'k2'")
    assert {key: one["tip"] for key, one in stored(table).items()} == {
        "k0": None, "k1": 7, "k3": None, "k4": None, "k5": None,
    }  # fmt: skip


def test_what_one_commit_cannot_say_is_refused_by_name(tmp_path: Path) -> None:
    """WRITE-772."""
    table = made(tmp_path, KINDS[0])
    at, before = commits(table), stored(table)
    refused: list[HudiError] = []
    for name, given in (("update", {"v": 1}), ("evolve", None), ("overwrite", [row(1, 2, 3)])):
        with pytest.raises(UnsupportedError, match=name) as caught, table.transaction() as changes:
            changes.upsert([row(1, 5, 5)])
            getattr(changes, name)(given)
        refused.append(caught.value)
    with pytest.raises(UsageError, match="rows to upsert or to delete"), table.transaction():
        pass
    with pytest.raises(SchemaError, match="first rows"), table.transaction() as changes:
        changes.upsert([row(1, 5, 5)])
        changes.upsert([{"id": "k2"}])
    for wrong in ({}, {"data": [row(1, 1, 1)], "where": "v = 1"}):
        with pytest.raises(UsageError, match="either rows or a predicate"), table.transaction() as changes:
            changes.delete(**wrong)
    assert len(refused) == 3
    assert (stored(table), commits(table)) == (before, at)


def test_a_transaction_ends_once(tmp_path: Path) -> None:
    table = made(tmp_path, KINDS[0])
    with table.transaction() as changes:
        with pytest.raises(UsageError, match="found none yet"):
            _ = changes.result
        changes.upsert([row(1, 5, 5)])
    for again in (lambda: changes.upsert([row(1, 5, 5)]), lambda: changes.delete(where="v = 1"), changes.__enter__):
        with pytest.raises(UsageError, match="has ended"):
            again()

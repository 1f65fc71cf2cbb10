"""Clauses of a merge for rows of the table that no row of the source matches, of the whole and in parts.

Also covers: `writing/single_places.py`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core import col
from hudi_core.errors import ExpressionError, HudiError, RowError, UsageError
from hudi_core.expr.text import to_sql
from hudi_core.front.merging import Merge
from hudi_core.front.opening import create_table
from hudi_core.front.table import Table
from hudi_core.table.scan import Scan
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.source_merge.bound import bind_merge
from hudi_core.writing.source_merge.clauses import Action, Clause
from hudi_core.writing.spread.source_merge import spread_merge
from tests.support.local_flow import local_rows
from tests.support.spread_writes import cut

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.int32())])
KINDS: list[tuple[str, int, tuple[str, ...], dict[str, str]]] = [
    ("cow", 9, (), {}),
    ("mor", 9, ("column_stats",), {}),
    ("mor", 8, ("record_index", "column_stats"), {}),
    ("mor", 6, (), {}),
    ("cow", 8, ("column_stats",), {"hoodie.populate.meta.fields": "false"}),
    ("mor", 9, (), {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}),
]
Rows = dict[str, dict[str, Any]]


def new_table(
    folder: Path,
    kind: str = "cow",
    version: int = 9,
    indexes: tuple[str, ...] = (),
    options: Mapping[str, str] = {},
    types: pa.Schema = TYPES,
) -> Table:
    own = {name: name for name in ("p", "ts") if name in types.names}
    return create_table(
        folder / "t", types, "id", partition_by=own.get("p"), ordering=own.get("ts"), type=kind, version=version,
        indexes=indexes or None, options=options,
    )  # fmt: skip


def on_of(table: Table) -> list[str]:
    return ["id"] if "record_index" in table.config.kept_partitions else ["id", "p"]


def begin(table: Table, source: pa.Table, chance: random.Random | None = None) -> Merge:
    """A merge of the whole source, or in parts that `chance` cuts."""
    if chance is None:
        return table.merge(source, on_of(table))
    parts = cut(chance, source)
    return Merge(
        lambda clauses, options: spread_merge(
            table, local_rows(table.engine, parts, repeats=True), on_of(table), clauses, options
        )
    )


def stored(table: Table) -> Rows:
    return {row["id"]: row for row in table.refresh().scan(meta=False).to_json_rows()}


def row(number: int, ts: int = 5, v: int | None = None) -> dict[str, Any]:
    return {"id": f"k{number:02}", "p": "xyz"[number % 3], "ts": ts, "v": number if v is None else v}


def rows(*given: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(given), TYPES)


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize(("kind", "version", "indexes", "options"), KINDS)
def test_rows_become_what_the_clauses_say(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...], options: Mapping[str, str], in_parts: bool
) -> None:
    """WRITE-1580: the rows of a model, in slices with rows of the source and without, whatever their ordering values."""
    chance = random.Random(f"{kind}{version}{in_parts}")
    table = new_table(tmp_path, kind, version, indexes, options)
    model: Rows = {}
    for first in (0, 8, 16):  # several slices of each partition, also without a row of the source
        given = [row(number) for number in range(first, first + 8)]
        table.refresh().write(rows(*given), "upsert" if "hoodie.index.type" in options else "append")
        model.update({one["id"]: one for one in given})
    for _ in range(3):
        source = [row(number, 1, 100) for number in chance.sample(range(30), chance.randrange(1, 9))]
        least, most = chance.randrange(30), chance.randrange(30)
        (
            begin(table.refresh(), rows(*source), chance if in_parts else None)
            .when_matched_update({"v": col("source.v") + col("target.v")}, "target.v < 1000")
            .when_not_matched_insert()
            .when_not_matched_by_source_delete(f"target.v < {least} AND target.p <> 'y'")
            .when_not_matched_by_source_update({"v": col("target.v") + 1, "ts": 0}, col("target.v") > most)
            .execute()
        )
        by_key = {one["id"]: one for one in source}
        added = {key: one for key, one in by_key.items() if key not in model}
        for key, old in list(model.items()):
            if key in by_key:
                old["v"] += 100 if old["v"] < 1000 else 0
            elif old["v"] < least and old["p"] != "y":
                del model[key]
            elif old["v"] > most:
                old.update(v=old["v"] + 1, ts=0)
        model |= added
        assert stored(table) == model
    assert [finding for finding in validate(table.refresh()) if finding.severity != "info"] == []


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_table_becomes_what_the_source_is(tmp_path: Path, in_parts: bool) -> None:
    """WRITE-1580: all of a table is replaced by changes, in one commit."""
    table = new_table(tmp_path, "mor")
    table.upsert(rows(*map(row, range(9))))
    wanted = [row(2), row(4, 9, 40), row(20)]
    merge = begin(table.refresh(), rows(*wanted), random.Random(1) if in_parts else None)
    result = merge.when_matched_update().when_not_matched_insert().when_not_matched_by_source_delete().execute()
    assert (result.inserted, result.updated, result.deleted) == (1, 2, 7)
    assert stored(table) == {one["id"]: one for one in wanted}


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_source_without_rows_deletes_no_table(tmp_path: Path, in_parts: bool) -> None:
    """WRITE-1582: unless a condition says which rows."""
    table = new_table(tmp_path)
    table.upsert(rows(*map(row, range(9))))
    before = sorted(tmp_path.rglob("*"))
    merge = begin(table.refresh(), rows(), random.Random(1) if in_parts else None)
    with pytest.raises(
        UsageError, match=r'source: expected rows in the source, .* delete\(where="true"\) .* found none'
    ):
        merge.when_not_matched_by_source_delete("target.v > 3").when_not_matched_by_source_delete().execute()
    assert sorted(tmp_path.rglob("*")) == before
    assert merge.when_not_matched_by_source_delete("target.v > 3").execute().deleted == 5


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("in_one_file", [False, True])
def test_rows_that_share_a_key_are_not_changed(tmp_path: Path, kind: str, in_one_file: bool, in_parts: bool) -> None:
    """WRITE-1581: one of them would be, or all."""
    table = new_table(tmp_path, kind)
    twice = [row(0, v=1), row(0, v=2)]
    for given in [[*twice, row(3)]] if in_one_file else [twice[:1], [*twice[1:], row(3)]]:
        table.refresh().append(rows(*given))
    before = sorted(tmp_path.rglob("*"))
    merge = begin(table.refresh(), rows(row(3, v=7)), random.Random(1) if in_parts else None).when_matched_update()
    for refused in (
        merge.when_not_matched_by_source_update({"v": 9}, "target.v = 1"),
        merge.when_not_matched_by_source_delete("target.v = 2"),
        merge.when_not_matched_by_source_delete(),
    ):
        with pytest.raises(RowError, match="expected a key that one row of the table has, found several rows of"):
            refused.execute()
    assert sorted(tmp_path.rglob("*")) == before
    assert merge.when_not_matched_by_source_delete("target.v > 2").execute().updated == 1


def test_clauses_that_cannot_be_are_refused_by_name(tmp_path: Path) -> None:
    """WRITE-1580: before anything is written."""
    table = new_table(tmp_path)
    table.upsert(rows(*map(row, range(6))))
    before = sorted(tmp_path.rglob("*"))
    merge = begin(table.refresh(), rows(row(1)))
    update, delete = merge.when_not_matched_by_source_update, merge.when_not_matched_by_source_delete
    refused: list[tuple[Merge, type[HudiError], str]] = [
        (update({"v": col("source.v")}), ExpressionError, "source"),
        (delete("source.v = 1"), ExpressionError, "source"),
        (delete("v = 1"), ExpressionError, "v"),
        (delete('target.p = "x"').when_matched_delete('target.p = "p"'), ExpressionError, "p"),
        (update({"id": "z"}), UsageError, "outside of the record key"),
        (update({}), UsageError, "values by column"),
        (merge._with(Clause(Action.UPDATE, unmatched=True)), UsageError, "no row of the source has any, found none"),
        (delete().when_not_matched_by_source_update({"v": 1}), UsageError, "that no row reaches"),
        (update({"v": 2**40}), HudiError, "v: expected a value of int, found int 1099511627776"),
        (update({"v": col("target.v") + 2**31 - 2}), RowError, "v: a row: expected .* in the row of the key 'k0[234]'"),
        (
            delete("100 / (target.v - 3) > 1"),
            RowError,
            "the condition of delete: a row: expected .*, found 0 in the row of the key 'k03'",
        ),
    ]
    for refusing, error, text in refused:
        with pytest.raises(error, match=text):
            refusing.execute()
    assert sorted(tmp_path.rglob("*")) == before
    one_of_each = delete("target.v = 2").when_matched_delete().when_not_matched_insert()
    assert one_of_each.execute().deleted == 2


def test_slices_are_read_that_may_have_rows_of_a_condition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1580: not those whose statistics rule a condition out and that have no key of the source."""
    table = new_table(tmp_path, indexes=("column_stats",))
    for first in (0, 9, 18, 27):
        table.refresh().append(rows(*(row(number) for number in range(first, first + 9, 3))))
    scans = []
    of_slices = Scan.of_slices

    def noted(scan: Scan, whole: Sequence[int], *, others: bool) -> Scan:
        scans.append(of_slices(scan, whole, others=others))
        return scans[-1]

    monkeypatch.setattr(Scan, "of_slices", noted)
    merge = begin(table.refresh(), rows(row(18, v=70))).when_matched_update()
    merge.when_not_matched_by_source_delete("target.v BETWEEN 4 AND 12").execute()
    assert sorted(stored(table)) == ["k00", "k03", "k15", "k18", "k21", "k24", "k27", "k30", "k33"]
    merge.execute()
    assert [len(scan.plan.kept()) for scan in scans] == [3, 1]


def test_conditions_on_the_table_alone_rule_files_out(tmp_path: Path) -> None:
    """WRITE-1580: of several the one or the other; with one on all rows, or that names the row itself, all files are read."""
    table = new_table(tmp_path)

    def where(*conditions: str | None) -> str | None:
        clauses = tuple(Clause(Action.DELETE, condition, unmatched=True) for condition in conditions)
        condition = bind_merge(table, table.schema, ["id", "p"], clauses, WriteOptions()).where
        return None if condition is None else to_sql(condition)

    assert where("target.v > 1", "Target.p = 'x'") == "v > 1 OR p = 'x'"
    assert "WHEN CAST(v AS DOUBLE) = 0" in (where("1 / target.v > 1") or "")
    assert where("target.v > 1", None) is None
    assert where("target IS NULL OR target.v = 1") is None
    assert where("exists(array(target.v), target -> target > 1)") is None
    assert where("exists(array(1, 2), v -> v > target.v)") is None

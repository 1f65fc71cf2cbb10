"""Conditions of updates, deletes, transactions and merges: refused where SQL's ANSI mode refuses them.

Also covers: `writing/no_result.py`, `expr/wraps.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_core import col, expr
from hudi_core.errors import ExpressionError, RowError
from hudi_core.front.opening import create_table
from hudi_core.front.table import Table
from hudi_core.writing.by_predicate import parse_assignments
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from tests.support.local_flow import scan_rows

pa = pytest.importorskip("pyarrow", reason="rows are Arrow's")

INTS, LONGS = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
TYPES = pa.schema(
    [("id", pa.string()), ("i", pa.int32()), ("l", pa.int64()), ("s", pa.string()), ("a", pa.list_(pa.int32()))]
)
ROWS = [
    {"id": "a", "i": INTS[1], "l": LONGS[1], "s": "x", "a": [1, 0]},
    {"id": "b", "i": 0, "l": 0, "s": "1", "a": [INTS[1]]},
    {"id": "c", "i": INTS[0], "l": LONGS[0], "s": None, "a": []},
    {"id": "d", "i": None, "l": None, "s": "2", "a": None},
    {"id": "e", "i": 7, "l": 7, "s": "3", "a": [7]},
]


def new_table(folder: Path, kind: str = "cow") -> Table:
    table = create_table(folder / "t", TYPES, key="id", type=kind, indexes=["column_stats"])
    table.insert(pa.Table.from_pylist(ROWS, TYPES))
    return table.refresh()


def by_merge(table: Table, condition: str) -> None:
    source = pa.table({"id": [row["id"] for row in ROWS]})
    table.merge(source, on="id").when_matched_delete(condition).execute()


def by_transaction(table: Table, condition: str) -> None:
    with table.transaction() as changes:
        changes.delete(where=condition)


WAYS: dict[str, Callable[[Table, str], object]] = {
    "update": lambda table, condition: table.update({"s": "new"}, where=condition),
    "delete": lambda table, condition: table.delete(where=condition),
    "transaction": by_transaction,
    "merge": lambda table, condition: by_merge(table, condition),
    "update in parts": lambda table, condition: spread_update(table, {"s": "new"}, condition, scan_rows),
    "delete in parts": lambda table, condition: spread_delete_where(table, condition, scan_rows),
}
REFUSED = [
    ("{i} + 1 < 0", "wrap"), ("{l} - 1 > 0", "wrap"), ("2 - {l} > 5", "wrap"), ("NOT ({i} * 2 > 9)", "wrap"),
    ("{i} * -3 IN (1, 2)", "wrap"),
    ("-{i} < 0", "wrap"), ("abs({l}) < 0", "wrap"), ("{l} div -1 < 0", "wrap"), ("{l} + {i} < 0", "wrap"),
    ("{l} * {l} = 1", "wrap"),
    ("2147483647 + 1 < 0", "wrap"), ("{i} > 5 AND {i} + 1 < 0", "wrap"), ("{i} + 1 < 0 AND {i} > 5", "wrap"),
    ("exists({a}, x -> x + 1 < 0)", "wrap"), ("exists(zip_with({a}, {a}, (x, y) -> x + y), z -> z < 0)", "wrap"),
    ("exists(transform({a}, (x, n) -> x + n + 1), z -> z < 0)", "wrap"),
    ("size(filter({a}, (x, n) -> n % x = 0)) > 0", "divisor"),
    ("CASE WHEN {i} + 1 < 0 THEN true ELSE false END", "wrap"), ("if({i} = 0, 1 / {i}, 5) > 1", "divisor"),
    ("1 / {i} IS NULL", "divisor"), ("{i} % {i} = 0", "divisor"), ("{s} + 1 > 1", "its type"),
    ("CAST({s} AS INT) = 1", "TRY_CAST"),
    ("map_values(transform_values(map('k', {i}), (k, v) -> 1 / v))[0] > 0", "divisor"),
    ("CAST({i} AS TINYINT) = -1", "TRY_CAST"),
]  # fmt: skip
TAKEN = [
    ("{i} + 1 > 0 AND {i} < 100", "be"), ("{i} < 100 AND {i} + 1 > 0 AND {i} >= 0", "be"),
    ("CAST({i} AS BIGINT) + 1 < 0", "c"),
    ("{i} > 0 AND 10 / {i} > 1", "e"), ("10 / {i} > 1 AND {i} > 0", "e"), ("try_add({i}, 1) < 0", "c"),
    ("TRY_CAST({s} AS INT) = 1", "b"),
    ("CASE WHEN {i} < 100 AND {i} > 0 THEN {i} + 1 ELSE 0 END = 8", "e"), ("{i} = 7 OR {i} IS NULL AND {i} + 1 < 0", "e"),
    ("exists({a}, x -> x > 1 AND x < 9 AND x + 1 > 0)", "e"), ("10 / nullif({i}, 0) > 1", "e"), ("{i} * 0 = 0", "abce"),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_condition_without_a_result_is_refused(tmp_path: Path, way: str) -> None:
    """WRITE-1421."""
    table = new_table(tmp_path, "mor" if "delete" in way else "cow")
    names = {name: f"target.{name}" if way == "merge" else name for name in ("i", "l", "s", "a")}
    for text, expected in REFUSED if way == "delete" else REFUSED[list(WAYS).index(way) :: len(WAYS)]:
        with pytest.raises(RowError, match=f"expected .*{expected}"):
            WAYS[way](table, text.format(**names))
    assert len(table.refresh().history()) == len(table.history())
    assert table.refresh().to_arrow().sort_by("id").to_pylist() == ROWS


@pytest.mark.parametrize("way", WAYS)
def test_a_condition_that_is_hardly_meant_is_refused(tmp_path: Path, way: str) -> None:
    """WRITE-1575: it is the same for all rows, or true for none; queries have a warning."""
    table = new_table(tmp_path)
    name = "target.s" if way == "merge" else "s"
    for text, hint in [
        ("\"s\" <> '1'", "write s or `s`"),
        (f'"{name}" IS NOT NULL', f"write {name} or `"),
        (f"{name} = '1' AND \"S\" NOT IN ('x')", "write s or `s`"),
        (f"NOT ({name} = NULL)", f"write {name} IS NULL"),
        (
            f'{name} <> "{name.replace("s", "id")}"' if way != "merge" else 'source.id <> "target.s"',
            "for the column, or",
        ),
        (f"{name.removesuffix('s')}i IN ('01')", "write .*i = '01'"),
    ]:
        with pytest.raises(ExpressionError, match=f"^where: expected a condition on values of columns, found .*{hint}"):
            WAYS[way](table, text)
    assert len(table.refresh().history()) == len(table.history())
    assert table.refresh().to_arrow().sort_by("id").to_pylist() == ROWS
    WAYS[way](table, f'{name} = "1" AND 1 = 1')


@pytest.mark.parametrize("way", ["update", "merge"])
def test_a_value_with_a_column_in_double_quotes_is_refused(tmp_path: Path, way: str) -> None:
    """WRITE-1575: in single quotes it is the text."""
    table, name = new_table(tmp_path), "target.l" if way == "merge" else "l"

    def change(text: str) -> None:
        if way == "update":
            table.update({"s": expr(text)}, where="id = 'b'")
        else:
            source = pa.table({"id": ["b"]})
            table.merge(source, on="id").when_matched_update({"s": expr(text)}).execute()

    for text in (f'"{name}"', f'concat("{name}", s)' if way == "update" else f'concat("{name}", target.s)'):
        with pytest.raises(
            ExpressionError, match=rf"^s: expected a column, or a text in single quotes, found \"{name}\" is a"
        ):
            change(text)
    for text in (f"'{name}'", '"other"'):
        change(text)
        assert table.refresh().to_arrow("id = 'b'")["s"].to_pylist() == [text[1:-1]]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("way", ["update", "delete", "merge"])
def test_rows_that_a_condition_rules_out_do_not_count(tmp_path: Path, way: str) -> None:
    """WRITE-1421: and the rows that match are those of a query."""
    for number, (text, ids) in enumerate(TAKEN if way == "update" else TAKEN[::4]):
        table = new_table(tmp_path / str(number))
        names = {name: f"target.{name}" if way == "merge" else name for name in ("i", "l", "s", "a")}
        query = text.format(**{name: name for name in names})
        assert sorted(table.to_arrow(query)["id"].to_pylist()) == list(ids)
        WAYS[way](table, text.format(**names))
        left = table.refresh().to_arrow()
        changed = left.filter(pa.compute.equal(left["s"], "new"))["id"].to_pylist()
        assert sorted(
            changed if way == "update" else {row["id"] for row in ROWS} - set(left["id"].to_pylist())
        ) == list(ids)


def test_clauses_that_a_row_does_not_reach_do_not_count(tmp_path: Path) -> None:
    """WRITE-1421: the row of the source is named."""
    table = new_table(tmp_path)
    source = pa.table({"id": ["e", "b", "zz"], "n": pa.array([1, 0, 0], pa.int32())})
    merge = table.merge(source, on="id").when_matched_update({"s": "zero"}, "source.n = 0")
    merge.when_matched_delete("1 / source.n > 0").when_not_matched_insert({"s": "new"}, "source.n > 5").execute()
    assert sorted(table.refresh().to_arrow()["id"].to_pylist()) == ["a", "b", "c", "d"]
    before = table.refresh()
    insert = {"s": "new"}
    with pytest.raises(RowError, match=r"^the condition of insert: row 3: expected a divisor .*, found 0"):
        table.merge(source, on="id").when_not_matched_insert(insert, "1 / source.n > 0 OR source.id = 'e'").execute()
    assert table.refresh().to_arrow().to_pylist() == before.to_arrow().to_pylist()


def test_conditions_of_random_integers(tmp_path: Path) -> None:
    """WRITE-1421: beside integers of Python."""
    chance = random.Random(1421)
    edges = [0, 1, -1, 7, -7, 46_341, INTS[0], INTS[1], INTS[0] + 1, INTS[1] - 3]
    table = create_table(tmp_path / "t", TYPES, key="id", indexes=["column_stats"])
    for part in range(4):
        rows = [{"id": f"{part}{n}", "i": chance.choice(edges), "l": 0, "s": "", "a": []} for n in range(3)]
        table.append(pa.Table.from_pylist(rows, TYPES))
    values = {row["id"]: row["i"] for row in table.refresh().to_arrow().to_pylist()}
    signs: dict[str, Callable[[int, int], int]] = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}
    for _ in range(20):
        sign, constant, bound = chance.choice("+-*"), chance.choice(edges), chance.choice(edges)
        first = chance.random() < 0.5
        limit = chance.choice(edges)
        text = f"{constant} {sign} i" if first else f"i {sign} {constant}"
        made = {key: signs[sign](*((constant, i) if first else (i, constant))) for key, i in values.items()}
        considered = [key for key, i in values.items() if i < limit]
        lost = any(not INTS[0] <= made[key] <= INTS[1] for key in considered)
        if lost:
            with pytest.raises(RowError, match="wrap"):
                table.delete(where=f"{text} < {bound} AND i < {limit}", dry_run=True)
            continue
        deleted = table.delete(where=f"{text} < {bound} AND i < {limit}", dry_run=True).deleted
        assert deleted == sum(made[key] < bound for key in considered)


def test_as_many_nested_terms_as_queries_take(tmp_path: Path) -> None:
    """WRITE-1455: their conditions are deeper than they."""
    table = new_table(tmp_path)
    value = col("l")
    for _ in range(127):
        value = value + 1
    table.update({"l": value, "s": value}, where="id = 'e'")
    assert table.refresh().to_arrow("id = 'e'").select(["l", "s"]).to_pylist() == [{"l": 134, "s": "134"}]
    with pytest.raises(ExpressionError, match=r"^l: expected at most 128 nested"):
        table.update({"l": value + 1}, where="id = 'e'")


VALUES = [
    ("l", "2147483647 + 1", "wrap"), ("l", "9223372036854775807 * 2", "wrap"), ("i", "-(-2147483648)", "wrap"),
    ("i", "abs(CAST(-2147483648 AS INT))", "wrap"),
    ("s", "CASE WHEN i + 1 < 0 THEN 'low' ELSE 'high' END", "wrap"), ("s", "if(i > 5 AND i * 2 > 0, 'a', 'b')", "wrap"),
    ("i", "size(filter(a, x -> x - 2 > 0))", None), ("a", "transform(a, (x, n) -> x % n)", "divisor"),
    ("a", "zip_with(a, a, (x, y) -> x % (x - y))", "divisor"),
    ("a", "zip_with(a, array(1, 2, 3), (x, y) -> CAST(concat(x, 'z') AS INT))", "TRY_CAST"),
    ("a", "map_values(transform_values(map('k', i), (k, v) -> v + 1))", "wrap"),
    ("i", "size(map_filter(map('k', 0), (k, v) -> 1 / v > 0))", "divisor"),
    ("s", "map_keys(transform_keys(map('k', i), (k, v) -> coalesce(1 / (v - v), k)))[0]", "divisor"),
    ("i", "aggregate(a, 1, (n, x) -> n % x)", "divisor"), ("i", "aggregate(a, 2147483647, (n, x) -> n + x)", "wrap"),
]  # fmt: skip


def test_values_of_constants_conditions_and_lambdas(tmp_path: Path) -> None:
    """WRITE-1453, WRITE-1455, WRITE-1456."""
    table = new_table(tmp_path)
    for column, text, expected in VALUES:
        ((_, value),) = parse_assignments(f"{column} = {text}")
        if expected is None:
            table.update({column: value}, where="id = 'a'", dry_run=True)
            continue
        with pytest.raises(RowError, match=rf"^{column}: row 1: expected .*{expected}"):
            table.update({column: value}, where="id = 'a'")
    assert table.refresh().to_arrow().sort_by("id").to_pylist() == ROWS


def test_null_is_a_value_of_each_type(tmp_path: Path) -> None:
    """WRITE-1423."""
    table = new_table(tmp_path)
    ((_, null),) = parse_assignments("a = NULL")
    table.update({"a": null, "i": null, "s": null}, where="id = 'a'")
    changed = table.refresh().to_arrow("id = 'a'").to_pylist()
    assert changed == [{"id": "a", "i": None, "l": LONGS[1], "s": None, "a": None}]
    source = pa.table({"id": ["b"]})
    table.merge(source, on="id").when_matched_update({"a": null}).execute()
    assert table.refresh().to_arrow("id = 'b'")["a"].to_pylist() == [None]

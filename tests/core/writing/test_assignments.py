"""New values of columns, in updates and in clauses of merges: stored as they are, or refused.

Also covers: `writing/no_result.py`.
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hudi_core
from hudi_core.errors import ExpressionError, HudiError, RowError, SchemaError, UsageError
from hudi_core.expr.build import col
from hudi_core.front.opening import create_table
from hudi_core.front.table import Table
from hudi_core.writing.by_predicate import parse_assignments
from tests.support.drawing import cases

MOMENT = datetime.datetime(2026, 1, 1, 12, 0, 0, 123_456, tzinfo=datetime.UTC)
TYPES = pa.schema(
    [
        ("id", pa.string()), ("i", pa.int32()), ("l", pa.int64()), ("d", pa.decimal128(6, 2)), ("f", pa.float32()),
        ("g", pa.float64()), ("s", pa.string()), ("x", pa.binary()), ("day", pa.date32()), ("at", pa.timestamp("us", "UTC")),
        ("millis", pa.timestamp("ms", "UTC")), ("wall", pa.timestamp("us")), ("clock", pa.time64("us")),
    ]
)  # fmt: skip
ROW = {
    "id": "a", "i": 1, "l": 2**53 + 1, "d": Decimal("1.25"), "f": 1.5, "g": 2.0**63, "s": "1.7", "x": b"\xff",
    "day": MOMENT.date(), "at": MOMENT, "millis": MOMENT.replace(microsecond=5_000), "wall": MOMENT.replace(tzinfo=None),
    "clock": MOMENT.time(),
}  # fmt: skip
LOST = [
    ("i", "s"), ("i", "'7.9'"), ("i", "g"), ("i", "CAST(2147483648 AS FLOAT)"), ("l", "g"), ("l", "'7.9'"),
    ("d", "1.255"), ("d", "'1.255'"), ("d", "d / 3"), ("d", "CAST(0.126 AS DOUBLE)"), ("f", "l"), ("f", "CAST(1e300 AS DOUBLE)"),
    ("f", "'1e300'"), ("g", "l"), ("g", "9223372036854775807"), ("day", "at"), ("day", "'2026-01-01 12:00'"), ("millis", "at"),
    ("millis", "'2026-01-01 00:00:00.0001'"), ("wall", "'2026-01-01 00:00:00+05:00'"), ("s", "x"),
    ("at", "'2026-01-01 00:00:00.1234567Z'"), ("wall", "'2026-01-01 00:00:00.1234567'"), ("clock", "'01:00:00.1234567'"),
    ("millis", "'2026-01-01 00:00:00.1230001'"), ("day", "'2026-01-01 00:00:00.000000001'"),
    ("i", f"'7.{'0' * 30}1'"), ("l", f"'7.{'0' * 30}1'"), ("d", f"'1.25{'0' * 40}1'"),
]  # fmt: skip
KEPT = [
    ("i", "'7'", 7), ("i", "CAST(7 AS DOUBLE)", 7), ("i", "' 7 '", 7), ("i", "CAST(1.7 AS INT)", 1), ("l", "'7.0'", 7),
    ("l", "i", 1), ("d", "'1.250'", Decimal("1.25")), ("d", "CAST(0.1 AS DOUBLE)", Decimal("0.10")),
    ("d", "CAST(0.1 AS FLOAT)", Decimal("0.10")), ("d", "ROUND(1.255, 2)", Decimal("1.26")), ("d", "i", Decimal("1.00")),
    ("f", "CAST('inf' AS DOUBLE)", math.inf), ("f", "'-Infinity'", -math.inf), ("f", "CAST(0.5 AS DOUBLE)", 0.5),
    ("f", "d", 1.25), ("g", "d", 1.25), ("g", "i", 1.0), ("day", "CAST(at AS DATE)", MOMENT.date()),
    ("day", "'2026-01-02'", datetime.date(2026, 1, 2)), ("day", "DATE_TRUNC('DAY', at)", MOMENT.date()),
    ("at", "millis", MOMENT.replace(microsecond=5_000)), ("wall", "at", MOMENT.replace(tzinfo=None)),
    ("wall", "'2026-01-01 00:00:00'", datetime.datetime(2026, 1, 1)), ("s", "i", "1"), ("s", "CAST('ä' AS BINARY)", "ä"),
    ("at", "'2026-01-01 12:00:00.1234560Z'", MOMENT),
    ("millis", "'2026-01-01 12:00:00.005000000Z'", MOMENT.replace(microsecond=5_000)),
    ("d", f"'1.25{'0' * 40}'", Decimal("1.25")), ("i", f"'7.{'0' * 40}'", 7),
]  # fmt: skip
LITERALS: list[tuple[str, object]] = [
    ("f", 1e300), ("f", 2**24 + 1), ("g", 2**53 + 1), ("g", 10**400), ("f", 10**400), ("millis", MOMENT), ("wall", MOMENT),
    ("at", pd.Timestamp("2026-01-01 00:00:00.000000001", tz="UTC")), ("clock", datetime.time(1, tzinfo=datetime.UTC)),
]  # fmt: skip


def new_table(folder: Path, schema: pa.Schema = TYPES, row: dict[str, Any] | None = None) -> Table:
    table = create_table(folder / "t", schema, "id")
    table.append(pa.Table.from_pylist([row or ROW], schema))
    return table


def stored(table: Table, column: str) -> Any:
    (row,) = table.refresh().scan(columns=[column]).to_arrow().to_pylist()
    return row[column]


def test_a_value_that_its_column_cannot_have_is_refused(tmp_path: Path) -> None:
    """WRITE-1294: a cast would round, cut or replace a part of it."""
    table = new_table(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for column, text in LOST:
        with pytest.raises(RowError, match=f"^{column}: row 1: expected a value of type"):
            table.update(dict(parse_assignments(f"{column} = {text}")))
    for column, value in LITERALS:
        with pytest.raises(SchemaError, match=f"^{column}: expected a value of"):
            table.update({column: value})
    assert sorted(tmp_path.rglob("*")) == before


def test_a_value_that_its_column_can_have_is_stored(tmp_path: Path) -> None:
    """WRITE-1294."""
    table = new_table(tmp_path)
    left = list(KEPT)
    while left:
        chosen = {column: (text, value) for column, text, value in reversed(left)}  # the first of each column
        left = [case for case in left if case != (case[0], *chosen[case[0]])]
        table.update({column: dict(parse_assignments(f"x = {text}"))["x"] for column, (text, _) in chosen.items()})
        for column, (text, value) in chosen.items():
            assert stored(table, column) == value, (column, text)
        table.update({"i": 1, "d": Decimal("1.25"), "at": MOMENT})


def test_an_error_says_what_differs_in_nested_types(tmp_path: Path) -> None:
    """WRITE-1535: also where types read the same."""
    required = pa.list_(pa.field("element", pa.int64(), nullable=False))
    types = pa.schema([("id", pa.string()), ("never", required), ("maybe", pa.list_(pa.int64())), ("n", pa.int64())])
    table = new_table(tmp_path, types, {"id": "a", "never": [1], "maybe": [2], "n": 3})
    with pytest.raises(
        SchemaError, match=r"^never: expected array<long>, found array<long> with parts that may be null"
    ):
        table.update({"never": col("maybe")})
    with pytest.raises(SchemaError, match=r"^never: expected array<long>, found long$"):
        table.update({"never": col("n")})
    table.update({"maybe": col("never")})
    assert stored(table, "maybe") == [1]


def test_the_error_names_the_cast_that_rounds(tmp_path: Path) -> None:
    """WRITE-1294."""
    table = new_table(tmp_path)
    found = r'decimal\(6,2\) \(CAST rounds, where that is meant\), found "1.255" of type decimal\(4,3\)'
    with pytest.raises(RowError, match=found):
        table.update(dict(parse_assignments("d = 1.255")))
    with pytest.raises(RowError, match=r"date \(CAST cuts, where that is meant\), found"):
        table.update({"day": col("at")})


NUMBERS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "int": (pa.int32(), st.integers(-(2**31), 2**31 - 1) | st.integers(-100, 100)),
    "long": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.sampled_from([2**53 + 1, 2**63 - 1, 2**31])),
    "float": (pa.float32(), st.floats(width=32) | st.sampled_from([2.0**31, 2.0**63, 0.25])),
    "double": (pa.float64(), st.floats() | st.sampled_from([2.0**31, 2.0**63, 1e39, 0.125, 0.1])),
    "decimal": (pa.decimal128(12, 3), st.decimals(-(10**9) + 1, 10**9 - 1, places=3)),
    "small": (pa.decimal128(5, 2), st.decimals(-999, 999, places=2)),
}


@settings(max_examples=cases(60, part=6))
@given(st.data())
def test_an_assigned_number_is_the_same_number_or_refused(data: st.DataObject) -> None:
    """WRITE-1294, over pairs of types: only numbers of floating point are the nearest ones, and none becomes infinite."""
    own, target = (data.draw(st.sampled_from(sorted(NUMBERS))) for _ in range(2))
    value = data.draw(NUMBERS[own][1])
    schema = pa.schema([("id", pa.string()), ("own", NUMBERS[own][0]), ("new", NUMBERS[target][0])])
    with TemporaryDirectory() as folder:
        table = new_table(Path(folder), schema, {"id": "a", "own": value, "new": None})
        given_number = stored(table, "own")
        try:
            table.update({"new": col("own")})
        except HudiError:
            assert stored(table, "new") is None
            return
        new = stored(table, "new")
    if isinstance(given_number, float) and not math.isfinite(given_number):
        assert str(new) == str(given_number)
    elif isinstance(given_number, int) or target in ("int", "long"):
        assert Fraction(new) == Fraction(given_number)
    elif target in ("float", "double"):
        assert math.isclose(new, given_number, rel_tol=1e-6, abs_tol=1e-44)
    elif isinstance(given_number, float):
        nearest = np.float32(float(new)) if own == "float" else float(new)
        assert nearest == given_number
    else:
        assert new == given_number


WIDTHS = {"i": 32, "l": 64, "5": 32, "3000000000": 64}
LEAVES = st.sampled_from(list(WIDTHS)).map(lambda name: (name,))
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: (
        st.tuples(st.sampled_from(["+", "-", "*", "%", "div", "coalesce"]), inner, inner)
        | st.tuples(st.sampled_from(["-", "abs", "bigint", "int"]), inner)
        | st.tuples(st.just("case"), LEAVES, LEAVES, inner, inner)
    ),
    max_leaves=7,
)


def compute(tree: Any, row: dict[str, int]) -> tuple[int, int]:
    """The number of an expression and the bits of its type. Raises `OverflowError` for one of another number of bits, and
    `ZeroDivisionError`."""
    if len(tree) == 1:
        return row[tree[0]] if tree[0] in row else int(tree[0]), WIDTHS[tree[0]]
    if tree[0] == "case":
        (left, _), (right, _) = (compute(part, row) for part in tree[1:3])
        return compute(tree[3 if left < right else 4], row)[0], max(map(bits_of, tree[3:]))
    if tree[0] == "coalesce":
        return compute(tree[1], row)[0], max(map(bits_of, tree[1:]))
    numbers, bits = [compute(part, row)[0] for part in tree[1:]], bits_of(tree)
    if len(numbers) == 1:
        made = abs(numbers[0]) if tree[0] == "abs" else -numbers[0] if tree[0] == "-" else numbers[0]
    else:
        left, right = numbers
        match tree[0]:
            case "%" | "div":
                quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
                made = quotient if tree[0] == "div" else left - right * quotient
            case symbol:
                made = {"+": left + right, "-": left - right, "*": left * right}[symbol]
    if not -(1 << bits - 1) <= made < 1 << bits - 1:
        raise OverflowError
    return made, bits


def bits_of(tree: Any) -> int:
    match tree:
        case (leaf,):
            return WIDTHS[leaf]
        case ("bigint" | "div", *_):
            return 64
        case ("int", _):
            return 32
        case ("case", _, _, *values) | (_, *values):
            return max(map(bits_of, values))
    raise AssertionError


def show(tree: Any) -> str:
    match tree:
        case (leaf,):
            return str(leaf)
        case ("case", left, right, then, otherwise):
            return f"CASE WHEN {show(left)} < {show(right)} THEN {show(then)} ELSE {show(otherwise)} END"
        case ("coalesce" | "abs" | "bigint" | "int" | "-" as name, *values) if len(values) == 1 or name == "coalesce":
            return f"{name}({', '.join(map(show, values))})"
        case (symbol, left, right):
            return f"({show(left)} {symbol} {show(right)})"
    raise AssertionError


@settings(max_examples=cases(60, part=6), deadline=None)
@given(
    EXPRESSIONS,
    st.lists(
        st.tuples(
            st.sampled_from([0, 1, -7, 46_341, 2**31 - 1, -(2**31)]),
            st.sampled_from([0, -1, 2**40, 2**63 - 1, -(2**63)]),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_arithmetic_without_a_result_is_refused(tree: Any, numbers: list[tuple[int, int]]) -> None:
    """WRITE-1453, WRITE-1455, WRITE-1456, over expressions, beside integers of Python."""
    rows = [{"id": str(number), "i": i, "l": long} for number, (i, long) in enumerate(numbers)]
    with TemporaryDirectory() as folder:
        types = pa.schema([("id", pa.string()), ("i", pa.int32()), ("l", pa.int64())])
        table = create_table(f"{folder}/t", types, key="id")
        table.insert(pa.Table.from_pylist(rows, types))
        try:
            wanted = [compute(tree, {"i": row["i"], "l": row["l"]})[0] for row in rows]
        except (OverflowError, ZeroDivisionError):
            with pytest.raises(RowError, match=r"^l: row .*(wrap|divisor|CAST)"):
                table.update({"l": sql_value(show(tree))})
            assert table.refresh().to_arrow().sort_by("id").to_pylist() == rows
            return
        table.update({"l": sql_value(show(tree))})
        assert table.refresh().to_arrow().sort_by("id")["l"].to_pylist() == wanted


def sql_value(text: str) -> Any:
    return parse_assignments(f"l = {text}")[0][1]


@pytest.mark.parametrize(
    ("assigned", "kept"),
    [
        ("i = CASE WHEN i < 100 THEN i + 1 ELSE i END", 2**31 - 1),
        ("i = try_add(i, 1)", None),
        ("i = i % 2 + 1", 2),
        ("l = CAST(i AS BIGINT) + 1", 2**31),
        ("l = i + CAST(1 AS DOUBLE)", 2**31),
        ("i = coalesce(i + 1, 0)", RowError),
        ("l = i + 1", RowError),
        ("s = concat('a', i + 1)", RowError),
        ("g = i * 4 / 4", RowError),
        ("day = date_add(day, length(s) + 1)", MOMENT.date() + datetime.timedelta(4)),
    ],
)
def test_only_what_wraps_on_the_way_to_a_value_is_refused(tmp_path: Path, assigned: str, kept: Any) -> None:
    """WRITE-1453."""
    ((name, value),) = parse_assignments(assigned)
    table = create_table(tmp_path / "t", TYPES, key="id")
    table.insert([{**ROW, "i": 2**31 - 1}])
    table = table.refresh()
    if kept is not RowError:
        table.update({name: value})
        assert table.refresh().to_arrow()[name].to_pylist() == [kept]
        return
    with pytest.raises(RowError, match="wrap"):
        table.update({name: value})
    assert table.refresh().to_arrow().to_pylist() == table.to_arrow().to_pylist()


NO_RESULT = [
    ("d", "d / 0", "a divisor that is not 0"), ("g", "g % 0", "a divisor"), ("g", "1 / (g - g)", "a divisor"),
    ("g", "coalesce(pmod(l, 0), 5)", "a divisor"), ("i", "CASE WHEN 1 / (i - i) > 0 THEN 1 ELSE 2 END", "a divisor"),
    ("i", "if(i = 1 OR 1 / (i - 1) > 0 AND i > 5, i % (i - 1), 0)", "a divisor"),
    ("i", "CASE WHEN (i = 1) AND (1 / (i - 1) > 0) THEN 1 END", "a divisor"),
    ("d", "CAST(99999999999999999999 AS DECIMAL(38)) * CAST(99999999999999999999 AS DECIMAL(38)) / 10", "a result"),
    ("l", "l + 'x'", "a result"), ("i", "CAST(x AS STRING) * 2", "a result"),
    ("i", "CAST('x' AS INT)", "TRY_CAST"), ("i", "CAST(3000000000 AS INT)", "TRY_CAST"), ("i", "CAST('1.5' AS INT)", "TRY_CAST"),
    ("day", "CAST('2026-02-30' AS DATE)", "TRY_CAST"), ("d", "CAST(123456 AS DECIMAL(3))", "TRY_CAST"),
    ("i", "CAST(300 AS TINYINT)", "TRY_CAST"), ("i", "CAST(g AS SMALLINT)", "TRY_CAST"),
    ("i", "CAST('200' AS TINYINT)", "TRY_CAST"), ("i", "CAST(100 AS TINYINT) + CAST(28 AS TINYINT)", "a result"),
    ("i", "round(CAST(127 AS TINYINT), -1)", "a result"),
    ("i", "-CAST(-128 AS TINYINT)", "a result"), ("i", "CAST(1 AS SMALLINT) % CAST(0 AS SMALLINT)", "a divisor"),
    ("i", "CAST(g AS INT)", "TRY_CAST"), ("s", "concat('a', CAST('x' AS INT))", "TRY_CAST"),
]  # fmt: skip
NULLS = [
    ("d", "d / NULL"), ("d", "d / NULLIF(0, 0)"), ("g", "try_divide(g, 0)"), ("i", "TRY_CAST('x' AS INT)"),
    ("g", "g / 'NaN' + NULL"), ("i", "CASE WHEN i = 1 THEN NULL ELSE i / 0 END"), ("i", "CAST(NULL AS INT)"), ("i", "NULL % 0"),
]  # fmt: skip


def test_what_has_no_result_is_refused_with_the_reason(tmp_path: Path) -> None:
    """WRITE-1455, WRITE-1456."""
    table = new_table(tmp_path)
    before = table.refresh().to_arrow().to_pylist()
    for column, text, expected in NO_RESULT:
        with pytest.raises(RowError, match=f"^{column}: row 1: expected .*{expected}"):
            table.update({column: sql_value(text)})
    assert table.refresh().to_arrow().to_pylist() == before
    for column, text in NULLS:
        table.update({column: sql_value(text)})
        assert stored(table, column) is None
        table.update({"i": 1, "d": Decimal("1.25"), "g": 2.0**63})


def test_only_parts_that_the_value_comes_from_count(tmp_path: Path) -> None:
    """WRITE-1455."""
    table = new_table(tmp_path)
    for text in ("CAST(1.7 AS TINYINT)", "CAST(1 AS TINYINT) * CAST(1 AS SMALLINT)", "CAST(true AS SMALLINT)"):
        table.update({"i": sql_value(text)})
        assert stored(table, "i") == 1
    for text in ("coalesce(i, i / 0)", "CASE WHEN i = 1 OR i / 0 > 1 THEN 1 END", "if(i = 2 AND 1 / 0 = 1, 5, 1)"):
        table.update({"i": sql_value(text)})
        assert stored(table, "i") == 1


def test_an_error_of_a_value_names_its_column(tmp_path: Path) -> None:
    """WRITE-26."""
    table = create_table(
        tmp_path / "t", pa.schema([("id", pa.string()), ("i", pa.int32()), ("s", pa.struct([("b", pa.int32())]))]), "id"
    )
    table.insert([{"id": "a", "i": 1, "s": {"b": 1}}])
    for assigned, error, match in (
        ({"s.b": 3}, UsageError, "^s.b: expected the name of a whole column, as s, found a part of it"),
        (
            {"id": "b"},
            UsageError,
            "^id: expected columns outside of the record key and the partition path, found one of them",
        ),
        ({"i": sql_value("nope + 1")}, ExpressionError, "^i, column 5: no column nope"),
        ({"i": col("nope")}, ExpressionError, "^i: no column nope"),
    ):
        with pytest.raises(error, match=match):
            table.update(assigned)
    for clause in ("when_matched_update", "when_not_matched_insert"):
        merge = table.merge(pa.table({"id": ["a"], "i": pa.array([2], pa.int32())}), on="id")
        with pytest.raises(ExpressionError, match=r"^s: expected a column of this name in the source, .*found none"):
            getattr(merge, clause)().execute()


def test_integers_that_wrap_around_in_a_clause_are_refused(tmp_path: Path) -> None:
    """WRITE-1453."""
    table = create_table(tmp_path / "t", TYPES, key="id")
    table.insert([{**ROW, "i": 2**31 - 1}])
    source = pa.table({"id": ["a"], "one": pa.array([1], pa.int32())})
    clause = table.merge(source, on="id").when_matched_update({"i": col("target.i") + col("source.one")})
    with pytest.raises(RowError, match=r"^i: row 1: .*wrap"):
        clause.execute()


def test_columns_to_update_are_named_by_strings(tmp_path: Path) -> None:
    """WRITE-1415."""
    table = hudi_core.create(tmp_path / "t", hudi_core.schema_of("id string, n int"), "id")
    with pytest.raises(UsageError, match="update: expected new values by column"):
        table.update({5: 1}, where="n = 1")  # type: ignore[dict-item]

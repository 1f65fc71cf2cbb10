"""Constants beside columns whose values have one width, on rows of plain Python and of Arrow: EXPR-1425, EXPR-1426."""

from __future__ import annotations

import operator
import uuid
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from hudi_arrow.arrays import from_values
from hudi_arrow.values import ArrowValues
from hudi_core.expr.bind import bind
from hudi_core.expr.build import ExpressionBuilder, col
from hudi_core.expr.cuts import find_cut
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Cut
from hudi_core.rows.truth import truth_masks
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from hudi_plain.values import PlainValues

UUIDS = [str(uuid.UUID(int=number)) for number in (0, 10, 7919**9, 7919**9 + 1, 2**128 - 1)]
BYTES = [b"\0\0\0", b"ab\0", b"abc", b"abd", b"\xff\xff\xff"]
STRINGS = [UUIDS[1], "a", UUIDS[2], "b", UUIDS[4]]
ROWS: list[tuple[object, ...]] = [*zip(UUIDS, BYTES, STRINGS, strict=True), (None, None, None)]
SCHEMA = Schema(
    record_with_ids(
        t.Record(
            (
                t.Field(0, "u", t.Uuid(t.Fixed(16))),
                t.Field(0, "f", t.Fixed(3)),
                t.Field(0, "s", t.String()),
            )
        )
    )
)
CONSTANTS: dict[str, list[Any]] = {
    "u": [
        *UUIDS,
        *("", "0", "-", "00000000-", "00000000/", "g", "é", "f" * 36, UUIDS[0] + "0", UUIDS[4] + "x"),
        UUIDS[2][:20],
        UUIDS[2].upper(),
    ],
    "f": [*BYTES, b"", b"a", b"ab", b"abc\0", b"abcd", b"\xff", b"\0\0\0\0", b"\xff\xff\xff\xff"],
}
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def _matching(condition: str | ExpressionBuilder) -> list[int]:
    """The numbers of the rows where the condition is TRUE; both engines give the same ones."""
    node = parse_predicate(condition) if isinstance(condition, str) else condition.node
    bound = bind(node, SCHEMA)
    on_arrow = truth_masks(bound, ArrowValues(), from_values(ROWS, SCHEMA.record), SCHEMA)[TRUE].to_pylist()
    plain = [bool(truth_masks(bound, PlainValues(), row, SCHEMA)[TRUE]) for row in ROWS]
    assert on_arrow == plain
    return [number for number, matches in enumerate(plain) if matches]


@pytest.mark.parametrize("column", ["u", "f"])
def test_constants_of_any_width_are_placed_among_the_values(column: str) -> None:
    """EXPR-1425."""
    held = UUIDS if column == "u" else BYTES
    for constant, compare in product(CONSTANTS[column], COMPARISONS):
        expected = [number for number, value in enumerate(held) if compare(value, constant)]
        assert _matching(_comparison(compare, column, constant)) == expected, (compare, constant)


def test_ranges_and_lists_take_constants_of_any_width() -> None:
    """EXPR-1425."""
    for first, last in product(CONSTANTS["f"], repeat=2):
        condition = col("f").between(first, last) | col("f").is_in([first, BYTES[1]])
        expected = [n for n, value in enumerate(BYTES) if first <= value <= last or value in (first, BYTES[1])]
        assert _matching(condition) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("u LIKE '0000%'", [0, 1]),
        ("u LIKE '%a'", [1]),
        ("u NOT LIKE '0%'", [4]),
        ("u RLIKE '^f+-'", [4]),
        ("u LIKE '%a' OR u LIKE '%ff'", [1, 4]),
        ("u = s", [2, 4]),
        ("u < s", [0, 1, 3]),
        ("if(s = 'a', u, u) = u", [0, 1, 2, 3, 4]),
        ("CASE WHEN s = 'a' THEN u ELSE s END = s", [0, 2, 3, 4]),
        ("nvl(u, '') = s", [2, 4]),
    ],
)
def test_the_string_of_a_uuid_in_bytes_is_compared(condition: str, expected: list[int]) -> None:
    """EXPR-1425."""
    assert _matching(condition) == expected


def test_bytes_of_a_uuid_stand_for_it() -> None:
    """EXPR-1426."""
    one = uuid.UUID(UUIDS[2])
    for constant in (one, one.bytes):
        assert _matching(col("u") == constant) == [2]
        assert _matching(col("u") > constant) == [3, 4]
        assert _matching(col("u").is_in([constant])) == [2]
    assert _matching(f"u IN (X'{one.hex}')") == [2]


def test_a_cut_that_is_a_value_stays() -> None:
    """EXPR-1425."""
    for value, data_type in ((UUIDS[2], t.Uuid(t.Fixed(16))), (b"abc", t.Fixed(3)), ("any", t.Uuid())):
        assert find_cut(Cut(value, after=True), data_type) == Cut(value, after=True)


def _comparison(compare: Callable[[Any, Any], Any], column: str, constant: Any) -> ExpressionBuilder:
    built = compare(col(column), constant)
    assert isinstance(built, ExpressionBuilder)
    return built

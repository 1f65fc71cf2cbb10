"""The calls of `specs/cases/calls.jsonl` give what they gave on Spark 3.5.

Also covers: `functions/arithmetic.py`, `functions/array_edits.py`, `functions/regexes.py`, `functions/texts.py`,
`functions/codes.py`, `functions/maps.py`, `functions/zones.py`, `functions/tried.py`,
`functions/arrays.py`, `functions/bits.py`, `functions/choices.py`,
`functions/collections.py`, `functions/documents.py`, `functions/encodings.py`, `functions/lambdas.py`,
`functions/matching.py`, `functions/mathematics.py`, `functions/moments.py`, `functions/months.py`, `functions/numbers.py`,
`functions/parameters.py`, `functions/searching.py`, `functions/strings.py`, `functions/times.py`,
`functions/scalar/hashes.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import ExpressionError
from hudi_core.functions.record import Argument
from hudi_core.functions.registry import FUNCTIONS, find, function
from hudi_core.types import nodes as t
from tests.support.sql_calls import core_value

SPECS = Path(__file__).parents[3] / "specs"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (SPECS / "cases" / "calls.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rule']} {case['sql']}")
def test_a_call_gives_the_result_of_spark(case: dict[str, Any]) -> None:
    assert core_value(case["sql"]) == case["gives"]


def test_every_name_is_that_of_one_function() -> None:
    names = [name for known in FUNCTIONS for name in (known.name, *known.aliases)]
    assert len(names) == len(set(names))
    assert all(find(name) is not None for name in names)


@pytest.mark.parametrize("name", ["ceil", "floor"])
def test_rounding_far_before_the_point_gives_null_or_zero_at_once(name: str) -> None:
    """FUNC-1000, of a number of places that Spark cannot calculate with."""
    away, near = ("1.5", "-1.5") if name == "ceil" else ("-1.5", "1.5")
    assert core_value(f"{name}({away}, -2147483648)") is None
    assert core_value(f"{name}({near}, -2147483648)") == {"decimal": "0"}


@pytest.mark.parametrize(
    "sql",
    [
        "timestampdiff(MICROSECOND, timestamp_micros(-9223372036854775808L), timestamp_micros(9223372036854775807L))",
        "from_utc_timestamp(timestamp_micros(9223372036854775807L), 'Asia/Tokyo')",
        "to_utc_timestamp(timestamp_micros(-9223372036854775808L), 'Asia/Tokyo')",
    ],
)
def test_a_result_that_64_bits_do_not_hold_is_null(sql: str) -> None:
    """FUNC-1508: where Spark fails."""
    assert core_value(sql) is None


@pytest.mark.parametrize("place", ["1.9D", "'1'", "TRUE"])
@pytest.mark.parametrize("sql", ["array(1, 2)[{}]", "get(array(1, 2), {})", "element_at(array(1, 2), {})"])
def test_the_place_of_an_element_is_a_whole_number(sql: str, place: str) -> None:
    """FUNC-1509"""
    with pytest.raises(ExpressionError, match="a whole number as the place"):
        core_value(sql.format(place))


def test_width_bucket_of_stretches_beyond_a_double() -> None:
    """FUNC-12: what is calculated beyond the range of doubles becomes a long as any other."""
    assert core_value("width_bucket(1e308, -1e308, 1.5e308, 10)") == 1
    assert core_value("width_bucket(1e307, 0D, 1.5e308, 1000000000)") == -(1 << 63)


def test_a_pattern_of_a_row_beside_a_point_in_time_is_not_known() -> None:
    """Spark uses no pattern there, so that one that is null in a row would not make the count null."""
    moment = Argument(t.Timestamp())
    assert function("unix_timestamp").signature([moment, Argument(t.String())]) is None
    assert function("unix_timestamp").signature([moment, Argument(t.String(), True, "yyyy")]) is not None

"""Binding: names, settings, what is not known. Meaning is in `specs/cases/expressions.jsonl` and `tests/laws`.

Also covers: `expr/bind_term.py`, `expr/moments.py`,
`expr/outcomes.py`, `expr/paths.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col, lit
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import (
    And,
    Below,
    Column,
    Cut,
    Less,
    Not,
    OneOf,
    Opaque,
    Or,
    Predicate,
    columns_of,
    unknowns_of,
)
from hudi_core.functions.record import Zone
from hudi_core.functions.registry import FUNCTIONS
from hudi_core.rows.truth import RowQuestions
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import Truth
from hudi_core.types import nodes as t
from hudi_core.values.calendar import parse_timestamp
from hudi_plain.values import PlainValues


def schema(**columns: t.Type) -> Schema:
    return Schema(record_with_ids(t.Record(tuple(t.Field(0, name, of) for name, of in columns.items()))))


PLAIN = schema(a=t.Int(), b=t.Int(), ts=t.Timestamp(), lt=t.Timestamp(zoned=False), dt=t.Date(), s=t.String())


def bound(sql: str, to: Schema = PLAIN, **settings: object) -> Predicate:
    return bind(parse_predicate(sql), to, **settings)  # type: ignore[arg-type]


def test_a_column_is_bound_to_its_id_and_carries_its_path() -> None:
    nested = Schema(
        t.Record((t.Field(7, "r", t.Record((t.Field(3, "Inner", t.Int(), optional=False),)), optional=True),))
    )
    assert bound("R.inner < 5", nested) == Below(Column(3, "r.Inner", t.Int(), optional=True), Cut(5))


def test_names_are_case_sensitive_on_request() -> None:
    assert bound("A = 1") == bound("a = 1")
    with pytest.raises(ExpressionError, match="no column A; did you mean a"):
        bound("A = 1", case_sensitive=True)


def test_names_that_differ_by_case_are_distinguished_by_the_exact_one() -> None:
    twins = schema(aa=t.Int(), Aa=t.Int())
    assert columns_of(bound("aa = 1", twins)).keys() == {0}
    assert columns_of(bound("Aa = 1", twins)).keys() == {1}
    with pytest.raises(ExpressionError, match="several that differ by case: aa, Aa"):
        bound("AA = 1", twins)


def test_names_with_dots_are_found_in_back_ticks() -> None:
    columns: dict[str, t.Type] = {"a.b": t.Int(), "a": t.Record((t.Field(0, "b", t.String()),))}
    odd = schema(**columns)
    assert [column.name for column in columns_of(bound("`a.b` = 1", odd)).values()] == ["a.b"]
    assert columns_of(bound("a.b = 'x'", odd)).keys() != columns_of(bound("`a.b` = 1", odd)).keys()


@pytest.mark.parametrize(
    "sql",
    [
        "sentences(s) = 'A'",
        "a div 2.5 = 1",
        "ceil(a, a) = 1",
        "split(s, s)[0] = 'a'",
        "extract(epoch from ts) = 1",
        "ts > current_timestamp()",
        "date_format(ts, 'G') = 'x'",
        "s rlike '[a&&b]'",
    ],
)
def test_only_unknown_expressions_are_opaque(sql: str) -> None:
    found = bound(f"a > 1 and {sql}")
    assert isinstance(found, And)
    assert found.parts[0] == bound("a > 1")
    assert isinstance(found.parts[1], Opaque)
    assert unknowns_of(found) == [found.parts[1].text]


def test_a_wrong_name_is_an_error_inside_an_unknown_expression_too() -> None:
    with pytest.raises(ExpressionError, match="no column nope"):
        bound("sentences(s) = nope")


def test_a_partial_binding_leaves_out_conditions_on_other_columns() -> None:
    found = bound("a = 1 and not (nope = 2 or b = 3)", partial=True)
    assert found == And((bound("a = 1"), Not(Or((Opaque("nope = 2"), bound("b = 3"))))))
    assert bound("nope", partial=True) == Opaque("nope")


def test_points_in_time_without_a_zone_are_the_sessions() -> None:
    (ticks, _) = parse_timestamp("2024-07-01 10:00:00", 1_000_000) or (0, False)
    assert bound("ts < timestamp'2024-07-01 12:00:00'", session_zone="Europe/Paris") == Below(
        Column(2, "ts", t.Timestamp()), Cut(ticks)
    )
    assert bound("ts < '2024-07-01 12:00:00'", session_zone="Europe/Paris") == bound("ts < '2024-07-01 10:00:00'")
    assert bound("ts < '2024-07-01 12:00:00Z'", session_zone="Europe/Paris") == bound("ts < '2024-07-01 12:00:00'")
    assert bound("lt < '2024-07-01 12:00:00'", session_zone="Europe/Paris") == bound("lt < '2024-07-01 12:00:00'")


@pytest.mark.parametrize(
    "sql",
    [
        "year(ts) = 2024",
        "date(ts) = dt",
        "ts = lt",
        "cast(ts as string) = 'x'",
        "ts > dt",
        "hour(ts) = 1",
        "from_unixtime(a) = '1970-01-01 00:00:01'",
        "to_timestamp(s) = ts",
        "to_timestamp(s, 'yyyy') = ts",
        "unix_timestamp(s) = 1",
        "unix_timestamp(dt) = 1",
        "unix_seconds(s) = 1",
        "greatest(ts, s) = ts",
    ],
)
def test_the_clock_of_another_zone_is_not_known(sql: str) -> None:
    """EXPR-27."""
    assert isinstance(bound(sql, session_zone="Europe/Paris"), Opaque)
    assert not unknowns_of(bound(sql))


@pytest.mark.parametrize(
    "sql",
    [
        "timestamp'2012-01-01 00:00:00' - interval 23 hours > ts",
        "unix_timestamp(ts) = 1",
        "to_timestamp(ts) = ts",
        "day(s) = 1",
        "year(dt) = 2024",
        "unix_seconds(ts) = 1",
    ],
)
def test_functions_that_no_zone_changes_are_known_in_every_zone(sql: str) -> None:
    assert not unknowns_of(bound(sql, session_zone="Europe/Paris"))


@pytest.mark.parametrize(
    "sql",
    [
        "timestampadd(YEAR, 1, date'2022-02-15') > ts",
        "date'2012-01-01' - interval 3 hours > ts",
        "dt + interval 3 hours > ts",
        "array_join(array(ts), ',') = 'x'",
        "ts + interval 30 hours > ts",
        "timestamp'2012-01-01 00:00:00' - interval 24 hours > ts",
        "ts - interval '1440' minute > ts",
        "hour('2022-01-01 10:00:00Z') = 5",
        "date_format(dt, 'HH') = '00'",
        "to_date(s, 'yyyy-MM-ddX') = dt",
        "coalesce(ts, dt) > ts",
        "exists(array(ts), x -> hour(x) = 1)",
    ],
)
def test_what_depends_on_the_zone_is_not_known_in_any_but_utc(sql: str) -> None:
    """EXPR-293."""
    assert unknowns_of(bound(sql, session_zone="America/Los_Angeles"))
    assert not unknowns_of(bound(sql))


def test_a_point_in_time_beyond_64_bits_is_refused_in_every_zone() -> None:
    """EXPR-293."""
    for text in ("4294967297", "294247-01-10 04:00:54.775807"):
        with pytest.raises(ExpressionError, match="the text of a timestamp"):
            bound(f"ts < timestamp'{text}'", session_zone="America/Los_Angeles")


def test_an_unknown_zone_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="name of a time zone"):
        bound("a = 1", session_zone="Middle/Earth")


def test_columns_are_compared_by_value_and_with_themselves() -> None:
    a, b = Column(0, "a", t.Int()), Column(1, "b", t.Int())
    assert bound("a < b") == Less(a, b)
    assert bound("a >= b") == Less(b, a, or_equal=True)
    assert bound("a = b") == And((Less(a, b, or_equal=True), Less(b, a, or_equal=True)))


def test_literals_are_in_the_columns_form_sorted_and_once() -> None:
    assert bound("a in (3, 1, 3)") == OneOf(Column(0, "a", t.Int()), (1, 3))


def test_a_built_expression_is_bound_without_sql_text() -> None:
    assert bind((col("a") > 3).node, PLAIN) == bound("a > 3")
    with pytest.raises(ExpressionError, match=r"^predicate: no column nope"):
        bind((col("nope") > 3).node, PLAIN)
    with pytest.raises(ExpressionError, match=r"^predicate: expected a value of int, found 'x'$"):
        bind((col("a") > "x").node, PLAIN)
    with pytest.raises(ExpressionError, match="expected the text of a date"):
        bind((col("dt") > lit("x", "date")).node, PLAIN)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("upper(s, s) = 'x'", "expected 1 arguments of upper, found 2"),
        ("abs(s = 'x') = 1", "expected a number in abs, found boolean"),
        ("s + ts > 1", "expected numbers in +, found timestamp"),
        ("year(a) = 1", "expected a value that can be cast to date, found int"),
        ("case when a = 1 then dt else a end = 1", "expected values of one type in CASE, found date and int"),
        ("coalesce(a, dt) = 1", "expected values of one type in coalesce, such as int, found date"),
        ("a > interval '1' day", "expected a date or timestamp beside an interval, found an interval alone"),
        (
            "cast(dt as int) = 1",
            "expected a value that can be cast to int, as unix_date gives one of a date, found date",
        ),
        ("s rlike '('", "column 9: expected a regular expression"),
    ],
)
def test_expressions_that_sql_refuses_are_refused(sql: str, message: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        bound(sql)
    assert message in str(raised.value)


def test_a_function_that_nobody_knows_is_named_with_those_that_come_close() -> None:
    found = bind(parse_predicate("substing('x', 1, 2) = 'x'"), Schema(record_with_ids(t.Record(()))))
    assert isinstance(found, Opaque)
    assert found.reason == "unknown function substing: rows cannot be filtered by it; did you mean substring or substr?"


TEXTS = schema(a=t.String(), b=t.String(), i=t.Int(), x=t.Binary())


@pytest.mark.parametrize(
    ("sql", "row", "truth"),
    [
        ("startswith(a, b)", ("abc", "ab"), True),
        ("startswith(a, b)", ("ab", "abc"), False),
        ("startswith(a, b)", ("abc", ""), True),
        ("startswith(a, b)", ("a%c", "a%"), True),
        ("startswith(a, b)", ("\U0001f600x", "\U0001f600"), True),
        ("startswith(a, b)", (None, "a"), None),
        ("startswith(a, b)", ("a", None), None),
        ("endswith(a, b)", ("abc", "bc"), True),
        ("endswith(a, b)", ("abc", ""), True),
        ("endswith(a, b)", ("bc", "abc"), False),
        ("endswith(a, b)", ("bc", "cbc"), False),
        ("startswith(a, i)", ("12", None, 1), True),
        ("not endswith(a, i)", ("12", None, 1), True),
    ],
)
def test_a_prefix_or_suffix_can_come_from_a_column(sql: str, row: tuple[object, ...], truth: bool | None) -> None:
    whole = (*row, *(None,) * (4 - len(row)))
    requested = RowQuestions(PlainValues(), whole, TEXTS)
    possible = [outcome for outcome in Truth if can_be(outcome, bound(sql, TEXTS), requested)]
    assert possible == [{True: Truth.TRUE, False: Truth.FALSE, None: Truth.NULL}[truth]]


def test_prefixes_of_bytes_are_not_known() -> None:
    assert unknowns_of(bound("startswith(x, x)", TEXTS))


def test_bytes_are_not_reversed() -> None:
    """FUNC-1002."""
    assert unknowns_of(bound("hex(reverse(x)) = 'FECA'", TEXTS))


def test_the_functions_that_a_zone_changes_are_those_of_the_rule() -> None:
    """ENGINE-500."""
    text = (Path(__file__).parents[3] / "specs/expressions.md").read_text("utf-8")
    rule = text[text.index("**ENGINE-500**") : text.index("**EXPR-292**")]
    assert set(re.findall("`([a-z_]+)`", rule)) == {known.name for known in FUNCTIONS if known.zone is not Zone.UNUSED}

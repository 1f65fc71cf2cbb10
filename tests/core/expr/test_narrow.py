"""Values of 8 and 16 bits: what they wrap at, and where their width makes a call unknown."""

from __future__ import annotations

import pytest

from hudi_core.expr.bind import bind
from hudi_core.expr.narrow import width
from hudi_core.expr.nodes import Call, Case, Cast, Literal, Name
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Opaque
from tests.support.predicate_texts import SCHEMA


@pytest.mark.parametrize(
    ("sql", "bits"),
    [
        ("127Y", 8),
        ("-1S", 16),
        ("1Y + 2S", 16),
        ("round(1Y, 2)", 8),
        ("coalesce(NULL, 1Y)", 8),
        ("CASE WHEN b THEN 1Y ELSE NULL END", 8),
        ("CASE WHEN b THEN 1Y ELSE 1 END", None),
        ("1Y + 2", None),
        ("1Y / 1Y", None),
        ("NULL", None),
        ("i", None),
    ],
)
def test_the_width_of_an_expression_is_that_of_its_widest_part(sql: str, bits: int | None) -> None:
    """EXPR-291."""
    tree = parse_predicate(sql)
    assert isinstance(tree, Name | Literal | Call | Cast | Case)
    assert width(tree) == bits


@pytest.mark.parametrize(
    "sql",
    ["1Y + 1.5 > dc", "array(1Y)[0] = i", "getbit(1Y, 9) = 1", "(1Y DIV 1Y) = i", "pmod(1Y, 2Y) = i", "hash(1Y) = i"],
)
def test_a_call_that_depends_on_the_width_is_not_known(sql: str) -> None:
    """EXPR-291."""
    assert isinstance(bind(parse_predicate(sql), SCHEMA), Opaque)


@pytest.mark.parametrize("sql", ["date_add(dt, 1Y) > dt", "i + 1Y > 3", "substring(s, 1S) = 'a'", "127Y < l"])
def test_a_call_that_takes_it_for_an_int_is_known(sql: str) -> None:
    """EXPR-291."""
    assert not isinstance(bind(parse_predicate(sql), SCHEMA), Opaque)

"""The ledger itself: no answer but the right one passes, whichever rule the question falls under."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.conformance.deviations import REFUSED, Deviation, always
from tests.support.ledger import Ledger, alike


def rule(name: str, *, when: str, answer: object) -> Deviation:
    return Deviation("made", name, lambda q: when in q["about"], always(answer), "ours", "reason")


def settled(about: str, ours: object, theirs: object, *rules: Deviation) -> Ledger:
    ledger = Ledger("made", rules)
    ledger.settle({"id": "1"}, {"ask": "it", "about": about}, ours, theirs)
    return ledger


def wrong(ledger: Ledger) -> str:
    with pytest.raises(AssertionError) as raised:
        ledger.close()
    return str(raised.value)


DOUBLED = rule("doubled", when="number", answer=4)


def test_the_recorded_answer_and_the_declared_one_pass() -> None:
    settled("text", "a", "a", DOUBLED).close()
    settled("number", 4, 2, DOUBLED).close()
    assert not settled("number", 4, 2, DOUBLED).settled[0].wrong


@pytest.mark.parametrize("garbage", ["garbage", None, REFUSED, 2, 4.0, [4]])
def test_garbage_under_a_rule_fails(garbage: object) -> None:
    assert "not the answer of doubled" in wrong(settled("number", garbage, 2, DOUBLED))


def test_a_difference_without_a_rule_fails() -> None:
    assert "no deviation" in wrong(settled("text", "a", "b", DOUBLED))


@pytest.mark.parametrize("both", [4, REFUSED])
def test_a_rule_without_a_difference_fails(both: object) -> None:
    assert "needless" in wrong(settled("number", both, both, rule("same", when="number", answer=both)))


def test_two_rules_for_one_question_fail() -> None:
    assert "several rules" in wrong(settled("number", 4, 2, DOUBLED, rule("again", when="number", answer=4)))


class Anything:
    """An answer that equals all."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


def test_a_rule_that_takes_anything_fails() -> None:
    class Odd(Anything):
        def __eq__(self, other: object) -> bool:
            return other != 2

    assert "takes anything" in wrong(settled("number", "mine", 2, rule("loose", when="number", answer=Odd())))


def test_a_ledger_of_nothing_does_not_pass() -> None:
    with pytest.raises(pytest.skip.Exception, match="nothing of this kind"):
        Ledger("made", ()).close()


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (math.nan, math.nan, True),
        ((math.nan, [1]), (math.nan, [1]), True),
        (0.0, -0.0, False),
        (1, True, False),
        (1, 1.0, False),
        ((1,), [1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
    ],
)
def test_answers_are_compared_by_type_and_value(a: Any, b: Any, same: bool) -> None:
    assert alike(a, b) is same
